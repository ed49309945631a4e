"""Whatever is changed in the journal by hand, in any row of any table, `verify` notices; what it does not is said here, and
in docs/journal.md.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.records import Asking, ProcessId
from synartesis.domain.status import ActionStatus, Era, ToolClass, Undone
from synartesis.journal import proof
from synartesis.journal.writes import SqliteJournal
from tests.contract.journals import CAPTURED, READ, Bench

LARGE = b'{"x":"' + b"a long answer " * 1000 + b'"}'
IN_PARTS = b'{"x":"' + b"".join(b"%d of a very long answer, " % line for line in range(4600)) + b'"}'

NOT_COVERED = {
    (
        "approvals",
        "attempts",
    ): "how often a call was repeated is not written into the history, which an agent could fill so",
    ("approvals", "asked_in"): "as above: the run that repeated it last",
    (
        "approvals",
        "asked_by",
    ): "by whom a request was last asked, of which nothing follows but whether it is asked anew",
    ("approvals", "asker"): "as above, until somebody decides: the decision is for that name, and covers it",
    (
        "events",
        "salt",
    ): "of an entry that a later one has taken the place of: what it recorded then is not there any more",
    **{
        (
            "server_processes",
            column,
        ): "of which nothing follows but whether a call without an answer may still be under way"
        for column in ("number", "process", "server", "pid", "started")
    },
    ("blobs", "number"): "where a payload stands among the others says nothing",
}

Cell = tuple[str, str, int, Any]
"""Table, column, row, and what stands there."""


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A journal in which everything has happened."""
    bench = Bench("sqlite", tmp_path)
    journal = bench.journal
    assert isinstance(journal, SqliteJournal)
    try:
        let_everything_happen(bench, journal)
        journal._connection.execute("PRAGMA foreign_keys = OFF")
        yield journal._connection
    finally:
        bench.close()


def let_everything_happen(bench: Bench, journal: SqliteJournal) -> None:
    run = bench.agent()
    journal.server_started("crm", ProcessId(501, "then"), by=run.process)
    journal.server_started("files", ProcessId(502, "then"), by=run.process)
    bench.do(journal.record_opening(run.id, Era.HANDSHAKE, b'{"opening":1}', "a client 1.0"))
    bench.do(journal.record_opening(run.id, Era.HANDSHAKE, b'{"opening":2}', "a client 1.1"))
    for status in ActionStatus:
        bench.in_status(status, run)
        bench.later(minutes=1)
    paused = bench.in_status(ActionStatus.PAUSED, run)
    bench.send(paused)
    bench.do(journal.mark_applied(paused.id, reply=LARGE, after=None, inverse=None, note="a note"))
    made = bench.in_status(ActionStatus.SENT, run)
    bench.do(journal.mark_applied(made.id, reply=IN_PARTS, after=None, inverse=None, resource="late", read=READ))
    journal.set_approver("a key", by="ada")
    decide(bench, journal, run)
    journal.record_read(bench.new_action(run, tool_class=ToolClass.READONLY), status=ActionStatus.APPLIED)
    undo_and_redo(bench, run)
    freeze = journal.freeze(by="ada", reason="strange things")
    journal.resume(freeze.id, by="grace")
    gone = bench.agent()
    bench.applied(gone)
    bench.end_process_of(gone)
    journal.close_run(gone.id)
    bench.do(journal.end_run(run.id))
    bench.agent()
    bench.later(minutes=1)
    journal.freeze(by="ada", reason="again")


def decide(bench: Bench, journal: SqliteJournal, run: Any) -> None:
    """Requests that wait, were granted, used, given back, denied, and answered by an allowance that was taken back."""
    opened = bench.open(run, says="send it", tool="send_email", tool_class=ToolClass.IRREVERSIBLE)
    asked = bench.do(journal.hold(opened.action.id, why="why", asking=Asking("", CAPTURED, "a note")))
    other = bench.open(run, says="send another", tool="send_email", tool_class=ToolClass.IRREVERSIBLE)
    bench.do(journal.hold(other.action.id, why="why", asking=Asking()))
    bench.grant(asked, more=2)
    bench.do(journal.mark_failed(bench.open(run, says="send it", tool="send_email").action.id, why="gave it back"))
    bench.send(bench.open(run, says="send it", tool="send_email", tool_class=ToolClass.IRREVERSIBLE).action)
    allowed = bench.open(run, says="send another", tool="send_email", tool_class=ToolClass.IRREVERSIBLE)
    assert allowed.allowance is not None
    bench.send(allowed.action, allowance=allowed.allowance.number)
    bench.deny(asked)
    bench.deny(bench.hold(run, says="no"))
    bench.grant(bench.hold(run, says="yes"))
    bench.grant(bench.hold(run, says="yes, and it is about to be sent"))
    bench.open(run, says="yes, and it is about to be sent", tool_class=ToolClass.IRREVERSIBLE)
    bench.hold(run, says="wait")


def undo_and_redo(bench: Bench, run: Any) -> None:
    action, again = bench.applied(run), bench.applied(run)
    bench.undone(bench.undone(action, bench.undo(run)), bench.undo(run))
    bench.undone(again, undo := bench.undo(run))
    bench.find(action, Undone.ALREADY, undo=undo)


def others(cell: Cell, column: Iterable[Any]) -> Iterator[Any]:
    """What could stand there instead: what stands in other rows, and what is a little different."""
    value = cell[3]
    yield from [each for each in dict.fromkeys(column) if each != value][:3]
    match value:
        case None:
            yield from (7, "x")
        case int():
            yield from (value + 1, None)
        case str():
            yield from (f"{value}x", "", None)
        case bytes():
            yield from (value + b"x", value[:-1] + bytes((value[-1] ^ 1,)) if value else b"y", None)
        case _:
            raise AssertionError(value)


def cells(connection: sqlite3.Connection) -> Iterator[tuple[Cell, list[Any]]]:
    """Every cell but those of rows of the same status in which the same stands."""
    for (table,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ):
        columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
        status = "status" if "status" in columns else "NULL"
        for column in columns:
            rows = connection.execute(f"SELECT rowid, {column}, {status} FROM {table} ORDER BY rowid").fetchall()
            different = {(value, said): number for number, value, said in rows}
            for (value, _), number in different.items():
                yield (table, column, number, value), [each for _, each, _ in rows]


def is_noticed(connection: sqlite3.Connection, cell: Cell, value: Any) -> bool:
    """True too where the database does not take it."""
    table, column, row, _ = cell
    connection.execute("SAVEPOINT edit")
    try:
        connection.execute(f"UPDATE {table} SET {column} = :value WHERE rowid = :row", {"value": value, "row": row})
        edited = connection.execute(f"SELECT 1 FROM {table} WHERE rowid = :row", {"row": row}).fetchone()
        same = connection.execute(f"SELECT {column} FROM {table} WHERE rowid = :row", {"row": row}).fetchone() == (
            cell[3],
        )
        return (edited is not None and same) or proof.first_misfit(connection) is not None
    except sqlite3.IntegrityError:
        return True
    finally:
        connection.execute("ROLLBACK TO edit")
        connection.execute("RELEASE edit")


def test_whatever_cell_is_changed_verify_notices(connection: sqlite3.Connection) -> None:
    assert proof.first_misfit(connection) is None
    every, unnoticed, seen = 0, [], set()
    for cell, column in cells(connection):
        if cell[:2] in NOT_COVERED:
            continue
        for value in others(cell, column):
            every += 1
            if not is_noticed(connection, cell, value):
                unnoticed.append(f"{cell[0]}.{cell[1]} of row {cell[2]}: {cell[3]!r:.60} -> {value!r:.60}")
            seen.add(cell[:2])

    assert not unnoticed, "\n".join(unnoticed)
    assert every > 3000
    assert len({table for table, _ in seen}) == 13


def test_what_is_not_covered_is_known(connection: sqlite3.Connection) -> None:
    unnoticed = {
        cell[:2]
        for cell, column in cells(connection)
        if cell[:2] in NOT_COVERED and not all(is_noticed(connection, cell, value) for value in others(cell, column))
    }

    assert unnoticed == set(NOT_COVERED)


def test_whatever_row_is_taken_away_verify_notices(connection: sqlite3.Connection) -> None:
    unnoticed = []
    for (table,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ):
        for (row,) in connection.execute(f"SELECT rowid FROM {table}").fetchall():
            connection.execute("SAVEPOINT edit")
            connection.execute(f"DELETE FROM {table} WHERE rowid = :row", {"row": row})
            if proof.first_misfit(connection) is None:
                unnoticed.append(table)
            connection.execute("ROLLBACK TO edit")
            connection.execute("RELEASE edit")

    assert unnoticed == ["server_processes"] * 2
