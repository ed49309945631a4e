"""Does the history fit? Every entry against the one before it, and against what stands in the tables; what else stands there,
`tables.py` holds against the entries. Only reads; knows no file and no command."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping

from synartesis.journal import chain
from synartesis.journal.blobs import fetch
from synartesis.journal.chain import Event, Value
from synartesis.journal.rows import PRUNED
from synartesis.journal.tables import TELL_EVERY, Misfit, Progress, first_untrue

RUN_PRUNED = "pruned"
"""The kind of the entry that says of a run that its payloads were dropped."""
CHAIN_SHARE = 0.8
"""How much of the time goes into the entries; the rest into the tables."""


def first_misfit(
    connection: sqlite3.Connection,
    *,
    after: tuple[int, bytes] = (0, chain.START),
    links: Mapping[int, bytes] | None = None,
    only_run: str | None = None,
    progress: Progress | None = None,
) -> Misfit | None:
    """None where everything fits. Of an export, `after`: number and digest of the entry before the first; `links`: the entries
    that are known by their links only; `only_run`: the run that it is of. `progress` is told how much was looked at."""
    of_its_own = not connection.in_transaction
    if of_its_own:
        connection.execute(
            "BEGIN"
        )  # all of it as it was at one moment, whatever proxies write and `prune` drops meanwhile
    try:
        return _first_misfit(connection, after, links or {}, only_run, progress or (lambda _share: None))
    finally:
        if of_its_own:
            connection.execute("ROLLBACK")


def _first_misfit(
    connection: sqlite3.Connection,
    after: tuple[int, bytes],
    links: Mapping[int, bytes],
    only_run: str | None,
    progress: Progress,
) -> Misfit | None:
    changed = frozenset(_changed_payloads(connection))
    found = _first_misfit_in_chain(connection, after, links, changed, lambda share: progress(share * CHAIN_SHARE))
    if found is None and changed:
        found = Misfit(None, "a payload is not what it was when it was kept")
    rest = 1 - CHAIN_SHARE
    return found or first_untrue(
        connection, only_run=only_run, progress=lambda share: progress(CHAIN_SHARE + share * rest)
    )


def _changed_payloads(connection: sqlite3.Connection) -> Iterator[str]:
    """The digests of the payloads that are not what their digest says."""
    for digest, size in connection.execute("SELECT digest, size FROM blobs ORDER BY number"):
        try:
            payload = fetch(connection, digest)
        except sqlite3.Error:
            payload = None
        if payload is None or len(payload) != size:
            yield digest


# --- entries against each other, and against what they say was recorded


def _first_misfit_in_chain(
    connection: sqlite3.Connection,
    after: tuple[int, bytes],
    links: Mapping[int, bytes],
    changed: Collection[str],
    progress: Progress,
) -> Misfit | None:
    expected, previous = after[0] + 1, after[1]
    pruned: dict[int, int] = dict(
        connection.execute("SELECT run, max(number) FROM events WHERE kind = :kind GROUP BY run", {"kind": RUN_PRUNED})
    )
    rows = connection.execute(
        "SELECT number, covers, salt, content, digest, kind, at, process, run, action, who, note FROM events ORDER BY number"
    )
    last, _ = chain.last(connection)
    for number, covers, salt, content, digest, *fields in rows:
        event = Event(*fields)
        if not number % TELL_EVERY:
            progress(number / last)
        while expected in links:
            previous, expected = chain.digest_after(previous, links[expected]), expected + 1
        if number != expected:
            return Misfit(expected, "it is missing")
        if digest != chain.digest_after(previous, chain.rest_of(number, event, covers, content)):
            return Misfit(number, "it does not continue the entry before it")
        gone = number < pruned.get(event.run or 0, 0)
        why = _why_untrue(connection, number, event, covers, salt, content, may_be_gone=gone, changed=changed)
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
    changed: Collection[str],
) -> str:
    if not covers & ~chain.LINKED:
        return "" if salt is None and not content else "it has a salt, and covers nothing"
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
    if not gone and not all(_is_kept(connection, value, changed) for value in _payloads(covered)):
        return "a payload that it recorded was changed, or is missing"
    return ""


def covered_by(
    connection: sqlite3.Connection, number: int, event: Event, covers: int
) -> dict[int, dict[str, Value]] | None:
    covered = {}
    for group, (table, names) in chain.GROUPS.items():
        if covers & group:
            where, value = _where(group, number, event)
            row = connection.execute(
                f"SELECT {', '.join(names)} FROM {table} WHERE {where}", {"value": value}
            ).fetchone()
            if row is None:
                return None
            covered[group] = dict(zip(names, row, strict=True))
    return covered


def _where(group: int, number: int, event: Event) -> tuple[str, Value]:
    """Which row of its table an entry covers."""
    match group:
        case chain.CALL | chain.SENT:
            return "number = :value", event.action
        case chain.OUTCOME | chain.REQUEST | chain.DECISION | chain.SEEN:
            return "action = :value", event.action
        case chain.RUN | chain.OPENING:
            return "number = :value", event.run
        case chain.SERVER:
            return "number = (SELECT server FROM actions WHERE number = :value)", event.action
        case chain.OWNER:
            return "number = (SELECT process FROM runs WHERE number = :value)", event.run
        case chain.PROCESS:
            return "number = :value", event.process
        case chain.RESUMED:
            return "id = :value", event.note
        case _:
            return "number = :value", number


def _superseded(connection: sqlite3.Connection, number: int, event: Event, covers: int) -> bool:
    """Whether a later entry wrote all of the same columns of the same thing anew, as when a paused call is sent again."""
    if covers & _OF_THE_ENTRY_ITSELF:
        return False
    later = connection.execute(
        "SELECT 1 FROM events WHERE number > :number AND run IS :run AND action IS :action AND covers & :covers = :covers"
        " LIMIT 1",
        {"run": event.run, "action": event.action, "number": number, "covers": covers & ~_OF_EVERY_ENTRY},
    )
    return later.fetchone() is not None


_OF_EVERY_ENTRY = chain.LINKED | chain.PROCESS
_OF_THE_ENTRY_ITSELF = chain.FINDING | chain.APPROVER | chain.ALLOWANCE | chain.FREEZE | chain.RESUMED
"""Rows that are written once, with their entry."""


def _payloads(covered: chain.Covered) -> Iterator[Value]:
    return (covered[group][name] for group in covered for name in chain.PAYLOADS.get(group, ()))


def _are_gone(covered: chain.Covered) -> bool:
    return all(payload in (None, PRUNED) for payload in _payloads(covered))


def _is_kept(connection: sqlite3.Connection, payload: Value, changed: Collection[str]) -> bool:
    """Whether a payload is there as it was recorded. A text is the digest of one that is kept elsewhere."""
    if not isinstance(payload, str):
        return True
    kept = connection.execute("SELECT 1 FROM blobs WHERE digest = :digest", {"digest": payload}).fetchone()
    return kept is not None and payload not in changed
