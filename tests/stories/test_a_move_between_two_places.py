"""`for_each` of a list that is written out: a move changes two places, and both judge it. What somebody else has at either of
them is never carried off."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.calls import ResolvedCall, SendOutcome
from synartesis.undo.report import Verdict
from tests.sim.world import LOST, World, answers, error, outcomes

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
  - match: "f.del_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}}
  - match: "f.restore_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}}
    inverse_if_absent: {tool: "f.del_item", args: {id: "$.id"}}
  - match: "f.move_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.destination"}, absent_when: ["not found"]}
    verify: {tool: "f.get_item", for_each: ["$.source", "$.destination"], args: {id: "$item"}, absent_when: ["not found"]}
    inverse_if_absent: {tool: "f.move_item", args: {source: "$.destination", destination: "$.source"}}
"""
ADA = {"name": "Ada", "plan": "pro"}
MOVE = {"source": "c1", "destination": "c9"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, RULES)
    world.server.records = {"c1": dict(ADA), "c2": {"name": "Grace", "plan": "enterprise"}}
    return world


def test_both_places_are_read_before_and_after_and_are_what_the_move_is_about(world: World) -> None:
    assert world.agent("move_item", **MOVE) is None

    assert world.server.calls == [
        ("get_item", {"id": "c9"}),
        ("get_item", {"id": "c1"}),
        ("get_item", {"id": "c9"}),
        ("move_item", MOVE),
        ("get_item", {"id": "c1"}),
        ("get_item", {"id": "c9"}),
    ]
    [moved] = world.actions()
    assert moved.resource == 'get_item {"id":"c1"}\nget_item {"id":"c9"}'
    assert world.turns == [f"{world.identity} {thing}" for thing in moved.resource.split("\n")]


IN_THE_WAY = {
    "edited at its new place": {"c9": {**ADA, "plan": "by hand"}},
    "replaced at its new place": {"c9": {"name": "somebody else's", "plan": "team"}},
    "deleted": {},
    "something at its old place": {"c1": {"name": "by hand", "plan": "pro"}, "c9": ADA},
    "its own copy at its old place": {"c1": ADA, "c9": ADA},
    "moved on": {"c3": ADA},
}


@pytest.mark.parametrize("dry_run", [True, False], ids=["dry run", "undo"])
@pytest.mark.parametrize("now", IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_whatever_is_not_as_the_move_left_it_stops_the_undo_before_anything_is_sent(
    world: World, now: dict[str, Any], dry_run: bool
) -> None:
    world.agent("move_item", **MOVE)
    world.server.records = copy.deepcopy(now)
    world.server.calls.clear()

    report = world.undo(dry_run=dry_run)

    assert [step.verdict for step in report.steps] == [Verdict.DRIFTED]
    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.writes() == []
    assert world.server.records == now


def test_what_a_person_wrote_to_a_thing_that_was_written_and_moved_stays_where_it_is(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("move_item", **MOVE)
    world.edit("c9", name="by hand")
    after = copy.deepcopy(world.server.records)
    world.server.calls.clear()

    for merge in (False, True):
        report = world.undo(merge=merge)
        assert report.halted is not None
        assert report.halted.seq == 2
        assert world.server.writes() == []
        assert world.server.records == after


def test_a_moved_thing_that_a_person_moved_back_is_as_it_was_before(world: World) -> None:
    world.agent("move_item", **MOVE)
    world.server.records["c1"] = world.server.records.pop("c9")
    world.server.calls.clear()

    assert list(outcomes(world.undo())) == [(1, "already")]
    assert world.server.writes() == []


def test_a_move_that_was_made_late_and_took_what_a_person_had_put_there_did_take_effect(world: World) -> None:
    def takes_what_was_put_there(call: ResolvedCall, carry_out: Any) -> SendOutcome:
        world.server.records["none"] = {"name": "by hand"}
        carry_out()
        return LOST

    world.server.next("move_item", takes_what_was_put_there)
    world.agent("move_item", source="none", destination="c9")

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "unknown"
    assert world.statuses() == ["unknown"]
    assert world.server.records["c9"] == {"name": "by hand"}


ORDERS = {
    "write, then move": [("set_item", {"id": "c1", "plan": "free"}), ("move_item", MOVE)],
    "move, then write": [("move_item", MOVE), ("set_item", {"id": "c9", "plan": "free"})],
    "write, move, write": [
        ("set_item", {"id": "c1", "plan": "free"}),
        ("move_item", MOVE),
        ("set_item", {"id": "c9", "plan": "team"}),
    ],
    "move twice": [("move_item", MOVE), ("move_item", {"source": "c9", "destination": "c3"})],
    "there and back": [("move_item", MOVE), ("move_item", {"source": "c9", "destination": "c1"})],
    "there, write, and back": [
        ("move_item", MOVE),
        ("set_item", {"id": "c9", "plan": "team"}),
        ("move_item", {"source": "c9", "destination": "c1"}),
    ],
    "in a circle": [
        ("move_item", MOVE),
        ("move_item", {"source": "c2", "destination": "c1"}),
        ("move_item", {"source": "c9", "destination": "c2"}),
    ],
    "delete, and move there": [("del_item", {"id": "c2"}), ("move_item", {"source": "c1", "destination": "c2"})],
}


@pytest.mark.parametrize("calls", ORDERS.values(), ids=ORDERS)
def test_writes_and_moves_are_undone_and_done_again_in_one_go_each(
    world: World, calls: list[tuple[str, dict[str, str]]]
) -> None:
    before, run = copy.deepcopy(world.server.records), world.run
    for tool, arguments in calls:
        assert world.agent(tool, **arguments) is None
    after = copy.deepcopy(world.server.records)

    undone = world.undo(run)
    assert undone.status == "undone"
    assert [outcome for _, outcome in outcomes(undone)] == ["restored"] * len(calls)
    assert world.server.records == before

    assert undone.undo_run is not None
    redone = world.undo(undone.undo_run)
    assert redone.status == "undone"
    assert world.server.records == after

    again = world.undo(run)
    assert again.status == "undone"
    assert world.server.records == before


def test_an_error_that_is_no_absence_holds_the_call_and_an_approved_one_is_undone_by_the_same_error(
    world: World,
) -> None:
    def a_folder(call: ResolvedCall, carry_out: Any) -> SendOutcome:
        return error("it is a folder") if call.arguments["id"] in world.server.records else carry_out()

    world.server.next("get_item", a_folder, times=1000)
    told = world.agent("move_item", **MOVE)
    assert told is not None
    assert "it is a folder" in told
    world.approve()

    assert world.agent("move_item", **MOVE) is None
    assert world.server.records["c9"] == ADA
    assert list(outcomes(world.undo())) == [(2, "restored"), (1, "skip")]
    assert world.server.records["c1"] == ADA


@pytest.mark.parametrize("place", [0, 1], ids=["source", "destination"])
def test_a_place_that_cannot_be_read_refuses_the_call(world: World, place: int) -> None:
    for _ in range(1 + place):
        world.server.next("get_item", lambda call, carry_out: carry_out())
    world.server.next("get_item", answers(LOST))

    told = world.agent("move_item", **MOVE)

    assert told is not None
    assert "could not be read with f.get_item" in told
    assert world.server.writes() == []
