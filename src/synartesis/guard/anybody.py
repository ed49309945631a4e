"""Whose yes counts where no approver is set up: anybody's who can write the journal."""

from __future__ import annotations

from synartesis.domain.records import Action, Allowance, Approval, Freeze


class Anybody:
    def asker(self) -> str:
        return ""

    def accepts(self, approval: Approval, action: Action) -> bool:  # noqa: ARG002 - whoever gave it, whatever it is for
        return True

    def spend(self, approval: Approval) -> bool:  # noqa: ARG002 - the journal sees to that
        return True

    def give_back(self, approval: Approval) -> None: ...

    def allows(self, allowance: Allowance, action: Action) -> bool:  # noqa: ARG002 - as with approvals
        return True

    def spend_one(self, allowance: Allowance) -> bool:  # noqa: ARG002 - the journal sees to that
        return True

    def made(self, action: Action) -> int:  # noqa: ARG002 - the journal knows
        return 0

    def count(self, action: Action) -> None: ...

    def uncount(self, action: Action) -> None: ...

    def still_frozen(self, frozen: Freeze | None) -> Freeze | None:
        return frozen

    def give_one_back(self, allowance: Allowance) -> None: ...
