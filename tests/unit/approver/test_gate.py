"""What a proxy takes for the approver's yes: everything else is not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from synartesis.approver.gate import NeverBack, SignedApprovals
from synartesis.approver.key import Sign, make_key, unlock
from synartesis.approver.pin import Known
from synartesis.approver.statement import approval_statement
from synartesis.domain.canonical import fingerprint
from synartesis.domain.records import Action, Approval
from synartesis.domain.status import ActionStatus, ApprovalStatus, ToolClass
from synartesis.journal.ledger import stamp

PASSPHRASE = "correct horse battery staple"
KEY = make_key(PASSPHRASE, cost=2)
OTHER_KEY = make_key(PASSPHRASE, cost=2)
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
IDENTITY = "1d" * 32


def signer(key: object = KEY) -> Sign:
    sign = unlock(key, PASSPHRASE)  # type: ignore[arg-type]
    assert sign is not None
    return sign


def call(*, tool: str = "send_email", to: str = "ada", server: str = "crm", identity: str = IDENTITY) -> Action:
    return Action(
        id="a2",
        run="r1",
        seq=2,
        server=server,
        identity=identity,
        tool=tool,
        arguments=b"{}",
        tool_class=ToolClass.IRREVERSIBLE,
        fingerprint=fingerprint(identity, tool, {"to": to}),
        status=ActionStatus.RECORDED,
        resource=None,
        read=None,
        before=None,
        after=None,
        reply=None,
        inverse=None,
        undoes=None,
        undoes_step=0,
        approval="a1",
        undone=None,
        note="",
        at=stamp(NOON),
    )


def granted(gate: SignedApprovals, *, sign: Sign | None = None, at: datetime = NOON, **signed: str) -> Approval:
    """An approval of `call()`, signed as a person would sign it; `signed` is what was signed instead."""
    action = call()
    said = {
        "asker": gate.asker(),
        "request": "a1",
        "server": action.server,
        "tool": action.tool,
        "fingerprint": action.fingerprint,
        "at": stamp(at),
        "by": "ada",
        "reason": "",
        **signed,
    }
    return Approval(
        id="a1",
        run="r1",
        seq=1,
        server="crm",
        identity=IDENTITY,
        tool="send_email",
        arguments=b"{}",
        fingerprint=action.fingerprint,
        status=ApprovalStatus.RESERVED,
        why="",
        requested_at=stamp(NOON),
        attempts=1,
        decided_at=stamp(at),
        decided_by="ada",
        reason="",
        spent_by="a2",
        asker=gate.asker(),
        signature=(sign or signer())(approval_statement(**said)),
    )


@pytest.fixture
def gate() -> SignedApprovals:
    return gate_for(Known(KEY.public))


def gate_for(known: Known, *, now: datetime = NOON) -> SignedApprovals:
    return SignedApprovals(lambda: known, now=lambda: now)


def test_a_signed_yes_to_this_very_call_is_accepted_and_used_once(gate: SignedApprovals) -> None:
    approval = granted(gate)

    assert gate.accepts(approval, call())
    assert gate.spend(approval)
    assert not gate.spend(approval), "two calls at the same instant"
    assert not gate.accepts(approval, call()), "a row that was set back to unused"


def test_what_was_not_sent_after_all_may_be_sent_later(gate: SignedApprovals) -> None:
    approval = granted(gate)
    gate.spend(approval)

    gate.give_back(approval)

    assert gate.accepts(approval, call())


OTHER_CALLS = {
    "other-arguments": call(to="grace"),
    "another-tool": call(tool="delete_customer"),
    "another-server": call(server="billing"),
    "another-server-of-that-name": call(identity="2e" * 32),
}


@pytest.mark.parametrize("other", OTHER_CALLS.values(), ids=OTHER_CALLS)
def test_it_is_for_no_other_call(gate: SignedApprovals, other: Action) -> None:
    assert not gate.accepts(granted(gate), other)


CHANGES: dict[str, Callable[[Approval], Approval]] = {
    "no signature": lambda row: row._replace(signature=""),
    "no hexadecimal": lambda row: row._replace(signature="yes"),
    "one bit": lambda row: row._replace(signature=f"{int(row.signature[0], 16) ^ 1:x}{row.signature[1:]}"),
    "another request": lambda row: row._replace(id="a7"),
    "a later time": lambda row: row._replace(decided_at=stamp(NOON + timedelta(seconds=1))),
    "no time": lambda row: row._replace(decided_at=None),
    "a time without a zone": lambda row: row._replace(decided_at="2026-03-04T12:00:00"),
    "somebody else": lambda row: row._replace(decided_by="grace"),
    "another reason": lambda row: row._replace(reason="they told me to"),
    "nobody who asked": lambda row: row._replace(asker=""),
    "another who asked": lambda row: row._replace(asker="f" * 32),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_row_that_was_changed_does_not_count(gate: SignedApprovals, change: Callable[[Approval], Approval]) -> None:
    assert not gate.accepts(change(granted(gate)), call())


def test_it_is_good_in_the_proxy_that_asked_and_in_no_other(gate: SignedApprovals) -> None:
    approval = granted(gate)
    other = gate_for(Known(KEY.public))

    assert not other.accepts(approval, call())
    assert not other.accepts(approval._replace(asker=other.asker()), call())


def test_another_key_is_not_the_approvers(gate: SignedApprovals) -> None:
    assert not gate.accepts(granted(gate, sign=signer(OTHER_KEY)), call())


@pytest.mark.parametrize(("age", "good"), [(-6, False), (-4, True), (0, True), (3599, True), (3601, False)])
def test_it_is_good_for_an_hour_after_it_was_given(age: int, good: bool) -> None:
    gate = gate_for(Known(KEY.public), now=NOON + timedelta(seconds=age))

    assert gate.accepts(granted(gate), call()) is good


def test_a_key_that_is_exchanged_later_changes_nothing() -> None:
    keys = [Known(KEY.public), Known(OTHER_KEY.public)]
    gate = SignedApprovals(lambda: keys.pop(0), now=lambda: NOON)

    assert not gate.accepts(granted(gate, sign=signer(OTHER_KEY)), call())
    assert gate.accepts(granted(gate), call())
    assert len(keys) == 1, "nobody looked again"


def test_where_nobody_can_say_which_key_holds_nothing_counts() -> None:
    gate = gate_for(Known(problem="the journal says another key than the home"))

    assert gate.asker()
    assert not gate.accepts(granted(gate), call())


def test_without_an_approver_any_approval_counts_until_there_is_one() -> None:
    keys = [Known()]
    gate = SignedApprovals(lambda: keys[0], now=lambda: NOON)
    assert gate.asker() == ""
    anybodys = granted(gate)
    assert gate.accepts(anybodys._replace(signature=""), call())
    assert gate.spend(anybodys)

    keys[0] = Known(KEY.public)

    assert gate.asker()
    assert not gate.accepts(anybodys, call())
    assert gate.accepts(granted(gate), call())


def test_a_clock_that_is_set_back_is_not_followed() -> None:
    passed, wall = [0.0], [NOON]
    clock = NeverBack(lambda: wall[0], lambda: passed[0])

    passed[0] = 7200.0
    assert clock() == NOON + timedelta(hours=2)

    wall[0] = NOON + timedelta(hours=9)
    assert clock() == NOON + timedelta(hours=9)


def test_what_was_let_out_is_counted_for_a_day_by_server_and_tool_and_not_where_it_was_not() -> None:
    now = [NOON]
    gate = SignedApprovals(lambda: Known(public=KEY.public), now=lambda: now[0])
    first, second, other = (call()._replace(id=id) for id in ("b1", "b2", "b3"))
    gate.count(first)
    gate.count(second)
    gate.uncount(second)
    gate.count(other._replace(tool="post"))

    assert gate.made(second) == 1
    assert gate.made(first) == 0, "itself is none of the others"
    now[0] += timedelta(hours=23)
    assert gate.made(second) == 1
    now[0] += timedelta(hours=2)
    assert gate.made(second) == 0


def test_what_was_seen_taken_back_counts_no_more_and_a_later_yes_does() -> None:
    later = NOON + timedelta(minutes=10)
    gate = SignedApprovals(lambda: Known(public=KEY.public), now=lambda: later)
    first, second = granted(gate, at=NOON), granted(gate, at=later)

    news = gate.notice_taken_back([(first.id, stamp(NOON + timedelta(minutes=1)))])
    again = gate.notice_taken_back([(first.id, stamp(NOON + timedelta(minutes=1)))])
    forged = gate.notice_taken_back([(first.id, stamp(NOON + timedelta(days=1)))])

    assert (news, again, forged) == ([first.id], [], [])
    assert not gate.accepts(first, call())
    assert gate.accepts(second, call())
