"""Paths into JSON values: `.field`, `["field.with dots"]`, `[0]`, `[]` (the same of every element). They copy, never compute."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, TypeAlias


class Each(NamedTuple):
    """`[]`: every element of a list."""


EACH = Each()

Segment: TypeAlias = str | int | Each
Path: TypeAlias = tuple[Segment, ...]

_SEGMENT = re.compile(
    r"""
    \.(?P<field>[^.\[\]"\s?$]+)            # .field
  | \[(?P<index>\d+)\]                      # [0]
  | (?P<each>\[\])                          # []
  | \["(?P<quoted>(?:[^"\\]|\\.)*)"\]       # ["any key"]
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)")
_PLAIN = re.compile(r"[^.\[\]\"\s?$]+")


class PathNotFound(LookupError):
    """The value has nothing at this path. `reached` is the part of the path that exists."""

    def __init__(self, reached: Path, missing: Segment) -> None:
        super().__init__(f"nothing at {render_path((*reached, missing))}")
        self.reached = reached
        self.missing = missing


def parse_path(text: str) -> Path:
    """A path written from the root: `a.b[0]`, `.a`, `["x y"].z`, `labels[].name`; empty is the root itself.

    Raises ValueError, quoting the part that cannot be read.
    """
    path, rest = scan_path(text if not text or text[0] in ".[" else "." + text)
    if rest:
        raise ValueError(f"cannot read {rest!r} in the path {text!r}")
    return path


def scan_path(text: str) -> tuple[Path, str]:
    """The longest path at the start of a text, and what follows it."""
    segments: list[Segment] = []
    at = 0
    while found := _SEGMENT.match(text, at):
        at = found.end()
        if (field := found["field"]) is not None:
            segments.append(field)
        elif (index := found["index"]) is not None:
            segments.append(int(index))
        elif found["each"] is not None:
            segments.append(EACH)
        else:
            segments.append(_ESCAPE.sub(r"\1", found["quoted"]))
    return tuple(segments), text[at:]


def render_path(path: Path) -> str:
    """The shortest spelling that `parse_path` reads back as the same path."""
    text = ""
    for segment in path:
        if isinstance(segment, Each):
            text += "[]"
        elif isinstance(segment, int):
            text += f"[{segment}]"
        elif _PLAIN.fullmatch(segment):
            text += "." + segment if text else segment
        else:
            quoted = segment.replace("\\", "\\\\").replace('"', '\\"')
            text += f'["{quoted}"]'
    return text


def get_path(value: Any, path: Path) -> Any:
    """What stands at the path; `[]` makes a list. Raises PathNotFound: a null on the way is not an absence turned into null."""
    for at, segment in enumerate(path):
        if isinstance(segment, Each):
            if not isinstance(value, list):
                raise PathNotFound(path[:at], segment)
            try:
                return [get_path(element, path[at + 1 :]) for element in value]
            except PathNotFound as below:
                raise PathNotFound((*path[: at + 1], *below.reached), below.missing) from None
        if isinstance(segment, int):
            if not isinstance(value, list) or segment >= len(value):
                raise PathNotFound(path[:at], segment)
            value = value[segment]
        else:
            if not isinstance(value, dict) or segment not in value:
                raise PathNotFound(path[:at], segment)
            value = value[segment]
    return value


def covers(pattern: Path, path: Path) -> bool:
    """Whether `path` is what `pattern` names or lies below it; `[]` in the pattern stands for any element."""
    if len(path) < len(pattern):
        return False
    for wanted, found in zip(pattern, path, strict=False):
        if isinstance(wanted, Each):
            if not isinstance(found, int | Each):
                return False
        elif wanted != found:
            return False
    return True
