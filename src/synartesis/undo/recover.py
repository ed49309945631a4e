"""What a dead process left behind, made honest before an undo begins: rows that say `sent` in a process that is gone become
`unknown`, and inverses that an earlier undo sent without hearing back are settled by what reading shows."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final, Protocol

from synartesis.domain.calls import Observation
from synartesis.domain.ports import Decisions, History, Journal, StaleAction
from synartesis.domain.records import Action
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus, RunStatus, Undone
from synartesis.guard.capture import image_of
from synartesis.undo.links import in_effect
from synartesis.undo.report import Verdict

NOTHING_OF_IT: Final = "settled by reading: what it was to change is as it was before"
"""That it was not made is not what a read shows: somebody may have set the thing back."""


class Record(History, Decisions, Protocol):
    """The journal as an undo reads it."""


def family_of(run: str, record: History) -> list[str]:
    """The run itself, the run that it undoes, and the undo runs of it: those that act on the same actions."""
    summary = record.run(run)
    above = [] if summary is None or summary.run.undoes is None else [summary.run.undoes]
    below = {inverse.run for action in record.actions(run) for inverse in record.inverses_of(action.id)}
    return [run, *above, *sorted(below)]


def close_what_died(family: Iterable[str], record: Record) -> None:
    """Close the runs whose process is gone without saying so."""
    for one in family:
        summary = record.run(one)
        if summary is not None and summary.status is RunStatus.ABANDONED:
            record.close_run(one)


async def settle_by_reading(
    action: Action, verdict: Verdict | None, *, seen: Observation, record: History, journal: Journal
) -> None:
    """The world has been read (`seen`): it shows whether an unanswered inverse took effect, and whether the call itself ever
    did. Where it shows neither, nothing is settled and the claim of that inverse keeps it from being sent twice."""
    with suppress(StaleAction):  # another undo, at the same moment, has settled it by what it read
        await _settle(action, verdict, seen=seen, record=record, journal=journal)


async def _settle(
    action: Action, verdict: Verdict | None, *, seen: Observation, record: History, journal: Journal
) -> None:
    inverses = record.inverses_of(action.id)
    for inverse in inverses:
        if inverse.status not in MAY_HAVE_HAPPENED:
            continue
        if verdict is Verdict.ALREADY_UNDONE:
            await journal.mark_applied(
                inverse.id,
                reply=None,
                after=image_of(seen),
                inverse=inverse.inverse,
                note="settled by reading: what it was to put back is there",
            )
        elif verdict is Verdict.UNCHANGED:
            await journal.mark_failed(inverse.id, why=NOTHING_OF_IT)
    if verdict is not Verdict.ALREADY_UNDONE or action.status not in MAY_HAVE_HAPPENED:
        return
    if not any(inverse.status in _MADE for inverse in inverses):
        await journal.mark_failed(action.id, why=NOTHING_OF_IT)


_MADE = MAY_HAVE_HAPPENED | {ActionStatus.APPLIED}


def failed_attempts(action: Action, record: History) -> list[Action]:
    """Inverses that were made and did not restore the state. Another one may be tried, never the same again."""
    if action.undone is not Undone.MISMATCH:
        return []
    return in_effect(action, record)
