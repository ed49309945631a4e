"""An unknown outcome: read what is there now over the servers of the run's manifest, and record what a person decides."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synartesis.workspace.undoing import policy_for, refuse_other_servers

if TYPE_CHECKING:
    from synartesis.domain.records import Action, Run
    from synartesis.journal.writes import SqliteJournal
    from synartesis.undo.settle import Decision, Settling


def look_and_settle(
    path: Path,
    action: Action,
    run: Run,
    *,
    manifest: Path | None,
    opened_by: Run,
    result: tuple[Any] | None,
    decide: Callable[[Settling], Decision | None],
) -> Action:
    """Look, show what was found to `decide`, and record its answer; None decides nothing. Returns the action as it then is.
    `result` holds what the call returned, where that is known."""
    import asyncio

    from synartesis.journal import open_journal
    from synartesis.relay.connect import connect
    from synartesis.relay.log import Log
    from synartesis.undo.settle import look_at, settle_action
    from synartesis.workspace.asking import variables_for

    policy = policy_for(run, manifest)

    async def settle(journal: SqliteJournal) -> None:
        variables = variables_for(policy.manifest)
        async with connect(
            policy.manifest, era=opened_by.era, opening=opened_by.opening, log=Log("warning"), variables=variables
        ) as connection:
            settling = await look_at(
                action,
                upstream=connection,
                policy=policy,
                result=None if result is None else result[0],
                has_result=result is not None,
            )
        decision = decide(settling)
        if decision is not None:
            await settle_action(settling, decision, journal=journal)

    with closing(open_journal(path)) as journal:
        refuse_other_servers(run, [action], policy.manifest)
        asyncio.run(settle(journal))
        return journal.action(action.id) or action
