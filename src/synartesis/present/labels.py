"""Status words in plain words: one place, so that terminal, screen and page say the same."""

from __future__ import annotations

from synartesis.domain.status import ActionStatus, ApprovalStatus, RunStatus, ToolClass, Undone

RUN_STATUS: dict[RunStatus, str] = {
    RunStatus.ACTIVE: "running",
    RunStatus.COMPLETE: "finished",
    RunStatus.UNDONE: "undone",
    RunStatus.PARTIAL: "partly undone",
    RunStatus.ABANDONED: "broke off",
}

ACTION_STATUS: dict[ActionStatus, str] = {
    ActionStatus.RECORDED: "not sent yet",
    ActionStatus.HELD: "held for a person",
    ActionStatus.SENT: "sent, no answer yet",
    ActionStatus.PAUSED: "not done yet: the server asked for more",
    ActionStatus.APPLIED: "done",
    ActionStatus.REJECTED: "refused by the server",
    ActionStatus.FAILED: "never reached the server",
    ActionStatus.UNKNOWN: "outcome unknown: it may have happened",
    ActionStatus.DENIED: "denied",
}

UNDONE: dict[Undone, str] = {
    Undone.RESTORED: "restored",
    Undone.COMPENSATED: "compensated",
    Undone.ALREADY: "was as before already",
    Undone.MISMATCH: "sent, but not restored",
    Undone.REDONE: "done again",
}

APPROVAL_STATUS: dict[ApprovalStatus, str] = {
    ApprovalStatus.WAITING: "waits for a decision",
    ApprovalStatus.GRANTED: "approved, not used yet",
    ApprovalStatus.RESERVED: "approved, being carried out",
    ApprovalStatus.USED: "approved and carried out",
    ApprovalStatus.DENIED: "denied",
    ApprovalStatus.LAPSED: "lapsed: decided more than an hour ago",
}

TOOL_CLASS: dict[ToolClass, str] = {
    ToolClass.READONLY: "read",
    ToolClass.REVERSIBLE: "reversible",
    ToolClass.COMPENSABLE: "compensable",
    ToolClass.IRREVERSIBLE: "irreversible",
}

PRUNED = "pruned: what it said and what it replaced were dropped, and with them the way back"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 call`, `2 calls`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
