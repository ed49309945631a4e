"""How often a client called a tool within the last day, for limits and for whoever decides."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Sequence

MOST_TOOLS = 100
"""SQLite takes conditions of up to a thousand parts; beyond this all calls are gone through."""
Counted = tuple[int, str, str, str]
"""What is counted together: calls of one server (by its number) and tool, by one client, in runs of one kind."""


def made_before(connection: sqlite3.Connection, actions: Sequence[str], *, since: str) -> dict[str, int]:
    """For each of these actions, how many calls of its tool its client had made by then, since that time. All of them in one
    pass over the calls of that time: there may be many on both sides."""
    asked: dict[str, tuple[int, Counted]] = {}
    for action in actions:
        row = connection.execute(_SELECT_ASKED, {"id": action}).fetchone()
        if row is not None:
            asked[action] = (row[0], row[1:])
    if not asked:
        return {}
    tools = dict.fromkeys(key[:2] for _, key in asked.values())
    values: dict[str, int | str] = {"since": since, "first": _first_since(connection, since)}
    values["behind"] = max(number for number, _ in asked.values())
    for at, (server, tool) in enumerate(tools):
        values |= {f"server{at}": server, f"tool{at}": tool}
    one_of = " OR ".join(f"(a.server = :server{at} AND a.tool = :tool{at})" for at in range(len(tools)))
    if len(tools) > MOST_TOOLS:
        one_of = "TRUE"
    made: dict[Counted, list[int]] = {}
    for number, *key in connection.execute(_SELECT_MADE.format(one_of=one_of), values):
        made.setdefault(tuple(key), []).append(number)
    return {action: bisect_left(made.get(key, ()), number) for action, (number, key) in asked.items()}


def _first_since(connection: sqlite3.Connection, since: str) -> int:
    """The number behind the last action that was opened before a time, found by halving: that a client made calls a year ago
    must cost nothing, and a run that nobody ended may be as old."""
    (last,) = connection.execute("SELECT coalesce(max(number), 0) FROM actions").fetchone()
    first, behind = 1, int(last) + 1
    while first < behind:
        middle = (first + behind) // 2
        (number, at) = connection.execute(
            "SELECT number, at FROM actions WHERE number >= :middle ORDER BY number LIMIT 1", {"middle": middle}
        ).fetchone()
        first, behind = (number + 1, behind) if at < since else (first, middle)
    return first


_SELECT_ASKED = """
    SELECT a.number, a.server, a.tool, r.agent, r.kind FROM actions AS a JOIN runs AS r ON r.number = a.run WHERE a.id = :id
"""
_SELECT_MADE = """
    SELECT a.number, a.server, a.tool, r.agent, r.kind FROM actions AS a CROSS JOIN runs AS r ON r.number = a.run
    WHERE a.number >= :first AND a.number < :behind AND ({one_of}) AND a.at >= :since
    AND a.status IN ('recorded', 'sent', 'paused', 'applied', 'rejected', 'unknown') ORDER BY a.number
"""
