"""Freezes: while one has not ended, no proxy on this journal lets a write leave. Works inside the transactions of a ledger."""

from __future__ import annotations

import os
import sqlite3

from synartesis.domain.records import Freeze
from synartesis.journal import chain
from synartesis.journal.ledger import Ledger, storable

_ID_BYTES = 6


def freeze(ledger: Ledger, *, by: str, reason: str) -> Freeze:
    """The one that holds already, or a new one."""
    held = current(ledger.connection)
    if held is not None:
        return held
    row: dict[str, chain.Value] = {
        "id": os.urandom(_ID_BYTES).hex(),
        "at": ledger.at(),
        "by": storable(by),
        "reason": storable(reason),
    }
    event = ledger.event("frozen", run=None, who=storable(by), note=storable(reason), covered={chain.FREEZE: row})
    ledger.connection.execute(
        "INSERT INTO freezes (number, id, at, by, reason) VALUES (:number, :id, :at, :by, :reason)",
        {**row, "number": event},
    )
    found = of(ledger.connection, str(row["id"]))
    assert found is not None
    return found


def resume(ledger: Ledger, freeze: str, *, by: str, at: str, signature: str) -> bool:
    """End one. False where it has ended, or never was."""
    row: dict[str, chain.Value] = {"ended_at": at or ledger.at(), "ended_by": storable(by), "signature": signature}
    ended = ledger.connection.execute(
        "UPDATE freezes SET ended_at = :ended_at, ended_by = :ended_by, signature = :signature"
        " WHERE id = :id AND ended_at IS NULL",
        {**row, "id": freeze},
    ).rowcount
    if ended:
        ledger.event("resumed", run=None, who=storable(by), note=freeze, covered={chain.RESUMED: row})
    return bool(ended)


def current(connection: sqlite3.Connection) -> Freeze | None:
    row = connection.execute(f"{_SELECT} WHERE ended_at IS NULL ORDER BY number LIMIT 1").fetchone()
    return None if row is None else Freeze(*row)


def of(connection: sqlite3.Connection, freeze: str) -> Freeze | None:
    row = connection.execute(f"{_SELECT} WHERE id = :id", {"id": freeze}).fetchone()
    return None if row is None else Freeze(*row)


_SELECT = "SELECT id, at, by, reason, ended_at, ended_by, signature FROM freezes"
