"""What counts as a change by somebody else, and writes that arrive together: cases C038 and C040, through real pipes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.promises import promise
from tests.support.client import encode
from tests.support.world import Ran, World

# --- C038: state that changes by itself

RULE = """
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot:
      tool: "f.get_item"
      args: {{id: "$.id"}}
      absent_when: ["not found"]{declared}
    inverse: {{tool: "f.set_item", args: {{id: "$.id", name: "$snapshot.name"}}}}
"""
UNDECLARED = RULE.format(declared="")
DECLARED = RULE.format(declared='\n      ignore: ["fetched_at", "views", "etag"]\n      unordered: ["labels"]')
MOVES_BY_ITSELF = {"fetched_at", "views", "etag"}


def agent_renames(world: World, rules: str) -> None:
    """`get_item` answers a new time, count and etag at every read, and labels in random order."""
    world.write_manifest(rules)
    world.behave(drifting=True)
    world.put(c1={"name": "A", "labels": ["a", "b", "c"]})
    world.agent(("set_item", {"id": "c1", "name": "B"}))


@promise("C038")
def test_fields_declared_as_moving_are_no_drift(world: World) -> None:
    agent_renames(world, DECLARED)

    undone = world.cli("undo", "--yes", "--json")

    assert (undone.code, undone.json["status"]) == (0, "undone")
    (step,) = undone.json["steps"]
    assert (step["verdict"], step["confirmation"], step["undone"]) == ("unchanged", "verified", "restored")
    assert world.items == {"c1": {"name": "A", "labels": ["a", "b", "c"]}}


@promise("C038")
def test_undeclared_they_stop_the_undo_which_names_them_and_how_to_declare_them(world: World) -> None:
    agent_renames(world, UNDECLARED)

    stopped, text = world.cli("undo", "--yes", "--json"), world.cli("undo", "--yes").out

    assert stopped.code == 1
    assert stopped.json["halted"]["reason"] == "drifted"
    differing = {difference["path"].partition("[")[0] for difference in stopped.json["steps"][0]["differences"]}
    assert MOVES_BY_ITSELF <= differing <= MOVES_BY_ITSELF | {"labels"}
    assert "ignore:" in text
    assert "unordered:" in text
    assert "f.set_item" in text
    assert world.calls("set_item") == [{"id": "c1", "name": "B"}], "nothing was sent"

    world.write_manifest(DECLARED)
    mended = world.cli("undo", "--yes", "--replan", "--json")

    assert (mended.code, mended.json["status"]) == (0, "undone")
    assert world.items["c1"]["name"] == "A"


HUMAN_EDITS = {
    "another name": ({"name": "by hand"}, {"name"}),
    "a label added": ({"labels": ["a", "b", "c", "d"]}, {"labels"}),
    "a label removed": ({"labels": ["a", "b"]}, {"labels"}),
}


@promise("C038")
@pytest.mark.parametrize(("edit", "paths"), HUMAN_EDITS.values(), ids=HUMAN_EDITS.keys())
def test_what_a_person_changed_always_stops_it(world: World, edit: dict[str, Any], paths: set[str]) -> None:
    agent_renames(world, DECLARED)
    world.edit("c1", **edit)
    as_edited = world.state.read_bytes()

    stopped = world.cli("undo", "--yes", "--json")

    assert stopped.code == 1
    assert stopped.json["halted"]["reason"] == "drifted"
    assert {found["path"].partition("[")[0] for found in stopped.json["steps"][0]["differences"]} == paths
    assert world.state.read_bytes() == as_edited
    assert len(world.calls("set_item")) == 1


# --- C040: two writes to one record at the same moment

PATCH = """
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.set_item", args: {id: "$.id", v: "$snapshot.v"}}
"""


@promise("C040")
def test_writes_that_arrive_together_are_made_one_after_the_other_and_undone_to_the_start(world: World) -> None:
    world.write_manifest(PATCH, servers={"f": world.fake(concurrent=True, delay_ms=100)})
    world.put(c1={"v": "start"}, c2={"v": "start"})
    start = world.items
    wanted = {101: ("c1", "A"), 102: ("c1", "B"), 103: ("c2", "C")}
    with world.proxy() as client:
        frames = [
            client.frame(ident, "tools/call", {"name": "set_item", "arguments": {"id": item, "v": value}})
            for ident, (item, value) in wanted.items()
        ]
        client.send(b"".join(map(encode, frames)))
        answers = {ident: client.wait_for_reply(ident)["result"]["structuredContent"] for ident in wanted}
        assert client.close().code == 0

    assert answers == {ident: {"id": item, "v": value} for ident, (item, value) in wanted.items()}
    executed = [(call["id"], call["v"]) for call in world.calls("set_item")]
    assert executed.index(("c1", "A")) < executed.index(("c1", "B"))
    assert executed[-1] == ("c1", "B"), "another record does not wait for this one"

    actions = world.cli("show", "--json").json["actions"]
    assert [(action["seq"], action["args"]["v"], action["status"]) for action in actions] == [
        (1, "A", "applied"),
        (2, "B", "applied"),
        (3, "C", "applied"),
    ]
    first, second, _ = actions
    assert first["before"]["value"] == {"id": "c1", "v": "start"}
    assert second["before"] == first["after"]

    undone = world.cli("undo", "--yes", "--json")

    assert (undone.code, undone.json["status"], undone.json["halted"]) == (0, "undone", None)
    assert world.items == start
    assert second_undo_does_nothing(world)


def second_undo_does_nothing(world: World) -> bool:
    made = len(world.calls("set_item"))
    run = world.cli("list", "--json").json[-1]["id"]
    again: Ran = world.cli("undo", run)
    return again.code == 0 and len(world.calls("set_item")) == made
