"""The history as it grows: for whoever watches. Reads no payload, so that looking often costs little."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

MOST = 500
"""So many events at a time; whoever wants more asks again."""


class Happening(NamedTuple):
    """One event, with the names of what it is about."""

    number: int
    kind: str
    """For a call, the status that it came to; `asked`, `granted`, `refused` for a request; `finding` for a step of an undo;
    `run-started`, `run-opened`, `run-ended`, `run-closed`."""
    at: str
    who: str
    note: str
    run: str
    agent: str
    undoes: str | None
    """The run that this run undoes."""
    action: str | None = None
    seq: int = 0
    server: str = ""
    tool: str = ""
    tool_class: str = ""
    undone: str | None = None
    """What a finding says."""


def happenings(connection: sqlite3.Connection, *, after: int) -> list[Happening]:
    """What came after an event, oldest first. A client that tells more of itself later has still come only once."""
    return [
        Happening(*row)
        for row in connection.execute(
            f"{_SELECT} WHERE e.number > :after AND e.kind <> 'run-told' ORDER BY e.number LIMIT :most",
            {"after": after, "most": MOST},
        )
    ]


def happening(connection: sqlite3.Connection, number: int) -> Happening | None:
    row = connection.execute(f"{_SELECT} WHERE e.number = :number", {"number": number}).fetchone()
    return None if row is None else Happening(*row)


_SELECT = """
    SELECT e.number, e.kind, e.at, e.who, e.note, r.id, r.agent, r.undoes, a.id, CAST(coalesce(a.seq, 0) AS INTEGER),
        coalesce(s.name, ''), coalesce(a.tool, ''), coalesce(a.tool_class, ''), f.undone
    FROM events AS e JOIN runs AS r ON r.number = e.run LEFT JOIN actions AS a ON a.number = e.action
    LEFT JOIN servers AS s ON s.number = a.server LEFT JOIN findings AS f ON f.number = e.number
"""


def last_number(connection: sqlite3.Connection) -> int:
    """That of the newest event; 0 before there is one."""
    (number,) = connection.execute("SELECT coalesce(max(number), 0) FROM events").fetchone()
    return int(number)


def last_call(connection: sqlite3.Connection, run: str) -> str | None:
    """When a run's newest call was opened; None before there is one."""
    (at,) = connection.execute(
        "SELECT max(at) FROM actions WHERE run = (SELECT number FROM runs WHERE id = :run)", {"run": run}
    ).fetchone()
    return None if at is None else str(at)


def version(connection: sqlite3.Connection) -> int:
    """Moves whenever another connection has changed the journal."""
    (number,) = connection.execute("PRAGMA data_version").fetchone()
    return int(number)
