"""References: what is one, what it stands for, and what is said when it stands for nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from synartesis.domain.calls import AnswerRules, AnswerValue, ErrorSays, TextIs, ValueAt
from synartesis.domain.canonical import encode_json
from synartesis.domain.names import Tool
from synartesis.domain.paths import EACH, Path
from synartesis.policy.manifest import ReadRule
from synartesis.policy.references import Reference, Text
from synartesis.policy.template import (
    Context,
    Current,
    Defaulted,
    Unresolvable,
    given_paths,
    leaves_marks,
    parse_template,
    references,
    resolve,
    resolve_read,
    restored_paths,
)

STATE: dict[str, Any] = {
    "name": "Ada",
    "owner": None,
    "labels": [{"name": "a"}, {"name": "b"}],
    "n": 1,
    "price": Decimal("19.90"),
}
STATE["groups"] = [{"of": [1, 2]}, {"of": []}]
CONTEXT = Context(
    arguments={"id": "c_001", "n": 7, "dotted.key": True, "big": 9223372036854775807},
    snapshot=AnswerValue(STATE),
    result=AnswerValue({"id": 12}),
)


READ_AS = {
    "plain text": ("no dollar", "no dollar"),
    "argument": ("$.id", Reference("arguments", ("id",))),
    "all arguments": ("$", Reference("arguments", ())),
    "snapshot": ("$snapshot", Reference("snapshot", ())),
    "result": ("$result.id", Reference("result", ("id",))),
    "quoted key": ('$["dotted.key"]', Reference("arguments", ("dotted.key",))),
    "escaped quote": ('$["a\\"b"]', Reference("arguments", ('a"b',))),
    "index": ("$snapshot.labels[0].name", Reference("snapshot", ("labels", 0, "name"))),
    "each": ("$snapshot.labels[].name", Reference("snapshot", ("labels", EACH, "name"))),
    "hyphen": ("$.content-type", Reference("arguments", ("content-type",))),
    "literal dollar": ("$$.id costs $$5", "$.id costs $5"),
    "dollar before reference": ("$$$.id", Text(("$", Reference("arguments", ("id",))))),
    "ends at comma": ("Hi $.name, hello", Text(("Hi ", Reference("arguments", ("name",)), ", hello"))),
    "ends at slash": ("$.dir/$.file", Text((Reference("arguments", ("dir",)), "/", Reference("arguments", ("file",))))),
    "ends a sentence": ("gone: $.id.", Text(("gone: ", Reference("arguments", ("id",)), "."))),
    "inside brackets": ("(id $.id)", Text(("(id ", Reference("arguments", ("id",)), ")"))),
    "optional": ("$snapshot.owner?", Reference("snapshot", ("owner",), optional=True)),
    "current": ("$current.sha", Reference("current", ("sha",))),
    "item": ("$item.id", Reference("item", ("id",))),
    "a question": ("is it $.id?", Text(("is it ", Reference("arguments", ("id",)), "?"))),
}


@pytest.mark.parametrize(("text", "expected"), READ_AS.values(), ids=READ_AS.keys())
def test_a_string_is_read_as(text: str, expected: Any) -> None:
    assert expected == parse_template(text)


REFUSED = {
    "money": ("costs $5", "`$5`"),
    "brace": ("${HOME}/x", "`${HOME}/x`"),
    "typo": ("$snapshots.name", "`$snapshots`"),
    "word": ("$id", "`$.id`"),
    "nothing after dot": ("$.", "`$.`"),
    "cut off": ("$snapshot.", "`$snapshot.`"),
    "two dots": ("$snapshot..name", "`$snapshot..name`"),
    "bad index": ("$.a[x]", "`$.a[x]`"),
    "current in a text": ("v$current.sha", "let it stand alone"),
    "current before a text": ("$current.sha!", "let it stand alone"),
    "optional current": ("$current.sha?", "let it stand alone"),
    "each current": ({"$each": "$current.all", "$make": 1}, "outside of any form"),
    "from current": ({"$from": "$current.sha", "$default": 1}, "outside of any form"),
    "optional whole": ("$snapshot?", "`$snapshot.field?`"),
    "optional in a list": (["$snapshot.owner?"], "an element of a list is none"),
    "each of no path": ({"$each": [1], "$make": {}}, "`$each` copies from a path"),
    "each of a text": ({"$each": "all $.a", "$make": {}}, "`$each` copies from a path"),
    "make that may be left out": ({"$each": "$.a", "$make": "$item.b?"}, "`$make` is none"),
    "from no path": ({"x": [{"$from": "none", "$default": 1}]}, "`$from` copies from a path"),
    "two ways out": ({"$from": "$.a?", "$default": 1}, "`$default` says what absence becomes"),
}


@pytest.mark.parametrize(("value", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_reference_is_quoted_and_refused(value: Any, words: str) -> None:
    with pytest.raises(ValueError) as refused:
        parse_template(value)

    assert words in str(refused.value)


def test_keys_with_a_dollar_are_literal() -> None:
    query = {"$push": {"scores": {"$each": [1, 2], "$slice": 5}}, "$from": "x"}
    assert query == resolve(parse_template(query), CONTEXT)
    assert {"$set": {"name": "Ada"}} == resolve(parse_template({"$set": {"name": "$snapshot.name"}}), CONTEXT)


RESOLVES_TO = {
    "type kept": ("$.n", 7),
    "null kept": ("$snapshot.owner", None),
    "decimal kept": ("$snapshot.price", Decimal("19.90")),
    "text in text": ("Key $.id not found", "Key c_001 not found"),
    "number in text": ("n=$.n!", "n=7!"),
    "decimal in text": ("$snapshot.price EUR", "19.90 EUR"),
    "null in text": ("owner $snapshot.owner", "owner null"),
    "true in text": ('is $["dotted.key"]', "is true"),
    "object in text": ("labels $snapshot.labels[0]", 'labels {"name":"a"}'),
    "every name": ("$snapshot.labels[].name", ["a", "b"]),
    "nested": ({"a": [{"b": "$result.id"}, 1]}, {"a": [{"b": 12}, 1]}),
    "there": ({"owner": "$snapshot.owner?"}, {"owner": None}),
    "left out": ({"a": 1, "plan": "$snapshot.plan?"}, {"a": 1}),
    "left out through null": ({"a": "$snapshot.owner.name?"}, {}),
    "left out with all that is in it": ({"a": "$snapshot.tags[].name?"}, {}),
    "left out beyond the end": ({"a": "$snapshot.labels[9].name?"}, {}),
    "not the default": ({"$from": "$snapshot.owner", "$default": "nobody"}, None),
    "the default": ({"$from": "$.plan", "$default": {"of": "$.id"}}, {"of": "c_001"}),
    "renamed": (
        {"$each": "$snapshot.labels", "$make": {"title": "$item.name", "of": "$.n"}},
        [{"title": "a", "of": 7}, {"title": "b", "of": 7}],
    ),
    "elements themselves": ({"$each": "$snapshot.labels[].name", "$make": "$item"}, ["a", "b"]),
    "in a text, and without a field": (
        {"$each": "$snapshot.labels", "$make": {"n": "<$item.name>", "seen": "$item.seen?"}},
        [{"n": "<a>"}, {"n": "<b>"}],
    ),
    "no list, no key": ({"a": {"$each": "$snapshot.tags?", "$make": "$item"}}, {}),
    "lists in lists": (
        {"$each": "$snapshot.groups", "$make": {"$each": "$item.of", "$make": {"x": "$item"}}},
        [[{"x": 1}, {"x": 2}], []],
    ),
}


@pytest.mark.parametrize(("value", "expected"), RESOLVES_TO.values(), ids=RESOLVES_TO.keys())
def test_a_template_resolves_to(value: Any, expected: Any) -> None:
    assert encode_json(expected) == encode_json(resolve(parse_template(value), CONTEXT))


MISSING = {
    "argument": ("$.owner", "the call has no argument `owner`"),
    "field": ("$snapshot.plan", "the state has no field `plan`"),
    "result": ("$result.name", "the result has no field `name`"),
    "below": ("$snapshot.labels[0].id", "`labels[0]` of the state has no field `id`"),
    "through null": ("$snapshot.owner.name", "`owner` of the state has no field `name`"),
    "element": ("$snapshot.labels[9]", "`labels` of the state has no element 9"),
    "the whole list, not its elements": ("$snapshot.tags[].id", "the state has no field `tags`"),
    "not a list": ("$snapshot.name[].x", "`name` of the state is not a list"),
    "in an element": ("$snapshot.labels[].id", "not every element of `labels` has a field `id`"),
}


@pytest.mark.parametrize(("text", "why"), MISSING.values(), ids=MISSING.keys())
def test_what_is_missing_is_named(text: str, why: str) -> None:
    with pytest.raises(Unresolvable) as missing:
        resolve(parse_template(text), CONTEXT)

    assert (text, why) == (missing.value.reference, missing.value.why)


MISSING_IN_FORMS = {
    "in an element, although it may be absent": (
        {"a": "$snapshot.labels[].id?"},
        "$snapshot.labels[].id?: not every element of `labels` has a field `id`",
    ),
    "below a text, although it may be absent": (
        {"a": "$snapshot.name.first?"},
        "$snapshot.name.first?: `name` of the state has no field `first`",
    ),
    "below a text, in spite of a default": (
        {"$from": "$snapshot.name.first", "$default": 1},
        "$snapshot.name.first: `name` of the state has no field `first`",
    ),
    "of an element": (
        {"$each": "$snapshot.labels", "$make": "$item.id"},
        "$item.id: the element has no field `id`",
    ),
    "each of no list": ({"$each": "$snapshot.name", "$make": "$item"}, "$snapshot.name: is not a list"),
    "each of nothing": (
        {"$each": "$snapshot.tags", "$make": "$item"},
        "$snapshot.tags: the state has no field `tags`",
    ),
}


@pytest.mark.parametrize(("value", "told"), MISSING_IN_FORMS.values(), ids=MISSING_IN_FORMS.keys())
def test_what_is_no_absence_in_a_form_is_named(value: Any, told: str) -> None:
    with pytest.raises(Unresolvable) as missing:
        resolve(parse_template(value), CONTEXT)

    assert told == str(missing.value)


def test_where_a_default_stands_for_the_state_it_is_marked() -> None:
    template = parse_template({"a": {"$from": "$snapshot.plan", "$default": {"of": "$.id"}}})

    assert {"a": Defaulted(("plan",), {"of": "c_001"})} == resolve(template, CONTEXT)
    assert leaves_marks(template)
    assert not leaves_marks(parse_template({"a": ["$snapshot.plan", {"$each": "$.a", "$make": "$item"}]}))


def test_the_current_state_leaves_its_place_open() -> None:
    template = parse_template({"at": ["$current.sha"], "all": {"$each": "$.id[]", "$make": "$current"}})

    assert {"at": [Current(("sha",))], "all": [Current(()), Current(())]} == resolve(
        template, Context(arguments={"id": [1, 2]})
    )


def test_a_source_that_is_not_known_is_not_an_empty_one() -> None:
    with pytest.raises(Unresolvable, match="the result of the call is not known"):
        resolve(parse_template("$result"), Context(arguments={}))


TEXT_FILES = ['{"b": 2,  "a": 1}\n', "123", "true", "null", '"q"', "[1]", "1e3", "[{'id': 1, 'n': None}]", ""]


@pytest.mark.parametrize("content", TEXT_FILES)
def test_the_bare_state_is_the_exact_text_however_much_it_looks_like_data(content: str) -> None:
    context = Context(arguments={}, snapshot=AnswerValue(content, is_text=True))

    assert {"content": content} == resolve(parse_template({"content": "$snapshot"}), context)


def test_a_path_reads_into_json_text_and_never_guesses_at_python() -> None:
    json_text = Context(arguments={}, snapshot=AnswerValue('{"b": 2,  "a": 1}\n', is_text=True))
    python_text = Context(arguments={}, snapshot=AnswerValue("[{'id': 1, 'n': None}]", is_text=True))

    assert 1 == resolve(parse_template("$snapshot.a"), json_text)
    with pytest.raises(Unresolvable, match="the answer is text that is not JSON"):
        resolve(parse_template("$snapshot[0].id"), python_text)


def test_restored_paths_are_those_of_the_state_wherever_they_stand() -> None:
    template = parse_template({"id": "$.id", "a": ["$snapshot.name"], "b": "x $snapshot.owner", "c": "$snapshot.name"})

    assert (("name",), ("owner",)) == restored_paths(template)
    assert ((),) == restored_paths(parse_template({"content": "$snapshot"}))
    assert ["$.id", "$snapshot.name", "$snapshot.owner", "$snapshot.name"] == [str(r) for r in references(template)]


GIVEN = {
    "alone": ({"a": "$snapshot.name"}, None, (("name",),)),
    "in a longer text": ({"a": "was $snapshot.name"}, None, ()),
    "both": ({"a": "was $snapshot.name", "b": ["$snapshot.name"]}, None, (("name",),)),
    "a default in a longer text": (
        {"a": {"$from": "$snapshot.name", "$default": "no $snapshot.n"}},
        None,
        (("name",),),
    ),
    "elements": ({"a": {"$each": "$snapshot.labels", "$make": "$item.name"}}, None, (("labels", EACH, "name"),)),
    "elements in a longer text": ({"a": {"$each": "$snapshot.labels", "$make": "- $item.name"}}, None, ()),
    "of each": ({"a": "$item.name"}, Reference("snapshot", ("labels",)), (("labels", EACH, "name"),)),
    "of each, in a longer text": ({"a": "- $item.name"}, Reference("snapshot", ("labels",)), ()),
}


@pytest.mark.parametrize(("template", "for_each", "paths"), GIVEN.values(), ids=GIVEN)
def test_what_is_only_spoken_of_in_a_longer_text_is_not_given(
    template: Any, for_each: Reference | None, paths: tuple[Path, ...]
) -> None:
    assert paths == given_paths(parse_template(template), for_each)


def test_of_a_list_that_is_made_from_another_the_paths_that_are_copied_are_restored() -> None:
    made = {
        "$each": "$snapshot.labels",
        "$make": {"title": "$item.name", "of": {"$each": "$item.of", "$make": "$item.x"}},
    }
    template = parse_template({"a": made, "b": {"$from": "$snapshot.owner", "$default": "$snapshot.plan"}})

    labels = ("labels", EACH)
    assert ((*labels, "name"), (*labels, "of", EACH, "x"), ("owner",), ("plan",)) == restored_paths(template)


def test_what_is_known_only_later_is_no_mistake_and_stands_for_nothing() -> None:
    later = replace(CONTEXT, result=None, later=frozenset({"result"}))
    made = {"$each": "$result.all", "$make": "$item.id"}
    template = parse_template([made, "id $result.id", {"$from": "$result.x", "$default": "$.nothing"}, "$result"])

    resolve(template, later)
    with pytest.raises(Unresolvable, match="no argument `nothing`"):
        resolve(parse_template(["$result.id", "$.nothing"]), later)


def test_a_read_is_made_literal_with_its_texts() -> None:
    marks = (ErrorSays("costs $.id"), TextIs("Key $.id not found for $$1"), ValueAt(("rows",), []))
    rule = ReadRule(Tool("kv", "get"), parse_template({"key": "$.id"}), AnswerRules(absent_when=marks))

    plan = resolve_read(rule, CONTEXT)

    assert {"key": "c_001"} == plan.call.arguments
    assert TextIs("Key c_001 not found for $1") == plan.rules.absent_when[1]
    assert ErrorSays("costs $.id") == plan.rules.absent_when[0]


fields = st.text(min_size=1, max_size=8)
paths = st.lists(fields | st.integers(0, 99) | st.just(EACH), max_size=4).map(tuple)
reference = st.builds(Reference, st.sampled_from(["arguments", "snapshot", "result"]), paths)


@given(reference)
def test_a_reference_is_read_back_as_it_is_spelled(it: Reference) -> None:
    assert it == parse_template(str(it))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_a_value_whose_dollars_are_doubled_comes_out_as_it_was(value: Any) -> None:
    def doubled(it: Any) -> Any:
        match it:
            case str():
                return it.replace("$", "$$")
            case list():
                return [doubled(x) for x in it]
            case dict():
                return {key: doubled(x) for key, x in it.items()}
            case _:
                return it

    assert encode_json(value) == encode_json(resolve(parse_template(doubled(value)), Context(arguments={})))


@given(st.text())
def test_any_string_is_read_or_refused_with_words(text: str) -> None:
    try:
        outcome = parse_template(text)
    except ValueError as refused:
        outcome = str(refused)

    assert "$" in text or outcome == text
