"""What `approve` and `deny` share: which requests are meant, the decision, and what is said about it."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING, NamedTuple

from synartesis import workspace
from synartesis.cli.output import Output
from synartesis.cli.pick import only_waiting_request, pick_request
from synartesis.cli.shapes import decided_shape
from synartesis.domain.records import Approval
from synartesis.domain.status import ApprovalStatus, RunStatus
from synartesis.errors import EXIT_DONE, EXIT_STOPPED, SynartesisError, UsageError
from synartesis.present.labels import APPROVAL_STATUS, counted
from synartesis.present.requests import request_lines, together
from synartesis.present.safe_text import printable, wrapped

if TYPE_CHECKING:
    from synartesis.cli.sealing import Sealed
    from synartesis.journal.reads import SqliteHistory
    from synartesis.present.style import Style


class Intended(NamedTuple):
    """What is said about each request that is meant."""

    by: str
    reason: str
    more: int
    """So many further calls of the tool, in the run that asks."""


def decide(args: argparse.Namespace, out: Output, *, grant: bool) -> int:
    """Decide each request that is meant. Exit 1 where one could not be decided; the others still are."""
    by = args.by if args.by is not None else workspace.login_name()
    files = workspace.find_files(args.manifest, args.journal)
    with workspace.need_record(files) as history:
        requests = _meant(args, history, "approve" if grant else "deny")
        decision = Intended(by, args.reason, _more(args, history, requests) if grant else 0)
        sealed = _sealed(files, history, requests, decision, style=out.style) if grant else None
        was_shown = sealed is not None or (grant and _shows_first(requests, out))
        decided, undecided = _decide_each(history, requests, decision, sealed, grant=grant)
        took_back_what_was_signed = not grant and any(request.signature for request in requests)
    if out.as_json:
        out.json([decided_shape(request, "approved" if grant else "denied") for request in decided])
    elif decided:
        lines = [line for request in decided for line in _decided_lines(request, out, grant=grant, was_shown=was_shown)]
        if grant:
            out.lines([*lines, *_what_may_happen(decided, decision.more, files, out)])
        else:
            out.lines([*lines[:-1], *(_not_told(out) if took_back_what_was_signed else [])])
    if undecided:
        out.error(SynartesisError("\n".join(undecided), hint="`synartesis gates` shows what waits for a decision"))
        return EXIT_STOPPED
    return EXIT_DONE


def _decide_each(
    history: SqliteHistory, requests: list[Approval], decision: Intended, sealed: Sealed | None, *, grant: bool
) -> tuple[list[Approval], list[str]]:
    """Those that were decided, and why the others were not."""
    decided: list[Approval] = []
    undecided: list[str] = []
    by, reason, more = decision
    for request in requests:
        if sealed is not None and request.id in sealed.refused:
            undecided.append(f"{_name(request)} was not approved: {sealed.refused[request.id]}")
            continue
        seal = None if sealed is None else sealed.seals.get(request.id)
        after = history.decide(request.id, grant=grant, by=by, reason=reason, seal=seal, more=more)
        if after is None:
            undecided.append(_why_not(history.approval(request.id) or request, "approve" if grant else "deny"))
        else:
            decided.append(after)
    return decided, undecided


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


def _more(args: argparse.Namespace, history: SqliteHistory, requests: list[Approval]) -> int:
    """How many calls besides the one that was asked about."""
    if args.for_run is None:
        return 0
    if len(requests) != 1:
        raise UsageError("--for-run is about one tool, and more than one call is meant", hint="name one request")
    run = history.run(requests[0].asked_in)
    if run is None or run.status is not RunStatus.ACTIVE:
        raise SynartesisError(
            f"run {printable(requests[0].asked_in)}, which asks, has ended: there is nothing that --for-run could go on for",
            hint=f"`synartesis approve {shlex.quote(requests[0].id)}` is for this one call, also in another run",
        )
    number: int = args.for_run
    return number - 1


def _what_may_happen(decided: list[Approval], more: int, files: workspace.Files, out: Output) -> list[str]:
    if more:
        tool = printable(f"{decided[0].server}.{decided[0].tool}")
        calls = f"{counted(more, 'further call')} of {tool} in this run, whatever the arguments"
        text = f"The agent may now make this call, and {calls}."
        return [*wrapped(text, out.style.width), f"To take that back: {files.spell(['deny', decided[0].id])}"]
    what = "this call" if len(decided) == 1 else "each of these calls"
    return [f"The agent may now repeat {what}: once, within the hour."]


def _sealed(
    files: workspace.Files, history: SqliteHistory, requests: list[Approval], decision: Intended, *, style: Style
) -> Sealed | None:
    """Most journals have no approver, and then nothing of it is loaded."""
    from synartesis.cli.sealing import seal

    return seal(files, history, requests, decision, style=style)


def _shows_first(requests: list[Approval], out: Output) -> bool:
    """Several at once, at a terminal: all that is approved is seen before it is. Whether it was. Raises SynartesisError
    where the person then says no."""
    if len(requests) == 1 or out.as_json or not out.is_terminal:
        return False
    for request in requests:
        out.lines([*request_lines(request, out.style), ""])
    if not out.ask(f"Approve these {counted(len(requests), 'call')}?"):
        raise SynartesisError("nothing was approved")
    return True


def _decided_lines(request: Approval, out: Output, *, grant: bool, was_shown: bool) -> list[str]:
    shown = [printable(request.id)] if was_shown else request_lines(request, out.style)
    return [*shown, *_said(request, out, grant=grant), ""]


def _said(request: Approval, out: Output, *, grant: bool) -> list[str]:
    style = out.style
    if not grant and request.status is not ApprovalStatus.DENIED:
        return [f"    {style.warn('taken back')}: no further call goes out under it. The call itself was carried out."]
    word, paint = ("approved", style.good) if grant else ("denied", style.warn)
    reason = f": {printable(request.reason)}" if request.reason else ""
    text = f"{word} by {printable(request.decided_by) or 'nobody named'}{reason}"
    first, *more = wrapped(text, style.width, indent="    ", hanging="      | ")
    return [first.replace(word, paint(word), 1), *more]


def _not_told(out: Output) -> list[str]:
    """No file of ours can tell a proxy what it has not looked at, against somebody who writes the same files."""
    text = (
        "An approver had signed that. Who writes the journal before the proxy has looked could put it back: if that may happen,"
        " end the agent's client as well."
    )
    return ["", *wrapped(text, out.style.width)]


def _why_not(request: Approval, verb: str) -> str:
    by = f" by {printable(request.decided_by)}" if request.decided_by else ""
    done = "denied" if verb == "deny" else "approved"
    return f"{_name(request)} was not {done}: {APPROVAL_STATUS[request.status]}{by}"


def _name(request: Approval) -> str:
    return f"{request.id} {printable(f'{request.server}.{request.tool}')}"
