"""A call that was never answered: what a person is shown, what they may decide, and what an undo makes of it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from synartesis.domain.calls import Absent, Present
from synartesis.domain.records import Action
from synartesis.domain.status import ActionStatus, RunStatus
from synartesis.errors import SynartesisError, UsageError
from synartesis.undo.settle import Decision, Settling, look_at, refuse_to_settle, settle_action
from tests.sim.world import LOST, World, answers, does_it_and_answers, drive, error, outcomes


def lost(world: World, tool: str = "set_item", *, did_it: bool = True, **arguments: Any) -> Action:
    """A call whose answer never came, in a run that has ended."""
    world.server.next(tool, does_it_and_answers(LOST) if did_it else answers(LOST))
    world.agent(tool, **arguments)
    drive(world.journal.end_run(world.run))
    return world.actions()[-1]


def look(world: World, action: Action, **more: Any) -> Settling:
    return drive(look_at(action, upstream=world.server, policy=world.policy, history=world.journal, **more))


def settle(world: World, settling: Settling, *, applied: bool, **more: Any) -> Action:
    drive(settle_action(settling, Decision("ada", applied, **more), journal=world.journal))
    after = world.journal.action(settling.action.id)
    assert after is not None
    return after


def test_a_person_sees_what_was_there_before_and_what_is_there_now(world: World) -> None:
    action = lost(world, id="c1", plan="free")

    settling = look(world, action)

    assert isinstance(settling.before, Present)
    assert isinstance(settling.now, Present)
    assert [(one.path, one.expected, one.actual) for one in settling.differences] == [(("plan",), "pro", "free")]
    assert settling.inverse is not None
    assert len(world.server.writes()) == 1, "looking sends nothing"


def test_carried_out_and_what_is_there_now_is_what_it_left_makes_it_undone_and_proved(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    action = lost(world, id="c1", plan="free")

    settled = settle(world, look(world, action), applied=True, take_now_as_after=True, reason="saw it\nmyself")

    assert settled.status is ActionStatus.APPLIED
    assert settled.note.splitlines()[-1] == "settled by ada: it was carried out: saw it myself"
    assert list(outcomes(world.undo(action.run))) == [(1, "restored")]
    assert world.server.records == before


def test_carried_out_without_knowing_what_it_left_still_stops_the_undo(world: World) -> None:
    action = lost(world, id="c1", plan="free")
    settle(world, look(world, action), applied=True)

    report = world.undo(action.run)

    assert report.halted is not None
    assert report.halted.reason == "unverifiable"
    assert list(outcomes(world.undo(action.run, unchecked=frozenset({1})))) == [(1, "restored")]


def test_not_carried_out_leaves_nothing_to_undo(world: World) -> None:
    action = lost(world, did_it=False, id="c1", plan="free")

    settled = settle(world, look(world, action), applied=False)

    assert settled.status is ActionStatus.FAILED
    assert "settled by ada: it was not carried out" in settled.note
    assert list(outcomes(world.undo(action.run))) == [(1, "skip")]


def test_a_persons_later_edit_after_it_is_settled_is_drift(world: World) -> None:
    action = lost(world, id="c1", plan="free")
    settle(world, look(world, action), applied=True, take_now_as_after=True)
    world.edit("c1", notes="by hand")

    report = world.undo(action.run)

    assert report.halted is not None
    assert report.halted.reason == "drifted"


def test_a_deletion_that_was_carried_out_leaves_nothing_there_which_is_a_state(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    action = lost(world, "del_item", id="c2")

    settling = look(world, action)
    assert isinstance(settling.now, Absent)
    settle(world, settling, applied=True, take_now_as_after=True)

    assert world.undo(action.run).status == "undone"
    assert world.server.records == before


def test_a_creation_needs_what_it_returned(world: World) -> None:
    action = lost(world, "create_item", name="new")
    settling = look(world, action)
    assert settling.needs_result
    with pytest.raises(UsageError, match="its undo needs what it returned"):
        settle(world, settling, applied=True)

    told = look(world, action, result={"id": "n1"}, has_result=True)
    settle(world, told, applied=True)

    assert list(outcomes(world.undo(action.run))) == [(1, "compensated")]
    assert set(world.server.records) == {"c1", "c2"}


VERIFIED = (
    'inverse: {tool: "f.del_item", args: {id: "$result.id"}}',
    """verify: {tool: "f.get_item", args: {id: "$result.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.del_item", args: {id: "$result.id"}}""",
)


def test_what_a_creation_returned_also_says_what_to_read(world: World) -> None:
    world.reword(*VERIFIED)
    action = lost(world, "create_item", name="new")

    settling = look(world, action, result={"id": "n1"}, has_result=True)

    assert isinstance(settling.now, Present)
    settled = settle(world, settling, applied=True, take_now_as_after=True)
    assert settled.resource == 'get_item {"id":"n1"}'
    world.edit("n1", notes="a person worked here")
    report = world.undo(action.run)
    assert report.halted is not None
    assert report.halted.reason == "drifted"


@pytest.mark.parametrize("result", [{}, {"key": "n1"}, "n1", None, []], ids=repr)
def test_a_result_that_does_not_say_what_the_undo_needs_settles_nothing(world: World, result: Any) -> None:
    action = lost(world, "create_item", name="new")

    with pytest.raises(UsageError, match="--result does not say what the undo of #1"):
        look(world, action, result=result, has_result=True)


def test_a_result_that_nobody_needs_is_refused(world: World) -> None:
    action = lost(world, id="c1", plan="free")

    with pytest.raises(UsageError, match="needs no result"):
        look(world, action, result={}, has_result=True)


@pytest.mark.parametrize("seen", [LOST, error("429 Too Many Requests")], ids=["no answer", "an error"])
def test_what_could_not_be_read_is_no_state_to_take(world: World, seen: Any) -> None:
    action = lost(world, id="c1", plan="free")
    world.server.next("get_item", answers(seen))
    settling = look(world, action)

    with pytest.raises(SynartesisError, match="cannot be taken as what #1"):
        settle(world, settling, applied=True, take_now_as_after=True)

    assert settle(world, settling, applied=True).status is ActionStatus.APPLIED


def test_what_has_an_outcome_is_not_settled_again(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    [action] = world.actions()

    with pytest.raises(SynartesisError, match="has an outcome: applied"):
        refuse_to_settle(action, is_alive=False, history=world.journal)


def test_two_who_settle_at_once_do_not_both(world: World) -> None:
    action = lost(world, id="c1", plan="free")
    settling = look(world, action)
    settle(world, settling, applied=True)

    with pytest.raises(SynartesisError, match="somebody else just now"):
        settle(world, settling, applied=False)


def test_an_inverse_that_was_never_answered_and_that_nothing_reads_is_settled_and_the_undo_goes_on(
    world: World,
) -> None:
    world.agent("create_item", name="new")
    world.agent("set_item", id="c1", plan="free")
    run = world.run
    world.server.next("del_item", does_it_and_answers(LOST))
    assert world.undo(run).status == "stopped"
    stopped = world.undo(run)
    assert stopped.halted is not None
    assert stopped.halted.reason == "unknown"
    [step] = [step for step in stopped.steps if step.seq == 1]
    inverse = world.journal.action(step.settle)
    assert inverse is not None
    world.server.calls.clear()

    settle(world, look(world, inverse), applied=True)

    assert world.undo(run).status == "undone"
    assert [name for name, _ in world.server.writes()] == []


def test_a_call_that_never_took_effect_is_settled_by_the_undo_that_reads_so(world: World) -> None:
    action = lost(world, did_it=False, id="c1", plan="free")
    world.agent("set_item", id="c2", plan="free")

    assert world.undo(action.run, dry_run=True).steps[1].reason.endswith("it changed nothing: nothing to do")
    assert world.journal.action(action.id) == action, "a dry run settles nothing"
    assert list(outcomes(world.undo(action.run))) == [(2, "restored"), (1, "already")]

    settled = world.journal.action(action.id)
    assert settled is not None
    assert (settled.status, settled.note.splitlines()[-1]) == (
        ActionStatus.FAILED,
        "settled by reading: what it was to change is as it was before",
    )
    summary = world.journal.run(action.run)
    assert summary is not None
    assert summary.status is RunStatus.UNDONE


def test_while_its_run_is_undone_nobody_settles_a_call(world: World) -> None:
    action = lost(world, id="c1", plan="free")
    told: list[str] = []

    def meanwhile(call: object, carry_out: Any) -> Any:
        with pytest.raises(SynartesisError, match="right now") as refused:
            refuse_to_settle(action, is_alive=False, history=world.journal)
        told.append(refused.value.message)
        return carry_out()

    world.server.next("set_item", meanwhile)

    assert list(outcomes(world.undo(action.run, unchecked=frozenset({1})))) == [(1, "restored")]
    assert len(told) == 1
    refuse_to_settle(action, is_alive=False, history=world.journal)


def test_what_an_undo_has_taken_for_carried_out_is_not_settled_as_never_done(world: World) -> None:
    action = lost(world, id="c1", plan="free")
    settling = look(world, action)
    assert list(outcomes(world.undo(action.run, unchecked=frozenset({1})))) == [(1, "restored")]

    with pytest.raises(SynartesisError, match="sent its inverse"):
        settle(world, settling, applied=False)

    assert settle(world, settling, applied=True).status is ActionStatus.APPLIED


def test_what_was_settled_as_never_done_after_the_undo_looked_is_not_undone(world: World) -> None:
    """Whoever settles has looked before the undo began, and decides when it is about to send."""
    action = lost(world, id="c1", plan="free")
    settling = look(world, action)
    world.edit("c1", plan="a person's")

    def meanwhile(call: object, carry_out: Any) -> Any:
        settle(world, settling, applied=False)
        return carry_out()

    world.server.next("get_item", lambda _, carry_out: carry_out())
    world.server.next("get_item", meanwhile)
    report = world.undo(action.run, unchecked=frozenset({1}))

    assert report.halted is not None
    assert report.halted.reason == "claimed"
    assert world.server.records["c1"]["plan"] == "a person's"


def test_what_a_later_call_changed_is_not_taken_for_what_the_call_left(world: World) -> None:
    world.server.next("set_item", does_it_and_answers(LOST))
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="team")
    world.agent("create_item", name="something else, whose rule has no read")
    drive(world.journal.end_run(world.run))
    action = world.actions()[0]
    [asked] = [step for step in world.undo(action.run).steps if step.settle]
    assert not asked.settle_sees, "the plan does not offer it"

    with pytest.raises(SynartesisError, match=r"#2 .* changed it later") as refused:
        settle(world, look(world, action), applied=True, take_now_as_after=True)

    assert "--as-far-as-possible" in refused.value.hint
    assert (2, "restored") in outcomes(world.undo(action.run, as_far_as_possible=True))
    settle(world, look(world, action), applied=True, take_now_as_after=True)
    assert world.undo(action.run).status == "undone"
    assert world.server.records["c1"]["plan"] == "pro"


def test_what_a_later_call_changed_is_undone_unchecked_all_the_same(world: World) -> None:
    world.server.next("set_item", does_it_and_answers(LOST))
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="team")
    drive(world.journal.end_run(world.run))
    action = world.actions()[0]

    settle(world, look(world, action), applied=True)

    assert world.undo(action.run).status == "stopped"
    assert world.undo(action.run, unchecked=frozenset({1})).status == "undone"
    assert world.server.records["c1"]["plan"] == "pro"
