"""What stands in the tables, held against the entries of the history: what no entry says, what was counted, what follows from
other rows. What an entry itself covers, `proof.py` has compared by then. Only reads.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import chain as chained
from itertools import groupby
from typing import NamedTuple, TypeAlias

from synartesis.domain.status import ActionStatus
from synartesis.journal import chain
from synartesis.journal.rows import add_note

DECISIONS = {"asked": ("waiting", "used"), "granted": ("granted", "reserved", "used"), "refused": ("denied",)}
"""What a request stands as after the last entry about it. One that nobody decided may have been answered by an allowance."""
_STATUSES = frozenset(ActionStatus)
Progress: TypeAlias = Callable[[float], None]
"""Is told which share of the work is done."""
TELL_EVERY = 1000


class Misfit(NamedTuple):
    """The first entry that does not fit. `number` is None where something stands in the journal of which no entry says
    anything, or something else."""

    number: int | None
    why: str


def first_untrue(connection: sqlite3.Connection, *, only_run: str | None, progress: Progress) -> Misfit | None:
    """`only_run`: the one run that is here as a whole, where this is an export."""
    return next(
        chained(
            _rows_that_should_not_be(connection),
            _untrue_actions(connection, only_run, progress),
            _untrue_counts(connection, only_run),
        ),
        None,
    )


def _rows_that_should_not_be(connection: sqlite3.Connection) -> Iterator[Misfit]:
    for why, select in (_UNSAID | _OTHERWISE).items():
        if connection.execute(f"{select} LIMIT 1").fetchone() is not None:
            yield Misfit(None, why)


_UNSAID = {
    f"{what} stands in the journal of which no entry says anything": select
    for what, select in {
        "a run": "SELECT 1 FROM runs WHERE number NOT IN (SELECT run FROM events WHERE kind = 'run-started')",
        "a run's end": "SELECT 1 FROM runs WHERE ended_at IS NOT NULL"
        " AND (number, ended_at) NOT IN (SELECT run, at FROM events WHERE kind IN ('run-ended', 'run-closed'))",
        "what an undo found": "SELECT 1 FROM findings"
        " WHERE number NOT IN (SELECT number FROM events WHERE kind = 'finding')",
        "an allowance": "SELECT 1 FROM allowances WHERE number NOT IN (SELECT number FROM events WHERE kind = 'allowed')",
        "the end of an allowance": "SELECT 1 FROM allowances WHERE revoked_at IS NOT NULL"
        " AND (request, revoked_at) NOT IN (SELECT action, at FROM events WHERE kind = 'allowance-revoked')",
        "an approver's key": "SELECT 1 FROM approvers"
        " WHERE number NOT IN (SELECT number FROM events WHERE kind = 'approver-set')",
        "a freeze": "SELECT 1 FROM freezes WHERE number NOT IN (SELECT number FROM events WHERE kind = 'frozen')",
        "the end of a freeze": "SELECT 1 FROM freezes WHERE ended_at IS NOT NULL"
        " AND id NOT IN (SELECT note FROM events WHERE kind = 'resumed')",
    }.items()
}
_OTHERWISE = {
    "a run that ended stands as one that has not": "SELECT 1 FROM runs WHERE ended_at IS NULL"
    " AND number IN (SELECT run FROM events WHERE kind IN ('run-ended', 'run-closed'))",
    "an allowance that was taken back stands as one that was not": "SELECT 1 FROM events AS e JOIN allowances AS w"
    " ON w.request = e.action AND w.number < e.number WHERE e.kind = 'allowance-revoked' AND w.revoked_at IS NULL"
    " AND w.used < w.uses",
    "a freeze that holds has something of its end": "SELECT 1 FROM freezes WHERE ended_at IS NULL"
    " AND ended_by || signature <> ''",
    "a request that nobody decided has a decision": "SELECT 1 FROM approvals AS q"
    " WHERE (q.decided_at IS NOT NULL OR q.decided_by || q.reason || q.signature <> '')"
    " AND q.action NOT IN (SELECT action FROM events WHERE kind IN ('granted', 'refused'))"
    " AND NOT EXISTS (SELECT 1 FROM actions AS h JOIN allowances AS w ON w.request = h.approval"
    " WHERE h.number = q.spent_by AND (w.at, w.by, w.reason, '') = (q.decided_at, q.decided_by, q.reason, q.signature))",
    "a request says that something was seen, and no entry says so": "SELECT 1 FROM approvals"
    " WHERE (says <> '' OR coalesce(seen_read, seen_state, seen_why, seen_is_error, seen_answer) IS NOT NULL)"
    f" AND action NOT IN (SELECT action FROM events WHERE kind = 'asked' AND covers & {chain.SEEN})",
    "an approval stands as another than the call shows that took it": "SELECT 1 FROM approvals AS q"
    " LEFT JOIN actions AS h ON h.number = q.spent_by WHERE (q.spent_by IS NOT NULL) <> (q.status IN ('reserved', 'used'))"
    " OR h.number IS NOT q.spent_by OR (q.status = 'reserved') <> coalesce(h.status = 'recorded', FALSE)",
    "an undo's claim stands otherwise than what became of it": "SELECT 1 FROM actions AS a WHERE CASE a.claim_released"
    " WHEN 0 THEN a.undoes IS NOT NULL AND a.undone IN ('restored', 'compensated', 'already')"
    " WHEN 1 THEN a.undoes IS NULL OR a.undone IS NULL"
    " ELSE TRUE END",
}


# --- what was counted


def _untrue_counts(connection: sqlite3.Connection, only_run: str | None) -> Iterator[Misfit]:
    for (run,) in connection.execute(_MISCOUNTED_RUNS, {"only": only_run}):
        yield Misfit(None, f"what is counted of run {run} is not what stands in the journal")


_MISCOUNTED_RUNS = """
    SELECT r.id FROM runs AS r LEFT JOIN tallies AS t ON t.run = r.number
    LEFT JOIN (
        SELECT run, count(*) AS actions,
            sum(tool_class <> 'readonly' AND status IN ('sent', 'paused')) AS in_flight,
            sum(tool_class <> 'readonly' AND status = 'unknown') AS unknown,
            sum(tool_class <> 'readonly' AND status = 'applied') AS changes,
            sum(tool_class <> 'readonly' AND status = 'applied'
                AND coalesce(undone IN ('restored', 'compensated', 'already'), FALSE)) AS undone
        FROM actions GROUP BY run
    ) AS c ON c.run = r.number
    LEFT JOIN (
        SELECT a.run, count(*) AS waiting FROM approvals AS q JOIN actions AS a ON a.number = q.action
        WHERE q.status = 'waiting' GROUP BY a.run
    ) AS w ON w.run = r.number
    WHERE (:only IS NULL OR r.id = :only) AND (t.actions, t.in_flight, t.unknown, t.changes, t.undone, t.waiting) IS NOT
        (coalesce(c.actions, 0), coalesce(c.in_flight, 0), coalesce(c.unknown, 0), coalesce(c.changes, 0),
         coalesce(c.undone, 0), coalesce(w.waiting, 0))
    LIMIT 1
"""


# --- the calls


class _Said(NamedTuple):
    """An entry about a call."""

    action: int
    number: int
    kind: str
    note: str
    covers: int
    undone: str | None
    """What a finding says."""


class _Stands(NamedTuple):
    """A call as it stands."""

    status: str
    note: str
    undone: str | None
    outcome: int | None
    sent: int
    """Whether anything stands of what is only known once a call is sent."""
    request: str | None
    spent_by_its_own: int
    approval: int | None
    is_for_this_call: int | None
    """Whether its approval is for exactly this call."""
    has_it: int
    """Whether its approval stands as reserved or used by it."""
    is_allowed: int
    """Whether its approval lets its tool be called more than once."""


def _untrue_actions(connection: sqlite3.Connection, only_run: str | None, progress: Progress) -> Iterator[Misfit]:
    """Both sides in the order of actions, so that a million of them need no memory."""
    used: Counter[int] = Counter()
    (newest,) = connection.execute("SELECT max(number) FROM actions").fetchone()
    entries = groupby(_entries_of_actions(connection), key=lambda entry: entry.action)
    number, said = next(entries, _NO_MORE)
    for action, run, seq, *row in connection.execute(_SELECT_ACTIONS):
        call = f"call #{seq} of run {run}"
        if not action % TELL_EVERY:
            progress(action / newest)
        if action != number:
            yield Misfit(None, f"{call} stands in the journal, and no entry says anything of it")
            return
        about, stands = list(said), _Stands(*row)
        for why in _why_untrue(about, stands):
            yield Misfit(about[-1].number, f"{call} stands in the journal {why}")
        if stands.approval is not None and _was_sent(about):
            used[stands.approval] += 1
        number, said = next(entries, _NO_MORE)
    if number is not None:
        yield Misfit(next(said).number, "the call that it speaks of is missing")
    if only_run is None and used != Counter(dict(connection.execute(_USED_APPROVALS))):
        yield Misfit(None, "an approval was used by other calls, or oftener, than is counted")


_NO_MORE: tuple[int | None, Iterator[_Said]] = (None, iter(()))

_USED_APPROVALS = """
    SELECT request, sum(used) FROM (
        SELECT request, used FROM allowances WHERE used > 0
        UNION ALL SELECT q.action, 1 FROM approvals AS q JOIN actions AS h ON h.number = q.spent_by
            WHERE q.status = 'used' AND h.approval = q.action
    ) GROUP BY request
"""
_SELECT_ACTIONS = f"""
    SELECT a.number, r.id, a.seq, a.status, a.note, a.undone, o.action,
        coalesce({", ".join(f"a.{name}" for name in chain.GROUPS[chain.SENT][1])}) IS NOT NULL, q.status,
        q.spent_by IS NULL OR (h.fingerprint = q.fingerprint
            AND (h.approval IS q.action OR h.approval IN (SELECT request FROM allowances))),
        a.approval, u.fingerprint = a.fingerprint,
        u.spent_by IS a.number, EXISTS (SELECT 1 FROM allowances AS w WHERE w.request = a.approval
            AND (w.run, w.server, w.tool) = (a.run, a.server, a.tool))
    FROM actions AS a JOIN runs AS r ON r.number = a.run LEFT JOIN outcomes AS o ON o.action = a.number
    LEFT JOIN approvals AS q ON q.action = a.number LEFT JOIN actions AS h ON h.number = q.spent_by
    LEFT JOIN approvals AS u ON u.action = a.approval
    ORDER BY a.number
"""


def _entries_of_actions(connection: sqlite3.Connection) -> Iterator[_Said]:
    rows = connection.execute(
        "SELECT e.action, e.number, e.kind, e.note, e.covers, f.undone FROM events AS e"
        " LEFT JOIN findings AS f ON f.number = e.number WHERE e.action IS NOT NULL ORDER BY e.action, e.number"
    )
    return (_Said(*row) for row in rows)


def _why_untrue(about: list[_Said], stands: _Stands) -> Iterator[str]:
    moves = [entry for entry in about if entry.kind in _STATUSES]
    if not moves or moves[-1].kind != stands.status:
        yield f"as {stands.status!r}, and it came to be something else last"
    if reduce(add_note, (entry.note for entry in moves), "") != stands.note:
        yield "with a note that nobody made"
    if next((entry.undone for entry in reversed(about) if entry.undone is not None), None) != stands.undone:
        yield f"as {stands.undone or 'not undone'}, and no undo found it so"
    if (stands.outcome is not None) != any(entry.covers & chain.OUTCOME for entry in about):
        yield "with another outcome than was recorded"
    if stands.sent and not any(entry.covers & chain.SENT for entry in about):
        yield "with a state before it, and no entry says that it was sent"
    decisions = [entry.kind for entry in about if entry.kind in DECISIONS]
    if stands.request is not None and (not decisions or stands.request not in DECISIONS[decisions[-1]]):
        yield f"with a request that is {stands.request!r}, and nobody decided so"
    if not stands.spent_by_its_own:
        yield "with an approval that another call used"
    if stands.approval is not None and not _may_have_approval(about, stands):
        yield "under an approval that is not for it"


def _may_have_approval(about: list[_Said], stands: _Stands) -> bool:
    if stands.has_it or (stands.is_allowed and _was_sent(about)):
        return True
    # It had reserved it, never left, and its process was gone, so that another call could have it.
    never_left = stands.status in (ActionStatus.RECORDED, ActionStatus.FAILED) and not _was_sent(about)
    return never_left and bool(stands.is_for_this_call) and all(entry.kind != "given-back" for entry in about)


def _was_sent(about: list[_Said]) -> bool:
    return any(entry.kind == ActionStatus.SENT for entry in about)
