"""Allowances: a person let one tool of one server be called up to so many times more in one run. Counted where a call is sent, so
that two at once never both take the last one. Works inside the transactions of a ledger.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from synartesis.domain.records import Allowance, NewAction, ProcessId, Seal
from synartesis.journal import chain
from synartesis.journal.ledger import Ledger, stamp, storable
from synartesis.journal.rows import Row


def grant(ledger: Ledger, request: int, *, uses: int, by: str, reason: str, seal: Seal | None) -> None:
    """For the tool and the run of a request: of the run that asked last, where several did."""
    run, server, tool, asker = ledger.connection.execute(
        "SELECT coalesce(q.asked_in, a.run), a.server, a.tool, q.asker FROM approvals AS q JOIN actions AS a"
        " ON a.number = q.action WHERE q.action = :request",
        {"request": request},
    ).fetchone()
    row: dict[str, chain.Value] = {
        "request": request,
        "run": run,
        "server": server,
        "tool": tool,
        "uses": uses,
        "at": stamp(ledger.now()) if seal is None else seal.at,
        "by": storable(by),
        "reason": storable(reason),
        "asker": asker,
        "signature": "" if seal is None else seal.for_run,
    }
    event = ledger.event(
        "allowed",
        run=run,
        action=request,
        who=storable(by),
        note=str(uses),
        covered={chain.ALLOWANCE: row},
    )
    ledger.connection.execute(
        "INSERT INTO allowances (number, request, run, server, tool, uses, at, by, reason, asker, signature) VALUES"
        " (:number, :request, :run, :server, :tool, :uses, :at, :by, :reason, :asker, :signature)",
        {**row, "number": event},
    )


def revoke(ledger: Ledger, request: int, *, by: str, reason: str) -> bool:
    """Take back what is left of the allowances that were given on a request. Whether there were any."""
    rows = ledger.connection.execute(
        "SELECT number, run FROM allowances WHERE request = :request AND revoked_at IS NULL AND used < uses",
        {"request": request},
    ).fetchall()
    at = ledger.at()
    for number, run in rows:
        ledger.connection.execute(
            "UPDATE allowances SET revoked_at = :at WHERE number = :number", {"at": at, "number": number}
        )
        ledger.event("allowance-revoked", run=run, action=request, at=at, who=storable(by), note=storable(reason))
    return bool(rows)


def use(ledger: Ledger, number: int, *, action: int) -> bool:
    """One call more. False where none is left. A request that waits for this very call is answered by it."""
    used = ledger.connection.execute(
        "UPDATE allowances SET used = used + 1 WHERE number = :number AND used < uses AND revoked_at IS NULL",
        {"number": number},
    ).rowcount
    if not used:
        return False
    ledger.connection.execute(
        "UPDATE actions SET approval = (SELECT request FROM allowances WHERE number = :number) WHERE number = :action",
        {"number": number, "action": action},
    )
    _answer_waiting(ledger, number, action)
    return True


def _answer_waiting(ledger: Ledger, number: int, action: int) -> None:
    waiting = ledger.connection.execute(
        "SELECT q.action, a.run FROM approvals AS q JOIN actions AS a ON a.number = q.action WHERE q.status = 'waiting'"
        " AND q.fingerprint = (SELECT fingerprint FROM actions WHERE number = :action)"
        " AND q.asker = (SELECT asker FROM allowances WHERE number = :number)",
        {"action": action, "number": number},
    ).fetchall()
    for request, run in waiting:
        ledger.connection.execute(
            "UPDATE approvals SET status = 'used', spent_by = :action,"
            " (decided_at, decided_by, reason) = (SELECT at, by, reason FROM allowances WHERE number = :number)"
            " WHERE action = :request",
            {"action": action, "number": number, "request": request},
        )
        ledger.tally(run, waiting=-1)


def for_call(connection: sqlite3.Connection, new: NewAction, *, run: int, asker: str) -> Allowance | None:
    """The one that a call may use: of its run, server and tool, and asked for under this name."""
    row = connection.execute(
        f"{_SELECT} WHERE w.run = :run AND s.identity = :identity AND s.name = :server AND w.tool = :tool"
        " AND w.asker = :asker AND w.used < w.uses AND w.revoked_at IS NULL ORDER BY w.number LIMIT 1",
        {"run": run, "identity": new.identity, "server": new.server, "tool": new.tool, "asker": asker},
    ).fetchone()
    return None if row is None else _from(row)


def of_run(connection: sqlite3.Connection, run: str) -> list[Allowance]:
    """Every one that was given in a run, oldest first."""
    return [_from(row) for row in connection.execute(f"{_SELECT} WHERE r.id = :run ORDER BY w.number", {"run": run})]


def live(connection: sqlite3.Connection, alive: Callable[[ProcessId], bool]) -> list[Allowance]:
    """Those by which calls may still go out, oldest first."""
    rows = connection.execute(
        f"{_SELECT} WHERE w.used < w.uses AND w.revoked_at IS NULL AND +r.ended_at IS NULL ORDER BY w.number"
    ).fetchall()
    return [_from(row) for row in rows if alive(ProcessId(*row[-2:]))]


_SELECT = """
    SELECT w.number, q.id, r.id, s.name, s.identity, w.tool, w.uses, w.used, w.at, w.by, w.reason, w.asker, w.signature,
        w.revoked_at, p.pid, p.started
    FROM allowances AS w JOIN actions AS q ON q.number = w.request JOIN runs AS r ON r.number = w.run
    JOIN servers AS s ON s.number = w.server JOIN processes AS p ON p.number = r.process
"""


def _from(row: Row) -> Allowance:
    return Allowance(*row[:-2])
