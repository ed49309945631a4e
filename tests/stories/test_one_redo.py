"""One redo: the undo of an undo. It looks, stops and proves like any undo, and afterwards the run can be undone again."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest

from synartesis.domain.status import Confirmation, RunStatus, Undone
from synartesis.errors import SynartesisError
from synartesis.undo.report import StepKind
from tests.sim.world import LOST, World, answers, does_it_and_answers, outcomes

RESTORABLE = """
  - match: "f.restore_item"
    class: compensable
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse_if_absent: {tool: "f.del_item", args: {id: "$.id"}}
"""


@pytest.fixture
def world(world: World) -> World:
    """With a rule for every tool that an undo calls."""
    world.rules(world.path.read_text(encoding="utf-8") + RESTORABLE)
    return world


def damage(world: World) -> str:
    """A run of all that can be redone."""
    world.agent("set_item", id="c1", plan="free")
    world.agent("del_item", id="c2")
    world.agent("set_item", id="c1", name="Ada L.", plan="team")
    return world.run


def undone(world: World, run: str) -> str:
    report = world.undo(run)
    assert report.status == "undone", report
    assert report.undo_run is not None
    return report.undo_run


def test_a_redo_brings_back_what_the_agent_left_and_undo_works_again(world: World) -> None:
    start = copy.deepcopy(world.server.records)
    run = damage(world)
    left = copy.deepcopy(world.server.records)
    undo = undone(world, run)
    assert world.server.records == start

    report = world.undo(undo)

    assert report.redo
    assert report.status == "undone"
    assert [(step.undid, step.outcome) for step in report.steps] == [
        (1, Undone.RESTORED),
        (2, Undone.RESTORED),
        (3, Undone.RESTORED),
    ]
    assert world.server.records == left
    assert [action.undone for action in world.journal.actions(run)] == [Undone.REDONE] * 3
    assert undone(world, run)
    assert world.server.records == start


def test_undo_and_redo_may_take_turns_for_ever(world: World) -> None:
    start = copy.deepcopy(world.server.records)
    run = damage(world)
    left = copy.deepcopy(world.server.records)

    for _ in range(4):
        undo = undone(world, run)
        assert world.server.records == start
        summary = world.journal.run(run)
        assert summary is not None
        assert summary.status is RunStatus.UNDONE
        assert world.undo(undo).status == "undone"
        assert world.server.records == left
        assert world.undo(undo).steps[0].kind is StepKind.ALREADY_UNDONE


def test_the_way_back_is_literal_in_the_journal_before_the_inverse_leaves(world: World) -> None:
    run = damage(world)
    undo = undone(world, run)

    inverses = [action.inverse for action in world.journal.actions(undo)]

    assert [[(call.tool, call.arguments) for call in calls or ()] for calls in inverses] == [
        [("set_item", b'{"id":"c1","name":"Ada L.","plan":"team"}')],
        [("del_item", b'{"id":"c2"}')],
        [("set_item", b'{"id":"c1","name":"Ada","plan":"free"}')],
    ]


def test_a_dry_run_of_a_redo_reads_and_sends_nothing(world: World) -> None:
    undo = undone(world, damage(world))
    world.server.calls.clear()

    report = world.undo(undo, dry_run=True)

    assert report.redo
    assert report.undo_run is None
    assert [[call.tool.name for call in step.calls] for step in report.steps] == [
        ["set_item"],
        ["del_item"],
        ["set_item"],
    ]
    assert world.server.writes() == []


def test_a_step_whose_tool_has_no_rule_cannot_be_redone_and_says_so(world: World) -> None:
    world.reword('match: "f.restore_item"', 'match: "f.other_item"')
    undo = undone(world, damage(world))

    report = world.undo(undo, dry_run=True)

    assert report.status == "partial"
    [permanent] = [step for step in report.steps if step.kind is StepKind.PERMANENT]
    assert permanent.undid == 2
    assert permanent.reason == "this cannot be redone: no rule mentions f.restore_item"


def test_a_step_whose_rule_needs_a_state_that_was_not_there_cannot_be_redone(world: World) -> None:
    world.reword("inverse_if_absent:", 'inverse: {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}} #')
    undo = undone(world, damage(world))

    [permanent] = [step for step in world.undo(undo, dry_run=True).steps if step.kind is StepKind.PERMANENT]

    assert "has no inverse for it" in permanent.reason


def test_an_undo_does_not_fail_because_it_could_not_be_redone(world: World) -> None:
    world.reword(
        'inverse_if_absent: {tool: "f.del_item", args: {id: "$.id"}}',
        'inverse_if_absent: {tool: "f.del_item", args: {id: "$.key"}}',
    )
    undo = undone(world, damage(world))

    [permanent] = [step for step in world.undo(undo, dry_run=True).steps if step.kind is StepKind.PERMANENT]

    assert "$.key" in permanent.reason


def test_with_a_rule_written_since_replan_redoes_it(world: World) -> None:
    world.reword('match: "f.restore_item"', 'match: "f.other_item"')
    run = damage(world)
    left = copy.deepcopy(world.server.records)
    undo = undone(world, run)
    world.reword('match: "f.other_item"', 'match: "f.restore_item"')

    assert world.undo(undo, replan=True).status == "undone"
    assert world.server.records == left


def test_a_redo_stops_at_what_a_person_changed_since_the_undo(world: World) -> None:
    undo = undone(world, damage(world))
    world.edit("c2", notes="a human wrote this")
    before = copy.deepcopy(world.server.records)
    world.server.calls.clear()

    report = world.undo(undo)

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.writes() == []
    assert world.server.records == before


def test_an_undo_after_a_redo_stops_at_what_a_person_changed_since(world: World) -> None:
    run = damage(world)
    world.undo(undone(world, run))
    world.edit("c1", notes="a human wrote this")

    report = world.undo(run)

    assert report.halted is not None
    assert (report.halted.seq, report.halted.reason) == (3, "drifted")


def test_what_a_person_wrote_right_after_a_creation_was_redone_is_not_taken_for_ours(world: World) -> None:
    world.rules(world.path.read_text(encoding="utf-8").replace('f.create_item"\n    class: compensable', CREATION, 1))
    world.agent("create_item", name="new")
    run, [name] = world.run, set(world.server.records) - {"c1", "c2"}
    undo = undone(world, run)

    def meanwhile(call: object, carry_out: Any) -> Any:
        outcome = carry_out()
        world.edit(name, name="by hand")
        return outcome

    world.server.next("restore_item", meanwhile)
    world.undo(undo)

    report = world.undo(run)

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.records[name] == {"name": "by hand"}


CREATION = """f.create_item"
    class: compensable
    verify: {tool: "f.get_item", args: {id: "$result.id"}, absent_when: ["not found"]}"""


def test_a_creation_comes_back_only_where_the_server_takes_the_old_name(world: World) -> None:
    world.agent("create_item", name="new")
    [name] = set(world.server.records) - {"c1", "c2"}
    undo = undone(world, world.run)
    assert name not in world.server.records

    report = world.undo(undo)

    assert [step.outcome for step in report.steps] == [Undone.COMPENSATED]
    assert [step.confirmation for step in report.steps] == [Confirmation.VERIFIED]
    assert world.server.records[name] == {"name": "new"}


def test_a_redo_stops_where_the_server_gave_a_new_name(world: World) -> None:
    world.reword(
        'inverse: {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}}',
        'inverse: {tool: "f.create_item", args: {name: "$snapshot.name"}}',
    )
    world.agent("create_item", name="new")
    world.agent("set_item", id="c1", plan="free")
    undo = undone(world, world.run)

    report = world.undo(undo)

    assert report.halted is not None
    assert report.halted.reason == "mismatch"
    assert [(step.undid, step.outcome) for step in report.steps] == [(1, Undone.MISMATCH), (2, None)]
    assert world.server.records["c1"]["plan"] == "pro"


def test_stamps_that_the_server_keeps_are_in_nobodys_way(world: World) -> None:
    clock = itertools.count(1)
    world.server.stamp = lambda record: record.update(version=next(clock))
    world.server.records["c1"]["version"] = 0
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="team")
    run = world.run

    for _ in range(2):
        undo = undone(world, run)
        assert world.server.records["c1"]["plan"] == "pro"
        assert world.undo(undo).status == "undone"
        assert world.server.records["c1"]["plan"] == "team"


@pytest.mark.parametrize("did_it", [True, False], ids=["it arrived", "it never arrived"])
def test_a_redo_whose_answer_was_lost_goes_on_and_keeps_undo_waiting(world: World, did_it: bool) -> None:
    run = damage(world)
    left = copy.deepcopy(world.server.records)
    undo = undone(world, run)
    world.server.next("set_item", does_it_and_answers(LOST) if did_it else answers(LOST))
    first = world.undo(undo)
    assert first.halted is not None
    assert first.halted.reason == "lost"

    with pytest.raises(SynartesisError, match="broke off at #1") as refused:
        world.undo(run)

    assert f"synartesis redo {undo}" in refused.value.hint
    assert world.undo(undo).status == "undone"
    assert world.server.records == left
    assert undone(world, run)


def test_while_an_undo_is_taken_back_nobody_undoes_or_redoes(world: World) -> None:
    run = damage(world)
    undo = undone(world, run)
    told: list[str] = []

    def meanwhile(call: object, carry_out: Any) -> Any:
        for one in (run, undo):
            with pytest.raises(SynartesisError, match="right now") as refused:
                world.undo(one)
            told.append(refused.value.message)
        return carry_out()

    world.server.next("del_item", meanwhile)

    assert world.undo(undo).status == "undone"
    assert len(told) == 2


def test_a_redo_left_by_a_dead_process_is_closed_and_gone_on_with(world: World) -> None:
    run = damage(world)
    left = copy.deepcopy(world.server.records)
    undo = undone(world, run)
    world.server.next("del_item", dies)
    with pytest.raises(KeyboardInterrupt):
        world.undo(undo)

    assert world.undo(undo).status == "undone"
    assert world.server.records == left


def dies(call: object, carry_out: Any) -> Any:
    raise KeyboardInterrupt


def test_what_was_as_before_without_an_undo_is_no_part_of_its_redo(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c2", plan="free")
    world.edit("c1", plan="pro")
    undo = undone(world, world.run)

    assert list(outcomes(world.undo(undo))) == [(1, "restored")]
    assert world.server.records["c1"]["plan"] == "pro"
    assert world.server.records["c2"]["plan"] == "free"


def test_what_a_redo_did_otherwise_is_said_and_keeps_nothing_else_from_being_undone(world: World) -> None:
    """The server gave what was created a new id."""
    world.rules(
        world.path.read_text(encoding="utf-8")
        .replace(
            'inverse: {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}}',
            'inverse: {tool: "f.create_item", args: {name: "$snapshot.name"}}',
        )
        .replace(
            'inverse: {tool: "f.del_item", args: {id: "$result.id"}}',
            """verify: {tool: "f.get_item", args: {id: "$result.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.del_item", args: {id: "$result.id"}}""",
        )
    )
    world.agent("create_item", name="new")
    world.agent("set_item", id="c1", plan="free")
    run = world.run
    undo = undone(world, run)
    redo = world.undo(undo)
    assert redo.halted is not None
    assert (redo.halted.reason, redo.halted.seq) == ("mismatch", 2)
    assert world.undo(undo, only=frozenset({1})).halted is None
    assert world.server.records["c1"]["plan"] == "free"

    for dry in (True, False):
        report = world.undo(run, dry_run=dry)
        assert report.status == "partial"
        [plan, made] = report.steps
        assert (plan.seq, plan.kind, made.seq, made.kind) == (2, StepKind.RESTORE, 1, StepKind.PERMANENT)
        assert f"a redo (run {redo.undo_run}) did it again otherwise" in made.reason
    assert world.server.records["c1"]["plan"] == "pro"


def test_what_cannot_be_redone_alone_is_to_be_redone_together(world: World) -> None:
    undo = undone(world, damage(world))

    with pytest.raises(SynartesisError, match="cannot be redone alone") as refused:
        world.undo(undo, only=frozenset({1}))

    assert refused.value.hint == "redo them together: --only 1,3"
