"""Differences between two values, in lines: the path, what was expected and what is there."""

from __future__ import annotations

from collections.abc import Iterable

from synartesis.domain.canonical import Json
from synartesis.domain.paths import Path, render_path
from synartesis.present.safe_text import SHORT, printable, shortened, wrapped
from synartesis.present.style import Style
from synartesis.present.values import one_line, value_lines, with_blobs_told

MAX_DIFFERENCES = 20
"""More are counted, and shown with --full."""


def difference_lines(
    found: Iterable[tuple[Path, Json, Json]],
    style: Style,
    *,
    indent: str,
    expected: str = "expected",
    actual: str = "actual",
) -> list[str]:
    """One block per path. The two labels say what the values are, and are aligned with each other."""
    found = list(found)
    shown = found if style.full else found[:MAX_DIFFERENCES]
    width = max(len(expected), len(actual))
    lines: list[str] = []
    for path, left, right in shown:
        lines.append(f"{indent}{path_text(path)}")
        sides = (left, right) if style.full else _told_apart(path, left, right)
        for label, value in zip((expected.ljust(width), actual.ljust(width)), sides, strict=True):
            lines += value_lines(value, style, indent=indent + "  ", label=label)
    if len(found) > len(shown):
        lines.append(f"{indent}… {len(found) - len(shown):,} more differences; --full shows them …")
    return lines


def _told_apart(path: Path, left: Json, right: Json) -> tuple[Json, Json]:
    """Both with their bytes told, unless that would tell the same of both."""
    key = path[-1] if path else None
    told = with_blobs_told(left, key=key), with_blobs_told(right, key=key)
    return (left, right) if told[0] == told[1] else told


def change_lines(path: Path, old: Json, new: Json, style: Style, *, indent: str) -> list[str]:
    """One place, from what is there to what will be. Of a text with lines, only those that change, with a line around them."""
    if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        return [f"{indent}{path_text(path)}", *_changed_lines(old, new, style, indent=indent + "  ")]
    limit = None if style.full else SHORT
    text = f"{path_text(path)}: {one_line(old, limit)} -> {one_line(new, limit)}"
    return wrapped(text, style.width, indent=indent, hanging=indent + "  | ")


def _changed_lines(old: str, new: str, style: Style, *, indent: str) -> list[str]:
    from difflib import unified_diff

    found = list(unified_diff(old.split("\n"), new.split("\n"), lineterm="", n=1))[2:]
    shown = found if style.full else found[:MAX_DIFFERENCES]
    lines = [indent + shortened(line, None if style.full else SHORT) for line in shown]
    if len(found) > len(shown):
        lines.append(f"{indent}… {len(found) - len(shown):,} more lines; --full shows them …")
    return lines


def path_text(path: Path) -> str:
    return printable(render_path(path)) or "the whole value"
