"""What a thing can be, and what it may become. The tables are the documentation, the guard in the SQL, the diagram in the
docs and the property in the tests, all at once."""

from __future__ import annotations

from enum import StrEnum


class ToolClass(StrEnum):
    READONLY = "readonly"
    """Changes nothing."""
    REVERSIBLE = "reversible"
    """The state before can be restored exactly."""
    COMPENSABLE = "compensable"
    """Cannot be reversed, can be offset by another call."""
    IRREVERSIBLE = "irreversible"
    """Neither; held until a person approves it."""


class GateMode(StrEnum):
    ALWAYS = "always"
    ON_WRITE = "on_write"
    """Judge the SQL in the arguments; whatever is not surely one read is held."""
    NEVER = "never"


class ActionStatus(StrEnum):
    RECORDED = "recorded"
    """Written down, nothing has left."""
    HELD = "held"
    """Refused until a person decides; the repeated call is an action of its own."""
    SENT = "sent"
    """Handed to the server, no outcome on disk. After a crash this means unknown."""
    PAUSED = "paused"
    """The server asked for input first, or answered with a task: not done yet."""
    APPLIED = "applied"
    """The server says it is done."""
    REJECTED = "rejected"
    """The server refused, and the state read afterwards is unchanged (without a read: not checked, and said so)."""
    FAILED = "failed"
    """Never left, or provably did not arrive."""
    UNKNOWN = "unknown"
    """Left, and no answer came: it may have happened."""
    DENIED = "denied"
    """A person had said no."""


ACTION_MOVES: dict[ActionStatus, frozenset[ActionStatus]] = {
    ActionStatus.RECORDED: frozenset({ActionStatus.HELD, ActionStatus.DENIED, ActionStatus.SENT, ActionStatus.FAILED}),
    ActionStatus.HELD: frozenset(),
    ActionStatus.SENT: frozenset(
        {
            ActionStatus.APPLIED,
            ActionStatus.REJECTED,
            ActionStatus.FAILED,
            ActionStatus.UNKNOWN,
            ActionStatus.PAUSED,
        }
    ),
    ActionStatus.PAUSED: frozenset(
        {
            ActionStatus.SENT,
            ActionStatus.APPLIED,
            ActionStatus.REJECTED,
            ActionStatus.FAILED,
            ActionStatus.UNKNOWN,
        }
    ),
    ActionStatus.APPLIED: frozenset(),
    ActionStatus.REJECTED: frozenset(),
    ActionStatus.FAILED: frozenset(),
    ActionStatus.UNKNOWN: frozenset({ActionStatus.APPLIED, ActionStatus.FAILED}),
    ActionStatus.DENIED: frozenset(),
}

MAY_HAVE_HAPPENED = frozenset({ActionStatus.SENT, ActionStatus.PAUSED, ActionStatus.UNKNOWN})
"""Statuses that a report must never call done or not done."""


class ApprovalStatus(StrEnum):
    WAITING = "waiting"
    GRANTED = "granted"
    RESERVED = "reserved"
    """A repeated call has opened and will spend it when it is sent, or give it back."""
    USED = "used"
    DENIED = "denied"
    LAPSED = "lapsed"


APPROVAL_MOVES: dict[ApprovalStatus, frozenset[ApprovalStatus]] = {
    ApprovalStatus.WAITING: frozenset({ApprovalStatus.GRANTED, ApprovalStatus.DENIED}),
    ApprovalStatus.GRANTED: frozenset({ApprovalStatus.RESERVED, ApprovalStatus.LAPSED, ApprovalStatus.DENIED}),
    ApprovalStatus.RESERVED: frozenset({ApprovalStatus.USED, ApprovalStatus.GRANTED}),
    ApprovalStatus.USED: frozenset(),
    ApprovalStatus.DENIED: frozenset({ApprovalStatus.GRANTED, ApprovalStatus.LAPSED}),
    ApprovalStatus.LAPSED: frozenset(),
}


class OrderStatus(StrEnum):
    """How far a living proxy is with what a command asked of it."""

    WAITING = "waiting"
    TAKEN = "taken"
    """The proxy looks; nothing was sent yet."""
    PLANNED = "planned"
    """It shows its plan and waits for a yes."""
    AGREED = "agreed"
    """The yes is there."""
    ACTING = "acting"
    """From here on it may send: the order can be stopped between two calls, and not be withdrawn."""
    ANSWERED = "answered"
    WITHDRAWN = "withdrawn"
    """Whoever asked does it otherwise, or not at all. A proxy that was late sends nothing."""


ORDER_MOVES: dict[OrderStatus, frozenset[OrderStatus]] = {
    OrderStatus.WAITING: frozenset({OrderStatus.TAKEN, OrderStatus.WITHDRAWN}),
    OrderStatus.TAKEN: frozenset(
        {OrderStatus.PLANNED, OrderStatus.ACTING, OrderStatus.ANSWERED, OrderStatus.WITHDRAWN}
    ),
    OrderStatus.PLANNED: frozenset({OrderStatus.AGREED, OrderStatus.ANSWERED, OrderStatus.WITHDRAWN}),
    OrderStatus.AGREED: frozenset({OrderStatus.ACTING, OrderStatus.ANSWERED, OrderStatus.WITHDRAWN}),
    OrderStatus.ACTING: frozenset({OrderStatus.ANSWERED}),
    OrderStatus.ANSWERED: frozenset(),
    OrderStatus.WITHDRAWN: frozenset(),
}


class RunKind(StrEnum):
    AGENT = "agent"
    UNDO = "undo"


class RunStatus(StrEnum):
    """Derived when it is shown, never stored."""

    ACTIVE = "active"
    COMPLETE = "complete"
    UNDONE = "undone"
    PARTIAL = "partial"
    ABANDONED = "abandoned"
    """Its proxy is gone without having said so."""


class Era(StrEnum):
    """How the client opened the connection; see the MCP specification, basic/versioning."""

    HANDSHAKE = "handshake"
    """`initialize` first: revisions 2024-11-05 to 2025-11-25."""
    PER_REQUEST = "per-request"
    """Every request says its revision: 2026-07-28."""


class Undone(StrEnum):
    """What a finished undo step may claim about the action that it undid."""

    RESTORED = "restored"
    """Read again, and equal to the state before."""
    COMPENSATED = "compensated"
    """Offset by another call; proved as far as a read can, or marked unverified."""
    ALREADY = "already"
    """Was as before without us: nothing was sent."""
    MISMATCH = "mismatch"
    """Sent, and what was read afterwards is not the state before."""
    REDONE = "redone"
    """The undo was itself undone: the action counts as done again."""


class Confirmation(StrEnum):
    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    MISMATCH = "mismatch"
