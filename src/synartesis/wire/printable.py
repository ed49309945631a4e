"""Text from outside made fit for a log line: no control, bidirectional or invisible characters, and an end."""

from __future__ import annotations

import re

_UNFIT = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def printable(text: str, limit: int = 500) -> str:
    """The text with unfit characters as visible codes, cut to `limit` characters."""
    shown = _UNFIT.sub(_code, text[: limit + 1])
    return shown if len(text) <= limit else f"{shown[:limit]}... ({len(text)} characters)"


def _code(match: re.Match[str]) -> str:
    point = ord(match.group())
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
