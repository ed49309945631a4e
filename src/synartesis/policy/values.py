"""The values in a rule: names of tools, arguments with references, paths. Each is read where it stands, so that a problem
points at the very characters."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

from synartesis.domain.calls import Decode
from synartesis.domain.canonical import Json
from synartesis.domain.names import Tool
from synartesis.domain.paths import EACH, Path, parse_path, render_path
from synartesis.policy.grammar import Fields, Key, Reading, describe, one_of, read_place, text
from synartesis.policy.matching import matches
from synartesis.policy.problems import Place, nearest
from synartesis.policy.references import NotATemplate, Reference, Text, parse_text
from synartesis.policy.source import Mapping, Node, Scalar, Sequence, Unusable
from synartesis.policy.template import Fallback, Made, Template, parsed_list, parsed_mapping, references


def read_match(reading: Reading, node: Node) -> str | None:
    pattern = text(reading, node)
    if pattern is None:
        return None
    server, dot, name = pattern.partition(".")
    if not (server and dot and name):
        near = pattern.replace("__", ".", 1) if "__" in pattern else f"{_some_server(reading)}.{pattern.strip('.')}"
        reading.problem(node, f'"{pattern}" is not of the form server.tool', f'write "{near}"')
        return None
    if reading.servers is not None and not any(matches(server, known) for known in reading.servers):
        _unknown_server(reading, node, server)
    return pattern


def read_tool(reading: Reading, node: Node) -> Tool | None:
    name = text(reading, node)
    if name is None:
        return None
    try:
        tool = Tool.parse(name)
    except ValueError:
        reading.problem(node, f'"{name}" is not of the form server.tool', f'write "{_some_server(reading)}.{name}"')
        return None
    if "*" in name:
        reading.problem(node, "a call goes to one tool: `*` may stand only in `match`", "write the tool's whole name")
        return None
    if reading.servers is not None and tool.server not in reading.servers:
        _unknown_server(reading, node, tool.server)
    return tool


def _unknown_server(reading: Reading, node: Node, server: str) -> None:
    known = sorted(reading.servers or ())
    near = nearest(server, known)
    hint = (
        f"did you mean `{near}`?"
        if near
        else f"add it to `servers`, which has {', '.join(f'`{name}`' for name in known)}"
    )
    place = node.place if not isinstance(node, Scalar) else place_within(node, server)
    reading.problem(place, f"there is no server `{server}`", hint, width=len(server))


def _some_server(reading: Reading) -> str:
    return min(reading.servers) if reading.servers else "server"


def read_args(reading: Reading, node: Node) -> Template | None:
    if isinstance(node, Mapping):
        found = _template(reading, node)
        if isinstance(found, Fallback | Made):
            reading.problem(
                node, "arguments have names, and here is only a value", "write {name: {$each: ..., $make: ...}}"
            )
        return found
    if not isinstance(node, Unusable):
        reading.problem(node, f"{describe(node)}, where a mapping of arguments is expected", 'write {id: "$.id"}')
    return None


def _template(reading: Reading, node: Node) -> Template:
    """A value with its references. A problem is reported where it stands, and the rest is read on."""
    known = len(reading.problems)
    if isinstance(node, Mapping):
        _note_half_a_form(reading, node)
        parts = {name: _template(reading, entry.value) for name, entry in node.entries.items()}
        return _checked(reading, node, lambda: parsed_mapping(parts)) if len(reading.problems) == known else None
    if isinstance(node, Sequence):
        elements = [_template(reading, item) for item in node.items]
        return _checked(reading, node, lambda: parsed_list(elements)) if len(reading.problems) == known else None
    if isinstance(node, Scalar):
        return text_template(reading, node) if isinstance(node.value, str) else node.value
    return None


def _note_half_a_form(reading: Reading, node: Mapping) -> None:
    """`{$each, $mak}` would be sent to the server as it stands."""
    if len(node.entries) != 2:
        return
    for form in (("$each", "$make"), ("$from", "$default")):
        others = [name for name in node.entries if name not in form]
        if len(others) == 1 and (near := nearest(others[0], form)) and near not in node.entries:
            reading.problem(
                node.entries[others[0]].key,
                f"`{others[0]}` is no part of `{{{form[0]}, {form[1]}}}`",
                f"did you mean `{near}`?",
                width=len(others[0]),
            )


def _checked(reading: Reading, node: Mapping | Sequence, parse: Callable[[], Template]) -> Template:
    try:
        return parse()
    except NotATemplate as error:
        place = _place_of(node, error.quoted)
        reading.problem(place, f"`{error.quoted}` {error.why}", error.remedy, width=len(error.quoted))
        return None


def _place_of(node: Mapping | Sequence, quoted: str) -> Place:
    """Where a part of a mapping or list stands: one of its keys, or one of its texts."""
    if isinstance(node, Mapping) and quoted in node.entries:
        return node.entries[quoted].key
    below = node.items if isinstance(node, Sequence) else [entry.value for entry in node.entries.values()]
    return next(
        (place_within(one, quoted) for one in below if isinstance(one, Scalar) and quoted in one.text), node.place
    )


def text_template(reading: Reading, node: Scalar) -> str | Reference | Text | None:
    try:
        found = parse_text(node.value)
    except NotATemplate as error:
        place = place_within(node, error.quoted)
        reading.problem(place, f"`{error.quoted}` {error.why}", error.remedy, width=len(error.quoted))
        return None
    if isinstance(found, Text) and Reference("arguments", ()) in found.pieces:
        reading.warn(node.place, "a bare `$` in a text stands for all arguments; write `$$` for a dollar sign")
    return found


def read_literal(reading: Reading, node: Node) -> tuple[Json] | None:
    """Any value, in a tuple of one so that null is a value too. No references: it is compared with what a server says."""
    if isinstance(node, Unusable):
        return None
    return (_literal(reading, node),)


def _literal(reading: Reading, node: Node) -> Json:
    if isinstance(node, Mapping):
        return {name: _literal(reading, entry.value) for name, entry in node.entries.items()}
    if isinstance(node, Sequence):
        return [_literal(reading, item) for item in node.items]
    return node.value if isinstance(node, Scalar) else None


def read_path(reading: Reading, node: Node) -> Path | None:
    written = node.value if isinstance(node, Scalar) else None
    if not isinstance(written, str):
        text(reading, node)  # says what is wrong with it
        return None
    try:
        return parse_path(written)
    except ValueError as error:
        hint = (
            "paths start at the root of the answer: write `field.below`, without `$`"
            if "$" in written
            else ('write `field`, `list[].field`, `list[0]` or `["any key"]`')
        )
        reading.problem(node, str(error), hint)
        return None


def read_for_each(reading: Reading, node: Node) -> Reference | None:
    """A reference to a list."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        text(reading, node)  # says what is wrong with it
        return None
    found = text_template(reading, node)
    if isinstance(found, Reference) and found.source not in ("item", "current") and not found.optional:
        return found
    if found is not None:
        hint = (
            'write for_each: "$.ids", or "$snapshot" in an inverse, or a list in a snapshot or a verify: ["$.source"]'
        )
        reading.problem(node, "this is no reference to a list", hint)
    return None


def read_things(reading: Reading, node: Node) -> Reference | list[Template] | None:
    """What a read is made of, one after the other: a reference to a list, or a list that is written out."""
    if not isinstance(node, Sequence):
        return read_for_each(reading, node)
    if not node.items:
        reading.problem(node, "the list names nothing to read", 'write for_each: ["$.source", "$.destination"]')
        return None
    found: list[Template] | None = _template(reading, node)
    for located in located_in(node):
        if located.reference.source == "item" and not located.in_make:
            located.report(
                reading, "is an element of this list itself", 'write for_each: ["$.source", "$.destination"]'
            )
            return None
    return found


def read_decode(reading: Reading, node: Node) -> Decode | None:
    """`text`, `json`, ... or `{json_in: PATH}` or `{pattern: REGEX}`."""
    if isinstance(node, Scalar) and node.value in DECODE:
        what = "the path of the text" if node.value == "json_in" else "an expression"
        reading.problem(node, f"`{node.value}` needs {what}", f'write {{{node.value}: "..."}}')
        return None
    if not isinstance(node, Mapping):
        how = one_of(PLAIN_DECODES)(reading, node)
        return None if how is None else Decode(how)
    fields = read_place(reading, node, "a decode")
    if fields is None:
        return None
    if sum(map(fields.given, DECODE)) != 1 and not node.entries.keys() - DECODE.keys():
        reading.problem(
            node, "a decode says one thing", 'write {json_in: "field"}, {pattern: "..."} or one of the words alone'
        )
        return None
    if fields.get("json_in") is not None:
        return Decode("json_in", render_path(fields.get("json_in")))
    pattern: str | None = fields.get("pattern")
    return None if pattern is None else Decode("pattern", pattern)


def _read_pattern(reading: Reading, node: Node) -> str | None:
    pattern = text(reading, node)
    if pattern is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compiled = re.compile(pattern)
    except (re.error, Warning, RecursionError, OverflowError) as error:
        reading.problem(node, f"this is no regular expression: {error}", "in single quotes, a backslash is a backslash")
        return None
    if not compiled.groupindex:
        reading.problem(
            node, "no group of it has a name, so it makes no field", "name what is meant: `(?P<version>[0-9]+)`"
        )
        return None
    return pattern


def _read_json_in(reading: Reading, node: Node) -> Path | None:
    path = read_path(reading, node)
    if path == () or (path and EACH in path):
        reading.problem(node, "this names no one text in the answer", "write the path of one field, or `decode: json`")
        return None
    return path


PLAIN_DECODES = ("text", "json", "json_after_prose", "python_literal", "blocks")
DECODE = {"json_in": Key(_read_json_in, since="1+"), "pattern": Key(_read_pattern, since="1+")}


def read_ignored(reading: Reading, node: Node) -> Path | None:
    path = read_path(reading, node)
    if path == ():
        reading.problem(
            node, "this ignores the whole answer, so no change would ever be seen", "name the fields that move"
        )
        return None
    return path


def read_arguments(reading: Reading, node: Node) -> tuple[Path, ...] | None:
    """Paths into a call's arguments, one or a list of them, with or without the `$.` that references have."""
    nodes = node.items if isinstance(node, Sequence) else [node]
    paths = [_read_argument(reading, item) for item in nodes]
    if not paths:
        reading.problem(node, "the list names no argument", "write the argument's name, or leave the key out")
        return None
    return None if None in paths else tuple(path for path in paths if path is not None)


def _read_argument(reading: Reading, node: Node) -> Path | None:
    written = node.value if isinstance(node, Scalar) else None
    if not isinstance(written, str):
        text(reading, node)  # says what is wrong with it
        return None
    try:
        path = parse_path(written[1:] if written.startswith(("$.", "$[")) else written)
    except ValueError as error:
        reading.problem(node, str(error), "write the argument's name: `query`, or `$.query`")
        return None
    if not path:
        reading.problem(node, "this names no argument", "write the argument's name: `query`, or `$.query`")
        return None
    return path


# --- references, with their places


class Located(NamedTuple):
    reference: Reference
    place: Place
    in_make: bool
    """It stands in the `$make` of a form, where `$item` is known."""

    def report(self, reading: Reading, why: str, hint: str) -> None:
        reading.problem(self.place, f"`{self.reference}` {why}", hint, width=len(str(self.reference)))


def located_references(fields: Fields, key: str) -> Iterator[Located]:
    """Every reference below a key, where it could be read at all."""
    return located_in(fields.node(key)) if fields.given(key) else iter(())


def located_in(node: Node) -> Iterator[Located]:
    waiting = [(node, False)]
    while waiting:
        node, in_make = waiting.pop()
        if isinstance(node, Mapping):
            form = set(node.entries) == {"$each", "$make"}
            waiting.extend((entry.value, in_make or (form and name == "$make")) for name, entry in node.entries.items())
        elif isinstance(node, Sequence):
            waiting.extend((item, in_make) for item in node.items)
        elif isinstance(node, Scalar) and isinstance(node.value, str):
            try:
                template = parse_text(node.value)
            except NotATemplate:
                continue  # reported where it was read
            for reference in references(template):
                yield Located(reference, place_within(node, str(reference)), in_make)


def place_within(node: Scalar, snippet: str) -> Place:
    at = node.text.find(snippet)
    if at < 0 or "\n" in node.text or node.width < len(node.text):
        return node.place
    quote = 1 if node.width > len(node.text) else 0
    return Place(node.place.line, node.place.column + quote + at)
