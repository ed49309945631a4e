"""What a dead process left behind, made honest before an undo begins: rows that say `sent` in a process that is gone become
`unknown`, and inverses that an earlier undo sent without hearing back are settled by what reading shows."""

from __future__ import annotations

from typing import Protocol

from synartesis.domain.calls import InversePlan
from synartesis.domain.canonical import decode_json, same_json
from synartesis.domain.ports import Decisions, History, Journal
from synartesis.domain.records import Action
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus, RunStatus, Undone
from synartesis.undo.report import Verdict


class Record(History, Decisions, Protocol):
    """The journal as an undo reads it."""


def close_what_died(run: str, record: Record) -> None:
    """Close the run itself, and earlier undos of it, where their process is gone without saying so."""
    for one in {run, *_undo_runs_of(run, record)}:
        summary = record.run(one)
        if summary is not None and summary.status is RunStatus.ABANDONED:
            record.close_run(one)


async def settle_earlier_inverses(
    action: Action, verdict: Verdict | None, *, record: History, journal: Journal
) -> None:
    """The world has been read: it shows whether an unanswered inverse took effect. Where it shows neither, nothing is
    settled and the claim of that inverse keeps it from being sent twice."""
    for inverse in record.inverses_of(action.id):
        if inverse.status not in MAY_HAVE_HAPPENED:
            continue
        if verdict is Verdict.ALREADY_UNDONE:
            await journal.mark_applied(
                inverse.id, reply=None, after=action.before, inverse=None, note="settled by reading: it took effect"
            )
        elif verdict is Verdict.UNCHANGED:
            await journal.mark_failed(inverse.id, why="settled by reading: it never took effect")


def failed_attempts(action: Action, record: History) -> list[Action]:
    """Inverses that were made and did not restore the state. Another one may be tried, never the same again."""
    if action.undone is not Undone.MISMATCH:
        return []
    return [inverse for inverse in record.inverses_of(action.id) if inverse.status is ActionStatus.APPLIED]


def made_already(plan: InversePlan, number: int, action: Action, record: History) -> bool:
    """Whether an earlier undo made this call, and was answered. After an attempt that failed, what counts is the literal
    call; before that, its place: the steps of an inverse may be alike."""
    failed = failed_attempts(action, record)
    if failed:
        return any(_is_call(inverse, plan) for inverse in failed)
    return any(
        inverse.undoes_step == number and inverse.status is ActionStatus.APPLIED
        for inverse in record.inverses_of(action.id)
    )


def first_free_step(action: Action, record: History) -> int:
    """Where the steps of a new attempt are counted from: the steps of the failed ones stay claimed."""
    return max((inverse.undoes_step + 1 for inverse in failed_attempts(action, record)), default=0)


def _is_call(inverse: Action, plan: InversePlan) -> bool:
    call = plan.call
    return (inverse.server, inverse.tool) == call.tool and same_json(decode_json(inverse.arguments), call.arguments)


def _undo_runs_of(run: str, record: History) -> set[str]:
    return {inverse.run for action in record.actions(run) for inverse in record.inverses_of(action.id)}
