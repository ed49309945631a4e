"""Differences between two values, in lines: the path, what was expected and what is there."""

from __future__ import annotations

from collections.abc import Iterable

from synartesis.domain.canonical import Json
from synartesis.domain.paths import Path, render_path
from synartesis.present.safe_text import printable
from synartesis.present.style import Style
from synartesis.present.values import value_lines

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
        lines += value_lines(left, style, indent=indent + "  ", label=expected.ljust(width))
        lines += value_lines(right, style, indent=indent + "  ", label=actual.ljust(width))
    if len(found) > len(shown):
        lines.append(f"{indent}… {len(found) - len(shown):,} more differences; --full shows them …")
    return lines


def path_text(path: Path) -> str:
    return printable(render_path(path)) or "the whole value"
