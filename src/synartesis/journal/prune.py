"""Drops the payloads of old runs, and keeps their history: what was called and when, what became of it, who decided. Works in
steps that hold the lock for a moment, beside proxies that go on. What it leaves half done is finished by the next time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar

from synartesis.domain.records import ProcessId
from synartesis.journal import chain
from synartesis.journal.blobs import part_digests
from synartesis.journal.database import patiently
from synartesis.journal.ledger import Ledger
from synartesis.journal.proof import RUN_PRUNED, covered_by
from synartesis.journal.rows import PRUNED

T = TypeVar("T")
Columns: TypeAlias = dict[str, chain.Value]
"""A row, by the names of its columns."""

ACTIONS_AT_A_TIME = 200
BLOBS_AT_A_TIME = 50
PAGES_AT_A_TIME = 256

_OF_ACTIONS = ("arguments", "read", "before_answer", "captured_read", "captured_answer", "planned")
_OF_OUTCOMES = ("reply", "after_answer", "inverse")


class Old(NamedTuple):
    """A run whose payloads would go."""

    number: int
    id: str
    started_at: str
    agent: str
    actions: int
    undoable: bool
    """It is an agent's, and has changes that were not undone: after this they cannot be any more."""


class Freed(NamedTuple):
    runs: tuple[Old, ...]
    """Oldest first."""
    payload_bytes: int
    """What the payloads take now, as they are kept."""


def find_old(
    connection: sqlite3.Connection, *, before: str, keep_runs: int, alive: Callable[[ProcessId], bool]
) -> tuple[Old, ...]:
    """Runs that ended before a time (or whose process is gone, and that made their last call before it), but for the
    newest `keep_runs`. A run with a request that waits is not among them: a person has to see what it asks."""
    rows = connection.execute(
        "SELECT r.number, r.id, r.started_at, r.agent, t.actions,"
        " r.kind = 'agent' AND (t.changes > t.undone OR t.unknown + t.in_flight > 0),"
        " r.ended_at, p.pid, p.started, (SELECT max(at) FROM actions WHERE run = r.number)"
        " FROM runs AS r JOIN tallies AS t ON t.run = r.number JOIN processes AS p ON p.number = r.process"
        " WHERE t.waiting = 0 AND r.started_at < :before AND EXISTS"
        " (SELECT 1 FROM actions WHERE run = r.number AND arguments <> '')"
        " AND r.number NOT IN (SELECT number FROM runs ORDER BY number DESC LIMIT :keep) ORDER BY r.number",
        {"before": before, "keep": keep_runs},
    ).fetchall()
    old = []
    for number, run, started_at, agent, actions, undoable, ended_at, pid, started, last_at in rows:
        if max(ended_at or started_at, last_at or "") < before and (ended_at or not alive(ProcessId(pid, started))):
            old.append(Old(number, run, started_at, agent, actions, bool(undoable)))
    return tuple(old)


def measure(connection: sqlite3.Connection, runs: Sequence[Old]) -> Freed:
    """What pruning these runs would free. Looks at every row that stays, because a payload may be shared with it."""
    _note_runs(connection, runs)
    inline = 0
    for table, names in _PAYLOADS.items():
        sizes = " + ".join(f"CASE typeof({name}) WHEN 'blob' THEN length({name}) ELSE 0 END" for name in names)
        select = f"SELECT coalesce(sum({sizes}), 0) FROM {table} AS it {_OF_RUN[table]} WHERE run IN temp.old_runs"
        inline += connection.execute(select).fetchone()[0]
    _note_kept(connection, "run NOT IN temp.old_runs")
    (apart,) = connection.execute(
        "SELECT coalesce(sum(length(body)), 0) FROM blobs WHERE digest NOT IN temp.kept"
    ).fetchone()
    return Freed(tuple(runs), inline + apart)


_PAYLOADS = {
    "actions": ("arguments", "read", "before_answer", "captured_read", "captured_answer", "planned"),
    "outcomes": ("reply", "after_answer", "inverse"),
    "findings": ("detail",),
    "approvals": ("seen_read", "seen_answer"),
}
_KEYS = {"actions": "number", "outcomes": "action", "findings": "action", "approvals": "action"}
_OF_RUN = {
    "actions": "",
    "outcomes": "JOIN actions AS a ON a.number = it.action",
    "findings": "JOIN actions AS a ON a.number = it.action",
    "approvals": "JOIN actions AS a ON a.number = it.action",
}


def _note_runs(connection: sqlite3.Connection, runs: Sequence[Old]) -> None:
    connection.execute("DROP TABLE IF EXISTS temp.old_runs")
    connection.execute("CREATE TEMP TABLE old_runs (number INTEGER PRIMARY KEY)")
    connection.executemany(
        "INSERT INTO temp.old_runs (number) VALUES (:number)", [{"number": run.number} for run in runs]
    )


def _note_kept(connection: sqlite3.Connection, where: str) -> None:
    """The payloads that rows point at, and the parts that those consist of."""
    connection.execute("DROP TABLE IF EXISTS temp.kept")
    connection.execute("CREATE TEMP TABLE kept (digest TEXT PRIMARY KEY) WITHOUT ROWID")
    _keep_what_is_pointed_at(connection, where, {})


def _keep_what_is_pointed_at(connection: sqlite3.Connection, where: str, values: dict[str, int]) -> None:
    """`where` is about a row, and `{action}` in it the number of its action."""
    for table, names in _PAYLOADS.items():
        for name in names:
            connection.execute(
                f"INSERT OR IGNORE INTO temp.kept SELECT it.{name} FROM {table} AS it {_OF_RUN[table]}"
                f" WHERE typeof(it.{name}) = 'text' AND {where.format(action=f'it.{_KEYS[table]}')}",
                values,
            )
    bodies = connection.execute(
        "SELECT body FROM blobs WHERE encoding = 'parts' AND digest IN temp.kept ORDER BY number"
    ).fetchall()
    for (body,) in bodies:
        connection.executemany(
            "INSERT OR IGNORE INTO temp.kept (digest) VALUES (:digest)",
            [{"digest": digest} for digest in part_digests(body)],
        )


# --- dropping


def prune(ledger: Ledger, runs: Sequence[Old], *, by: str) -> Iterator[int]:
    """Drop the payloads of these runs and give the space back. Yields after each step the number of calls whose payloads
    it dropped. Raises sqlite3.Error; what was done until then stays done."""
    connection = ledger.connection
    _note_runs(connection, runs)
    entries = _Entries(connection)
    # Rows are taken out and put back in one step, and what points at them stays.
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        for run in runs:
            # Says so first: from here on payloads of the run may be missing.
            _step(ledger, partial(ledger.event, RUN_PRUNED, run=run.number, who=by))
            for actions in _portions(entries.actions_of(run.number), ACTIONS_AT_A_TIME):
                _step(ledger, partial(_prune_actions, connection, actions, entries))
                yield len(actions)
        yield from _drop_blobs(ledger)
        yield from _give_back(connection)
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def _step(ledger: Ledger, work: Callable[[], T]) -> T:
    return patiently(lambda: ledger.transaction(work))


def _portions(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (numbers[at : at + size] for at in range(0, len(numbers), size))


class _Entries:
    """The entries that cover payloads of old runs: noted once, because the history has no index; and what was written since,
    when somebody undoes an old run in this very moment."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._seen = 0
        connection.execute("DROP TABLE IF EXISTS temp.old_entries")
        connection.execute("CREATE TEMP TABLE old_entries (run INTEGER, action INTEGER, number INTEGER)")
        connection.execute("CREATE INDEX temp.old_entries_action ON old_entries (run, action)")
        self.note_new()

    def note_new(self) -> None:
        newest, _ = chain.last(self._connection)
        self._connection.execute(
            "INSERT INTO temp.old_entries SELECT run, action, number FROM events WHERE number > :seen"
            " AND number <= :newest AND run IN temp.old_runs AND action IS NOT NULL AND salt IS NOT NULL"
            " AND covers & :covers",
            {"seen": self._seen, "newest": newest, "covers": sum(chain.PAYLOADS)},
        )
        self._seen = newest

    def actions_of(self, run: int) -> list[int]:
        rows = self._connection.execute(
            "SELECT DISTINCT action FROM temp.old_entries WHERE run = :run ORDER BY action", {"run": run}
        )
        return [action for (action,) in rows]

    def of(self, action: int) -> list[int]:
        rows = self._connection.execute(
            "SELECT number FROM temp.old_entries WHERE run = (SELECT run FROM actions WHERE number = :action)"
            " AND action = :action ORDER BY number",
            {"action": action},
        )
        return [number for (number,) in rows]


def _prune_actions(connection: sqlite3.Connection, actions: Sequence[int], entries: _Entries) -> None:
    entries.note_new()
    salts: dict[chain.Value, bytes | None] = dict(
        each for action in actions for each in _pruned_entries(connection, entries.of(action))
    )
    _put_back(connection, "events", "number", [*salts], lambda row: {**row, "salt": salts[row["number"]]})
    for table, names in _PAYLOADS.items():
        _put_back(connection, table, _KEYS[table], actions, partial(_blank, names=names))


def _pruned_entries(connection: sqlite3.Connection, numbers: Iterable[int]) -> Iterator[tuple[int, bytes | None]]:
    """Entries that still say something of payloads, with what takes the place of their salts."""
    for number in numbers:
        covers, salt, *fields = connection.execute(
            "SELECT covers, salt, kind, at, process, run, action, who, note FROM events WHERE number = :number",
            {"number": number},
        ).fetchone()
        if salt is not None and not chain.is_pruned(salt):
            covered = covered_by(connection, number, chain.Event(*fields), covers)
            yield number, None if covered is None else chain.pruned(salt, covered, covers)


def _blank(row: Columns, names: Iterable[str]) -> Columns:
    return {**row, **{name: PRUNED for name in names if row[name] is not None}}


def _put_back(
    connection: sqlite3.Connection,
    table: str,
    key: str,
    numbers: Sequence[chain.Value],
    change: Callable[[Columns], Columns],
) -> None:
    """Take rows out and put them back changed. Changed where they are, rows that shrink leave holes in their pages that no later
    row ever fills, and rows that grow break their pages in two."""
    keys = [{"key": number} for number in numbers]
    cursors = (connection.execute(f"SELECT * FROM {table} WHERE {key} = :key ORDER BY rowid", each) for each in keys)
    rows = [
        change(dict(zip([each[0] for each in cursor.description], row, strict=True)))
        for cursor in cursors
        for row in cursor
    ]
    if rows:
        connection.executemany(f"DELETE FROM {table} WHERE {key} = :key", keys)
        names = list(rows[0])
        connection.executemany(
            f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})", rows
        )


# --- giving the space back


def _drop_blobs(ledger: Ledger) -> Iterator[int]:
    """Every payload that no row points at: those just pruned, and what an earlier time left."""
    connection = ledger.connection
    seen, _ = chain.last(connection)
    _note_kept(connection, "TRUE")
    rows = connection.execute("SELECT number FROM blobs WHERE digest NOT IN temp.kept ORDER BY number").fetchall()

    def drop(numbers: Sequence[int]) -> None:
        nonlocal seen
        newest, _ = chain.last(connection)
        if newest > seen:  # what was written meanwhile may point at one of them
            said = "SELECT action FROM events WHERE number > :seen AND action IS NOT NULL"
            _keep_what_is_pointed_at(connection, f"{{action}} IN ({said})", {"seen": seen})
            seen = newest
        connection.executemany(
            "DELETE FROM blobs WHERE number = :number AND digest NOT IN temp.kept",
            [{"number": each} for each in numbers],
        )

    for numbers in _portions([number for (number,) in rows], BLOBS_AT_A_TIME):
        _step(ledger, partial(drop, numbers))
        yield 0


def _give_back(connection: sqlite3.Connection) -> Iterator[int]:
    """Free pages to the file system, from the end of the file; the file shrinks when the write-ahead file goes into it."""

    def free() -> int:
        return int(connection.execute("PRAGMA freelist_count").fetchone()[0])

    before, left = 0, patiently(free)
    while left and left != before:
        # As a script, because it takes a step for each page, and for a statement without columns `execute` takes one.
        patiently(lambda: connection.executescript(f"PRAGMA incremental_vacuum({PAGES_AT_A_TIME})"))
        before, left = left, patiently(free)
        yield 0
    patiently(lambda: connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall())
