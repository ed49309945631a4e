"""`resource` as a list: a call that is about several things at once, such as a move, is undone in its place between the calls
about each of them."""

from __future__ import annotations

import copy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synartesis.errors import SynartesisError
from tests.sim.world import World, outcomes

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    resource: "item $.id"
    snapshot: {tool: "f.peek_item", args: {id: "$.id"}, error_when: ["not found"]}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
  - match: "f.move_item"
    class: reversible
    resource: ["item $.source", "item $.destination"]
    snapshot: {tool: "f.get_item", args: {id: "$.destination"}, absent_when: ["not found"]}
    verify: {tool: "f.get_item", args: {id: "$.source"}, absent_when: ["not found"]}
    inverse_if_absent: {tool: "f.move_item", args: {source: "$.destination", destination: "$.source"}}
"""
START = {"a": {"name": "A", "plan": "pro"}, "b": {"name": "B", "plan": "pro"}}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return ready(tmp_path)


def ready(folder: Path) -> World:
    world = World(folder, RULES)
    world.server.records = copy.deepcopy(START)
    return world


def move(world: World, source: str, destination: str) -> None:
    world.agent("move_item", source=source, destination=destination)


def test_a_call_waits_for_its_turn_at_each_thing_and_is_kept_as_about_all(world: World) -> None:
    move(world, "b", "a2")

    shown = 'get_item {"id":"b"}'
    assert world.turns == [f"{world.identity} {thing}" for thing in (shown, "item a2", "item b")]
    assert [action.resource for action in world.actions()] == [f"{shown}\nitem a2\nitem b"]


def test_what_was_written_and_then_moved_is_undone_in_one_go(world: World) -> None:
    world.agent("set_item", id="a", name="X")
    move(world, "a", "c")

    report = world.undo()

    assert list(outcomes(report)) == [(2, "restored"), (1, "restored")]
    assert world.server.records == START


def test_what_was_moved_away_written_and_moved_back_is_undone_in_one_go(world: World) -> None:
    move(world, "a", "c")
    world.agent("set_item", id="c", name="X")
    move(world, "c", "a")

    plan, report = world.undo(dry_run=True), world.undo()

    assert [step.reason for step in plan.steps] == [
        "",
        "is checked when #3 is undone, which changed the same thing",
        "is checked when #3 is undone, which changed the same thing",
    ]
    assert list(outcomes(report)) == [(3, "restored"), (2, "restored"), (1, "restored")]
    assert world.server.records == START


def test_two_things_that_change_places_come_back_to_their_own(world: World) -> None:
    move(world, "a", "c")
    move(world, "b", "a")
    move(world, "c", "b")
    world.agent("set_item", id="a", name="X")

    assert world.undo().status == "undone"
    assert world.server.records == START


def test_a_persons_edit_of_what_was_moved_is_seen_where_a_newer_call_reads_it(world: World) -> None:
    move(world, "a", "c")
    world.agent("set_item", id="c", name="X")
    world.edit("c", name="by hand")
    left, writes = copy.deepcopy(world.server.records), len(world.server.writes())

    report = world.undo()

    assert report.halted is not None
    assert (report.halted.seq, report.halted.reason) == (2, "drifted")
    assert (world.server.records, len(world.server.writes())) == (left, writes)


def test_a_persons_edit_between_two_writes_before_a_move_stops_the_undo_before_anything_is_sent(world: World) -> None:
    """What the second write found shows it, whatever the move did later."""
    world.agent("set_item", id="a", name="X")
    world.edit("a", name="by hand")
    world.agent("set_item", id="a", name="Y")
    move(world, "a", "c")
    left, writes = copy.deepcopy(world.server.records), len(world.server.writes())

    report, further = world.undo(), world.undo(as_far_as_possible=True)

    assert report.halted is not None
    assert (report.halted.seq, report.halted.reason) == (1, "drifted")
    assert list(outcomes(further))[:2] == [(3, "restored"), (2, "restored")]
    assert world.server.records["a"]["name"] == "by hand"
    assert left["c"]["name"] == "Y"
    assert [tool for tool, _ in world.server.writes()[writes:]] == ["move_item", "set_item"]


def test_a_persons_edit_at_the_old_place_stops_the_undo_there(world: World) -> None:
    world.agent("set_item", id="a", name="X")
    move(world, "a", "c")
    world.server.records["a"] = {"name": "by hand"}

    report = world.undo()

    assert report.status == "stopped"
    assert world.server.records["a"] == {"name": "by hand"}


@pytest.mark.parametrize("moved", [("a", "c"), ("c", "a")], ids=["away", "to it"])
def test_a_call_about_one_of_them_cannot_be_undone_from_under_the_move(world: World, moved: tuple[str, str]) -> None:
    if moved == ("c", "a"):
        move(world, "a", "c")
        world.agent("set_item", id="c", name="X")
    else:
        world.agent("set_item", id="a", name="X")
    written = world.actions()[-1].seq
    move(world, *moved)

    with pytest.raises(SynartesisError, match=f"changed later by #{written + 1}"):
        world.undo(only=frozenset({written}))


def test_a_move_cannot_be_undone_from_under_a_later_write_at_its_end(world: World) -> None:
    move(world, "a", "c")
    world.agent("set_item", id="c", name="X")

    with pytest.raises(SynartesisError, match="changed later by #2"):
        world.undo(only=frozenset({1}))

    assert list(outcomes(world.undo(only=frozenset({1, 2})))) == [(2, "restored"), (1, "restored")]


names = st.sampled_from("abcd")
calls = st.one_of(
    st.tuples(st.just("set_item"), st.fixed_dictionaries({"id": names, "name": st.sampled_from("XYZ")})),
    st.tuples(st.just("move_item"), st.fixed_dictionaries({"source": names, "destination": names})),
)


@settings(deadline=None)
@given(st.lists(calls, max_size=7))
def test_whatever_an_agent_alone_wrote_and_moved_comes_back_and_can_be_made_again(
    made: list[tuple[str, dict[str, Any]]],
) -> None:
    with TemporaryDirectory() as folder:
        world = ready(Path(folder))
        for tool, arguments in made:
            world.agent(tool, **arguments)
        run, left = world.run, copy.deepcopy(world.server.records)

        undone = world.undo(run)

        assert undone.halted is None, undone
        assert world.server.records == START
        if undone.undo_run is not None:
            assert world.undo(undone.undo_run).halted is None
            assert world.server.records == left
            assert world.undo(run).halted is None
            assert world.server.records == START
