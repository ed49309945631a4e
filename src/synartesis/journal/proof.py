"""Does the history fit? Every entry against the one before it, against what stands in the tables, and what stands in the
tables against the entries. Only reads; knows no file and no command."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from functools import reduce
from hashlib import sha256
from itertools import groupby
from typing import NamedTuple

from synartesis.domain.status import ActionStatus
from synartesis.journal import chain
from synartesis.journal.blobs import fetch
from synartesis.journal.chain import Event, Value
from synartesis.journal.rows import PRUNED, add_note

RUN_PRUNED = "pruned"
"""The kind of the entry that says of a run that its payloads were dropped."""
DECISIONS = {"asked": ("waiting", "used"), "granted": ("granted", "reserved", "used"), "refused": ("denied",)}
"""What a request stands as after the last entry about it. One that nobody decided may have been answered by an allowance."""
_STATUSES = frozenset(ActionStatus)


class Misfit(NamedTuple):
    """The first entry that does not fit. `number` is None where something stands in the journal of which no entry says
    anything."""

    number: int | None
    why: str


def first_misfit(
    connection: sqlite3.Connection,
    *,
    after: tuple[int, bytes] = (0, chain.START),
    links: Mapping[int, bytes] | None = None,
) -> Misfit | None:
    """None where everything fits. `after`: number and digest of the entry before the first; `links`: the entries that are
    known by their links only."""
    found = _first_misfit_in_chain(connection, after, links or {})
    if found is not None:
        return found
    return next(_untrue(connection), None)


# --- entries against each other, and against what they say was recorded


def _first_misfit_in_chain(
    connection: sqlite3.Connection, after: tuple[int, bytes], links: Mapping[int, bytes]
) -> Misfit | None:
    expected, previous = after[0] + 1, after[1]
    pruned: dict[int, int] = dict(
        connection.execute("SELECT run, max(number) FROM events WHERE kind = :kind GROUP BY run", {"kind": RUN_PRUNED})
    )
    rows = connection.execute(
        "SELECT number, covers, salt, content, digest, kind, at, process, run, action, who, note FROM events ORDER BY number"
    )
    for number, covers, salt, content, digest, *fields in rows:
        event = Event(*fields)
        while expected in links:
            previous, expected = chain.digest_after(previous, links[expected]), expected + 1
        if number != expected:
            return Misfit(expected, "it is missing")
        if digest != chain.digest_after(previous, chain.rest_of(number, event, covers, content)):
            return Misfit(number, "it does not continue the entry before it")
        gone = number < pruned.get(event.run or 0, 0)
        why = _why_untrue(connection, number, event, covers, salt, content, may_be_gone=gone)
        if why:
            return Misfit(number, why)
        previous, expected = digest, number + 1
    return None


def _why_untrue(
    connection: sqlite3.Connection,
    number: int,
    event: Event,
    covers: int,
    salt: bytes | None,
    content: bytes,
    *,
    may_be_gone: bool,
) -> str:
    if not covers & ~chain.LINKED:
        return ""
    gone = salt is None or chain.is_pruned(salt)
    if gone and not may_be_gone:
        return "its payloads are gone, and no entry says that they were pruned"
    if salt is None:
        return ""
    covered = covered_by(connection, number, event, covers)
    if covered is None or chain.content_of(salt, covered, covers) != content:
        if _superseded(connection, number, event, covers):
            return ""
        return "what it recorded is not what stands in the journal now"
    if gone and not _are_gone(covered):
        return "a payload stands in the journal that was pruned"
    if not gone and not all(_blob_fits(connection, value) for row in covered.values() for value in row.values()):
        return "a payload that it recorded was changed"
    return ""


def covered_by(
    connection: sqlite3.Connection, number: int, event: Event, covers: int
) -> dict[int, dict[str, Value]] | None:
    keys = {"actions": ("number", event.action), "outcomes": ("action", event.action), "runs": ("number", event.run)}
    keys |= {"approvals": ("action", event.action)}
    keys |= dict.fromkeys(("findings", "approvers", "allowances", "freezes"), ("number", number))
    covered = {}
    for group, (table, names) in chain.GROUPS.items():
        if covers & group:
            key, value = keys[table]
            row = connection.execute(
                f"SELECT {', '.join(names)} FROM {table} WHERE {key} = :value", {"value": value}
            ).fetchone()
            if row is None:
                return None
            covered[group] = dict(zip(names, row, strict=True))
    return covered


def _superseded(connection: sqlite3.Connection, number: int, event: Event, covers: int) -> bool:
    """Whether a later entry wrote the same columns of the same thing anew, as when a paused call is sent again."""
    if covers & (chain.FINDING | chain.APPROVER | chain.ALLOWANCE):
        return False
    later = connection.execute(
        "SELECT 1 FROM events WHERE number > :number AND run IS :run AND action IS :action AND covers & :covers LIMIT 1",
        {"run": event.run, "action": event.action, "number": number, "covers": covers & ~chain.LINKED},
    )
    return later.fetchone() is not None


def _are_gone(covered: chain.Covered) -> bool:
    return all(covered[group][name] in (None, PRUNED) for group in covered for name in chain.PAYLOADS.get(group, ()))


def _blob_fits(connection: sqlite3.Connection, value: Value) -> bool:
    """Whether a payload that is kept elsewhere still is what its digest says. Other texts are no digests of a
    payload."""
    if not (isinstance(value, str) and len(value) == 64):
        return True
    payload = fetch(connection, value)
    return payload is None or sha256(payload).hexdigest() == value


# --- what stands in the tables, against the entries


def _untrue(connection: sqlite3.Connection) -> Iterator[Misfit]:
    yield from _rows_without_entries(connection)
    yield from _untrue_actions(connection)


_UNSAID = {
    "a run": "SELECT number FROM runs WHERE number NOT IN (SELECT run FROM events WHERE kind = 'run-started')",
    "a run's end": "SELECT number FROM runs WHERE ended_at IS NOT NULL"
    " AND (number, ended_at) NOT IN (SELECT run, at FROM events WHERE kind IN ('run-ended', 'run-closed'))",
    "what an undo found": "SELECT number FROM findings"
    " WHERE number NOT IN (SELECT number FROM events WHERE kind = 'finding')",
    "an allowance": "SELECT number FROM allowances WHERE number NOT IN (SELECT number FROM events WHERE kind = 'allowed')",
    "an approver's key": "SELECT number FROM approvers"
    " WHERE number NOT IN (SELECT number FROM events WHERE kind = 'approver-set')",
    "a freeze": "SELECT number FROM freezes WHERE number NOT IN (SELECT number FROM events WHERE kind = 'frozen')",
    "the end of a freeze": "SELECT number FROM freezes WHERE ended_at IS NOT NULL"
    " AND id NOT IN (SELECT note FROM events WHERE kind = 'resumed')",
}


def _rows_without_entries(connection: sqlite3.Connection) -> Iterator[Misfit]:
    for what, select in _UNSAID.items():
        if connection.execute(f"{select} LIMIT 1").fetchone() is not None:
            yield Misfit(None, f"{what} stands in the journal of which no entry says anything")


class _Said(NamedTuple):
    """An entry about a call."""

    action: int
    number: int
    kind: str
    note: str
    covers: int
    undone: str | None
    """What a finding says."""


def _untrue_actions(connection: sqlite3.Connection) -> Iterator[Misfit]:
    """Both sides in the order of actions, so that a million of them need no memory."""
    entries = groupby(_entries_of_actions(connection), key=lambda entry: entry.action)
    number, said = next(entries, _NO_MORE)
    for action, *row, run, seq in connection.execute(_SELECT_ACTIONS):
        call = f"call #{seq} of run {run}"
        if action != number:
            yield Misfit(None, f"{call} stands in the journal, and no entry says anything of it")
            return
        about = list(said)
        for why in _why_action_untrue(about, *row):
            yield Misfit(about[-1].number, f"{call} stands in the journal {why}")
        number, said = next(entries, _NO_MORE)
    if number is not None:
        yield Misfit(next(said).number, "the call that it speaks of is missing")


_NO_MORE: tuple[int | None, Iterator[_Said]] = (None, iter(()))

_SELECT_ACTIONS = """
    SELECT a.number, a.status, a.note, a.undone, o.action, q.status,
        q.spent_by IS NULL OR (h.fingerprint = q.fingerprint
            AND (h.approval IS q.action OR h.approval IN (SELECT request FROM allowances))), r.id, a.seq
    FROM actions AS a JOIN runs AS r ON r.number = a.run LEFT JOIN outcomes AS o ON o.action = a.number
    LEFT JOIN approvals AS q ON q.action = a.number LEFT JOIN actions AS h ON h.number = q.spent_by
    ORDER BY a.number
"""


def _entries_of_actions(connection: sqlite3.Connection) -> Iterator[_Said]:
    rows = connection.execute(
        "SELECT e.action, e.number, e.kind, e.note, e.covers, f.undone FROM events AS e"
        " LEFT JOIN findings AS f ON f.number = e.number WHERE e.action IS NOT NULL ORDER BY e.action, e.number"
    )
    return (_Said(*row) for row in rows)


def _why_action_untrue(
    about: list[_Said], status: str, note: str, undone: str | None, outcome: int | None, request: str | None, spent: int
) -> Iterator[str]:
    moves = [entry for entry in about if entry.kind in _STATUSES]
    if not moves or moves[-1].kind != status:
        yield f"as {status!r}, and it came to be something else last"
    if reduce(add_note, (entry.note for entry in moves), "") != note:
        yield "with a note that nobody made"
    if next((entry.undone for entry in reversed(about) if entry.undone is not None), None) != undone:
        yield f"as {undone or 'not undone'}, and no undo found it so"
    if (outcome is not None) != any(entry.covers & chain.OUTCOME for entry in about):
        yield "with another outcome than was recorded"
    decisions = [entry.kind for entry in about if entry.kind in DECISIONS]
    if request is not None and (not decisions or request not in DECISIONS[decisions[-1]]):
        yield f"with a request that is {request!r}, and nobody decided so"
    if not spent:
        yield "with an approval that another call used"
