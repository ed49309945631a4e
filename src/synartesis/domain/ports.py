"""What guard and undo need of the world. They await these and nothing else, so a test can stand behind every door."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from synartesis.domain.calls import ResolvedCall, SendOutcome
from synartesis.domain.records import (
    Action,
    Allowance,
    Approval,
    Asking,
    Captured,
    Finding,
    Freeze,
    Image,
    InverseCall,
    NewAction,
    NewRun,
    Opened,
    ProcessId,
    Read,
    Run,
    RunSummary,
    Seal,
)
from synartesis.domain.status import ActionStatus, ApprovalStatus, Era

NOTHING_MORE = Asking()


class Journal(Protocol):
    """The record of what happened. Every method is one transaction, and returns only when the record is as durable as it
    says. Every method may raise JournalUnavailable; then nothing of it was recorded.

    A move that `ACTION_MOVES` does not allow, or whose condition no longer holds, raises StaleAction.
    """

    async def open_run(self, run: NewRun) -> Run: ...

    async def record_opening(self, run: str, era: Era, opening: bytes, agent: str) -> None:
        """How the client opened the connection; may be called again when it tells more of itself (its roots)."""

    async def end_run(self, run: str) -> None:
        """The run's process says goodbye. Idempotent."""

    def server_started(self, server: str, process: ProcessId, *, by: ProcessId) -> None:
        """What `by` sends to this server from now on is got by this process, which leads a process group. Reaches the disk
        with the next commit, which is before anything leaves that is not a read."""

    async def open_action(self, new: NewAction, *, asker: str = "") -> Opened:
        """Write the call down as `recorded`. If a granted approval for its fingerprint exists (granted no more than an
        hour ago), it is reserved for this action in the same transaction. With `asker`, only what was asked under that
        name counts; a denial counts whoever asked.

        The row itself may reach the disk together with the next commit of this journal, at most a moment later: nothing
        has left yet. A reservation is on disk at once.
        """

    async def made_before(self, action: str) -> int:
        """How many calls of this action's tool its client made within the day before it: all that were sent, and those that
        are about to be. A client is known by its own name, in whatever run."""

    async def claim_inverse(self, new: NewAction) -> Action:
        """Write an inverse call down as `recorded`, claiming (undoes, undoes_step). Raises AlreadyClaimed where a live
        inverse of that step exists: another undo got there first, or it was made already; and StaleAction where what
        it undoes is not taken to have happened any more: somebody settled it."""

    async def hold(self, action: str, *, why: str, asking: Asking = NOTHING_MORE) -> Approval:
        """recorded -> held, and a request for a decision made of it. Where an identical call waits already, no second
        request is made: the attempt is counted on the first, which is returned, and this action leaves no row of its own
        unless it was already on disk. Gives a reserved approval back.

        Where it is asked under a name, a request that waits under that of another proxy is another request, unless that one
        has ended: then the request is asked under this name from now on."""

    async def record_dialog(self, approval: str, *, said: str, granted_by: str = "") -> bool:
        """What the client's own dialog was asked about a request and answered. With `granted_by`, WAITING -> GRANTED in the
        same transaction. Whether it is granted now."""

    async def mark_denied(self, action: str, *, approval: str) -> None:
        """recorded -> denied: a person said no to this very call within the last hour. Leaves no row of its own if it is
        not on disk yet; the attempt is counted on the request."""

    async def mark_sent(
        self,
        action: str,
        *,
        resource: str | None,
        read: Read | None,
        before: Image | None,
        inverse: tuple[InverseCall, ...] | None,
        captured: Captured | None = None,
        note: str = "",
        allowance: int | None = None,
    ) -> None:
        """recorded -> sent (or paused -> sent), durable against power loss when it returns. Spends the approval that the
        action has reserved, or one use of an allowance; raises StaleAction, with nothing changed, where that approval is no
        longer this action's, or nothing is left of the allowance."""

    async def mark_applied(
        self,
        action: str,
        *,
        reply: bytes | None,
        after: Image | None,
        inverse: tuple[InverseCall, ...] | None,
        resource: str | None = None,
        read: Read | None = None,
        note: str = "",
    ) -> None:
        """sent, paused or unknown -> applied. `inverse` replaces the one that was known when the call was sent. `resource`
        and `read` are given together, where only the answer said what to read; otherwise what `mark_sent` said stays."""

    async def mark_rejected(self, action: str, *, reply: bytes, after: Image | None, note: str = "") -> None: ...

    async def give_up(self, action: str, *, why: str) -> None:
        """recorded -> failed, and only that: nothing has left. Raises StaleAction where it was sent meanwhile, so that a
        cancelled call can never turn "sent" into "never left". Gives a reserved approval back."""

    async def mark_failed(self, action: str, *, why: str) -> None:
        """sent, paused or unknown -> failed: it provably did not arrive. (From recorded: see `give_up`.)"""

    async def mark_unknown(self, action: str, *, why: str) -> None: ...

    async def mark_paused(self, action: str, *, reply: bytes) -> None: ...

    def record_read(self, new: NewAction, *, status: ActionStatus, note: str = "") -> None:
        """A readonly call and its outcome, in one go, after the answer was passed on. Reaches the disk with the next
        commit, at most a moment later; never raises (a failure is raised by the next awaited method)."""

    async def record_finding(self, finding: Finding) -> None:
        """Evidence of an undo step. A RESTORED, COMPENSATED or ALREADY finding makes the action count as undone; MISMATCH
        does not, and releases nothing: its inverse was sent."""


class History(Protocol):
    """The same record, read. Plain calls: commands that only look need no event loop."""

    def runs(self, *, limit: int | None = None) -> list[RunSummary]:
        """Most recent first, by insertion, never by the clock."""

    def run(self, run: str) -> RunSummary | None: ...

    def actions(self, run: str) -> list[Action]:
        """By seq."""

    def action(self, action: str) -> Action | None: ...

    def inverses_of(self, action: str) -> list[Action]:
        """Inverse actions that undo this one, oldest first, whatever became of them."""

    def findings_of(self, action: str) -> list[Finding]:
        """What undos proved about an action, oldest first."""

    def approvals(self, statuses: Sequence[ApprovalStatus]) -> list[Approval]:
        """Oldest request first. A grant older than an hour is returned as LAPSED."""

    def approval(self, approval: str) -> Approval | None: ...

    def made_lately(self, action: str) -> int:
        """How many calls of this action's tool its client made within the day before it."""

    def find(self, kind: str, prefix: str) -> list[str]:
        """Ids that start with a prefix; kind is `run`, `action` or `approval`."""

    def changed_later(self, identity: str, resource: str | None, after_action: str) -> list[Action]:
        """Actions of any run on this resource that were opened after this one and may have changed it, oldest first. None
        stands for the whole server: whatever they are about."""

    def live_undo_of(self, run: str) -> Run | None:
        """The undo run that is walking this run backwards right now, its process alive."""

    def outliving(self, action: str) -> ProcessId | None:
        """A process of the action's server that outlived the one that started it and sent this call: it may still do it.
        None where there is none, or where the process that sent it runs itself."""

    def allowances(self, run: str | None = None) -> list[Allowance]:
        """Those of a run; without one, all by which calls may still go out. Oldest first."""

    def frozen(self) -> Freeze | None:
        """The freeze that holds."""

    def freeze_of(self, freeze: str) -> Freeze | None:
        """One, by its id, whether or not it holds."""

    def approver_key(self) -> str:
        """The public key that approvals have to be signed with; empty where there is none."""


class Decisions(Protocol):
    """What a person does to requests. The condition is in the statement and the row count is the answer."""

    def decide(
        self, approval: str, *, grant: bool, by: str, reason: str, seal: Seal | None = None, more: int = 0
    ) -> Approval | None:
        """WAITING -> GRANTED or DENIED; DENIED (within its hour) -> GRANTED; GRANTED -> DENIED. None where it no longer
        was in such a state, or is asked by another than the seal says. The hour of a grant starts here, or when its seal
        says. `more`: so many further calls of this tool may go out in the run that asks. To deny takes back what is left
        of those, also where the request itself was carried out."""

    def freeze(self, *, by: str, reason: str) -> Freeze:
        """No write of any proxy leaves from now on. The one that holds already, where there is one."""

    def resume(self, freeze: str, *, by: str, at: str = "", signature: str = "") -> bool:
        """End a freeze. False where it has ended."""

    def set_approver(self, public: str, *, by: str) -> None:
        """From now on approvals have to be signed with this key; an empty one ends that. For proxies that start later, and
        for those that have known none so far."""

    def close_run(self, run: str) -> bool:
        """End a run whose process is gone: what it left `sent` or `paused` becomes `unknown`, `recorded` becomes `failed`."""


class Upstream(Protocol):
    """The servers. One method, because how a call is sent does not depend on why."""

    async def call(self, call: ResolvedCall) -> SendOutcome:
        """Send once, wait for the final answer for as long as the server takes. Never raises for anything that the server
        or the pipe does. A call that cannot be written in full is ReplyLost unless provably nothing of it was read."""


class Approver(Protocol):
    """Whose yes counts. Judges what the journal says by what this process has in memory."""

    def asker(self) -> str:
        """The name under which this proxy asks; empty where any approval counts."""

    def accepts(self, approval: Approval, action: Action) -> bool:
        """Whether a reserved approval is the approver's yes to this very action."""

    def allows(self, allowance: Allowance, action: Action) -> bool:
        """Whether it is the approver's, and covers this action."""

    def spend_one(self, allowance: Allowance) -> bool:
        """One call of it. False where this process has let as many out, whatever the journal says."""

    def give_one_back(self, allowance: Allowance) -> None: ...

    def spend(self, approval: Approval) -> bool:
        """Use it up, in the line before the call leaves. False where it was used before, whatever the journal says."""

    def give_back(self, approval: Approval) -> None:
        """It was not sent after all."""

    def made(self, action: Action) -> int:
        """How many other calls of this action's tool this process has let out within a day, or is about to. The journal counts
        more, those of other proxies and of earlier ones; but it can be written."""

    def count(self, action: Action) -> None:
        """It is about to be let out."""

    def uncount(self, action: Action) -> None:
        """It was not."""

    def still_frozen(self, frozen: Freeze | None) -> Freeze | None:
        """The freeze that holds, whatever the journal says now of one that this process has seen."""


class Clock(Protocol):
    async def sleep(self, seconds: float) -> None: ...


class Ids(Protocol):
    def new_id(self) -> str:
        """A fresh id: 12 lower-case hexadecimal digits."""


class Turns(Protocol):
    """Writes to one resource, one after the other, in the order in which they asked."""

    def turn(self, resource: str, *, of: str) -> AbstractAsyncContextManager[None]:
        """Wait for this resource's turn; `of` says whose it is while it lasts. Raises TurnTimeout after 60 s."""


class Frozen(Exception):
    """Every write was stopped before this one left."""

    def __init__(self, freeze: Freeze) -> None:
        super().__init__(freeze.id)
        self.freeze = freeze


class TurnTimeout(Exception):
    """Another write to the same resource did not end in time. `blocker` is who had the turn."""

    def __init__(self, blocker: str) -> None:
        super().__init__(blocker)
        self.blocker = blocker


class StaleAction(Exception):
    """The action is not in the state that the move needs: somebody else moved it."""


class BeingUndone(StaleAction):
    """The action's run is being walked backwards right now, or such an undo of it is being taken back, by `undo_run`: nothing of
    it is sent any more."""

    def __init__(self, action: str, undo_run: str) -> None:
        super().__init__(action)
        self.undo_run = undo_run


class InverseMade(StaleAction):
    """An inverse of the action was sent, or is about to be: it cannot be said any more that it never happened."""


class AlreadyClaimed(Exception):
    """A live inverse of this step exists. `by_run` is the undo run that made it."""

    def __init__(self, by_run: str) -> None:
        super().__init__(by_run)
        self.by_run = by_run
