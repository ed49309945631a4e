"""Payloads come back byte for byte, and are kept once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.records import InverseCall, Read
from synartesis.journal import rows
from synartesis.journal.blobs import INLINE_BYTES, fetch, keep
from synartesis.journal.database import open_database
from synartesis.journal.parts import MOST_BYTES, cut

TEXT = st.text(max_size=20)
PATHS = TEXT.filter(lambda path: not path.startswith(("$", "?")))
PAIRS = st.lists(st.tuples(TEXT, TEXT), max_size=2).map(tuple)
CALLS = st.builds(InverseCall, TEXT, TEXT, st.binary(), st.lists(PATHS, max_size=3).map(tuple), PAIRS, PAIRS)


@given(st.lists(st.binary()))
def test_what_is_packed_comes_back(parts: list[bytes]) -> None:
    assert rows.unpack(rows.pack(parts)) == parts


@given(st.none() | st.lists(CALLS, max_size=3).map(tuple))
def test_an_inverse_comes_back(calls: tuple[InverseCall, ...] | None) -> None:
    assert rows.unpack_inverse(rows.pack_inverse(calls)) == calls


@given(st.none() | st.builds(Read, TEXT, TEXT, st.binary(), st.binary()))
def test_a_read_comes_back(read: Read | None) -> None:
    assert rows.unpack_read(rows.pack_read(read)) == read


def text_of(size: int, *, seed: int = 0) -> bytes:
    """Hexadecimal text, every line another."""
    made = Random(seed)
    return b"".join(made.randbytes(40).hex().encode() + b"\\n" for _ in range(size // 82 + 1))[:size]


@given(st.binary(max_size=50), st.integers(0, 3), st.integers(0, 200_000))
def test_parts_are_the_whole(some: bytes, times: int, of_text: int) -> None:
    payload = some * 3000 * times + text_of(of_text)

    parts = list(cut(payload))

    assert b"".join(parts) == payload
    assert all(0 < len(part) <= MOST_BYTES for part in parts)


def test_a_small_change_in_a_large_payload_makes_few_new_parts() -> None:
    before = text_of(1_000_000)
    after = b"a word" + before[:500_000] + b"another" + before[500_000:]

    new = set(cut(after)) - set(cut(before))

    assert sum(map(len, new)) < 4 * MOST_BYTES


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = open_database(str(tmp_path / "journal.db"))
    yield connection
    connection.close()


@pytest.mark.parametrize(
    "payload",
    [b"", b"{}", b"\x00\xff" * INLINE_BYTES, b"a" * 4_000_000, bytes(range(256)) * 40, text_of(2_000_000)],
    ids=["empty", "small", "binary", "4 MB of the same", "does not compress", "2 MB of text"],
)
def test_a_payload_comes_back(connection: sqlite3.Connection, payload: bytes) -> None:
    assert fetch(connection, keep(connection, payload)) == payload


def test_a_large_payload_is_kept_once_and_compressed(connection: sqlite3.Connection) -> None:
    payload = b'{"name":"Ada Lovelace","plan":"pro"},' * 3000

    columns = {keep(connection, payload) for _ in range(10)}

    assert len(columns) == 1
    ((size, stored),) = connection.execute("SELECT size, length(body) FROM blobs").fetchall()
    assert size == len(payload)
    assert stored < size / 10


def test_a_text_inside_several_payloads_is_kept_once(connection: sqlite3.Connection) -> None:
    text = text_of(1_000_000)
    arguments = b'{"path":"/a","content":"' + text + b'"}'
    answer = b'{"content":[{"type":"text","text":"' + text + b'"}],"structuredContent":{"content":"' + text + b'"}}'

    columns = [keep(connection, payload) for payload in (arguments, answer)]

    assert [fetch(connection, column) for column in columns] == [arguments, answer]
    (stored,) = connection.execute("SELECT sum(size) FROM blobs WHERE encoding <> 'parts'").fetchone()
    assert stored < 1.2 * len(text)


def test_a_payload_that_lacks_a_part_cannot_be_had(connection: sqlite3.Connection) -> None:
    column = keep(connection, text_of(1_000_000))
    connection.execute("DELETE FROM blobs WHERE number = 3")

    assert fetch(connection, column) is None
