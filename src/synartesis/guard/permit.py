"""What lets a call through that would otherwise be asked about: an approval of this very call, or one use of an allowance."""

from __future__ import annotations

from synartesis.domain.ports import Approver
from synartesis.domain.records import Allowance, Approval, Opened
from synartesis.guard.decide import AskFirst, Proceed, Refuse


class Permit:
    """Whether a person's yes covers a call. An allowance is used only where something would have been asked."""

    __slots__ = ("_allowance", "_approval", "_uses_allowance")

    def __init__(self, approval: Approval | None, allowance: Allowance | None) -> None:
        self._approval = approval
        self._allowance = allowance
        self._uses_allowance = False

    def covers(self) -> bool:
        """Asked where the call would be held; the answer is remembered."""
        if self._approval is None and self._allowance is not None:
            self._uses_allowance = True
        return self.is_used

    @property
    def is_used(self) -> bool:
        return self.is_exact or self._uses_allowance

    @property
    def is_exact(self) -> bool:
        """A person saw these very arguments."""
        return self._approval is not None

    @property
    def number(self) -> int | None:
        """Of the allowance that this call is a use of."""
        return self._allowance.number if self._uses_allowance and self._allowance is not None else None

    def spend(self, approver: Approver) -> bool:
        if self._approval is not None:
            return approver.spend(self._approval)
        return not self._uses_allowance or self._allowance is None or approver.spend_one(self._allowance)

    def give_back(self, approver: Approver) -> None:
        if self._approval is not None:
            approver.give_back(self._approval)
        elif self._uses_allowance and self._allowance is not None:
            approver.give_one_back(self._allowance)


def permit_for(opened: Opened, decision: Proceed | AskFirst | Refuse, approver: Approver) -> Permit:
    """What is known when the call was opened and first judged."""
    approval = opened.approval if isinstance(decision, Proceed) and decision.approved else None
    allowance = opened.allowance
    covers = allowance is not None and approver.allows(allowance, opened.action)
    return Permit(approval, allowance if covers else None)
