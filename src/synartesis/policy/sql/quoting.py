"""Text of a statement as a reason quotes it."""

from __future__ import annotations

_QUOTED = 80
_TAIL = 15


def quote(text: str) -> str:
    """The text for a reason, on one line, its head and tail where it is long."""
    line = " ".join(text[: 20 * _QUOTED].split() + text[20 * _QUOTED :][-_QUOTED:].split())
    if not line:
        return "(nothing)"
    if len(line) > _QUOTED:
        line = f"{line[: _QUOTED - 5 - _TAIL]} ... {line[-_TAIL:]}"
    return f"`{line}`"
