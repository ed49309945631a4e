"""The schema for editors says of files what the reader says, as far as a schema can."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from synartesis.policy.reader import PLACES
from synartesis.policy.schema import manifest_schema
from tests.unit.policy.corpus import BAD, GOOD, plain

SCHEMA = manifest_schema()

ONLY_A_READER_CAN_SAY = {
    "absent-reads-the-state",
    "forms",
    "gate-twice",
    "ignored-and-set",
    "ignored-within-what-is-set",
    "items",
    "key-twice-in-args",
    "current",
    "merge-of-no-mapping",
    "a-key-that-is-a-number",
    "not-references",
    "numbers-that-json-lacks",
    "result-before-the-call",
    "state-without-a-snapshot",
    "tab-in-a-list",
    "two-tools-blocks",
    "unknown-server",
    "verify-ignores-what-is-set",
}


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_the_schema_accepts_what_the_reader_accepts(path: Path) -> None:
    assert accepts(SCHEMA, plain(path))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_the_schema_refuses_what_it_can_see(path: Path) -> None:
    assert accepts(SCHEMA, plain(path)) is (path.stem in ONLY_A_READER_CAN_SAY)


def test_schema_and_reader_know_the_same_keys() -> None:
    defs = SCHEMA["$defs"]
    mark_keys = {name for entry in defs["marks"]["items"]["anyOf"] for name in entry.get("properties", {})}
    in_schema = {
        "the manifest": set(SCHEMA["properties"]),
        "a server": set(defs["server"]["properties"]),
        "a rule": set(defs["rule"]["properties"]),
        "a snapshot": set(defs["read"]["properties"]),
        "a verify": set(defs["read"]["properties"]),
        "an inverse": set(defs["call"]["properties"]),
        "an entry": mark_keys,
        "a decode": {name for entry in defs["decode"]["anyOf"] for name in entry.get("properties", {})},
    }

    assert in_schema == {place: {name for name, key in keys.items() if key.read} for place, keys in PLACES.items()}


def accepts(schema: Any, value: Any) -> bool:
    """The part of JSON Schema that the manifest's schema uses; a keyword that is not known here fails the test."""
    if isinstance(schema, bool):
        return schema
    return all(KEYWORDS[keyword](schema, value) for keyword in schema)


def _is(kind: str, value: Any) -> bool:
    kinds: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool}
    kinds |= {"number": int | Decimal, "integer": int}
    return isinstance(value, kinds[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _types(schema: Any, value: Any) -> bool:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return any(_is(kind, value) for kind in kinds)


def _additional(schema: Any, value: Any) -> bool:
    others = set(value) - set(schema.get("properties", {})) if isinstance(value, dict) else set()
    return all(accepts(schema["additionalProperties"], value[name]) for name in others)


def _properties(schema: Any, value: Any) -> bool:
    known = schema["properties"].items() if isinstance(value, dict) else ()
    return all(accepts(below, value[name]) for name, below in known if name in value)


def _dependent(schema: Any, value: Any) -> bool:
    return all(set(needed) <= set(value) for name, needed in schema["dependentRequired"].items() if name in value)


def _if(schema: Any, value: Any) -> bool:
    return accepts(schema.get("then" if accepts(schema["if"], value) else "else", True), value)


def _same(a: Any, b: Any) -> bool:
    return a == b and isinstance(a, bool) is isinstance(b, bool)


def _always(_: Any, __: Any) -> bool:
    return True


KEYWORDS: dict[str, Any] = {
    **dict.fromkeys(("$schema", "$defs", "title", "description", "then", "else"), _always),
    "$ref": lambda s, v: accepts(SCHEMA["$defs"][s["$ref"].removeprefix("#/$defs/")], v),
    "type": _types,
    "const": lambda s, v: _same(s["const"], v),
    "enum": lambda s, v: v in s["enum"],
    "required": lambda s, v: not isinstance(v, dict) or set(s["required"]) <= set(v),
    "dependentRequired": _dependent,
    "properties": _properties,
    "additionalProperties": _additional,
    "propertyNames": lambda s, v: all(accepts(s["propertyNames"], name) for name in v),
    "minItems": lambda s, v: not isinstance(v, list) or len(v) >= s["minItems"],
    "minProperties": lambda s, v: len(v) >= s["minProperties"],
    "minLength": lambda s, v: not isinstance(v, str) or len(v) >= s["minLength"],
    "minimum": lambda s, v: not isinstance(v, int) or v >= s["minimum"],
    "pattern": lambda s, v: not isinstance(v, str) or bool(re.search(s["pattern"], v)),
    "items": lambda s, v: not isinstance(v, list) or all(accepts(s["items"], item) for item in v),
    "anyOf": lambda s, v: any(accepts(one, v) for one in s["anyOf"]),
    "allOf": lambda s, v: all(accepts(one, v) for one in s["allOf"]),
    "not": lambda s, v: not accepts(s["not"], v),
    "if": _if,
}
