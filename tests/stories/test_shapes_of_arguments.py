"""Arguments of an inverse that need another shape than the state has: a field that may be absent, a list with other names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.calls import SendOutcome
from tests.promises import promise
from tests.sim.world import Server, World, outcomes

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse:
      tool: "f.set_item"
      args:
        id: "$.id"
        name: "$snapshot.name"
        owner: {$from: "$snapshot.owner", $default: null}
        tags: {$each: "$snapshot.tags?", $make: {title: "$item.name", colour: "$item.colour?"}}
"""


class Patching(Server):
    """A server on which null clears a field, and whose tags are written under other names than they are read by."""

    def _set_item(self, arguments: dict[str, Any]) -> SendOutcome:
        if "tags" in arguments:
            arguments["tags"] = [
                {"name": tag["title"], **({"colour": tag["colour"]} if "colour" in tag else {})}
                for tag in arguments["tags"]
            ]
        outcome = super()._set_item(arguments)
        for name, record in self.records.items():
            self.records[name] = {key: value for key, value in record.items() if value is not None}
        return outcome


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, RULES)
    world.server = Patching()
    world.server.records = {
        "c1": {"name": "A"},
        "c2": {"name": "B", "owner": "", "tags": [{"name": "old", "colour": "red"}, {"name": "plain"}]},
    }
    return world


@promise("C032")
def test_absence_becomes_what_the_rule_says(world: World) -> None:
    before = dict(world.server.records)
    for name in ("c1", "c2"):
        assert world.agent("set_item", id=name, owner="eve") is None

    report = world.undo()

    assert world.server.records == before
    assert list(outcomes(report)) == [(2, "restored"), (1, "restored")]
    assert [arguments["owner"] for _, arguments in world.server.writes()] == ["eve", "eve", "", None]


def test_a_list_is_written_back_under_the_names_that_the_server_takes(world: World) -> None:
    before = dict(world.server.records)
    assert world.agent("set_item", id="c2", tags=[]) is None

    report = world.undo()

    assert world.server.records == before
    assert list(outcomes(report)) == [(1, "restored")]
    [_, (_, sent)] = world.server.writes()
    assert sent["tags"] == [{"title": "old", "colour": "red"}, {"title": "plain"}]


@promise("C032")
def test_a_key_that_was_left_out_does_not_count_as_put_back(world: World) -> None:
    """`?` says nothing to the server, so what the agent wrote stays there."""
    assert world.agent("set_item", id="c1", tags=[{"title": "new"}]) is None

    report = world.undo()

    assert list(outcomes(report)) == [(1, "mismatch")]
    [_, (_, sent)] = world.server.writes()
    assert "tags" not in sent
    assert [one.path for step in report.steps for one in step.differences] == [("tags",)]


def test_what_does_not_have_the_shape_that_the_rule_means_is_noticed_before_the_call(world: World) -> None:
    world.server.records["c1"] = {"name": "A", "tags": [{"name": "a"}, {"label": "b"}]}
    world.server.records["c2"] = {"name": "B", "tags": "a, b"}

    told = [world.agent("set_item", id=name, name="X") for name in ("c1", "c2")]

    assert [
        "Its undo cannot be prepared: $item.name: the element has no field `name`" in (text or "") for text in told
    ] == [True, False]
    assert "Its undo cannot be prepared: $snapshot.tags?: is not a list" in (told[1] or "")
    assert world.server.writes() == []


# --- a server that keeps what it is sent


@pytest.fixture
def literal(tmp_path: Path) -> World:
    """Null is a value to this server like any other."""
    world = World(tmp_path, RULES)
    world.server.records = {"c1": {"name": "A"}}
    return world


@promise("C032")
def test_what_the_rule_puts_where_nothing_was_is_named_and_not_held_against_it(literal: World) -> None:
    for name in ("eve", "mallory"):
        assert literal.agent("set_item", id="c1", owner=name) is None

    report = literal.undo()

    assert list(outcomes(report)) == [(2, "restored"), (1, "restored")]
    assert literal.server.records == {"c1": {"name": "A", "owner": None}}
    assert [[(one.path, one.kind) for one in step.differences] for step in report.steps] == [
        [],
        [(("owner",), "set_by_rule")],
    ]


@promise("C032")
def test_only_the_very_value_of_the_rule_counts_and_only_where_nothing_was(literal: World) -> None:
    assert literal.agent("set_item", id="c1", owner="eve") is None

    def keeps_eve(call: Any, carry_out: Any) -> SendOutcome:
        outcome = carry_out()
        literal.server.records["c1"]["owner"] = "eve"
        return outcome  # type: ignore[no-any-return]

    literal.server.next("set_item", keeps_eve)

    assert list(outcomes(literal.undo())) == [(1, "mismatch")]


def test_an_undo_that_put_a_default_there_is_taken_back_and_done_again(literal: World) -> None:
    run = literal.run
    assert literal.agent("set_item", id="c1", owner="eve") is None
    undo = literal.undo(run).undo_run
    assert undo is not None

    assert literal.undo(undo).status == "undone"
    assert literal.server.records["c1"]["owner"] == "eve"
    assert literal.undo(run).status == "undone"
    assert literal.server.records["c1"]["owner"] is None
