"""`--only`: a few calls out of many, and never one from under a later change."""

from __future__ import annotations

import copy

import pytest

from synartesis.errors import SynartesisError, UsageError
from tests.sim.world import World, outcomes


def test_only_what_was_asked_for_is_undone_and_the_rest_is_listed_as_left_alone(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c2", plan="free")
    world.agent("del_item", id="c2")
    world.server.calls.clear()

    report = world.undo(only=frozenset({1}))

    assert report.status == "partial"
    assert list(outcomes(report)) == [(3, "kept"), (2, "kept"), (1, "restored")]
    assert world.server.records == {"c1": {"name": "Ada", "plan": "pro", "notes": ""}}
    assert {arguments.get("id", "c1") for _, arguments in world.server.calls} == {"c1"}, "nothing else was even read"


def test_several_are_undone_newest_first(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="team")
    world.agent("set_item", id="c2", plan="free")

    report = world.undo(only=frozenset({1, 2}))

    assert list(outcomes(report)) == [(3, "kept"), (2, "restored"), (1, "restored")]
    assert world.server.records["c1"] == before["c1"]
    assert world.server.records["c2"]["plan"] == "free"


def test_what_is_left_can_be_undone_afterwards(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c2", plan="free")
    run = world.run
    world.undo(run, only=frozenset({1}))

    assert world.undo(run).status == "undone"
    assert world.server.records == before


def test_a_call_from_under_a_later_one_of_the_same_run_is_refused_and_named(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c2", plan="free")
    world.agent("set_item", id="c1", plan="team")
    world.server.calls.clear()

    with pytest.raises(SynartesisError) as refused:
        world.undo(only=frozenset({1, 2}))

    assert refused.value.message.splitlines()[1:] == ["#1 f.set_item: changed later by #3 (f.set_item)"]
    assert refused.value.hint == "undo them together: --only 1,2,3"
    assert world.server.calls == []


def test_a_call_from_under_another_runs_later_one_is_refused_until_that_is_undone(world: World) -> None:
    first = world.run
    world.agent("set_item", id="c1", plan="free")
    second = world.new_run()
    world.agent("set_item", id="c1", plan="team")

    with pytest.raises(SynartesisError, match=f"changed later by run {second} #1") as refused:
        world.undo(first, only=frozenset({1}))

    assert refused.value.hint == f"undo the later run first, such as #1 of run {second}"
    world.undo(second)
    assert world.undo(first, only=frozenset({1})).status == "undone"


def test_a_later_call_that_was_undone_and_done_again_stands_in_the_way_again(world: World) -> None:
    first = world.run
    world.agent("set_item", id="c1", plan="free")
    second = world.new_run()
    world.agent("set_item", id="c1", plan="team")
    undo = world.undo(second).undo_run
    assert undo is not None
    world.undo(undo)

    with pytest.raises(SynartesisError, match=f"run {second} #1") as refused:
        world.undo(first, only=frozenset({1}))

    assert refused.value.message.count(" #1 ") == 1, "its undo and its redo are not named besides"


def test_a_call_that_was_done_again_is_not_in_its_own_way(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    run = world.run
    undo = world.undo(run).undo_run
    assert undo is not None
    world.undo(undo)

    assert world.undo(run, only=frozenset({1})).status == "undone"


def test_a_later_call_that_says_nothing_of_what_it_is_about_stands_for_its_whole_server(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("create_item", name="new")

    with pytest.raises(SynartesisError, match=r"#2 \(f.create_item, whose rule does not say what it is about\)"):
        world.undo(only=frozenset({1}))
    assert world.undo(only=frozenset({2})).status == "partial"


def test_what_came_later_on_the_whole_server_stands_in_the_way_of_a_call_without_a_resource(world: World) -> None:
    world.agent("create_item", name="new")
    world.agent("set_item", id="c1", plan="free")

    with pytest.raises(SynartesisError, match=r"#1 f\.create_item: changed later by #2"):
        world.undo(only=frozenset({1}))


def test_the_hint_names_no_call_that_cannot_be_undone_but_says_what_can_be_done(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    first, second = world.run, world.new_run()
    world.agent("send_note", text="hi")
    world.approve()
    world.agent("send_note", text="hi")

    with pytest.raises(SynartesisError, match=f"changed later by run {second} #2") as refused:
        world.undo(first, only=frozenset({1}))

    assert refused.value.hint == (
        f"run {second} #2 (f.send_note, whose rule does not say what it is about) cannot be undone, whatever is undone"
        " first; --to 1 goes back to #1 in this run, and leaves that as it is; once the rule for f.send_note has a resource,"
        " its later calls stand in the way of that alone"
    )
    assert list(outcomes(world.undo(first, to=1))) == [(1, "restored")]


def test_what_cannot_be_undone_and_says_what_it_is_about_is_in_the_way_of_that_alone(world: World) -> None:
    world.rules(world.path.read_text(encoding="utf-8") + '    resource: "note $.text"\n    gate: never\n')
    world.agent("set_item", id="c1", plan="free")
    world.agent("send_note", text="hi")

    assert list(outcomes(world.undo(only=frozenset({1})))) == [(2, "kept"), (1, "restored")]


def test_calls_that_never_happened_are_in_nobodys_way(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("send_note", text="hi")
    world.agent("set_item", id="none", plan="free")

    assert world.undo(only=frozenset({1})).status == "undone"


def test_a_step_that_does_not_exist_is_a_usage_error(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")

    with pytest.raises(UsageError, match=r"--only 7: run .* has no such step"):
        world.undo(only=frozenset({1, 7}))
