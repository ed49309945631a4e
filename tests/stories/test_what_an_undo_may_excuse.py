"""What differs after an inverse is the server's own only where something shows that. Otherwise it is in doubt or a failure, and
nothing older is written over it."""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.calls import SendOutcome
from synartesis.domain.status import Undone
from synartesis.present.plans import report_lines
from synartesis.present.style import PLAIN
from tests.sim.world import Server, World, outcomes, result

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name"}}
  - match: "f.patch_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.patch_item", args: {id: "$.id", fields: {name: "$snapshot.name"}}}
  - match: "f.add"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.subtract", args: {id: "$.id"}}
  - match: "f.reserve"
    class: compensable
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.subtract", args: {id: "$.id"}}
  - match: "f.create_item"
    class: compensable
    verify: {tool: "f.get_item", args: {id: "$result.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.del_item", args: {id: "$result.id"}}
"""


@dataclass
class Counting(Server):
    """Counts on request, and stamps what it writes; takes back what it is told to by `comes_back`."""

    comes_back: int = -1
    beside: dict[str, Any] = field(default_factory=dict)
    """What taking back writes besides."""

    def _add(self, arguments: dict[str, Any]) -> SendOutcome:
        return self._moved(arguments["id"], 1)

    _reserve = _add

    def _subtract(self, arguments: dict[str, Any]) -> SendOutcome:
        self.records[arguments["id"]] |= self.beside
        return self._moved(arguments["id"], self.comes_back)

    def _moved(self, name: str, by: int) -> SendOutcome:
        self.records[name]["count"] += by
        self.stamp(self.records[name])
        return result(self.records[name])

    def _patch_item(self, arguments: dict[str, Any]) -> SendOutcome:
        self.records[arguments["id"]] |= {"status": "needs review", **arguments["fields"]}
        return result(self.records[arguments["id"]])


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, RULES)
    world.server = Counting(records={"c1": {"name": "Ada", "status": "live", "count": 5}})
    return world


def server(world: World) -> Counting:
    assert isinstance(world.server, Counting)
    return world.server


def stamping(world: World) -> None:
    clock = itertools.count(1)
    world.server.records["c1"]["updated_at"] = 0
    world.server.stamp = lambda record: record.update(updated_at=next(clock))


def differing(report: Any, seq: int = 1) -> list[tuple[str, str]]:
    [step] = [one for one in report.steps if one.seq == seq]
    return [(".".join(map(str, one.path)), one.kind) for one in step.differences]


def test_a_count_that_the_inverse_moved_the_wrong_way_is_no_stamp_of_the_server(world: World) -> None:
    server(world).comes_back = -2
    world.agent("add", id="c1")

    report = world.undo()

    assert (list(outcomes(report)), differing(report)) == ([(1, "mismatch")], [("count", "not_restored")])
    assert report.halted is not None


def test_a_compensation_that_brought_nothing_back_leaves_the_run_partly_undone(world: World) -> None:
    server(world).comes_back = -2
    world.agent("reserve", id="c1")
    run = world.run

    report = world.undo(run)

    assert (report.status, list(outcomes(report))) == ("partial", [(1, "mismatch")])
    assert world.actions()[0].undone is Undone.MISMATCH
    again = world.undo(run)
    assert (again.status, list(outcomes(again))) == ("partial", [(1, "mismatch")])
    assert [tool for tool, _ in world.server.writes()] == ["reserve", "subtract"], "no call is made again"
    planned = world.undo(run, dry_run=True)
    assert (planned.status, planned.steps[0].outcome, planned.steps[0].calls) == ("partial", Undone.MISMATCH, ())
    assert report_lines(planned, " ".join, PLAIN)[-2:] == [
        f"Nothing was sent, and nothing of run {run} would be undone: 1 call is not",
        "as before, although the inverse was sent.",
    ]


NAMINGS: dict[str, dict[str, Any]] = {
    "nested": {"fields": {"name": "X", "status": "draft"}},
    "in a list": {"fields": {"name": "X"}, "also": [{"set": {"status": "draft"}}]},
    "in a text that is JSON": {"fields": {"name": "X"}, "also": '{"status": "draft"}'},
    "as the name of a field": {"fields": {"name": "X"}, "also": [{"field": "status", "value": "draft"}]},
}


@pytest.mark.parametrize("arguments", NAMINGS.values(), ids=NAMINGS)
def test_what_the_agent_named_is_not_the_servers_wherever_it_stands(world: World, arguments: dict[str, Any]) -> None:
    def reviews(call: Any, carry_out: Any) -> SendOutcome:
        outcome: SendOutcome = carry_out()
        world.server.records["c1"]["status"] = "draft"
        return outcome

    world.server.next("patch_item", reviews)
    world.agent("patch_item", id="c1", **arguments)

    report = world.undo()

    assert (list(outcomes(report)), differing(report)) == ([(1, "mismatch")], [("status", "not_restored")])


@pytest.mark.parametrize("tool", ["add", "reserve"])
def test_a_time_beside_what_came_back_is_in_doubt_and_everything_is_undone_to_the_start(
    world: World, tool: str
) -> None:
    stamping(world)
    world.agent("set_item", id="c1", name="X")
    world.agent(tool, id="c1")
    world.agent(tool, id="c1")

    report = world.undo()

    assert report.status == "undone"
    assert list(outcomes(report)) == [(3, "compensated"), (2, "compensated"), (1, "restored")]
    assert [step.confirmation for step in report.steps] == ["unverified", "unverified", "verified"]
    assert [differing(report, seq) for seq in (3, 2, 1)] == [
        [("updated_at", "in_doubt")],
        [("updated_at", "in_doubt")],
        [("updated_at", "moved_by_server")],
    ]
    assert world.server.records["c1"] == {"name": "Ada", "status": "live", "count": 5, "updated_at": 6}


def test_where_the_rule_says_that_the_time_moves_by_itself_the_compensation_is_proved(world: World) -> None:
    stamping(world)
    world.rules(
        RULES.replace('args: {id: "$.id"}}\n    inverse', 'args: {id: "$.id"}, ignore: [updated_at]}\n    inverse')
    )
    world.agent("reserve", id="c1")

    report = world.undo()

    assert [(step.outcome, step.confirmation) for step in report.steps] == [(Undone.COMPENSATED, "verified")]


def test_a_call_that_is_undone_done_again_and_undone_again_knows_its_own_time(world: World) -> None:
    stamping(world)
    world.rules(
        RULES
        + RULES[RULES.index('  - match: "f.add"') :]
        .replace('"f.add"', '"f.subtract"', 1)
        .replace('tool: "f.subtract"', 'tool: "f.add"', 1)
        .partition('  - match: "f.reserve"')[0]
    )
    world.agent("add", id="c1")
    run = world.run

    undone = world.undo(run).undo_run
    assert undone is not None
    assert world.undo(undone).status == "undone"
    assert world.server.records["c1"]["count"] == 6
    assert world.undo(run).status == "undone"
    assert world.server.records["c1"]["count"] == 5


def test_what_a_deletion_left_there_is_no_compensation(world: World) -> None:
    world.agent("create_item", name="new")
    run = world.run
    [name] = set(world.server.records) - {"c1"}

    def only_counts(call: Any, carry_out: Any) -> SendOutcome:
        world.server.records[name]["updated"] = 1
        return result({"ok": True})

    world.server.next("del_item", only_counts)
    report = world.undo(run)

    assert (report.status, list(outcomes(report))) == ("partial", [(1, "mismatch")])
    del world.server.records[name]
    assert (world.undo(run).status, world.actions()[0].undone) == ("undone", Undone.ALREADY)


def test_what_stands_there_after_a_compensation_is_not_overwritten_by_an_older_step(world: World) -> None:
    world.agent("set_item", id="c1", name="X")
    world.agent("reserve", id="c1")
    run = world.run
    server(world).beside = {"name": "a person's name"}

    report = world.undo(run)

    assert report.halted is not None
    assert (report.halted.seq, report.halted.reason) == (1, "drifted")
    assert world.server.records["c1"]["name"] == "a person's name"
    assert world.undo(run).status == "stopped"
    assert world.server.records["c1"]["name"] == "a person's name"


def test_what_is_in_doubt_is_not_overwritten_by_an_older_step_that_sets_it(world: World) -> None:
    """The call itself moved the name as well, so it may be the server's or a person's."""
    world.agent("set_item", id="c1", name="X")
    world.server.stamp = lambda record: record.update(name=f"{record['name']}!")
    world.agent("reserve", id="c1")

    report = world.undo()

    assert report.halted is not None
    assert (report.halted.seq, differing(report, 2)) == (1, [("name", "in_doubt")])
    assert world.server.records["c1"]["name"] == "X!!"


def test_a_compensation_that_leaves_a_trace_does_not_keep_the_rest_from_being_undone(world: World) -> None:
    world.server.records["c2"] = {"name": "Grace", "count": 0}
    before = copy.deepcopy(world.server.records["c2"])
    world.agent("set_item", id="c2", name="X")
    world.agent("reserve", id="c1")
    server(world).beside = {"refunds": 1}

    report = world.undo()

    assert (report.status, list(outcomes(report))) == ("partial", [(2, "mismatch"), (1, "restored")])
    assert world.server.records["c2"] == before
