"""The undo of a run: plan it, look at everything, and only then act, one step after the other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from synartesis.domain.ports import Clock, Ids, Journal, Upstream
from synartesis.domain.records import NewRun
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus, RunKind, ToolClass, Undone
from synartesis.errors import SynartesisError, UsageError
from synartesis.policy.matching import Policy
from synartesis.undo.links import failed_redo, is_verified, unsettled_redo
from synartesis.undo.look import look
from synartesis.undo.looked import Looked
from synartesis.undo.onlooker import NOBODY, Onlooker
from synartesis.undo.only import refuse_what_was_changed_later
from synartesis.undo.plan import COUNTS_AS_UNDONE, Step, UndoOptions, plan_steps, target_of
from synartesis.undo.recover import Record, close_what_died, family_of
from synartesis.undo.replan import replanner
from synartesis.undo.report import Halt, Report, StepKind, StepReport
from synartesis.undo.sending import Stopped, World
from synartesis.undo.step import Confirmed, undo_step


async def undo_run(
    run: str,
    *,
    history: Record,
    journal: Journal,
    upstream: Upstream,
    clock: Clock,
    ids: Ids,
    policy: Policy | None,
    options: UndoOptions,
    undo_run: NewRun,
    before_sending: Callable[[Report], Awaitable[None]] | None = None,
    onlooker: Onlooker = NOBODY,
) -> Report:
    """Undo one run, or say why not. Nothing is sent unless every step that matters was looked at first.

    A `run` that is an undo itself is taken back: that is a redo. `policy` is what `--replan` judges by, and what says how
    the inverses can be taken back in turn; without it they cannot. `undo_run` is opened in the journal when the first step
    is about to be done. `before_sending` is shown the plan and may raise to stop everything. Raises UsageError for a seq
    that the run does not have, and SynartesisError where another undo or redo of this run is under way or broke off.
    """
    world = World(history, journal, upstream, clock, ids, undo_run, policy)
    family = family_of(run, history)
    _refuse_beside_another(family, history)
    close_what_died(family, history)
    steps = _plan(run, history, policy, options)
    _refuse_after_a_broken_redo(steps, history)
    steps = [_beyond_reach(step, history) for step in steps]
    if options.only:
        refuse_what_was_changed_later(steps, options, history, redo=_is_undo(run, history))
    looked = await look(steps, options, history=history, upstream=upstream, policy=policy, onlooker=onlooker)
    report = Report(
        run, None, options.dry_run, "stopped", (), redo=_is_undo(run, history), as_far=options.as_far_as_possible
    )
    preview = _filled(report, [one.report() for one in looked], _first_halt(looked))
    to_do = _up_to_the_first_halt(looked)
    if options.dry_run or (preview.halted is not None and not options.as_far_as_possible) or not _any(to_do):
        if not options.dry_run and preview.halted is None:
            _refuse_what_went_on(steps, run, family, undo_run, history)
        return preview
    if before_sending is not None:
        await before_sending(preview)
    await journal.open_run(undo_run)
    try:
        _refuse_what_went_on(steps, run, family, undo_run, history)
        done, halted = await _act(to_do, world, options, onlooker)
    finally:
        await journal.end_run(undo_run.id)
    rest = [one.report() for one in looked[len(done) :]]
    return _filled(replace(report, undo_run=undo_run.id), [*done, *rest], halted or preview.halted)


# --- before anything is sent


def _is_undo(run: str, history: Record) -> bool:
    summary = history.run(run)
    return summary is not None and summary.run.kind is RunKind.UNDO


def _refuse_beside_another(family: list[str], history: Record) -> None:
    for one in family:
        if (other := history.live_undo_of(one)) is not None:
            doing = "taken back" if _is_undo(one, history) else "undone"
            raise SynartesisError(
                f"run {one} is being {doing} right now by {' '.join(other.agent.split()) or 'somebody'} (run {other.id})",
                hint="wait until it has ended, then look at the run again",
            )


def _refuse_after_a_broken_redo(steps: list[Step], history: Record) -> None:
    for step in steps:
        action = step.target.action
        again = unsettled_redo(action, history) if action.undone in COUNTS_AS_UNDONE else None
        if again is not None:
            summary = history.run(again.run)
            undo = "" if summary is None else summary.run.undoes
            raise SynartesisError(
                f"a redo (run {again.run}) broke off at #{action.seq}: whether that is undone or done again is not known",
                hint=f"finish the redo first: synartesis redo {undo}",
            )


def _beyond_reach(step: Step, history: Record) -> Step:
    """What was undone and then done again otherwise is neither: nothing that was recorded puts that back."""
    action = step.target.action
    again = failed_redo(action, history) if action.undone in COUNTS_AS_UNDONE else None
    if again is None:
        return step
    reason = (
        f"was undone, and a redo (run {again.run}) did it again otherwise: {again.server}.{again.tool} was made, and what it "
        "left is not what this had left. Nothing takes that back: look at that run, and do it by hand"
    )
    return replace(step, kind=StepKind.PERMANENT, reason=reason)


def _refuse_what_went_on(steps: list[Step], run: str, family: list[str], undo_run: NewRun, history: Record) -> None:
    """Since the plan was made, somebody else may have begun to undo the run too, or the run itself may have gone on. From
    now on neither can."""
    for one in family:
        other = history.live_undo_of(one)
        if other is not None and other.id != undo_run.id:
            _refuse_beside_another([one], history)
    planned = {step.target.action.id: step.target.action for step in steps}
    for now in history.actions(run):
        then = planned.get(now.id)
        may_happen = now.status in _MAY_CHANGE_SOMETHING
        moved = then is None or (then.status, then.undone) != (now.status, now.undone)
        if moved and may_happen and now.tool_class is not ToolClass.READONLY:
            raise SynartesisError(
                f"run {run} went on while the undo looked at it (#{now.seq} {now.server}.{now.tool}); nothing was undone",
                hint="look at it again, then undo it again",
            )


_MAY_CHANGE_SOMETHING = MAY_HAVE_HAPPENED | {ActionStatus.RECORDED, ActionStatus.APPLIED, ActionStatus.REJECTED}
"""A server that refuses a call may have made it all the same."""


def _plan(run: str, history: Record, policy: Policy | None, options: UndoOptions) -> list[Step]:
    actions = history.actions(run)
    known = {action.seq for action in actions}
    _refuse_unknown_seq("--to", [] if options.to is None else [options.to], known, run)
    _refuse_unknown_seq("--only", sorted(options.only), known, run)
    _refuse_unknown_seq("--unchecked", sorted(options.unchecked), known, run)
    for action in actions:
        if action.seq in options.only | options.unchecked and action.tool_class is ToolClass.READONLY:
            raise UsageError(
                f"#{action.seq} of run {run} ({action.server}.{action.tool}) is a read: it has nothing to undo",
                hint=f"leave it out; what can be undone is in: synartesis show {run}",
            )
    make_target = replanner(policy) if options.replan and policy is not None else target_of
    steps = [_as_it_was_proved(step, history) for step in plan_steps(actions, options, make_target)]
    return [replace(step, undid=_seq_of(step.target.action.undoes, history)) for step in steps]


def _as_it_was_proved(step: Step, history: Record) -> Step:
    """What was not verified when it was undone is not verified by having been undone."""
    action = step.target.action
    if action.undone is not Undone.COMPENSATED or is_verified(action, history):
        return step
    return replace(step, reason="undone before [unverified]", unproved=True)


def _seq_of(action: str | None, history: Record) -> int | None:
    found = None if action is None else history.action(action)
    return None if found is None else found.seq


def _refuse_unknown_seq(option: str, wanted: list[int], known: set[int], run: str) -> None:
    for seq in wanted:
        if seq not in known:
            has = f"it has #1 to #{max(known)}" if known else "it has none"
            raise UsageError(
                f"{option} {seq}: run {run} has no such step; {has}", hint=f"see them with: synartesis show {run}"
            )


def _first_halt(looked: list[Looked]) -> Halt | None:
    return next((one.halted() for one in looked if one.halt), None)


def _up_to_the_first_halt(looked: list[Looked]) -> list[Looked]:
    for at, one in enumerate(looked):
        if one.halt:
            return looked[:at]
    return looked


def _any(looked: list[Looked]) -> bool:
    return any(one.step.is_to_do for one in looked)


def _filled(report: Report, steps: list[StepReport], halted: Halt | None) -> Report:
    """Totals never round up: one step that stays as the agent left it makes the run partial."""
    if halted is not None:
        return replace(report, status="stopped", steps=tuple(steps), halted=halted)
    left = any(step.kind in _LEAVES_SOMETHING or step.outcome is Undone.MISMATCH for step in steps)
    return replace(report, status="partial" if left else "undone", steps=tuple(steps))


_LEAVES_SOMETHING = (StepKind.PERMANENT, StepKind.KEPT, StepKind.BLOCKED)


# --- acting


async def _act(
    looked: list[Looked], world: World, options: UndoOptions, onlooker: Onlooker
) -> tuple[list[StepReport], Halt | None]:
    confirmed: Confirmed = {}
    done: list[StepReport] = []
    for one in looked:
        if why := onlooker.why_stop():
            return done, Halt(one.step.target.action.seq, "interrupted", f"{why} before this call")
        try:
            report = await undo_step(one, world, options, confirmed) if one.step.is_to_do else one.report()
        except Stopped as stopped:
            return [*done, stopped.report], stopped.halt
        done.append(report)
        onlooker.undone(len(done), len(looked))
    return done, None
