"""The history that cannot be edited unseen: every event carries a digest over itself and the digest of the event before
it.

An event covers what it put down through `content`: a salted digest over groups of columns (below). When payloads are
dropped, their events lose the salt: `content` then says nothing about what was in them any more, and the chain, which
goes over `content` and not over the payloads, still fits. Runs inside the transactions of others.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple, TypeAlias

Value: TypeAlias = int | str | bytes | None
"""What SQLite stores."""

START = bytes(32)
"""What stands for the digest before the first event."""
SALT_BYTES = 16

CALL, SENT, OUTCOME, RUN, REQUEST, FINDING, DECISION, APPROVER, ALLOWANCE, SEEN = (1 << bit for bit in range(10))
"""Groups of columns; an event says in `covers` which of them its content covers, in this order."""
PACKED = 1 << 15
"""In `covers`: the values are spelled as one MessagePack array, which costs a tenth of `spell`."""

GROUPS: dict[int, tuple[str, tuple[str, ...]]] = {
    CALL: (
        "actions",
        ("id", "run", "seq", "server", "tool", "arguments", "tool_class", "fingerprint", "undoes", "undoes_step", "at"),
    ),
    SENT: (
        "actions",
        (
            *("resource", "read", "before_state", "before_why", "before_is_error", "before_answer"),
            *("captured_read", "captured_state", "captured_why", "captured_is_error", "captured_answer", "planned"),
        ),
    ),
    OUTCOME: ("outcomes", ("reply", "after_state", "after_why", "after_is_error", "after_answer", "inverse")),
    RUN: ("runs", ("id", "kind", "manifest", "manifest_digest", "servers", "process", "undoes", "started_at")),
    REQUEST: ("approvals", ("fingerprint", "why", "requested_at")),
    FINDING: ("findings", ("action", "undo_run", "inverse", "undone", "verified", "detail")),
    DECISION: ("approvals", ("decided_at", "decided_by", "reason", "asker", "signature")),
    APPROVER: ("approvers", ("public",)),
    ALLOWANCE: (
        "allowances",
        ("request", "run", "server", "tool", "uses", "at", "by", "reason", "asker", "signature"),
    ),
    SEEN: ("approvals", ("seen_read", "seen_state", "seen_why", "seen_is_error", "seen_answer", "says")),
}


class Event(NamedTuple):
    kind: str
    """What happened; for an action, the status that it came to."""
    at: str
    process: int
    run: int | None = None
    action: int | None = None
    who: str = ""
    note: str = ""


def append(
    connection: sqlite3.Connection,
    event: Event,
    *,
    number: int,
    previous: bytes,
    covered: Mapping[int, Mapping[str, Value]],
) -> bytes:
    """Write an event down as `number`. `covered` gives, for each group, the columns just written. Returns its
    digest."""
    covers = sum(covered)
    salt, content = None, b""
    if covers:
        covers |= PACKED if covers & (CALL | SENT | OUTCOME) else 0
        salt = os.urandom(SALT_BYTES)
        values = [row[name] for group, row in sorted(covered.items()) for name in GROUPS[group][1]]
        content = _content(salt, values, covers)
    digest = _digest(previous, number, event, covers, content)
    connection.execute(
        "INSERT INTO events (number, kind, run, action, at, who, process, note, covers, salt, content, digest) VALUES"
        " (:number, :kind, :run, :action, :at, :who, :process, :note, :covers, :salt, :content, :digest)",
        {
            "number": number,
            "kind": event.kind,
            "run": event.run,
            "action": event.action,
            "at": event.at,
            "who": event.who,
            "process": event.process,
            "note": event.note,
            "covers": covers,
            "salt": salt,
            "content": content,
            "digest": digest,
        },
    )
    return digest


def last(connection: sqlite3.Connection) -> tuple[int, bytes]:
    """Number and digest of the last event."""
    row = connection.execute("SELECT number, digest FROM events ORDER BY number DESC LIMIT 1").fetchone()
    return (0, START) if row is None else (row[0], row[1])


def first_misfit(connection: sqlite3.Connection) -> tuple[int, str] | None:
    """The first event that does not fit, and why; None where everything does."""
    previous, expected = START, 1
    rows = connection.execute(
        "SELECT number, covers, salt, content, digest, kind, at, process, run, action, who, note FROM events ORDER BY number"
    )
    for number, covers, salt, content, digest, *fields in rows:
        event = Event(*fields)
        if number != expected:
            return expected, "it is missing"
        if digest != _digest(previous, number, event, covers, content):
            return number, "it does not continue the event before it"
        if salt is not None:
            values = list(_covered_values(connection, number, event, covers))
            if _content(salt, values, covers) != content:
                if not _superseded(connection, number, event, covers):
                    return number, "what it recorded is not what stands in the journal now"
            elif not all(_blob_fits(connection, value) for value in values):
                return number, "a payload that it recorded was changed"
        previous, expected = digest, number + 1
    return None


def _content(salt: bytes, values: Sequence[Value], covers: int) -> bytes:
    if covers & PACKED:
        from msgspec import msgpack  # not at the top: commands that only look or decide do without

        return sha256(salt + msgpack.encode(values)).digest()
    return sha256(salt + spell(values)).digest()


def _digest(previous: bytes, number: int, event: Event, covers: int, content: bytes) -> bytes:
    """Over everything in an event, the lengths of its texts first so that no two events are spelled alike."""
    kind, at, process, run, action, who, note = event
    spelled = f"{number},{process},{run},{action},{covers},{len(kind)},{len(at)},{len(who)}\n{kind}{at}{who}{note}"
    return sha256(b"%b%b%b" % (previous, content or bytes(32), spelled.encode())).digest()


def spell(values: Iterable[Value]) -> bytes:
    """Values as bytes, no two lists of values alike: a letter for the type, the length, the bytes."""
    pieces = []
    for value in values:
        if value is None:
            pieces.append(b"-")
        elif isinstance(value, bytes):
            pieces.append(b"b%d:%b" % (len(value), value))
        elif isinstance(value, str):
            octets = value.encode()
            pieces.append(b"t%d:%b" % (len(octets), octets))
        else:
            pieces.append(b"i%d;" % value)
    return b"".join(pieces)


def _covered_values(connection: sqlite3.Connection, number: int, event: Event, covers: int) -> Iterator[Value]:
    keys = {"actions": ("number", event.action), "outcomes": ("action", event.action), "runs": ("number", event.run)}
    keys |= {"approvals": ("action", event.action)}
    keys |= dict.fromkeys(("findings", "approvers", "allowances"), ("number", number))
    for group, (table, names) in GROUPS.items():
        if covers & group:
            key, value = keys[table]
            row = connection.execute(
                f"SELECT {', '.join(names)} FROM {table} WHERE {key} = :value", {"value": value}
            ).fetchone()
            yield from row or ()


def _superseded(connection: sqlite3.Connection, number: int, event: Event, covers: int) -> bool:
    """Whether a later event wrote the same columns of the same action anew, as when a paused call is sent again."""
    if event.action is None or covers & (FINDING | ALLOWANCE):
        return False
    later = connection.execute(
        "SELECT 1 FROM events WHERE number > :number AND action = :action AND covers & :covers LIMIT 1",
        {"action": event.action, "number": number, "covers": covers & ~PACKED},
    )
    return later.fetchone() is not None


def _blob_fits(connection: sqlite3.Connection, value: Value) -> bool:
    """Whether a payload that is kept elsewhere still is what its digest says. Other texts are no digests of a
    payload."""
    from synartesis.journal.blobs import fetch

    if not (isinstance(value, str) and len(value) == 64):
        return True
    payload = fetch(connection, value)
    return payload is None or sha256(payload).hexdigest() == value
