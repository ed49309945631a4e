"""Old payloads go, the history stays, and it still fits."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from synartesis.domain.records import Action, Image, Run
from synartesis.domain.status import ActionStatus, ApprovalStatus, ToolClass, Undone
from synartesis.journal import open_history, proof, prune
from synartesis.journal.database import open_database
from synartesis.journal.writes import SqliteJournal
from tests.campaign.grow_journal import grow
from tests.contract.journals import INVERSE, READ, Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench("sqlite", tmp_path)
    yield bench
    bench.close()


def journal_of(bench: Bench) -> SqliteJournal:
    assert isinstance(bench.journal, SqliteJournal)
    return bench.journal


def big(seed: int, size: int = 200_000) -> bytes:
    return b'{"text":"' + Random(seed).randbytes(size // 2).hex().encode() + b'"}'


def wrote(bench: Bench, run: Run, state: bytes) -> Action:
    """A write that found and left a large state."""
    journal = journal_of(bench)
    action = bench.open(run, says=bench.new_id()).action
    bench.do(journal.mark_sent(action.id, resource="r", read=READ, before=Image("present", state), inverse=INVERSE))
    bench.do(journal.mark_applied(action.id, reply=state, after=Image("present", state), inverse=INVERSE))
    return bench.see(action)


def ended(bench: Bench, run: Run) -> Run:
    bench.do(bench.journal.end_run(run.id))
    return run


def prune_all(bench: Bench, *, keep_runs: int = 0, days: int = 30) -> prune.Freed:
    journal = journal_of(bench)
    freed = journal.old_runs(before=bench.time - timedelta(days=days), keep_runs=keep_runs)
    list(journal.prune(freed.runs, by="ada"))
    return freed


def size_of(bench: Bench) -> int:
    (stored,) = journal_of(bench)._connection.execute("SELECT coalesce(sum(length(body)), 0) FROM blobs").fetchone()
    return int(stored)


def test_the_history_of_a_pruned_run_stays_and_fits(bench: Bench) -> None:
    run = bench.agent()
    action = wrote(bench, run, big(1))
    bench.undone(action, ended(bench, bench.undo(run)))
    bench.journal.record_read(bench.new_action(run, tool_class=ToolClass.READONLY), status=ActionStatus.APPLIED)
    before = bench.journal.actions(run.id)
    ended(bench, run)
    bench.later(days=40)

    prune_all(bench)

    after = bench.journal.actions(run.id)
    assert journal_of(bench).first_misfit() is None
    for then, now in zip(before, after, strict=True):
        assert now.pruned
        assert (now.arguments, now.read, now.reply, now.inverse, now.captured) == (b"", None, None, None, None)
        assert (now.tool, now.status, now.undone, now.fingerprint, now.resource, now.note, now.at) == (
            *(then.tool, then.status, then.undone, then.fingerprint, then.resource, then.note, then.at),
        )
    assert after[0].before == Image("present", None)
    assert after[0].undone is Undone.RESTORED


def test_an_undo_is_not_among_the_runs_that_can_be_undone_no_more(bench: Bench) -> None:
    run = bench.agent()
    action = wrote(bench, run, big(1))
    undo = bench.undo(run)
    bench.undone(action, undo)
    ended(bench, undo)
    ended(bench, run)
    bench.later(days=40)

    freed = prune_all(bench)

    assert [(one.id, one.undoable) for one in freed.runs] == [(run.id, False), (undo.id, False)]


def test_what_can_be_proved_of_a_pruned_run_is_proved(bench: Bench) -> None:
    run = ended(bench, bench.agent())
    wrote(bench, run, big(1))
    bench.later(days=40)
    prune_all(bench)
    connection = journal_of(bench)._connection

    connection.execute("UPDATE actions SET resource = 'another'")
    misfit = journal_of(bench).first_misfit()

    assert misfit is not None
    assert "not what stands in the journal" in misfit.why


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ("UPDATE events SET salt = NULL WHERE action IS NOT NULL", "no entry says that they were pruned"),
        ("UPDATE actions SET arguments = ''", "not what stands in the journal"),
    ],
)
def test_payloads_that_are_gone_without_an_entry_show(bench: Bench, edit: str, why: str) -> None:
    bench.applied(bench.agent())
    journal_of(bench)._connection.execute(edit)

    misfit = journal_of(bench).first_misfit()

    assert misfit is not None
    assert why in misfit.why


def test_a_payload_that_stands_again_where_it_was_pruned_shows(bench: Bench) -> None:
    run = ended(bench, bench.agent())
    bench.applied(run)
    bench.later(days=40)
    prune_all(bench)
    journal_of(bench)._connection.execute("UPDATE outcomes SET reply = x'7b7d'")

    misfit = journal_of(bench).first_misfit()

    assert misfit is not None
    assert "was pruned" in misfit.why


def test_payloads_that_a_newer_run_shares_stay(bench: Bench) -> None:
    old, new = bench.agent(), bench.agent()
    wrote(bench, old, big(1))
    wrote(bench, ended(bench, old), big(2))
    bench.later(days=40)
    kept = wrote(bench, new, big(1))

    prune_all(bench)

    assert bench.see(kept).reply == big(1)
    assert journal_of(bench).first_misfit() is None


def test_what_it_says_it_would_free_is_what_it_frees(bench: Bench) -> None:
    old, new = bench.agent(), bench.agent()
    for state in (big(1), big(2)):
        wrote(bench, old, state)
    ended(bench, old)
    wrote(bench, new, big(1))
    bench.later(days=40)
    before = size_of(bench)

    freed = prune_all(bench)

    inline = freed.payload_bytes - (before - size_of(bench))
    assert 0 < inline < 2000, "the small payloads stood in the rows"
    assert [(run.id, run.undoable) for run in freed.runs] == [(old.id, True)]


def test_space_returns_to_the_system_while_a_proxy_goes_on(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    old, new = bench.agent(), bench.agent()
    for seed in range(20):
        wrote(bench, old, big(seed))
    ended(bench, old)
    bench.later(days=40)
    journal_of(bench)._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.stat().st_size

    with open_history(path, now=bench.now) as history:
        freed = history.old_runs(before=bench.time - timedelta(days=30), keep_runs=0)
        for number, _ in enumerate(history.prune(freed.runs, by="ada")):
            wrote(bench, new, big(number % 3))  # another connection, between two steps

    assert all(action.reply is not None for action in bench.journal.actions(new.id))
    assert journal_of(bench).first_misfit() is None
    assert path.stat().st_size < before / 3
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA freelist_count").fetchone() == (0,)


def test_what_it_says_it_would_free_of_small_payloads_is_what_the_file_shrinks_by(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    grow(path, runs=100, actions=60)
    before = path.stat().st_size

    with open_history(path) as history:
        freed = history.old_runs(before=history.now(), keep_runs=30)
        list(history.prune(freed.runs, by="ada"))
        assert history.first_misfit() is None

    assert before - path.stat().st_size > 0.9 * freed.payload_bytes
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_journal_that_is_written_and_pruned_while_it_is_verified_fits(bench: Bench) -> None:
    path = Path(journal_of(bench).path)
    grow(path, runs=20, actions=100)
    shares: list[float] = []
    sent: list[Action] = []

    def meanwhile(share: float) -> None:
        if not shares:
            with open_history(path) as other:
                list(other.prune(other.old_runs(before=other.now(), keep_runs=0).runs, by="ada"))
        elif share > proof.CHAIN_SHARE and not sent:
            run = bench.agent()
            bench.grant(bench.hold(run))
            again = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE).action
            sent.append(bench.send(again))
        shares.append(share)

    with open_history(path) as history:
        assert history.first_misfit(meanwhile) is None
        assert history.first_misfit() is None

    assert shares == sorted(shares)
    assert sent


def test_runs_that_are_young_alive_kept_or_waited_for_are_left_alone(bench: Bench) -> None:
    alive, waiting, old, kept = (bench.agent() for _ in range(4))
    for run in (alive, waiting, old, kept):
        bench.applied(run)
    bench.hold(waiting)
    for run in (waiting, old, kept):
        ended(bench, run)
    bench.later(days=29)
    assert prune_all(bench).runs == ()
    bench.later(days=2)
    young = bench.agent()

    freed = prune_all(bench, keep_runs=2)

    assert [run.id for run in freed.runs] == [old.id]
    assert bench.see(bench.journal.actions(kept.id)[0]).inverse == INVERSE
    assert prune_all(bench, keep_runs=2).runs == (), "there is nothing left to do"
    assert young.id


def test_a_run_whose_proxy_died_is_as_old_as_its_last_call(bench: Bench) -> None:
    died = bench.agent()
    bench.later(days=20)
    bench.applied(died)
    bench.end_process_of(died)
    bench.later(days=20)
    assert prune_all(bench).runs == ()
    bench.later(days=11)

    assert [run.id for run in prune_all(bench).runs] == [died.id]


def test_what_was_interrupted_is_finished_by_the_next_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prune, "ACTIONS_AT_A_TIME", 1)
    run = bench.agent()
    for seed in range(3):
        wrote(bench, run, big(seed))
    ended(bench, run)
    bench.later(days=40)
    journal = journal_of(bench)
    freed = journal.old_runs(before=bench.time, keep_runs=0)
    next(journal.prune(freed.runs, by="ada"))
    assert [action.pruned for action in journal.actions(run.id)] == [True, False, False]
    assert journal.first_misfit() is None

    prune_all(bench)

    assert all(action.pruned for action in journal.actions(run.id))
    assert size_of(bench) == 0
    assert journal.first_misfit() is None


def test_a_run_of_an_older_format_can_be_pruned(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "journal.db"
    past = Path(__file__).parents[2] / "corpus" / "journals" / "format-1.db.gz"
    path.write_bytes(gzip.decompress(past.read_bytes()))
    open_database(str(path)).close()

    with open_history(path) as history:
        for request in history.approvals([ApprovalStatus.WAITING]):
            assert history.decide(request.id, grant=False, by="ada", reason="") is not None
        freed = history.old_runs(before=history._now(), keep_runs=0)
        list(history.prune(freed.runs, by="ada"))

        assert len(freed.runs) == 3
        assert all(action.pruned for run in history.runs() for action in history.actions(run.run.id))
        assert history.first_misfit() is None
