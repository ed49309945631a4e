"""What an undo did, or would do: one step per action, in words that never claim more than was proved."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias

import msgspec

from synartesis.domain.calls import ResolvedCall
from synartesis.domain.canonical import Json
from synartesis.domain.names import Tool
from synartesis.domain.paths import Path
from synartesis.domain.status import Confirmation, ToolClass, Undone


class StepKind(StrEnum):
    RESTORE = "restore"
    """Put the state before back, and prove it by reading."""
    COMPENSATE = "compensate"
    """Offset it by another call."""
    SKIP = "skip"
    """Nothing to undo: it changed nothing, or never happened."""
    ALREADY_UNDONE = "already_undone"
    """Is as before already."""
    PERMANENT = "permanent"
    """Cannot be undone; reported and left."""
    KEPT = "kept"
    """Left alone because it was asked so (`--to`)."""
    BLOCKED = "blocked"
    """The undo stops here."""


class Verdict(StrEnum):
    """What the world was found to be, before a step."""

    UNCHANGED = "unchanged"
    """Same as the action left it."""
    ALREADY_UNDONE = "already_undone"
    """Same as before the action."""
    DRIFTED = "drifted"
    """Something else: somebody changed it since."""
    UNVERIFIABLE = "unverifiable"
    """There is no read to judge by, or it could not be read, or the state after was never captured."""
    UNKNOWN = "unknown"
    """Whether the call happened at all is not known."""
    MERGED = "merged"
    """Somebody changed other places of it since, which stay."""


DifferenceKind: TypeAlias = Literal[
    "drift", "not_restored", "moved_by_server", "in_doubt", "set_by_rule", "goes_back", "kept"
]


class StepDifference(msgspec.Struct, frozen=True):
    """`kind`: `drift` (before the step), `not_restored`, `moved_by_server` (a stamp that the server keeps), `in_doubt` (it may be
    one: it moved with the call and again since, and nothing says what the inverse sets), or `set_by_rule` (nothing was
    there, and the rule says what that becomes); of a merge `goes_back` (from what is there now to what is expected) and
    `kept` (somebody else's, which stays)."""

    path: Path
    expected: Json
    actual: Json
    kind: DifferenceKind


class StepReport(msgspec.Struct, frozen=True):
    """`outcome` is None where nothing was done (or, in a dry run, nothing would be). `reason` is a full sentence, and what
    would help follows in `hint`; both may quote text from outside."""

    seq: int
    action: str
    tool: Tool
    tool_class: ToolClass
    kind: StepKind
    verdict: Verdict | None = None
    outcome: Undone | None = None
    confirmation: Confirmation | None = None
    reason: str = ""
    hint: str = ""
    calls: tuple[ResolvedCall, ...] = ()
    """The inverse calls that were made, or would be."""
    differences: tuple[StepDifference, ...] = ()
    undid: int | None = None
    """In a redo: the number, in the agent's run, of the call that this one had undone."""
    residue: str = ""
    """What cannot be taken back of it, as its rule says."""
    settle: str = ""
    """The id of a call whose outcome a person has to settle first."""
    settle_needs_result: bool = False
    """If that was carried out, its undo needs what it returned."""
    settle_sees: bool = True
    """Something reads what that call has left, so what is there now can be taken for it."""
    unproved: bool = False
    """Nothing reads what will become of it, so its success will be called compensated and unverified. Of what was undone before:
    that was not verified then. Of what has nothing to undo: the server refused it, and nothing could check that."""
    sent_before: bool = False
    """An earlier undo sent its inverse, and that did not bring the state back."""
    mergeable: bool = False
    """Somebody changed only other places: `--merge` would undo this around them."""


class Halt(msgspec.Struct, frozen=True):
    seq: int
    reason: str
    """One word: `drifted`, `unreadable`, `unverifiable`, `unknown`, `refused`, `mismatch`, `claimed`, `lost`, `interrupted`."""
    detail: str
    hint: str = ""


class Report(msgspec.Struct, frozen=True):
    run: str
    undo_run: str | None
    """None where nothing was sent."""
    dry_run: bool
    status: Literal["undone", "partial", "stopped"]
    """`undone`: the whole run, proved as far as its classes promise. `partial`: all that can be was. `stopped`: see `halted`."""
    steps: tuple[StepReport, ...]
    """In the order in which they are undone: newest action first."""
    halted: Halt | None = None
    redo: bool = False
    """`run` is itself an undo, which is taken back."""
    as_far: bool = False
    """What is newer than the step that stops is undone all the same."""
