"""One journal, many processes: starting at once, in each other's way, and killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import synartesis
from synartesis.domain.records import Image, NewAction, NewRun
from synartesis.domain.status import ActionStatus, ApprovalStatus, RunKind, RunStatus, ToolClass
from synartesis.errors import JournalUnavailable
from synartesis.journal import commits, liveness, open_history, open_journal, proof, tail
from synartesis.journal.writes import SqliteJournal

RUN = NewRun("0123456789ab", RunKind.AGENT, "a client", "/m.yaml", "abc", (), liveness.this_process())

PROXY = """
import asyncio, sys
from pathlib import Path
from synartesis.domain.records import Image, NewAction, NewRun
from synartesis.domain.status import ActionStatus, RunKind, ToolClass
from synartesis.journal import liveness, open_journal

path, number = Path(sys.argv[1]), int(sys.argv[2])
run = f"{number:012x}"

def action(at, tool_class):
    return NewAction(f"{number:04x}{at:08x}", run, "crm", "id", "tool", b"{}", tool_class, f"{number} {at}")

async def main(calls):
    journal = open_journal(path)
    await journal.open_run(NewRun(run, RunKind.AGENT, "a", "/m", "d", (), liveness.this_process()))
    for at in range(0, calls, 2):
        call = action(at, ToolClass.REVERSIBLE)
        await journal.open_action(call)
        await journal.mark_sent(call.id, resource="r", read=None, before=Image("present", b"1"), inverse=None)
        await journal.mark_applied(call.id, reply=b"{}", after=None, inverse=None)
        journal.record_read(action(at + 1, ToolClass.READONLY), status=ActionStatus.APPLIED)
    await journal.end_run(run)
    journal.close()
"""
AND_GO = PROXY + "\nprint('ready', flush=True); sys.stdin.readline(); asyncio.run(main(int(sys.argv[3])))\n"
AND_STOP = (
    PROXY
    + """
async def stop_after_sending():
    journal = open_journal(path)
    await journal.open_run(NewRun(run, RunKind.AGENT, "a", "/m", "d", (), liveness.this_process()))
    call, waits = action(0, ToolClass.REVERSIBLE), action(1, ToolClass.IRREVERSIBLE)
    await journal.open_action(call)
    await journal.mark_sent(call.id, resource="r", read=None, before=Image("present", b"before"), inverse=None)
    await journal.open_action(waits)
    print('sent', flush=True)
    sys.stdin.readline()

asyncio.run(stop_after_sending())
"""
)


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(synartesis.__file__).parent.parent)},
    )


def test_sixteen_processes_start_on_a_journal_that_is_not_there_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "home" / "journal.db"
    proxies = [start(AND_GO, path, number, 10) for number in range(16)]
    for proxy in proxies:
        assert proxy.stdout is not None
        assert proxy.stdout.readline() == "ready\n"
    for proxy in proxies:
        assert proxy.stdin is not None
        proxy.stdin.write("go\n")
        proxy.stdin.flush()
    told = [proxy.communicate()[1] for proxy in proxies]

    assert "".join(told) == ""
    with open_history(path) as history:
        runs = history.runs()
        assert [(run.status, run.actions) for run in runs] == [(RunStatus.COMPLETE, 10)] * 16
        for run in runs:
            assert [action.seq for action in history.actions(run.run.id)] == list(range(1, 11))
        assert proof.first_misfit(history._connection) is None


def test_a_call_that_was_sent_is_in_the_journal_after_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    proxy = start(AND_STOP, path, 7)
    assert proxy.stdout is not None
    assert proxy.stdout.readline() == "sent\n"
    with open_history(path) as history:
        assert [run.status for run in history.runs()] == [RunStatus.ACTIVE]

    proxy.send_signal(signal.SIGKILL)
    proxy.communicate()

    with open_history(path) as history:
        (run,) = history.runs()
        assert (run.status, run.unknown) == (RunStatus.ABANDONED, 1)
        sent = history.actions(run.run.id)[0]
        assert (sent.status, sent.before) == (ActionStatus.SENT, Image("present", b"before"))
        assert history.close_run(run.run.id)
        assert history.actions(run.run.id)[0].status is ActionStatus.UNKNOWN


@pytest.fixture
def journal(tmp_path: Path) -> SqliteJournal:
    return open_journal(tmp_path / "journal.db")


def new(number: int, tool_class: ToolClass = ToolClass.REVERSIBLE) -> NewAction:
    return NewAction(f"{number:012x}", RUN.id, "crm", "id", "tool", b"{}", tool_class, f"fingerprint {number}")


def lock(path: str) -> sqlite3.Connection:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return other


def test_a_write_waits_for_a_lock_and_lets_everything_else_go_on(journal: SqliteJournal) -> None:
    async def story() -> None:
        await journal.open_run(RUN)
        other = lock(journal.path)
        await journal.open_action(new(1))  # binds nobody, so it waits for nobody
        sending = asyncio.create_task(journal.mark_sent(new(1).id, resource=None, read=None, before=None, inverse=None))
        for _ in range(20):  # the loop turns, and the write still waits
            await asyncio.sleep(0)
        assert not sending.done()
        other.execute("ROLLBACK")
        other.close()
        await sending

    asyncio.run(story())
    (action,) = journal.actions(RUN.id)
    assert action.status is ActionStatus.SENT
    journal.close()


def test_a_write_that_is_cancelled_while_it_waits_leaves_nothing(journal: SqliteJournal) -> None:
    async def story() -> None:
        await journal.open_run(RUN)
        await journal.open_action(new(1))
        other = lock(journal.path)
        sending = asyncio.create_task(journal.mark_sent(new(1).id, resource=None, read=None, before=None, inverse=None))
        await asyncio.sleep(0)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        other.execute("ROLLBACK")
        other.close()
        await journal.mark_failed(new(1).id, why="cancelled")

    asyncio.run(story())
    assert [action.status for action in journal.actions(RUN.id)] == [ActionStatus.FAILED]
    journal.close()


def test_a_lock_that_is_never_let_go_is_an_error_and_not_a_hang(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commits, "PATIENCE_S", 0.0)

    async def story() -> None:
        await journal.open_run(RUN)
        other = lock(journal.path)
        with pytest.raises(JournalUnavailable, match="held by another process"):
            await journal.end_run(RUN.id)
        other.execute("ROLLBACK")
        other.close()

    asyncio.run(story())
    journal.close()


async def after_the_next_flush() -> None:
    """Set off after the timer of the tail, so it goes off after it."""
    gone_off = asyncio.Event()
    asyncio.get_running_loop().call_later(tail.FLUSH_AFTER_S, gone_off.set)
    await gone_off.wait()


def test_what_waits_in_the_tail_reaches_the_disk_by_itself(journal: SqliteJournal) -> None:
    async def story() -> list[tuple[int]]:
        await journal.open_run(RUN)
        other = lock(journal.path)
        journal.record_read(new(1, ToolClass.READONLY), status=ActionStatus.APPLIED)
        await after_the_next_flush()
        assert journal._tail, "another process holds the lock"
        other.execute("ROLLBACK")
        await after_the_next_flush()
        written = other.execute("SELECT count(*) FROM actions").fetchall()
        other.close()
        return written

    assert asyncio.run(story()) == [(1,)]
    journal.close()


def test_a_tail_that_cannot_be_written_is_reported_by_the_next_call(journal: SqliteJournal) -> None:
    async def story() -> None:
        await journal.open_run(RUN)
        journal._connection.execute("PRAGMA query_only = ON")
        journal.record_read(new(1, ToolClass.READONLY), status=ActionStatus.APPLIED)
        await after_the_next_flush()
        with pytest.raises(JournalUnavailable, match="cannot be written"):
            await journal.open_action(new(2))
        journal._connection.execute("PRAGMA query_only = OFF")
        await journal.open_action(new(2))

    asyncio.run(story())
    assert [action.seq for action in journal.actions(RUN.id)] == [1, 2]
    journal.close()


def test_two_processes_that_open_the_same_granted_call_share_nothing(tmp_path: Path) -> None:
    first, second = (open_journal(tmp_path / "journal.db") for _ in range(2))
    other_run = RUN._replace(id="ba9876543210")

    async def story() -> list[ApprovalStatus | None]:
        await first.open_run(RUN)
        await second.open_run(other_run)
        await first.open_action(new(1))
        await first.hold(new(1).id, why="why")
        assert second.decide(new(1).id, grant=True, by="ada", reason="") is not None
        again = [new(2)._replace(fingerprint=new(1).fingerprint), new(3)._replace(fingerprint=new(1).fingerprint)]
        opened = [await first.open_action(again[0]), await second.open_action(again[1]._replace(run=other_run.id))]
        return [each.approval and each.approval.status for each in opened]

    assert asyncio.run(story()) == [ApprovalStatus.RESERVED, None]
    first.close()
    second.close()
