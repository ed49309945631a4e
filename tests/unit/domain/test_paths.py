"""Paths: written, read, walked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.paths import EACH, Path, PathNotFound, covers, get_path, parse_path, render_path

WRITTEN = {
    "root": ("", ()),
    "field": ("a", ("a",)),
    "dotted": (".a.b", ("a", "b")),
    "index": ("a[0]", ("a", 0)),
    "each": ("labels[].name", ("labels", EACH, "name")),
    "quoted": ('["a.b"]["c\\"d"]', ("a.b", 'c"d')),
    "dash": ("created-at", ("created-at",)),
}


@pytest.mark.parametrize("text, path", WRITTEN.values(), ids=WRITTEN)
def test_a_path_is_read_as_it_is_meant(text: str, path: Path) -> None:
    assert parse_path(text) == path


@pytest.mark.parametrize("text", ["a..b", "a[", "a[x]", "a b", '["a', "a[-1]", "$.a"])
def test_what_is_not_a_path_is_refused_with_the_part_that_cannot_be_read(text: str) -> None:
    with pytest.raises(ValueError, match="cannot read"):
        parse_path(text)


segments = st.text(min_size=1) | st.integers(0, 99) | st.just(EACH)


@given(st.lists(segments, max_size=5).map(tuple))
def test_every_path_is_read_back_from_its_spelling(path: Path) -> None:
    assert parse_path(render_path(path)) == path


def test_each_reads_the_same_of_every_element() -> None:
    assert get_path({"l": [{"n": 1}, {"n": 2}]}, parse_path("l[].n")) == [1, 2]


MISSES = {
    "no-key": ({"a": 1}, "b"),
    "null-on-the-way": ({"a": None}, "a.b"),
    "past-the-end": ({"a": [1]}, "a[1]"),
    "one-element-lacks-it": ({"l": [{"n": 1}, {}]}, "l[].n"),
    "text-is-not-a-list": ({"a": "xy"}, "a[0]"),
}


@pytest.mark.parametrize("value, path", MISSES.values(), ids=MISSES)
def test_what_is_not_there_is_never_turned_into_null(value: object, path: str) -> None:
    with pytest.raises(PathNotFound):
        get_path(value, parse_path(path))


def test_a_path_covers_itself_and_what_lies_below() -> None:
    assert covers(("a",), ("a", "b"))
    assert covers(("l", EACH, "n"), ("l", 3, "n"))
    assert covers((), ("a",))
    assert not covers(("a", "b"), ("a",))
    assert not covers(("a",), ("b",))
