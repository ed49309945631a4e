"""Which lines of a text were changed, as far as that can be said. Pure.

Where one of three equal lines was removed, a comparison names one of the three at will. Two changes can be told apart only by
what every comparison agrees on, so a change here covers each line that one shortest way from text to text replaces or moves,
though another one keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

MAX_CHANGED = 1_000
"""Lines removed and added on one side: the time that a comparison takes grows with the square of it."""

MAX_PLACES = 500_000
"""Places that the shortest ways pass through: they are many where much was changed among thousands of equal lines."""


class TooMuch(Exception):
    """More was changed than can be compared while a person waits."""


class Change(msgspec.Struct, frozen=True):
    """The lines from `start` to `end` of the base became these."""

    start: int
    end: int
    lines: tuple[str, ...]

    def touches(self, other: Change) -> bool:
        return self.start <= other.end and other.start <= self.end


def split_lines(text: str) -> list[str]:
    """With their ends. Only a line feed ends one: whatever else might is part of the text."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def changes(base: Sequence[str], side: Sequence[str]) -> list[Change]:
    """In order; no two touch each other. Raises TooMuch."""
    ways = _shortest_ways(base, side)
    found: list[Change] = []
    start: int | None = None
    for at, here in enumerate(ways):
        if len(here) > 1 and start is None:
            start = at
        if at < len(base) and not _is_kept(base, side, ways, at):
            start = at if start is None else start
        elif start is not None:
            found.append(Change(start, at, tuple(side[min(ways[start]) : max(here)])))
            start = None
    return found


_Ways: TypeAlias = list[dict[int, int]]
"""For each place between two lines of the base: the places of the side that a shortest way passes there, and after how many
steps."""


def _is_kept(base: Sequence[str], side: Sequence[str], ways: _Ways, at: int) -> bool:
    """Whether every shortest way keeps this line, as the same line of the side."""
    here, then = ways[at], ways[at + 1]
    if any(then.get(other) == steps + 1 for other, steps in here.items()):
        return False
    return sum(then.get(other + 1) == steps and base[at] == side[other] for other, steps in here.items()) == 1


def _shortest_ways(base: Sequence[str], side: Sequence[str]) -> _Ways:
    """A place lies on a shortest way where the steps that lead to it and those that lead on from it are as many as all."""
    forth = _furthest(base, side)
    back = _furthest(base[::-1], side[::-1])
    length, all_steps = len(base), len(forth) - 1
    ways: _Ways = [{} for _ in range(length + 1)]
    places = 0
    for steps, reached in enumerate(forth):
        left = back[all_steps - steps]
        for diagonal, last in reached.items():
            met = left.get(length - len(side) - diagonal)
            if met is None or length - met > last:
                continue
            first = max(length - met, diagonal, 0)
            places += last - first + 1
            if places > MAX_PLACES + length:
                raise TooMuch
            for at in range(first, last + 1):
                ways[at][at - diagonal] = steps
    return ways


def _furthest(a: Sequence[str], b: Sequence[str]) -> list[dict[int, int]]:
    """E. Myers, "An O(ND) Difference Algorithm", 1986: for each number of steps, how far in `a` they lead on each diagonal (place
    in `a` less place in `b`); up to the number that leads to both ends. Raises TooMuch."""
    end_a, end_b = len(a), len(b)
    found: list[dict[int, int]] = []
    for steps in range(MAX_CHANGED + 1):
        last = found[-1] if found else {}
        reached: dict[int, int] = {}
        for diagonal in range(-min(steps, 2 * end_b - steps), min(steps, 2 * end_a - steps) + 1, 2):
            at = 0 if not steps else -1
            if (removed := last.get(diagonal - 1)) is not None:
                at = min(removed + 1, end_a)
            if (added := last.get(diagonal + 1)) is not None:
                at = max(at, min(added, end_b + diagonal))
            while at < end_a and at - diagonal < end_b and a[at] == b[at - diagonal]:
                at += 1
            reached[diagonal] = at
        found.append(reached)
        if reached.get(end_a - end_b) == end_a:
            return found
    raise TooMuch
