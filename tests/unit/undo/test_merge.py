"""Three states merged: the agent's changes go back, everybody else's stay, and what both touched has no answer."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.canonical import Difference, differences, same_json
from synartesis.undo.lines import MAX_CHANGED
from synartesis.undo.merge import Overlap, merge
from tests.unit.undo.git_merges import Merge, recorded

ADA = {"name": "Ada", "plan": "pro", "notes": "", "address": {"city": "London", "zip": "W1"}}


def with_(record: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**record, **fields}


def without(record: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in keys}


FREE = with_(ADA, plan="free")
MOVED = with_(ADA, address={"city": "Paris", "zip": "W1"})

MERGED = {
    "nobody else": (ADA, FREE, FREE, ADA),
    "another field": (ADA, FREE, with_(FREE, notes="by hand"), with_(ADA, notes="by hand")),
    "a field that was added": (ADA, FREE, with_(FREE, tag="vip"), with_(ADA, tag="vip")),
    "a field that was removed": (ADA, FREE, without(FREE, "notes"), without(ADA, "notes")),
    "a field that the agent added": (ADA, with_(ADA, x=1), with_(ADA, x=1, notes="n"), with_(ADA, notes="n")),
    "a field that the agent removed": (
        ADA,
        without(ADA, "plan"),
        with_(without(ADA, "plan"), notes="n"),
        with_(ADA, notes="n"),
    ),
    "put back by hand already": (ADA, FREE, with_(ADA, notes="n"), with_(ADA, notes="n")),
    "the agent changed nothing": (ADA, ADA, with_(ADA, plan="team"), with_(ADA, plan="team")),
    "another field of an object inside": (
        ADA,
        MOVED,
        with_(MOVED, address={"city": "Paris", "zip": "75001"}),
        with_(ADA, address={"city": "London", "zip": "75001"}),
    ),
    "null is a value": (with_(ADA, notes=None), FREE, with_(FREE, name="A."), with_(ADA, notes=None, name="A.")),
    "a list that only the agent changed": (
        {"tags": [1], "n": 1},
        {"tags": [1, 2], "n": 1},
        {"tags": [1, 2], "n": 2},
        {"tags": [1], "n": 2},
    ),
    "texts": ("a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nB\nc\nD\n", "a\nb\nc\nD\n"),
    "a last line without an end": ("a\nb\nc", "A\nb\nc", "A\nb\nC", "a\nb\nC"),
    "other line ends": ("a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "A\r\nb\r\nC\r\n", "a\r\nb\r\nC\r\n"),
    "a text in a field": (
        {"body": "1\n2\n3\n", "n": 1},
        {"body": "one\n2\n3\n", "n": 1},
        {"body": "one\n2\nthree\n", "n": 1},
        {"body": "1\n2\nthree\n", "n": 1},
    ),
}


@pytest.mark.parametrize(("before", "after", "now", "wanted"), MERGED.values(), ids=MERGED)
def test_what_the_agent_changed_goes_back_and_the_rest_stays(before: Any, after: Any, now: Any, wanted: Any) -> None:
    given_ = copy.deepcopy((before, after, now))

    merged = merge(before, after, now)

    assert same_json(merged, wanted)
    assert (before, after, now) == given_, "nothing that was given is changed"


OVERLAPS = {
    "the same field": (ADA, FREE, with_(ADA, plan="team"), ("plan",)),
    "a field that the agent changed and somebody removed": (ADA, FREE, without(ADA, "plan"), ("plan",)),
    "a field that the agent removed and somebody set": (ADA, without(ADA, "plan"), with_(ADA, plan="x"), ("plan",)),
    "a field that both added": (ADA, with_(ADA, x=1), with_(ADA, x=2), ("x",)),
    "a field inside": (ADA, MOVED, with_(ADA, address={"city": "Rome", "zip": "W1"}), ("address", "city")),
    "an object that became a text": (ADA, with_(ADA, address="Paris"), with_(ADA, address="Rome"), ("address",)),
    "a list, even in other places": ({"t": [1, 2, 3]}, {"t": [9, 2, 3]}, {"t": [9, 2, 8]}, ("t",)),
    "the order of a list": ({"t": [1, 2]}, {"t": [1, 2, 3]}, {"t": [3, 2, 1]}, ("t",)),
    "a number that is another one": ({"n": 1}, {"n": 2}, {"n": True}, ("n",)),
    "one line": ("a b c", "a B c", "a B C", ()),
    "lines that touch": ("a\nb\nc\n", "a\nB\nc\n", "a\nB\nC\n", ()),
    "lines in the same place": ("a\nb\n", "a\nx\nb\n", "a\nx\ny\nb\n", ()),
    "only the end of the last line": ("a\nb", "a\nB", "a\nB\n", ()),
    "one of several equal lines, which somebody removed as well": (
        "title\n- item\n- item\nend\n",
        "title\n- item\n- item\n- item\nend\n",
        "Shopping\n- item\n- item\nend\n",
        (),
    ),
    "a blank line among blank lines": ("a\n\nb\n", "a\n\n\nb\n", "A\n\nb\n", ()),
    "the two ends of one run of equal lines": ("x\n-\n-\ny\n", "X\n-\n-\n-\ny\n", "X\n-\n-\nY\n", ()),
}


@pytest.mark.parametrize(("before", "after", "now", "path"), OVERLAPS.values(), ids=OVERLAPS)
def test_where_both_touched_one_place_there_is_no_answer(before: Any, after: Any, now: Any, path: Any) -> None:
    found = merge(before, after, now)

    assert isinstance(found, Overlap)
    assert found.path == path
    assert "somebody else" in str(found)


def test_a_text_in_which_too_much_was_changed_is_not_merged_and_a_long_one_is() -> None:
    many = [str(line) for line in range(MAX_CHANGED)]
    text, other = "\n".join(["a", *many, "b"]), "\n".join(["a", *many[::-1], "b"])

    found = merge(text, text.replace("a", "A"), other.replace("a", "A"))

    assert isinstance(found, Overlap)
    assert "too many lines" in str(found)
    assert merge(text, text.replace("a", "A"), text.replace("a", "A") + "B") == text + "B"


def test_so_is_one_in_which_a_comparison_could_name_too_many_of_the_equal_lines() -> None:
    blank = "\n" * 5_000

    found = merge("a\n" + blank, "A\n" + blank, "A\n" + blank + "\n" * 200)

    assert isinstance(found, Overlap)
    assert "too many lines" in str(found)


def test_what_moves_by_itself_is_nobodys_change_and_stays_as_it_is() -> None:
    merged = merge({"n": 1, "at": 1}, {"n": 2, "at": 2}, {"n": 2, "at": 3}, ignore=[("at",)])
    inside = merge(
        {"n": 1, "m": {"at": 1, "x": 1}},
        {"n": 2, "m": {"at": 2, "x": 2}},
        {"n": 2, "m": {"at": 3, "x": 2}, "y": 1},
        ignore=[("m", "at")],
    )

    assert merged == {"n": 1, "at": 3}
    assert inside == {"n": 1, "m": {"at": 3, "x": 1}, "y": 1}


def test_a_list_in_another_order_is_no_change_where_its_order_means_nothing() -> None:
    merged = merge({"t": [1, 2], "n": 1}, {"t": [1, 2, 3], "n": 1}, {"t": [3, 2, 1], "n": 2}, unordered=[("t",)])

    assert merged == {"t": [1, 2], "n": 2}


# --- for any three states

keys = st.sampled_from("abcde")
scalars = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "x", "y", "x\ny\n", "x\nz\n"])
values = st.recursive(
    scalars, lambda below: st.lists(below, max_size=3) | st.dictionaries(keys, below, max_size=4), max_leaves=8
)
records = st.dictionaries(keys, values, max_size=5)
texts = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=8).map("".join)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], Any]:
    """Every place that is not an object, by its path; objects that are empty as well."""
    if isinstance(value, dict) and value:
        return {place: leaf for key, inner in value.items() for place, leaf in leaves(inner, (*path, key)).items()}
    return {path: value}


@given(values, values)
def test_where_nobody_else_changed_anything_it_is_the_state_before(before: Any, after: Any) -> None:
    assert same_json(merge(before, after, after), before)


@given(values, values)
def test_where_the_agent_changed_nothing_it_is_what_is_there_now(before: Any, now: Any) -> None:
    assert same_json(merge(before, before, now), now)


@given(values, values)
def test_what_is_as_before_already_stays(before: Any, after: Any) -> None:
    assert same_json(merge(before, after, before), before)


@given(records, records, records)
def test_whoever_is_called_the_agent_the_result_is_the_same(before: Any, after: Any, now: Any) -> None:
    one, other = merge(before, after, now), merge(now, after, before)

    if isinstance(one, Overlap) or isinstance(other, Overlap):
        assert isinstance(one, Overlap)
        assert isinstance(other, Overlap)
    else:
        assert same_json(one, other)


@given(texts, texts, texts)
def test_no_line_of_a_merged_text_is_made_up(before: str, after: str, now: str) -> None:
    merged, other_way = merge(before, after, now), merge(now, after, before)

    if isinstance(merged, Overlap):
        assert isinstance(other_way, Overlap)
    else:
        assert merged == other_way
        assert set(merged.split("\n")) <= set(before.split("\n")) | set(now.split("\n"))


@given(texts, texts, texts)
def test_a_text_is_merged_from_its_end_as_from_its_beginning(before: str, after: str, now: str) -> None:
    """Nothing depends on which of several equal lines a comparison comes to first."""
    merged, backwards = merge(before, after, now), merge(*map(from_its_end, (before, after, now)))

    if isinstance(merged, Overlap) or isinstance(backwards, Overlap):
        assert merged == backwards
    else:
        assert from_its_end(backwards) == merged


def from_its_end(text: str) -> str:
    return "".join(text.splitlines(keepends=True)[::-1])


def test_what_git_finds_in_conflict_is_not_merged_and_no_text_becomes_another_than_by_git() -> None:
    otherwise: list[Merge] = []
    for one in recorded():
        found = merge(one.before, one.after, one.now)
        if not isinstance(found, Overlap) and found != one.merged:
            otherwise.append(one)

    assert otherwise == []


def test_most_of_what_git_merges_is_merged() -> None:
    by_git = [one for one in recorded() if one.merged is not None]
    by_us = [one for one in by_git if not isinstance(merge(one.before, one.after, one.now), Overlap)]

    assert len(by_us) > 0.7 * len(by_git)


@given(st.dictionaries(keys, scalars), st.dictionaries(keys, scalars), st.dictionaries(keys, scalars))
def test_every_value_comes_from_now_or_from_before(before: Any, after: Any, now: Any) -> None:
    merged = merge(before, after, now)

    if not isinstance(merged, Overlap):
        for key in {*before, *after, *now}:
            found = merged.get(key, "nothing")
            mine, theirs, middle = (one.get(key, "nothing") for one in (before, now, after))
            if isinstance(found, str) and "\n" in found and not same_json(mine, theirs):
                continue  # lines of both
            changed_by_us, changed_by_them = not same_json(mine, middle), not same_json(theirs, middle)
            assert same_json(found, mine if changed_by_us and not changed_by_them else theirs)


@given(records, st.sets(keys), st.data())
def test_changes_in_different_fields_never_overlap(before: Any, ours: set[str], data: st.DataObject) -> None:
    agents = data.draw(st.dictionaries(st.sampled_from(sorted(ours)), values)) if ours else {}
    others = sorted(set("abcde") - ours)
    theirs = data.draw(st.dictionaries(st.sampled_from(others), values)) if others else {}

    merged = merge(before, {**before, **agents}, {**before, **agents, **theirs})

    assert same_json(merged, {**before, **theirs})


@given(records, records, records)
def test_nothing_is_touched_that_the_agent_did_not_touch(before: Any, after: Any, now: Any) -> None:
    merged = merge(before, after, now)

    if not isinstance(merged, Overlap):
        touched = [one.path for one in differences(before, after)]
        moved: list[Difference] = differences(now, merged)
        assert all(any(_one_is_within_the_other(one.path, place) for place in touched) for one in moved), (
            "what goes back lies where the agent's change was"
        )


def _one_is_within_the_other(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    short = min(len(a), len(b))
    return a[:short] == b[:short]
