"""`$current`: servers that take a write only with the version that is there now, and servers that keep a time by themselves."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.calls import SendOutcome
from synartesis.domain.status import Undone
from tests.sim.world import LOST, Server, World, answers, error, outcomes, result

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
    inverse:
      tool: "f.set_item"
      args: {id: "$.id", plan: "$snapshot.plan", at: {version: "$current.version"}}
    inverse_if_absent: {tool: "f.del_item", args: {id: "$.id", at: {version: "$current.version"}}}
"""


@dataclass
class Versioned(Server):
    """Counts the versions of a record, and refuses a write that names another than the current one."""

    counter: int = 10
    taken: list[Any] = field(default_factory=list)

    def _set_item(self, arguments: dict[str, Any]) -> SendOutcome:
        name = arguments.pop("id")
        record = self.records.get(name, {"version": None})
        at = arguments.pop("at")["version"]
        if at != record["version"]:
            return error(f"409 Conflict: the version is {record['version']}, not {at}")
        self.counter += 1
        self.taken.append(at)
        self.records[name] = {**record, **arguments, "version": self.counter}
        return result({"version": self.counter})

    def _del_item(self, arguments: dict[str, Any]) -> SendOutcome:
        if arguments["at"]["version"] != self.records[arguments["id"]]["version"]:
            return error("409 Conflict")
        return super()._del_item(arguments)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, RULES)
    world.server = Versioned()
    world.server.records = {"c1": {"plan": "pro", "notes": "", "version": 3}}
    return world


def edit_twice(world: World) -> None:
    for plan in ("free", "none"):
        at = {"version": world.server.records["c1"]["version"]}
        assert world.agent("set_item", id="c1", plan=plan, at=at) is None


def without_version(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != "version"}


def test_two_edits_are_undone_to_the_start_each_with_the_version_that_is_there_then(world: World) -> None:
    before = copy.deepcopy(world.server.records["c1"])
    edit_twice(world)

    report = world.undo()

    assert list(outcomes(report)) == [(2, "restored"), (1, "restored")]
    assert without_version(world.server.records["c1"]) == without_version(before)
    assert isinstance(world.server, Versioned)
    assert world.server.taken == [3, 11, 12, 13]
    moved = [(one.path, one.kind, one.expected, one.actual) for step in report.steps for one in step.differences]
    assert moved == [(("version",), "moved_by_server", 11, 13), (("version",), "moved_by_server", 3, 14)]


def test_that_the_agent_names_the_version_it_knew_does_not_make_it_the_agents_field(world: World) -> None:
    world.rules(RULES.replace('at: {version: "$current.version"}', 'version: "$current.version"'))

    class Flat(Versioned):
        def _set_item(self, arguments: dict[str, Any]) -> SendOutcome:
            return super()._set_item({**arguments, "at": {"version": arguments["version"]}})

    world.server = Flat(records=world.server.records)
    assert world.agent("set_item", id="c1", plan="free", version=3) is None

    assert list(outcomes(world.undo())) == [(1, "restored")]


def test_until_it_is_sent_the_inverse_shows_what_will_be_asked_for(world: World) -> None:
    edit_twice(world)
    [_, action] = world.actions()

    [planned, _] = world.undo(dry_run=True).steps

    assert action.inverse is not None
    assert action.inverse[0].arguments == b'{"id":"c1","plan":"free","at":{"version":{"$current":"version"}}}'
    assert action.inverse[0].current == (("at.version", "version"),)
    assert planned.calls[0].arguments["at"] == {"version": {"$current": "version"}}


def test_what_only_looks_like_such_a_place_is_written_back_as_it_was(world: World) -> None:
    world.server.records["c1"]["plan"] = {"$current": "version"}
    edit_twice(world)

    assert world.undo().status == "undone"
    assert world.server.records["c1"]["plan"] == {"$current": "version"}


def test_a_persons_edit_is_drift_and_no_version_is_asked_for(world: World) -> None:
    edit_twice(world)
    world.edit("c1", notes="by hand", version=99)
    after = copy.deepcopy(world.server.records)

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.records == after


def test_a_lost_answer_is_gone_on_with_and_no_version_is_used_twice(world: World) -> None:
    before = copy.deepcopy(world.server.records["c1"])
    run = world.run
    edit_twice(world)
    world.server.next("set_item", answers(LOST))
    assert world.undo(run).status == "stopped"

    assert world.undo(run).status == "undone"
    assert without_version(world.server.records["c1"]) == without_version(before)


def test_a_creation_is_deleted_with_the_version_that_it_has_now(world: World) -> None:
    assert world.agent("set_item", id="c9", plan="free", at={"version": None}) is None
    [action] = world.actions()

    report = world.undo()

    assert list(outcomes(report)) == [(1, "restored")]
    assert "c9" not in world.server.records
    [inverse] = world.journal.inverses_of(action.id)
    assert inverse.arguments == b'{"id":"c9","at":{"version":11}}'


def test_an_undo_with_a_version_is_taken_back_and_done_again(world: World) -> None:
    run = world.run
    before = copy.deepcopy(world.server.records["c1"])
    edit_twice(world)
    left = copy.deepcopy(world.server.records["c1"])
    undo = world.undo(run).undo_run
    assert undo is not None

    assert world.undo(undo).status == "undone"
    assert without_version(world.server.records["c1"]) == without_version(left)
    assert world.undo(run).status == "undone"
    assert without_version(world.server.records["c1"]) == without_version(before)


def test_after_a_mismatch_the_same_call_is_not_made_again_with_another_version(world: World) -> None:
    run = world.run
    edit_twice(world)
    saying = result({"version": 0})

    def only_counts(call: Any, carry_out: Any) -> SendOutcome:
        world.server.records["c1"]["version"] += 100
        return saying

    world.server.next("set_item", only_counts)
    assert next(outcomes(world.undo(run))) == (2, "mismatch")
    sent = len(world.server.calls)

    again = world.undo(run)

    assert again.halted is not None
    assert again.halted.reason == "mismatch"
    assert [tool for tool, _ in world.server.calls[sent:]] == ["get_item"]


def test_what_is_not_there_now_cannot_be_filled_in_and_nothing_is_sent(world: World) -> None:
    run = world.run
    edit_twice(world)
    world.rules(RULES.replace("$current.version", "$current.etag"))
    writes = len(world.server.writes())

    report = world.undo(run, replan=True)

    assert report.halted is not None
    assert report.halted.detail == "f.set_item cannot be made: $current.etag: is not in what is there now"
    assert len(world.server.writes()) == writes


# --- a time that the server keeps


def test_a_time_that_the_server_keeps_is_reported_as_moved_by_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    ticks = iter(range(100))
    world.server.stamp = lambda record: record.update(updated_at=next(ticks))
    world.server.records = {"c1": {"name": "Ada", "plan": "pro", "updated_at": -1}}
    for plan in ("free", "none"):
        world.agent("set_item", id="c1", plan=plan)

    report = world.undo()

    assert [step.outcome for step in report.steps] == [Undone.RESTORED, Undone.RESTORED]
    assert [[(one.path, one.kind) for one in step.differences] for step in report.steps] == [
        [(("updated_at",), "moved_by_server")]
    ] * 2
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "updated_at": 3}


# --- around what somebody else changed


def edited_by_a_person(world: World, **fields: Any) -> None:
    """As the server's own page does it: with a new version."""
    server = versioned(world)
    server.counter += 1
    server.records["c1"] |= {**fields, "version": server.counter}


def versioned(world: World) -> Versioned:
    assert isinstance(world.server, Versioned)
    return world.server


def test_an_undo_around_other_changes_names_the_version_that_is_there_then(world: World) -> None:
    world.server.records["c1"]["notes"] = ""
    edit_twice(world)
    edited_by_a_person(world, notes="a human wrote this")

    assert world.undo().status == "stopped"
    report = world.undo(merge=True)

    assert report.status == "undone"
    assert without_version(world.server.records["c1"]) == {"plan": "pro", "notes": "a human wrote this"}
    assert versioned(world).taken[-2:] == [13, 14], "what the person left, and then what the first inverse left"
    kinds = [[(".".join(map(str, one.path)), one.kind) for one in step.differences] for step in report.steps]
    assert all(("plan", "goes_back") in step and ("notes", "kept") in step for step in kinds)
    assert all(
        path == "version" and kind == "moved_by_server" for step in kinds for path, kind in step if path == "version"
    )


def test_around_what_the_agent_changed_too_there_is_no_way(world: World) -> None:
    edit_twice(world)
    edited_by_a_person(world, plan="gold")

    report = world.undo(merge=True)

    assert report.status == "stopped"
    assert world.server.records["c1"]["plan"] == "gold"
    assert len(versioned(world).taken) == 2, "nothing was sent"


def test_a_version_that_the_rule_does_not_ask_for_is_still_in_doubt(world: World) -> None:
    """The inverse sets what the agent named, so what it does to the version of a person is not known."""
    world.rules(RULES.replace('at: {version: "$current.version"}', 'at: {version: "$snapshot.version"}', 1))
    at = {"version": 3}
    assert world.agent("set_item", id="c1", plan="free", at=at) is None
    edited_by_a_person(world, notes="a human wrote this")

    report = world.undo(merge=True)

    assert report.status == "stopped"
    assert world.server.records["c1"]["notes"] == "a human wrote this"
    assert world.server.records["c1"]["plan"] == "free"
