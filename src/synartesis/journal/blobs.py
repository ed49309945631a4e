"""Payloads: the exact bytes of arguments, answers and inverses, each distinct one kept once. Runs inside the
transactions of others."""

from __future__ import annotations

import sqlite3
from hashlib import sha256

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


def keep(connection: sqlite3.Connection, payload: bytes | None) -> Payload:
    """Store a payload. Returns what goes into the column."""
    if payload is None or len(payload) <= INLINE_BYTES:
        return payload
    digest = sha256(payload).hexdigest()
    if not _is_kept(connection, digest):
        if len(payload) < PARTS_BYTES:
            _put(connection, digest, len(payload), *_packed(payload))
        else:
            _put(connection, digest, len(payload), "parts", _keep_parts(connection, payload))
    return digest


def _keep_parts(connection: sqlite3.Connection, payload: bytes) -> bytes:
    digests = []
    for part in cut(payload):
        digest = sha256(part)
        if not _is_kept(connection, digest.hexdigest()):
            _put(connection, digest.hexdigest(), len(part), *_packed(part))
        digests.append(digest.digest())
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
    """The bytes of a column. None also for a payload that was pruned: it cannot be had any more."""
    if payload is None or isinstance(payload, bytes):
        return payload
    row = connection.execute("SELECT encoding, body FROM blobs WHERE digest = :digest", {"digest": payload}).fetchone()
    if row is None:
        return None
    encoding, body = row
    if encoding == "zlib":
        import zlib

        return zlib.decompress(body)
    if encoding == "parts":
        parts = [fetch(connection, digest) for digest in part_digests(body)]
        return None if None in parts else b"".join(part for part in parts if part is not None)
    return bytes(body)


def part_digests(body: bytes) -> list[str]:
    """The digests of the parts of a payload, in order."""
    return [body[at : at + 32].hex() for at in range(0, len(body), 32)]


def image_columns(connection: sqlite3.Connection, prefix: str, image: Image | None) -> dict[str, Payload | int]:
    """An image as the four columns that hold it."""
    if image is None:
        return {f"{prefix}_state": None, f"{prefix}_why": None, f"{prefix}_is_error": None, f"{prefix}_answer": None}
    return {
        f"{prefix}_state": image.state,
        f"{prefix}_why": image.why,
        f"{prefix}_is_error": int(image.is_protocol_error),
        f"{prefix}_answer": keep(connection, image.answer),
    }
