"""`resource`, `note` and `residue`: what a call is about where different reads show one thing, and what people are told."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from synartesis.domain.things import things_in
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
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
    residue: the customer has been told of the new plan
  - match: "f.restore_item"
    class: reversible
    resource: "item $.id"
    snapshot: {tool: "f.peek_item", args: {id: "$.id"}}
    inverse: {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}}
"""
ADA = {"name": "Ada", "plan": "pro", "notes": ""}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, RULES)
    world.server.records = {"c1": dict(ADA), "c2": dict(ADA)}
    return world


def by_turns(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("restore_item", id="c1", record={"name": "X", "plan": "none", "notes": "y"})
    world.agent("set_item", id="c1", name="Z")
    world.agent("restore_item", id="c1", record={"name": "W", "plan": "w", "notes": "w"})


def test_calls_about_one_thing_take_turns_and_are_kept_as_about_it(world: World) -> None:
    by_turns(world)

    assert world.turns.count(f"{world.identity} item c1") == 4
    assert all("item c1" in things_in(action.resource or "") for action in world.actions())
    assert [action.read.tool for action in world.actions() if action.read] == ["get_item", "peek_item"] * 2


def test_what_different_reads_show_is_undone_to_the_start_newest_first(world: World) -> None:
    by_turns(world)

    report = world.undo()

    assert list(outcomes(report)) == [(number, "restored") for number in (4, 3, 2, 1)]
    assert world.server.records["c1"] == ADA


def test_the_plan_says_what_can_be_checked_only_on_the_way(world: World) -> None:
    by_turns(world)

    report = world.undo(dry_run=True)

    assert report.halted is None
    assert [step.reason for step in report.steps] == [
        "",
        "is checked when #4 is undone, which changed the same thing",
        "is checked when #3 is undone, which changed the same thing",
        "is checked when #2 is undone, which changed the same thing",
    ]


def test_a_persons_edit_stops_the_undo_before_anything_is_sent(world: World) -> None:
    by_turns(world)
    world.edit("c1", notes="by hand")
    after, writes = copy.deepcopy(world.server.records), len(world.server.writes())

    report = world.undo()

    assert report.halted is not None
    assert (report.halted.seq, report.halted.reason) == (4, "drifted")
    assert (world.server.records, len(world.server.writes())) == (after, writes)


def test_a_persons_edit_on_the_way_stops_it_there(world: World) -> None:
    by_turns(world)

    def meanwhile(call: object, carry_out: object) -> object:
        outcome = carry_out()  # type: ignore[operator]
        world.edit("c1", notes="by hand")
        return outcome

    world.server.next("restore_item", meanwhile)  # type: ignore[arg-type]

    report = world.undo()

    assert report.status == "stopped"
    assert world.server.records["c1"]["notes"] == "by hand"


def test_one_of_them_cannot_be_undone_from_under_a_later_one(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("restore_item", id="c1", record={"name": "X", "plan": "none", "notes": "y"})

    with pytest.raises(SynartesisError, match="changed later by #2"):
        world.undo(only=frozenset({1}))

    assert list(outcomes(world.undo(only=frozenset({2})))) == [(2, "restored"), (1, "kept")]


def test_an_undo_is_about_the_same_and_is_taken_back(world: World) -> None:
    run = world.run
    by_turns(world)
    left = copy.deepcopy(world.server.records)
    undo = world.undo(run).undo_run
    assert undo is not None

    assert all("item c1" in things_in(action.resource or "") for action in world.journal.actions(undo))
    assert world.undo(undo).status == "undone"
    assert world.server.records == left
    assert world.undo(run).status == "undone"
    assert world.server.records["c1"] == ADA


def test_where_it_cannot_be_told_what_a_call_is_about_a_person_is_asked(world: World) -> None:
    told = world.agent("set_item", name="X")

    assert told is not None
    assert "HELD" in told
    assert "the call has no argument `id`" in told


# --- what people are told


def test_what_cannot_be_taken_back_is_named_in_plan_and_report(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("restore_item", id="c2", record={"name": "X", "plan": "none", "notes": "y"})

    plan, report = world.undo(dry_run=True), world.undo()

    said = ["", "the customer has been told of the new plan"]
    assert [step.residue for step in plan.steps] == said
    assert [step.residue for step in report.steps] == said
    assert report.status == "undone"
