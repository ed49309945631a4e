"""One step of an undo: look again, claim the inverse, send it through the guard's door, and prove by reading that the state
is back. A reply alone never counts as undone."""

from __future__ import annotations

from typing import TypeAlias

from msgspec.structs import replace

from synartesis.domain.calls import Observation, ReadPlan, Refused, Unreadable
from synartesis.domain.canonical import Json, Missing, decode_json, encode_json, same_json
from synartesis.domain.paths import Path, covers, render_path
from synartesis.domain.records import Finding
from synartesis.domain.status import ActionStatus, Confirmation, ToolClass, Undone
from synartesis.guard.capture import capture, same_state, state_differences
from synartesis.undo.around import Merging
from synartesis.undo.links import did_something
from synartesis.undo.looked import Looked
from synartesis.undo.no_change import CHANGED_NOTHING
from synartesis.undo.plan import Target, UndoOptions
from synartesis.undo.recover import settle_by_reading
from synartesis.undo.report import StepDifference, StepKind, StepReport, Verdict
from synartesis.undo.sending import Stopped, World, look_again, make_inverse_calls
from synartesis.undo.several import goes_on
from synartesis.undo.verdict import as_drift, confirm, judge

Confirmed: TypeAlias = dict[tuple[str, str], tuple[tuple[str, str] | None, Observation, tuple[Path, ...]]]
"""By thing: by which read (see plan.Target.chain) it was last found to be what, and which places of that may be somebody
else's work. What another read had shown of the same thing is out of date by then."""


async def undo_step(looked: Looked, world: World, options: UndoOptions, confirmed: Confirmed) -> StepReport:
    """Do one step, or raise Stopped. `confirmed` holds what each resource was last proved to be, and is kept up to date."""
    if looked.merging is not None:
        return await _undo_around(looked, looked.merging, world, confirmed)
    target, report, now = looked.step.target, replace(looked.report(), outcome=None), None
    if looked.reason == CHANGED_NOTHING:
        report = replace(report, outcome=Undone.ALREADY, confirmation=Confirmation.VERIFIED)
        await _record(report, world, inverse=None)
        return report
    if target.read is not None and target.before is not None:
        now = await capture(target.read, world.upstream)
        left = _proved(target, confirmed) or looked.left
        shown, differences = judge(target.before, left, now, target.read.rules)
        verdict = goes_on(shown, target, left=left, world=now, history=world.history)
        if looked.verdict is Verdict.ALREADY_UNDONE and verdict in (Verdict.UNCHANGED, Verdict.DRIFTED):
            unproved = verdict is Verdict.UNCHANGED and _proved(target, confirmed) is None
            if not (unproved and _may_be_our_own_doing(target, world)):  # that is asked last: it reads the whole undo
                verdict, differences = _no_longer_as_before(target, confirmed, now)
        report = replace(report, verdict=verdict, differences=differences)
        report = look_again(report, target, target.read, now=now, options=options)
        await settle_by_reading(target.action, shown, seen=now, record=world.history, journal=world.journal)
        if report.kind is StepKind.ALREADY_UNDONE:
            if looked.verdict is Verdict.ALREADY_UNDONE and looked.differences:  # what an earlier undo cost
                report = replace(report, reason=looked.reason, differences=looked.differences)
            report = replace(report, outcome=Undone.ALREADY, confirmation=Confirmation.VERIFIED)
            await _record(report, world, inverse=None)
            return report
    inverse, seen = await make_inverse_calls(target, now, report, world)
    report = _judge_result(report, target, now, seen)
    _confirm(target, seen, report, confirmed)
    if report.outcome is None:
        raise Stopped(report, "unreadable")
    await _record(report, world, inverse=inverse)
    if report.outcome is Undone.MISMATCH and not did_something(target, left=now, seen=seen):
        raise Stopped(report, "mismatch")
    return report


async def _undo_around(looked: Looked, merging: Merging, world: World, confirmed: Confirmed) -> StepReport:
    """The same around what somebody else changed: from exactly the state that the plan was shown for, to the merged one."""
    target, report = looked.step.target, looked.report()
    read = target.read
    assert read is not None
    now = await capture(read, world.upstream)
    left = _proved(target, confirmed) or looked.left
    there, expected = merging.comparable(now), merging.comparable(merging.state)
    as_left = None if left is None else merging.comparable(left)
    is_there = same_state(expected, there, read.rules)
    if not is_there and (as_left is None or not same_state(as_left, there, read.rules)):
        found = as_drift(state_differences(as_left or expected, there, read.rules))
        report = replace(report, verdict=Verdict.DRIFTED, differences=found)
        look_again(report, target, read, now=now, options=UndoOptions())
    shown = Verdict.ALREADY_UNDONE if is_there else Verdict.UNCHANGED
    await settle_by_reading(target.action, shown, seen=now, record=world.history, journal=world.journal)
    inverse: str | None = None
    if is_there:
        report = replace(report, kind=StepKind.ALREADY_UNDONE, calls=())
        report = replace(report, outcome=Undone.ALREADY, confirmation=Confirmation.VERIFIED)
    else:
        target = replace(target, inverse=merging.inverse)
        inverse, seen = await make_inverse_calls(target, now, report, world)
        left = seen
        seen = None if seen is None else merging.comparable(seen)
        report = _judge_result(report, target, there, seen, expected=expected)
        _confirm(target, left, report, confirmed)
        report = replace(report, differences=(*report.differences, *_shown_by(report, merging)))
    if report.outcome is None:
        raise Stopped(report, "unreadable")
    await _record(report, world, inverse=inverse)
    if report.outcome is Undone.MISMATCH:
        raise Stopped(report, "mismatch")
    return report


def _shown_by(report: StepReport, merging: Merging) -> list[StepDifference]:
    """What went back and what stayed of all that was meant to, as far as the read after it shows: what is not as expected there
    neither did nor does."""
    if report.confirmation is Confirmation.UNVERIFIED:
        return []
    otherwise = [one.path for one in report.differences]
    return [
        one
        for one in merging.differences
        if not any(covers(path, one.path) or covers(one.path, path) for path in otherwise)
    ]


def _proved(target: Target, confirmed: Confirmed) -> Observation | None:
    """What the newer step left, where this one may rely on that: not where it would set what may be somebody else's."""
    found = [confirmed[thing] for thing in target.things if thing in confirmed]
    if target.chain not in confirmed or any(chain != target.chain for chain, _, _ in found):
        return None
    _, seen, doubtful = confirmed[target.chain]
    sets = target.restored()
    overlap = any(covers(path, one) or covers(one, path) for path in sets for one in doubtful)
    return None if overlap else seen


def _confirm(target: Target, seen: Observation | None, report: StepReport, confirmed: Confirmed) -> None:
    """What is not as it should be is not taken for what we left: an older step finds out whether it is in its way."""
    if target.resource is None:  # it may have changed whatever is on its server
        for thing in [one for one in confirmed if one[0] == target.action.identity]:
            del confirmed[thing]
    for thing in target.things:
        confirmed.pop(thing, None)
        if seen is not None and report.outcome is not Undone.MISMATCH:
            doubtful = tuple(one.path for one in report.differences if one.kind == "in_doubt")
            confirmed[thing] = (target.chain, seen, doubtful)


# --- before it is sent


def _may_be_our_own_doing(target: Target, world: World) -> bool:
    """Whether an inverse that this undo sent named the very thing (or stands for its whole server), and so may have brought back
    what this action left: a file that was moved away and back is away again once the way back is undone."""
    assert target.read is not None
    reads = [call for _, call in target.read.calls] or [target.read.call]
    return any(
        (inverse.resource is None and inverse.identity == target.action.identity)
        or all(any(same_json(one, other) for other in decode_json(inverse.arguments).values()) for one in named)
        for inverse in world.history.actions(world.undo_run.id)
        if inverse.status is ActionStatus.APPLIED
        for named in (list(read.arguments.values()) for read in reads)
    )


def _no_longer_as_before(
    target: Target, confirmed: Confirmed, now: Observation
) -> tuple[Verdict, tuple[StepDifference, ...]]:
    """The plan said that nothing would be sent, so nothing is: unless the step before this one left it so, it was moved."""
    assert target.read is not None
    assert target.before is not None
    proved = _proved(target, confirmed)
    if proved is not None and same_state(proved, now, target.read.rules):
        return Verdict.ALREADY_UNDONE, ()
    return Verdict.DRIFTED, as_drift(state_differences(target.before, now, target.read.rules))


# --- after it was sent


def _judge_result(
    report: StepReport,
    target: Target,
    now: Observation | None,
    seen: Observation | None,
    *,
    expected: Observation | None = None,
) -> StepReport:
    """What may be claimed. `now` is the state before the inverse, `seen` the state after it; None where nothing reads it.
    `expected` is what should be there, where that is not the state before the call."""
    if target.read is None or target.before is None or now is None or seen is None:
        reason = "made, and nothing reads it: not verified"
        return replace(report, outcome=Undone.COMPENSATED, confirmation=Confirmation.UNVERIFIED, reason=reason)
    confirmation, differences = confirm(
        target.before,
        target.after,
        seen,
        target.read.rules,
        restores=target.restored(),
        arguments=target.arguments(),
        kept=target.kept_by_server(),
        defaults=target.put_where_nothing_was(),
        expected=expected,
    )
    report = replace(report, confirmation=confirmation, differences=differences, reason="")
    compensates = target.tool_class is ToolClass.COMPENSABLE
    match confirmation:
        case Confirmation.VERIFIED:
            return replace(report, outcome=Undone.COMPENSATED if compensates else Undone.RESTORED)
        case Confirmation.UNVERIFIED if differences:
            reason = (
                "made; what its inverse sets is not known, so it cannot be told whether the server moves by itself what differs "
                "now: if it does, list that under ignore:"
            )
            return replace(report, outcome=Undone.COMPENSATED, reason=reason)
        case Confirmation.UNVERIFIED if compensates and isinstance(seen, Refused) and not _tells_absence(target.read):
            reason = f"made; its read was then answered with an error, which the rule does not call absence: {seen.why}"
            return replace(report, outcome=Undone.COMPENSATED, reason=reason)
        case Confirmation.UNVERIFIED:
            why = seen.why if isinstance(seen, Unreadable | Refused) else "the state before it is not known"
            reason = f"its inverse was sent, but what is there now could not be compared: {why}"
            return replace(report, reason=reason, hint="run it again when it can be read, to have it proved")
        case Confirmation.MISMATCH:
            reason = "its inverse was sent, and the state is not what it was before"
            return replace(
                report, outcome=Undone.MISMATCH, reason=reason, hint="compare the paths, and mend it by hand"
            )


def _tells_absence(read: ReadPlan) -> bool:
    """Whether the rule says how absence is answered. Where it does, any other error is a read that failed."""
    return bool(read.rules.absent_when)


async def _record(report: StepReport, world: World, *, inverse: str | None) -> None:
    assert report.outcome is not None
    await world.journal.record_finding(
        Finding(
            action=report.action,
            undo_run=world.undo_run.id,
            inverse=inverse,
            undone=report.outcome,
            verified=report.confirmation is Confirmation.VERIFIED,
            detail=encode_json(
                [
                    {
                        "path": render_path(one.path),
                        "expected": _shown(one.expected),
                        "actual": _shown(one.actual),
                        "kind": one.kind,
                    }
                    for one in report.differences
                ]
            ),
        )
    )


def _shown(value: Json) -> Json:
    return {"absent": True} if isinstance(value, Missing) else {"value": value}
