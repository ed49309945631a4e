"""Payloads: the exact bytes of arguments, answers and inverses, each distinct one kept once. Runs inside the
transactions of others."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from synartesis.domain.records import Image
from synartesis.journal.parts import cut
from synartesis.journal.rows import Payload

INLINE_BYTES = 2048
"""Up to here the bytes stay in the row that they belong to: finding them elsewhere costs more than having them
twice."""
COMPRESS_BYTES = 4096
"""From here compression is tried, and kept where it helps."""
PARTS_BYTES = 128 << 10
"""From here a payload is kept in parts; see parts.py."""


AHEAD_BYTES = 1 << 20
"""From here packing takes longer than others should wait for the lock, or for the event loop."""
MOST_KNOWN = 1 << 14


class Part(NamedTuple):
    digest: bytes
    start: int
    end: int
    packed: tuple[str, bytes] | None
    """Encoding and body. None: it was kept a moment ago, and most likely still is."""


class Packed(NamedTuple):
    """A large payload, ready to be kept."""

    payload: bytes
    digest: str
    parts: tuple[Part, ...]


class Ahead:
    """Payloads that were packed before the transaction that keeps them, by identity: comparing them costs as much again."""

    def __init__(self) -> None:
        self._packed: dict[int, Packed] = {}
        self._known: dict[bytes, None] = {}

    def pack(self, payload: bytes) -> Packed:
        """Takes a while, and touches nothing: for a thread of its own."""
        parts, at = [], 0
        for part in cut(payload):
            digest = sha256(part).digest()
            parts.append(Part(digest, at, at + len(part), None if digest in self._known else _packed(part)))
            at += len(part)
        return Packed(payload, sha256(payload).hexdigest(), tuple(parts))

    def put(self, packed: Packed) -> None:
        self._packed[id(packed.payload)] = packed

    def find(self, payload: bytes) -> Packed | None:
        return self._packed.get(id(payload))

    def drop(self, payload: bytes) -> None:
        """It is kept, or never will be."""
        packed = self._packed.pop(id(payload), None)
        if packed is not None:
            self._known.update(dict.fromkeys(part.digest for part in packed.parts))
            for digest in list(self._known)[: max(0, len(self._known) - MOST_KNOWN)]:
                del self._known[digest]


def keep(connection: sqlite3.Connection, payload: bytes | None, ahead: Ahead | None = None) -> Payload:
    """Store a payload. Returns what goes into the column."""
    if payload is None or len(payload) <= INLINE_BYTES:
        return payload
    packed = None if ahead is None else ahead.find(payload)
    digest = sha256(payload).hexdigest() if packed is None else packed.digest
    if not _is_kept(connection, digest):
        if len(payload) < PARTS_BYTES:
            _put(connection, digest, len(payload), *_packed(payload))
        else:
            parts = (Ahead().pack(payload) if packed is None else packed).parts
            _put(connection, digest, len(payload), "parts", _keep_parts(connection, payload, parts))
    return digest


def _keep_parts(connection: sqlite3.Connection, payload: bytes, parts: Iterable[Part]) -> bytes:
    digests = []
    for part in parts:
        digests.append(part.digest)
        if not _is_kept(connection, part.digest.hex()):
            packed = part.packed or _packed(payload[part.start : part.end])
            _put(connection, part.digest.hex(), part.end - part.start, *packed)
    return b"".join(digests)


def _is_kept(connection: sqlite3.Connection, digest: str) -> bool:
    found = connection.execute("SELECT 1 FROM blobs WHERE digest = :digest", {"digest": digest}).fetchone()
    return found is not None


def _put(connection: sqlite3.Connection, digest: str, size: int, encoding: str, body: bytes) -> None:
    connection.execute(
        "INSERT INTO blobs (digest, size, encoding, body) VALUES (:digest, :size, :encoding, :body)",
        {"digest": digest, "size": size, "encoding": encoding, "body": body},
    )


def _packed(payload: bytes) -> tuple[str, bytes]:
    if len(payload) >= COMPRESS_BYTES:
        import zlib

        smaller = zlib.compress(payload, 1)
        if len(smaller) < len(payload) - len(payload) // 8:
            return "zlib", smaller
    return "plain", payload


def fetch(connection: sqlite3.Connection, payload: Payload) -> bytes | None:
    """The bytes of a column. None also for a payload that was pruned: it cannot be had any more. Raises sqlite3.Error where it is
    not what it was when it was kept: an undo would write it back, and find it proved."""
    if payload is None or isinstance(payload, bytes):
        return payload
    row = connection.execute("SELECT encoding, body FROM blobs WHERE digest = :digest", {"digest": payload}).fetchone()
    if row is None:
        return None
    encoding, body = row
    if encoding == "parts":
        parts = [fetch(connection, digest) for digest in part_digests(body)]
        if None in parts:
            return None
        whole = b"".join(part for part in parts if part is not None)
    else:
        whole = _unzipped(body) if encoding == "zlib" else bytes(body)
    if sha256(whole).hexdigest() != payload:
        raise changed(payload)
    return whole


def _unzipped(body: bytes) -> bytes:
    import zlib

    unpacking = zlib.decompressobj()
    try:
        whole = unpacking.decompress(body)
    except zlib.error:
        return b""
    return b"" if unpacking.unused_data or not unpacking.eof else whole


def changed(digest: str) -> sqlite3.Error:
    """A payload is not what its digest says, which to whoever reads it is a damaged file."""
    error = sqlite3.DatabaseError(f"the payload {digest[:12]} is not what was kept")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def part_digests(body: bytes) -> list[str]:
    """The digests of the parts of a payload, in order."""
    return [body[at : at + 32].hex() for at in range(0, len(body), 32)]


def image_columns(
    connection: sqlite3.Connection, prefix: str, image: Image | None, ahead: Ahead | None = None
) -> dict[str, Payload | int]:
    """An image as the four columns that hold it."""
    if image is None:
        return {f"{prefix}_state": None, f"{prefix}_why": None, f"{prefix}_is_error": None, f"{prefix}_answer": None}
    return {
        f"{prefix}_state": image.state,
        f"{prefix}_why": image.why,
        f"{prefix}_is_error": int(image.is_protocol_error),
        f"{prefix}_answer": keep(connection, image.answer, ahead),
    }
