"""Bytes to lines, whatever their length and wherever the bytes were split. Sans-IO.

MCP's stdio transport puts a whole message on one line and sets no limit. Each chunk is searched once and joined once, so a
line of 50 MB costs no more per byte than a short one. A line keeps its own ending, so that it can be passed on as it came.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

MAX_LINE_BYTES: Final = 256 * 1024 * 1024
"""A line above this is dropped while it arrives: it would only be held to run out of memory later."""

HEAD_BYTES: Final = 64 * 1024
TAIL_BYTES: Final = 1024
"""How much of both ends of a dropped line is kept: the id that has to be answered stands at one of them."""


class LineTooLong(NamedTuple):
    """A line that was dropped. `head` is how it began, `tail` how it ended, `size` how long it was."""

    head: bytes
    tail: bytes
    size: int


Line: TypeAlias = bytes | LineTooLong


class LineSplitter:
    """Feed it chunks, get lines. `finish` gives what is left when there are no more chunks."""

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._head: bytes | None = None
        """How a line that is being dropped began."""
        self._tail = b""
        """How it has ended so far."""

    def feed(self, data: bytes) -> list[Line]:
        end = data.find(b"\n")
        if end == len(data) - 1 and not self._size and end < self._limit:
            return [data] if data else []  # by far the commonest: one whole line
        lines: list[Line] = []
        start = 0
        while end >= 0:
            lines.append(self._complete(data[start : end + 1]))
            start = end + 1
            end = data.find(b"\n", start)
        if start < len(data):
            self._keep(data[start:] if start else data)
        return lines

    def finish(self) -> list[Line]:
        """The last line where it had no ending; it is given one."""
        return [self._complete(b"\n")] if self._size else []

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._head is not None:
            self._tail = (self._tail + piece[-TAIL_BYTES:])[-TAIL_BYTES:]
            return
        self._parts.append(piece)
        if self._size > self._limit:
            dropped = b"".join(self._parts)
            self._head, self._tail = dropped[:HEAD_BYTES], dropped[-TAIL_BYTES:]
            self._parts.clear()

    def _complete(self, piece: bytes) -> Line:
        if not self._size and len(piece) <= self._limit:
            return piece
        self._keep(piece)
        line: Line
        if self._head is None:
            line = b"".join(self._parts)
        else:
            line = LineTooLong(self._head, self._tail, self._size)
        self._parts.clear()
        self._size, self._head, self._tail = 0, None, b""
        return line
