"""JSON values, exactly."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.canonical import (
    MISSING,
    Difference,
    NotJson,
    canonical_json,
    decode_json,
    decode_json_strictly,
    differences,
    encode_json,
    fingerprint,
    same_json,
)
from synartesis.domain.paths import parse_path

EXACT = [
    "1917043659912705296",
    "9223372036854775808",
    "123456789012345678901234567890",
    "-0.0",
    "19.90",
    "1.10",
    "1E+400",
    "0.1234567890123456789012345678901234567890",
    "1" * 5000,
]


@pytest.mark.parametrize("text", EXACT)
def test_a_number_comes_out_as_it_went_in(text: str) -> None:
    assert encode_json(decode_json(text)).decode() == text


SAME = {
    "largest-plain": ("18446744073709551615", "1844674407370955161.5e1"),
    "first-beyond": ("18446744073709551616", "1844674407370955161.6e1"),
    "many-digits": ("1" * 5000, "1" * 5000 + ".0"),
    "1e2-is-100": ("1e2", "100"),
    "trailing-zero": ("19.90", "19.9"),
    "big": ("1e5", "100000.0"),
}
OTHER = {
    "one-is-not-true": ("1", "true"),
    "zero-is-not-false": ("0", "false"),
    "minus-zero-is-not-zero": ("-0.0", "0.0"),
    "text-is-not-a-number": ('"1"', "1"),
    "nfc-is-not-nfd": ('"\\u00e9"', '"e\\u0301"'),
    "null-is-not-absent": ('{"a":null}', "{}"),
    "empty-is-not-null": ('{"a":""}', '{"a":null}'),
    "neighbours": ("1917043659912705296", "1917043659912705297"),
    "huge-exponents": ("1e400", "1e401"),
}


@pytest.mark.parametrize("a, b", SAME.values(), ids=SAME)
def test_two_spellings_of_one_value_are_the_same(a: str, b: str) -> None:
    assert same_json(decode_json(a), decode_json(b))
    assert canonical_json(decode_json(a)) == canonical_json(decode_json(b))


@pytest.mark.parametrize("a, b", OTHER.values(), ids=OTHER)
def test_two_values_that_look_alike_are_not_the_same(a: str, b: str) -> None:
    assert not same_json(decode_json(a), decode_json(b))
    assert canonical_json(decode_json(a)) != canonical_json(decode_json(b))


@pytest.mark.parametrize("text", ["NaN", "Infinity", "[-Infinity]", "{", "", "1 2", "\xff"])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(NotJson):
        decode_json(text)


def test_what_readers_commonly_accept_is_accepted() -> None:
    assert decode_json(b"\xef\xbb\xbf[1]") == [1]
    assert encode_json(decode_json('["\\ud83d"]')) == b'["\\ud83d"]'
    deep = "[" * 500 + "]" * 500
    assert encode_json(decode_json(deep)).decode() == deep


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', '{"b":{"a":1,"a":1}}', '[{"a":1,"\\u0061":2}]'])
def test_a_key_that_stands_twice_is_refused_where_it_matters(text: str) -> None:
    with pytest.raises(NotJson, match="stands twice"):
        decode_json_strictly(text)


def test_an_ignored_path_is_left_out_and_all_below_it() -> None:
    a = decode_json('{"at": 1, "meta": {"etag": "x", "n": 1}, "rows": [{"id": 1, "v": 1}]}')
    b = decode_json('{"at": 2, "meta": {"etag": "y"}, "rows": [{"id": 1, "v": 2}]}')

    found = differences(a, b, ignore=[parse_path("at"), parse_path("meta"), parse_path("rows[].v")])

    assert found == []


def test_an_unordered_list_is_compared_as_a_bag() -> None:
    a, b = decode_json('{"l": ["x", "y", "y"]}'), decode_json('{"l": ["y", "x", "y"]}')
    more = decode_json('{"l": ["y", "x", "y", "z"]}')

    assert differences(a, b, unordered=[("l",)]) == []
    assert [(one.expected, one.actual) for one in differences(a, more, unordered=[("l",)])] == [(MISSING, "z")]
    assert differences(a, b) != []


def test_a_difference_names_the_path_and_both_values() -> None:
    a, b = decode_json('{"a": [1, {"b": null}]}'), decode_json('{"a": [1, {"c": 2}]}')

    assert differences(a, b) == [
        Difference(("a", 1, "b"), None, MISSING),
        Difference(("a", 1, "c"), MISSING, 2),
    ]


def test_a_fingerprint_does_not_depend_on_the_order_of_keys_and_on_nothing_else() -> None:
    args = {"to": "a", "text": "hi"}
    assert fingerprint("s", "t", args) == fingerprint("s", "t", dict(reversed(args.items())))
    assert len({fingerprint("s", "t", args), fingerprint("s2", "t", args), fingerprint("s", "t2", args)}) == 3


ASCII = st.characters(codec="ascii")

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.decimals(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_every_value_survives_a_round_trip(value: Any) -> None:
    assert same_json(decode_json(encode_json(value)), value)
    assert differences(value, value) == []


number_texts = st.from_regex(
    r"-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,4})?", fullmatch=True, alphabet=ASCII
)


@given(json_values.map(encode_json) | number_texts.map(str.encode))
def test_the_fast_reader_and_the_strict_one_read_the_same(text: bytes) -> None:
    fast, strict = decode_json(text), decode_json_strictly(text)

    assert same_json(fast, strict)
    assert encode_json(fast) == encode_json(strict)


@given(json_values, json_values)
def test_the_canonical_text_is_equal_exactly_where_the_values_are(a: Any, b: Any) -> None:
    assert (canonical_json(a) == canonical_json(b)) == same_json(a, b)


@given(json_values)
def test_canonical_text_is_json_that_every_reader_reads(value: Any) -> None:
    json.loads(canonical_json(value), parse_float=Decimal)
