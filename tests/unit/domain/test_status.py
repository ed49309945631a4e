"""The tables by which statuses move."""

from __future__ import annotations

from synartesis.domain.status import ACTION_MOVES, APPROVAL_MOVES, ActionStatus, ApprovalStatus


def test_every_status_has_a_row_in_its_table() -> None:
    assert set(ACTION_MOVES) == set(ActionStatus)
    assert set(APPROVAL_MOVES) == set(ApprovalStatus)


def test_nothing_that_may_have_happened_ever_becomes_never_sent() -> None:
    later = {ActionStatus.SENT, ActionStatus.PAUSED, ActionStatus.APPLIED, ActionStatus.UNKNOWN}
    for status in later:
        assert ActionStatus.RECORDED not in ACTION_MOVES[status]
        assert ActionStatus.HELD not in ACTION_MOVES[status]


def test_every_status_can_be_reached() -> None:
    reached = {ActionStatus.RECORDED}.union(*ACTION_MOVES.values())
    assert reached == set(ActionStatus)
