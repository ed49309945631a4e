"""Large payloads cut into parts, so that two of them which are mostly alike share most of what is kept: a record before and
after a small change, a text inside an answer and the same text inside the call that puts it back.

Where to cut is told by the bytes themselves, never by how far they are from the start, so that what is inserted moves no
cut behind it. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

LEAST_BYTES = 2 << 10
MOST_BYTES = 64 << 10

_CLASSES = bytes(octet & 3 for octet in range(256))
"""Each byte as one of four; letters, digits, hexadecimal and base64 spread over all of them."""
_MARK = bytes((1, 2, 0))
"""Where these come in a row a cut may be: found at the speed of C, every 64 bytes of a text."""
_WINDOW_BYTES = 48
_ONE_IN = 192
"""Of those, one in so many is a cut, which the bytes before it tell: a part of a text has 14 KiB on average."""


def cut(payload: bytes) -> Iterator[bytes]:
    """The parts of a payload, in order."""
    classes = payload.translate(_CLASSES)
    start = 0
    while start < len(payload):
        end = _next_cut(payload, classes, start)
        yield payload[start:end]
        start = end


def _next_cut(payload: bytes, classes: bytes, start: int) -> int:
    last = start + MOST_BYTES
    at = classes.find(_MARK, start + LEAST_BYTES, last)
    while at >= 0:
        if crc32(payload[at - _WINDOW_BYTES : at]) % _ONE_IN == 0:
            return at
        at = classes.find(_MARK, at + 1, last)
    return last
