"""What whoever watches is told: each event once, in order, with the names of what it is about."""

from __future__ import annotations

import asyncio
from pathlib import Path

from synartesis.domain.records import NewAction, NewRun, ProcessId
from synartesis.domain.status import Era, RunKind, ToolClass
from synartesis.journal import open_history, open_journal

RUN = NewRun("0123456789ab", RunKind.AGENT, "", "/m.yaml", "abc", (("crm", "id"),), ProcessId(1, "then"))
ASKED = NewAction("ffffffffffff", RUN.id, "crm", "id", "send_email", b"{}", ToolClass.IRREVERSIBLE, "fingerprint")


async def a_held_call(path: Path) -> None:
    journal = open_journal(path)
    await journal.open_run(RUN)
    for told in (b"{}", b'{"roots":[]}'):
        await journal.record_opening(RUN.id, Era.HANDSHAKE, told, "a client")
    await journal.open_action(ASKED)
    await journal.hold(ASKED.id, why="cannot be taken back")
    await journal.end_run(RUN.id)
    journal.close()


def test_events_are_told_in_order_and_a_client_comes_only_once(tmp_path: Path) -> None:
    asyncio.run(a_held_call(tmp_path / "journal.db"))

    with open_history(tmp_path / "journal.db") as history:
        told = history.happenings(after=0)
        later = history.happenings(after=told[2].number)
        last, nothing = history.last_number(), history.happenings(after=history.last_number())
        at, never = history.last_call(RUN.id), history.last_call("no such run")

    assert [event.kind for event in told] == ["run-started", "run-opened", "held", "asked", "run-ended"]
    asked = told[3]
    assert (asked.run, asked.seq, asked.server, asked.tool, asked.action) == (RUN.id, 1, "crm", "send_email", ASKED.id)
    assert told[1].who == "a client"
    assert later == told[3:]
    assert (last, nothing) == (told[-1].number, [])
    assert (at is not None, never) == (True, None)


def test_the_version_moves_when_somebody_else_writes_and_not_otherwise(tmp_path: Path) -> None:
    asyncio.run(a_held_call(tmp_path / "journal.db"))

    with open_history(tmp_path / "journal.db") as history:
        before = history.version()
        history.runs()
        still = history.version()
        with open_history(tmp_path / "journal.db") as other:
            assert other.decide(ASKED.id, grant=True, by="ada", reason="") is not None
        after = history.version()

    assert before == still
    assert after != before
