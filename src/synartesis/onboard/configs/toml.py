"""TOML with the place of every value. What it means is for the standard library to say; this only finds where it stands.

Whatever is not one of the usual ways to write a table of servers is refused: an edit is made only where, read again, it changed
what it should and nothing else (`onboard.edits` sees to that).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from synartesis.onboard.configs.config import NotUnderstood, Path, Span, Splice, line_and_column, line_end_of, look_up

_SPACE = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
    re.DOTALL,
)
_BARE_VALUE = re.compile(r"[^,\]}#\n]*")


class Spot(NamedTuple):
    """One `key = value`, wherever it stands."""

    path: Path
    start: int
    value: Span
    is_inline: bool
    """In an inline table, not on a line of its own."""


class Header(NamedTuple):
    """One `[table]`; `in_list` for `[[table]]`."""

    path: Path
    start: int
    end: int
    in_list: bool


def read_toml(text: str, name: str) -> TomlConfig:
    """Raises NotUnderstood with line and column."""
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r" \(at line (\d+), column (\d+)\)| \(at end of document\)", str(error))
        where = f":{found[1]}:{found[2]}" if found and found[1] else ""
        what = str(error)[: found.start()] if found else str(error)
        at_end = " at the end of the file" if found and not found[1] else ""
        raise NotUnderstood(
            f"{name}{where}: {what[0].lower() + what[1:]}{at_end}",
            hint="mend the file, then try again; nothing was changed",
        ) from None
    scanner = _Scanner(text, name)
    scanner.run()
    return TomlConfig(text, data, name, tuple(scanner.headers), tuple(scanner.spots))


@dataclass(frozen=True)
class TomlConfig:
    text: str
    data: Mapping[str, Any]
    name: str
    headers: tuple[Header, ...]
    spots: tuple[Spot, ...]

    def source(self, path: Path) -> str | None:
        spot = self._spot(path)
        return None if spot is None else self.text[spot.value.start : spot.value.end]

    def put(self, path: Path, source: str) -> list[Splice]:
        spot = self._spot(path)
        if spot is not None:
            return [Splice(spot.value.start, self.text[spot.value.start : spot.value.end], source)]
        beside = [spot for spot in self.spots if spot.path[:-1] == path[:-1]]
        if not beside:
            self._refuse(path)
        last = beside[0]
        if last.is_inline:
            return [Splice(last.value.end, "", f", {_key(path[-1])} = {source}")]
        written = self.text[last.start : last.value.start]
        key = written.rpartition("=")[0].rstrip()
        prefix = key[: key.rindex(".") + 1] if "." in key and not key.endswith(('"', "'")) else ""
        line = f"{line_end_of(self.text)}{self._indent_at(last.start)}{prefix}{_key(path[-1])} = {source}"
        return [Splice(self._line_end(last.value.end), "", line)]

    def add(self, path: Path, fields: Mapping[str, str | list[str]]) -> list[Splice]:
        if self._spot(path[:-1]) is not None:
            self._refuse(path[:-1])
        newline = line_end_of(self.text)
        lines = [
            f"[{'.'.join(map(_key, path))}]",
            *(f"{_key(key)} = {self.spell(value)}" for key, value in fields.items()),
        ]
        before = "" if not self.text.strip() else newline if self.text.endswith("\n") else newline * 2
        return [Splice(len(self.text), "", before + "".join(line + newline for line in lines))]

    def remove(self, path: Path) -> list[Splice]:
        spot = self._spot(path)
        if spot is not None and spot.is_inline:
            return [self._without_inline(spot)]
        if spot is not None:
            return [self._without_lines(spot.start, spot.value.end)]
        parts = [header for header in self.headers if header.path[: len(path)] == path]
        if not parts:
            self._refuse(path)
        return [self._without_lines(header.start, self._section_end(header)) for header in parts]

    def spell(self, value: str | list[str]) -> str:
        if isinstance(value, list):
            return "[" + ", ".join(map(self.spell, value)) + "]"
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

    def span(self, path: Path) -> Span:
        pieces = [Span(header.start, header.end) for header in self.headers if header.path[: len(path)] == path]
        pieces += [Span(spot.start, spot.value.end) for spot in self.spots if spot.path[: len(path)] == path]
        if not pieces:
            raise KeyError(path)
        return Span(min(piece.start for piece in pieces), max(piece.end for piece in pieces))

    def leaves(self, path: Path) -> list[tuple[Path, Span]]:
        below = [spot for spot in self.spots if spot.path[: len(path)] == path]
        return [(spot.path, spot.value) for spot in below if not isinstance(look_up(self.data, spot.path), dict)]

    # --- below: how

    def _spot(self, path: Path) -> Spot | None:
        return next((spot for spot in self.spots if spot.path == path), None)

    def _refuse(self, path: Path) -> NoReturn:
        raise NotUnderstood(
            f"{self.name}: {'.'.join(path)} is written in a way that cannot be changed without risk",
            hint="write it as a table of its own, `[mcp_servers.NAME]`, then try again; nothing was changed",
        )

    def _without_inline(self, spot: Spot) -> Splice:
        """The member with one comma: the one before it, else the one behind it."""
        before = self.text[: spot.start].rstrip()
        if before.endswith(","):
            return Splice(len(before) - 1, self.text[len(before) - 1 : spot.value.end], "")
        after = re.compile(r"[ \t]*,?").match(self.text, spot.value.end)
        assert after is not None
        return Splice(spot.start, self.text[spot.start : after.end()], "")

    def _without_lines(self, start: int, end: int) -> Splice:
        start = self.text.rfind("\n", 0, start) + 1
        if self.text.startswith("[", start):  # with the empty line that set the table apart
            start -= next((len(blank) for blank in ("\r\n", "\n") if self.text[:start].endswith("\n" + blank)), 0)
        end = self.text.find("\n", end) + 1 or len(self.text)
        return Splice(start, self.text[start:end], "")

    def _section_end(self, header: Header) -> int:
        """Where the last assignment below a header ends."""
        ends = [other.start for other in self.headers if other.start > header.start]
        limit = min(ends, default=len(self.text))
        below = [spot.value.end for spot in self.spots if header.start < spot.start < limit and not spot.is_inline]
        return max([header.end, *below])

    def _line_end(self, at: int) -> int:
        """Where the line break of a line stands."""
        end = self.text.find("\n", at)
        if end < 0:
            return len(self.text)
        return end - 1 if self.text[end - 1] == "\r" and end > at else end

    def _indent_at(self, at: int) -> str:
        return self.text[self.text.rfind("\n", 0, at) + 1 : at]


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)


class _Scanner:
    """Over a text that is known to be TOML."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        self.headers: list[Header] = []
        self.spots: list[Spot] = []

    def run(self) -> None:
        table: Path = ()
        at = self._match(_BLANK, 1 if self._text.startswith("\ufeff") else 0)
        while at < len(self._text):
            if self._text.startswith("[", at):
                header = self._header(at)
                self.headers.append(header)
                # Values in a list of tables are nobody's by name.
                table, at = ((*header.path, "[]") if header.in_list else header.path), header.end
            else:
                at = self._assignment(at, table, is_inline=False)
            at = self._match(_BLANK, at)

    def _header(self, start: int) -> Header:
        in_list = self._text.startswith("[[", start)
        path, at = self._keys(start + 1 + in_list)
        return Header(path, start, self._expect("]]" if in_list else "]", at), in_list)

    def _assignment(self, start: int, table: Path, *, is_inline: bool) -> int:
        keys, at = self._keys(start)
        at = self._match(_SPACE, self._expect("=", at))
        path = (*table, *keys)
        end = self._value(at, path)
        self.spots.append(Spot(path, start, Span(at, end), is_inline))
        return end

    def _keys(self, at: int) -> tuple[Path, int]:
        keys: list[str] = []
        while True:
            at = self._match(_SPACE, at)
            end = self._match(_STRING if self._text[at] in "\"'" else _BARE_KEY, at)
            written = self._text[at:end]
            keys.append(next(iter(tomllib.loads(f"{written} = 0"))))
            at = self._match(_SPACE, end)
            if not self._text.startswith(".", at):
                return tuple(keys), at
            at += 1

    def _value(self, at: int, path: Path) -> int:
        opening = self._text[at]
        if opening in "\"'":
            return self._match(_STRING, at)
        if opening == "[":
            return self._list(at, path)
        if opening == "{":
            return self._inline_table(at, path)
        return at + len(self._text[at : self._match(_BARE_VALUE, at)].rstrip())

    def _list(self, start: int, path: Path) -> int:
        at, item = self._match(_BLANK, start + 1), 0
        while not self._text.startswith("]", at):
            at = self._match(_BLANK, self._value(at, (*path, f"[{item}]")))
            at = self._match(_BLANK, at + 1) if self._text.startswith(",", at) else at
            item += 1
        return at + 1

    def _inline_table(self, start: int, path: Path) -> int:
        at = self._match(_BLANK, start + 1)
        while not self._text.startswith("}", at):
            at = self._match(_BLANK, self._assignment(at, path, is_inline=True))
            at = self._match(_BLANK, at + 1) if self._text.startswith(",", at) else at
        return at + 1

    def _match(self, pattern: re.Pattern[str], at: int) -> int:
        found = pattern.match(self._text, at)
        if found is None:
            self._lost(at)
        return found.end()

    def _expect(self, what: str, at: int) -> int:
        if not self._text.startswith(what, at):
            self._lost(at)
        return at + len(what)

    def _lost(self, at: int) -> NoReturn:
        line, column = line_and_column(self._text, at)
        raise NotUnderstood(
            f"{self._name}:{line}:{column}: this is written in a way that cannot be changed without risk",
            hint="nothing was changed",
        )
