"""What the journal does to files: its own, and those that are none of its business."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import os
import sqlite3
import stat
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from synartesis.domain.records import NewAction, NewRun, ProcessId
from synartesis.domain.status import ApprovalStatus, RunKind, ToolClass
from synartesis.errors import JournalUnavailable
from synartesis.journal import open_history, open_journal, proof
from synartesis.journal.database import migrate, open_database, open_for_reading
from synartesis.journal.look import FORMAT
from synartesis.journal.migrations import MIGRATIONS

PAST = Path(__file__).parents[2] / "corpus" / "journals"
"""A journal of each past format in which everything has happened once, and what it said."""
RUN = NewRun("0123456789ab", RunKind.AGENT, "a client", "/m.yaml", "abc", (), ProcessId(1, "then"))

ASKED = NewAction("ffffffffffff", RUN.id, "crm", "id", "send_email", b"{}", ToolClass.IRREVERSIBLE, "fingerprint")


def write_a_run(path: Path) -> None:
    journal = open_journal(path)
    asyncio.run(journal.open_run(RUN))
    journal.close()


def write_a_request(path: Path) -> None:
    async def ask() -> None:
        await journal.open_run(RUN)
        await journal.open_action(ASKED)
        await journal.hold(ASKED.id, why="cannot be taken back")

    journal = open_journal(path)
    asyncio.run(ask())
    journal.close()


def ids_in(path: Path) -> list[str]:
    with open_history(path) as history:
        return [summary.run.id for summary in history.runs()]


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


# --- who may read it


@pytest.mark.parametrize("mask", [0o022, 0o000, 0o777], ids=["usual", "open", "shut"])
def test_nobody_else_can_read_a_journal_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "home" / "deep" / "journal.db"
    with umask(mask):
        journal = open_journal(path)
        asyncio.run(journal.open_run(RUN))
        modes = {each.name: mode_of(each) for each in path.parent.iterdir()}
        journal.close()

    assert modes == {"journal.db": 0o600, "journal.db-wal": 0o600, "journal.db-shm": 0o600}
    assert (mode_of(path.parent), mode_of(path.parent.parent)) == (0o700, 0o700)


def test_a_journal_that_others_can_read_is_tightened_and_its_old_folder_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "project" / "journal.db"
    path.parent.mkdir(mode=0o755)
    write_a_run(path)
    path.chmod(0o644)

    open_journal(path).close()

    assert mode_of(path) == 0o600
    assert mode_of(path.parent) == 0o755


# --- what is not ours


def make_newer(path: Path) -> None:
    write_a_run(path)
    connection = sqlite3.connect(path)
    connection.execute("ALTER TABLE runs ADD COLUMN mood TEXT")
    connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    connection.close()


def make_foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.commit()
    connection.close()


def make_text(path: Path) -> None:
    path.write_text("milk, eggs, flour\n" * 20, encoding="utf-8")


def make_short(path: Path) -> None:
    write_a_run(path)
    path.write_bytes(path.read_bytes()[:100])


def make_stump(path: Path) -> None:
    write_a_run(path)
    path.write_bytes(path.read_bytes()[:40])


def make_half(path: Path) -> None:
    write_a_run(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])


def make_page_damaged(path: Path) -> None:
    write_a_run(path)
    whole = bytearray(path.read_bytes())
    whole[2 * 4096 : 3 * 4096] = b"\xff" * 4096
    path.write_bytes(whole)


@pytest.mark.parametrize("opens", [open_journal, open_history], ids=["to write", "to read"])
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (make_newer, "newer version"),
        (make_foreign, "another program"),
        (make_text, "not a journal"),
        (make_short, "damaged"),
        (make_stump, "damaged"),
        (make_half, "damaged"),
        (make_page_damaged, "damaged"),
    ],
)
def test_a_file_that_is_no_usable_journal_is_refused_and_left_as_it_is(
    tmp_path: Path, make: Callable[[Path], None], says: str, opens: Callable[[Path], object]
) -> None:
    path = tmp_path / "journal.db"
    make(path)
    path.chmod(0o644)
    before = (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns, mode_of(path))

    with pytest.raises(JournalUnavailable) as told:
        opens(path)

    assert says in told.value.message
    assert str(path) in told.value.message
    assert told.value.hint
    assert before == (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns, mode_of(path))
    assert os.listdir(tmp_path) == ["journal.db"]


def test_an_empty_file_is_a_fresh_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.touch()

    assert ids_in(path) == []
    assert path.stat().st_size == 0, "looking changes nothing"
    write_a_run(path)

    assert ids_in(path) == [RUN.id]


def test_looking_at_a_journal_that_is_not_there_makes_none(tmp_path: Path) -> None:
    with pytest.raises(JournalUnavailable, match="no journal at"):
        open_history(tmp_path / "none" / "journal.db")

    assert list(tmp_path.iterdir()) == []


def test_an_older_journal_is_brought_up_to_date_after_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_a_run(path)
    connection = open_database(str(path))

    def step(it: sqlite3.Connection) -> None:
        it.execute("ALTER TABLE runs ADD COLUMN mood TEXT")

    migrate(connection, str(path), {FORMAT: step}, to=FORMAT + 1)

    assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT + 1,)
    assert connection.execute("SELECT id, mood FROM runs").fetchall() == [(RUN.id, None)]
    connection.close()
    copy = tmp_path / f"journal.db.format-{FORMAT}"
    assert ids_in(copy) == [RUN.id]
    assert mode_of(copy) == 0o600


def keep_of(folder: Path, version: int) -> Path:
    """The journal that is kept of a past format, as it was written then."""
    path = folder / "journal.db"
    path.write_bytes(gzip.decompress((PAST / f"format-{version}.db.gz").read_bytes()))
    return path


@pytest.mark.parametrize("version", range(1, FORMAT))
def test_a_journal_of_a_past_format_is_read_as_it_was_then(tmp_path: Path, version: int) -> None:
    path = keep_of(tmp_path, version)
    original = path.read_bytes()
    then = json.loads((PAST / f"format-{version}.json").read_text(encoding="utf-8"))

    with open_history(path, now=lambda: datetime(2026, 3, 1, 12, tzinfo=UTC)) as history:
        runs = history.runs()
        actions = [action for each in runs for action in history.actions(each.run.id)]
        now: dict[str, list[NamedTuple]] = {
            "runs": list(runs),
            "actions": list(actions),
            "approvals": list(history.approvals(list(ApprovalStatus))),
            "findings": [finding for action in actions for finding in history.findings_of(action.id)],
        }
        assert proof.first_misfit(history._connection) is None

    for kind, rows in then.items():
        assert known_then(plain(now[kind]), rows) == rows
    copy = tmp_path / f"journal.db.format-{version}"
    assert mode_of(copy) == 0o600
    with closing(sqlite3.connect(copy)) as kept, closing(sqlite3.connect(":memory:")) as before:
        before.deserialize(as_rollback(original))
        assert list(kept.iterdump()) == list(before.iterdump())


def plain(value: Any) -> Any:
    """A record as JSON can say it."""
    match value:
        case bytes():
            return value.decode("latin-1")
        case Enum():
            return value.value
        case tuple() if hasattr(value, "_asdict"):
            return {key: plain(each) for key, each in value._asdict().items()}
        case tuple() | list():
            return [plain(each) for each in value]
        case _:
            return value


def known_then(now: Any, then: Any) -> Any:
    """A record without what it has come to hold since."""
    match then:
        case dict():
            return {key: known_then(now[key], old) for key, old in then.items()}
        case list():
            return [known_then(new, old) for new, old in zip(now, then, strict=True)]
        case _:
            return now


def as_rollback(database: bytes) -> bytes:
    """In memory there is no write-ahead log: the header must not ask for one."""
    return database[:18] + bytes((1, 1)) + database[20:]


@pytest.mark.parametrize("version", range(1, FORMAT))
def test_a_journal_of_a_past_format_becomes_what_a_new_one_is(tmp_path: Path, version: int) -> None:
    path = keep_of(tmp_path, version)
    new = tmp_path / "new.db"
    for each in (path, new):
        open_database(str(each)).close()

    with closing(sqlite3.connect(path)) as brought_up, closing(sqlite3.connect(new)) as made:
        assert tables_of(brought_up) == tables_of(made)
        assert brought_up.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize("version", range(1, FORMAT))
def test_of_many_who_open_a_past_journal_at_the_same_moment_one_brings_it_up_to_date(
    tmp_path: Path, version: int
) -> None:
    path = keep_of(tmp_path, version)
    together = threading.Barrier(8)

    def open_and_look(_: int) -> list[str]:
        together.wait()
        return ids_in(path)

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(open_and_look, range(8)))

    assert seen == [seen[0]] * 8
    assert seen[0]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["journal.db", f"journal.db.format-{version}"]
    with open_history(path) as history:
        assert history.first_misfit() is None


def test_a_journal_that_an_older_proxy_is_at_work_on_is_left_to_it(tmp_path: Path) -> None:
    path = keep_of(tmp_path, 1)
    with closing(sqlite3.connect(path)) as connection:
        parent = os.getppid()
        connection.execute("UPDATE processes SET pid = :pid, started = '' WHERE number = 1", {"pid": parent})
        connection.execute("UPDATE runs SET process = 1, ended_at = NULL WHERE number = 1")
        connection.commit()
    before = path.read_bytes()

    with pytest.raises(JournalUnavailable, match=f"older version .process {parent}") as told:
        open_history(path)

    assert told.value.hint
    assert path.read_bytes() == before
    assert not (tmp_path / "journal.db.format-1").exists()


def tables_of(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Every table and index, with its columns."""
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'index')")]
    columns = "SELECT name FROM pragma_table_info(:name) UNION ALL SELECT name FROM pragma_index_info(:name)"
    return {name: [column for (column,) in connection.execute(columns, {"name": name})] for name in names}


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_a_run(path)
    connection = open_database(str(path))

    def step(it: sqlite3.Connection) -> None:
        it.execute("ALTER TABLE runs ADD COLUMN mood TEXT")
        it.execute("SELECT no_such_column FROM runs")

    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, str(path), {FORMAT: step}, to=FORMAT + 1)
    connection.close()

    assert ids_in(path) == [RUN.id]


@pytest.mark.parametrize("way", [open_database, open_for_reading])
def test_what_is_on_the_disk_is_on_the_disk_on_macos_as_well(
    tmp_path: Path, way: Callable[[str], sqlite3.Connection]
) -> None:
    path = tmp_path / "journal.db"
    write_a_run(path)

    with closing(way(str(path))) as connection:
        assert connection.execute("PRAGMA fullfsync").fetchone() == (1,)


@pytest.mark.parametrize("version", range(1, FORMAT))
def test_a_migration_that_breaks_off_half_way_leaves_a_past_journal_bit_for_bit(tmp_path: Path, version: int) -> None:
    path = keep_of(tmp_path, version)
    before = path.read_bytes()
    connection = sqlite3.connect(path, isolation_level=None)

    def break_off(it: sqlite3.Connection) -> None:
        MIGRATIONS[version](it)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        migrate(connection, str(path), {version: break_off}, to=version + 1)
    connection.close()

    assert path.read_bytes() == before
    with closing(sqlite3.connect(tmp_path / f"journal.db.format-{version}")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)


# --- where there is nowhere to write


def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    with pytest.raises(JournalUnavailable, match="is a folder"):
        open_journal(tmp_path)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    with pytest.raises(JournalUnavailable, match="should be its folder is a file"):
        open_journal(tmp_path / "notes" / "journal.db")
    with pytest.raises(JournalUnavailable, match="should be its folder is a file"):
        open_journal(tmp_path / "notes" / "deep" / "journal.db")


def without_rights(do: Callable[[], str]) -> str:
    """What a process without special rights gets, which tests that run as root are not."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: the child needs none of them
        child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            told = do()
        except BaseException as error:
            told = f"{type(error).__name__}: {error}"
        os.write(writing, told.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as answer:
        told = answer.read()
    os.waitpid(child, 0)
    return told


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder in which nobody may write, and whose files everybody may read."""
    for above in (tmp_path, *tmp_path.parents):
        if above == Path(tempfile.gettempdir()):
            break
        above.chmod(0o755)
    folder = tmp_path / "read-only"
    folder.mkdir()
    yield folder
    folder.chmod(0o755)


def shut(folder: Path) -> None:
    for each in folder.iterdir():
        each.chmod(0o444)
    folder.chmod(0o555)


def test_a_journal_cannot_be_started_where_nobody_may_write(read_only: Path) -> None:
    shut(read_only)

    told = without_rights(lambda: str(open_journal(read_only / "journal.db")))

    assert told == f"JournalUnavailable: the journal {read_only}/journal.db cannot be written: Permission denied"
    assert list(read_only.iterdir()) == []


def test_a_journal_in_a_read_only_folder_can_be_read(read_only: Path) -> None:
    write_a_run(read_only / "journal.db")
    shut(read_only)

    assert without_rights(lambda: ids_in(read_only / "journal.db")[0]) == RUN.id


def test_a_decision_in_a_read_only_folder_says_what_it_needs(read_only: Path) -> None:
    write_a_request(read_only / "journal.db")
    shut(read_only)

    def decide() -> str:
        with open_history(read_only / "journal.db") as history:
            return str(history.decide(ASKED.id, grant=True, by="ada", reason=""))

    assert without_rights(decide) == f"JournalUnavailable: the journal {read_only}/journal.db cannot be written"


def test_a_copy_without_the_index_of_its_newest_records_says_what_it_needs(read_only: Path, tmp_path: Path) -> None:
    journal = open_journal(tmp_path / "journal.db")
    asyncio.run(journal.open_run(RUN))
    for name in ("journal.db", "journal.db-wal"):
        (read_only / name).write_bytes((tmp_path / name).read_bytes())
    journal.close()
    shut(read_only)

    told = without_rights(lambda: ids_in(read_only / "journal.db")[0])

    assert told.startswith(f"JournalUnavailable: the newest records of {read_only}/journal.db are in")


@pytest.mark.parametrize("name", ["a?b", "a#b", "a%20b", "a b", "ü", "file:x", "a'b", 'a"b', "-wal"])
def test_a_journal_may_be_called_anything(tmp_path: Path, name: str) -> None:
    path = tmp_path / name / f"{name}.db"
    write_a_run(path)

    assert ids_in(path) == [RUN.id]
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_journal_may_be_a_link_to_one_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    link, real = tmp_path / "here" / "journal.db", tmp_path / "there" / "real.db"
    link.symlink_to(real)

    journal = open_journal(link)
    asyncio.run(journal.open_run(RUN))
    newest = (real.parent / "real.db-wal").stat().st_size
    seen = ids_in(link)
    journal.close()

    assert newest, "its newest records are beside the real one"
    assert seen == ids_in(real) == [RUN.id]
    assert [each.name for each in link.parent.iterdir()] == ["journal.db"]
    assert mode_of(real) == 0o600


def test_the_newest_records_of_a_link_in_a_folder_that_cannot_be_written_are_not_left_out(
    read_only: Path, tmp_path: Path
) -> None:
    real = tmp_path / "there" / "real.db"
    real.parent.mkdir(mode=0o755)
    journal = open_journal(real)
    asyncio.run(journal.open_run(RUN))
    (read_only / "journal.db").symlink_to(real)
    for each in real.parent.iterdir():
        each.chmod(0o444)
    for folder in (real.parent, read_only):
        folder.chmod(0o555)

    told = without_rights(lambda: str(ids_in(read_only / "journal.db")))
    real.parent.chmod(0o755)
    journal.close()

    assert told == str([RUN.id])


def test_a_journal_that_was_deleted_in_use_is_not_written_any_more(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = open_journal(path)
    asyncio.run(journal.open_run(RUN))
    path.rename(tmp_path / "elsewhere.db")

    with pytest.raises(JournalUnavailable, match="moved, deleted or replaced"):
        asyncio.run(journal.mark_sent("x", resource=None, read=None, before=None, inverse=None))
    journal.close()


# --- the write-ahead file


def test_the_write_ahead_file_shrinks_again_and_goes_when_everybody_has_left(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = open_journal(path)
    wal = tmp_path / "journal.db-wal"
    asyncio.run(journal.open_run(RUN))
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM runs").fetchone()
    for n in range(12):
        asyncio.run(journal.open_run(RUN._replace(id=f"{n:012x}", agent=os.urandom(500_000).hex())))
    grown = wal.stat().st_size
    reader.execute("COMMIT")

    for n in range(3):
        asyncio.run(journal.open_run(RUN._replace(id=f"b{n:011x}")))

    assert grown > 10_000_000
    assert wal.stat().st_size < 5_000_000
    reader.close()
    journal.close()
    assert [each.name for each in tmp_path.iterdir()] == ["journal.db"]
