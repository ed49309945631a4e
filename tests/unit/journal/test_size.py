"""What a look and a call take does not depend on how much is in the journal: counted in steps of SQLite's own machine, which are
the same on every computer. tests/campaign/grow_journal.py makes a journal of a million calls, to be timed.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from synartesis.domain.records import Image, NewAction, NewRun
from synartesis.domain.status import ActionStatus, ApprovalStatus, RunKind, ToolClass
from synartesis.journal import liveness, open_history, open_journal
from synartesis.journal.reads import SqliteHistory
from synartesis.journal.writes import SqliteJournal
from tests.campaign.grow_journal import IDENTITY, grow

LITTLE, MUCH = 5, 400
MORE_BY = 1.5

RUN = NewRun("0123456789ab", RunKind.AGENT, "cursor 0.42", "/m.yaml", "abc", (), liveness.this_process())


def steps(connection: sqlite3.Connection, do: Callable[[], object]) -> int:
    count = 0

    def one_more() -> None:
        nonlocal count
        count += 1

    connection.set_progress_handler(one_more, 1)
    do()
    connection.set_progress_handler(None, 1)
    return count


def looking(history: SqliteHistory) -> dict[str, int]:
    newest = history.runs(limit=1)[0].run.id
    last = history.actions(newest)[0]
    looks: dict[str, Callable[[], object]] = {
        "list": lambda: history.runs(limit=5),
        "show": lambda: [history.run(newest), history.actions(newest), history.live_undo_of(newest)],
        "gates": lambda: history.approvals([ApprovalStatus.WAITING]),
        "watch": lambda: history.happenings(after=history.last_number() - 5),
        "allowances": history.allowances,
        "undo": lambda: [history.inverses_of(last.id), history.changed_later(IDENTITY, "r", last.id)],
        "an id": lambda: history.find("action", "0123"),
    }
    return {name: steps(history._connection, look) for name, look in looks.items()}


def calling(journal: SqliteJournal) -> dict[str, int]:
    def call(number: int, tool_class: ToolClass = ToolClass.REVERSIBLE) -> NewAction:
        return NewAction(f"{number:012x}", RUN.id, "crm", IDENTITY, "tool", b"{}", tool_class, f"said {number}")

    async def write() -> None:
        await journal.open_action(call(1))
        await journal.made_before(call(1).id)
        await journal.mark_sent(call(1).id, resource="r", read=None, before=Image("present", b"{}"), inverse=None)
        await journal.mark_applied(call(1).id, reply=b"{}", after=None, inverse=None)

    async def ask() -> None:
        await journal.open_action(call(2, ToolClass.IRREVERSIBLE))
        await journal.hold(call(2).id, why="why")

    async def read() -> None:
        journal.record_read(call(3, ToolClass.READONLY), status=ActionStatus.APPLIED)
        journal.actions(RUN.id)

    asyncio.run(journal.open_run(RUN))
    kinds = {"a write": write, "a request": ask, "a read": read}
    return {name: steps(journal._connection, lambda kind=kind: asyncio.run(kind())) for name, kind in kinds.items()}  # type: ignore[misc]


def measured(path: Path, *, runs: int, proxies_were_killed: bool) -> dict[str, int]:
    grow(path, runs=runs, actions=10)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE approvals SET status = 'denied'")
        if proxies_were_killed:
            connection.execute("UPDATE runs SET ended_at = NULL")
    journal = open_journal(path)
    calls = calling(journal)
    journal.close()
    with open_history(path) as history:
        assert len(history.approvals([ApprovalStatus.WAITING])) == 1
        return calls | looking(history)


@pytest.mark.parametrize("proxies_were_killed", [False, True], ids=["ended", "killed"])
def test_what_a_look_and_a_call_take_does_not_grow_with_the_journal(tmp_path: Path, proxies_were_killed: bool) -> None:
    little = measured(tmp_path / "little.db", runs=LITTLE, proxies_were_killed=proxies_were_killed)
    much = measured(tmp_path / "much.db", runs=MUCH, proxies_were_killed=proxies_were_killed)

    assert {name: (little[name], much[name]) for name in little if much[name] > MORE_BY * little[name]} == {}
