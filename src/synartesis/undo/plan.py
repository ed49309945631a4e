"""What an undo would do with each action of a run, newest first, judged from the record alone. Pure: the world is looked at
afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
from msgspec.structs import replace

from synartesis.domain.calls import Absent, AnswerRules, AnswerValue, InversePlan, Observation, Present, ReadPlan
from synartesis.domain.canonical import Json, decode_json
from synartesis.domain.names import Tool
from synartesis.domain.paths import Path, get_path
from synartesis.domain.records import Action
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus, ToolClass, Undone
from synartesis.guard.capture import observation_of, read_plan, same_state
from synartesis.guard.inverse import inverse_plans
from synartesis.guard.send import resource_of, things_of
from synartesis.undo.report import StepKind

COUNTS_AS_UNDONE = frozenset({Undone.RESTORED, Undone.COMPENSATED, Undone.ALREADY})


class UndoOptions(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    dry_run: bool = False
    to: int | None = None
    """Undo back to and including this seq; what is older is left alone."""
    only: frozenset[int] = frozenset()
    """Undo just these; empty: all."""
    merge: bool = False
    """Undo around what somebody else changed, where that can be told apart."""
    replan: bool = False
    """Rebuild inverses from today's manifest and the captured state."""
    as_far_as_possible: bool = False
    unchecked: frozenset[int] = frozenset()
    """Steps to do although they cannot be checked. Never overrides a drift."""


class Target(msgspec.Struct, frozen=True):
    """One action as an undo sees it: the record, with everything it needs made into values."""

    action: Action
    tool_class: ToolClass
    read: ReadPlan | None
    before: Observation | None
    after: Observation | None
    inverse: tuple[InversePlan, ...] | None
    problem: str = ""
    """Why there is no inverse, where that is known."""
    replanned: bool = False
    """The inverse is another one than was resolved when the call happened."""
    blind: str = ""
    """Why its state cannot be judged although the rule has a read for it; empty where it can be, and where there is none."""

    @property
    def tool(self) -> Tool:
        return Tool(self.action.server, self.action.tool)

    @property
    def resource(self) -> tuple[str, str] | None:
        """What it is about; None stands for its whole server."""
        return None if self.action.resource is None else (self.action.identity, self.action.resource)

    @property
    def things(self) -> list[tuple[str, str]]:
        """All that it is about, by name: what its rule says, and what its read shows; of a read of several things, each."""
        return [(self.action.identity, thing) for thing in things_of(self.action.resource, self.read)]

    @property
    def chain(self) -> tuple[str, str] | None:
        """What it is about, as its own read shows it: only states that the same read found can be compared."""
        about = resource_of(self.read) or self.action.resource
        return None if about is None else (self.action.identity, about)

    @property
    def rules(self) -> AnswerRules | None:
        """How the answers of its read are understood."""
        return None if self.read is None else self.read.rules

    @property
    def changed_nothing(self) -> bool:
        """It was read before the call and after it, and is the same: nothing is there to undo, whatever came since."""
        before, after = self.before, self.after
        if self.read is None or not isinstance(before, Present | Absent) or not isinstance(after, Present | Absent):
            return False
        return self.action.status is ActionStatus.APPLIED and same_state(before, after, self.read.rules)

    def restored(self) -> list[Path]:
        """The places that its inverse is known to set. A compensation that is handed the whole state does not put it back by
        that: nothing says which of it it sets."""
        paths = [path for plan in self.inverse or () for path in plan.restores]
        return [path for path in paths if path or self.tool_class is not ToolClass.COMPENSABLE]

    def kept_by_server(self) -> list[Path]:
        """What its inverse asks for as it is now, to hand it back: a version, a sha."""
        return [path for plan in self.inverse or () for _, path in plan.current]

    def put_where_nothing_was(self) -> list[tuple[Path, Json]]:
        """What its inverse puts where the state before had nothing, as its rule says."""
        return [
            (path, get_path(plan.call.arguments, place)) for plan in self.inverse or () for place, path in plan.defaults
        ]

    def arguments(self) -> Json:
        return decode_json(self.action.arguments)


class Step(msgspec.Struct, frozen=True):
    """What is meant to happen with one action."""

    target: Target
    kind: StepKind
    reason: str = ""
    undid: int | None = None
    """The number of the call that this one had undone, where it is an inverse."""
    unproved: bool = False
    """That there is nothing to do was never proved."""

    @property
    def is_to_do(self) -> bool:
        return self.kind in (StepKind.RESTORE, StepKind.COMPENSATE)


def target_of(action: Action) -> Target:
    """The action as it was recorded: its inverse as resolved when the call happened, its images as judged then."""
    read = read_plan(action.read) if action.read is not None else None
    rules = read.rules if read is not None else None
    before = observation_of(action.before, rules) if action.before is not None else None
    after = observation_of(action.after, rules) if action.after is not None else None
    if read is not None and before is None:
        before = before_a_creation(after, read.rules)
    inverse = None if action.inverse is None else inverse_plans(action.inverse)
    return Target(
        action=action,
        tool_class=action.tool_class,
        read=exact_where_written(read, before, inverse),
        before=before,
        after=after,
        inverse=inverse,
        problem=action.note,
        blind=why_blind(before, after),
    )


def exact_where_written(
    read: ReadPlan | None, before: Observation | None, inverse: tuple[InversePlan, ...] | None
) -> ReadPlan | None:
    """The read, judged byte by byte where the inverse writes the very text back: somebody's layout of it is their work as well,
    whatever of the value in it is ignored or has no order."""
    if read is None or not (read.rules.ignore or read.rules.unordered):
        return read
    if not isinstance(before, Present) or not before.value.is_text:
        return read
    if not any(_holds(plan.call.arguments, before.value.whole) for plan in inverse or ()):
        return read
    return replace(read, rules=replace(read.rules, ignore=(), unordered=()))


def _holds(value: Json, text: str) -> bool:
    if isinstance(value, dict | list):
        return any(_holds(one, text) for one in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and text in value


def before_a_creation(after: Observation | None, rules: AnswerRules) -> Observation | None:
    """What a read that only the answer told would have found before the call: nothing, or of several things none. Believed
    only of a read that did find something afterwards: one that never finds anything would prove that everything is gone."""
    if not isinstance(after, Present):
        return None
    if rules.each:
        return Present(AnswerValue([{"item": one["item"], "present": False} for one in after.value.whole]), b"")
    return Absent("nothing was there before the call", b"")


def why_blind(before: Observation | None, after: Observation | None) -> str:
    if before is not None or after is None or isinstance(after, Present):
        return ""
    return f"what the call made could not be read after it ({after.why}), so a later change could not be told from it"


def plan_steps(
    actions: Iterable[Action], options: UndoOptions, make_target: Callable[[Action], Target] = target_of
) -> list[Step]:
    """One step per write of the run, newest first. Reads are left out: their outcome never matters to an undo."""
    writes = [action for action in actions if action.tool_class is not ToolClass.READONLY]
    writes.sort(key=lambda action: action.seq, reverse=True)
    return [_plan_step(make_target(action), options) for action in writes]


def is_permanent(action: Action) -> bool:
    """Whether no undo takes it back."""
    return _plan_step(target_of(action), UndoOptions()).kind is StepKind.PERMANENT


def _plan_step(target: Target, options: UndoOptions) -> Step:
    action = target.action
    if action.undone in COUNTS_AS_UNDONE:
        return Step(target, StepKind.ALREADY_UNDONE, "undone before")
    if action.status in _WHY_NOTHING_HAPPENED:
        return _nothing_happened(target)
    if options.to is not None and action.seq < options.to:
        return Step(target, StepKind.KEPT, f"older than #{options.to}")
    if options.only and action.seq not in options.only:
        return Step(target, StepKind.KEPT, "not among those that were asked for")
    if action.pruned:
        return Step(target, StepKind.PERMANENT, "what it replaced was pruned")
    if action.status in MAY_HAVE_HAPPENED:
        return _plan_unsettled(target, options)
    if target.tool_class is ToolClass.IRREVERSIBLE:
        return Step(target, StepKind.PERMANENT, "cannot be undone")
    if target.inverse is None:
        return Step(target, StepKind.PERMANENT, target.problem or "no call that undoes it is known")
    if not target.inverse:
        return _nothing_to_call(target)
    return _to_do(target)


def _plan_unsettled(target: Target, options: UndoOptions) -> Step:
    if target.tool_class is ToolClass.IRREVERSIBLE:
        return Step(target, StepKind.PERMANENT, "was sent, and no answer came: it may have been carried out")
    if not target.inverse and target.action.seq in options.unchecked:
        reason = (
            "was sent, and no answer came: it may have been carried out, and only the answer would say how to undo it"
        )
        return Step(target, StepKind.PERMANENT, reason)
    return _to_do(target)


def _to_do(target: Target) -> Step:
    kind = StepKind.RESTORE if target.tool_class is ToolClass.REVERSIBLE else StepKind.COMPENSATE
    return Step(target, kind)


def _nothing_to_call(target: Target) -> Step:
    """Its rule undoes each element of a list, and that was empty."""
    read, before, after = target.read, target.before, target.after
    if read is not None and before is not None and after is not None and not same_state(before, after, read.rules):
        return Step(target, StepKind.PERMANENT, "changed something, and the list that its rule goes through is empty")
    return Step(target, StepKind.SKIP, "the list that its rule goes through is empty")


def _nothing_happened(target: Target) -> Step:
    """A refusal is the server's word alone where no read after it could show that it is true."""
    why = _WHY_NOTHING_HAPPENED[target.action.status]
    if target.action.status is ActionStatus.REJECTED and target.after is None:
        return Step(target, StepKind.SKIP, f"{why}, not checked", unproved=True)
    return Step(target, StepKind.SKIP, why)


_WHY_NOTHING_HAPPENED = {
    ActionStatus.RECORDED: "was never sent",
    ActionStatus.HELD: "was held, not carried out",
    ActionStatus.DENIED: "was denied, not carried out",
    ActionStatus.FAILED: "never reached the server",
    ActionStatus.REJECTED: "was refused by the server",
}
