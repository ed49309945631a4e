"""Payloads: the exact bytes of arguments, answers and inverses, each distinct one kept once. Runs inside the
transactions of others."""

from __future__ import annotations

import sqlite3
from hashlib import sha256

from synartesis.domain.records import Image
from synartesis.journal.rows import Payload

INLINE_BYTES = 2048
"""Up to here the bytes stay in the row that they belong to: finding them elsewhere costs more than having them
twice."""
COMPRESS_BYTES = 4096
"""From here compression is tried, and kept where it helps."""


def keep(connection: sqlite3.Connection, payload: bytes | None) -> Payload:
    """Store a payload. Returns what goes into the column."""
    if payload is None or len(payload) <= INLINE_BYTES:
        return payload
    digest = sha256(payload).hexdigest()
    there = connection.execute("SELECT 1 FROM blobs WHERE digest = :digest", {"digest": digest}).fetchone()
    if there is None:
        encoding, body = _packed(payload)
        connection.execute(
            "INSERT INTO blobs (digest, size, encoding, body) VALUES (:digest, :size, :encoding, :body)",
            {"digest": digest, "size": len(payload), "encoding": encoding, "body": body},
        )
    return digest


def fetch(connection: sqlite3.Connection, payload: Payload) -> bytes | None:
    """The bytes of a column. None also for a payload that was dropped: it cannot be had any more."""
    if payload is None or isinstance(payload, bytes):
        return payload
    row = connection.execute("SELECT encoding, body FROM blobs WHERE digest = :digest", {"digest": payload}).fetchone()
    if row is None:
        return None
    encoding, body = row
    if encoding == "zlib":
        import zlib

        body = zlib.decompress(body)
    return bytes(body)


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


def _packed(payload: bytes) -> tuple[str, bytes]:
    if len(payload) >= COMPRESS_BYTES:
        import zlib

        smaller = zlib.compress(payload, 1)
        if len(smaller) < len(payload) - len(payload) // 8:
            return "zlib", smaller
    return "plain", payload
