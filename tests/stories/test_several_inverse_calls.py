"""An inverse of several calls: each is a step with its own outcome, and an undo that broke off goes on with the next one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.calls import ResolvedCall, SendOutcome
from synartesis.domain.status import ActionStatus
from synartesis.undo.report import Verdict
from tests.sim.world import LOST, NEVER_ARRIVED, Misbehaviour, World, answers, does_it_and_answers, error, outcomes

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse:
      - {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name"}}
      - {tool: "f.set_item", args: {id: "$.id", plan: "$snapshot.plan"}}
      - {tool: "f.set_item", args: {id: "$.id", notes: "$snapshot.notes"}}
  - match: "f.del_item"
    class: compensable
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse:
      - {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}}
      - {tool: "f.send_note", args: {text: "$.id is back"}}
  - match: "f.create_item"
    class: compensable
    inverse:
      - {tool: "f.send_note", args: {text: "$result.id goes"}}
      - {tool: "f.del_item", args: {id: "$result.id"}}
"""
ALL = {"name": "X", "plan": "X", "notes": "X"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, RULES)
    world.server.records = {"c1": {"name": "Ada", "plan": "pro", "notes": ""}}
    return world


def executed(world: World) -> list[tuple[str, dict[str, Any]]]:
    """The writes that took effect since the agent's."""
    return [(tool, {key: value for key, value in args.items() if key != "id"}) for tool, args in world.server.writes()][
        1:
    ]


EACH_ONCE = [("set_item", {"name": "Ada"}), ("set_item", {"plan": "pro"}), ("set_item", {"notes": ""})]


def test_the_calls_are_made_in_their_order_and_the_state_is_read_and_kept_after_each(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    world.agent("set_item", id="c1", **ALL)
    [action] = world.actions()

    report = world.undo()

    assert list(outcomes(report)) == [(1, "restored")]
    assert world.server.records == before
    assert executed(world) == EACH_ONCE
    inverses = world.journal.inverses_of(action.id)
    assert [one.undoes_step for one in inverses] == [0, 1, 2]
    assert [one.status for one in inverses] == [ActionStatus.APPLIED] * 3
    kept = [(one.after.answer or b"").decode() for one in inverses if one.after is not None]
    assert ["Ada" in one for one in kept] == [True, True, True]
    assert ['"plan":"pro"' in one for one in kept] == [False, True, True]


def dies(call: ResolvedCall, carry_out: Callable[[], SendOutcome]) -> SendOutcome:
    raise KeyboardInterrupt


def dies_after_it(call: ResolvedCall, carry_out: Callable[[], SendOutcome]) -> SendOutcome:
    carry_out()
    raise KeyboardInterrupt


GOES_WRONG = {
    "its answer was lost": does_it_and_answers(LOST),
    "it was lost": answers(LOST),
    "it never arrived": answers(NEVER_ARRIVED),
    "it was refused": answers(error("not today")),
    "the undo died before it": dies,
    "the undo died after it": dies_after_it,
}


def undo_although(world: World, run: str) -> Any:
    try:
        return world.undo(run)
    except KeyboardInterrupt:
        return None


@pytest.mark.parametrize("at", [0, 1, 2], ids=["the first call", "the second call", "the last call"])
@pytest.mark.parametrize("wrong", GOES_WRONG.values(), ids=GOES_WRONG.keys())
def test_an_undo_that_broke_off_goes_on_with_the_next_call_and_makes_none_twice(
    world: World, wrong: Any, at: int
) -> None:
    before = copy.deepcopy(world.server.records)
    run = world.run
    world.agent("set_item", id="c1", **ALL)
    world.server.next("set_item", lambda call, carry_out: carry_out(), times=at)
    world.server.next("set_item", wrong)
    undo_although(world, run)

    again = world.undo(run)

    if again.status == "stopped":  # what a call in the middle left was never seen: a person has to say what it was
        assert at < 2
        assert wrong in (GOES_WRONG["its answer was lost"], GOES_WRONG["the undo died after it"])
        assert again.halted is not None
        assert again.halted.reason == "unknown"
        assert executed(world) == EACH_ONCE[: at + 1]
        return
    assert again.status == "undone"
    assert world.server.records == before
    assert executed(world) == EACH_ONCE


def test_the_repeat_says_which_calls_are_left(world: World) -> None:
    run = world.run
    world.agent("set_item", id="c1", **ALL)
    world.server.next("set_item", lambda call, carry_out: carry_out())
    world.server.next("set_item", answers(error("not today")))
    first = world.undo(run)

    preview = world.undo(run, dry_run=True)

    assert first.halted is not None
    assert first.halted.detail == "call 2 of 3 (f.set_item): refused by the server: not today"
    assert preview.steps[0].verdict is Verdict.UNCHANGED
    assert [call.arguments for call in preview.steps[0].calls] == [
        {"id": "c1", "plan": "pro"},
        {"id": "c1", "notes": ""},
    ]


def test_a_person_who_edits_between_two_calls_stops_the_repeat(world: World) -> None:
    run = world.run
    world.agent("set_item", id="c1", **ALL)
    world.server.next("set_item", lambda call, carry_out: carry_out())
    world.server.next("set_item", answers(error("not today")))
    world.undo(run)
    world.edit("c1", notes="by hand")

    again = world.undo(run)

    assert again.halted is not None
    assert again.halted.reason == "drifted"
    assert world.server.records["c1"] == {"name": "Ada", "plan": "X", "notes": "by hand"}


def edits(world: World, **fields: str) -> Misbehaviour:
    """The call is carried out, and a person writes to c1 before anything is read again."""

    def behave(call: ResolvedCall, carry_out: Callable[[], SendOutcome]) -> SendOutcome:
        outcome = carry_out()
        world.edit("c1", **fields)
        return outcome

    return behave


def test_a_person_who_edits_while_a_call_is_under_way_stops_the_undo_before_the_next(world: World) -> None:
    run = world.run
    world.agent("set_item", id="c1", **ALL)
    world.server.next("set_item", edits(world, plan="by hand"))

    stopped, again = world.undo(run), world.undo(run)

    assert stopped.halted is not None
    assert again.halted is not None
    assert (stopped.halted.reason, again.halted.reason) == ("drifted", "drifted")
    assert stopped.halted.detail == ("was changed while its inverse was under way, and not by call 1 of 3 (f.set_item)")
    [found] = stopped.steps[0].differences
    assert (found.path, found.expected, found.actual) == (("plan",), "X", "by hand")
    assert world.server.records["c1"] == {"name": "Ada", "plan": "by hand", "notes": "X"}


def test_a_field_that_nothing_of_the_undo_touches_stops_it_as_well(world: World) -> None:
    """The state would not be as before in the end; it is said before more is sent, and not after."""
    run = world.run
    world.agent("set_item", id="c1", **ALL)
    world.server.next("set_item", edits(world, owner="by hand"))

    stopped = world.undo(run)

    assert stopped.halted is not None
    assert stopped.halted.reason == "drifted"
    assert executed(world) == EACH_ONCE[:1]
    del world.server.records["c1"]["owner"]
    assert world.undo(run).status == "undone"
    assert executed(world) == EACH_ONCE


def test_where_it_cannot_be_read_after_a_call_the_next_one_is_not_made(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    run = world.run
    world.agent("set_item", id="c1", **ALL)
    world.server.next("get_item", lambda call, carry_out: carry_out(), times=2)
    world.server.next("get_item", answers(LOST))

    stopped = world.undo(run)

    assert stopped.halted is not None
    assert stopped.halted.reason == "unreadable"
    assert executed(world) == EACH_ONCE[:1]
    again = world.undo(run)
    if again.status == "stopped":
        assert world.server.records["c1"] == {"name": "Ada", "plan": "X", "notes": "X"}
        return
    assert world.server.records == before
    assert executed(world) == EACH_ONCE


def test_what_a_lost_call_in_the_middle_left_is_for_a_person_to_say(world: World) -> None:
    run = world.run
    world.agent("set_item", id="c1", **ALL)
    world.server.next("set_item", does_it_and_answers(LOST))
    world.undo(run)

    stopped = world.undo(run)

    [inverse] = world.journal.inverses_of(stopped.steps[0].action)
    assert stopped.halted is not None
    assert "sent call 1 of 3 of its inverse and got no answer" in stopped.halted.detail
    assert stopped.steps[0].settle == inverse.id


# --- a call that the read does not see


def test_that_the_state_is_back_does_not_end_an_inverse_that_broke_off(world: World) -> None:
    run = world.run
    world.agent("del_item", id="c1")
    world.server.next("send_note", answers(NEVER_ARRIVED))
    first = world.undo(run)
    assert "c1" in world.server.records

    again = world.undo(run)

    assert first.status == "stopped"
    assert list(outcomes(again)) == [(1, "compensated")]
    assert world.server.outbox == [{"text": "c1 is back"}]
    assert [tool for tool, _ in executed(world)] == ["restore_item", "send_note"]


@pytest.mark.parametrize("wrong", [does_it_and_answers(LOST), answers(LOST)], ids=["it was made", "it was not made"])
def test_a_call_that_no_read_shows_is_never_made_twice(world: World, wrong: Any) -> None:
    run = world.run
    world.agent("del_item", id="c1")
    world.server.next("send_note", wrong)
    world.undo(run)
    told = list(world.server.outbox)

    again = world.undo(run)

    assert again.halted is not None
    assert again.halted.reason == "unknown"
    assert world.server.outbox == told


def test_after_a_lost_call_that_put_the_state_back_the_rest_is_made(world: World) -> None:
    run = world.run
    world.agent("del_item", id="c1")
    world.server.next("restore_item", does_it_and_answers(LOST))
    world.undo(run)

    again = world.undo(run)

    assert list(outcomes(again)) == [(1, "compensated")]
    assert [tool for tool, _ in executed(world)] == ["restore_item", "send_note"]


def test_without_a_read_the_repeat_makes_only_what_was_not_made(world: World) -> None:
    run = world.run
    world.agent("create_item", name="new")
    world.server.next("del_item", answers(error("busy")))
    world.undo(run)

    again = world.undo(run)

    assert list(outcomes(again)) == [(1, "compensated")]
    assert [tool for tool, _ in executed(world)] == ["send_note", "del_item"]


# --- and back


def test_an_undo_in_several_calls_is_taken_back_in_several(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    run = world.run
    world.agent("set_item", id="c1", **ALL)
    left = copy.deepcopy(world.server.records)
    undo = world.undo(run).undo_run
    assert undo is not None

    redo = world.undo(undo)

    assert redo.status == "undone"
    assert world.server.records == left
    assert world.undo(run).status == "undone"
    assert world.server.records == before


# --- another inverse than the one that was begun


ORDER = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.create_item"
    class: compensable
    inverse:
"""
REFUND, CANCEL = '{tool: "f.refund", args: {amount: 1}}', '{tool: "f.del_item", args: {id: "$result.id"}}'
NOTE, BAD_NOTE = '{tool: "f.send_note", args: {text: "$result.id"}}', '{tool: "f.set_item", args: {id: "none"}}'


def ordered(*calls: str) -> str:
    return ORDER + "".join(f"      - {call}\n" for call in calls)


TODAY: dict[str, tuple[list[str], list[str]]] = {
    "one more before it": ([CANCEL, REFUND, NOTE], ["del_item", "send_note"]),
    "another order": ([NOTE, REFUND], ["send_note"]),
    "made twice by intention": ([REFUND, REFUND, NOTE], ["refund", "send_note"]),
    "the same": ([REFUND, NOTE], ["send_note"]),
    "without it": ([NOTE], ["send_note"]),
}


@pytest.mark.parametrize(("today", "left"), TODAY.values(), ids=TODAY)
def test_replan_makes_what_of_todays_inverse_was_not_made_yet_and_nothing_twice(
    world: World, today: list[str], left: list[str]
) -> None:
    run = world.run
    world.rules(ordered(REFUND, BAD_NOTE))
    world.agent("create_item", name="x")
    assert world.undo(run).status == "stopped"
    assert [tool for tool, _ in world.server.writes()] == ["create_item", "refund", "set_item"]
    world.server.calls.clear()
    world.rules(ordered(*today))

    unchecked = frozenset({1})  # what was refused, and no read can check
    planned = world.undo(run, replan=True, dry_run=True, unchecked=unchecked)
    assert [call.tool.name for step in planned.steps for call in step.calls] == left
    assert ("made f.refund" in planned.steps[0].reason) is (REFUND not in today)

    assert world.undo(run, replan=True, unchecked=unchecked).status == "undone"
    assert [tool for tool, _ in world.server.writes()] == left
    assert world.undo(run).steps[0].kind == "already_undone"


def test_what_was_begun_by_another_inverse_is_not_taken_for_calls_of_the_one_that_was_recorded(world: World) -> None:
    run = world.run
    world.rules(ordered(REFUND, NOTE))
    world.agent("create_item", name="x")
    world.rules(ordered(CANCEL, BAD_NOTE))
    assert world.undo(run, replan=True).status == "stopped"
    world.server.calls.clear()

    assert world.undo(run, unchecked=frozenset({1})).status == "undone"
    assert [tool for tool, _ in world.server.writes()] == ["refund", "send_note"]
