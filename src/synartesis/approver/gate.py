"""What a proxy asks before it takes an approval for a person's yes. Everything that it judges by is in this process's memory;
what it judges comes from the journal, which an agent with a shell can write."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from synartesis.approver.key import is_signed
from synartesis.approver.pin import Known
from synartesis.approver.statement import (
    allowance_statement,
    approval_statement,
    resume_statement,
    statement_of_order,
)
from synartesis.domain.records import Action, Allowance, Approval, Freeze, NewOrder

GOOD_FOR = timedelta(hours=1)
COUNTED_FOR = timedelta(days=1)
CLOCK_SLACK = timedelta(seconds=5)
_NAME_BYTES = 16


class SignedApprovals:
    """The Approver of one proxy, from its start to its end.

    The key is looked up once and then kept, whatever the files say later. Where there was none at first, each approval
    and each request looks again: setting an approver up must not need a restart, and before it anybody's yes counted
    anyway.
    """

    def __init__(
        self,
        look: Callable[[], Known],
        *,
        look_at_freeze: Callable[[str], Freeze | None] = lambda _: None,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        self._look = look
        self._look_at_freeze = look_at_freeze
        self._freezes: dict[str, Freeze] = {}
        """By id: those that were seen and have not ended."""
        self._known = look()
        self._name = os.urandom(_NAME_BYTES).hex()
        self._now = now or NeverBack()
        self._used: set[tuple[str, str | None]] = set()
        self._taken_back: dict[str, str] = {}
        """By request: no yes to it counts that was given by then."""
        self._orders: set[str] = set()
        """Those that were let through."""
        self._let_out: Counter[tuple[str, str]] = Counter()
        """By request and time of an allowance: the calls that went out under it."""
        self._counted: dict[str, tuple[tuple[str, str, str], datetime]] = {}
        """By action: what it calls, and when; those within a day."""

    @property
    def known(self) -> Known:
        return self._known

    def asker(self) -> str:
        """Empty as long as any approval counts."""
        if not self._known.is_set:
            self._known = self._look()
        return self._name if self._known.is_set else ""

    def accepts(self, approval: Approval, action: Action) -> bool:
        if not self.asker():
            return True
        if approval.asker != self._name or _use(approval) in self._used or not self._is_fresh(approval.decided_at):
            return False
        if (approval.decided_at or "") <= self._taken_back.get(approval.id, ""):
            return False
        return bool(self._known.public) and is_signed(
            self._known.public, self._spelled(approval, action), approval.signature
        )

    def spend(self, approval: Approval) -> bool:
        """A row that was used can be made to look unused; this cannot."""
        if not self._known.is_set:
            return True
        if _use(approval) in self._used:
            return False
        self._used.add(_use(approval))
        return True

    def give_back(self, approval: Approval) -> None:
        self._used.discard(_use(approval))

    def allows(self, allowance: Allowance, action: Action) -> bool:
        if not self.asker():
            return True
        if allowance.asker != self._name or self._let_out[_allowing(allowance)] >= allowance.uses:
            return False
        if allowance.at <= self._taken_back.get(allowance.request, ""):
            return False
        said = allowance_statement(
            asker=self._name,
            request=allowance.request,
            run=action.run,
            server=action.server,
            identity=action.identity,
            tool=action.tool,
            uses=allowance.uses,
            at=allowance.at,
            by=allowance.by,
            reason=allowance.reason,
        )
        return bool(self._known.public) and is_signed(self._known.public, said, allowance.signature)

    def spend_one(self, allowance: Allowance) -> bool:
        if not self._known.is_set:
            return True
        if self._let_out[_allowing(allowance)] >= allowance.uses:
            return False
        self._let_out[_allowing(allowance)] += 1
        return True

    def give_one_back(self, allowance: Allowance) -> None:
        self._let_out[_allowing(allowance)] -= 1

    def made(self, action: Action) -> int:
        since = self._now() - COUNTED_FOR
        self._counted = {id: counted for id, counted in self._counted.items() if counted[1] > since}
        return sum(called == _called(action) for id, (called, _) in self._counted.items() if id != action.id)

    def count(self, action: Action) -> None:
        self._counted[action.id] = (_called(action), self._now())

    def uncount(self, action: Action) -> None:
        self._counted.pop(action.id, None)

    def lets(self, order: NewOrder, *, digest: str) -> bool:
        """Whether the approver asked for this very order, which no other row can be made into. One is used up by asking."""
        if not self.asker():
            return True
        if order.id in self._orders or not self._is_fresh(order.signed_at) or not self._known.public:
            return False
        if not is_signed(self._known.public, statement_of_order(order, digest), order.signature):
            return False
        self._orders.add(order.id)
        return True

    def notice(self, frozen: Freeze | None) -> bool:
        """A freeze that was seen between two calls. Whether it is news."""
        if frozen is None or not self._known.is_set or frozen.id in self._freezes:
            return False
        self._freezes[frozen.id] = frozen
        return True

    def notice_taken_back(self, taken_back: Iterable[tuple[str, str]]) -> list[str]:
        """Yes's that were taken back between two calls, by request and time: whatever the journal says later. Those that are
        news."""
        latest = _stamp(self._now() + CLOCK_SLACK)  # one from the future would keep every later yes from counting
        news = [(id, at) for id, at in taken_back if self._taken_back.get(id, "") < str(at) <= latest]
        self._taken_back.update(news)
        return [id for id, _ in news]

    def still_frozen(self, frozen: Freeze | None) -> Freeze | None:
        """A freeze that was seen holds until the approver ended it; a row can be taken away."""
        if frozen is None and not self._freezes:
            return None  # nearly always, and every call asks: nothing has to be looked up for it
        if not self.asker():
            return frozen
        if frozen is not None:
            self._freezes[frozen.id] = frozen
        for seen in list(self._freezes.values()):
            if frozen is not None and seen.id == frozen.id:
                continue
            if not self._has_ended(seen):
                return frozen or seen
            del self._freezes[seen.id]
        return frozen

    def _has_ended(self, seen: Freeze) -> bool:
        now = self._look_at_freeze(seen.id)
        if now is None or now.ended_at is None or not self._known.public:
            return False
        said = resume_statement(freeze=seen.id, at=now.ended_at, by=now.ended_by)
        return is_signed(self._known.public, said, now.signature)

    def _spelled(self, approval: Approval, action: Action) -> bytes:
        return approval_statement(
            asker=self._name,
            request=approval.id,
            server=action.server,
            tool=action.tool,
            fingerprint=action.fingerprint,
            at=approval.decided_at or "",
            by=approval.decided_by,
            reason=approval.reason,
        )

    def _is_fresh(self, at: str | None) -> bool:
        now = self._now()
        try:
            age = now - datetime.fromisoformat(at or "")
        except (ValueError, TypeError):
            return False
        return -CLOCK_SLACK <= age <= GOOD_FOR


def _stamp(moment: datetime) -> str:
    """As times stand in the journal; such texts sort as the times do."""
    return moment.isoformat(timespec="microseconds")[:26] + "Z"


def _wall() -> datetime:
    return datetime.now(UTC)


def _elapsed() -> float:
    """Seconds that passed, those included in which the machine slept."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class NeverBack:
    """A clock that may be put forward and not back: an approval must not last longer because somebody set the clock."""

    def __init__(self, wall: Callable[[], datetime] = _wall, elapsed: Callable[[], float] = _elapsed) -> None:
        self._wall, self._elapsed = wall, elapsed
        self._started, self._first = wall(), elapsed()

    def __call__(self) -> datetime:
        return max(self._wall(), self._started + timedelta(seconds=self._elapsed() - self._first))


def _use(approval: Approval) -> tuple[str, str | None]:
    """One yes. The time is in what was signed, so it cannot be varied to make two of one."""
    return approval.id, approval.decided_at


def _called(action: Action) -> tuple[str, str, str]:
    return action.identity, action.server, action.tool


def _allowing(allowance: Allowance) -> tuple[str, str]:
    return allowance.request, allowance.at
