"""Three states merged: what was there before the agent's call, what the call left, and what is there now. What the agent changed
goes back, what somebody else changed stays, and where both touched one place there is no answer. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from synartesis.domain.canonical import MISSING, Json, Missing, differences
from synartesis.domain.paths import Path, covers, render_path
from synartesis.undo.lines import TooMuch, changes, split_lines


class Overlap(msgspec.Struct, frozen=True):
    """Both changed the same place, in different ways."""

    path: Path
    why: str = "was changed by somebody else as well"

    def __str__(self) -> str:
        return f"{render_path(self.path) or 'the whole value'} {self.why}"


def merge(
    before: Json, after: Json, now: Json, *, ignore: Iterable[Path] = (), unordered: Iterable[Path] = ()
) -> Json | Overlap:
    """`now` with the change from `before` to `after` taken back. Objects are merged key by key; a list is one value, and so is
    a text unless it has lines to merge. What is at `ignore` stays as it is now. MISSING is what is not there."""
    try:
        return _merged(before, after, now, (), tuple(ignore), tuple(unordered))
    except _Overlapping as found:
        return found.overlap


class _Overlapping(Exception):
    def __init__(self, overlap: Overlap) -> None:
        super().__init__(str(overlap))
        self.overlap = overlap


def _merged(
    before: Json, after: Json, now: Json, path: Path, ignore: tuple[Path, ...], unordered: tuple[Path, ...]
) -> Json:
    """Raises _Overlapping."""
    if any(covers(pattern, path) for pattern in ignore):
        return now
    if _same(after, now, path, ignore, unordered):
        return _with_ignored(before, now, path, ignore)
    if _same(before, after, path, ignore, unordered) or _same(before, now, path, ignore, unordered):
        return now
    if isinstance(before, dict) and isinstance(after, dict) and isinstance(now, dict):
        merged = {}
        for key in [*now, *(key for key in before if key not in now)]:
            ours, base, theirs = (one.get(key, MISSING) for one in (before, after, now))
            value = _merged(ours, base, theirs, (*path, key), ignore, unordered)
            if not isinstance(value, Missing):
                merged[key] = value
        return merged
    if isinstance(before, str) and isinstance(after, str) and isinstance(now, str):
        return _merged_lines(before, after, now, path)
    raise _Overlapping(Overlap(path))


def _with_ignored(before: Json, now: Json, path: Path, ignore: tuple[Path, ...]) -> Json:
    """The value before, with what moves by itself as it is now."""
    below = [pattern for pattern in ignore if len(pattern) > len(path)]
    if not below or not isinstance(before, dict) or not isinstance(now, dict):
        return before
    value = {}
    for key in [*before, *(key for key in now if key not in before)]:
        here = (*path, key)
        if any(covers(pattern, here) for pattern in below):
            if key in now:
                value[key] = now[key]
        elif key in before:
            value[key] = _with_ignored(before[key], now.get(key, MISSING), here, ignore)
    return value


def _merged_lines(before: str, after: str, now: str, path: Path) -> str:
    """Line by line, as version control does it: each side's changes to `after` are made to it. Lines that touch each other
    were changed by both. Raises _Overlapping."""
    base, ours, theirs = map(split_lines, (after, before, now))
    try:
        mine, other = changes(base, ours), changes(base, theirs)
    except TooMuch:
        why = "was changed by somebody else as well, and in too many lines to merge"
        raise _Overlapping(Overlap(path, why)) from None
    if any(one.touches(their) and one != their for one in mine for their in other):
        raise _Overlapping(Overlap(path))
    merged = list(base)
    for one in sorted({*mine, *other}, key=lambda change: change.start, reverse=True):
        merged[one.start : one.end] = one.lines
    return "".join(merged)


def _same(a: Json, b: Json, path: Path, ignore: tuple[Path, ...], unordered: tuple[Path, ...]) -> bool:
    return not differences(a, b, ignore=_below(ignore, path), unordered=_below(unordered, path))


def _below(patterns: tuple[Path, ...], path: Path) -> list[Path]:
    """The patterns as they read from this place on."""
    return [
        pattern[len(path) :] for pattern in patterns if len(pattern) >= len(path) and covers(pattern[: len(path)], path)
    ]
