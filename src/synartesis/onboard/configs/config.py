"""What both formats have in common: a text, the values in it, where each stands, and what has to be replaced to change one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from synartesis.errors import UsageError

Path: TypeAlias = tuple[str, ...]
"""Keys from the root to a value."""


class Splice(NamedTuple):
    """At a place of a text, replace one piece by another."""

    at: int
    old: str
    new: str


class Span(NamedTuple):
    start: int
    end: int


class NotUnderstood(UsageError):
    """The file is not what its format allows, or not what we can change without risk. Nothing was changed."""


class Config(Protocol):
    """A configuration that was understood. Edits come back as splices of its text; nothing here changes."""

    @property
    def text(self) -> str: ...

    @property
    def data(self) -> Mapping[str, Any]:
        """All of it as plain values."""

    def source(self, path: Path) -> str | None:
        """The text of a value; None where there is none."""

    def put(self, path: Path, source: str) -> list[Splice]:
        """The value written so, replaced or added to the table that holds it. Raises NotUnderstood."""

    def add(self, path: Path, fields: Mapping[str, str | list[str]]) -> list[Splice]:
        """A new table with these fields, and whatever tables on the way to it are missing. Raises NotUnderstood."""

    def remove(self, path: Path) -> list[Splice]:
        """The value gone, with its key."""

    def spell(self, value: str | list[str]) -> str:
        """A value as this format writes it."""

    def span(self, path: Path) -> Span:
        """Where a value stands, its key included. Raises KeyError."""

    def leaves(self, path: Path) -> list[tuple[Path, Span]]:
        """Every single value below a path."""


def apply(text: str, splices: Iterable[Splice]) -> str:
    """All replacements at once; their places are those of the text before. Those at one place are made in the given order."""
    pieces, done = [], 0
    for splice in sorted(splices, key=lambda splice: splice.at):
        assert text.startswith(splice.old, splice.at)
        assert splice.at >= done
        pieces += [text[done : splice.at], splice.new]
        done = splice.at + len(splice.old)
    return "".join([*pieces, text[done:]])


def reversed_splices(splices: Iterable[Splice]) -> list[Splice]:
    """What turns the result back into the text before."""
    back, moved = [], 0
    for at, old, new in sorted(splices, key=lambda splice: splice.at):
        back.append(Splice(at + moved, new, old))
        moved += len(new) - len(old)
    return back


def line_and_column(text: str, at: int) -> tuple[int, int]:
    """Both from 1."""
    before = text[:at]
    return before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1


def line_end_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def look_up(data: Any, path: Sequence[str]) -> Any:
    """The value at a path of tables; None where there is none."""
    for key in path:
        if not isinstance(data, Mapping) or key not in data:
            return None
        data = data[key]
    return data
