"""A server that counts versions moves on with every undo of ours. That is nobody else's work, in whichever run it was; what a
person does in between still is."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synartesis.domain.calls import SendOutcome
from synartesis.errors import SynartesisError
from tests.sim.world import Server, World, error, outcomes, result
from tests.stories.by_turns import Made, Turns, play, some_calls, some_turns

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.update_doc"
    class: reversible
    snapshot: {tool: "f.get_doc", args: {id: "$.id"}, absent_when: ["404"], ignore: ["updated_at"]}
    inverse: {tool: "f.update_doc", args: {id: "$.id", version: "$current.version", body: "$snapshot.body"}}
  - match: "f.create_doc"
    class: compensable
    verify: {tool: "f.get_doc", args: {id: "$result.id"}, absent_when: ["404"], ignore: ["updated_at"]}
    inverse: {tool: "f.delete_doc", args: {id: "$result.id", version: "$current.version"}}
"""
WITH_RESOURCE = RULES.replace("class: reversible", 'class: reversible\n    resource: "doc $.id"')


class Docs(Server):
    """Takes a write only with the version that is there now."""

    ticks: int = 0

    def _get_doc(self, arguments: dict[str, Any]) -> SendOutcome:
        return result(self.records[arguments["id"]]) if arguments["id"] in self.records else error("404: no document")

    def _update_doc(self, arguments: dict[str, Any]) -> SendOutcome:
        doc = self.records[arguments["id"]]
        if arguments["version"] != doc["version"]:
            return error(f"409: version conflict, current is {doc['version']}")
        return self._write(arguments["id"], body=arguments["body"])

    def _create_doc(self, arguments: dict[str, Any]) -> SendOutcome:
        name = f"d{len(self.records) + 1}"
        self.records[name] = {"id": name, "version": 0}
        return self._write(name, body=arguments["body"])

    def _delete_doc(self, arguments: dict[str, Any]) -> SendOutcome:
        if arguments["version"] != self.records[arguments["id"]]["version"]:
            return error("409: version conflict")
        del self.records[arguments["id"]]
        return result({})

    def _write(self, name: str, **fields: Any) -> SendOutcome:
        self.ticks += 1
        doc = self.records[name]
        self.records[name] = {**doc, **fields, "version": doc["version"] + 1, "updated_at": self.ticks}
        return result(self.records[name])


class Writers(World):
    """An agent, and a person, who both name the version that is there."""

    def update(self, name: str, body: str) -> None:
        assert self.agent("update_doc", id=name, version=self.server.records[name]["version"], body=body) is None

    def by_hand(self, name: str, body: str) -> None:
        assert isinstance(self.server, Docs)
        self.server._write(name, body=body)

    def agent(self, tool: str, /, **arguments: Any) -> str | None:
        if tool == "update_doc" and arguments["id"] in self.server.records:
            arguments = {"version": self.server.records[arguments["id"]]["version"], **arguments}
        return super().agent(tool, **arguments)

    def bodies(self) -> dict[str, str]:
        return {name: doc["body"] for name, doc in self.server.records.items()}


def ready(folder: Path, rules: str = RULES) -> Writers:
    world = Writers(folder, rules)
    world.server = Docs(records={name: {"id": name, "version": 1, "body": f"of {name}"} for name in ("d1", "d2")})
    return world


@pytest.fixture
def world(tmp_path: Path) -> Writers:
    return ready(tmp_path)


def two_runs(world: Writers) -> tuple[str, str]:
    world.update("d1", "one")
    older = world.run
    newer = world.new_run()
    world.update("d1", "two")
    return older, newer


def test_after_the_newer_run_was_undone_so_is_the_older_one(world: Writers) -> None:
    older, newer = two_runs(world)

    assert world.undo(newer).status == "undone"
    plan, report = world.undo(older, dry_run=True), world.undo(older)

    assert plan.halted is None
    assert report.status == "undone"
    assert world.bodies() == {"d1": "of d1", "d2": "of d2"}


def test_of_one_run_the_newest_alone_may_be_undone_done_again_and_undone_with_the_rest(world: Writers) -> None:
    run = world.run
    world.update("d1", "one")
    world.update("d1", "two")

    for _ in range(2):
        undo = world.undo(run, to=2).undo_run
        assert undo is not None
        assert world.undo(undo).status == "undone"
        whole = world.undo(run)
        assert list(outcomes(whole)) == [(2, "restored"), (1, "restored")]
        assert whole.undo_run is not None
        assert world.undo(whole.undo_run).status == "undone"


def test_older_undos_are_done_again_after_newer_ones(world: Writers) -> None:
    older, newer = two_runs(world)
    undos = [world.undo(run).undo_run for run in (newer, older)]

    for undo in reversed(undos):
        assert world.undo(undo).status == "undone"
    assert world.bodies()["d1"] == "two"
    for run in (newer, older):
        assert world.undo(run).status == "undone"
    assert world.bodies()["d1"] == "of d1"


@pytest.mark.parametrize("when", ["before the newer run", "before its undo", "after its undo", "after it, and back"])
def test_what_a_person_did_meanwhile_stops_it(world: Writers, when: str) -> None:
    world.update("d1", "one")
    older = world.run
    if when == "before the newer run":
        world.by_hand("d1", "by hand")
    newer = world.new_run()
    world.update("d1", "two")
    if when == "before its undo":
        world.by_hand("d1", "by hand")
        assert world.undo(newer).status == "stopped"
    else:
        assert world.undo(newer).status == "undone"
    if when.startswith("after"):
        world.by_hand("d1", "by hand")
    if when == "after it, and back":
        world.by_hand("d1", "one")
    left = world.bodies()

    report = world.undo(older)

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.bodies() == left


def test_a_newer_run_that_is_not_undone_stops_it_by_name(world: Writers) -> None:
    older, newer = two_runs(world)
    world.undo(world.undo(newer).undo_run)

    report = world.undo(older)

    assert report.halted is not None
    assert f"was changed later by run {newer} #1" in report.halted.detail


# --- either what the rule says, or what the read shows


@pytest.fixture(params=[RULES, WITH_RESOURCE], ids=["as read", "as the rule says"])
def created(request: pytest.FixtureRequest, tmp_path: Path) -> Writers:
    world = ready(tmp_path, request.param)
    world.agent("create_doc", body="new")
    world.update("d3", "newer")
    world.update("d3", "newest")
    return world


def test_what_was_created_and_then_changed_under_a_resource_is_undone_in_one_go(created: Writers) -> None:
    plan, report = created.undo(dry_run=True), created.undo()

    assert plan.halted is None
    assert list(outcomes(report)) == [(3, "restored"), (2, "restored"), (1, "compensated")]
    assert created.bodies() == {"d1": "of d1", "d2": "of d2"}


def test_what_was_created_cannot_be_undone_from_under_a_later_change(created: Writers) -> None:
    with pytest.raises(SynartesisError, match="changed later by #2"):
        created.undo(only=frozenset({1}))


def test_both_wait_for_each_other(created: Writers) -> None:
    assert created.turns.count(f'{created.identity} get_doc {{"id":"d3"}}') == 2


# --- whatever is done and undone by nobody but us

calls = st.tuples(
    st.just("update_doc"),
    st.fixed_dictionaries({"id": st.sampled_from(["d1", "d2"]), "body": st.sampled_from("xyz")}),
)


@settings(deadline=None)
@given(some_calls(calls), some_turns(calls))
def test_whatever_is_undone_and_done_again_comes_back_to_the_first_bodies(first: Made, then: Turns) -> None:
    with TemporaryDirectory() as folder:
        world = ready(Path(folder))
        play(world, first, then, seen=world.bodies)
