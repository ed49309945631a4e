"""One undo: look at everything first, then put it back, prove it, and never touch what somebody else wrote."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from synartesis.domain.calls import ResolvedCall, SendOutcome
from synartesis.domain.status import Undone
from synartesis.errors import SynartesisError, UsageError
from tests.sim.world import LOST, World, answers, does_it_and_answers, drive, error, outcomes, result


def test_an_undo_puts_every_record_back_newest_first(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    world.agent("set_item", id="c1", plan="free")
    world.agent("del_item", id="c2")
    world.server.calls.clear()

    report = world.undo()

    assert report.status == "undone"
    assert list(outcomes(report)) == [(2, "restored"), (1, "restored")]
    assert world.server.records == before
    assert [name for name, _ in world.server.writes()] == ["restore_item", "set_item"]


def test_a_dry_run_sends_nothing_and_says_what_would_be_sent(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    after = copy.deepcopy(world.server.records)
    world.server.calls.clear()

    report = world.undo(dry_run=True)

    assert world.server.writes() == []
    assert world.server.records == after
    assert report.undo_run is None
    assert report.steps[0].calls[0].arguments == {"id": "c1", "name": "Ada", "plan": "pro"}


def test_undo_stops_at_a_record_a_person_edited_and_touches_nothing_at_all(world: World) -> None:
    run = world.run
    world.agent("set_item", id="c1", plan="free")
    world.agent("del_item", id="c2")
    world.edit("c1", notes="a human wrote this")
    damaged = copy.deepcopy(world.server.records)
    world.server.calls.clear()

    report = world.undo(run)

    assert report.status == "stopped"
    assert report.halted is not None
    assert (report.halted.seq, report.halted.reason) == (1, "drifted")
    [found] = [one.differences for one in report.steps if one.seq == 1]
    assert [(one.path, one.expected, one.actual) for one in found] == [(("notes",), "", "a human wrote this")]
    assert world.server.writes() == []
    assert world.server.records == damaged


def test_as_far_as_possible_undoes_what_is_newer_than_the_stop(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("del_item", id="c2")
    world.edit("c1", notes="a human wrote this")

    report = world.undo(as_far_as_possible=True)

    assert report.status == "stopped"
    assert list(outcomes(report)) == [(2, "restored"), (1, "blocked")]
    assert world.server.records["c2"]["name"] == "Grace"
    assert world.server.records["c1"]["notes"] == "a human wrote this"


def test_two_edits_of_one_record_are_undone_to_the_start(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    for plan in ("free", "team", "free"):
        world.agent("set_item", id="c1", plan=plan)

    assert world.undo().status == "undone"
    assert world.server.records == before


def test_an_edit_between_two_of_the_agents_own_is_never_overwritten(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", plan="a person's plan")
    world.agent("set_item", id="c1", name="Ada L.")

    report = world.undo()

    assert report.status == "stopped"
    assert report.halted is not None
    assert (report.halted.seq, report.halted.reason) == (1, "drifted")
    assert world.server.records["c1"]["plan"] == "a person's plan"


def test_what_is_as_before_already_is_left_alone(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", plan="pro")
    world.server.calls.clear()

    report = world.undo()

    assert list(outcomes(report)) == [(1, "already")]
    assert world.server.writes() == []


def test_a_call_that_changed_nothing_is_undone_by_doing_nothing(world: World) -> None:
    world.agent("set_item", id="c1", plan="pro")
    world.server.calls.clear()

    assert list(outcomes(world.undo())) == [(1, "already")]
    assert world.server.writes() == []


def test_undoing_twice_does_no_more_than_once(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("create_item", name="new")
    run = world.run
    world.undo(run)
    world.server.calls.clear()

    report = world.undo(run)

    assert [one.kind for one in report.steps] == ["already_undone", "already_undone"]
    assert world.server.writes() == []


def test_a_creation_is_compensated_and_called_unverified(world: World) -> None:
    world.agent("create_item", name="new")

    report = world.undo()

    [step] = report.steps
    assert (step.outcome, step.confirmation) == (Undone.COMPENSATED, "unverified")
    assert set(world.server.records) == {"c1", "c2"}


def test_what_is_permanent_is_reported_and_the_rest_undone(world: World) -> None:
    world.agent("send_note", text="hi")
    world.approve()
    world.agent("send_note", text="hi")
    world.agent("set_item", id="c1", plan="free")

    report = world.undo()

    assert report.status == "partial"
    assert list(outcomes(report)) == [(3, "restored"), (2, "permanent"), (1, "skip")]


def test_an_inverse_that_the_server_only_says_it_made_is_a_mismatch(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.server.next("set_item", answers(result({"ok": True})))

    report = world.undo()

    assert report.status == "stopped"
    [step] = report.steps
    assert step.outcome is Undone.MISMATCH
    assert [(one.path, one.actual) for one in step.differences] == [(("plan",), "free")]


def test_an_inverse_that_the_server_refuses_stops_with_its_words(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.server.next("set_item", answers(error("record is locked")))

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "refused"
    assert "record is locked" in report.halted.detail


def test_a_read_that_fails_at_undo_stops_as_could_not_check_and_can_be_resumed(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.server.next("get_item", answers(error("429 Too Many Requests")))

    report = world.undo()
    assert report.halted is not None
    assert "429" in report.halted.detail

    assert world.undo().status == "undone"


def test_a_stamp_that_the_server_keeps_is_named_and_not_held_against_it(world: World) -> None:
    clock = itertools.count(1)
    world.server.stamp = lambda record: record.update(version=next(clock))
    world.server.records["c1"]["version"] = 0
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="team")

    report = world.undo()

    assert report.status == "undone"
    assert {one.kind for step in report.steps for one in step.differences} == {"moved_by_server"}
    assert world.server.records["c1"]["plan"] == "pro"


def test_a_field_that_the_agent_set_and_the_inverse_does_not_restore_is_never_called_restored(world: World) -> None:
    world.agent("set_item", id="c1", plan="free", notes="by the agent")

    report = world.undo()

    [step] = report.steps
    assert step.outcome is Undone.MISMATCH
    assert [(one.path, one.kind) for one in step.differences] == [(("notes",), "not_restored")]


@pytest.mark.parametrize("did_it", [True, False])
def test_an_unknown_outcome_is_settled_by_reading_or_stops(world: World, did_it: bool) -> None:
    lost = does_it_and_answers(LOST) if did_it else answers(LOST)
    world.server.next("set_item", lost)
    world.agent("set_item", id="c1", plan="free")
    run = world.run
    from tests.sim.world import drive

    drive(world.journal.end_run(run))
    world.server.calls.clear()

    report = world.undo(run)

    if did_it:
        assert report.halted is not None
        assert report.halted.reason == "unknown"
        assert world.server.writes() == []
    else:
        assert list(outcomes(report)) == [(1, "already")]


def test_an_unknown_outcome_of_a_running_proxy_is_never_settled(world: World) -> None:
    world.server.next("set_item", answers(LOST))
    world.agent("set_item", id="c1", plan="free")

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "unknown"


def test_unchecked_does_a_step_that_cannot_be_checked_and_no_other(world: World) -> None:
    world.server.next("set_item", does_it_and_answers(LOST))
    world.agent("set_item", id="c1", plan="free")

    report = world.undo(unchecked=frozenset({1}))

    assert report.status == "undone"
    assert world.server.records["c1"]["plan"] == "pro"


def test_a_creation_whose_answer_was_lost_is_never_called_undone_not_even_unchecked(world: World) -> None:
    world.server.next("create_item", does_it_and_answers(LOST))
    world.agent("create_item", name="new")
    world.agent("set_item", id="c1", plan="free")
    world.server.calls.clear()

    report = world.undo(unchecked=frozenset({1}))

    assert report.status == "partial"
    assert list(outcomes(report)) == [(2, "restored"), (1, "permanent")]
    assert [name for name, _ in world.server.writes()] == ["set_item"]


def test_unchecked_never_overrides_a_drift(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", notes="by hand")

    report = world.undo(unchecked=frozenset({1}))

    assert report.halted is not None
    assert report.halted.reason == "drifted"


def test_to_undoes_back_to_a_step_and_lists_what_it_leaves(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c2", plan="free")

    report = world.undo(to=2)

    assert report.status == "partial"
    assert list(outcomes(report)) == [(2, "restored"), (1, "kept")]
    assert world.server.records["c1"]["plan"] == "free"


@pytest.mark.parametrize("options", [{"to": 9}, {"unchecked": frozenset({9})}], ids=["to", "unchecked"])
def test_a_step_that_does_not_exist_is_a_usage_error(world: World, options: dict[str, Any]) -> None:
    world.agent("set_item", id="c1", plan="free")

    with pytest.raises(UsageError, match="has no such step; it has #1 to #1"):
        world.undo(**options)


def test_a_rule_without_absent_when_brings_a_deleted_record_back(world: World) -> None:
    world.rules(world.path.read_text(encoding="utf-8").replace(', absent_when: ["not found"]', ""))
    before = copy.deepcopy(world.server.records)
    world.agent("del_item", id="c2")

    assert world.undo().status == "undone"
    assert world.server.records == before


def test_a_refusal_in_other_words_than_the_kept_one_stops(world: World) -> None:
    world.rules(world.path.read_text(encoding="utf-8").replace(', absent_when: ["not found"]', ""))
    world.agent("del_item", id="c2")
    world.server.next("get_item", answers(error("429 Too Many Requests")))

    report = world.undo()

    assert report.halted is not None
    assert "c2" not in world.server.records


def test_replan_rebuilds_the_inverse_from_todays_manifest_and_the_captured_state(world: World) -> None:
    good = world.path.read_text(encoding="utf-8")
    world.rules(good.replace(', plan: "$snapshot.plan"', ""))
    world.agent("set_item", id="c1", plan="free")
    world.rules(good)

    assert world.undo(replan=True).status == "undone"
    assert world.server.records["c1"]["plan"] == "pro"


@pytest.mark.parametrize("by_hand", [True, False], ids=["a person's edit", "nobody's"])
def test_where_todays_rule_reads_nothing_replan_judges_by_what_was_recorded(world: World, by_hand: bool) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.rules(
        """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    inverse: {tool: "f.set_item", args: {id: "$.id", plan: pro}}
"""
    )
    if by_hand:
        world.edit("c1", plan="escalated by hand")

    for report in (world.undo(dry_run=True, replan=True), world.undo(replan=True)):
        assert (report.halted is not None) is by_hand
    assert world.server.records["c1"]["plan"] == ("escalated by hand" if by_hand else "pro")


def test_while_a_run_is_being_undone_its_own_agents_writes_are_refused_and_a_second_undo_is_told(world: World) -> None:
    run = world.run
    world.agent("set_item", id="c1", plan="free")
    told: list[str | None] = []

    def meanwhile(call: object, carry_out: Any) -> Any:
        undo, world.run = world.run, run
        told.append(world.agent("set_item", id="c2", plan="free"))
        with pytest.raises(SynartesisError, match="being undone right now"):
            world.undo(run)
        world.run = undo
        return carry_out()

    world.server.next("set_item", meanwhile)

    assert world.undo(run).status == "undone"
    assert "is undoing this session" in (told[0] or "")
    assert world.server.records["c2"]["plan"] == "enterprise"


def test_a_lost_answer_to_an_inverse_is_settled_by_the_repeat(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    run = world.run
    world.server.next("set_item", does_it_and_answers(LOST))
    first = world.undo(run)
    assert first.halted is not None
    assert first.halted.reason == "lost"
    world.server.calls.clear()

    second = world.undo(run)

    assert list(outcomes(second)) == [(1, "already")]
    assert world.server.writes() == []


def test_an_inverse_that_never_took_effect_is_sent_again_by_the_repeat(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    run = world.run
    world.server.next("set_item", answers(LOST))
    world.undo(run)

    assert world.undo(run).status == "undone"
    assert world.server.records["c1"]["plan"] == "pro"


def test_a_person_who_edits_while_the_undo_is_under_way_stops_it_there(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c2", plan="free")

    def meanwhile(call: object, carry_out: Any) -> Any:
        world.edit("c1", notes="just now")
        return carry_out()

    world.server.next("set_item", meanwhile)

    report = world.undo()

    assert list(outcomes(report)) == [(2, "restored"), (1, "blocked")]
    assert world.server.records["c1"] == {"name": "Ada", "plan": "free", "notes": "just now"}


def test_what_was_as_before_when_the_plan_was_shown_and_is_not_any_more_is_left_alone(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c2", plan="free")
    world.edit("c1", plan="pro")

    def meanwhile(call: object, carry_out: Any) -> Any:
        world.edit("c1", plan="free")
        return carry_out()

    world.server.next("set_item", meanwhile)

    report = world.undo()

    assert list(outcomes(report)) == [(2, "restored"), (1, "blocked")]
    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.records["c1"]["plan"] == "free"


def test_a_call_that_changed_nothing_but_a_stamp_is_not_made_again_after_a_newer_one_moved_it(world: World) -> None:
    world.agent("set_item", id="c1", plan="pro")
    world.server.stamp = lambda record: record.update(version=record.get("version", 0) + 1)
    world.agent("set_item", id="c1", plan="free")
    world.server.calls.clear()

    report = world.undo()

    assert list(outcomes(report)) == [(2, "restored"), (1, "already")]
    assert len(world.server.writes()) == 1


def test_a_later_run_that_changed_the_record_is_named(world: World) -> None:
    first = world.run
    world.agent("set_item", id="c1", plan="free")
    second = world.new_run()
    world.agent("set_item", id="c1", plan="team")

    report = world.undo(first)

    assert report.halted is not None
    assert f"run {second} #1" in report.halted.detail


def test_a_mistaken_inverse_is_corrected_and_tried_again_and_the_same_call_never_is(world: World) -> None:
    good = world.path.read_text(encoding="utf-8")
    world.rules(good.replace('name: "$snapshot.name", plan: "$snapshot.plan"', 'name: "wrong", plan: "$.plan"'))
    world.agent("set_item", id="c1", plan="free")
    run = world.run
    assert [step.outcome for step in world.undo(run).steps] == [Undone.MISMATCH]
    assert world.server.records["c1"]["name"] == "wrong"
    world.server.calls.clear()

    assert [(step.outcome, step.sent_before) for step in world.undo(run).steps] == [(None, True)]
    assert world.server.writes() == []

    world.rules(good)
    assert world.undo(run, replan=True).status == "undone"
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": ""}


def test_after_a_mismatch_a_persons_edit_still_stops_the_next_try(world: World) -> None:
    good = world.path.read_text(encoding="utf-8")
    world.rules(good.replace('plan: "$snapshot.plan"', 'plan: "$.plan"'))
    world.agent("set_item", id="c1", plan="free")
    run = world.run
    world.undo(run)
    world.rules(good)
    world.edit("c1", notes="by hand")

    report = world.undo(run, replan=True)

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.records["c1"]["notes"] == "by hand"


def test_a_finding_of_mismatch_does_not_count_as_undone(world: World) -> None:
    world.agent("set_item", id="c1", plan="free", notes="by the agent")
    world.undo()

    assert [action.undone for action in world.journal.actions(world.actions()[0].run)] == [Undone.MISMATCH]


def test_an_inverse_that_restored_nothing_is_not_sent_twice_and_not_called_not_undone(world: World) -> None:
    world.reword(
        '{tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}}',
        '{tool: "f.create_item", args: {name: "$snapshot.name"}}',
    )
    world.agent("del_item", id="c1")
    assert ["mismatch"] == [step.outcome for step in world.undo().steps]
    sent = world.server.writes()

    plan, again = world.undo(dry_run=True), world.undo()

    for report in (plan, again):
        assert report.halted is not None
        assert report.halted.reason == "mismatch"
        assert [(step.sent_before, step.calls) for step in report.steps] == [(True, ())]
        assert [one.kind for one in report.steps[0].differences] == ["not_restored"]
    assert again.undo_run is None
    assert world.server.writes() == sent


READ_ANOTHER_WAY = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}}
  - match: "f.restore_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id", all: true}}
    inverse: {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}}
"""


def test_the_last_thing_before_an_inverse_leaves_is_a_look_at_what_it_replaces(world: World) -> None:
    """What its own way back is made of is read by another call here, and somebody writes meanwhile."""
    world.rules(READ_ANOTHER_WAY)
    world.agent("set_item", id="c1", plan="free")
    after = copy.deepcopy(world.server.records["c1"])

    def somebody_writes(call: ResolvedCall, carry_out: Callable[[], SendOutcome]) -> SendOutcome:
        if call.arguments.get("all"):
            world.edit("c1", notes="by hand")
        return carry_out()

    world.server.next("get_item", somebody_writes, times=9)

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.records["c1"] == {**after, "notes": "by hand"}
    assert [tool for tool, _ in world.server.writes()] == ["set_item"]


def test_where_the_way_back_is_read_by_another_call_the_undo_can_be_taken_back(world: World) -> None:
    world.rules(READ_ANOTHER_WAY)
    world.agent("set_item", id="c1", plan="free")
    after = copy.deepcopy(world.server.records)
    undo = world.undo().undo_run
    assert undo is not None

    assert world.undo(undo).status == "undone"
    assert world.server.records == after


def test_what_a_later_run_changed_is_undone_by_undoing_that_run_first(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    older = world.run
    newer = world.new_run()
    world.agent("set_item", id="c1", plan="team")

    stopped = world.undo(older)

    assert stopped.halted is not None
    assert stopped.halted.hint == f"undo run {newer} first, or put it back by hand"
    assert (world.undo(newer).status, world.undo(older).status) == ("undone", "undone")


CHARGES = """
  - match: "f.charge"
    class: compensable
    inverse: {tool: "f.refund", args: {amount: "$.amount"}}
  - match: "f.refund"
    class: compensable
    inverse: {tool: "f.charge", args: {amount: "$.amount"}}
"""


def test_an_inverse_that_was_refused_and_that_nothing_reads_is_not_made_again_unasked(world: World) -> None:
    """The server's error may be a timeout of something that it did."""
    world.rules(world.path.read_text(encoding="utf-8") + CHARGES)
    world.agent("charge", amount=3)
    world.server.next("refund", does_it_and_answers(error("504 gateway timeout")))
    first = world.undo()
    assert first.halted is not None
    assert first.halted.reason == "refused"

    for again in (world.undo(), world.undo(dry_run=True), world.undo(replan=True)):
        assert again.halted is not None
        assert again.halted.reason == "refused"
        assert "nothing shows whether it was made all the same: 504 gateway timeout" in again.halted.detail
        assert "--unchecked 1" in again.halted.hint
    assert world.server.account == 0, "refunded once"

    assert list(outcomes(world.undo(unchecked=frozenset({1})))) == [(1, "compensated")]
    assert world.server.account == -3, "as it was asked for"


def test_an_inverse_that_was_refused_and_then_made_is_in_nobodys_way_when_all_is_done_again(world: World) -> None:
    world.rules(world.path.read_text(encoding="utf-8") + CHARGES)
    world.agent("charge", amount=3)
    world.server.next("refund", answers(error("busy")))
    world.undo()
    done = world.undo(unchecked=frozenset({1}))
    assert done.undo_run is not None
    run = world.run

    assert world.undo(done.undo_run).status == "undone"
    assert list(outcomes(world.undo(run))) == [(1, "compensated")]
    assert world.server.account == 0


def test_an_inverse_that_was_refused_is_made_again_where_a_read_shows_that_it_did_nothing(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.server.next("set_item", answers(error("busy")))
    assert world.undo().status == "stopped"

    assert world.undo().status == "undone"


def test_the_report_says_why_a_call_that_was_never_answered_needs_no_undo(world: World) -> None:
    world.server.next("set_item", answers(LOST))
    world.agent("set_item", id="c1", plan="free")
    drive(world.journal.end_run(world.run))

    plan, report = world.undo(dry_run=True), world.undo()

    assert plan.steps[0].reason == report.steps[0].reason
    assert "no answer to it came, and reading shows that it changed nothing" in report.steps[0].reason


def test_a_step_that_could_be_checked_is_not_called_unchecked(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c2", plan="free")
    world.server.next("get_item", answers(error("429 Too Many Requests")))

    plan = world.undo(dry_run=True, unchecked=frozenset({1, 2}))

    assert [step.reason for step in plan.steps] == ["what was there was not checked, as you asked", ""]
