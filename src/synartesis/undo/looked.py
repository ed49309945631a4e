"""A step as looking at the world found it, and the words for why an undo stops there and what helps."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from synartesis.domain.calls import Observation, ReadPlan, Refused, ResolvedCall, Unreadable
from synartesis.domain.ports import History
from synartesis.domain.records import Action
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus, RunKind, RunStatus, Undone
from synartesis.guard.capture import state_differences
from synartesis.undo.around import Merging
from synartesis.undo.links import (
    did_something,
)
from synartesis.undo.plan import Step, Target
from synartesis.undo.report import Halt, StepDifference, StepKind, StepReport, Verdict
from synartesis.undo.settle import AsksFor
from synartesis.undo.several import (
    place_of,
    unanswered_call,
)
from synartesis.undo.who import Who


class Looked(msgspec.Struct, frozen=True):
    """A step, and what looking at the world said about it."""

    step: Step
    verdict: Verdict | None = None
    left: Observation | None = None
    """What the world must still be when this step's turn comes."""
    differences: tuple[StepDifference, ...] = ()
    reason: str = ""
    hint: str = ""
    halt: str = ""
    """Why the undo would stop here, in one word (see report.Halt); empty where it would not."""
    settle: str = ""
    """The id of the call whose outcome is to be settled first; empty where none is."""
    asks: AsksFor = AsksFor()
    """What settling that one needs to be told."""
    residue: str = ""
    made: tuple[int, ...] = ()
    """Which calls of the inverse an earlier undo has made, by their place in it."""
    offset_before: bool = False
    """An earlier undo made every call of a compensation, and that did something: nothing is made again, and nothing stops."""
    merging: Merging | None = None
    """How it is undone around somebody else's changes."""
    mergeable: bool = False
    """It could be, and was not asked for."""

    def report(self) -> StepReport:
        """This step, in the future tense."""
        target, kind = self.step.target, self.step.kind
        if self.halt:
            kind = StepKind.BLOCKED
        elif self.step.is_to_do and self.verdict is Verdict.ALREADY_UNDONE:
            kind = StepKind.ALREADY_UNDONE
        makes_calls = kind in (StepKind.RESTORE, StepKind.COMPENSATE)
        return StepReport(
            seq=target.action.seq,
            action=target.action.id,
            tool=target.tool,
            tool_class=target.tool_class,
            kind=kind,
            verdict=self.verdict,
            outcome=Undone.MISMATCH if self.offset_before else None,
            reason=self.reason or self.step.reason,
            hint=self.hint,
            calls=self._calls() if makes_calls else (),
            differences=self.differences,
            undid=self.step.undid,
            settle=self.settle,
            settle_needs_result=self.asks.result,
            settle_sees=self.asks.sees,
            residue=self.residue,
            unproved=self.step.unproved or self._leaves_unread(kind),
            sent_before=kind is not StepKind.ALREADY_UNDONE and target.action.undone is Undone.MISMATCH,
            mergeable=self.mergeable,
        )

    def _leaves_unread(self, kind: StepKind) -> bool:
        """Nothing would show what comes of this step, or has come of it."""
        target = self.step.target
        unread = target.read is None or target.before is None
        return unread and self.step.is_to_do and kind is not StepKind.ALREADY_UNDONE

    def _calls(self) -> tuple[ResolvedCall, ...]:
        """Those that are still to be made."""
        plans = self.merging.inverse if self.merging is not None else self.step.target.inverse or ()
        return tuple(plan.call for number, plan in enumerate(plans) if number not in self.made)

    def halted(self) -> Halt:
        return Halt(self.step.target.action.seq, self.halt, self.reason, self.hint)


def has_ended(action: Action, history: History) -> bool:
    summary = history.run(action.run)
    return summary is None or summary.run.ended_at is not None or summary.status is RunStatus.ABANDONED


def about_to_be_sent(step: Step) -> Looked:
    reason = "is about to be sent: it was written down, and its proxy is still running"
    hint = "wait until its agent has been answered, then undo again"
    return Looked(step, Verdict.UNKNOWN, reason=reason, hint=hint, halt="unknown")


def under_way(step: Step, history: History) -> Looked | None:
    """A call that a server may still be carrying out, even if whoever had sent it is gone: what can be read now shows nothing of
    it."""
    action, unanswered = step.target.action, unanswered_call(step.target, history)
    if action.status in (ActionStatus.SENT, ActionStatus.PAUSED) and not has_ended(action, history):
        reason = "it was sent and is not answered yet, and its proxy is running: it may be under way"
        hint = "wait until its agent has been answered, or end its client, then run it again"
        return Looked(step, Verdict.UNKNOWN, reason=reason, hint=hint, halt="unknown")
    calls = [(action, "it was sent"), (unanswered, "an earlier undo sent its inverse")]
    for call, what in calls:
        server = history.outliving(call.id) if call is not None and call.status in MAY_HAVE_HAPPENED else None
        if server is not None:
            reason = (
                f"{what} and got no answer, and its server (process {server.pid}) still runs: it may be about to do it"
            )
            hint = f"wait until that process has ended, or end it (kill {server.pid}), then run it again"
            return Looked(step, Verdict.UNKNOWN, reason=reason, hint=hint, halt="unknown")
    return None


def unanswered(looked: Looked, history: History) -> Looked:
    """An inverse that left in an earlier undo, of which reading cannot show whether it took effect."""
    target = looked.step.target
    unanswered = unanswered_call(target, history)
    assert unanswered is not None
    count = len(target.inverse or ())
    place = place_of(unanswered, target)
    call = f"{unanswered.server}.{unanswered.tool}, which is not in its inverse of today,"
    which = call if place is None else "its inverse" if count < 2 else f"call {place + 1} of {count} of its inverse"
    reason = f"an earlier undo (run {unanswered.run}) sent {which} and got no answer: it may have been made"
    hint = f"look at what {target.tool} had changed, and say what became of its inverse"
    return replace(looked, verdict=Verdict.UNKNOWN, reason=reason, hint=hint, halt="unknown", settle=unanswered.id)


def unknown(looked: Looked, why: str) -> Looked:
    target = looked.step.target
    reason = f"it was sent and no answer came, {why}"
    hint = f"look at what {target.tool} was to change, and say what became of it"
    return replace(looked, verdict=Verdict.UNKNOWN, reason=reason, hint=hint, halt="unknown", settle=target.action.id)


def was_sent_in_vain(looked: Looked) -> bool:
    """All of its inverse was sent before and did not restore it, so there is nothing that could be sent again."""
    target = looked.step.target
    return target.action.undone is Undone.MISMATCH and len(looked.made) == len(target.inverse or ())


def in_vain(looked: Looked, before: Observation, world: Observation, read: ReadPlan) -> Looked:
    found = tuple(
        StepDifference(one.path, one.expected, one.actual, "not_restored")
        for one in state_differences(before, world, read.rules)
    )
    reason = "its inverse was sent before, and the state is not what it was before the call; it is not sent twice"
    target = looked.step.target
    if did_something(target, left=None, seen=world):
        return replace(looked, differences=found, reason=reason, offset_before=True)
    hint = (
        "mend it by hand, or undo other calls alone with --only; if the rule is to blame, mend the rule, and undo again"
        " with --replan"
    )
    return replace(looked, differences=found, reason=reason, hint=hint, halt="mismatch")


def unverifiable(looked: Looked, world: Observation) -> Looked:
    target = looked.step.target
    read = target.read.call.tool if target.read is not None else target.tool
    unchecked = f"--unchecked {target.action.seq} undoes it without looking"
    if isinstance(world, Unreadable | Refused):
        reason = f"could not check: {read} failed: {world.why}"
        hint = f"run it again when it can be read; {unchecked}"
        return replace(looked, reason=reason, hint=hint, halt="unreadable")
    kept = target.after.why if isinstance(target.after, Unreadable | Refused) else "no read after it was recorded"
    reason = f"what the call left was never captured ({kept}), so a later change could not be told from it"
    return replace(looked, reason=reason, hint=unchecked, halt="unverifiable")


def drift_hint(target: Target, differences: tuple[StepDifference, ...], who: Who, history: History) -> str:
    runs = [row for row in map(history.run, who.runs) if row is not None and row.run.kind is RunKind.AGENT]
    if runs:
        newest = max(runs, key=lambda row: row.run.started_at)
        return f"undo run {newest.run.id} first, or put it back by hand"
    hint = "put it back by hand"
    if target.read is None or not any(one.path for one in differences):
        return hint
    return (
        f"{hint}; fields that move by themselves belong under ignore: (a list that only changes its order, under unordered:)"
        f" where the rule for {target.tool} reads with {target.read.call.tool}; then undo again with --replan"
    )
