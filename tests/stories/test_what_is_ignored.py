"""What is ignored is not compared, so an undo does not replace it either: it goes back as it is then. And a text that is written
back is somebody's work byte for byte, whatever of the value in it is ignored."""

from __future__ import annotations

import copy
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.calls import Replied, Reply, SendOutcome
from synartesis.domain.canonical import encode_json
from tests.sim.world import Server, World, outcomes, result

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.put_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"], ignore: [notes, meta.seen]}
    inverse: {tool: "f.put_item", args: {id: "$.id", record: "$snapshot"}}
    inverse_if_absent: {tool: "f.del_item", args: {id: "$.id"}}
  - match: "f.del_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"], ignore: [notes, meta.seen]}
    inverse: {tool: "f.put_item", args: {id: "$.id", record: "$snapshot"}}
  - match: "f.put_items"
    class: reversible
    snapshot: {for_each: "$.ids", tool: "f.get_item", args: {id: "$item"}, absent_when: ["not found"], ignore: [notes]}
    inverse: {for_each: "$snapshot", tool: "f.put_item", args: {id: "$item.item", record: "$item.state"}}
  - match: "f.write_file"
    class: reversible
    snapshot: {tool: "f.read_file", args: {}, IGNORED}
    inverse: {tool: "f.write_file", args: {text: "$snapshot"}}
"""
OPEN: dict[str, Any] = {"name": "Ada", "notes": "n", "meta": {"seen": 1, "of": "x"}}


class Keeping(Server):
    text = '{"labels":["a"],"v":1}'
    lays_out: bool = False

    def _put_items(self, arguments: dict[str, Any]) -> SendOutcome:
        for name in arguments["ids"]:
            self.records[name] = {**self.records[name], "name": "agent"}
        return result({})

    def _read_file(self, arguments: dict[str, Any]) -> SendOutcome:
        return Replied(Reply(encode_json({"content": [{"type": "text", "text": self.text}]})))

    def _write_file(self, arguments: dict[str, Any]) -> SendOutcome:
        text = arguments["text"]
        self.text = json.dumps(json.loads(text), indent=2) if self.lays_out else text
        return result({})


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, RULES.replace("IGNORED", "unordered: [labels]"))
    world.server = Keeping(records={name: copy.deepcopy(OPEN) for name in ("c1", "c2")})
    return world


def put(world: World, **fields: Any) -> None:
    assert world.agent("put_item", id="c1", record={**OPEN, **fields}) is None


def test_what_a_person_wrote_in_an_ignored_place_goes_along_with_the_whole_record(world: World) -> None:
    put(world, name="X")
    world.edit("c1", notes="three pages by a person", meta={"seen": 9, "of": "x"})

    assert list(outcomes(world.undo())) == [(1, "restored")]
    assert world.server.records["c1"] == {
        "name": "Ada",
        "notes": "three pages by a person",
        "meta": {"seen": 9, "of": "x"},
    }


def test_an_ignored_field_that_came_or_went_since_is_as_it_is_now(world: World) -> None:
    del world.server.records["c1"]["notes"]
    assert world.agent("put_item", id="c1", record={"name": "X", "meta": {"seen": 1, "of": "x"}}) is None
    world.edit("c1", notes="by a person", meta={"of": "x"})

    assert world.undo().status == "undone"
    assert world.server.records["c1"] == {"name": "Ada", "meta": {"of": "x"}, "notes": "by a person"}


def test_what_is_gone_comes_back_as_it_was(world: World) -> None:
    world.agent("del_item", id="c1")

    assert world.undo().status == "undone"
    assert world.server.records["c1"] == OPEN


def test_of_several_things_each_keeps_its_own(world: World) -> None:
    world.agent("put_items", ids=["c1", "c2"])
    world.edit("c2", notes="by a person")

    assert world.undo().status == "undone"
    assert world.server.records == {"c1": OPEN, "c2": {**OPEN, "notes": "by a person"}}


def test_an_undo_and_its_redo_go_on_after_a_time_that_moves_by_itself(world: World) -> None:
    clock = itertools.count(2)
    world.server.stamp = lambda record: record.update(notes=next(clock))
    put(world, name="X")
    put(world, name="Y")
    run = world.run

    undone = world.undo(run).undo_run
    assert undone is not None
    assert world.server.records["c1"]["name"] == "Ada"
    assert world.undo(undone).status == "undone"
    assert world.server.records["c1"]["name"] == "Y"
    assert world.undo(run).status == "undone"
    assert world.server.records["c1"]["name"] == "Ada"


# --- text that is JSON


LAID_OUT = '{\n  "v": 2,\n  "labels": ["a"]\n}\n'


@pytest.mark.parametrize("ignored", ["unordered: [labels]", "ignore: [seen]"])
def test_a_persons_layout_of_a_text_that_is_written_back_is_not_overwritten(world: World, ignored: str) -> None:
    world.rules(RULES.replace("IGNORED", ignored))
    server = world.server
    assert isinstance(server, Keeping)
    world.agent("write_file", text='{"labels":["a"],"v":2}')
    server.text = LAID_OUT

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert server.text == LAID_OUT


def test_a_text_that_came_back_in_another_layout_is_not_called_restored(world: World) -> None:
    server = world.server
    assert isinstance(server, Keeping)
    world.agent("write_file", text='{"labels":["a"],"v":2}')
    server.lays_out = True

    assert list(outcomes(world.undo())) == [(1, "mismatch")]


def test_a_text_that_came_back_to_the_byte_is_restored(world: World) -> None:
    world.agent("write_file", text='{"labels":["a"],"v":2}')

    assert list(outcomes(world.undo())) == [(1, "restored")]
