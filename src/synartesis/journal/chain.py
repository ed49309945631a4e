"""The history that cannot be edited unseen: every entry carries a digest over itself and the digest of the entry before it.

An entry covers what it put down through `content`, a salted digest over groups of columns (below). Payloads go into it
through a digest of their own with a salt of its own. When they are pruned that salt goes with them, so that nobody can
guess what they were; what remains is their digest, and with it everything else that the entry covers can still be held
against it. Runs inside the transactions of others.

    payloads = sha256(second salt, payloads)            once pruned: only this is left of them
    content  = sha256(first salt, all other columns, payloads)
    link     = sha256(content, what the entry itself says)
    digest   = sha256(digest of the entry before, link)

An export gives of other runs' entries their links only. Entries of the formats 1 and 2 have neither links nor a salt for
payloads: `content` covers both kinds of columns, and cannot be checked once the salt is gone.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import NamedTuple, TypeAlias

Value: TypeAlias = int | str | bytes | None
"""What SQLite stores."""

START = bytes(32)
"""What stands for the digest before the first entry."""
SALT_BYTES = 16
"""The first salt; behind it comes the second, or what is left once the payloads are pruned: their digest."""

CALL, SENT, OUTCOME, RUN, REQUEST, FINDING = (1 << bit for bit in range(6))
DECISION, APPROVER, ALLOWANCE, SEEN, OPENING, FREEZE = (1 << bit for bit in range(6, 12))
SERVER, PROCESS, RESUMED = (1 << bit for bit in range(12, 15))
OWNER = 1 << 16
"""Groups of columns; an entry says in `covers` which of them its content covers, in this order."""
LINKED = 1 << 15
"""In `covers`: the form above. Without it, that of formats 1 and 2."""

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
    OPENING: ("runs", ("era", "opening", "agent")),
    FREEZE: ("freezes", ("id", "at", "by", "reason")),
    SERVER: ("servers", ("name", "identity")),  # that of the call
    PROCESS: ("processes", ("pid", "started")),  # the one that made the entry
    RESUMED: ("freezes", ("ended_at", "ended_by", "signature")),
    OWNER: ("processes", ("pid", "started")),  # that of the run
}
PAYLOADS: dict[int, tuple[str, ...]] = {
    CALL: ("arguments",),
    SENT: ("read", "before_answer", "captured_read", "captured_answer", "planned"),
    OUTCOME: ("reply", "after_answer", "inverse"),
    FINDING: ("detail",),
    SEEN: ("seen_read", "seen_answer"),
}
"""Columns that can be pruned, by group."""
_PACKED = CALL | SENT | OUTCOME
"""Where one of these is covered the values are spelled as MessagePack, which costs a tenth of `spell`; not everywhere,
because commands that only decide do without."""


class Event(NamedTuple):
    kind: str
    """What happened; for an action, the status that it came to."""
    at: str
    process: int
    run: int | None = None
    action: int | None = None
    who: str = ""
    note: str = ""


Columns: TypeAlias = tuple[tuple[int, str], ...]
Covered: TypeAlias = Mapping[int, Mapping[str, Value]]
"""For each group, the columns by name."""


class Entry(NamedTuple):
    """A row of `events`."""

    number: int
    kind: str
    run: int | None
    action: int | None
    at: str
    who: str
    process: int
    note: str
    covers: int
    salt: bytes | None
    content: bytes
    digest: bytes


def entry(event: Event, *, number: int, previous: bytes, covered: Covered) -> Entry:
    """An event as entry `number` of the history, behind the one with the digest `previous`. `covered` gives, for each group,
    the columns just written."""
    kind, at, process, run, action, who, note = event
    covers = sum(covered) | LINKED
    salt, content = None, b""
    if covered:
        salt = _new_salt()
        content = content_of(salt, covered, covers)
    digest = digest_after(previous, rest_of(number, event, covers, content))
    return Entry(number, kind, run, action, at, who, process, note, covers, salt, content, digest)


def append(connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    """Write entries down; by position, because there are many, and names cost as much again."""
    connection.executemany(_INSERT, entries)


_INSERT = f"INSERT INTO events ({', '.join(Entry._fields)}) VALUES ({', '.join('?' * len(Entry._fields))})"


def last(connection: sqlite3.Connection) -> tuple[int, bytes]:
    """Number and digest of the last entry."""
    row = connection.execute("SELECT number, digest FROM events ORDER BY number DESC LIMIT 1").fetchone()
    return (0, START) if row is None else (row[0], row[1])


def content_of(salt: bytes, covered: Covered, covers: int) -> bytes:
    """What an entry says of the columns that it covers. `salt` as it stands in the entry."""
    plain, _payloads = _columns(covers)
    if not covers & LINKED:
        return sha256(salt + spell(covered[group][name] for group, name in plain)).digest()
    values = [covered[group][name] for group, name in plain]
    left = salt[SALT_BYTES:] if is_pruned(salt) else _payloads_digest(salt, covered, covers)
    return sha256(salt[:SALT_BYTES] + _spelled(values, covers) + left).digest()


def pruned(salt: bytes, covered: Covered, covers: int) -> bytes | None:
    """What takes the place of an entry's salt when the payloads that it covers go. None: nothing can."""
    return salt[:SALT_BYTES] + _payloads_digest(salt, covered, covers) if covers & LINKED else None


def _payloads_digest(salt: bytes, covered: Covered, covers: int) -> bytes:
    values = [covered[group][name] for group, name in _columns(covers)[1]]
    return sha256(salt[SALT_BYTES:] + _spelled(values, covers)).digest()


def is_pruned(salt: bytes) -> bool:
    return len(salt) > 2 * SALT_BYTES


def rest_of(number: int, event: Event, covers: int, content: bytes) -> bytes:
    """All that goes into the digest of an entry besides that of the one before. Over everything in it, the lengths of its
    texts first so that no two entries are spelled alike."""
    kind, at, process, run, action, who, note = event
    spelled = f"{number},{process},{run},{action},{covers},{len(kind)},{len(at)},{len(who)}\n{kind}{at}{who}{note}"
    rest = (content or bytes(32)) + spelled.encode()
    return sha256(rest).digest() if covers & LINKED else rest


def digest_after(previous: bytes, rest: bytes) -> bytes:
    return sha256(previous + rest).digest()


@cache
def _columns(covers: int) -> tuple[Columns, Columns]:
    """Those that stay, and those that can be pruned; the form without links does not tell them apart."""
    plain: list[tuple[int, str]] = []
    payloads: list[tuple[int, str]] = []
    for group, (_, names) in GROUPS.items():
        for name in names if covers & group else ():
            apart = covers & LINKED and name in PAYLOADS.get(group, ())
            (payloads if apart else plain).append((group, name))
    return tuple(plain), tuple(payloads)


def _new_salt() -> bytes:
    """Asking the system for each costs more than all else that a salt is for."""
    global _salts
    if len(_salts) < 2 * SALT_BYTES:
        _salts = os.urandom(64 * 2 * SALT_BYTES)
    salt, _salts = _salts[: 2 * SALT_BYTES], _salts[2 * SALT_BYTES :]
    return salt


_salts = b""


def _spelled(values: Sequence[Value], covers: int) -> bytes:
    return _message_pack()(values) if covers & _PACKED else spell(values)


@cache
def _message_pack() -> Callable[[Sequence[Value]], bytes]:
    from msgspec import msgpack

    return msgpack.Encoder().encode


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
