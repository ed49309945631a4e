"""Texts from servers, written into YAML: whatever is in them, they come back as they were and end nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.onboard import spelling
from synartesis.policy.source import Mapping, Scalar, Sequence, read_source

NASTY = [
    "plain",
    "with space",
    "no",
    "Null",
    "12",
    "-",
    "a: b # c",
    '"; rm -rf / #',
    "line\nbreak",
    "next\x85line\u2028sep\u2029par",
    "tab\tand\x00zero\x7f",
    "\ufeffbom",
    "ümläut 😀",
    "*",
    "&x",
    "{a}",
    "C:\\dir",
    "",
    ".5",
    "./x",
    "/usr/bin/x",
    "a/b",
    "~",
]

texts = st.one_of(st.sampled_from(NASTY), st.text(st.characters(exclude_categories=["Cs"]), max_size=12))


def read(text: str) -> object:
    source = read_source(text)
    assert [] == source.problems, (text, source.problems)
    return plain(source.root)


def plain(node: object) -> object:
    match node:
        case Mapping(entries=entries):
            return {name: plain(entry.value) for name, entry in entries.items()}
        case Sequence(items=items):
            return [plain(item) for item in items]
        case Scalar(value=value):
            return value
        case _:
            raise AssertionError(node)


@given(texts, texts)
def test_a_text_is_read_back_as_it_was(name: str, content: str) -> None:
    written = f"{spelling.key(name)}: {spelling.value(content)}\nq: {spelling.quoted(content)}\n"

    assert {name: content, "q": content} == read(written) or name == "q"


@given(st.recursive(texts | st.booleans() | st.integers() | st.none(), lambda inner: st.lists(inner, max_size=3)))
def test_a_value_on_one_line_is_read_back_as_it_was(value: object) -> None:
    written = spelling.flow({"a": value})

    assert "\n" not in written
    assert {"a": value} == read(written)


@given(texts)
def test_a_comment_stays_on_its_line(text: str) -> None:
    assert {"a": 1} == read(f"a: 1 # {spelling.comment(text)}\n")


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ("id", "$.id"),
        ("a-b", "$.a-b"),
        ("a b", '$["a b"]'),
        ('a"b', '$["a\\"b"]'),
        ("a.b", '$["a.b"]'),
        ("$x", '$["$x"]'),
    ],
)
def test_a_reference_is_spelled_as_the_manifest_reads_it(field: str, written: str) -> None:
    from synartesis.policy.references import Reference, parse_text

    assert written == spelling.reference("$", field)
    assert Reference("arguments", (field,)) == parse_text(written)
