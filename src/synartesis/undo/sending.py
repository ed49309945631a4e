"""The calls of an inverse: each is claimed and sent through the guard's door, right after a last look at what it replaces; and
what it left is looked at before the next one."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from synartesis.domain.calls import InversePlan, Observation, ReadPlan, Refused, Replied, ResolvedCall, Unreadable
from synartesis.domain.canonical import encode_json, fingerprint
from synartesis.domain.ports import AlreadyClaimed, Clock, Ids, Journal, StaleAction, Upstream
from synartesis.domain.records import NewAction, NewRun
from synartesis.domain.status import ActionStatus, ToolClass
from synartesis.errors import JournalUnavailable
from synartesis.guard.capture import capture, same_state, state_differences
from synartesis.guard.inverse import filled
from synartesis.guard.send import Settled, send, settle
from synartesis.policy.matching import Policy
from synartesis.policy.template import Unresolvable
from synartesis.undo.plan import Target, UndoOptions
from synartesis.undo.recover import Record
from synartesis.undo.report import Halt, StepKind, StepReport, Verdict
from synartesis.undo.several import calls_made, first_free_step, not_its_doing
from synartesis.undo.verdict import as_drift
from synartesis.undo.way_back import Asked, outgoing


class World(msgspec.Struct, frozen=True):
    """All that the steps of one undo need."""

    history: Record
    journal: Journal
    upstream: Upstream
    clock: Clock
    ids: Ids
    undo_run: NewRun
    policy: Policy | None = None
    """What the rules say of the tools that inverses call; without it no inverse can be taken back."""


class Stopped(Exception):
    """The undo goes no further than this step."""

    def __init__(self, report: StepReport, reason: str) -> None:
        super().__init__(reason)
        self.report = report if report.outcome is not None else replace(report, kind=StepKind.BLOCKED)
        self.halt = Halt(report.seq, reason, report.reason, report.hint)


def look_again(
    report: StepReport, target: Target, read: ReadPlan, *, now: Observation, options: UndoOptions
) -> StepReport:
    """The world may have moved since the first look. What was previewed is what is undone, or nothing is."""
    verdict = report.verdict
    if verdict is Verdict.ALREADY_UNDONE:
        was_so = report.kind is StepKind.ALREADY_UNDONE  # then the plan has said why
        reason = report.reason if was_so else "is as it was before: nothing to do"
        return replace(report, kind=StepKind.ALREADY_UNDONE, reason=reason, calls=())
    if verdict is Verdict.DRIFTED:
        reason = "was changed while the undo was under way, by somebody else or by what was called for a newer step"
        raise Stopped(replace(report, reason=reason, hint="look at it, then run it again"), "drifted")
    if verdict is Verdict.UNKNOWN:
        reason = "was changed while the undo was under way, and an earlier call of its inverse was never answered"
        raise Stopped(replace(report, reason=reason, hint="look at it, then run it again"), "unknown")
    if verdict is Verdict.UNVERIFIABLE and target.action.seq not in options.unchecked:
        why = now.why if isinstance(now, Unreadable | Refused) else "what the call left was never captured"
        reason = f"could not check it with {read.call.tool}: {why}"
        raise Stopped(replace(report, reason=reason, hint="run it again when it can be read"), "unreadable")
    kind = StepKind.RESTORE if target.tool_class is ToolClass.REVERSIBLE else StepKind.COMPENSATE
    return replace(report, kind=kind)


async def make_inverse_calls(
    target: Target, now: Observation | None, report: StepReport, world: World
) -> tuple[str | None, Observation | None]:
    """Make what an earlier undo has not made yet. Returns the last inverse action, and the state read after it."""
    inverse, seen = None, now
    first = first_free_step(target, world.history)
    done = calls_made(target, world.history)
    for number, plan in enumerate(target.inverse or ()):
        if number in done:
            continue
        inverse, settled = await make_inverse_call(target, number, plan, seen, report, world, first=first)
        if seen is not None and number + 1 < len(target.inverse or ()):
            stop_unless_alone(target, number, plan, then=seen, seen=settled.after, report=report)
        seen = settled.after
    return inverse, seen


def stop_unless_alone(
    target: Target, number: int, plan: InversePlan, *, then: Observation, seen: Observation | None, report: StepReport
) -> None:
    """Between two calls of one inverse: the next one may not replace what somebody else has put there meanwhile."""
    call = named(target, number, plan)
    if seen is None or isinstance(seen, Unreadable):
        why = "nothing was read" if seen is None else seen.why
        reason = f"after {call} it could not be seen what is there: {why}"
        raise Stopped(replace(report, reason=reason, hint="run it again when it can be read"), "unreadable")
    if strange := not_its_doing(plan, target, then=then, seen=seen):
        reason = f"was changed while its inverse was under way, and not by {call}"
        report = replace(report, verdict=Verdict.DRIFTED, differences=strange, reason=reason)
        raise Stopped(replace(report, hint="look at it, then run it again: what was made is not made again"), "drifted")


async def make_inverse_call(
    target: Target,
    number: int,
    plan: InversePlan,
    now: Observation | None,
    report: StepReport,
    world: World,
    *,
    first: int,
) -> tuple[str, Settled]:
    try:
        call = filled(plan, now)
    except Unresolvable as problem:
        reason = f"{named(target, number, plan)} cannot be made: {problem}"
        raise Stopped(replace(report, reason=reason, hint="run it again when it can be read"), "unreadable") from None
    new = new_inverse(target, first + number, call, world)
    about, upstream = target.action.resource, Asked(world.upstream)
    out = await outgoing(new.id, call, about=about, read=target.read, now=now, policy=world.policy, upstream=upstream)
    if upstream.was_asked and now is not None:
        await look_once_more(target, now, report, world)
    try:
        inverse = await world.journal.claim_inverse(new)
    except AlreadyClaimed as claimed:
        reason = f"another undo (run {claimed.by_run}) has sent its inverse already"
        hint = f"see what became of it in run {claimed.by_run}"
        raise Stopped(replace(report, reason=reason, hint=hint), "claimed") from None
    except StaleAction:
        reason = "it was settled while the undo was under way: it is not taken to have been carried out any more"
        raise Stopped(replace(report, reason=reason, hint="look at it, then run it again"), "claimed") from None
    try:
        outcome = await send(out, journal=world.journal, upstream=world.upstream)
    except JournalUnavailable as error:
        reason = f"nothing was sent, because the journal cannot be written: {error.message}"
        raise Stopped(replace(report, reason=reason, hint=error.hint), "lost") from error
    settled = await settle(out, outcome, journal=world.journal, upstream=world.upstream, clock=world.clock)
    if settled.unrecorded is not None:
        reason = f"{plan.call.tool} was sent, but its outcome could not be recorded: {settled.unrecorded}"
        raise Stopped(replace(report, reason=reason, hint="mend the journal, then run it again"), "lost")
    if settled.status is not ActionStatus.APPLIED:
        stopped = not_applied(report, settled, call=named(target, number, plan))
        raise Stopped(stopped, "refused" if isinstance(outcome, Replied) else "lost")
    return inverse.id, settled


async def look_once_more(target: Target, now: Observation, report: StepReport, world: World) -> None:
    """How the inverse could be taken back was read meanwhile. The last thing before it leaves is a look at what it replaces."""
    assert target.read is not None
    again = await capture(target.read, world.upstream)
    if not same_state(now, again, target.read.rules):
        differences = as_drift(state_differences(now, again, target.read.rules))
        look_again(
            replace(report, verdict=Verdict.DRIFTED, differences=differences),
            target,
            target.read,
            now=again,
            options=UndoOptions(),
        )


def new_inverse(target: Target, number: int, call: ResolvedCall, world: World) -> NewAction:
    identity = dict(world.undo_run.servers).get(call.tool.server, "")
    return NewAction(
        id=world.ids.new_id(),
        run=world.undo_run.id,
        server=call.tool.server,
        identity=identity,
        tool=call.tool.name,
        arguments=encode_json(call.arguments),
        tool_class=target.tool_class,
        fingerprint=fingerprint(identity, call.tool.name, call.arguments),
        undoes=target.action.id,
        undoes_step=number,
    )


def named(target: Target, number: int, plan: InversePlan) -> str:
    """A call of an inverse in a sentence: which one it is, where there are several."""
    count = len(target.inverse or ())
    return str(plan.call.tool) if count < 2 else f"call {number + 1} of {count} ({plan.call.tool})"


def not_applied(report: StepReport, settled: Settled, *, call: str) -> StepReport:
    match settled.status:
        case ActionStatus.FAILED:
            reason, hint = f"{call} did not reach its server: {settled.note}", "run it again when the server is back"
        case ActionStatus.REJECTED:
            reason, hint = f"{call}: {settled.note}", "what it says may show what stands in the way"
            report = replace(report, unproved=settled.after is None)
            if report.unproved:
                hint += "; nothing shows whether it was made all the same, so it is not made again unasked"
        case ActionStatus.PAUSED:
            reason, hint = f"{call} asked for input instead of doing it", "do this step by hand"
        case _:
            reason = f"{call} was sent, and it is not known whether it was carried out: {settled.note}"
            hint = "run it again: what can be read will show it"
    return replace(report, reason=reason, hint=hint)
