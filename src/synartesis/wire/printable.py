"""Text from outside made fit for a log line: no control, bidirectional or invisible characters, and an end."""

from __future__ import annotations

import re

_UNFIT = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def printable(text: str, limit: int = 500) -> str:
    """The text with unfit characters as visible codes, cut to `limit` characters."""
    shown = _UNFIT.sub(_code, text[: limit + 1])
    return shown if len(text) <= limit else f"{shown[:limit]}... ({len(text)} characters)"


def _code(match: re.Match[str]) -> str:
    point = ord(match.group())
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
