"""`for_each`: a call that changes several things, each read by itself before it and put back by itself."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.calls import ResolvedCall, SendOutcome
from synartesis.errors import SynartesisError
from synartesis.present.values import image_value
from tests.sim.world import LOST, Misbehaviour, Server, World, answers, does_it_and_answers, error, outcomes, result

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
  - match: "f.put_items"
    class: reversible
    snapshot:
      for_each: "$.ids"
      tool: "f.get_item"
      args: {id: "$item"}
      absent_when: ["not found"]
      ignore: ["updated_at"]
    inverse:
      for_each: "$snapshot"
      tool: "f.restore_item"
      args: {id: "$item.item", record: "$item.state"}
    inverse_if_absent:
      for_each: "$snapshot"
      tool: "f.del_item"
      args: {id: "$item.item"}
  - match: "f.tag_items"
    class: reversible
    snapshot: {for_each: "$.items", tool: "f.get_item", args: {id: "$item.id"}}
    inverse:
      tool: "f.tag_items"
      args: {items: {$each: "$snapshot", $make: {id: "$item.item.id", tag: "$item.state.tag"}}}
  - match: "f.create_items"
    class: compensable
    verify: {for_each: "$result.ids", tool: "f.get_item", args: {id: "$item"}, absent_when: ["not found"]}
    inverse: {for_each: "$result.ids", tool: "f.del_item", args: {id: "$item"}}
"""


@dataclass
class Bulk(Server):
    def _put_items(self, arguments: dict[str, Any]) -> SendOutcome:
        for name in arguments["ids"]:
            self.records[name] = {**self.records.get(name, {}), **arguments["fields"]}
        return result({"put": len(arguments["ids"])})

    def _tag_items(self, arguments: dict[str, Any]) -> SendOutcome:
        for item in arguments["items"]:
            self.records[item["id"]] = {**self.records[item["id"]], "tag": item["tag"]}
        return result({})

    def _create_items(self, arguments: dict[str, Any]) -> SendOutcome:
        ids = [f"n{number}" for number in range(arguments["count"])]
        self.records |= {name: {"name": name} for name in ids}
        return result({"ids": ids})


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, RULES)
    world.server = Bulk()
    world.server.records = {
        "c1": {"name": "Ada", "plan": "pro", "tag": "a"},
        "c2": {"name": "Grace", "plan": "free", "tag": "b"},
    }
    return world


def put(world: World, *ids: str, **fields: Any) -> str | None:
    return world.agent("put_items", ids=list(ids), fields=fields or {"plan": "none"})


def test_each_is_put_back_or_taken_away_the_last_one_first(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    assert put(world, "c1", "new", "c2", "newer") is None
    assert [tool for tool, _ in world.server.calls].count("get_item") == 8

    report = world.undo()

    assert list(outcomes(report)) == [(1, "restored")]
    assert world.server.records == before
    assert [(tool, args["id"]) for tool, args in world.server.writes()[1:]] == [
        ("del_item", "newer"),
        ("del_item", "new"),
        ("restore_item", "c2"),
        ("restore_item", "c1"),
    ]


def test_what_was_read_of_each_is_kept_as_it_came(world: World) -> None:
    put(world, "c1", "new")
    [action] = world.actions()

    assert action.read is not None
    assert action.read.arguments == (
        b'{"for_each":[{"item":"c1","args":{"id":"c1"}},{"item":"new","args":{"id":"new"}}]}'
    )
    assert action.before is not None
    assert action.before.state == "present"
    assert b'"item":"c1","result":{"content":' in (action.before.answer or b"")
    assert b"item not found: new" in (action.before.answer or b"")
    assert [call.tool for call in action.inverse or ()] == ["del_item", "restore_item"]


def test_drift_in_one_stops_all_and_names_it(world: World) -> None:
    put(world, "c1", "c2")
    world.edit("c2", name="by hand")
    after = copy.deepcopy(world.server.records)

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert [one.path for one in report.steps[0].differences] == [(1, "state", "name")]
    assert world.server.records == after


def test_a_person_who_edits_one_while_another_is_put_back_keeps_it(world: World) -> None:
    put(world, "c1", "c2", "new")
    world.server.next("restore_item", and_a_person_edits(world, "c1"))

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert [one.path for one in report.steps[0].differences] == [(0, "state", "name")]
    assert world.server.records["c1"]["name"] == "by hand"
    assert [(tool, args["id"]) for tool, args in world.server.writes()[1:]] == [
        ("del_item", "new"),
        ("restore_item", "c2"),
    ]


def test_a_person_who_works_in_one_that_was_made_while_another_is_taken_away_keeps_it(world: World) -> None:
    world.agent("create_items", count=3)
    world.server.next("del_item", and_a_person_edits(world, "n0"))

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.records["n0"] == {"name": "by hand"}
    assert [args["id"] for tool, args in world.server.writes()[1:]] == ["n2"]


def and_a_person_edits(world: World, name: str) -> Misbehaviour:
    def behave(call: ResolvedCall, carry_out: Callable[[], SendOutcome]) -> SendOutcome:
        outcome = carry_out()
        world.edit(name, name="by hand")
        return outcome

    return behave


def test_what_is_ignored_of_one_is_ignored_of_each(world: World) -> None:
    put(world, "c1", "c2")
    world.edit("c2", updated_at=17)

    assert world.undo().status == "undone"


def test_one_that_cannot_be_read_refuses_the_call_and_is_named(world: World) -> None:
    world.server.next("get_item", lambda call, carry_out: carry_out())
    world.server.next("get_item", answers(error("429 Too Many Requests")))

    told = put(world, "c1", "c2")

    assert told is not None
    assert "REFUSED" in told
    assert "c2: 429 Too Many Requests" in told
    assert world.server.writes() == []


@pytest.mark.parametrize(
    ("without", "ids", "why"),
    [
        ("inverse_if_absent", ("c1", "new"), "There is nothing to restore of new"),
        ("inverse", ("new", "c1"), "c1 is there already"),
    ],
    ids=["one is not there", "one is there"],
)
def test_one_without_a_way_back_holds_the_call(world: World, without: str, ids: tuple[str, ...], why: str) -> None:
    lines = world.path.read_text(encoding="utf-8").splitlines(keepends=True)
    start = next(at for at, line in enumerate(lines) if line.strip() == f"{without}:")
    world.rules("".join(lines[:start] + lines[start + 4 :]))

    told = put(world, *ids)

    assert told is not None
    assert "HELD" in told
    assert why in told
    assert world.server.writes() == []


@pytest.mark.parametrize(
    ("ids", "why"),
    [([], "$.ids: is an empty list"), ("c1", "$.ids: is not a list"), (["c1"] * 1001, "more than 1,000 elements")],
    ids=["nothing", "no list", "too many"],
)
def test_what_cannot_be_gone_through_holds_the_call(world: World, ids: Any, why: str) -> None:
    told = world.agent("put_items", ids=ids, fields={})

    assert told is not None
    assert "HELD" in told
    assert why in told


def test_what_is_named_twice_is_read_and_put_back_once(world: World) -> None:
    put(world, "c1", "c1")

    assert world.undo().status == "undone"
    assert [tool for tool, _ in world.server.writes()] == ["put_items", "restore_item"]


def test_an_undo_that_broke_off_goes_on_with_the_next_thing(world: World) -> None:
    before, run = copy.deepcopy(world.server.records), world.run
    put(world, "c1", "new", "c2")
    world.server.next("restore_item", answers(error("not today")))
    assert world.undo(run).status == "stopped"

    assert world.undo(run).status == "undone"
    assert world.server.records == before
    assert [(tool, args["id"]) for tool, args in world.server.writes()[1:]] == [
        ("del_item", "new"),
        ("restore_item", "c2"),
        ("restore_item", "c1"),
    ]


def test_a_lost_call_in_the_middle_that_never_took_effect_is_made_again(world: World) -> None:
    before, run = copy.deepcopy(world.server.records), world.run
    put(world, "c1", "c2")
    world.server.next("restore_item", answers(LOST))
    assert world.undo(run).status == "stopped"

    assert world.undo(run).status == "undone"
    assert world.server.records == before


def test_a_lost_call_in_the_middle_that_took_effect_is_never_made_twice(world: World) -> None:
    run = world.run
    put(world, "c1", "c2")
    world.server.next("restore_item", does_it_and_answers(LOST))
    world.undo(run)
    writes = len(world.server.writes())

    again = world.undo(run)

    assert again.halted is not None
    assert again.halted.reason == "unknown"
    assert len(world.server.writes()) == writes


def test_several_things_can_be_put_back_in_one_call(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    world.agent("tag_items", items=[{"id": "c1", "tag": "x"}, {"id": "c2", "tag": "y"}])

    assert world.undo().status == "undone"
    assert world.server.records == before
    assert world.server.writes()[-1][1] == {"items": [{"id": "c1", "tag": "a"}, {"id": "c2", "tag": "b"}]}


def test_what_was_created_is_looked_at_by_the_names_in_the_answer(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    world.agent("create_items", count=3)

    assert list(outcomes(world.undo())) == [(1, "compensated")]
    assert world.server.records == before

    run = world.new_run()
    world.agent("create_items", count=3)
    world.edit("n1", name="worked on")
    stopped = world.undo(run)
    assert stopped.halted is not None
    assert stopped.halted.reason == "drifted"
    assert set(world.server.records) == {"c1", "c2", "n0", "n1", "n2"}


def test_under_todays_manifest_the_kept_answers_are_read_anew(world: World) -> None:
    before, run = copy.deepcopy(world.server.records), world.run
    text = world.path.read_text(encoding="utf-8")
    world.rules(text.replace('record: "$item.state"', 'record: {name: "$item.state.name"}'))
    put(world, "c1", "new")
    world.rules(text)

    assert world.undo(run, replan=True).status == "undone"
    assert world.server.records == before


def test_a_call_waits_for_its_turn_on_each_thing(world: World) -> None:
    world.agent("set_item", id="c2", plan="x")
    [of_c2] = world.turns
    world.turns.clear()

    put(world, "c2", "c1")

    assert world.turns == [of_c2.replace('"c2"', '"c1"'), of_c2]


VERSIONED = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.put_items"
    class: reversible
    snapshot: {for_each: "$.ids", tool: "f.get_item", args: {id: "$item"}, absent_when: ["not found"]}
    inverse:
      for_each: "$snapshot"
      tool: "f.set_item"
      args: {id: "$item.item", plan: "$item.state.plan", version: "$current.version"}
    inverse_if_absent: {for_each: "$snapshot", tool: "f.del_item", args: {id: "$item.item", version: "$current.version"}}
"""


def test_each_is_put_back_with_the_version_that_it_has_now(world: World) -> None:
    world.rules(VERSIONED)
    world.server.records = {"c1": {"plan": "pro", "version": 1}, "c2": {"plan": "free", "version": 5}}
    versions = iter(range(100, 200))

    def counted(call: Any, carry_out: Any) -> SendOutcome:
        outcome = carry_out()
        for record in world.server.records.values():
            record["version"] = next(versions)
        return outcome  # type: ignore[no-any-return]

    world.server.stamp = lambda record: record.update(version=next(versions))
    world.server.next("put_items", counted)
    put(world, "c1", "new", "c2")

    report = world.undo()

    assert report.status == "undone"
    sent = [(args["id"], args["version"]) for _, args in world.server.writes()[1:]]
    assert sent == [("new", 102), ("c2", 101), ("c1", 100)]
    assert {name: record["plan"] for name, record in world.server.records.items()} == {"c1": "pro", "c2": "free"}


def test_a_person_is_shown_what_was_answered_of_each(world: World) -> None:
    put(world, "c1", "new")
    [action] = world.actions()
    assert action.before is not None

    assert image_value(action.before) == [
        {"item": "c1", "state": {"name": "Ada", "plan": "pro", "tag": "a"}},
        {"item": "new", "error": "item not found: new"},
    ]


# --- with calls about one of them


def by_turns(world: World) -> None:
    world.agent("set_item", id="c1", name="A")
    put(world, "c1", "c2", name="B", plan="b")
    world.agent("set_item", id="c2", plan="c")
    put(world, "c2", "new", plan="d")
    world.agent("set_item", id="c1", plan="e")


def test_calls_about_one_and_about_several_are_undone_to_the_start(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    by_turns(world)

    plan, report = world.undo(dry_run=True), world.undo()

    assert plan.halted is None
    assert "is checked when #4 is undone" in plan.steps[2].reason
    assert list(outcomes(report)) == [(number, "restored") for number in (5, 4, 3, 2, 1)]
    assert world.server.records == before


def test_a_person_who_worked_on_one_of_them_stops_the_undo_before_it_is_overwritten(world: World) -> None:
    by_turns(world)
    world.edit("c2", tag="by hand")

    report = world.undo()

    assert report.status == "stopped"
    assert world.server.records["c2"]["tag"] == "by hand"


def test_all_of_it_is_taken_back_and_undone_again(world: World) -> None:
    world.rules(RULES + MORE)
    before, run = copy.deepcopy(world.server.records), world.run
    by_turns(world)
    left = copy.deepcopy(world.server.records)
    undo = world.undo(run).undo_run
    assert undo is not None

    redo = world.undo(undo)

    assert redo.status == "undone", redo.halted
    assert world.server.records == left
    assert world.undo(run).status == "undone"
    assert world.server.records == before


ABOUT_ONE = ("set_item", {"id": "c2", "plan": "x"})
ABOUT_BOTH = ("put_items", {"ids": ["c1", "c2"], "fields": {"plan": "y"}})
AGAIN = ("put_items", {"ids": ["c2", "c1"], "fields": {"plan": "z"}})


@pytest.mark.parametrize(
    "calls",
    [(ABOUT_ONE, ABOUT_BOTH), (ABOUT_BOTH, ABOUT_ONE), (ABOUT_BOTH, AGAIN)],
    ids=["one, then several", "several, then one of them", "several twice"],
)
@pytest.mark.parametrize("in_another_run", [False, True], ids=["one run", "another run"])
def test_none_is_undone_alone_from_under_a_later_call_about_the_same_thing(
    world: World, calls: tuple[tuple[str, dict[str, Any]], ...], *, in_another_run: bool
) -> None:
    run = world.run
    (first, arguments), (later, of_later) = calls
    world.agent(first, **arguments)
    if in_another_run:
        world.new_run()
    world.agent(later, **of_later)
    after = copy.deepcopy(world.server.records)

    with pytest.raises(SynartesisError, match="changed later by"):
        world.undo(run, only=frozenset({1}))
    assert world.server.records == after


def test_one_is_undone_alone_where_the_later_call_was_about_others(world: World) -> None:
    world.agent("set_item", id="c2", plan="x")
    put(world, "c1", "new")

    assert list(outcomes(world.undo(only=frozenset({1})))) == [(2, "kept"), (1, "restored")]


MORE = """
  - match: "f.restore_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}}
    inverse_if_absent: {tool: "f.del_item", args: {id: "$.id"}}
  - match: "f.del_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}}
"""
