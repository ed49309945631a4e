"""Paths against schemas: only what is plainly not there is said to be missing."""

from __future__ import annotations

from typing import Any

import pytest

from synartesis.domain.paths import parse_path, render_path
from synartesis.policy.shapes import fields_at, missing_in

PERSON = {"type": "object", "properties": {"name": {"type": "string"}, "tags": {"items": {"type": "string"}}}}

#: schema, path, the part that is missing (empty: none is)
TABLE: dict[str, tuple[Any, str, str]] = {
    "a field": (PERSON, "name", ""),
    "no such field": (PERSON, "nme", "nme"),
    "a field of a text": (PERSON, "name.first", "name.first"),
    "every element": (PERSON, "tags[]", ""),
    "a field of an element that is a text": (PERSON, "tags[].name", "tags[].name"),
    "an element of what is no list": (PERSON, "name[0]", "name[0]"),
    "an element of an object": (PERSON, "[]", "[]"),
    "no schema": (None, "name", ""),
    "a schema that says nothing": ({}, "name.first[0]", ""),
    "a schema that is true": (True, "name", ""),
    "an object of anything": ({"type": "object"}, "name", ""),
    "more is allowed": (PERSON | {"additionalProperties": True}, "nme", ""),
    "more of a shape": ({"additionalProperties": PERSON}, "ada.nme", "ada.nme"),
    "names by pattern": (PERSON | {"patternProperties": {"^x": {}}}, "nme", ""),
    "nothing is allowed": ({"type": "object", "additionalProperties": False}, "name", "name"),
    "a list of people": ({"type": "array", "items": PERSON}, "[].name", ""),
    "a list of people, misspelled": ({"type": "array", "items": PERSON}, "[].nme", "[].nme"),
    "elements by place": ({"type": "array", "prefixItems": [PERSON], "items": False}, "[0].name", ""),
    "behind the last place": ({"type": "array", "prefixItems": [PERSON], "items": False}, "[1]", "[1]"),
    "one of several": ({"anyOf": [{"type": "null"}, PERSON]}, "name", ""),
    "none of several": ({"oneOf": [{"type": "null"}, PERSON]}, "nme", "nme"),
    "all of several": ({"allOf": [PERSON, {"properties": {"id": {}}}]}, "id", ""),
    "nullable by type": ({"type": ["object", "null"], "properties": {"name": {}}}, "nme", "nme"),
    "a reference": ({"properties": {"who": {"$ref": "#/$defs/P"}}, "$defs": {"P": PERSON}}, "who.nme", "who.nme"),
    "a reference that is followed": (
        {"properties": {"w": {"$ref": "#/$defs/P"}}, "$defs": {"P": PERSON}},
        "w.name",
        "",
    ),
    "a reference to elsewhere": ({"$ref": "https://example.com/person.json"}, "nme", ""),
    "a reference to nothing": ({"$ref": "#/$defs/None"}, "nme", ""),
    "a schema that only refers to itself": ({"$ref": "#"}, "name", ""),
    "a schema that refers to itself twice, again and again": ({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, "a.b.c", ""),
    "a tree": (
        {"properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}},
        "kids[].kids[].kid",
        "kids[].kids[].kid",
    ),
    "odd shapes": ({"type": 7, "properties": [], "anyOf": {}, "items": 3}, "name", ""),
}


@pytest.mark.parametrize(("schema", "path", "missing"), TABLE.values(), ids=TABLE.keys())
def test_what_a_schema_says_is_missing(schema: Any, path: str, missing: str) -> None:
    found = missing_in(schema, parse_path(path))

    assert missing == ("" if found is None else render_path(found))


def test_the_names_at_a_path_are_those_of_every_alternative() -> None:
    schema = {"properties": {"who": {"anyOf": [PERSON, {"properties": {"id": {}}}]}}}

    assert {"name", "tags", "id"} == set(fields_at(schema, parse_path("who")))
    assert [] == fields_at({"$ref": "#"}, parse_path("who"))
