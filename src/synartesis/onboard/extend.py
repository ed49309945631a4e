"""New servers and rules into the text of a manifest that somebody else wrote: only insertions, at the right place, in the
file's own indentation and line ends. Everything that stood there stands there afterwards, byte for byte.

Whoever uses this reads the result again (`proposal`): what the text cannot show here is noticed there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from synartesis.onboard.draft import Draft
from synartesis.onboard.spelling import flow, key, quoted, texts, value
from synartesis.policy.yaml_events import events, read_events


class CannotExtend(Exception):
    """The file is written in a way that leaves no safe place for something new. Says what and where."""


class NewServer(NamedTuple):
    """How a server is to be started, as it will stand in the manifest."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    """Names of variables; their values never get into the file."""
    cwd: str = ""
    path: str = ""
    """A folder to look into first, in which programs are that are found by a shell alone."""

    @property
    def variables(self) -> dict[str, str]:
        """As they will be written."""
        found = {name: f"${{{name}}}" for name in self.env}
        return {"PATH": f"{self.path}:${{PATH}}"} | found if self.path else found

    def fields(self) -> dict[str, Any]:
        found: dict[str, Any] = {"command": self.command}
        if self.args:
            found["args"] = list(self.args)
        if self.cwd:
            found["cwd"] = self.cwd
        if self.variables:
            found["env"] = self.variables
        return found

    def lines(self) -> list[str]:
        found = [f"{key(self.name)}:", f"  command: {value(self.command)}"]
        if self.args:
            found.append(f"  args: {texts(self.args)}")
        if self.cwd:
            found.append(f"  cwd: {quoted(self.cwd)}")
        if self.variables:
            found.append("  env:")
            found += [f"    {key(name)}: {quoted(text)}" for name, text in self.variables.items()]
        return found


def new_manifest(header: Iterable[str], server: NewServer) -> str:
    """A manifest with one server and no rules yet."""
    lines = [*(f"# {line}".rstrip() for line in header), "version: 1", "", "servers:"]
    lines += [f"  {line}" for line in server.lines()]
    return "\n".join(lines) + "\n"


def add_server(text: str, server: NewServer) -> str:
    """The text with one more server after the others. Raises CannotExtend."""
    page = _Page(text)
    servers = page.section("servers")
    if servers is None:
        raise CannotExtend("it has no `servers:` of its own")
    if servers.is_flow:
        return page.insert_flow(servers, f"{quoted(server.name)}: {flow(server.fields())}")
    spaced = page.has_blank_lines(servers)
    return page.insert_block(servers, server.lines(), spaced=spaced)


def add_rules(text: str, drafts: Sequence[Draft], *, header: Sequence[str] = ()) -> str:
    """The text with these rules after the others, the header as comments above them. Raises CannotExtend.

    Where the rules stand in brackets, so do the new ones, without comments.
    """
    if not drafts:
        return text
    page = _Page(text)
    tools = page.section("tools")
    lines = [*(f"# {line}".rstrip() for line in header), *([""] if header else [])]
    lines += [line for draft in drafts for line in draft.lines]
    if tools is None:
        return page.append_section("tools", lines, [draft.fields for draft in drafts])
    if tools.is_flow and not tools.children and not page.root.is_flow:
        return page.replace_empty(tools, lines)
    if tools.is_flow:
        return page.insert_flow(tools, *(flow(draft.fields) for draft in drafts))
    return page.insert_block(tools, lines, spaced=True)


class _Span(NamedTuple):
    """Where a value stands in the text: `[start, end)`, and the same of what it holds (of a mapping: of key and value in
    turn)."""

    start: int
    end: int
    kind: str
    """`mapping`, `sequence`, `scalar` or `alias`."""
    is_flow: bool = False
    children: tuple[_Span, ...] = ()
    text: str = ""


class _Page:
    """A text, and where its parts stand."""

    def __init__(self, text: str) -> None:
        self.mark = text[: len(text) - len(text.removeprefix("\ufeff"))]
        self.text = text.removeprefix("\ufeff")
        self.newline = "\r\n" if "\r\n" in self.text else "\n"
        self.root = self._root()

    def section(self, name: str) -> _Span | None:
        """The value of a key at the top that is written there. Raises CannotExtend where it is no collection."""
        for at in range(0, len(self.root.children), 2):
            if self.root.children[at].text == name:
                found = self.root.children[at + 1]
                if found.kind not in ("mapping", "sequence"):
                    raise CannotExtend(f"its `{name}:` is written as a reference to another place")
                return found
        return None

    def has_blank_lines(self, span: _Span) -> bool:
        return bool(re.search(r"\n[ \t]*\r?\n", self.text[span.start : span.end]))

    # --- insertions

    def insert_flow(self, span: _Span, *entries: str) -> str:
        """Behind the last entry, or behind the opening bracket; a trailing comma stays where it is."""
        joined = ", ".join(entries)
        if not span.children:
            opening = self.text.index("{" if span.kind == "mapping" else "[", span.start) + 1
            return self._with(opening, joined)
        return self._with(span.children[-1].end, f", {joined}")

    def insert_block(self, span: _Span, lines: Iterable[str], *, spaced: bool) -> str:
        column = self._column_of_entries(span)
        at = self._end_of_block(span, column)
        indented = [" " * column + line if line else "" for line in lines]
        return self._with(at, self._as_block(["", *indented] if spaced else indented, at))

    def append_section(self, name: str, lines: Iterable[str], values: list[dict[str, Any]]) -> str:
        if self.root.is_flow:
            return self.insert_flow(self.root, f"{quoted(name)}: {flow(values)}")
        column = self._column_of_entries(self.root)
        over = re.compile(r"^\.\.\.", re.MULTILINE).search(self.text, self.root.end)
        at = over.start() if over else len(self.text)
        margin = " " * column
        indented = [f"{margin}  {line}" if line else "" for line in lines]
        return self._with(at, self._as_block(["", f"{margin}{name}:", *indented], at))

    def replace_empty(self, span: _Span, lines: Iterable[str]) -> str:
        """An empty `[]` gives way to a list of lines; what follows it in its line stays there."""
        before = self.text[: span.start].rstrip(" ")
        self.text = before + self.text[span.end :]
        at = self._line_end(len(before))
        indented = [f"  {line}" if line else "" for line in lines]
        return self._with(at, self._as_block(indented, at))

    def _with(self, at: int, new: str) -> str:
        return self.mark + self.text[:at] + new + self.text[at:]

    def _as_block(self, lines: Iterable[str], at: int) -> str:
        """Whole lines, whether or not the text before them ends with a line end."""
        new = "".join(line + self.newline for line in lines)
        before = self.text[:at]
        return new if not before or before.endswith("\n") else self.newline + new.removesuffix(self.newline)

    # --- places

    def _column_of_entries(self, span: _Span) -> int:
        first = span.children[0].start
        if span.kind == "sequence":
            first = self.text.rindex("-", 0, first)
        start = self.text.rfind("\n", 0, first) + 1
        if self.text[start:first].strip():
            raise CannotExtend(
                f"what stands in line {self.text.count(chr(10), 0, first) + 1} begins in the middle of it"
            )
        return first - start

    def _end_of_block(self, span: _Span, column: int) -> int:
        """Behind the last line of a block and the comments below it that are indented like its entries. Where the entries are
        not indented, a comment may as well be about what follows."""
        at = look = self._line_end(span.children[-1].end)
        while column and look < len(self.text):
            end = self._line_end(look + 1)
            line = self.text[look:end]
            words = line.lstrip(" ")
            if words.startswith("#") and len(line) - len(words) >= column:
                at = end
            elif words.strip():
                break
            look = end
        return at

    def _line_end(self, at: int) -> int:
        """Where the line that holds `at` is over; where the line before is over already, that very place."""
        if at and self.text[at - 1] == "\n":
            return at
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found + 1

    def _root(self) -> _Span:
        stream = read_events(self.text)
        for event in stream:
            if isinstance(event, events.MappingStartEvent):
                return self._span(event, stream)
        raise CannotExtend("it holds no mapping")

    def _span(self, event: Any, stream: Iterator[Any]) -> _Span:
        start = event.start_mark.index
        if isinstance(event, events.ScalarEvent):
            return _Span(start, event.end_mark.index, "scalar", text=event.value)
        if isinstance(event, events.AliasEvent):
            return _Span(start, event.end_mark.index, "alias")
        kind = "mapping" if isinstance(event, events.MappingStartEvent) else "sequence"
        is_flow = bool(event.flow_style)
        children = []
        while not isinstance(event := next(stream), events.CollectionEndEvent):
            children.append(self._span(event, stream))
        ends_at = event.end_mark.index if is_flow or not children else children[-1].end
        return _Span(start, ends_at, kind, is_flow, tuple(children))
