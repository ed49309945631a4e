"""The journal of a simulation, in memory or in SQLite: opened by each process, lost with it as `kill -9` loses it, and read
by the invariants as it stands on disk.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from synartesis.domain.records import Action, Approval, ProcessId
from synartesis.journal.database import open_database
from synartesis.journal.memory import MemoryJournal
from synartesis.journal.writes import SqliteJournal

AnyJournal: TypeAlias = MemoryJournal | SqliteJournal


class Life(Protocol):
    """What a journal has to know of the world."""

    time: datetime

    def is_alive(self, id: ProcessId) -> bool: ...
    def is_server_alive(self, id: ProcessId) -> bool: ...


class Journals(Protocol):
    def open(self) -> AnyJournal:
        """A process opens it."""

    def kill(self, journal: AnyJournal, runs: Iterable[str]) -> None:
        """The process that had opened it is gone: what it had not written yet is lost."""

    def desk(self) -> AnyJournal:
        """For people who decide, and for commands that only look."""

    def flush(self) -> None:
        """Time goes by: what waits is written down."""

    def rows(self) -> list[Action]:
        """All that is on disk, by insertion."""

    def row(self, action: str) -> Action | None: ...

    def approval(self, approval: str) -> Approval | None: ...

    def close(self) -> str:
        """What does not fit in the history; empty where it is whole."""


class InMemory:
    def __init__(self, life: Life) -> None:
        self._journal = MemoryJournal(now=lambda: life.time, alive=life.is_alive, group_alive=life.is_server_alive)

    def open(self) -> MemoryJournal:
        return self._journal

    def kill(self, journal: AnyJournal, runs: Iterable[str]) -> None:
        memory, gone = self._journal, set(runs)
        for id in sorted(memory._in_tail):
            if memory._actions[id].run in gone:
                memory._in_tail.discard(id)
                memory._drop(memory._actions[id])

    def desk(self) -> MemoryJournal:
        return self._journal

    def flush(self) -> None:
        self._journal._in_tail.clear()

    def rows(self) -> list[Action]:
        return [row for id, row in self._journal._actions.items() if id not in self._journal._in_tail]

    def row(self, action: str) -> Action | None:
        return None if action in self._journal._in_tail else self._journal._actions.get(action)

    def approval(self, approval: str) -> Approval | None:
        return self._journal._approvals.get(approval)

    def close(self) -> str:
        self._journal.close()
        return ""


class InSqlite:
    """Every process has a connection of its own, as it has in life; so do the people, and whoever audits."""

    def __init__(self, life: Life, folder: Path) -> None:
        self._life, self._path = life, str(folder / "journal.db")
        self._open: list[SqliteJournal] = []
        self._rows: list[Action] = []
        self._read_at: int | None = None
        """The state of the file that `_rows` shows."""
        self._desk = self.open()
        self._audit = self.open()

    def open(self) -> SqliteJournal:
        life = self._life
        journal = SqliteJournal(
            open_database(self._path),
            self._path,
            now=lambda: life.time,
            alive=life.is_alive,
            group_alive=life.is_server_alive,
            flush_after_s=3600,
        )
        self._open.append(journal)
        return journal

    def kill(self, journal: AnyJournal, runs: Iterable[str]) -> None:
        assert isinstance(journal, SqliteJournal)
        journal._tail.clear()
        journal._connection.close()

    def desk(self) -> SqliteJournal:
        return self._desk

    def flush(self) -> None:
        for journal in self._open:
            if journal._tail:
                journal._before_reading()

    def rows(self) -> list[Action]:
        (version,) = self._audit._connection.execute("PRAGMA data_version").fetchone()
        if version != self._read_at:
            self._read_at = version
            self._rows = [r for summary in reversed(self._audit.runs()) for r in self._audit.actions(summary.run.id)]
        return self._rows

    def row(self, action: str) -> Action | None:
        return next((row for row in self.rows() if row.id == action), None)

    def approval(self, approval: str) -> Approval | None:
        return self._audit.approval(approval)

    def close(self) -> str:
        try:
            misfit = self._audit.first_misfit()
            return "" if misfit is None else f"entry {misfit.number}: {misfit.why}"
        finally:
            for journal in self._open:
                with suppress(Exception):
                    journal.close()
            shutil.rmtree(Path(self._path).parent)


in_memory: Callable[[Life], InMemory] = InMemory

_KEPT_NOWHERE: Final = Path("/dev/shm")
"""A file system that no power cut survives, so that a commit costs no disk; where there is none, any other."""


@contextmanager
def in_sqlite() -> Iterator[Callable[[Life], InSqlite]]:
    """Makes as many as are asked for, each in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="sim-", dir=_KEPT_NOWHERE if _KEPT_NOWHERE.is_dir() else None) as folder:
        yield lambda life: InSqlite(life, Path(tempfile.mkdtemp(dir=folder)))
