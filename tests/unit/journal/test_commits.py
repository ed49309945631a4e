"""Calls that are under way together are committed together; and none has to answer for another."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from synartesis.domain.ports import StaleAction
from synartesis.domain.records import Image, NewAction, NewRun, Read
from synartesis.domain.status import ActionStatus, RunKind, ToolClass
from synartesis.errors import JournalUnavailable
from synartesis.journal import commits, liveness, open_journal, proof
from synartesis.journal.writes import SqliteJournal
from tests.sim.journals import in_sqlite
from tests.sim.simulation import Simulation

READ = Read("crm", "get", b"{}", b"{}")
RUN = NewRun("0123456789ab", RunKind.AGENT, "a client", "/m.yaml", "abc", (), liveness.this_process())


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    journal = open_journal(tmp_path / "journal.db")
    yield journal
    assert proof.first_misfit(journal._connection) is None
    journal.close()


def call(number: int) -> NewAction:
    return NewAction(
        f"{number:012x}", RUN.id, "crm", "id", "tool", b"{}", ToolClass.REVERSIBLE, f"fingerprint {number}"
    )


async def send(journal: SqliteJournal, number: int) -> None:
    await journal.mark_sent(call(number).id, resource=None, read=None, before=None, inverse=None)


async def opened(journal: SqliteJournal, count: int) -> list[asyncio.Task[None]]:
    """So many calls, about to be sent in the same turn of the loop."""
    await journal.open_run(RUN)
    for number in range(count):
        await journal.open_action(call(number))
    return [asyncio.create_task(send(journal, number)) for number in range(count)]


def statuses(journal: SqliteJournal) -> list[ActionStatus]:
    return [action.status for action in journal.actions(RUN.id)]


def test_calls_that_are_sent_in_one_turn_share_one_transaction_that_outlives_a_power_cut(
    journal: SqliteJournal,
) -> None:
    said: list[str] = []

    async def story() -> None:
        sending = await opened(journal, 20)
        journal._connection.set_trace_callback(said.append)
        await asyncio.gather(*sending)
        journal._connection.set_trace_callback(None)

    asyncio.run(story())
    assert said[0] == "PRAGMA synchronous = FULL"
    assert said.count("COMMIT") == 1
    assert statuses(journal) == [ActionStatus.SENT] * 20
    assert [action.seq for action in journal.actions(RUN.id)] == list(range(1, 21))


def test_a_guarded_write_is_two_commits_and_the_one_before_it_leaves_outlives_a_power_cut() -> None:
    with in_sqlite() as journals:
        sim = Simulation(journals)
        agent = sim.start_agent()
        assert isinstance(agent.journal, SqliteJournal)
        said: list[str] = []
        agent.journal._connection.set_trace_callback(said.append)

        write = sim.until(sim.call(agent, "set_item", {"id": "c1", "plan": "free"}), "before upstream.call a write")
        before, modes = said.count("COMMIT"), [each for each in said if "synchronous" in each]
        sim.finish(write)

        assert (before, modes) == (1, ["PRAGMA synchronous = FULL"])
        assert said.count("COMMIT") == 2
        assert [row.status for row in agent.journal.actions(agent.runs[0])] == [ActionStatus.APPLIED]
        sim.close()


def test_a_call_that_is_alone_does_not_wait_for_the_loop_to_turn(journal: SqliteJournal) -> None:
    async def story() -> None:
        await journal.open_run(RUN)
        await journal.open_action(call(1))
        with pytest.raises(StopIteration):
            send(journal, 1).send(None)

    asyncio.run(story())
    assert statuses(journal) == [ActionStatus.SENT]


def test_whoever_is_told_that_a_call_is_recorded_finds_it_on_the_disk(journal: SqliteJournal) -> None:
    async def story() -> list[ActionStatus]:
        sending = await opened(journal, 3)
        await sending[1]
        other = sqlite3.connect(journal.path)
        (status,) = other.execute("SELECT status FROM actions WHERE id = :id", {"id": call(1).id}).fetchone()
        other.close()
        await asyncio.gather(*sending)
        return [status]

    assert asyncio.run(story()) == ["sent"]


def test_what_is_wrong_with_one_is_nothing_to_the_others(journal: SqliteJournal) -> None:
    async def story() -> list[object]:
        sending = await opened(journal, 4)
        sending[1:1] = [asyncio.create_task(send(journal, 99)), asyncio.create_task(send(journal, 2))]
        return list(await asyncio.gather(*sending, return_exceptions=True))

    outcomes = asyncio.run(story())
    assert [type(outcome) for outcome in outcomes].count(StaleAction) == 2
    assert outcomes.count(None) == 4
    assert statuses(journal) == [ActionStatus.SENT] * 4


def test_outcomes_and_calls_to_send_meet_in_one_transaction(journal: SqliteJournal) -> None:
    said: list[str] = []

    async def story() -> None:
        await asyncio.gather(*await opened(journal, 3))
        await journal.open_action(call(3))
        journal._connection.set_trace_callback(said.append)
        await asyncio.gather(
            journal.mark_applied(call(0).id, reply=b"{}", after=None, inverse=None),
            journal.mark_unknown(call(1).id, why="lost"),
            send(journal, 3),
        )
        journal._connection.set_trace_callback(None)

    asyncio.run(story())
    assert said.count("COMMIT") == 1
    assert statuses(journal) == [ActionStatus.APPLIED, ActionStatus.UNKNOWN, ActionStatus.SENT, ActionStatus.SENT]


def test_a_call_that_is_cancelled_before_the_commit_is_not_in_it(journal: SqliteJournal) -> None:
    async def story() -> None:
        sending = await opened(journal, 3)
        await asyncio.sleep(0)  # each has asked
        sending[1].cancel()
        await asyncio.gather(*sending, return_exceptions=True)
        await journal.give_up(call(1).id, why="cancelled")

    asyncio.run(story())
    assert statuses(journal) == [ActionStatus.SENT, ActionStatus.FAILED, ActionStatus.SENT]


def test_a_cancellation_after_the_commit_comes_too_late(journal: SqliteJournal) -> None:
    """Otherwise the row says that the call left, and whoever was cancelled says that it did not."""

    async def story() -> bool:
        sending = await opened(journal, 2)
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0)  # each has asked, and the commit comes next
        loop.call_soon(sending[1].cancel)
        await asyncio.gather(*sending)
        return any(task.cancelled() for task in sending)

    assert asyncio.run(story()) is False
    assert statuses(journal) == [ActionStatus.SENT] * 2


def test_calls_that_meet_a_lock_wait_together_and_go_on_together(journal: SqliteJournal) -> None:
    async def story() -> None:
        sending = await opened(journal, 5)
        other = sqlite3.connect(journal.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for _ in range(20):
            await asyncio.sleep(0)
        assert not any(task.done() for task in sending)
        other.execute("ROLLBACK")
        other.close()
        await asyncio.gather(*sending)

    asyncio.run(story())
    assert statuses(journal) == [ActionStatus.SENT] * 5


def test_calls_that_meet_a_lock_that_is_never_let_go_are_all_told(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commits, "PATIENCE_S", 0.0)

    async def story() -> list[object]:
        sending = await opened(journal, 3)
        other = sqlite3.connect(journal.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        outcomes = await asyncio.gather(*sending, return_exceptions=True)
        other.close()
        return list(outcomes)

    outcomes = asyncio.run(story())
    assert [type(outcome) for outcome in outcomes] == [JournalUnavailable] * 3
    assert statuses(journal) == [ActionStatus.RECORDED] * 3


def test_the_loop_turns_and_the_lock_is_free_while_a_large_payload_is_packed(journal: SqliteJournal) -> None:
    before = Image("present", Random(1).randbytes(1_500_000).hex().encode())

    async def story() -> int:
        await journal.open_run(RUN)
        await journal.open_action(call(1))
        sending = asyncio.create_task(
            journal.mark_sent(call(1).id, resource=None, read=READ, before=before, inverse=None)
        )
        turns = 0
        with closing(sqlite3.connect(journal.path, isolation_level=None, timeout=0)) as other:
            while not sending.done():
                other.execute("BEGIN IMMEDIATE")
                other.execute("ROLLBACK")
                turns += 1
                await asyncio.sleep(0)
        await journal.mark_applied(call(1).id, reply=before.answer, after=before, inverse=None)
        return turns

    turns = asyncio.run(story())
    (action,) = journal.actions(RUN.id)
    assert (action.before, action.after, action.reply) == (before, before, before.answer)
    assert turns > 2
