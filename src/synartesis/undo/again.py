"""What an earlier undo has sent for a step, and why it is not simply sent again. Pure but for the record."""

from __future__ import annotations

import msgspec

from synartesis.domain.ports import History
from synartesis.domain.records import Action
from synartesis.domain.status import ActionStatus
from synartesis.undo.plan import Target


class NotAgain(msgspec.Struct, frozen=True):
    """Why the undo stops here; the words as in report.StepReport, and in one word as in report.Halt."""

    halt: str
    reason: str
    hint: str


def refused_unseen(target: Target, history: History) -> NotAgain | None:
    """The server answered the inverse with an error, and no read could show that this is true: servers time out on what they
    have done."""
    refused = _refused_last(target.action, history)
    if refused is None:
        return None
    said = refused.note.rpartition("not checked: ")[2]
    tool = f"{refused.server}.{refused.tool}"
    reason = (
        f"{tool} was refused before (run {refused.run}), and nothing shows whether it was made all the same: {said}"
    )
    hint = f"look at what {tool} was to change; --unchecked {target.action.seq} makes it again"
    return NotAgain("refused", reason, hint)


def _refused_last(action: Action, history: History) -> Action | None:
    """None once the call was made after that."""
    refused: Action | None = None
    for inverse in history.inverses_of(action.id):
        if inverse.status is ActionStatus.REJECTED and inverse.after is None:
            refused = inverse
        elif refused is not None and inverse.status is ActionStatus.APPLIED:
            refused = None if inverse.undoes_step == refused.undoes_step else refused
    return refused
