"""One approval: asked once, given by a person, spent once, by exactly the call that was shown."""

from __future__ import annotations

import pytest

from synartesis.domain.status import ApprovalStatus
from tests.sim.world import LOST, NEVER_ARRIVED, World, answers, does_it_and_answers

NOTE = {"to": "a@x.example", "text": "hi"}


def test_a_held_call_is_sent_once_after_it_was_approved_and_then_asked_again(world: World) -> None:
    assert "HELD" in (world.agent("send_note", **NOTE) or "")
    world.approve()

    assert world.agent("send_note", **NOTE) is None
    assert "HELD" in (world.agent("send_note", **NOTE) or "")

    assert world.server.outbox == [NOTE]


OTHER_CALLS = {
    "another-recipient": {"to": "b@x.example", "text": "hi"},
    "an-extra-key": {**NOTE, "cc": "c@x.example"},
    "a-trailing-blank": {"to": "a@x.example", "text": "hi "},
    "a-number-for-true": {**NOTE, "n": 1},
}


@pytest.mark.parametrize("other", OTHER_CALLS.values(), ids=OTHER_CALLS)
def test_an_approval_is_for_these_arguments_and_no_others(world: World, other: dict[str, object]) -> None:
    world.agent("send_note", **NOTE)
    world.approve()

    assert "HELD" in (world.agent("send_note", **other) or "")
    assert world.server.outbox == []

    assert world.agent("send_note", **dict(reversed(NOTE.items()))) is None
    assert world.server.outbox == [NOTE]


def test_repeating_a_waiting_call_asks_nobody_twice(world: World) -> None:
    told = [world.agent("send_note", **NOTE) for _ in range(50)]

    assert "asked 50 times" in (told[-1] or "")
    assert [request.attempts for request in world.journal.approvals([ApprovalStatus.WAITING])] == [50]
    assert world.statuses() == ["held"]


def test_a_denied_call_stays_denied_for_an_hour_with_name_and_reason(world: World) -> None:
    world.agent("send_note", **NOTE)
    [request] = world.journal.approvals([ApprovalStatus.WAITING])
    world.journal.decide(request.id, grant=False, by="grace", reason="not to customers")

    told = world.agent("send_note", **NOTE)
    assert told is not None
    assert "grace" in told
    assert "not to customers" in told
    assert world.journal.approvals([ApprovalStatus.WAITING]) == []

    world.pass_time(minutes=61)
    assert "HELD" in (world.agent("send_note", **NOTE) or "")


def test_a_denial_can_be_taken_back_within_the_hour(world: World) -> None:
    world.agent("send_note", **NOTE)
    [request] = world.journal.approvals([ApprovalStatus.WAITING])
    world.journal.decide(request.id, grant=False, by="grace", reason="")
    world.journal.decide(request.id, grant=True, by="grace", reason="on second thought")

    assert world.agent("send_note", **NOTE) is None
    assert world.server.outbox == [NOTE]


def test_an_approval_lapses_an_hour_after_it_was_given(world: World) -> None:
    world.agent("send_note", **NOTE)
    world.pass_time(hours=30)
    world.approve()
    world.pass_time(minutes=61)

    assert "HELD" in (world.agent("send_note", **NOTE) or "")
    assert world.server.outbox == []


def test_an_approval_outlives_the_session_that_asked(world: World) -> None:
    world.agent("send_note", **NOTE)
    world.approve()
    world.new_run()

    assert world.agent("send_note", **NOTE) is None
    assert world.server.outbox == [NOTE]


def test_an_approved_call_that_never_left_gives_its_approval_back(world: World) -> None:
    world.agent("drop", id="c1")
    world.approve()
    world.rules(RULES_WITH_A_READ)
    world.server.next("get_item", answers(LOST))

    assert "The read failed" in (world.agent("drop", id="c1") or "")

    assert len(world.journal.approvals([ApprovalStatus.GRANTED])) == 1


RULES_WITH_A_READ = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.drop"
    class: irreversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
"""


def test_an_approved_call_whose_answer_was_lost_has_spent_its_approval(world: World) -> None:
    world.agent("send_note", **NOTE)
    world.approve()
    world.server.next("send_note", does_it_and_answers(LOST))
    world.agent("send_note", **NOTE)

    assert "HELD" in (world.agent("send_note", **NOTE) or "")
    assert world.server.outbox == [NOTE]


def test_an_approved_call_that_did_not_arrive_was_still_sent_and_has_spent_its_approval(world: World) -> None:
    world.agent("send_note", **NOTE)
    world.approve()
    world.server.next("send_note", answers(NEVER_ARRIVED))

    assert "nothing was changed" in (world.agent("send_note", **NOTE) or "")
    assert world.server.outbox == []
