"""What stays: a later call that cannot be undone, a refusal that nothing can check, an offset that nothing proves. None of it is
written over, and none of it becomes more certain by being told again."""

from __future__ import annotations

import copy
import itertools
from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.calls import SendOutcome
from synartesis.present.plans import report_lines
from synartesis.present.style import PLAIN
from synartesis.undo.report import StepKind
from tests.sim.world import Server, World, does_it_and_answers, error, outcomes, result

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
  - match: "f.lock_item"
    class: irreversible
    gate: GATE
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
  - match: "f.charge"
    class: compensable
    inverse: {tool: "f.refund", args: {amount: "$.amount"}}
  - match: "f.add_names"
    class: compensable
    inverse: {for_each: "$result.created", tool: "f.del_item", args: {id: "$item"}}
  - match: "f.put_names"
    class: compensable
    snapshot: {tool: "f.get_item", args: {id: "c1"}}
    inverse: {for_each: "$result.created", tool: "f.del_item", args: {id: "$item"}}
"""


class Names(Server):
    def _lock_item(self, arguments: dict[str, Any]) -> SendOutcome:
        return self._set_item(arguments)

    def _add_names(self, arguments: dict[str, Any]) -> SendOutcome:
        created = [name for name in arguments["names"] if name not in self.records]
        self.records |= {name: {} for name in created}
        return result({"created": created})

    def _put_names(self, arguments: dict[str, Any]) -> SendOutcome:
        self.records["c1"]["seen"] = True
        return self._add_names(arguments)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, RULES.replace("GATE", "never"))
    world.server = Names(records={"c1": {"name": "Ada", "plan": "pro"}})
    return world


def said(report: Any) -> str:
    return "\n".join(report_lines(report, " ".join, PLAIN))


# --- a later call that cannot be undone


@pytest.mark.parametrize("gate", ["never", "always"])
def test_what_a_later_permanent_call_left_is_not_overwritten_by_an_older_inverse(world: World, gate: str) -> None:
    world.rules(RULES.replace("GATE", gate))
    world.agent("set_item", id="c1", name="B")
    if gate == "always":
        world.agent("lock_item", id="c1", plan="locked")
        world.approve()
    world.agent("lock_item", id="c1", plan="locked")
    locked = world.actions()[-1].seq
    left, writes = copy.deepcopy(world.server.records), len(world.server.writes())

    report = world.undo()

    assert report.halted is not None
    assert (report.halted.seq, report.halted.reason) == (1, "drifted")
    assert report.halted.detail == f"was changed later by #{locked} (f.lock_item), which cannot be undone"
    assert (world.server.records, len(world.server.writes())) == (left, writes)


def test_it_is_undone_around_what_the_permanent_call_left(world: World) -> None:
    world.agent("set_item", id="c1", name="B")
    world.agent("lock_item", id="c1", plan="locked")

    report = world.undo(merge=True)

    assert (report.status, list(outcomes(report))) == ("partial", [(2, "permanent"), (1, "restored")])
    assert world.server.records["c1"] == {"name": "Ada", "plan": "locked"}


def test_a_permanent_call_that_only_moved_a_stamp_is_in_nobodys_way(world: World) -> None:
    clock = itertools.count(1)
    world.server.records["c1"]["updated_at"] = 0
    world.server.stamp = lambda record: record.update(updated_at=next(clock))
    world.agent("set_item", id="c1", name="B")
    world.agent("lock_item", id="c1")

    report = world.undo()

    assert (report.status, list(outcomes(report))) == ("partial", [(2, "permanent"), (1, "restored")])


# --- what nothing proves


def test_what_was_offset_without_proof_is_called_so_whenever_it_is_told_again(world: World) -> None:
    world.agent("charge", amount=5)
    run = world.run
    assert "1 compensated [unverified]" in said(world.undo(run))

    report = world.undo(run)

    [step] = report.steps
    assert (step.kind, step.unproved) == (StepKind.ALREADY_UNDONE, True)
    assert "1 call: 1 undone before [unverified]." in said(report)
    assert "as before" not in said(report)


def test_what_was_proved_is_not_called_as_before_where_nobody_looked_again(world: World) -> None:
    world.agent("set_item", id="c1", name="B")
    run = world.run
    world.undo(run)

    assert "1 call: 1 undone before." in said(world.undo(run))


def test_a_long_repeat_hides_nothing_that_was_never_proved(world: World) -> None:
    for number in range(70):
        world.agent("charge", amount=number)
    run = world.run
    world.undo(run)

    text = said(world.undo(run))

    assert text.count("f.charge  undone before [unverified]") == 70
    assert "70 calls: 70 undone before [unverified]." in text


def test_a_refusal_that_nothing_can_check_is_counted_and_closes_the_report(world: World) -> None:
    world.server.next("charge", does_it_and_answers(error("504 gateway timeout")))
    world.agent("charge", amount=5)
    world.agent("charge", amount=7)

    report = world.undo()

    assert [step.unproved for step in report.steps] == [True, True]
    text = said(report)
    assert "2 calls: 1 compensated [unverified], 1 refused by the server, not checked." in text
    assert text.endswith(
        "1 call of it was refused by the server, and nothing could check whether that was\ncarried out all the same."
    )


# --- an inverse for each element of a list that is empty


def test_where_a_list_of_what_was_created_is_empty_there_is_nothing_to_undo(world: World) -> None:
    world.agent("add_names", names=["c1"])
    world.agent("add_names", names=["c2"])

    report = world.undo()

    assert (report.status, list(outcomes(report))) == ("undone", [(2, "compensated"), (1, "skip")])
    assert list(world.server.records) == ["c1"]


def test_an_empty_list_does_not_hide_what_a_read_shows(world: World) -> None:
    world.agent("put_names", names=["c1"])

    report = world.undo()

    assert (report.status, list(outcomes(report))) == ("partial", [(1, "permanent")])
