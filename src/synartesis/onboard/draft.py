"""Tools to first rules: a read where the server says so, and everything else held, with what a rule would need beside it.

A draft is a text for a person to finish. It never makes a tool less guarded than no rule at all, but for reads that the
server declares; each of these is marked for review.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from synartesis.onboard.spelling import arguments, quoted, reference
from synartesis.policy.shapes import is_version, properties

REVIEW = "marked for review: the server says so"

Descriptor = Mapping[str, Any]

_WRITES_BACK = frozenset(("update", "set", "write", "edit", "put", "patch", "replace", "save"))
"""Words for tools that undo themselves when they are given what was there before."""
_CREATES = frozenset(("create", "add", "new", "insert", "make"))
_TAKES_AWAY = frozenset(("delete", "remove", "destroy", "drop"))
NOT_FOUND = "ITS_WORDS_FOR_NOT_FOUND"


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
    """What a reversible rule (or a compensable one, of a creation) needs, in the tool's own words as far as its schemas tell
    them. Names in capitals are for a person to fill in; `check` says so while they stand where a tool should."""
    taken_away = _creation_lines(server, tool, every)
    if taken_away is not None:
        return taken_away
    fields = input_fields(tool)
    read = _read_for(tool, every)
    known = input_fields(read) if read is not None else _required(tool, fields)[:1]
    keys = [name for name in fields if name in known]
    named = [(name, reference("$", name)) for name in keys]
    writes_back = bool(_words(str(tool["name"])) & _WRITES_BACK)
    restored = [
        (name, reference("$current" if _is_asked_for_now(name, read) else "$snapshot", name))
        for name in fields
        if name not in keys and (writes_back or not is_version(name))
    ]
    reads = str(read["name"]) if read is not None else "THE_READ"
    undoes = str(tool["name"]) if writes_back else "THE_CALL_THAT_UNDOES_IT"
    return (
        "class: reversible",
        f"snapshot: {{tool: {quoted(f'{server}.{reads}')}, args: {arguments(named)}}}",
        f"inverse: {{tool: {quoted(f'{server}.{undoes}')}, args: {arguments([*named, *restored])}}}",
    )


def _creation_lines(server: str, tool: Descriptor, every: list[Descriptor]) -> tuple[str, str, str] | None:
    """What a creation needs whose answer has what another tool takes to take it away again. None where nothing says so."""
    words = _words(str(tool["name"]))
    given = output_fields(tool)
    if not words & _CREATES or given == []:
        return None
    for other in every:
        its_words = _words(str(other.get("name")))
        about = words - _CREATES
        shares = about <= its_words if about else its_words <= _TAKES_AWAY
        if not can_be_named(other.get("name")) or not its_words & _TAKES_AWAY or not shares:
            continue
        asked = _asked_of_the_answer(other, given)
        read = next(
            (one for one in _reads(every) if _asked_of_the_answer(one, given) == _without_versions(asked)), None
        )
        if not asked or (read is None and any(is_version(name) for name, _ in asked)):
            continue
        reads = "THE_READ" if read is None else str(read["name"])
        takes_away = f"{server}.{other['name']}"
        shown = arguments(_without_versions(asked))
        return (
            "class: compensable",
            f"verify: {{tool: {quoted(f'{server}.{reads}')}, args: {shown}, absent_when: [{quoted(NOT_FOUND)}]}}",
            f"inverse: {{tool: {quoted(takes_away)}, args: {arguments(asked)}}}",
        )
    return None


def _asked_of_the_answer(tool: Descriptor, given: list[str] | None) -> list[tuple[str, str]]:
    """What a tool requires, taken from an answer with these fields (None: it is not known which). Empty where it has not all."""
    asked = []
    for name in _required(tool, input_fields(tool)):
        if is_version(name):
            asked.append((name, reference("$current", name)))
        elif given is None or name in given:
            asked.append((name, reference("$result", name)))
        elif name.lower().replace("_", "").endswith("id") and "id" in given:
            asked.append((name, "$result.id"))
        else:
            return []
    return asked


def _without_versions(asked: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, written) for name, written in asked if not is_version(name)]


def _is_asked_for_now(name: str, read: Descriptor | None) -> bool:
    """A version is the one that is there when the inverse is sent: where the read shows it, or does not say what it shows."""
    shown = None if read is None else output_fields(read)
    return read is not None and is_version(name) and (shown is None or name in shown)


def output_fields(tool: Descriptor) -> list[str] | None:
    """None where the tool does not say what it answers."""
    found = properties(tool.get("outputSchema"))
    return None if found is None else list(found)


def _reads(every: Iterable[Descriptor]) -> list[Descriptor]:
    return [other for other in every if says_readonly(other) and can_be_named(other.get("name"))]


def _read_for(tool: Descriptor, every: list[Descriptor]) -> Descriptor | None:
    """The read that most likely shows what this tool changes: it needs no more than this tool is given, and its name shares
    most words with it, or it is the only such read. None where that says nothing."""
    fields = set(input_fields(tool))
    needs = [(other, set(_required(other, input_fields(other)))) for other in _reads(every)]
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
