"""What `approve` and `deny` share: which requests are meant, the decision, and what is said about it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from synartesis import workspace
from synartesis.cli.output import Output
from synartesis.cli.pick import only_waiting_request, pick_request
from synartesis.cli.shapes import decided_shape
from synartesis.domain.records import Approval
from synartesis.domain.status import ApprovalStatus
from synartesis.errors import EXIT_DONE, EXIT_STOPPED, SynartesisError, UsageError
from synartesis.present.labels import APPROVAL_STATUS
from synartesis.present.requests import request_lines, together
from synartesis.present.safe_text import printable, wrapped

if TYPE_CHECKING:
    from synartesis.cli.sealing import Sealed
    from synartesis.journal.reads import SqliteHistory
    from synartesis.present.style import Style


def decide(args: argparse.Namespace, out: Output, *, grant: bool) -> int:
    """Decide each request that is meant. Exit 1 where one could not be decided; the others still are."""
    verb = "approve" if grant else "deny"
    by = args.by if args.by is not None else workspace.login_name()
    decided: list[Approval] = []
    undecided: list[str] = []
    files = workspace.find_files(args.manifest, args.journal)
    with workspace.need_record(files) as history:
        requests = _meant(args, history, verb)
        sealed = _sealed(files, history, requests, by=by, reason=args.reason, style=out.style) if grant else None
        for request in requests:
            if sealed is not None and request.id in sealed.refused:
                undecided.append(f"{_name(request)} was not approved: {sealed.refused[request.id]}")
                continue
            seal = None if sealed is None else sealed.seals.get(request.id)
            after = history.decide(request.id, grant=grant, by=by, reason=args.reason, seal=seal)
            if after is None:
                undecided.append(_why_not(history.approval(request.id) or request, verb))
                continue
            decided.append(after)
            if not out.as_json:
                out.lines(
                    _decided_lines(after, out, grant=grant, is_first=len(decided) == 1, was_shown=seal is not None)
                )
    if out.as_json:
        out.json([decided_shape(request, "approved" if grant else "denied") for request in decided])
    elif grant and decided:
        one = len(decided) == 1
        out.lines(
            ["", f"The agent may now repeat {'this call' if one else 'each of these calls'}: once, within the hour."]
        )
    if undecided:
        out.error(SynartesisError("\n".join(undecided), hint="`synartesis gates` shows what waits for a decision"))
        return EXIT_STOPPED
    return EXIT_DONE


def _meant(args: argparse.Namespace, history: SqliteHistory, verb: str) -> list[Approval]:
    if args.all and args.ids:
        raise UsageError(
            "ids and --all exclude each other", hint=f"`synartesis {verb} ID ...` or `synartesis {verb} --all`"
        )
    if args.all:
        waiting = history.approvals([ApprovalStatus.WAITING])
        if not waiting:
            raise SynartesisError(
                "nothing waits for a decision", hint="a call that is held shows up in `synartesis gates`"
            )
        return together(waiting)
    if not args.ids:
        return [only_waiting_request(history, verb)]
    found = {request.id: request for request in (pick_request(history, prefix) for prefix in args.ids)}
    return list(found.values())


def _sealed(
    files: workspace.Files, history: SqliteHistory, requests: list[Approval], *, by: str, reason: str, style: Style
) -> Sealed | None:
    """Most journals have no approver, and then nothing of it is loaded."""
    from synartesis.cli.sealing import seal

    return seal(files, history, requests, by=by, reason=reason, style=style)


def _decided_lines(request: Approval, out: Output, *, grant: bool, is_first: bool, was_shown: bool) -> list[str]:
    if was_shown:
        return [f"{printable(request.id)}", *_said(request, out, grant=grant)]
    gap = [] if is_first else [""]
    return [*gap, *request_lines(request, out.style), *_said(request, out, grant=grant)]


def _said(request: Approval, out: Output, *, grant: bool) -> list[str]:
    style = out.style
    word, paint = ("approved", style.good) if grant else ("denied", style.warn)
    reason = f": {printable(request.reason)}" if request.reason else ""
    text = f"{word} by {printable(request.decided_by) or 'nobody named'}{reason}"
    first, *more = wrapped(text, style.width, indent="    ", hanging="      | ")
    return [first.replace(word, paint(word), 1), *more]


def _why_not(request: Approval, verb: str) -> str:
    by = f" by {printable(request.decided_by)}" if request.decided_by else ""
    done = "denied" if verb == "deny" else "approved"
    return f"{_name(request)} was not {done}: {APPROVAL_STATUS[request.status]}{by}"


def _name(request: Approval) -> str:
    return f"{request.id} {printable(f'{request.server}.{request.tool}')}"
