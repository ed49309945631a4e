"""`--merge`: what somebody else changed stays, what the agent changed goes back, and in doubt nothing is sent."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest

from synartesis.domain.status import Confirmation, Undone
from synartesis.undo.report import Report, StepKind, Verdict
from tests.sim.world import LOST, World, answers, does_it_and_answers, outcomes, result

FULL = 'args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}'


def changes(report: Report, seq: int, kind: str) -> list[tuple[Any, Any, Any]]:
    [step] = [one for one in report.steps if one.seq == seq]
    return [(one.path, one.actual, one.expected) for one in step.differences if one.kind == kind]


def test_another_field_stays_and_the_agents_goes_back(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", notes="by hand")

    report = world.undo(merge=True)

    assert report.status == "undone"
    [step] = report.steps
    assert (step.outcome, step.confirmation, step.verdict) == (Undone.RESTORED, Confirmation.VERIFIED, Verdict.MERGED)
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "by hand"}


def test_a_field_that_the_inverse_sets_as_well_gets_the_other_persons_value(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", name="Ada, by hand")
    world.server.calls.clear()

    assert world.undo(merge=True).status == "undone"

    assert world.server.writes() == [("set_item", {"id": "c1", "name": "Ada, by hand", "plan": "pro"})]
    assert world.server.records["c1"] == {"name": "Ada, by hand", "plan": "pro", "notes": ""}


def test_the_plan_shows_what_goes_back_and_what_stays_before_anything_is_sent(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", notes="by hand")
    world.server.calls.clear()

    plan = world.undo(merge=True, dry_run=True)

    assert plan.status == "undone"
    assert changes(plan, 1, "goes_back") == [(("plan",), "free", "pro")]
    assert changes(plan, 1, "kept") == [(("notes",), "by hand", "")]
    assert plan.steps[0].calls[0].arguments == {"id": "c1", "name": "Ada", "plan": "pro"}
    assert world.server.writes() == []


def test_without_merge_it_stops_and_says_that_it_could(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", notes="by hand")

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert report.steps[0].mergeable


def test_the_same_field_is_drift_however_it_is_asked(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", plan="team", notes="by hand")
    before = copy.deepcopy(world.server.records)
    world.server.calls.clear()

    report = world.undo(merge=True)

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert "cannot be merged: plan was changed by somebody else as well" in report.halted.detail
    assert not report.steps[0].mergeable
    assert world.server.writes() == []
    assert world.server.records == before


def test_older_steps_on_the_same_thing_are_merged_too(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", name="A.")
    world.agent("set_item", id="c1", plan="team")
    world.edit("c1", notes="by hand")

    report = world.undo(merge=True)

    assert list(outcomes(report)) == [(3, "restored"), (2, "restored"), (1, "restored")]
    assert {step.verdict for step in report.steps} == {Verdict.MERGED}
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "by hand"}


def test_an_edit_between_two_calls_of_the_agent_stays(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", notes="in between")
    world.agent("set_item", id="c1", name="A.")

    report = world.undo(merge=True)

    assert report.status == "undone"
    assert [step.verdict for step in report.steps] == [Verdict.UNCHANGED, Verdict.MERGED]
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "in between"}


def test_what_was_put_back_by_hand_beside_another_edit_needs_nothing(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", plan="pro", notes="by hand")
    world.server.calls.clear()

    report = world.undo(merge=True)

    assert list(outcomes(report)) == [(1, "already")]
    assert world.server.writes() == []


def test_things_that_nobody_else_touched_are_undone_as_ever(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    world.agent("set_item", id="c1", plan="free")
    world.agent("del_item", id="c2")
    world.edit("c1", notes="by hand")

    report = world.undo(merge=True)

    assert [step.verdict for step in report.steps] == [Verdict.UNCHANGED, Verdict.MERGED]
    assert world.server.records == {**before, "c1": {**before["c1"], "notes": "by hand"}}


# --- where it is not known what the inverse would do


NOT_MERGED = {
    "a field that the inverse does not set": (
        FULL,
        'args: {id: "$.id", name: "$snapshot.name"}',
        {"plan": "free", "name": "A."},
        {"notes": "by hand"},
        "the call changed plan too, and its inverse does not set that from $snapshot",
    ),
    "a field that it sets from elsewhere": (
        FULL,
        'args: {id: "$.id", name: "$snapshot.name", plan: "pro"}',
        {"plan": "free"},
        {"notes": "by hand"},
        "the call changed plan too",
    ),
    "somebody's field, set from elsewhere": (
        FULL,
        'args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan", notes: "undone"}',
        {"plan": "free"},
        {"notes": "by hand"},
        "its inverse sets notes, which somebody else changed",
    ),
    "a tool that may replace the whole": (
        f'tool: "f.set_item", {FULL}',
        f'tool: "f.restore_item", {FULL}',
        {"plan": "free"},
        {"notes": "by hand"},
        "nothing shows that f.restore_item leaves notes alone",
    ),
}


@pytest.mark.parametrize(("old", "new", "call", "edit", "why"), NOT_MERGED.values(), ids=NOT_MERGED)
def test_in_doubt_it_is_drift(
    world: World, old: str, new: str, call: dict[str, str], edit: dict[str, str], why: str
) -> None:
    world.reword(old, new)
    world.agent("set_item", id="c1", **call)
    world.edit("c1", **edit)
    world.server.calls.clear()

    report = world.undo(merge=True)

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert why in report.halted.detail
    assert world.server.writes() == []


def test_a_call_that_named_every_field_does_not_show_that_others_are_left_alone(world: World) -> None:
    world.agent("set_item", id="c1", name="A.", plan="free", notes="n")
    world.edit("c1", tag="vip")

    report = world.undo(merge=True)

    assert report.halted is not None
    assert "cannot be merged" in report.halted.detail


@pytest.mark.parametrize("tool", ["del_item", "create_item"])
def test_what_was_removed_or_made_is_not_merged(world: World, tool: str) -> None:
    world.reword(
        'inverse: {tool: "f.del_item", args: {id: "$result.id"}}',
        """verify: {tool: "f.get_item", args: {id: "$result.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.del_item", args: {id: "$result.id"}}""",
    )
    if tool == "del_item":
        world.agent("del_item", id="c1")
        world.server.records["c1"] = {"name": "by hand"}
    else:
        world.agent("create_item", name="new")
        [name] = set(world.server.records) - {"c1", "c2"}
        world.edit(name, notes="by hand")
    before = copy.deepcopy(world.server.records)

    report = world.undo(merge=True)

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.records == before


def test_with_another_rule_than_the_one_it_was_recorded_by_only_replan_merges(world: World) -> None:
    world.reword(FULL, 'args: {id: "$.id", name: "$snapshot.name"}')
    world.agent("set_item", id="c1", plan="free")
    world.reword('args: {id: "$.id", name: "$snapshot.name"}', FULL)
    world.edit("c1", notes="by hand")

    report = world.undo(merge=True)
    assert report.halted is not None
    assert "--replan takes today's" in report.halted.detail

    assert world.undo(merge=True, replan=True).status == "undone"
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "by hand"}


def test_an_inverse_that_overwrites_what_it_was_not_told_of_is_never_called_restored(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", notes="by hand")

    def forgets(call: object, carry_out: Any) -> Any:
        carry_out()
        world.server.records["c1"]["notes"] = ""
        return result(world.server.records["c1"])

    world.server.next("set_item", forgets)

    report = world.undo(merge=True)

    [step] = report.steps
    assert step.outcome is Undone.MISMATCH
    assert [(one.path, one.kind) for one in step.differences if one.kind == "not_restored"] == [
        (("notes",), "not_restored")
    ]


# --- what the server keeps by itself


def stamped(world: World) -> None:
    clock = itertools.count(1)
    world.server.stamp = lambda record: record.update(version=next(clock))
    world.server.records["c1"]["version"] = 0


def test_a_stamp_that_every_write_moves_is_in_nobodys_way(world: World) -> None:
    stamped(world)
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="team")
    world.edit("c1", notes="by hand")
    world.server.stamp(world.server.records["c1"])

    report = world.undo(merge=True)

    assert report.status == "undone"
    assert [changes(report, seq, "moved_by_server") != [] for seq in (2, 1)] == [True, True]
    assert {**world.server.records["c1"], "version": 0} == {
        "name": "Ada",
        "plan": "pro",
        "notes": "by hand",
        "version": 0,
    }


def test_a_stamp_that_the_edit_did_not_move_might_be_the_agents_change(world: World) -> None:
    stamped(world)
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", notes="by hand")

    report = world.undo(merge=True)

    assert report.halted is not None
    assert "the call changed version too" in report.halted.detail


# --- the moment between the plan and the call, crashes, and what comes after


def test_who_edits_after_the_plan_was_made_stops_it(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c2", plan="free")
    world.edit("c1", notes="by hand")

    def meanwhile(call: object, carry_out: Any) -> Any:
        world.edit("c1", notes="again")
        return carry_out()

    world.server.next("set_item", meanwhile)

    report = world.undo(merge=True)

    assert list(outcomes(report)) == [(2, "restored"), (1, "blocked")]
    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.records["c1"] == {"name": "Ada", "plan": "free", "notes": "again"}


@pytest.mark.parametrize("did_it", [True, False], ids=["it arrived", "it never arrived"])
def test_a_lost_answer_is_settled_by_the_repeat(world: World, did_it: bool) -> None:
    world.agent("set_item", id="c1", plan="free")
    run = world.run
    world.edit("c1", notes="by hand")
    world.server.next("set_item", does_it_and_answers(LOST) if did_it else answers(LOST))
    first = world.undo(run, merge=True)
    assert first.halted is not None
    assert first.halted.reason == "lost"
    world.server.calls.clear()

    again = world.undo(run, merge=True)

    assert again.status == "undone"
    assert [tool for tool, _ in world.server.writes()] == ([] if did_it else ["set_item"])
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "by hand"}


def test_a_merge_that_broke_off_never_has_its_older_steps_overwrite_what_it_kept(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="team")
    run = world.run
    world.edit("c1", name="Ada, by hand")
    assert list(outcomes(world.undo(run, merge=True, to=2))) == [(2, "restored"), (1, "kept")]

    plain = world.undo(run)

    assert plain.halted is not None
    assert (plain.halted.seq, plain.halted.reason) == (1, "drifted")
    assert world.undo(run, merge=True).status == "undone"
    assert world.server.records["c1"] == {"name": "Ada, by hand", "plan": "pro", "notes": ""}


@pytest.mark.parametrize("did", ["nothing", "a part of it"])
def test_after_a_merge_that_did_not_come_about_a_plain_undo_does_not_take_the_edit_for_ours(
    world: World, did: str
) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="team")
    run = world.run
    world.edit("c1", name="Ada, by hand")

    def half(call: Any, carry_out: Any) -> Any:
        if did == "a part of it":
            world.server.records["c1"]["plan"] = "neither"
        return answers(result({"ok": True}))(call, carry_out)

    world.server.next("set_item", half)
    merged = world.undo(run, merge=True)
    assert merged.halted is not None
    assert merged.halted.reason == "mismatch"

    plain = world.undo(run)

    assert plain.halted is not None
    assert plain.halted.reason == "drifted"
    assert world.server.records["c1"]["name"] == "Ada, by hand"


def test_a_merge_can_be_redone_and_undone_again_to_the_same_end(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="team")
    run = world.run
    world.edit("c1", name="Ada, by hand")
    with_the_edit = copy.deepcopy(world.server.records)
    undo = world.undo(run, merge=True).undo_run
    assert undo is not None
    first = copy.deepcopy(world.server.records)

    assert world.undo(undo).status == "undone"
    assert world.server.records == with_the_edit
    plain = world.undo(run)
    assert plain.halted is not None
    assert plain.halted.reason == "drifted"

    assert world.undo(run, merge=True).status == "undone"
    assert world.server.records == first


def test_once_merged_it_is_undone(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    run = world.run
    world.edit("c1", notes="by hand")
    world.undo(run, merge=True)
    world.server.calls.clear()

    report = world.undo(run)

    assert [step.kind for step in report.steps] == [StepKind.ALREADY_UNDONE]
    assert world.server.writes() == []


# --- text


TEXT = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.set_item", args: {id: "$.id", body: "$snapshot.body"}}
"""


def test_a_text_is_merged_line_by_line(world: World) -> None:
    world.rules(TEXT)
    world.server.records["c1"] = {"body": "one\ntwo\nthree\nfour\n"}
    world.agent("set_item", id="c1", body="one\nTWO\nthree\nfour\n")
    world.edit("c1", body="one\nTWO\nthree\nfour, by hand\n")

    report = world.undo(merge=True)

    assert report.status == "undone"
    assert world.server.records["c1"]["body"] == "one\ntwo\nthree\nfour, by hand\n"


def test_a_line_that_a_person_took_out_of_several_equal_ones_is_not_taken_out_twice(world: World) -> None:
    world.rules(TEXT)
    world.server.records["c1"] = {"body": "title\n- item\n- item\nend\n"}
    world.agent("set_item", id="c1", body="title\n- item\n- item\n- item\nend\n")
    world.edit("c1", body="Shopping for Sunday\n- item\n- item\nend\n")

    report = world.undo(merge=True)

    assert report.halted is not None
    assert "body was changed by somebody else as well" in report.halted.detail
    assert world.server.records["c1"]["body"] == "Shopping for Sunday\n- item\n- item\nend\n"


def test_the_same_line_is_drift(world: World) -> None:
    world.rules(TEXT)
    world.server.records["c1"] = {"body": "one\ntwo\n"}
    world.agent("set_item", id="c1", body="one\nTWO\n")
    world.edit("c1", body="one\nTWO!\n")

    report = world.undo(merge=True)

    assert report.halted is not None
    assert "body was changed by somebody else as well" in report.halted.detail
    assert world.server.records["c1"]["body"] == "one\nTWO!\n"
