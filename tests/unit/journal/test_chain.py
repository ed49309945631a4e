"""The history: whoever edits it, or what it speaks of, is found out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.records import Asking
from synartesis.domain.status import ActionStatus, ToolClass, Undone
from synartesis.journal import chain, proof
from synartesis.journal.writes import SqliteJournal
from tests.contract.journals import CAPTURED, READ, Bench

LARGE = b'{"x":"' + b"a long answer " * 1000 + b'"}'


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A journal in which everything has happened once."""
    bench = Bench("sqlite", tmp_path)
    journal = bench.journal
    assert isinstance(journal, SqliteJournal)
    run = bench.agent()
    for status in ActionStatus:
        bench.in_status(status, run)
    paused = bench.in_status(ActionStatus.PAUSED, run)
    bench.send(paused)
    bench.do(journal.mark_applied(paused.id, reply=LARGE, after=None, inverse=None, note="a note"))
    journal.set_approver("a key", by="ada")
    opened = bench.open(run, says="send it")
    asked = bench.do(journal.hold(opened.action.id, why="why", asking=Asking("", CAPTURED, "a note")))
    bench.grant(asked, more=2)
    bench.do(journal.mark_failed(bench.open(run, says="send it").action.id, why="gave it back"))
    made = bench.in_status(ActionStatus.SENT, run)
    bench.do(journal.mark_applied(made.id, reply=b"{}", after=None, inverse=None, resource="late", read=READ))
    journal.record_read(bench.new_action(run, tool_class=ToolClass.READONLY), status=ActionStatus.APPLIED)
    action = bench.applied(run)
    bench.undone(bench.undone(action, bench.undo(run)), bench.undo(run))
    bench.find(action, Undone.ALREADY, undo=run)
    bench.end_process_of(run)
    journal.close_run(run.id)
    yield journal._connection
    bench.close()


def test_an_untouched_journal_fits(connection: sqlite3.Connection) -> None:
    assert proof.first_misfit(connection) is None
    assert connection.execute("SELECT count(*) FROM events").fetchone()[0] > 40


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ("DELETE FROM events WHERE number = 5", "missing"),
        ("UPDATE events SET who = 'somebody else' WHERE kind = 'granted'", "does not continue"),
        ("UPDATE approvals SET decided_by = 'somebody else'", "not what stands in the journal"),
        ("UPDATE approvers SET public = 'another key'", "not what stands in the journal"),
        ("UPDATE allowances SET uses = 1000", "not what stands in the journal"),
        ("UPDATE approvals SET says = 'all is well'", "not what stands in the journal"),
        ("UPDATE events SET at = '2020-01-01T00:00:00.000000Z' WHERE number = 7", "does not continue"),
        ("UPDATE events SET salt = x'00' WHERE number = 5", "not what stands in the journal"),
        ("UPDATE actions SET arguments = x'7b7d' WHERE seq = 3", "not what stands in the journal"),
        ("UPDATE actions SET before_answer = NULL WHERE status = 'unknown'", "not what stands in the journal"),
        ("UPDATE actions SET arguments = x'7b7d' WHERE note = 'a note'", "not what stands in the journal"),
        ("UPDATE actions SET arguments = x'7b7d' WHERE resource = 'late'", "not what stands in the journal"),
        ("UPDATE actions SET resource = 'another' WHERE resource = 'late'", "not what stands in the journal"),
        ("UPDATE actions SET captured_answer = x'00' WHERE status = 'unknown'", "not what stands in the journal"),
        ("UPDATE actions SET captured_read = NULL WHERE status = 'unknown'", "not what stands in the journal"),
        ("UPDATE outcomes SET after_state = 'absent' WHERE after_state = 'present'", "not what stands in the journal"),
        ("UPDATE approvals SET why = 'harmless'", "not what stands in the journal"),
        ("UPDATE findings SET undone = 'restored' WHERE undone = 'already'", "not what stands in the journal"),
        ("UPDATE runs SET manifest = '/other.yaml' WHERE number = 1", "not what stands in the journal"),
        ("UPDATE blobs SET body = zeroblob(9), encoding = 'plain'", "payload"),
    ],
)
def test_an_edit_shows(connection: sqlite3.Connection, edit: str, why: str) -> None:
    connection.execute("PRAGMA foreign_keys = OFF")
    assert connection.execute(edit).rowcount > 0

    misfit = proof.first_misfit(connection)

    assert misfit is not None
    assert why in misfit[1]


VALUE = st.none() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=5) | st.binary(max_size=5)


@given(st.lists(VALUE, max_size=4), st.lists(VALUE, max_size=4))
def test_no_two_lists_of_values_are_spelled_alike(a: list[chain.Value], b: list[chain.Value]) -> None:
    assert (chain.spell(a) == chain.spell(b)) == (a == b)
