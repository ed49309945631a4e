"""An unknown outcome: read what is there now over the servers of the run's manifest, and record what a person decides."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synartesis.workspace.undoing import policy_for, refuse_other_servers

if TYPE_CHECKING:
    from synartesis.domain.ports import Upstream
    from synartesis.domain.records import Action, Run
    from synartesis.journal.writes import SqliteJournal
    from synartesis.policy.manifest import Manifest
    from synartesis.undo.heard import Told
    from synartesis.undo.settle import Decision, Settling
    from synartesis.workspace.ordering import Person


def look_and_settle(
    path: Path,
    action: Action,
    run: Run,
    *,
    manifest: Path | None,
    opened_by: Run,
    result: tuple[Any] | None,
    decide: Callable[[Settling], Decision | None],
    start_servers: bool = False,
    person: Person | None = None,
) -> Action:
    """Look, show what was found to `decide`, and record its answer; None decides nothing. Returns the action as it then is.
    `result` holds what the call returned, where that is known. While the run's own proxy is alive, that looks; see
    `run_undo` for the last two."""
    import asyncio

    from synartesis.journal import open_journal
    from synartesis.relay.connect import connect
    from synartesis.relay.log import Log
    from synartesis.undo.settle import look_at, settle_action
    from synartesis.workspace.asking import variables_for

    policy = policy_for(run, manifest)

    async def settle(journal: SqliteJournal, heard: Told | None) -> None:
        if heard is not None:
            return await judge(journal, heard)
        variables = variables_for(policy.manifest)
        async with connect(
            policy.manifest, era=opened_by.era, opening=opened_by.opening, log=Log("warning"), variables=variables
        ) as connection:
            return await judge(journal, connection)

    async def judge(journal: SqliteJournal, upstream: Upstream) -> None:
        settling = await look_at(
            action,
            upstream=upstream,
            policy=policy,
            history=journal,
            result=None if result is None else result[0],
            has_result=result is not None,
        )
        decision = decide(settling)
        if decision is not None:
            await settle_action(settling, decision, journal=journal)

    with closing(open_journal(path)) as journal:
        refuse_other_servers(run, [action], policy.manifest)
        heard = None
        if not start_servers:
            heard = _heard_by_its_proxy(journal, action, run, policy.manifest, result, person)
        asyncio.run(settle(journal, heard))
        return journal.action(action.id) or action


def _heard_by_its_proxy(
    journal: SqliteJournal,
    action: Action,
    run: Run,
    manifest: Manifest,
    result: tuple[Any] | None,
    person: Person | None,
) -> Told | None:
    """What the reads say over the servers that the run has used. None where its proxy is gone, or does not read and whoever
    asked wants it done otherwise."""
    from synartesis.domain.canonical import decode_json, encode_json
    from synartesis.domain.records import NewOrder
    from synartesis.relay.turns import RandomIds
    from synartesis.undo.heard import Told
    from synartesis.undo.onlooker import NOBODY
    from synartesis.workspace.ordering import hand_over, living_proxy

    proxy = living_proxy(run, journal)
    if proxy is None:
        return None
    said = encode_json(list(result or ()))
    order = NewOrder(RandomIds().new_id(), proxy.id, "look", action.id, str(manifest.path), said, "")
    done = hand_over(journal, order, proxy, read=lambda said: Told(decode_json(said)), onlooker=NOBODY)
    if isinstance(done, Told):
        return done
    if done is not None and person is not None:
        person.unanswered(done)
    return None
