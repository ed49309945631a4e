"""JSON as clients read it: with comments, and with commas before a closing bracket. Every value is found with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from synartesis.onboard.configs.config import (
    NotUnderstood,
    Path,
    Span,
    Splice,
    line_and_column,
    line_end_of,
)

DEEPEST = 100
"""No configuration is nested deeper than this."""

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_WORD = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_WORDS = {"true": True, "false": False, "null": None}


class Node(NamedTuple):
    start: int
    end: int
    value: Any
    members: tuple[Member, ...] = ()
    """Those of an object."""
    items: tuple[Node, ...] = ()
    """Those of a list."""


class Member(NamedTuple):
    key: str
    start: int
    """Where the key starts."""
    node: Node
    comma: int | None
    """Where the comma behind it stands."""


def read_json(text: str, name: str) -> JsonConfig:
    """A file whose root is an object; an empty file is one without anything in it. `name` is what messages call the file.
    Raises NotUnderstood with line and column."""
    scanner = _Scanner(text, name)
    at = scanner.blank(1 if text.startswith("\ufeff") else 0)
    if at == len(text):
        return JsonConfig(text, None, name)
    root = scanner.value(at, 0)
    if scanner.blank(root.end) != len(text):
        scanner.fail(scanner.blank(root.end), "the file should end here")
    if not isinstance(root.value, dict):
        scanner.fail(root.start, "the file should hold an object, `{...}`")
    return JsonConfig(text, root, name)


@dataclass(frozen=True)
class JsonConfig:
    text: str
    root: Node | None
    """None where the file is empty."""
    name: str

    @property
    def data(self) -> Mapping[str, Any]:
        return self.root.value if self.root is not None else {}

    def source(self, path: Path) -> str | None:
        node = self._node(path)
        return None if node is None else self.text[node.start : node.end]

    def put(self, path: Path, source: str) -> list[Splice]:
        node = self._node(path)
        if node is not None:
            return [Splice(node.start, self.text[node.start : node.end], source)]
        table = self._node(path[:-1])
        assert table is not None
        return self._insert(table, path[-1], source)

    def add(self, path: Path, fields: Mapping[str, str | list[str]]) -> list[Splice]:
        if self.root is None:
            at = len(self.text)
            return [Splice(at, "", self._nested(path, fields, "", unit="  ") + line_end_of(self.text))]
        depth = next(depth for depth in range(len(path) - 1, -1, -1) if self._node(path[:depth]) is not None)
        table = self._node(path[:depth])
        assert table is not None
        if not isinstance(table.value, dict):
            line, column = line_and_column(self.text, table.start)
            raise NotUnderstood(f"{self.name}:{line}:{column}: {'.'.join(path[:depth])} should be an object, `{{...}}`")
        inside = None if self._is_flat(table) else self._indent_inside(table)
        return self._insert(table, path[depth], self._nested(path[depth + 1 :], fields, inside, unit=self._unit()))

    def remove(self, path: Path) -> list[Splice]:
        table = self._node(path[:-1])
        assert table is not None
        [at] = [at for at, member in enumerate(table.members) if member.key == path[-1]]
        member = table.members[at]
        start = len(self.text[: member.start].rstrip(" \t\r\n"))
        splices = [Splice(start, self.text[start : member.node.end], "")]
        comma = member.comma if member.comma is not None else table.members[at - 1].comma if at else None
        if comma is not None:
            splices.append(Splice(comma, ",", ""))
        if member.comma is None and at and comma == start - 1:  # side by side: one piece, so that they cannot overlap
            splices = [Splice(start - 1, self.text[start - 1 : member.node.end], "")]
        return splices

    def spell(self, value: str | list[str]) -> str:
        return json.dumps(value, ensure_ascii=False)

    def span(self, path: Path) -> Span:
        table = self._node(path[:-1])
        for member in table.members if table is not None else ():
            if member.key == path[-1]:
                return Span(member.start, member.node.end)
        raise KeyError(path)

    def leaves(self, path: Path) -> list[tuple[Path, Span]]:
        node = self._node(path)
        return list(_leaves(path, node)) if node is not None else []

    # --- below: how

    def _node(self, path: Path) -> Node | None:
        node = self.root
        for key in path:
            found = [member.node for member in node.members if member.key == key] if node is not None else []
            if len(found) > 1:
                line, column = line_and_column(self.text, found[1].start)
                raise NotUnderstood(
                    f"{self.name}:{line}:{column}: {json.dumps(key)} is there twice, and programs differ in which one counts",
                    hint="take one of them out, then try again",
                )
            node = found[0] if found else None
        return node

    def _insert(self, table: Node, key: str, source: str) -> list[Splice]:
        """A member behind the last one, before what closes the table; comments keep their places."""
        last = table.members[-1] if table.members else None
        gap_from = _gap_from(table)
        at = gap_from + len(self.text[gap_from : table.end - 1].rstrip(" \t\r\n"))
        colon = ": " if self._is_spaced(last) else ":"
        member = f"{self.spell(key)}{colon}{source}"
        comma = [Splice(last.node.end, "", ",")] if last is not None and last.comma is None else []
        if self._is_flat(table):
            ahead = " " if self._is_spaced(last) else ""
            return [*comma, Splice(at, "", ahead + member)]
        newline = line_end_of(self.text)
        closing = "" if "\n" in self.text[at : table.end - 1] else newline + self._indent_at(table.start)
        ours = f"{newline}{self._indent_inside(table)}{member}{closing}"
        spaces = self.text[at : table.end - 1] if closing else ""
        return [*comma, Splice(at, spaces, ours)]

    def _nested(self, path: Path, fields: Mapping[str, str | list[str]], indent: str | None, *, unit: str) -> str:
        """The fields in a table, in the tables on the way to it; spread over lines where there is an indent."""
        newline = line_end_of(self.text)
        members = [f"{json.dumps(key)}: {self.spell(value)}" for key, value in fields.items()]
        if path:
            deeper = None if indent is None else indent + unit
            members = [f"{self.spell(path[0])}: {self._nested(path[1:], fields, deeper, unit=unit)}"]
        if indent is None:
            return "{" + ", ".join(members) + "}"
        inner = f",{newline}".join(f"{indent}{unit}{member}" for member in members)
        return f"{{{newline}{inner}{newline}{indent}}}"

    def _is_flat(self, table: Node) -> bool:
        """Whether its members stand on one line."""
        if not table.members or self._starts_its_line(table.members[-1].start):
            return False
        return "\n" not in self.text[_gap_from(table) : table.end - 1]

    def _indent_inside(self, table: Node) -> str:
        first = table.members[0] if table.members else None
        if first is not None and self._starts_its_line(first.start):
            return self._indent_at(first.start)
        return self._indent_at(table.start) + self._unit()

    def _unit(self) -> str:
        """By how much this file indents."""
        first = self.root.members[0] if self.root is not None and self.root.members else None
        return (
            self._indent_at(first.start) if first is not None and self._starts_its_line(first.start) else ""
        ) or "  "

    def _indent_at(self, at: int) -> str:
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _starts_its_line(self, at: int) -> bool:
        start = self.text.rfind("\n", 0, at)
        return start >= 0 and not self.text[start:at].strip()

    def _is_spaced(self, member: Member | None) -> bool:
        return member is None or self.text[member.node.start - 1].isspace()


def _gap_from(table: Node) -> int:
    """Where a table's last member, with its comma, ends."""
    if not table.members:
        return table.start + 1
    last = table.members[-1]
    return last.node.end if last.comma is None else last.comma + 1


def _leaves(path: Path, node: Node) -> Iterator[tuple[Path, Span]]:
    for member in node.members:
        yield from _leaves((*path, member.key), member.node)
    for at, item in enumerate(node.items):
        yield from _leaves((*path, str(at)), item)
    if not node.members and not node.items:
        yield path, Span(node.start, node.end)


class _Scanner:
    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name

    def fail(self, at: int, what: str) -> NoReturn:
        line, column = line_and_column(self._text, at)
        lines = self._text.splitlines() or [""]
        quoted = lines[min(line, len(lines)) - 1].strip()[:60]
        raise NotUnderstood(
            f"{self._name}:{line}:{column}: {what}",
            hint=f"the line reads: {quoted}\nmend the file, then try again; nothing was changed",
        )

    def blank(self, at: int) -> int:
        """Past white space and comments."""
        found = _BLANK.match(self._text, at)
        assert found is not None
        if self._text.startswith("/*", found.end()):
            self.fail(found.end(), "this comment is not closed with `*/`")
        return found.end()

    def value(self, at: int, depth: int) -> Node:
        text = self._text
        if depth > DEEPEST:
            self.fail(at, "this is nested too deeply")
        if text.startswith("{", at):
            return self._object(at, depth)
        if text.startswith("[", at):
            return self._list(at, depth)
        if text.startswith('"', at):
            end = self._string(at)
            return Node(at, end, json.loads(text[at:end]))
        word = _WORD.match(text, at)
        if word is None:
            self.fail(at, "a value is missing here" if at < len(text) else "the file ends where a value should be")
        if word[0] in _WORDS:
            return Node(at, word.end(), _WORDS[word[0]])
        return Node(at, word.end(), float(word[0]) if set(word[0]) & set(".eE") else _integer(word[0]))

    def _object(self, start: int, depth: int) -> Node:
        members: list[Member] = []
        at = self.blank(start + 1)
        while not self._text.startswith("}", at):
            if not self._text.startswith('"', at):
                self.fail(at, "a key in double quotes, or `}`, should be here")
            key_end = self._string(at)
            colon = self.blank(key_end)
            if not self._text.startswith(":", colon):
                self.fail(colon, "a `:` is missing here")
            node = self.value(self.blank(colon + 1), depth + 1)
            after = self.blank(node.end)
            comma = after if self._text.startswith(",", after) else None
            if comma is None and not self._text.startswith("}", after):
                self.fail(after, "a `,` or `}` is missing here")
            members.append(Member(json.loads(self._text[at:key_end]), at, node, comma))
            at = after if comma is None else self.blank(comma + 1)
        return Node(start, at + 1, {member.key: member.node.value for member in members}, tuple(members))

    def _list(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        at = self.blank(start + 1)
        while not self._text.startswith("]", at):
            item = self.value(at, depth + 1)
            items.append(item)
            at = self.blank(item.end)
            if self._text.startswith(",", at):
                at = self.blank(at + 1)
            elif not self._text.startswith("]", at):
                self.fail(at, "a `,` or `]` is missing here")
        return Node(start, at + 1, [item.value for item in items], items=tuple(items))

    def _string(self, at: int) -> int:
        found = _STRING.match(self._text, at)
        if found is None:
            self.fail(at, "this text is not closed with a double quote, or holds what must be written with a backslash")
        return found.end()


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 400 else float(digits)
