from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from synartesis.wire.lines import HEAD_BYTES, TAIL_BYTES, Line, LineSplitter, LineTooLong


def feed_in_pieces(splitter: LineSplitter, data: bytes, cuts: list[int]) -> list[Line]:
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    pieces = [data[start:end] for start, end in pairwise(places)]
    return [line for piece in pieces for line in splitter.feed(piece)] + splitter.finish()


@given(
    lines=st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"\r") + b"\n"), max_size=12),
    cuts=st.lists(st.integers(min_value=0), max_size=12),
)
def test_any_split_of_the_bytes_gives_the_same_lines(lines: list[bytes], cuts: list[int]) -> None:
    assert feed_in_pieces(LineSplitter(), b"".join(lines), cuts) == lines


def test_a_line_keeps_its_own_ending() -> None:
    assert LineSplitter().feed(b'{"a":1}\r\n{"b":2}\n') == [b'{"a":1}\r\n', b'{"b":2}\n']


def test_a_last_line_without_an_ending_is_given_one() -> None:
    splitter = LineSplitter()

    assert splitter.feed(b"one\ntwo") == [b"one\n"]
    assert splitter.finish() == [b"two\n"]
    assert splitter.finish() == []


@given(size=st.integers(min_value=11, max_value=60), cuts=st.lists(st.integers(min_value=0), max_size=6))
def test_a_line_above_the_limit_is_dropped_and_the_next_one_is_whole(size: int, cuts: list[int]) -> None:
    data = b"x" * (size - 1) + b"\n" + b"short\n"

    dropped, following = feed_in_pieces(LineSplitter(limit=10), data, cuts)

    assert isinstance(dropped, LineTooLong)
    assert dropped.size == size
    assert b"x" * size == dropped.head.rstrip(b"\n").ljust(size, b"x")
    assert dropped.tail == data[:size]
    assert following == b"short\n"


def test_both_ends_of_a_dropped_line_are_kept() -> None:
    line = b"<" + b"a" * HEAD_BYTES + b"b" * TAIL_BYTES + b">\n"

    [dropped] = feed_in_pieces(LineSplitter(limit=HEAD_BYTES), line, [5, 20, HEAD_BYTES + 3, len(line) - 2])

    assert dropped == LineTooLong(line[:HEAD_BYTES], line[-TAIL_BYTES:], len(line))


def test_a_line_of_exactly_the_limit_passes() -> None:
    assert LineSplitter(limit=6).feed(b"12345\n") == [b"12345\n"]
