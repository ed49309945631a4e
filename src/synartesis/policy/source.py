"""YAML text to nodes that know where they stand. Knows YAML 1.2, knows nothing of manifests.

Scalars become JSON values, exactly: `no`, `on`, `22:30`, `0123` and dates stay what was written, and no number ever is a
float. Whatever could make a file mean something else than it seems to say is a problem: a key twice, a tag, a second
document, a tab, a key that is no text. Nothing is ever constructed from a tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple, TypeAlias

import msgspec

from synartesis.domain.canonical import MAX_INT_DIGITS, Json
from synartesis.policy.problems import Place, Problem, split_lines
from synartesis.policy.yaml_events import YAMLError, events, read_events

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 50
MAX_VALUES = 50_000
"""With every alias counted as what it stands for, so that a few lines cannot stand for millions of values."""


class Scalar(msgspec.Struct, frozen=True):
    place: Place
    value: Json
    text: str
    """As written, without quotes."""
    width: int


class Sequence(msgspec.Struct, frozen=True):
    place: Place
    items: tuple[Node, ...]
    width: int = 1


class Entry(NamedTuple):
    key: Place
    value: Node


class Mapping(msgspec.Struct, frozen=True):
    place: Place
    entries: dict[str, Entry]
    width: int = 1


class Unusable(msgspec.Struct, frozen=True):
    """Something that was reported already; whoever meets it says nothing."""

    place: Place
    width: int = 1


Node: TypeAlias = Scalar | Sequence | Mapping | Unusable


class Source(NamedTuple):
    root: Node | None
    """None where the text is empty, or cannot be read at all; `problems` then says why."""
    lines: list[str]
    problems: list[Problem]


def read_source(text: str) -> Source:
    """Never raises: whatever is wrong is in `problems`."""
    lines = split_lines(text)
    if len(text) > MAX_CHARACTERS:
        return Source(None, lines[:1], [Problem(Place(1, 1), f"the file is longer than {MAX_CHARACTERS} characters")])
    composer = _Composer(lines)
    root = None
    try:
        root = composer.compose(read_events(text))
    except _Stop as stop:
        composer.problems.append(stop.problem)
    except YAMLError as error:
        composer.problems.append(_syntax_problem(error, lines))
    except Exception:  # on broken texts ruamel's scanner fails in ways of its own: failed asserts, missing keys
        composer.problems.append(_unreadable(composer.reached, lines))
    composer.problems.extend(_tabs(lines, composer.spans, composer.problems))
    return Source(root, lines, composer.problems)


class _Stop(Exception):
    """Reading on makes no sense."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class _Composer:
    """Events to nodes, in one pass."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.problems: list[Problem] = []
        self.spans: list[tuple[Place, Place]] = []
        """Where scalars stand: tabs inside them are theirs."""
        self.reached = Place(1, 1)
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._open: set[str] = set()
        self._values = 0

    def compose(self, stream: Iterator[Any]) -> Node | None:
        root: Node | None = None
        documents = 0
        for event in stream:
            if isinstance(event, events.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _Stop(
                        Problem(_place(event), "a second document starts here", "keep one manifest in one file", 3)
                    )
                if event.version or event.tags:
                    self._report(Place(1, 1), "a `%` directive is not read", "remove the line")
            elif isinstance(event, events.NodeEvent):
                root = self._node(event, stream, 0)
        return root

    def _node(self, event: Any, stream: Iterator[Any], depth: int) -> Node:
        place = self.reached = _place(event)
        if isinstance(event, events.AliasEvent):
            return self._alias(event, place)
        self._values += 1
        before = self._values
        if depth > MAX_DEPTH:
            raise _Stop(Problem(place, f"nested more than {MAX_DEPTH} levels deep"))
        if event.anchor:
            self._open.add(event.anchor)
        node = self._content(event, stream, depth, place)
        if event.ctag is not None:
            self._report(place, "tags are not allowed", "write the plain value; a tag is never carried out", 1)
            node = Unusable(place)
        if event.anchor:
            self._open.discard(event.anchor)
            self._anchors[event.anchor] = (node, self._values - before + 1)
        return node

    def _content(self, event: Any, stream: Iterator[Any], depth: int, place: Place) -> Node:
        if isinstance(event, events.ScalarEvent):
            return self._scalar(event, place)
        if isinstance(event, events.SequenceStartEvent):
            items = []
            while not isinstance(event := next(stream), events.SequenceEndEvent):
                items.append(self._node(event, stream, depth + 1))
            return Sequence(place, tuple(items))
        return self._mapping(stream, depth, place)

    def _scalar(self, event: Any, place: Place) -> Node:
        end = event.end_mark
        self.spans.append((place, Place(end.line + 1, end.column + 1)))
        width = end.column - event.start_mark.column if end.line == event.start_mark.line else 1
        if event.style:
            return Scalar(place, event.value, event.value, width)
        try:
            return Scalar(place, plain_value(event.value), event.value, width)
        except ValueError as why:
            self._report(place, str(why), f'write "{event.value[:40]}" in quotes if it is text', width)
            return Unusable(place)

    def _alias(self, event: Any, place: Place) -> Node:
        name = str(event.anchor)
        width = len(name) + 1
        if name in self._open:
            self._report(place, f"the alias `*{name}` stands inside what it refers to", "write the value out", width)
            return Unusable(place)
        if name not in self._anchors:
            self._report(
                place,
                f"`*{name}` is an alias to nothing",
                f'quote it: "*{name}" (a bare `*` starts a YAML alias)',
                width,
            )
            return Unusable(place)
        node, values = self._anchors[name]
        self._values += values
        if self._values > MAX_VALUES:
            raise _Stop(
                Problem(place, f"aliases make this more than {MAX_VALUES} values", "write the values out", width)
            )
        return node

    def _mapping(self, stream: Iterator[Any], depth: int, place: Place) -> Node:
        own: dict[str, Entry] = {}
        merge: Entry | None = None
        while not isinstance(event := next(stream), events.MappingEndEvent):
            is_merge = isinstance(event, events.ScalarEvent) and event.value == "<<" and not event.style
            key = self._node(event, stream, depth + 1)
            value = self._node(next(stream), stream, depth + 1)
            name = self._key(key)
            if name is None:
                continue
            if first := merge if is_merge else own.get(name):
                hint = f"the first one is in line {first.key.line}; keep one of the two"
                self._report(key.place, f"the key `{name}` stands twice", hint, key.width)
            elif is_merge:
                merge = Entry(key.place, value)
            else:
                own[name] = Entry(key.place, value)
        return Mapping(place, {**(self._merged(merge.value) if merge else {}), **own})

    def _key(self, key: Node) -> str | None:
        if isinstance(key, Scalar):
            if not isinstance(key.value, str):
                shown = key.text or "(nothing)"
                self._report(
                    key.place, f"the key `{shown}` is not text", f'write it in quotes: "{key.text}"', key.width
                )
            return key.text
        if not isinstance(key, Unusable):
            self._report(key.place, "a key must be one text", "write `key: value`")
        return None

    def _merged(self, value: Node) -> dict[str, Entry]:
        """What `<<` brings in; of several mappings the first wins."""
        found: dict[str, Entry] = {}
        for base in value.items if isinstance(value, Sequence) else (value,):
            if isinstance(base, Mapping):
                found = {**base.entries, **found}
            elif not isinstance(base, Unusable):
                self._report(
                    base.place, "`<<` merges mappings, and this is none", "write `<<: *name` of a mapping", base.width
                )
        return found

    def _report(self, place: Place, message: str, hint: str = "", width: int = 1) -> None:
        self.problems.append(Problem(place, message, hint, max(1, width)))


_WORDS: dict[str, Json] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_OTHER_BASE = re.compile(r"0(?:o(?P<octal>[0-7]+)|x(?P<hex>[0-9a-fA-F]+))")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def plain_value(text: str) -> Json:
    """What an unquoted scalar stands for: the core schema of YAML 1.2 (section 10.3.2), with numbers exact, and with digits
    that start with a zero left as text. Raises ValueError where JSON has no such number."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "-+.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        exact = len(text) > MAX_INT_DIGITS or text == "-0"
        return Decimal(text) if exact else int(text)
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"`{text}` is a number that JSON does not have")
    if found := _OTHER_BASE.fullmatch(text):
        return int(found["octal"], 8) if found["octal"] else int(found["hex"], 16)
    if _DECIMAL.fullmatch(text):
        try:
            return Decimal(text)
        except InvalidOperation:
            raise ValueError(f"`{text[:40]}` is out of the range in which a number can be kept exactly") from None
    return text


def _place(event: Any) -> Place:
    return Place(event.start_mark.line + 1, event.start_mark.column + 1)


# --- what is wrong with a text that is no YAML

_STARTS = {
    "\t": ("a tab", "indent with spaces"),
    "*": ("a bare `*` starts a YAML alias", 'quote it: "*"'),
    "&": ("a bare `&` starts a YAML anchor", "quote the text"),
    "!": ("tags are not allowed", "write the plain value, or quote the text; a tag is never carried out"),
    "%": ("a value cannot start with `%`", "quote the text"),
    "@": ("a value cannot start with `@`", "quote the text"),
    "`": ("a value cannot start with a backtick", "quote the text"),
    "|": ("this block of text cannot be read", "put nothing but `|` or `|-` on its first line"),
    ">": ("this block of text cannot be read", "put nothing but `>` or `>-` on its first line"),
    '"': ("this quoted text cannot be read", 'close it with `"`, and write `\\\\` for a backslash'),
    "'": ("this quoted text is never closed", "close it with `'`, and write `''` for a quote inside it"),
    "[": ("this list is never closed, or a comma is missing", "write `[a, b]`"),
    "{": ("this mapping is never closed, or a comma is missing", "write `{a: 1, b: 2}`"),
}


def _syntax_problem(error: Exception, lines: list[str]) -> Problem:
    """In our words, by the character at which the scanner started or stopped."""
    if (position := getattr(error, "position", None)) is not None:
        return _unprintable(int(position), lines)
    stopped, started = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    for mark in (stopped, started):
        if mark is not None:
            place = Place(mark.line + 1, mark.column + 1)
            character = lines[mark.line][mark.column : mark.column + 1] if mark.line < len(lines) else ""
            if (
                character == "\t"
                or (mark is started and character in _STARTS)
                or (started is None and character in "%@`\t")
            ):
                return Problem(place, *(_STARTS.get(character) or _STARTS["\t"]))
    mark = stopped or started
    place = Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    here = line[place.column - 1 : place.column]
    if here in _STARTS and here not in "|>":
        return Problem(place, *_STARTS[here])
    if here == ":" and ": " in line[: place.column - 1]:
        return Problem(
            place, "a second `:` in one line", "quote the text that holds it, or put the key on a line of its own"
        )
    if not any(later.strip() for later in (line, *lines[place.line :])):
        return Problem(place, "the file ends in the middle of something", "close what is open: a quote, `[` or `{`")
    return Problem(
        Place(place.line, len(line) - len(line.lstrip()) + 1),
        "this is neither `key: value` nor `- item` at this depth",
        "indent it like its neighbours above, and put a space after the colon",
    )


def _unreadable(place: Place, lines: list[str]) -> Problem:
    directives = [number for number, line in enumerate(lines, 1) if line.startswith("%")]
    if directives:
        return Problem(Place(directives[0], 1), "a `%` directive is not read", "remove the line")
    return Problem(place, "the YAML cannot be read from here on")


def _unprintable(position: int, lines: list[str]) -> Problem:
    for number, line in enumerate(lines, 1):
        if position <= len(line):
            return Problem(Place(number, position + 1), "a character that a text file should not hold", "remove it")
        position -= len(line) + 1
    return Problem(Place(1, 1), "a character that a text file should not hold", "remove it")


def _tabs(lines: list[str], spans: list[tuple[Place, Place]], known: list[Problem]) -> Iterator[Problem]:
    """Tabs outside texts and comments: where YAML allows them at all, they look like an indentation that they are not."""
    reported = {problem.place.line for problem in known if problem.message == _STARTS["\t"][0]}
    for number, line in enumerate(lines, 1):
        at = line.find("\t")
        if at < 0 or number in reported:
            continue
        place = Place(number, at + 1)
        in_text = any(start <= place < end for start, end in spans)
        if not in_text and not line[:at].lstrip().startswith("#") and " #" not in line[:at]:
            yield Problem(place, *_STARTS["\t"])
