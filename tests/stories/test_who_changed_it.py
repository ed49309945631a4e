"""Who changed it since: an undo that stops says no more of that than the record shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sim.world import LOST, World, does_it_and_answers

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
  - match: "f.move_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.destination"}, absent_when: ["not found"]}
    verify: {tool: "f.get_item", args: {id: "$.source"}, absent_when: ["not found"]}
    inverse_if_absent: {tool: "f.move_item", args: {source: "$.destination", destination: "$.source"}}
  - match: "f.restore_item"
    class: reversible
    snapshot: {for_each: ["$.id"], tool: "f.get_item", args: {id: "$item"}, absent_when: ["not found"]}
    inverse: {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot[0].state"}}
  - match: "f.put_item"
    class: compensable
    inverse: {tool: "f.send_note", args: {text: gone}}
  - match: "f.charge"
    class: compensable
    resource: account
    inverse: {tool: "f.refund", args: {amount: "$.amount"}}
"""
SOMEBODY = "was changed since by somebody else"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, RULES)
    world.server.records = {"c1": {"name": "Ada", "plan": "pro"}, "c2": {"name": "Grace", "plan": "team"}}
    world.agent("set_item", id="c1", name="X")
    return world


def who(world: World, run: str) -> str:
    report = world.undo(run, dry_run=True)
    assert report.halted is not None
    return report.halted.detail


def test_a_person_where_the_record_knows_of_nobody(world: World) -> None:
    world.agent("set_item", id="c2", name="Y")
    world.agent("charge", amount=1)
    world.edit("c1", plan="by hand")

    assert who(world, world.run) == SOMEBODY


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("set_item", {"plan": "free"}), ("restore_item", {"record": {"name": "X", "plan": "free"}})],
    ids=["by the same read", "by a read of several"],
)
def test_another_run_where_what_it_left_is_what_is_there(world: World, tool: str, arguments: dict[str, object]) -> None:
    run, other = world.run, world.new_run()
    world.agent(tool, id="c1", **arguments)

    assert who(world, run) == f"was changed later by run {other} #1"


def test_another_run_of_one_of_several_things(world: World) -> None:
    run = world.new_run()
    world.agent("restore_item", id="c2", record={"name": "Grace", "plan": "free"})
    other = world.new_run()
    world.agent("set_item", id="c2", plan="none")

    assert who(world, run) == f"was changed later by run {other} #1"


def test_somebody_else_where_that_was_written_over_what_another_run_had_left(world: World) -> None:
    run = world.run
    world.new_run()
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", plan="by hand")

    assert who(world, run) == SOMEBODY


def test_both_where_each_changed_something(world: World) -> None:
    run, other = world.run, world.new_run()
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", notes="by hand")

    assert who(world, run) == f"{SOMEBODY}, and later by run {other} #1"


def test_nobody_else_where_another_run_only_read_what_a_person_had_written_before_it(world: World) -> None:
    run, other = world.run, world.new_run()
    world.edit("c1", notes="by hand")
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", plan="pro")

    assert who(world, run) == SOMEBODY
    assert other not in who(world, run)


def test_what_is_about_the_whole_server_may_have_done_it(world: World) -> None:
    world.agent("put_item", id="c1", record={"name": "X", "plan": "none"})

    assert who(world, world.run) == "was changed since; #2 f.put_item may have done it"


def test_a_call_of_which_nobody_knows_may_have_done_it(world: World) -> None:
    run, other = world.run, world.new_run()
    world.server.next("set_item", does_it_and_answers(LOST))
    world.agent("set_item", id="c1", plan="none")

    assert who(world, run) == f"was changed since; run {other} #1 may have done it"


def test_a_call_of_the_run_that_names_it_may_have_done_it_although_no_rule_says_so(world: World) -> None:
    run = world.new_run()
    world.agent("move_item", source="c2", destination="c9")
    world.agent("set_item", id="c9", plan="none")
    undo = world.undo(run).undo_run
    assert undo is not None

    assert who(world, undo) == "was changed since; #2 f.move_item may have done it"
