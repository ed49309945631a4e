"""Requests for a decision: asked once, decided by a person, reserved by the repeated call, spent when it is sent.

Works inside the transactions of a ledger. A grant is good for an hour after it was given, a denial sticks for an hour;
both are judged when they are read, so nobody has to sweep. A reservation whose call never left, its process gone, is a
grant.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple, TypeAlias

from synartesis.domain.records import Approval, Asking, Captured, ProcessId, Seal
from synartesis.domain.status import ActionStatus, ApprovalStatus
from synartesis.journal import allowances, chain
from synartesis.journal.blobs import fetch, image_columns, keep
from synartesis.journal.ledger import UNDONE, Ledger, hour_before, stamp, storable
from synartesis.journal.rows import Row, image_from, pack_read, unpack_read

EARLIER_SHOWN = 5
CLOCK_SLACK = timedelta(seconds=5)
"""How far in the future a grant may have been given: a clock that is set back must not make it last longer."""


Earlier: TypeAlias = tuple[tuple[str, int, bool], ...]
"""(run, seq, was it undone), newest first."""


class Standing(NamedTuple):
    """A request as it stands right now."""

    number: int
    approval: Approval
    holder: int | None
    """The number of the action that reserved or used it."""


def standing(
    connection: sqlite3.Connection,
    where: str,
    values: dict[str, str],
    *,
    now: datetime,
    alive: Callable[[ProcessId], bool],
) -> list[Standing]:
    """The requests that a condition names, oldest first, in the status that holds now."""
    rows = connection.execute(f"{_SELECT} WHERE {where} ORDER BY q.action", values).fetchall()
    return [_standing_from(connection, row, now=now, alive=alive) for row in rows]


def bearing_on(
    connection: sqlite3.Connection,
    fingerprint: str,
    *,
    asker: str = "",
    now: datetime,
    alive: Callable[[ProcessId], bool],
) -> Standing | None:
    """What was decided, or asked, about exactly this call: a grant that can be reserved, a denial that still sticks, or
    a request that waits. The later decision counts. With `asker`, only what was asked under that name, but for denials."""
    found = standing(
        connection,
        "q.fingerprint = :fingerprint AND q.status IN ('waiting', 'granted', 'reserved', 'denied')",
        {"fingerprint": fingerprint},
        now=now,
        alive=alive,
    )
    denied = [each for each in found if _is_denied(each.approval, now)]
    last_no = max((each.approval.decided_at or "" for each in denied), default="")
    found = [each for each in found if asker in ("", each.approval.asker)]
    for each in found:
        if each.approval.status is ApprovalStatus.GRANTED and (each.approval.decided_at or "") > last_no:
            return each
    if denied:
        return max(denied, key=lambda each: each.approval.decided_at or "")
    return next((each for each in found if each.approval.status is ApprovalStatus.WAITING), None)


def reserve(ledger: Ledger, granted: Standing, *, action: int) -> None:
    ledger.connection.execute(
        "UPDATE approvals SET status = 'reserved', spent_by = :action"
        " WHERE action = :number AND (status = 'granted' OR (status = 'reserved' AND spent_by = :holder))",
        {"action": action, "number": granted.number, "holder": granted.holder},
    )


def spend(ledger: Ledger, action: int) -> bool:
    """Use up the approval that this action reserved. False where it is no longer this action's."""
    spent = ledger.connection.execute(
        "UPDATE approvals SET status = 'used' WHERE status = 'reserved' AND spent_by = :action", {"action": action}
    ).rowcount
    return bool(spent)


def give_back(ledger: Ledger, action: int, *, run: int) -> bool:
    """Nothing left, so the approval that this action reserved, if any, is a grant again; its hour goes on. Whether
    there was one."""
    given = ledger.connection.execute(
        "UPDATE approvals SET status = 'granted', spent_by = NULL WHERE status = 'reserved' AND spent_by = :action",
        {"action": action},
    ).rowcount
    if given:
        ledger.connection.execute("UPDATE actions SET approval = NULL WHERE number = :action", {"action": action})
        ledger.event("given-back", run=run, action=action)
    return bool(given)


def already_asked(
    ledger: Ledger,
    fingerprint: str,
    *,
    run: int,
    asker: str,
    alive: Callable[[ProcessId], bool],
    waiting_only: bool,
) -> str | None:
    """The request that makes another one needless: one that waits, or one that was decided since the call opened."""
    now = ledger.now()
    waiting = standing(
        ledger.connection,
        "q.fingerprint = :fingerprint AND q.status = 'waiting'",
        {"fingerprint": fingerprint},
        now=now,
        alive=alive,
    )
    for each in waiting:
        if asker in ("", each.approval.asker):
            return each.approval.id
    for each in waiting:
        if each.approval.asker_gone or not each.approval.asker:
            _ask_anew(ledger, each, run=run, asker=asker)
            return each.approval.id
    if waiting_only:
        return None
    found = bearing_on(ledger.connection, fingerprint, asker=asker, now=now, alive=alive)
    return None if found is None else found.approval.id


def _ask_anew(ledger: Ledger, waiting: Standing, *, run: int, asker: str) -> None:
    """Nobody is left who could take a yes to this request, and now somebody asks the same."""
    ledger.connection.execute(
        "UPDATE approvals SET asker = :asker, asked_by = (SELECT process FROM runs WHERE number = :run)"
        " WHERE action = :number",
        {"asker": asker, "run": run, "number": waiting.number},
    )


def ask(ledger: Ledger, *, action: int, run: int, fingerprint: str, why: str, asking: Asking) -> None:
    """Make a request of a held action."""
    read, image = asking.seen or (None, None)
    seen: dict[str, chain.Value] = {
        "seen_read": keep(ledger.connection, pack_read(read)),
        **image_columns(ledger.connection, "seen", image),
        "says": storable(asking.says),
    }
    row: dict[str, chain.Value] = {"fingerprint": fingerprint, "why": storable(why), "requested_at": ledger.at()}
    ledger.connection.execute(
        "INSERT INTO approvals (action, fingerprint, status, why, requested_at, asker, asked_by, asked_in,"
        " seen_read, seen_state, seen_why, seen_is_error, seen_answer, says) VALUES"
        " (:action, :fingerprint, 'waiting', :why, :requested_at, :asker, (SELECT process FROM runs WHERE number = :run),"
        " :run, :seen_read, :seen_state, :seen_why, :seen_is_error, :seen_answer, :says)",
        {**row, **seen, "action": action, "asker": asking.asker, "run": run},
    )
    ledger.tally(run, waiting=1)
    covered = {chain.REQUEST: row} | ({chain.SEEN: seen} if asking.seen or asking.says else {})
    ledger.event("asked", run=run, action=action, covered=covered)


def count_attempt(ledger: Ledger, approval: str, *, run: int | None = None) -> bool:
    """The call was made again. No event: an agent that repeats itself must not fill the history."""
    counted = ledger.connection.execute(
        "UPDATE approvals SET attempts = attempts + 1, asked_in = coalesce(:run, asked_in)"
        " WHERE action = (SELECT number FROM actions WHERE id = :id)",
        {"id": approval, "run": run},
    ).rowcount
    return bool(counted)


def decide(
    ledger: Ledger,
    approval: str,
    *,
    grant: bool,
    by: str,
    reason: str,
    seal: Seal | None,
    more: int,
    alive: Callable[[ProcessId], bool],
) -> bool:
    """WAITING -> GRANTED or DENIED; DENIED within its hour -> GRANTED; GRANTED -> DENIED. False otherwise, and where the
    seal is for another who asked. To deny takes back what is left of an allowance as well, whatever became of the request."""
    now = ledger.now()
    found = standing(ledger.connection, "a.id = :id", {"id": approval}, now=now, alive=alive)
    if not found:
        return False
    (each,) = found
    revoked = not grant and allowances.revoke(ledger, each.number, by=by, reason=reason)
    if not _may_decide(each.approval, grant=grant, now=now):
        return revoked
    if seal is not None and seal.asker != each.approval.asker:
        return False
    run = ledger.run_number(each.approval.run)
    if each.approval.status is ApprovalStatus.WAITING:
        ledger.tally(run, waiting=-1)
    row: dict[str, chain.Value] = {
        "decided_at": stamp(now) if seal is None else seal.at,
        "decided_by": storable(by),
        "reason": storable(reason),
        "asker": each.approval.asker,
        "signature": "" if seal is None else seal.signature,
    }
    ledger.connection.execute(
        "UPDATE approvals SET status = :status, decided_at = :decided_at, decided_by = :decided_by, reason = :reason,"
        " asker = :asker, signature = :signature, spent_by = NULL WHERE action = :number",
        {**row, "status": "granted" if grant else "denied", "number": each.number},
    )
    ledger.event(
        "granted" if grant else "refused",
        run=run,
        action=each.number,
        at=stamp(now),
        who=storable(by),
        note=storable(reason),
        covered={chain.DECISION: row},
    )
    if more:
        allowances.grant(ledger, each.number, uses=more, by=by, reason=reason, seal=seal)
    return True


def taken_back(connection: sqlite3.Connection, asker: str) -> list[tuple[str, str]]:
    """Of the requests under this name: what was denied, and when; and what was allowed on a request, where that was revoked."""
    return connection.execute(
        "SELECT a.id, q.decided_at FROM approvals AS q JOIN actions AS a ON a.number = q.action"
        " WHERE q.asker = :asker AND q.status = 'denied' UNION ALL"
        " SELECT a.id, w.at FROM allowances AS w JOIN actions AS a ON a.number = w.request"
        " WHERE w.asker = :asker AND w.revoked_at IS NOT NULL",
        {"asker": asker},
    ).fetchall()


def note_dialog(ledger: Ledger, approval: str, *, said: str, who: str) -> None:
    found = ledger.connection.execute("SELECT run, number FROM actions WHERE id = :id", {"id": approval}).fetchone()
    if found is not None:
        ledger.event("client-asked", run=found[0], action=found[1], who=storable(who), note=storable(said))


def set_approver(ledger: Ledger, public: str, *, by: str) -> None:
    row: dict[str, chain.Value] = {"public": public}
    number = ledger.event("approver-set", run=None, who=storable(by), covered={chain.APPROVER: row})
    ledger.connection.execute(
        "INSERT INTO approvers (number, public) VALUES (:number, :public)", {**row, "number": number}
    )


def approver_key(connection: sqlite3.Connection) -> str:
    """Empty where there is none."""
    row = connection.execute("SELECT public FROM approvers ORDER BY number DESC LIMIT 1").fetchone()
    return "" if row is None else str(row[0])


def _may_decide(approval: Approval, *, grant: bool, now: datetime) -> bool:
    match approval.status:
        case ApprovalStatus.WAITING:
            return True
        case ApprovalStatus.GRANTED:
            return not grant
        case ApprovalStatus.DENIED:
            return grant and _is_denied(approval, now)
        case _:
            return False


def _is_denied(approval: Approval, now: datetime) -> bool:
    return approval.status is ApprovalStatus.DENIED and (approval.decided_at or "") >= hour_before(now)


def is_good(decided_at: str | None, now: datetime) -> bool:
    """Whether a grant of then is still good. One from the future is not: the clock was set back, and nobody knows how
    far."""
    return decided_at is not None and hour_before(now) <= decided_at <= stamp(now + CLOCK_SLACK)


_SELECT = """
    SELECT q.action, a.id, r.id, CAST(a.seq AS INTEGER), s.name, s.identity, a.tool, a.arguments, q.fingerprint, q.status, q.why,
        q.requested_at, CAST(q.attempts AS INTEGER), q.decided_at, q.decided_by, q.reason, q.spent_by,
        h.id, h.status, p.pid, p.started, q.asker, q.signature, ap.pid, ap.started,
        ar.id, q.seen_read, q.seen_state, q.seen_why, q.seen_is_error,
        q.seen_answer, q.says
    FROM approvals AS q
    JOIN actions AS a ON a.number = q.action JOIN runs AS r ON r.number = a.run JOIN servers AS s ON s.number = a.server
    LEFT JOIN actions AS h ON h.number = q.spent_by LEFT JOIN runs AS hr ON hr.number = h.run
    LEFT JOIN processes AS p ON p.number = hr.process LEFT JOIN processes AS ap ON ap.number = q.asked_by
    LEFT JOIN runs AS ar ON ar.number = q.asked_in
"""


def _standing_from(
    connection: sqlite3.Connection, row: Row, *, now: datetime, alive: Callable[[ProcessId], bool]
) -> Standing:
    """A row of _SELECT, judged."""
    number, holder, holder_status, pid, started = row[0], row[16], row[18], row[19], row[20]
    asker, signature, asker_pid, asker_started = row[21:25]
    approval = Approval(
        id=row[1],
        run=row[2],
        seq=row[3],
        server=row[4],
        identity=row[5],
        tool=row[6],
        arguments=fetch(connection, row[7]) or b"",
        fingerprint=row[8],
        status=ApprovalStatus(row[9]),
        why=row[10],
        requested_at=row[11],
        attempts=row[12],
        decided_at=row[13],
        decided_by=row[14],
        reason=row[15],
        spent_by=row[17],
        earlier=_earlier(connection, row[8], before=holder),
        asker=asker,
        asker_gone=bool(asker) and not (asker_pid is not None and alive(ProcessId(asker_pid, asker_started))),
        signature=signature,
        asked_in=row[25] or row[1],
        seen=_seen_from(connection, row[26:31]),
        says=row[31],
    )
    never_left = approval.status is ApprovalStatus.RESERVED and holder_status == ActionStatus.RECORDED
    if never_left and not alive(ProcessId(pid, started)):
        approval = approval._replace(status=ApprovalStatus.GRANTED, spent_by=None)
    if approval.status is ApprovalStatus.GRANTED and not is_good(approval.decided_at, now):
        approval = approval._replace(status=ApprovalStatus.LAPSED)
    return Standing(number, approval, holder)


def _seen_from(connection: sqlite3.Connection, row: Row) -> Captured | None:
    read = unpack_read(fetch(connection, row[0]))
    image = image_from(row[1:], lambda payload: fetch(connection, payload))
    return None if read is None or image is None else Captured(read, image)


def _earlier(connection: sqlite3.Connection, fingerprint: str, *, before: int | None) -> Earlier:
    """Identical calls that were, or may have been, carried out before the one that this approval was spent on."""
    rows = connection.execute(
        "SELECT r.id, CAST(a.seq AS INTEGER), a.undone FROM actions AS a JOIN runs AS r ON r.number = a.run"
        " WHERE a.fingerprint = :fingerprint AND (a.tool_class = 'irreversible' OR a.approval IS NOT NULL)"
        " AND a.status IN ('sent', 'paused', 'applied', 'unknown') AND (:before IS NULL OR a.number < :before)"
        " ORDER BY a.number DESC LIMIT :limit",
        {"fingerprint": fingerprint, "before": before, "limit": EARLIER_SHOWN},
    )
    return tuple((run, seq, undone in UNDONE) for run, seq, undone in rows)
