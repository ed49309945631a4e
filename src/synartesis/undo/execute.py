"""The undo of a run: plan it, look at everything, and only then act, one step after the other."""

from __future__ import annotations

from collections.abc import Callable

from synartesis.domain.calls import Observation
from synartesis.domain.ports import Clock, Ids, Journal, Upstream
from synartesis.domain.records import NewRun
from synartesis.errors import SynartesisError, UsageError
from synartesis.policy.matching import Policy
from synartesis.undo.look import Looked, look
from synartesis.undo.plan import Step, UndoOptions, plan_steps, target_of
from synartesis.undo.recover import Record, close_what_died
from synartesis.undo.replan import replanner
from synartesis.undo.report import Halt, Report, StepKind, StepReport
from synartesis.undo.step import Stopped, World, undo_step


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
    before_sending: Callable[[Report], None] | None = None,
    progress: Callable[[StepReport], None] | None = None,
) -> Report:
    """Undo one run, or say why not. Nothing is sent unless every step that matters was looked at first.

    `policy` is needed for `--replan` only. `undo_run` is opened in the journal when the first step is about to be done.
    `before_sending` is shown the plan and may raise to stop everything. Raises UsageError for a seq that the run does not
    have, and SynartesisError where another undo of this run is under way.
    """
    world = World(history, journal, upstream, clock, ids, undo_run)
    if (other := history.live_undo_of(run)) is not None:
        raise SynartesisError(
            f"run {run} is being undone right now by {' '.join(other.agent.split()) or 'somebody'} (undo run {other.id})",
            hint="wait until it has ended, then look at the run again",
        )
    close_what_died(run, history)
    steps = _plan(run, history, policy, options)
    looked = await look(steps, options, history=history, upstream=upstream)
    preview = _report(run, None, [one.report() for one in looked], _first_halt(looked), dry_run=options.dry_run)
    to_do = _up_to_the_first_halt(looked)
    if options.dry_run or (preview.halted is not None and not options.as_far_as_possible) or not _any(to_do):
        return preview
    if before_sending is not None:
        before_sending(preview)
    await journal.open_run(undo_run)
    try:
        done, halted = await _act(to_do, world, options, progress)
    finally:
        await journal.end_run(undo_run.id)
    rest = [one.report() for one in looked[len(done) :]]
    return _report(run, undo_run.id, [*done, *rest], halted or preview.halted, dry_run=False)


# --- before anything is sent


def _plan(run: str, history: Record, policy: Policy | None, options: UndoOptions) -> list[Step]:
    actions = history.actions(run)
    known = {action.seq for action in actions}
    _refuse_unknown_seq("--to", [] if options.to is None else [options.to], known, run)
    _refuse_unknown_seq("--unchecked", sorted(options.unchecked), known, run)
    make_target = replanner(policy) if options.replan and policy is not None else target_of
    return plan_steps(actions, options, make_target)


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


def _report(run: str, undo_run: str | None, steps: list[StepReport], halted: Halt | None, *, dry_run: bool) -> Report:
    """Totals never round up: one step that stays as the agent left it makes the run partial."""
    if halted is not None:
        return Report(run, undo_run, dry_run, "stopped", tuple(steps), halted)
    left = any(step.kind in _LEAVES_SOMETHING for step in steps)
    return Report(run, undo_run, dry_run, "partial" if left else "undone", tuple(steps))


_LEAVES_SOMETHING = (StepKind.PERMANENT, StepKind.KEPT, StepKind.BLOCKED)


# --- acting


async def _act(
    looked: list[Looked], world: World, options: UndoOptions, progress: Callable[[StepReport], None] | None
) -> tuple[list[StepReport], Halt | None]:
    confirmed: dict[tuple[str, str], Observation] = {}
    """What each resource was confirmed to be after the last step on it: what the next older step must find."""
    done: list[StepReport] = []
    for one in looked:
        try:
            report = await undo_step(one, world, options, confirmed) if one.step.is_to_do else one.report()
        except Stopped as stopped:
            return [*done, stopped.report], stopped.halt
        done.append(report)
        if progress is not None:
            progress(report)
    return done, None
