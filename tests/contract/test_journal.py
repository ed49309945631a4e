"""What every journal does, whatever it keeps its rows in: one suite over the twins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from synartesis.domain.ports import AlreadyClaimed, BeingUndone, Frozen, InverseMade, StaleAction
from synartesis.domain.records import Approval, Asking, Image, ProcessId, Seal
from synartesis.domain.status import (
    ACTION_MOVES,
    ActionStatus,
    ApprovalStatus,
    Era,
    RunStatus,
    ToolClass,
    Undone,
)
from tests.contract.journals import AFTER, BEFORE, CAPTURED, INVERSE, READ, Bench

EVERY_APPROVAL = list(ApprovalStatus)
MOVED_TO = [status for status in ActionStatus if status is not ActionStatus.RECORDED]
"""Every action begins as recorded, and no method moves one there."""


@pytest.fixture(params=["memory", "sqlite"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(request.param, tmp_path)
    yield bench
    bench.close()


# --- runs


def test_a_run_that_undoes_an_undo_is_known_as_a_redo(bench: Bench) -> None:
    agent = bench.agent()
    undo = bench.undo(agent)
    redo = bench.undo(undo)

    assert [run.redoes for run in (agent, undo, redo)] == [False, False, True]
    assert [row.run.redoes for row in bench.journal.runs()] == [True, False, False]


def test_a_run_comes_back_as_it_was_opened(bench: Bench) -> None:
    new = bench.new_run()

    opened = bench.do(bench.journal.open_run(new))

    assert opened[: len(new)] == (*new[:7], None)
    assert opened == bench.summary(opened).run
    assert (opened.started_at, opened.ended_at) == ("2026-03-01T12:00:00.000000Z", None)


def test_the_opening_of_a_run_may_be_told_again(bench: Bench) -> None:
    run = bench.agent()
    bench.do(bench.journal.record_opening(run.id, Era.HANDSHAKE, b'{"clientInfo":{}}', "a client"))
    bench.do(bench.journal.record_opening(run.id, Era.HANDSHAKE, b'{"roots":[]}', "a client 2"))

    seen = bench.summary(run).run

    assert (seen.era, seen.opening, seen.agent) == (Era.HANDSHAKE, b'{"roots":[]}', "a client 2")


def test_runs_are_listed_newest_first_even_when_the_clock_goes_back(bench: Bench) -> None:
    first = bench.agent()
    bench.later(hours=-5)
    second = bench.agent()

    assert [summary.run.id for summary in bench.journal.runs()] == [second.id, first.id]
    assert [summary.run.id for summary in bench.journal.runs(limit=1)] == [second.id]


def test_a_run_is_active_complete_or_abandoned(bench: Bench) -> None:
    run, left = bench.agent(), bench.agent()
    assert bench.summary(run).status is RunStatus.ACTIVE

    bench.do(bench.journal.end_run(run.id))
    ended_at = bench.summary(run).run.ended_at
    bench.later(minutes=1)
    bench.do(bench.journal.end_run(run.id))
    bench.end_process_of(left)

    assert bench.summary(run).status is RunStatus.COMPLETE
    assert bench.summary(run).run.ended_at == ended_at
    assert bench.summary(left).status is RunStatus.ABANDONED


# --- a call


def test_a_call_is_kept_with_everything_that_was_said_of_it(bench: Bench) -> None:
    run = bench.agent()
    new = bench.new_action(run)
    opened = bench.do(bench.journal.open_action(new))
    assert (opened.action, opened.approval, opened.undone_by) == (bench.see(opened.action), None, None)

    bench.do(
        bench.journal.mark_sent(
            new.id, resource="customer c_001", read=READ, before=BEFORE, inverse=None, note="the name was guessed"
        )
    )
    sent = bench.see(opened.action)
    assert (sent.status, sent.resource, sent.read, sent.before) == (
        ActionStatus.SENT,
        "customer c_001",
        READ,
        BEFORE,
    )
    assert (sent.reply, sent.after, sent.inverse) == (None, None, None)

    bench.do(bench.journal.mark_applied(new.id, reply=b'{"n":1e400}', after=AFTER, inverse=INVERSE, note="slow"))
    applied = bench.see(opened.action)
    assert applied == sent._replace(
        status=ActionStatus.APPLIED,
        reply=b'{"n":1e400}',
        after=AFTER,
        inverse=INVERSE,
        note="the name was guessed\nslow",
    )


@pytest.mark.parametrize(
    "image",
    [
        Image("absent", b'{"isError":true}', "no customer"),
        Image("refused", b'{"code":-32000}', "went wrong", is_protocol_error=True),
        Image("unreadable", None, "the server is gone"),
        Image("present", b'{"text":"' + b"\xf0\x9f\x90\x9d" * 5000 + b'"}'),
    ],
    ids=["absent", "refused", "unreadable", "large"],
)
def test_what_a_read_found_is_kept_exactly(bench: Bench, image: Image) -> None:
    action = bench.open(bench.agent()).action

    bench.do(bench.journal.mark_sent(action.id, resource=None, read=None, before=image, inverse=()))

    assert bench.see(action).before == image
    assert bench.see(action).inverse == ()


def test_text_from_outside_that_is_half_a_character_does_not_stop_the_record(bench: Bench) -> None:
    run = bench.agent()
    action = bench.open(run, tool="update").action

    bench.do(bench.journal.mark_failed(action.id, why="the server said \ud83d"))

    assert bench.see(action).status is ActionStatus.FAILED


def test_calls_are_numbered_in_the_order_in_which_they_were_opened(bench: Bench) -> None:
    run, other = bench.agent(), bench.agent()
    first, second = bench.open(run).action, bench.open(run).action
    elsewhere = bench.open(other).action
    bench.send(second)
    bench.send(first)
    bench.journal.record_read(bench.new_action(run, tool_class=ToolClass.READONLY), status=ActionStatus.APPLIED)

    assert [action.seq for action in bench.journal.actions(run.id)] == [1, 2, 3]
    assert (first.seq, second.seq, elsewhere.seq) == (1, 2, 1)


def test_a_read_is_written_down_with_its_outcome(bench: Bench) -> None:
    run = bench.agent()
    new = bench.new_action(run, tool="get_customer", tool_class=ToolClass.READONLY)

    bench.journal.record_read(new, status=ActionStatus.REJECTED, note="no such customer")

    (seen,) = bench.journal.actions(run.id)
    assert (seen.id, seen.status, seen.note, seen.reply) == (new.id, ActionStatus.REJECTED, "no such customer", None)
    assert bench.summary(run).actions == 1


# --- moves


@pytest.mark.parametrize("to", MOVED_TO)
@pytest.mark.parametrize("was", ActionStatus)
def test_an_action_moves_only_as_the_table_says(bench: Bench, was: ActionStatus, to: ActionStatus) -> None:
    run = bench.agent()
    action = bench.in_status(was, run)
    before = (bench.see(action), bench.summary(run), bench.journal.approvals(EVERY_APPROVAL))

    if to in ACTION_MOVES[was]:
        move_to(bench, action.id, to)
        assert bench.see(action).status is to
    else:
        with pytest.raises(StaleAction):
            move_to(bench, action.id, to)
        assert before == (bench.see(action), bench.summary(run), bench.journal.approvals(EVERY_APPROVAL))


@pytest.mark.parametrize("to", MOVED_TO)
def test_an_action_that_nobody_opened_does_not_move(bench: Bench, to: ActionStatus) -> None:
    bench.agent()
    with pytest.raises(StaleAction):
        move_to(bench, "ffffffffffff", to)


@pytest.mark.parametrize("was", ActionStatus)
def test_only_a_call_that_never_left_can_be_given_up(bench: Bench, was: ActionStatus) -> None:
    action = bench.in_status(was, bench.agent())

    if was is ActionStatus.RECORDED:
        bench.do(bench.journal.give_up(action.id, why="cancelled"))
        assert bench.see(action).status is ActionStatus.FAILED
    else:
        with pytest.raises(StaleAction):
            bench.do(bench.journal.give_up(action.id, why="cancelled"))
        assert bench.see(action).status is was


def move_to(bench: Bench, action: str, to: ActionStatus) -> None:
    journal = bench.journal
    match to:
        case ActionStatus.HELD:
            bench.do(journal.hold(action, why="why"))
        case ActionStatus.DENIED:
            bench.do(journal.mark_denied(action, approval="none"))
        case ActionStatus.SENT:
            bench.do(journal.mark_sent(action, resource=None, read=None, before=None, inverse=None))
        case ActionStatus.APPLIED:
            bench.do(journal.mark_applied(action, reply=None, after=None, inverse=None))
        case ActionStatus.REJECTED:
            bench.do(journal.mark_rejected(action, reply=b"{}", after=None))
        case ActionStatus.FAILED:
            bench.do(journal.mark_failed(action, why="why"))
        case ActionStatus.UNKNOWN:
            bench.do(journal.mark_unknown(action, why="why"))
        case ActionStatus.PAUSED:
            bench.do(journal.mark_paused(action, reply=b"{}"))
        case ActionStatus.RECORDED:
            raise AssertionError("no method moves there")


def test_a_paused_call_that_is_sent_again_keeps_the_state_before_it(bench: Bench) -> None:
    action = bench.in_status(ActionStatus.PAUSED, bench.agent())

    bench.do(bench.journal.mark_sent(action.id, resource=None, read=None, before=None, inverse=None))

    seen = bench.see(action)
    assert (seen.status, seen.before, seen.read, seen.inverse) == (ActionStatus.SENT, BEFORE, READ, INVERSE)
    assert seen.captured == CAPTURED


def test_what_the_snapshot_found_is_kept_beside_what_another_read_found(bench: Bench) -> None:
    action = bench.open(bench.agent()).action
    assert bench.see(action).captured is None

    bench.send(action)

    assert (bench.see(action).read, bench.see(action).before) == (READ, BEFORE)
    assert bench.see(action).captured == CAPTURED
    assert bench.apply(action).captured == CAPTURED


def test_what_a_call_was_about_may_be_known_only_once_it_was_answered(bench: Bench) -> None:
    run, other = bench.agent(), bench.agent()
    action = bench.open(run).action
    bench.do(bench.journal.mark_sent(action.id, resource=None, read=None, before=None, inverse=INVERSE))
    on_it = bench.send(bench.open(other).action)

    bench.do(
        bench.journal.mark_applied(
            action.id, reply=b"{}", after=AFTER, inverse=INVERSE, resource="customer c_001", read=READ, note="made"
        )
    )

    seen = bench.see(action)
    assert (seen.resource, seen.read, seen.before, seen.after) == ("customer c_001", READ, None, AFTER)
    assert bench.journal.changed_later(action.identity, "customer c_001", action.id) == [on_it]
    assert bench.journal.changed_later(action.identity, "customer c_002", action.id) == []


# --- a request for a decision


def test_a_held_call_becomes_a_request(bench: Bench) -> None:
    run = bench.agent()
    opened = bench.open(run, tool="send_email", tool_class=ToolClass.IRREVERSIBLE)
    asked = bench.do(bench.journal.hold(opened.action.id, why="cannot be taken back"))

    assert (asked.id, asked.run, asked.seq) == (opened.action.id, run.id, 1)
    assert (asked.status, asked.why, asked.attempts) == (ApprovalStatus.WAITING, "cannot be taken back", 1)
    assert bench.journal.approvals([ApprovalStatus.WAITING]) == [asked]
    assert bench.see(opened.action).status is ActionStatus.HELD
    assert bench.summary(run).held == 1


def test_repeating_a_waiting_call_is_counted_and_leaves_no_row(bench: Bench) -> None:
    run = bench.agent()
    asked = bench.hold(run)

    for _ in range(49):
        opened = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)
        assert opened.approval == bench.journal.approval(asked.id)
        bench.do(bench.journal.hold(opened.action.id, why="cannot be taken back"))

    assert [each.attempts for each in bench.journal.approvals(EVERY_APPROVAL)] == [50]
    assert len(bench.journal.actions(run.id)) == 1
    assert bench.summary(run)[2:4] == (1, 1)
    assert bench.open(run, says="something else").action.seq == 2


def test_a_repeated_call_that_is_on_disk_already_stays_as_held(bench: Bench) -> None:
    run = bench.agent()
    asked = bench.hold(run)
    opened = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)
    bench.journal.actions(run.id)

    again = bench.do(bench.journal.hold(opened.action.id, why="cannot be taken back"))

    assert (again.id, again.attempts) == (asked.id, 2)
    assert bench.see(opened.action).status is ActionStatus.HELD
    assert bench.journal.approval(opened.action.id) is None
    assert bench.summary(run).held == 1


def test_the_same_call_of_another_run_is_the_same_request(bench: Bench) -> None:
    asked = bench.hold(bench.agent())

    assert bench.hold(bench.agent()).id == asked.id
    assert bench.hold(bench.agent(), says="send something else").id != asked.id


def test_a_granted_call_is_reserved_when_it_opens_and_spent_when_it_is_sent(bench: Bench) -> None:
    run = bench.agent()
    asked = bench.hold(run)
    granted = bench.grant(asked)
    assert granted is not None
    assert (granted.status, granted.decided_by, granted.decided_at) == (
        ApprovalStatus.GRANTED,
        "ada",
        "2026-03-01T12:00:00.000000Z",
    )
    assert bench.summary(run).held == 0

    opened = bench.open(bench.agent(), says="send it", tool_class=ToolClass.IRREVERSIBLE)
    assert opened.approval == bench.journal.approval(asked.id)
    assert opened.approval is not None
    assert (opened.approval.status, opened.approval.spent_by) == (ApprovalStatus.RESERVED, opened.action.id)
    assert opened.action.approval == bench.see(opened.action).approval == asked.id

    bench.send(opened.action)
    spent = bench.journal.approval(asked.id)
    assert spent is not None
    assert (spent.status, spent.spent_by) == (ApprovalStatus.USED, opened.action.id)
    assert bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE).approval is None


def test_of_two_identical_calls_at_once_exactly_one_has_the_approval(bench: Bench) -> None:
    run = bench.agent()
    bench.grant(bench.hold(run))

    first, second = (bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE) for _ in range(2))

    assert status_of(first.approval) is ApprovalStatus.RESERVED
    assert second.approval is None
    asked_anew = bench.do(bench.journal.hold(second.action.id, why="cannot be taken back"))
    assert asked_anew.id == second.action.id


@pytest.mark.parametrize("how", ["failed", "held"])
def test_an_approval_whose_call_never_left_can_be_used_again(bench: Bench, how: str) -> None:
    run = bench.agent()
    asked = bench.hold(run)
    bench.grant(asked)
    opened = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)

    if how == "failed":
        bench.do(bench.journal.mark_failed(opened.action.id, why="the read before it failed"))
    else:
        bench.do(bench.journal.hold(opened.action.id, why="there is nothing to restore"))

    given_back = bench.journal.approval(asked.id)
    assert given_back is not None
    assert (given_back.status, given_back.spent_by) == (ApprovalStatus.GRANTED, None)
    assert bench.see(opened.action).approval is None
    again = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)
    assert again.action.approval == asked.id


def test_a_reservation_of_a_process_that_is_gone_is_a_grant_again(bench: Bench) -> None:
    gone, run = bench.agent(), bench.agent()
    asked = bench.hold(gone)
    bench.grant(asked)
    first = bench.open(gone, says="send it", tool_class=ToolClass.IRREVERSIBLE)
    bench.end_process_of(gone)
    assert [each.id for each in bench.journal.approvals([ApprovalStatus.GRANTED])] == [asked.id]

    second = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)

    assert second.action.approval == asked.id
    with pytest.raises(StaleAction):
        bench.send(first.action)
    assert bench.see(first.action).status is ActionStatus.RECORDED
    bench.send(second.action)


def test_a_call_that_lost_its_approval_is_not_sent(bench: Bench) -> None:
    gone = bench.agent()
    asked = bench.hold(gone)
    bench.grant(asked)
    opened = bench.open(gone, says="send it", tool_class=ToolClass.IRREVERSIBLE)
    bench.end_process_of(gone)
    assert bench.deny(asked) is not None

    with pytest.raises(StaleAction):
        bench.send(opened.action)
    assert bench.see(opened.action).status is ActionStatus.RECORDED


@pytest.mark.parametrize(
    ("after", "good"),
    [({"minutes": 60}, True), ({"minutes": 60, "seconds": 1}, False), ({"minutes": -10}, False)],
    ids=["an hour later", "a second more", "the clock set back"],
)
def test_a_grant_is_good_for_an_hour_after_it_was_given(bench: Bench, after: dict[str, float], good: bool) -> None:
    run = bench.agent()
    asked = bench.hold(run)
    bench.later(days=3)  # a request waits until it is decided
    bench.grant(asked)

    bench.later(**after)

    seen = bench.journal.approval(asked.id)
    opened = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)
    assert seen is not None
    assert seen.status is (ApprovalStatus.GRANTED if good else ApprovalStatus.LAPSED)
    assert (opened.approval is not None) == good
    if not good:
        assert bench.journal.approvals([ApprovalStatus.LAPSED]) == [seen]
        assert bench.deny(asked) is None
        assert bench.do(bench.journal.hold(opened.action.id, why="again")).id == opened.action.id


def test_a_denial_sticks_for_an_hour_and_makes_no_new_request(bench: Bench) -> None:
    run = bench.agent()
    asked = bench.hold(run)
    denied = bench.deny(asked)
    assert denied is not None
    assert (denied.status, denied.decided_by, denied.reason) == (ApprovalStatus.DENIED, "ada", "not now")
    bench.later(minutes=59)

    opened = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)
    assert status_of(opened.approval) is ApprovalStatus.DENIED
    bench.do(bench.journal.mark_denied(opened.action.id, approval=asked.id))

    assert [each.attempts for each in bench.journal.approvals(EVERY_APPROVAL)] == [2]
    assert len(bench.journal.actions(run.id)) == 1
    assert bench.summary(run).actions == 1
    bench.later(minutes=2)
    assert bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE).approval is None


def test_a_denial_that_comes_while_the_call_is_being_held_is_not_asked_again(bench: Bench) -> None:
    run = bench.agent()
    asked = bench.hold(run)
    opened = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)
    bench.deny(asked)

    told = bench.do(bench.journal.hold(opened.action.id, why="cannot be taken back"))

    assert (told.id, told.status) == (asked.id, ApprovalStatus.DENIED)
    assert len(bench.journal.approvals(EVERY_APPROVAL)) == 1


def test_the_later_decision_counts(bench: Bench) -> None:
    run = bench.agent()
    asked = bench.hold(run)
    assert bench.deny(asked) is not None
    bench.later(minutes=30)
    assert bench.grant(asked) is not None, "yes after no"
    bench.later(minutes=59)
    assert bench.deny(asked) is not None, "no after yes"
    bench.later(minutes=61)
    assert bench.grant(asked) is None, "not after the hour"


def test_a_no_to_one_request_stops_an_older_yes_to_the_same_call(bench: Bench) -> None:
    run = bench.agent()
    bench.grant(bench.hold(run))
    holder = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)
    second = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)
    other = bench.do(bench.journal.hold(second.action.id, why="again"))
    bench.later(seconds=1)
    bench.deny(other)
    bench.do(bench.journal.mark_failed(holder.action.id, why="gave up"))

    opened = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)

    assert opened.approval is not None
    assert (opened.approval.id, opened.approval.status) == (other.id, ApprovalStatus.DENIED)


@pytest.mark.parametrize("grant", [True, False], ids=["granted", "denied"])
def test_what_was_used_or_is_unknown_cannot_be_decided(bench: Bench, grant: bool) -> None:
    run = bench.agent()
    asked = bench.hold(run)
    bench.grant(asked)
    opened = bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)
    assert bench.journal.decide(asked.id, grant=grant, by="ada", reason="") is None, "reserved"

    bench.send(opened.action)

    assert bench.journal.decide(asked.id, grant=grant, by="ada", reason="") is None, "used"
    assert bench.journal.decide("ffffffffffff", grant=grant, by="ada", reason="") is None, "never asked"


@pytest.mark.parametrize("status", [ActionStatus.RECORDED, ActionStatus.PAUSED])
def test_what_was_open_when_its_runs_undo_began_is_not_sent_any_more(bench: Bench, status: ActionStatus) -> None:
    run = bench.agent()
    action = bench.in_status(status, run)
    undo = bench.undo(run)

    with pytest.raises(BeingUndone) as told:
        bench.send(action)

    assert told.value.undo_run == undo.id
    assert bench.see(action).status is status
    bench.do(bench.journal.end_run(undo.id))
    assert bench.send(action).status is ActionStatus.SENT


@pytest.mark.parametrize("status", [ActionStatus.RECORDED, ActionStatus.PAUSED])
def test_nor_is_it_while_such_an_undo_is_taken_back(bench: Bench, status: ActionStatus) -> None:
    run = bench.agent()
    undo = bench.undo(run)
    bench.do(bench.journal.end_run(undo.id))
    action = bench.in_status(status, run)
    redo = bench.undo(undo)

    assert bench.open(run).undone_by == redo.id
    with pytest.raises(BeingUndone) as told:
        bench.send(action)

    assert told.value.undo_run == redo.id
    other = bench.agent()
    assert bench.open(other).undone_by is None
    assert bench.open(redo).undone_by is None, "its own calls are what it is about"
    bench.do(bench.journal.end_run(redo.id))
    assert bench.send(action).status is ActionStatus.SENT


def test_a_call_that_waits_in_the_tail_is_not_sent_while_its_run_is_undone(bench: Bench) -> None:
    run = bench.agent()
    action = bench.open(run).action
    bench.undo(run)

    with pytest.raises(BeingUndone):
        bench.send(action)

    assert bench.see(action).status is ActionStatus.RECORDED


@pytest.mark.parametrize("status", [ActionStatus.RECORDED, ActionStatus.FAILED, ActionStatus.REJECTED])
def test_nothing_undoes_what_never_happened(bench: Bench, status: ActionStatus) -> None:
    run = bench.agent()
    action = bench.in_status(status, run)
    undo = bench.undo(run)

    with pytest.raises(StaleAction):
        bench.do(bench.journal.claim_inverse(bench.new_action(undo, tool="restore_customer", undoes=action)))


def test_what_an_undo_has_taken_for_done_cannot_be_said_never_to_have_happened(bench: Bench) -> None:
    run = bench.agent()
    action = bench.in_status(ActionStatus.UNKNOWN, run)
    undo = bench.undo(run)
    inverse = bench.do(bench.journal.claim_inverse(bench.new_action(undo, tool="restore_customer", undoes=action)))

    with pytest.raises(InverseMade):
        bench.do(bench.journal.mark_failed(action.id, why="a person says so"))

    bench.do(bench.journal.mark_failed(inverse.id, why="it did not arrive"))
    bench.do(bench.journal.mark_failed(action.id, why="a person says so"))
    assert bench.see(action).status is ActionStatus.FAILED


def test_a_request_says_whether_the_same_call_was_carried_out_before(bench: Bench) -> None:
    run = bench.agent()
    first = bench.applied(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)
    undo = bench.undo(run)
    bench.find(first, Undone.COMPENSATED, undo=undo)
    bench.do(bench.journal.end_run(undo.id))
    second = bench.send(bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE).action)
    bench.applied(run, says="send something else", tool_class=ToolClass.IRREVERSIBLE)

    asked = bench.hold(bench.agent())
    assert asked.earlier == ((run.id, second.seq, False), (run.id, first.seq, True))

    bench.grant(asked)
    bench.send(bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE).action)
    (used,) = bench.journal.approvals([ApprovalStatus.USED])
    assert used.earlier == asked.earlier, "the call that it allowed did not come before it"


def status_of(approval: Approval | None) -> ApprovalStatus | None:
    return None if approval is None else approval.status


# --- where proxies ask under a name


def test_what_was_asked_under_another_name_is_another_request(bench: Bench) -> None:
    one, other = bench.agent(), bench.agent()
    first = bench.hold(one, asker="one")
    second = bench.hold(other, asker="other")
    again = bench.hold(one, asker="one")

    assert (first.asker, second.asker) == ("one", "other")
    assert (again.id, again.attempts) == (first.id, 2)
    assert second.id != first.id


def test_a_grant_is_reserved_only_under_the_name_that_asked(bench: Bench) -> None:
    run = bench.agent()
    bench.grant(bench.hold(run, asker="one"))

    other = bench.open(run, says="send it", asker="other")
    same = bench.open(run, says="send it", asker="one")

    assert other.approval is None
    assert same.approval is not None
    assert same.approval.status is ApprovalStatus.RESERVED


def test_a_denial_holds_under_any_name(bench: Bench) -> None:
    run = bench.agent()
    bench.deny(bench.hold(run, asker="one"))

    opened = bench.open(run, says="send it", asker="other")

    assert opened.approval is not None
    assert opened.approval.status is ApprovalStatus.DENIED


@pytest.mark.parametrize("asker", ["one", ""])
def test_a_request_of_a_proxy_that_has_ended_is_asked_by_the_next_one(bench: Bench, asker: str) -> None:
    ended, next_one = bench.agent(), bench.agent()
    first = bench.hold(ended, asker=asker)
    bench.end_process_of(ended)
    left = bench.journal.approval(first.id)
    again = bench.hold(next_one, asker="two")

    assert left is not None
    assert left.asker_gone is bool(asker)
    assert (again.id, again.asker, again.asker_gone, again.attempts) == (first.id, "two", False, 2)


def test_a_sealed_decision_is_kept_as_it_was_sealed(bench: Bench) -> None:
    asked = bench.hold(bench.agent(), asker="one")
    at = "2026-03-01T11:59:58.000000Z"

    for_another = bench.journal.decide(asked.id, grant=True, by="ada", reason="", seal=Seal("other", at, "sig"))
    granted = bench.journal.decide(asked.id, grant=True, by="ada", reason="", seal=Seal("one", at, "sig"))

    assert for_another is None
    assert granted is not None
    assert (granted.status, granted.decided_at, granted.signature) == (ApprovalStatus.GRANTED, at, "sig")


def test_taking_a_decision_back_takes_its_seal_away(bench: Bench) -> None:
    asked = bench.hold(bench.agent(), asker="one")
    bench.journal.decide(asked.id, grant=True, by="a", reason="", seal=Seal("one", "2026-03-01T12:00:00.000000Z", "s"))

    denied = bench.deny(asked)

    assert denied is not None
    assert denied.signature == ""


def test_the_last_approver_is_the_one_that_holds(bench: Bench) -> None:
    assert bench.journal.approver_key() == ""
    for public in ("one key", "another key", ""):
        bench.journal.set_approver(public, by="ada")
        assert bench.journal.approver_key() == public


# --- what a request tells besides


def test_what_was_seen_and_what_the_rule_says_stay_with_the_request(bench: Bench) -> None:
    opened = bench.open(bench.agent())
    asked = bench.do(bench.journal.hold(opened.action.id, why="why", asking=Asking("", CAPTURED, "a note\na residue")))

    assert (asked.seen, asked.says) == (CAPTURED, "a note\na residue")
    assert bench.hold(bench.agent(), says="another").seen is None


# --- a freeze


def test_a_freeze_is_one_until_it_is_ended_and_every_call_is_told(bench: Bench) -> None:
    run = bench.agent()
    assert bench.journal.frozen() is None
    assert bench.open(run).frozen is None

    first = bench.journal.freeze(by="ada", reason="looking")
    again = bench.journal.freeze(by="grace", reason="me too")
    opened = bench.open(run, says="other")

    assert again == first == opened.frozen == bench.journal.frozen() == bench.journal.freeze_of(first.id)
    assert (first.by, first.reason, first.ended_at) == ("ada", "looking", None)
    assert bench.journal.resume(first.id, by="grace", at="2026-03-01T13:00:00.000000Z", signature="signed")
    assert not bench.journal.resume(first.id, by="grace")
    ended = first._replace(ended_at="2026-03-01T13:00:00.000000Z", ended_by="grace", signature="signed")
    assert bench.journal.freeze_of(first.id) == ended
    assert bench.open(run, says="third").frozen is None
    assert bench.journal.freeze(by="ada", reason="").id != first.id


@pytest.mark.parametrize("on_disk", [True, False])
def test_a_write_that_was_opened_before_a_freeze_does_not_leave_after_it(bench: Bench, on_disk: bool) -> None:
    run = bench.agent()
    write, read = bench.open(run), bench.open(run, says="read", tool_class=ToolClass.READONLY)
    if on_disk:
        bench.journal.actions(run.id)
    bench.journal.freeze(by="ada", reason="")

    with pytest.raises(Frozen):
        bench.send(write.action)

    assert bench.see(write.action).status is ActionStatus.RECORDED
    assert bench.send(read.action).status is ActionStatus.SENT


def test_what_undoes_something_leaves_all_the_same(bench: Bench) -> None:
    run = bench.agent()
    action = bench.applied(run)
    bench.journal.freeze(by="ada", reason="")

    assert bench.inverse_of(action, bench.undo(run)).status is ActionStatus.APPLIED


# --- how often


def test_calls_of_a_client_are_counted_over_its_runs_and_a_day(bench: Bench) -> None:
    first = bench.agent()
    bench.applied(first)
    bench.later(hours=23)
    second = bench.agent()
    bench.in_status(ActionStatus.UNKNOWN, second)
    bench.in_status(ActionStatus.REJECTED, second)
    for status in (ActionStatus.HELD, ActionStatus.DENIED, ActionStatus.FAILED):
        bench.in_status(status, second)
    bench.applied(second, tool="delete_customer")
    bench.do(bench.journal.record_opening(other := bench.agent().id, Era.HANDSHAKE, b"{}", "another client 2.0"))
    bench.applied(bench.summary(bench.agent()._replace(id=other)).run)
    bench.open(second, says="about to be sent")
    opened = bench.open(second, says="this one")
    bench.open(second, says="a later one")

    assert bench.do(bench.journal.made_before(opened.action.id)) == 4
    assert bench.journal.made_lately(opened.action.id) == 4
    bench.later(hours=2)
    late = bench.open(bench.agent(), says="the day after")
    assert bench.do(bench.journal.made_before(late.action.id)) == 5, "the first one is too long ago, the others are not"


# --- more than one call


def test_a_tool_may_be_called_so_many_times_more_in_the_run_that_asked(bench: Bench) -> None:
    run, other = bench.agent(), bench.agent()
    asked = bench.hold(run)
    bench.grant(asked, more=2)
    (allowance,) = bench.journal.allowances()
    assert (allowance.request, allowance.run, allowance.uses, allowance.left) == (asked.id, run.id, 2, 2)

    opened = [bench.open(run, says=says) for says in ("first", "second", "third")]
    sent = [bench.send(each.action, allowance=allowance.number) for each in opened[:2]]

    assert [each.allowance for each in opened] == [allowance] * 3
    assert [action.approval for action in sent] == [asked.id, asked.id]
    with pytest.raises(StaleAction):
        bench.send(opened[2].action, allowance=allowance.number)
    assert bench.see(opened[2].action).status is ActionStatus.RECORDED
    assert bench.open(run, says="fourth").allowance is None
    assert bench.open(other, says="fifth").allowance is None
    assert bench.journal.allowances() == []
    assert [each.used for each in bench.journal.allowances(run.id)] == [2]


def test_an_allowance_is_for_one_tool(bench: Bench) -> None:
    run = bench.agent()
    bench.grant(bench.hold(run), more=5)

    assert bench.open(run, says="any", tool="delete_customer").allowance is None
    assert bench.open(run, says="any").allowance is not None


def test_an_allowance_goes_with_the_run_that_asked_last_and_its_name(bench: Bench) -> None:
    first, last = bench.agent(), bench.agent()
    bench.hold(first)
    bench.grant(bench.hold(last), more=1)
    named = bench.hold(last, says="other", asker="one")
    bench.grant(named, more=1)

    assert bench.open(first, says="any").allowance is None
    assert bench.open(last, says="any").allowance is not None
    assert bench.open(last, says="any", asker="two").allowance is None
    allowance = bench.open(last, says="any", asker="one").allowance
    assert allowance is not None
    assert allowance.request == named.id


def test_what_went_out_under_an_allowance_does_not_wait_any_more(bench: Bench) -> None:
    run = bench.agent()
    waiting = bench.hold(run, says="a variant")
    bench.grant(bench.hold(run), more=1)
    (allowance,) = bench.journal.allowances()

    sent = bench.send(bench.open(run, says="a variant").action, allowance=allowance.number)

    answered = bench.journal.approval(waiting.id)
    assert answered is not None
    assert (answered.status, answered.spent_by, answered.decided_by) == (ApprovalStatus.USED, sent.id, "ada")
    assert bench.summary(run).held == 0


@pytest.mark.parametrize("used", [True, False])
def test_a_no_takes_back_what_is_left(bench: Bench, used: bool) -> None:
    run = bench.agent()
    asked = bench.hold(run)
    bench.grant(asked, more=3)
    (allowance,) = bench.journal.allowances()
    if used:
        bench.send(bench.open(run, says="send it").action)
    opened = bench.open(run, says="any")

    denied = bench.deny(asked)

    assert denied is not None
    assert denied.status is (ApprovalStatus.USED if used else ApprovalStatus.DENIED)
    assert bench.journal.allowances() == []
    with pytest.raises(StaleAction):
        bench.send(opened.action, allowance=allowance.number)
    assert bench.deny(asked) is None, "there is nothing more to take back"


def test_an_allowance_ends_with_its_run(bench: Bench) -> None:
    run, killed = bench.agent(), bench.agent()
    bench.grant(bench.hold(run), more=1)
    bench.grant(bench.hold(killed, says="other"), more=1)
    assert len(bench.journal.allowances()) == 2

    bench.do(bench.journal.end_run(run.id))
    bench.end_process_of(killed)

    assert bench.journal.allowances() == []


# --- undoing


def test_a_step_has_one_live_inverse(bench: Bench) -> None:
    run = bench.agent()
    action = bench.applied(run)
    undo, other = bench.undo(run), bench.undo(run)
    claimed = bench.do(bench.journal.claim_inverse(bench.new_action(undo, undoes=action)))
    assert (claimed.undoes, claimed.undoes_step, claimed.seq) == (action.id, 0, 1)

    with pytest.raises(AlreadyClaimed) as told:
        bench.do(bench.journal.claim_inverse(bench.new_action(other, undoes=action)))

    assert told.value.by_run == undo.id
    assert bench.do(bench.journal.claim_inverse(bench.new_action(other, undoes=action, step=1))).seq == 1
    assert [each.run for each in bench.journal.inverses_of(action.id)] == [undo.id, other.id]


@pytest.mark.parametrize(
    "status", [each for each in ActionStatus if each not in (ActionStatus.HELD, ActionStatus.DENIED)]
)
def test_only_an_inverse_that_did_nothing_leaves_its_step_to_the_next(bench: Bench, status: ActionStatus) -> None:
    run = bench.agent()
    action = bench.applied(run)
    undo = bench.undo(run)
    inverse = bench.do(bench.journal.claim_inverse(bench.new_action(undo, undoes=action)))
    if status is not ActionStatus.RECORDED:
        if status is not ActionStatus.FAILED:
            bench.send(inverse)
        if status is not ActionStatus.SENT:
            move_to(bench, inverse.id, status)

    again = bench.new_action(undo, undoes=action)

    if status in (ActionStatus.FAILED, ActionStatus.REJECTED):
        assert bench.do(bench.journal.claim_inverse(again)).undoes == action.id
    else:
        with pytest.raises(AlreadyClaimed):
            bench.do(bench.journal.claim_inverse(again))


def test_a_claim_that_never_left_a_process_that_is_gone_stops_nobody(bench: Bench) -> None:
    run = bench.agent()
    action = bench.applied(run)
    gone, undo = bench.undo(run), bench.undo(run)
    left = bench.do(bench.journal.claim_inverse(bench.new_action(gone, undoes=action)))
    bench.end_process_of(gone)

    bench.do(bench.journal.claim_inverse(bench.new_action(undo, undoes=action)))

    assert bench.see(left).status is ActionStatus.FAILED


def test_a_claim_that_was_sent_by_a_process_that_is_gone_still_stands(bench: Bench) -> None:
    run = bench.agent()
    action = bench.applied(run)
    gone, undo = bench.undo(run), bench.undo(run)
    bench.send(bench.do(bench.journal.claim_inverse(bench.new_action(gone, undoes=action))))
    bench.end_process_of(gone)

    with pytest.raises(AlreadyClaimed):
        bench.do(bench.journal.claim_inverse(bench.new_action(undo, undoes=action)))


@pytest.mark.parametrize(
    ("undone", "status"),
    [
        (Undone.RESTORED, RunStatus.UNDONE),
        (Undone.COMPENSATED, RunStatus.UNDONE),
        (Undone.ALREADY, RunStatus.UNDONE),
        (Undone.MISMATCH, RunStatus.ACTIVE),
        (Undone.REDONE, RunStatus.ACTIVE),
    ],
)
def test_a_run_is_undone_when_every_change_is(bench: Bench, undone: Undone, status: RunStatus) -> None:
    run = bench.agent()
    action = bench.applied(run)

    bench.find(action, undone, undo=bench.undo(run))

    assert bench.see(action).undone is undone
    assert bench.summary(run).status is status
    assert [finding.undone for finding in bench.journal.findings_of(action.id)] == [undone]


@pytest.mark.parametrize(
    "other",
    [
        ActionStatus.APPLIED,
        ActionStatus.SENT,
        ActionStatus.PAUSED,
        ActionStatus.UNKNOWN,
    ],
)
def test_a_run_is_partial_while_another_change_stands_or_may(bench: Bench, other: ActionStatus) -> None:
    run = bench.agent()
    action = bench.applied(run)
    bench.in_status(other, run)

    bench.find(action, Undone.RESTORED, undo=bench.undo(run))

    assert bench.summary(run).status is RunStatus.PARTIAL


@pytest.mark.parametrize(
    "other",
    [ActionStatus.RECORDED, ActionStatus.HELD, ActionStatus.DENIED, ActionStatus.FAILED, ActionStatus.REJECTED],
)
def test_what_never_happened_does_not_keep_a_run_from_being_undone(bench: Bench, other: ActionStatus) -> None:
    run = bench.agent()
    action = bench.applied(run)
    bench.in_status(other, run)
    for status in (ActionStatus.APPLIED, ActionStatus.UNKNOWN):
        bench.journal.record_read(bench.new_action(run, tool_class=ToolClass.READONLY), status=status)

    bench.find(action, Undone.RESTORED, undo=bench.undo(run))

    assert bench.summary(run).status is RunStatus.UNDONE


def test_the_last_finding_counts(bench: Bench) -> None:
    run = bench.agent()
    action = bench.applied(run)
    undo = bench.undo(run)

    bench.find(action, Undone.RESTORED, undo=undo)
    bench.find(action, Undone.MISMATCH, undo=undo)

    assert bench.see(action).undone is Undone.MISMATCH
    assert bench.summary(run).status is RunStatus.ACTIVE


def test_a_redo_is_the_undo_of_an_undo_as_often_as_anybody_likes(bench: Bench) -> None:
    run = bench.agent()
    action = bench.applied(run)
    undo = bench.undo(run)
    inverse = bench.undone(action, undo)
    assert (bench.summary(run).status, bench.summary(undo).status) == (RunStatus.UNDONE, RunStatus.ACTIVE)

    redo = bench.undo(undo)
    redone = bench.undone(inverse, redo)
    assert bench.see(action).undone is Undone.REDONE
    assert (bench.summary(run).status, bench.summary(undo).status) == (RunStatus.ACTIVE, RunStatus.UNDONE)

    bench.undone(redone, bench.undo(redo))
    assert bench.see(action).undone is Undone.RESTORED
    assert bench.see(inverse).undone is Undone.REDONE
    assert (bench.summary(run).status, bench.summary(undo).status) == (RunStatus.UNDONE, RunStatus.ACTIVE)
    with pytest.raises(AlreadyClaimed):
        bench.do(bench.journal.claim_inverse(bench.new_action(undo, undoes=action)))


def test_an_action_that_was_redone_can_be_undone_again(bench: Bench) -> None:
    run = bench.agent()
    action = bench.applied(run)
    undo = bench.undo(run)
    bench.undone(bench.undone(action, undo), bench.undo(undo))

    again = bench.undo(run)
    bench.undone(action, again)

    assert bench.see(action).undone is Undone.RESTORED
    assert bench.summary(run).status is RunStatus.UNDONE


def test_a_finding_about_nothing_is_refused(bench: Bench) -> None:
    run = bench.agent()
    action = bench.open(run).action
    with pytest.raises(StaleAction):
        bench.find(action._replace(id="ffffffffffff"), Undone.RESTORED, undo=run)


def test_an_undo_is_live_until_it_ends_or_its_process_does(bench: Bench) -> None:
    run, other = bench.agent(), bench.agent()
    undo = bench.undo(run)
    assert bench.journal.live_undo_of(run.id) == undo
    assert bench.journal.live_undo_of(other.id) is None
    assert bench.open(run).undone_by == undo.id
    assert bench.open(other).undone_by is None

    bench.end_process_of(undo)
    assert bench.journal.live_undo_of(run.id) is None
    ended = bench.undo(run)
    bench.do(bench.journal.end_run(ended.id))
    assert bench.open(run).undone_by is None


# --- what a dead process left


def test_closing_a_run_says_honestly_what_became_of_its_calls(bench: Bench) -> None:
    run = bench.agent()
    left = {status: bench.in_status(status, run) for status in ActionStatus}
    assert bench.journal.close_run(run.id) is False, "its process is alive"

    bench.end_process_of(run)
    assert bench.summary(run)[1:] == (RunStatus.ABANDONED, 9, 1, 3)
    assert bench.journal.close_run(run.id) is True

    expected = {status: status for status in ActionStatus} | {
        ActionStatus.RECORDED: ActionStatus.FAILED,
        ActionStatus.SENT: ActionStatus.UNKNOWN,
        ActionStatus.PAUSED: ActionStatus.UNKNOWN,
    }
    assert {status: bench.see(action).status for status, action in left.items()} == expected
    assert bench.summary(run)[1:] == (RunStatus.COMPLETE, 9, 1, 3)
    assert bench.see(left[ActionStatus.SENT]).before == BEFORE
    assert bench.journal.close_run(run.id) is False, "there is nothing left to close"
    assert bench.journal.close_run("ffffffffffff") is False


def test_closing_a_run_gives_its_reserved_approval_back(bench: Bench) -> None:
    run = bench.agent()
    asked = bench.hold(run)
    bench.grant(asked)
    bench.open(run, says="send it", tool_class=ToolClass.IRREVERSIBLE)
    bench.end_process_of(run)

    bench.journal.close_run(run.id)

    (given_back,) = bench.journal.approvals(EVERY_APPROVAL)
    assert (given_back.status, given_back.spent_by) == (ApprovalStatus.GRANTED, None)


# --- finding things


def test_ids_are_found_by_what_they_start_with(bench: Bench) -> None:
    run = bench.agent()
    action = bench.open(run).action
    asked = bench.hold(run)

    assert bench.journal.find("run", run.id[:-1]) == [run.id]
    assert bench.journal.find("action", "00000000000") == sorted([action.id, asked.id])
    assert bench.journal.find("approval", "") == [asked.id]
    assert bench.journal.find("run", action.id) == []
    assert bench.journal.find("action", "%") == []


def test_nothing_is_found_where_nothing_is(bench: Bench) -> None:
    assert bench.journal.runs() == []
    assert bench.journal.run("x") is None
    assert bench.journal.action("x") is None
    assert bench.journal.approval("x") is None
    assert bench.journal.actions("x") == bench.journal.inverses_of("x") == []
    assert bench.journal.findings_of("x") == []
    assert bench.journal.changed_later("x", "y", "z") == []


def test_later_changes_of_the_same_thing_are_known(bench: Bench) -> None:
    run, other = bench.agent(), bench.agent()
    first = bench.apply(bench.send(bench.open(run).action))
    elsewhere = bench.send(bench.open(run).action, resource="customer c_002")
    whole_server = bench.send(bench.open(other).action, resource=None)
    later = bench.apply(bench.send(bench.open(other).action))
    bench.in_status(ActionStatus.FAILED, run)
    identity = first.identity

    assert bench.journal.changed_later(identity, "customer c_001", first.id) == [whole_server, later]
    assert bench.journal.changed_later(identity, "customer c_002", first.id) == [elsewhere, whole_server]
    assert bench.journal.changed_later(identity, None, first.id) == [elsewhere, whole_server, later]
    assert bench.journal.changed_later(identity, "customer c_001", later.id) == []
    assert bench.journal.changed_later("another server", "customer c_001", first.id) == []


def test_later_changes_are_known_by_each_of_several_things(bench: Bench) -> None:
    run = bench.agent()
    first = bench.apply(bench.send(bench.open(run).action, resource="file a"))
    move = bench.apply(bench.send(bench.open(run).action, resource="file a\nfile b"))
    bench.apply(bench.send(bench.open(run).action, resource="file ab"))
    last = bench.apply(bench.send(bench.open(run).action, resource="file b"))

    assert bench.journal.changed_later(first.identity, "file a", first.id) == [move]
    assert bench.journal.changed_later(first.identity, "file b", first.id) == [move, last]
    assert bench.journal.changed_later(first.identity, "file a\nfile b", first.id) == [move, last]
    assert bench.journal.changed_later(first.identity, "file c\nfile b", move.id) == [last]
    many = "\n".join(f"file {number}" for number in range(2000))
    assert bench.journal.changed_later(first.identity, f"{many}\nfile b", move.id) == [last]


# --- what outlives a proxy


def test_a_server_that_outlives_its_proxy_is_known_by_what_that_had_sent(bench: Bench) -> None:
    run = bench.agent()
    server, other = ProcessId(501, "then"), ProcessId(502, "then")
    bench.journal.server_started("crm", server, by=run.process)
    bench.journal.server_started("files", other, by=run.process)
    sent = bench.in_status(ActionStatus.SENT, run)

    assert bench.journal.outliving(sent.id) is None, "whoever started it is there"
    bench.end_process_of(run)
    assert bench.journal.outliving(sent.id) == server
    bench.dead.add(server)
    assert bench.journal.outliving(sent.id) is None, "another server got nothing of it"


def test_of_a_server_that_was_started_again_any_process_that_still_runs_counts(bench: Bench) -> None:
    run = bench.agent()
    first, second = ProcessId(501, "then"), ProcessId(502, "then")
    bench.journal.server_started("crm", first, by=run.process)
    sent = bench.in_status(ActionStatus.SENT, run)
    bench.journal.server_started("crm", second, by=run.process)
    bench.end_process_of(run)

    assert bench.journal.outliving(sent.id) == second
    bench.dead.add(second)
    assert bench.journal.outliving(sent.id) == first


def test_a_server_of_another_proxy_holds_nothing_up(bench: Bench) -> None:
    run, other = bench.agent(), bench.agent()
    bench.journal.server_started("crm", ProcessId(501, "then"), by=other.process)
    sent = bench.in_status(ActionStatus.SENT, run)
    bench.end_process_of(run)

    assert bench.journal.outliving(sent.id) is None
