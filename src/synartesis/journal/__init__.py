"""What happened, durably. The only package that speaks SQL.

`open_journal` for the one process that owns a run (needs an event loop), `open_history` for commands that look or
decide. `memory.MemoryJournal` is the twin for tests and simulation; `liveness.this_process` says who we are.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from synartesis.journal.reads import SqliteHistory
    from synartesis.journal.writes import SqliteJournal


def open_journal(path: Path, *, now: Callable[[], datetime] | None = None) -> SqliteJournal:
    """Open a journal to write in; made (0600, in a 0700 folder) where there is none. `now` gives UTC. Close it when
    done. Raises JournalUnavailable: then nothing may be sent, and a file that is no usable journal is as it was."""
    from synartesis.journal.database import open_database
    from synartesis.journal.look import place_of
    from synartesis.journal.reads import utc_now
    from synartesis.journal.writes import SqliteJournal

    where = place_of(path)
    return SqliteJournal(open_database(where), where, now=now or utc_now)


def open_beside(journal: SqliteJournal) -> SqliteJournal:
    """The same journal once more, for work beside that of `journal`, in the same process. Close it when done. Raises
    JournalUnavailable."""
    from synartesis.journal.database import open_again
    from synartesis.journal.writes import SqliteJournal

    return SqliteJournal(open_again(journal.path), journal.path, now=journal.now)


def open_history(path: Path, *, now: Callable[[], datetime] | None = None) -> SqliteHistory:
    """Open a journal that is there, to look into it and to decide. Works in a folder that cannot be written, where it
    can. Raises JournalUnavailable."""
    from synartesis.journal.database import open_for_reading
    from synartesis.journal.look import place_of
    from synartesis.journal.reads import SqliteHistory, utc_now

    where = place_of(path)
    return SqliteHistory(open_for_reading(where), where, now=now or utc_now)
