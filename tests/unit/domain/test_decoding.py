"""How an answer becomes a value where a rule declares its form: exactly, or not at all."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.calls import Decode, Undecodable
from synartesis.domain.canonical import encode_json, same_json
from synartesis.domain.decoding import decoded_value

IMAGE = {"type": "image", "data": "AA==", "mimeType": "image/png"}


def blocks(*texts: str | dict[str, Any], **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text} if isinstance(text, str) else text for text in texts]
    return {"content": content, **more}


ROWS = '[{"id": 1, "price": 19.90}]'
VERSION = r"version (?P<version>\d+)(, by (?P<author>\w+))?"

DECODED = {
    "text beside structure": (Decode("text"), blocks('{"a": 1}\n', structuredContent={"a": 1}), '{"a": 1}\n'),
    "text of several blocks": (Decode("text"), blocks("a", "b"), "a\nb"),
    "json": (Decode("json"), blocks(ROWS), [{"id": 1, "price": Decimal("19.90")}]),
    "json that is a number": (Decode("json"), blocks("1e400"), Decimal("1e400")),
    "json beside structure": (
        Decode("json"),
        blocks(ROWS, structuredContent={"result": "x"}),
        [{"id": 1, "price": Decimal("19.90")}],
    ),
    "json in structure": (
        Decode("json_in", "result"),
        blocks("x", structuredContent={"result": ROWS}),
        [{"id": 1, "price": Decimal("19.90")}],
    ),
    "json in json": (Decode("json_in", "data[0].body"), blocks('{"data": [{"body": "{\\"a\\": 1}"}]}'), {"a": 1}),
    "after prose": (
        Decode("json_after_prose"),
        blocks(f"Found [1] row in {{crm}}, see [docs]:\n{ROWS}\n"),
        [{"id": 1, "price": Decimal("19.90")}],
    ),
    "without prose": (Decode("json_after_prose"), blocks(ROWS), [{"id": 1, "price": Decimal("19.90")}]),
    "after prose in the block before": (Decode("json_after_prose"), blocks("Query results:", '{"a": [1]}'), {"a": [1]}),
    "rows of python": (
        Decode("python_literal"),
        blocks(
            "[{'id': 1, 'n': None, 'ok': True, 'price': 19.90, 'neg': -0.0, 'big': 9223372036854775808}, ('a\\n', -5)]"
        ),
        [
            {
                "id": 1,
                "n": None,
                "ok": True,
                "price": Decimal("19.90"),
                "neg": Decimal("-0.0"),
                "big": 9223372036854775808,
            },
            ["a\n", -5],
        ],
    ),
    "blocks": (
        Decode("blocks"),
        blocks('{"id": 1}', "plain", "12", IMAGE, "[]"),
        [{"id": 1}, "plain", "12", IMAGE, []],
    ),
    "no blocks": (Decode("blocks"), blocks(), []),
    "pattern": (Decode("pattern", VERSION), blocks("page, version 7, by ada"), {"version": "7", "author": "ada"}),
    "a group that took no part": (Decode("pattern", VERSION), blocks("version 7"), {"version": "7"}),
    "plain": (None, blocks("x", structuredContent={"a": 1}), {"a": 1}),
}


@pytest.mark.parametrize(("decode", "result", "value"), DECODED.values(), ids=DECODED.keys())
def test_an_answer_becomes(decode: Decode | None, result: Any, value: Any) -> None:
    found = decoded_value(result, decode)

    assert encode_json(value) == encode_json(found.whole)
    assert same_json(value, found.parsed())


UNDECODABLE = {
    "no text": (Decode("text"), blocks(IMAGE), "not all text"),
    "no content": (Decode("text"), {"structuredContent": {"a": 1}}, "no content blocks"),
    "empty content": (Decode("json"), blocks(), "no text"),
    "no json": (Decode("json"), blocks("{'a': 1}"), "its text is not JSON"),
    "no such field": (Decode("json_in", "result"), blocks("{}"), "nothing at result"),
    "not a text": (Decode("json_in", "result"), blocks('{"result": {"a": 1}}'), "`result` is no text"),
    "no json in it": (Decode("json_in", "result"), blocks('{"result": "none"}'), "`result` is not JSON"),
    "only prose": (Decode("json_after_prose"), blocks("Nothing [yet]."), "does not end with"),
    "prose after it": (Decode("json_after_prose"), blocks(f"{ROWS} and more"), "does not end with"),
    "broken off": (Decode("json_after_prose"), blocks('rows: [{"a": 1}, {"a": 2}'), "broken"),
    "broken off in a text": (Decode("json_after_prose"), blocks('rows: ["{}'), "broken"),
    "broken within": (Decode("json_after_prose"), blocks('rows: [{"a": 1} {"a": 2}]\n{"b": 1}'), "broken"),
    "not a number": (Decode("json_after_prose"), blocks("rows: [NaN]"), "not JSON"),
    "a call": (
        Decode("python_literal"),
        blocks("[{'at': datetime.datetime(2026, 1, 1)}]"),
        "`datetime.datetime(2026, 1, 1)`",
    ),
    "a name": (Decode("python_literal"), blocks("[nan]"), "`nan`"),
    "a sum": (Decode("python_literal"), blocks("1+1"), "`1+1`"),
    "bytes": (Decode("python_literal"), blocks("b'x'"), "no counterpart"),
    "a number as a key": (Decode("python_literal"), blocks("{1: 'a'}"), "not a text"),
    "a key twice": (Decode("python_literal"), blocks("{'a': 1, 'a': 2}"), "`a` twice"),
    "unpacked": (Decode("python_literal"), blocks("{**{}}"), "not a text"),
    "prose": (Decode("python_literal"), blocks("two rows"), "not a literal"),
    "too deep": (Decode("python_literal"), blocks("[" * 5000 + "]" * 5000), "not a literal"),
    "no match": (Decode("pattern", VERSION), blocks("page"), "does not match"),
    "a long text": (Decode("pattern", VERSION), blocks("x" * 1_000_001), "longer than"),
}


@pytest.mark.parametrize(("decode", "result", "why"), UNDECODABLE.values(), ids=UNDECODABLE.keys())
def test_what_does_not_have_the_declared_form_is_no_value(decode: Decode, result: Any, why: str) -> None:
    with pytest.raises(Undecodable) as refused:
        decoded_value(result, decode)

    assert why in str(refused.value)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_whatever_python_prints_is_read_back_as_the_same_value(value: Any) -> None:
    def exact(it: Any) -> Any:
        match it:
            case float():
                return Decimal(repr(it))
            case list():
                return [exact(x) for x in it]
            case dict():
                return {key: exact(x) for key, x in it.items()}
            case _:
                return it

    found = decoded_value(blocks(repr(value)), Decode("python_literal")).whole

    assert same_json(exact(value), found)
