"""The file as a database: opened, created or brought up to date, with the settings that the rest relies on; and what
its errors mean. Knows no table but those of the schema file."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from typing import TypeVar

from synartesis.errors import JournalUnavailable
from synartesis.journal import migrations
from synartesis.journal.look import APPLICATION_ID, FORMAT, damaged, look, make_private, place_of, uri
from synartesis.journal.migrations import statements

T = TypeVar("T")

PATIENCE_S = 10.0
"""How long a plain command waits for a lock."""
SHRINK_TO_BYTES = 4 << 20
"""What the write-ahead file may keep after its content has gone into the journal."""
STATEMENTS = 256
"""More than there are different statements, so that none is ever prepared twice."""


def open_database(path: str) -> sqlite3.Connection:
    """Open a journal to write in, creating it (0600, in a 0700 folder) where there is none. Raises JournalUnavailable;
    a file that is not a usable journal is then bit for bit what it was."""
    path = place_of(path)
    found = look(path, thorough=True)
    if found.format is not None and found.format < FORMAT:
        _need_room_for_copy(path, found.format)
    make_private(path)
    try:
        with _opening(path, "mode=rw") as connection:
            if found.format is None:
                patiently(lambda: _create(connection))
            elif found.format < FORMAT:
                patiently(lambda: migrate(connection, path, migrations.MIGRATIONS, to=FORMAT))
            patiently(lambda: _settings(connection))
    except sqlite3.Error as error:
        raise unavailable(error, path) from error
    return connection


def _need_room_for_copy(path: str, version: int) -> None:
    """Asked before anything is touched: SQLite leaves files behind where it finds no room."""
    needed = 2 * os.path.getsize(path) + ROOM_BYTES  # the copy, and what changes, before it goes into the journal
    if _free_bytes(path) < needed:
        raise JournalUnavailable(
            f"the journal {path} has format {version} and cannot be brought up to date: the disk is full; it was left as it is",
            hint=f"make room on the disk ({-(-needed // 1_000_000)} MB), then try again",
        )


def open_again(path: str) -> sqlite3.Connection:
    """Another connection of this process to a journal that it has open. It does not look at the file as `open_database` does:
    closing any descriptor of a file ends every lock that the process has on it (POSIX), and then another process takes
    the write-ahead file away under us. SQLite itself keeps its descriptors for that reason. Raises JournalUnavailable."""
    try:
        with _opening(path, "mode=rw") as connection:
            patiently(lambda: _settings(connection))
    except sqlite3.Error as error:
        raise unavailable(error, path) from error
    return connection


def open_for_reading(path: str) -> sqlite3.Connection:
    """Open a journal to look into it and, where its folder can be written, to decide. Creates nothing.
    Raises JournalUnavailable."""
    path = place_of(path)
    if not os.path.exists(path):
        raise JournalUnavailable(
            f"there is no journal at {path}", hint="name it with --journal, or start a proxy: it makes one"
        )
    found = look(path, thorough=False)
    if found.format is None:
        return empty_database()
    if found.format < FORMAT:
        return open_database(path)
    try:
        try:
            return _read_by(path, _way_to_read(path))
        except sqlite3.OperationalError:
            if not is_full(path) or not _is_in_one_file(path):
                raise
            return _read_by(path, "mode=ro&immutable=1")  # no room for the files beside it, so nobody has them open
    except sqlite3.Error as error:
        raise unavailable(error, path) from error


def _read_by(path: str, way: str) -> sqlite3.Connection:
    with _opening(path, way) as connection:
        patiently(lambda: connection.execute("SELECT 1 FROM runs LIMIT 1").fetchone())
        connection.execute("PRAGMA foreign_keys = ON")
    return connection


@contextmanager
def _opening(path: str, parameters: str) -> Iterator[sqlite3.Connection]:
    """A connection that is left open only where everything that it is prepared with succeeds."""
    connection = _connect(path, parameters)
    try:
        yield connection
    except BaseException:
        connection.close()
        raise


def _way_to_read(path: str) -> str:
    folder = os.path.dirname(path)
    if os.access(path, os.W_OK) and os.access(folder, os.W_OK):
        return "mode=rw"
    wal, index = path + "-wal", path + "-shm"
    if _is_in_one_file(path):
        return "mode=ro&immutable=1"  # and nobody can be writing
    if os.access(wal, os.R_OK) and os.access(index, os.R_OK):
        return "mode=ro"
    raise JournalUnavailable(
        f"the newest records of {path} are in {wal}, which cannot be read without writing {index}",
        hint=f"make {folder} writable, or copy the journal together with its -wal file into a folder that is",
    )


def _is_in_one_file(path: str) -> bool:
    try:
        return os.path.getsize(path + "-wal") == 0
    except OSError:
        return True


def _connect(path: str, parameters: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri(path, parameters), uri=True, timeout=0, isolation_level=None, cached_statements=STATEMENTS
    )
    connection.execute(
        "PRAGMA fullfsync = ON"
    )  # on macOS fsync alone leaves it in the memory of the disk; else without effect
    return connection


def empty_database() -> sqlite3.Connection:
    """A journal in memory in which nothing has happened."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    _create(connection)
    return connection


def _create(connection: sqlite3.Connection) -> None:
    """Make the tables, unless another process just did: several first starts at the same instant are normal."""
    connection.execute("BEGIN")
    try:
        # Has to be said before there is a page, and writes the first one itself: outside of this transaction others would
        # see a database that is nobody's.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        (owner,) = connection.execute("PRAGMA application_id").fetchone()
        if owner != APPLICATION_ID:
            for statement in statements(_schema()):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        roll_back(connection)
        raise


def _schema() -> str:
    with open(os.path.join(os.path.dirname(__file__), "schema.sql"), encoding="utf-8") as file:
        return file.read()


def migrate(connection: sqlite3.Connection, path: str, steps: Mapping[int, Callable[..., None]], *, to: int) -> None:
    """Bring an older journal up to date in one transaction, after putting a copy beside it. Raises JournalUnavailable
    where a proxy is at work on it, which would go on to write what it knows."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version < to:
            _refuse_while_in_use(connection, path, version)
            _copy(path, f"{path}.format-{version}")
        for step in range(version, to):
            steps[step](connection)
            connection.execute(f"PRAGMA user_version = {step + 1}")
        connection.execute("COMMIT")
    except BaseException:
        roll_back(connection)
        raise


def _refuse_while_in_use(connection: sqlite3.Connection, path: str, version: int) -> None:
    pids = migrations.proxies_on(connection)
    if pids:
        raise JournalUnavailable(
            f"the journal {path} has format {version} and is used by a proxy of an older version (process {pids[0]});"
            " it was left as it is",
            hint="end that proxy (quit the client that started it), then try again",
        )


def _copy(path: str, to: str) -> None:
    """The whole journal, what stands in its write-ahead file included. There is a whole copy or none, and an earlier one stays
    until then."""
    unfinished = f"{to}.unfinished"
    try:
        make_private(unfinished)
        with closing(_connect(path, "mode=rw")) as source, closing(_connect(unfinished, "mode=rw")) as target:
            source.backup(target)
        os.replace(unfinished, to)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished)
        raise


def _settings(connection: sqlite3.Connection) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise sqlite3.OperationalError(f"its disk does not support a write-ahead log (it offers {mode!r})")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA journal_size_limit = {SHRINK_TO_BYTES}")


def roll_back(connection: sqlite3.Connection) -> None:
    """End a transaction with nothing done; a full disk may have ended it already."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


# --- waiting, and what errors mean


def patiently(attempt: Callable[[], T]) -> T:
    """Try until no other process holds the lock; for plain commands, which have nothing else to do meanwhile.
    Raises sqlite3.Error: the last one where patience ended."""
    deadline = time.monotonic() + PATIENCE_S
    pause = 0.001
    while True:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another process is in the way, and trying again will help."""
    return _primary(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def unavailable(error: sqlite3.Error, path: str) -> JournalUnavailable:
    """What an error of SQLite means to a person."""
    code = _primary(error)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged(path, str(error))
    if code in _WHEN_FULL and is_full(path):
        code = sqlite3.SQLITE_FULL
    what, hint = _MEANINGS.get(code, (f"cannot be used: {error}", ""))
    return JournalUnavailable(f"the journal {path} {what}", hint=hint)


_WHEN_FULL = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
"""What SQLite says where there is no room for the files that it needs beside the journal."""
ROOM_BYTES = 64 << 10


def is_full(path: str) -> bool:
    """Whether the disk that a journal is on has no room for the files beside it."""
    return _free_bytes(path) < ROOM_BYTES


def _free_bytes(path: str) -> int:
    """As many as there can be, where the system does not say."""
    try:
        free = os.statvfs(os.path.dirname(path) or ".")
    except OSError:
        return sys.maxsize
    return free.f_bavail * free.f_frsize


def _primary(error: sqlite3.Error) -> int:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


_MEANINGS = {
    sqlite3.SQLITE_BUSY: (
        "is held by another process that does not let go",
        "end the program that has it open (a database shell, a backup), then try again",
    ),
    sqlite3.SQLITE_FULL: ("cannot grow: the disk is full", "make room on the disk, then try again"),
    sqlite3.SQLITE_READONLY: ("cannot be written", "make the file and its folder writable"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "make the file and its folder readable and writable"),
    sqlite3.SQLITE_IOERR: (
        "cannot be read or written: the disk reports an error",
        "check the disk; a journal has to be on a local one",
    ),
}
_MEANINGS[sqlite3.SQLITE_LOCKED] = _MEANINGS[sqlite3.SQLITE_BUSY]
