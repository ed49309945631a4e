"""The values in a rule: names of tools, arguments with references, paths. Each is read where it stands, so that a problem
points at the very characters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from synartesis.domain.canonical import Json
from synartesis.domain.names import Tool
from synartesis.domain.paths import Path, parse_path
from synartesis.policy.grammar import Fields, Reading, describe, text
from synartesis.policy.matching import matches
from synartesis.policy.problems import Place, nearest
from synartesis.policy.source import Mapping, Node, Scalar, Sequence, Unusable
from synartesis.policy.template import (
    NotATemplate,
    Reference,
    Template,
    Text,
    parse_text,
    references,
    refuse_later_forms,
)


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
        return _template(reading, node)
    if not isinstance(node, Unusable):
        reading.problem(node, f"{describe(node)}, where a mapping of arguments is expected", 'write {id: "$.id"}')
    return None


def _template(reading: Reading, node: Node) -> Template:
    """A value with its references. A problem is reported where it stands, and the rest is read on."""
    if isinstance(node, Mapping):
        _refuse_later_forms(reading, node)
        return {name: _template(reading, entry.value) for name, entry in node.entries.items()}
    if isinstance(node, Sequence):
        return [_template(reading, item) for item in node.items]
    if isinstance(node, Scalar):
        return text_template(reading, node) if isinstance(node.value, str) else node.value
    return None


def _refuse_later_forms(reading: Reading, node: Mapping) -> None:
    try:
        refuse_later_forms(dict.fromkeys(node.entries))
    except NotATemplate as error:
        reading.problem(
            node.entries[error.quoted].key, f"`{error.quoted}` {error.why}", error.remedy, width=len(error.quoted)
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

    def report(self, reading: Reading, why: str, hint: str) -> None:
        reading.problem(self.place, f"`{self.reference}` {why}", hint, width=len(str(self.reference)))


def located_references(fields: Fields, key: str) -> Iterator[Located]:
    """Every reference below a key, where it could be read at all."""
    waiting = [fields.node(key)] if fields.given(key) else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            waiting.extend(entry.value for entry in node.entries.values())
        elif isinstance(node, Sequence):
            waiting.extend(node.items)
        elif isinstance(node, Scalar) and isinstance(node.value, str):
            try:
                template = parse_text(node.value)
            except NotATemplate:
                continue  # reported where it was read
            for reference in references(template):
                yield Located(reference, place_within(node, str(reference)))


def place_within(node: Scalar, snippet: str) -> Place:
    at = node.text.find(snippet)
    if at < 0 or "\n" in node.text or node.width < len(node.text):
        return node.place
    quote = 1 if node.width > len(node.text) else 0
    return Place(node.place.line, node.place.column + quote + at)
