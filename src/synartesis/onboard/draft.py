"""Tools to first rules: a read where the server says so, and everything else held, with what a rule would need beside it.

A draft is a text for a person to finish. It never makes a tool less guarded than no rule at all, but for reads that the
server declares; each of these is marked for review.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from synartesis.onboard.spelling import arguments, quoted, reference

REVIEW = "marked for review: the server says so"

Descriptor = Mapping[str, Any]

_WRITES_BACK = frozenset(("update", "set", "write", "edit", "put", "patch", "replace", "save"))
"""Words for tools that undo themselves when they are given what was there before."""


class Draft(NamedTuple):
    """One rule as it will stand in the file."""

    match: str
    lines: tuple[str, ...]
    """Without indentation; the first starts with `- `. Comments may stand before it."""
    fields: dict[str, Any]
    """The same rule as a value, for files that are written in braces."""


def draft_rules(server: str, tools: Iterable[Descriptor], *, of: Iterable[Descriptor] | None = None) -> list[Draft]:
    """A rule for each of these tools, in their order. `of`: all tools of the server, among which a read is looked for."""
    tools = list(tools)
    every = tools if of is None else list(of)
    return [_draft(server, tool, every) for tool in tools if can_be_named(tool.get("name"))]


def can_be_named(name: object) -> bool:
    """Whether a rule can be about this tool and no other: a `*` would be read as a pattern."""
    return isinstance(name, str) and bool(name.strip()) and "*" not in name


def says_readonly(tool: Descriptor) -> bool:
    hints = tool.get("annotations")
    return isinstance(hints, dict) and hints.get("readOnlyHint") is True


def input_fields(tool: Descriptor) -> list[str]:
    schema = tool.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return [name for name in properties if isinstance(name, str)] if isinstance(properties, dict) else []


def _draft(server: str, tool: Descriptor, every: list[Descriptor]) -> Draft:
    match = f"{server}.{tool['name']}"
    if says_readonly(tool):
        lines = (f"- match: {quoted(match)}", f"  class: readonly  # {REVIEW}")
        return Draft(match, lines, {"match": match, "class": "readonly"})
    held = (
        f"- match: {quoted(match)}",
        "  class: irreversible  # TODO: held until a person approves it. Where a call undoes it, write instead:",
        *(f"  # {line}" for line in _three_lines(server, tool, every)),
    )
    return Draft(match, held, {"match": match, "class": "irreversible"})


def _three_lines(server: str, tool: Descriptor, every: list[Descriptor]) -> tuple[str, str, str]:
    """What a reversible rule needs, in the tool's own words as far as its schemas tell them. Names in capitals are for a
    person to fill in; `check` says so while they stand there."""
    fields = input_fields(tool)
    read = _read_for(tool, every)
    known = input_fields(read) if read is not None else _required(tool, fields)[:1]
    keys = [name for name in fields if name in known]
    named = [(name, reference("$", name)) for name in keys]
    restored = [(name, reference("$snapshot", name)) for name in fields if name not in keys]
    reads = str(read["name"]) if read is not None else "THE_READ"
    undoes = str(tool["name"]) if _words(str(tool["name"])) & _WRITES_BACK else "THE_CALL_THAT_UNDOES_IT"
    return (
        "class: reversible",
        f"snapshot: {{tool: {quoted(f'{server}.{reads}')}, args: {arguments(named)}}}",
        f"inverse: {{tool: {quoted(f'{server}.{undoes}')}, args: {arguments([*named, *restored])}}}",
    )


def _read_for(tool: Descriptor, every: list[Descriptor]) -> Descriptor | None:
    """The read that most likely shows what this tool changes: it needs no more than this tool is given, and its name shares
    most words with it, or it is the only such read. None where that says nothing."""
    fields = set(input_fields(tool))
    reads = [other for other in every if says_readonly(other) and can_be_named(other.get("name"))]
    needs = [(other, set(_required(other, input_fields(other)))) for other in reads]
    fitting = [other for other, needed in needs if needed and needed <= fields]
    words = _words(str(tool["name"]))
    shared = [len(words & _words(str(other["name"]))) for other in fitting]
    if not fitting or (max(shared) == 0 and len(fitting) > 1):
        return None
    return fitting[shared.index(max(shared))]


def _required(tool: Descriptor, fields: list[str]) -> list[str]:
    schema = tool.get("inputSchema")
    required = schema.get("required") if isinstance(schema, dict) else None
    named = [name for name in required if name in fields] if isinstance(required, list) else []
    return named or fields


def _words(name: str) -> set[str]:
    return {word.rstrip("s") for word in name.replace("-", "_").replace(".", "_").lower().split("_") if word}
