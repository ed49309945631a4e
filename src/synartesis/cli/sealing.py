"""Approvals where the journal has an approver: what is about to be signed is shown on the terminal, the passphrase is asked for
there, and what was shown is what is signed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from synartesis import workspace
from synartesis.domain.ports import History
from synartesis.domain.records import Approval, Seal
from synartesis.domain.status import ApprovalStatus
from synartesis.present.labels import counted
from synartesis.present.requests import request_lines
from synartesis.present.safe_text import printable, wrapped
from synartesis.present.style import Style
from synartesis.workspace.approving import Approver, approver_of

if TYPE_CHECKING:
    from synartesis.approver.key import Sign
    from synartesis.cli.decide import Intended


class Sealed(NamedTuple):
    """By request: the seal of those that may be decided, and why the others may not."""

    seals: dict[str, Seal]
    refused: dict[str, str]


def seal(
    files: workspace.Files, history: History, requests: Sequence[Approval], decision: Intended, *, style: Style
) -> Sealed | None:
    """None where the journal has no approver: then an approval needs no seal. Raises SynartesisError where the passphrase is
    not given."""
    approver = approver_of(files, history)
    if approver is None:
        return None
    refused = {request.id: why for request in requests if (why := _why_not(request))}
    signable = [request for request in requests if request.id not in refused and _is_open(request)]
    return Sealed(_sign(approver, signable, decision, style=style) if signable else {}, refused)


def need_approver(files: workspace.Files, history: History, why: str) -> Sign | None:
    """Where the journal has an approver, this is theirs to do: returns their hand. Raises SynartesisError where the passphrase
    is not given."""
    approver = approver_of(files, history)
    if approver is not None:
        from synartesis.cli.terminal import ask_passphrase, show

        show([f"{why}, so it takes the approver's passphrase."])
        return approver.open(ask_passphrase)
    return None


def _sign(approver: Approver, requests: Sequence[Approval], decision: Intended, *, style: Style) -> dict[str, Seal]:
    from synartesis.cli.terminal import ask_passphrase, show
    from synartesis.journal.ledger import stamp
    from synartesis.journal.reads import utc_now

    lines = [line for request in requests for line in (*request_lines(request, style), "")]
    what = "this call" if len(requests) == 1 else f"these {counted(len(requests), 'call')}"
    if decision.more:
        tool = printable(f"{requests[0].server}.{requests[0].tool}")
        what += f", and {counted(decision.more, 'further call')} of {tool} in this run, whatever the arguments"
    show([*lines, *wrapped(f"The passphrase approves {what}.", style.width)])
    sign = approver.open(ask_passphrase)
    at = stamp(utc_now())
    return {request.id: _seal_of(request, decision, at, sign) for request in requests}


def _seal_of(request: Approval, decision: Intended, at: str, sign: Sign) -> Seal:
    from synartesis.approver.statement import allowance_statement, approval_statement

    by, reason, more = decision
    yes = approval_statement(
        asker=request.asker,
        request=request.id,
        server=request.server,
        tool=request.tool,
        fingerprint=request.fingerprint,
        at=at,
        by=by,
        reason=reason,
    )
    if not more:
        return Seal(request.asker, at, sign(yes))
    further = allowance_statement(
        asker=request.asker,
        request=request.id,
        run=request.asked_in,
        server=request.server,
        identity=request.identity,
        tool=request.tool,
        uses=more,
        at=at,
        by=by,
        reason=reason,
    )
    return Seal(request.asker, at, sign(yes), sign(further))


def _is_open(request: Approval) -> bool:
    return request.status in (ApprovalStatus.WAITING, ApprovalStatus.DENIED)


def _why_not(request: Approval) -> str:
    """Why signing it would help nobody, or would sign something else than what is shown."""
    if not _is_open(request):
        return ""  # whoever decides says so
    if request.asker_gone or not request.asker:
        return "the proxy that asked has ended, or knew of no approver yet: the agent has to make the call again first"
    from synartesis.domain.canonical import NotJson, decode_json, fingerprint

    try:
        shown = fingerprint(request.identity, request.tool, decode_json(request.arguments))
    except NotJson:
        shown = ""
    if shown != request.fingerprint:
        return "the journal was tampered with: what it shows of this call is not what was asked"
    return ""
