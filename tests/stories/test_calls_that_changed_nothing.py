"""A call that changed nothing (a dry run, a value that was there already) has nothing to undo, whatever somebody did since."""

from __future__ import annotations

import pytest

from synartesis.domain.status import Undone
from synartesis.undo.report import StepKind
from tests.sim.world import World, answers, outcomes, result


def test_what_somebody_wrote_after_it_stops_nothing_and_stays(world: World) -> None:
    world.agent("set_item", id="c2", plan="free")
    world.agent("set_item", id="c1", plan="pro")
    world.edit("c1", notes="by hand")

    plan, report = world.undo(dry_run=True), world.undo()

    assert plan.steps[0].reason == "the call had changed nothing: nothing to do"
    assert [(step.seq, step.outcome) for step in report.steps] == [(2, Undone.ALREADY), (1, Undone.RESTORED)]
    assert report.status == "undone"
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "by hand"}


def test_an_older_call_that_did_change_it_still_stops_there(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", notes="by hand")

    report = world.undo()

    assert report.halted is not None
    assert (report.halted.seq, report.halted.reason) == (1, "drifted")
    assert world.server.records["c1"]["plan"] == "free"


def test_a_later_call_that_changed_nothing_does_not_stand_on_an_older_one(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="free")

    assert list(outcomes(world.undo(only=frozenset({1})))) == [(2, "kept"), (1, "restored")]
    assert world.server.records["c1"]["plan"] == "pro"


def test_alone_it_is_as_before_although_a_later_call_changed_the_same(world: World) -> None:
    world.agent("set_item", id="c1", plan="pro")
    world.agent("set_item", id="c1", plan="free")

    report = world.undo(only=frozenset({1}))

    assert [step.kind for step in report.steps] == [StepKind.KEPT, StepKind.ALREADY_UNDONE]
    assert world.server.records["c1"]["plan"] == "free"


@pytest.mark.parametrize("late", ["what it asked for", "a deletion"])
def test_what_may_be_its_own_late_work_is_not_called_nothing(world: World, late: str) -> None:
    """The server answered at once and carried it out only afterwards."""
    told = answers(result({}))
    if late == "a deletion":
        world.server.next("del_item", told)
        world.agent("del_item", id="c1")
        del world.server.records["c1"]
    else:
        world.server.next("set_item", told)
        world.agent("set_item", id="c1", plan="free")
        world.edit("c1", plan="free")

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
