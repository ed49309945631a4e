"""What a run changed, all in all: the first state against the last, thing by thing."""

from __future__ import annotations

import pytest

from synartesis.domain.canonical import MISSING
from synartesis.undo.net import NetChange, net_changes
from tests.sim.world import LOST, World, answers, does_it_and_answers


def net(world: World, run: str = "") -> list[NetChange]:
    return net_changes(world.journal.actions(run or world.run))


def test_several_calls_on_one_thing_are_one_change(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c2", name="G.")
    world.agent("set_item", id="c1", plan="team", name="A.")

    first, second = net(world)

    assert (first.tool.name, first.arguments, first.calls) == ("get_item", {"id": "c1"}, (1, 3))
    assert [tuple(one) for one in first.differences] == [(("name",), "Ada", "A."), (("plan",), "pro", "team")]
    assert (second.arguments, second.calls) == ({"id": "c2"}, (2,))


def test_what_ends_as_it_began_differs_in_nothing(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="pro")

    [change] = net(world)

    assert (change.calls, change.differences) == ((1, 2), ())


def test_what_was_removed_is_gone_and_what_was_changed_before_it_is_no_matter(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("del_item", id="c1")

    [change] = net(world)

    assert change.first is not None
    assert change.last is not None
    assert (change.first.state, change.last.state) == ("present", "absent")
    [found] = change.differences
    assert (found.path, found.expected["plan"], found.actual) == ((), "pro", MISSING)


def test_calls_that_nothing_reads_are_listed_one_by_one(world: World) -> None:
    world.agent("create_item", name="a")
    world.agent("create_item", name="b")

    changes = net(world)

    assert [(change.tool.name, change.calls, change.is_seen) for change in changes] == [
        ("create_item", (1,), False),
        ("create_item", (2,), False),
    ]


def test_a_creation_that_is_read_afterwards_begins_with_nothing(world: World) -> None:
    world.reword(
        'inverse: {tool: "f.del_item", args: {id: "$result.id"}}',
        """verify: {tool: "f.get_item", args: {id: "$result.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.del_item", args: {id: "$result.id"}}""",
    )
    world.agent("create_item", name="new")

    [change] = net(world)

    assert change.first is not None
    assert change.first.state == "absent"
    assert [one.actual for one in change.differences] == [{"name": "new"}]


def test_calls_that_never_happened_and_reads_change_nothing(world: World) -> None:
    world.agent("get_item", id="c1")
    world.agent("send_note", text="hi")
    world.server.next("set_item", answers(LOST))
    world.agent("set_item", id="none", plan="free")

    assert net(world) == []


def test_after_an_unknown_outcome_the_last_state_is_not_known(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.server.next("set_item", does_it_and_answers(LOST))
    world.agent("set_item", id="c1", plan="team")

    [change] = net(world)

    assert (change.calls, change.last, change.unknown) == ((1, 2), None, (2,))
    assert [tuple(one) for one in change.differences] == [(("plan",), "pro", "free")], "what is known of it"


def test_fields_that_move_by_themselves_are_left_out(world: World) -> None:
    text = world.path.read_text(encoding="utf-8")
    world.rules(text.replace('absent_when: ["not found"]}', 'absent_when: ["not found"], ignore: ["seen"]}'))
    world.server.stamp = lambda record: record.update(seen=record.get("seen", 0) + 1)
    world.agent("set_item", id="c1", plan="free")

    assert [one.path for change in net(world) for one in change.differences] == [("plan",)]


@pytest.mark.parametrize("redone", [False, True])
def test_what_was_undone_since_is_said(world: World, redone: bool) -> None:
    world.agent("set_item", id="c1", plan="free")
    run = world.run
    undo = world.undo(run).undo_run
    assert undo is not None
    if redone:
        world.undo(undo)

    [change] = net(world, run)

    assert change.undone == (() if redone else (1,))
    assert [one.path for one in net(world, undo)[0].differences] == [("plan",)], "an undo changes something as well"


# --- what others did meanwhile


def test_what_a_person_wrote_between_two_calls_is_not_the_runs(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", notes="by hand")
    world.agent("set_item", id="c1", name="A.")

    [change] = net(world)

    assert [tuple(one) for one in change.differences] == [(("name",), "Ada", "A."), (("plan",), "pro", "free")]
    assert [tuple(one) for one in change.between] == [(("notes",), "", "by hand")]


def test_what_the_agent_replaced_of_a_persons_is_both(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", plan="by hand")
    world.agent("set_item", id="c1", plan="team")

    [change] = net(world)

    assert [tuple(one) for one in change.differences] == [(("plan",), "pro", "team")]
    assert [tuple(one) for one in change.between] == [(("plan",), "free", "by hand")]


# --- calls about several things


SEVERAL = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.set_item", args: {id: "$.id", plan: "$snapshot.plan"}}
  - match: "f.move_item"
    class: reversible
    verify: {tool: "f.get_item", for_each: ["$.source", "$.destination"], args: {id: "$item"}, absent_when: ["not found"]}
    inverse: {tool: "f.move_item", args: {source: "$.destination", destination: "$.source"}}
"""


def test_each_of_several_things_stands_in_a_block_of_its_own_with_what_other_calls_did_to_it(world: World) -> None:
    world.rules(SEVERAL)
    world.agent("set_item", id="c1", plan="free")
    world.agent("move_item", source="c1", destination="c9")
    world.agent("set_item", id="c9", plan="team")

    old, new = net(world)

    assert (old.arguments, old.calls) == ({"id": "c1"}, (1, 2))
    assert (new.arguments, new.calls) == ({"id": "c9"}, (2, 3))
    assert old.first is not None
    assert old.last is not None
    assert (old.first.state, old.last.state) == ("present", "absent")
    assert [(one.path, one.expected, one.actual["plan"]) for one in new.differences] == [((), MISSING, "team")]
    assert (old.between, new.between) == ((), ())


def test_of_several_things_whose_last_call_nobody_saw_the_last_state_is_not_known(world: World) -> None:
    world.rules(SEVERAL)
    world.server.next("move_item", does_it_and_answers(LOST))
    world.agent("move_item", source="c1", destination="c9")

    assert [(change.arguments["id"], change.last, change.unknown) for change in net(world)] == [
        ("c1", None, (1,)),
        ("c9", None, (1,)),
    ]
