"""Payloads come back byte for byte, and are kept once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.records import InverseCall, Read
from synartesis.journal import rows
from synartesis.journal.blobs import INLINE_BYTES, fetch, keep
from synartesis.journal.database import open_database

TEXT = st.text(max_size=20)
CALLS = st.builds(InverseCall, TEXT, TEXT, st.binary(), st.lists(TEXT, max_size=3).map(tuple))


@given(st.lists(st.binary()))
def test_what_is_packed_comes_back(parts: list[bytes]) -> None:
    assert rows.unpack(rows.pack(parts)) == parts


@given(st.none() | st.lists(CALLS, max_size=3).map(tuple))
def test_an_inverse_comes_back(calls: tuple[InverseCall, ...] | None) -> None:
    assert rows.unpack_inverse(rows.pack_inverse(calls)) == calls


@given(st.none() | st.builds(Read, TEXT, TEXT, st.binary(), st.binary()))
def test_a_read_comes_back(read: Read | None) -> None:
    assert rows.unpack_read(rows.pack_read(read)) == read


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = open_database(str(tmp_path / "journal.db"))
    yield connection
    connection.close()


@pytest.mark.parametrize(
    "payload",
    [b"", b"{}", b"\x00\xff" * INLINE_BYTES, b"a" * 4_000_000, bytes(range(256)) * 40],
    ids=["empty", "small", "binary", "4 MB of the same", "does not compress"],
)
def test_a_payload_comes_back(connection: sqlite3.Connection, payload: bytes) -> None:
    assert fetch(connection, keep(connection, payload)) == payload


def test_a_large_payload_is_kept_once_and_compressed(connection: sqlite3.Connection) -> None:
    payload = b'{"name":"Ada Lovelace","plan":"pro"},' * 100_000

    columns = {keep(connection, payload) for _ in range(10)}

    assert len(columns) == 1
    ((size, stored),) = connection.execute("SELECT size, length(body) FROM blobs").fetchall()
    assert size == len(payload)
    assert stored < size / 10
