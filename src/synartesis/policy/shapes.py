"""Paths held against JSON Schemas that servers advertise: what a schema says is not there. Judges only what is plain; where a
schema leaves room, a path may exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from synartesis.domain.paths import Path, Segment

_MAX_REFS, _MAX_PARTS = 20, 100
"""A schema may refer to itself, and it comes from outside. What is larger is not judged."""


_VERSIONS = frozenset(
    ("version", "etag", "rev", "revision", "sha", "ifmatch", "versionid", "lockversion", "resourceversion")
)


def is_version(field: str) -> bool:
    """Whether a field has a name by which servers ask for the state that a write replaces."""
    return field.replace("_", "").replace("-", "").lower() in _VERSIONS


def missing_in(schema: Any, path: Path) -> Path | None:
    """The shortest part of the path that this schema has no place for; None where the path may exist."""
    for length in range(1, len(path) + 1):
        if not _may_have([schema], path[:length], schema):
            return path[:length]
    return None


def fields_at(schema: Any, path: Path) -> list[str]:
    """The names that a schema knows at a path, to suggest one of them."""
    found = [schema]
    for segment in path:
        found = [below for one in found for below in _below(one, segment, schema)]
    parts = (part for one in found for part in islice(_parts(one, schema, _MAX_REFS), _MAX_PARTS))
    return [name for part in parts for name in properties(part) or ()]


def properties(schema: Any) -> Mapping[str, Any] | None:
    """What an object schema names at its top; None where it says nothing."""
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else None


def _may_have(schemas: list[Any], path: Path, root: Any) -> bool:
    if not path:
        return True
    for schema in schemas:
        below = list(_below(schema, path[0], root))
        if any(one is True for one in below) or (below and _may_have(below, path[1:], root)):
            return True
    return False


def _below(schema: Any, segment: Segment, root: Any) -> Iterator[Any]:
    """The schemas of what stands at this segment; True for anything; nothing where there is no place for it."""
    parts = list(islice(_parts(schema, root, _MAX_REFS), _MAX_PARTS))
    for part in parts:
        if part is True or len(parts) == _MAX_PARTS:
            yield True
        elif isinstance(segment, str):
            yield from _field(part, segment)
        else:
            yield from _element(part, segment)


def _parts(schema: Any, root: Any, refs: int) -> Iterator[Any]:
    """A schema and its alternatives, references followed. True: says nothing."""
    if not isinstance(schema, dict) or refs == 0:
        yield True
        return
    found = False
    if isinstance(reference := schema.get("$ref"), str):
        found = True
        yield from _parts(_referred(root, reference), root, refs - 1)
    for word in ("allOf", "anyOf", "oneOf"):
        members = schema.get(word)
        for member in members if isinstance(members, list) else ():
            found = True
            yield from _parts(member, root, refs - 1)
    own = ("type", "properties", "items", "prefixItems", "additionalProperties", "patternProperties")
    if not found or any(word in schema for word in own[1:]):
        yield schema if any(word in schema for word in own) else True


def _field(part: dict[str, Any], name: str) -> Iterator[Any]:
    known = part.get("properties")
    if isinstance(known, dict) and name in known:
        yield known[name]
        return
    more = part.get("additionalProperties")
    if more is True or part.get("patternProperties"):
        yield True
    elif isinstance(more, dict):
        yield more
    elif not isinstance(known, dict) and more is not False and _is_of(part, "object"):
        yield True


def _element(part: dict[str, Any], segment: Segment) -> Iterator[Any]:
    if not _is_of(part, "array"):
        return
    first = part.get("prefixItems")
    if isinstance(first, list) and isinstance(segment, int) and segment < len(first):
        yield first[segment]
        return
    items = part.get("items", True)
    if items is not False:
        yield items


def _is_of(part: dict[str, Any], kind: str) -> bool:
    """Whether a value of this kind is allowed. What names properties is meant for objects, whatever it leaves out."""
    match part.get("type"):
        case str(one):
            return one == kind
        case list(several):
            return kind in several
        case _:
            return kind == "object" or not isinstance(part.get("properties"), dict)


def _referred(root: Any, reference: str) -> Any:
    """`#/$defs/Item`; whatever else is not followed."""
    if not reference.startswith("#"):
        return True
    found = root
    for step in filter(None, reference[1:].split("/")):
        found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    return True if found is None else found
