"""The twin: the same contract in plain dictionaries, written as a model rather than as a store. For tests and simulation.

It is the readable answer to "what should the journal do here"; where it and the SQLite journal disagree, one of them is
wrong. Nothing outlives the process, and nothing is fast on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from synartesis.domain.ports import NOTHING_MORE, AlreadyClaimed, BeingUndone, Frozen, InverseMade, StaleAction
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
from synartesis.domain.status import (
    ACTION_MOVES,
    MAY_HAVE_HAPPENED,
    ActionStatus,
    ApprovalStatus,
    Era,
    RunKind,
    RunStatus,
    ToolClass,
    Undone,
)
from synartesis.domain.things import things_in
from synartesis.errors import JournalUnavailable
from synartesis.journal import liveness
from synartesis.journal.liveness import ENDED_BEFORE_SENDING, ENDED_WITHOUT_OUTCOME

CLAIMING = frozenset({ActionStatus.RECORDED, ActionStatus.SENT, ActionStatus.PAUSED}) | {
    ActionStatus.APPLIED,
    ActionStatus.UNKNOWN,
}
CARRIED_OUT = MAY_HAVE_HAPPENED | {ActionStatus.APPLIED}
UNDONE = frozenset({Undone.RESTORED, Undone.COMPENSATED, Undone.ALREADY})
MADE = CARRIED_OUT | {ActionStatus.RECORDED, ActionStatus.REJECTED}
HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)
CLOCK_SLACK = timedelta(seconds=5)


class MemoryJournal:
    """Journal, History and Decisions in memory."""

    def __init__(
        self,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        alive: Callable[[ProcessId], bool] = liveness.is_alive,
        group_alive: Callable[[ProcessId], bool] = liveness.group_is_alive,
    ) -> None:
        self._now = now
        self._alive = alive
        self._group_alive = group_alive
        self._server_processes: list[tuple[str, ProcessId, ProcessId]] = []
        self._runs: dict[str, Run] = {}
        self._actions: dict[str, Action] = {}
        """By insertion; a later state of an action keeps its place."""
        self._in_tail: set[str] = set()
        """Actions whose row would not be on disk yet: a call that is refused again may leave without one."""
        self._next_seq: dict[str, int] = {}
        self._approvals: dict[str, Approval] = {}
        """As decided; see `_standing` for what they have become since."""
        self._asked_by: dict[str, ProcessId] = {}
        """By request: the process that asked, where it asked under a name."""
        self.dialogs: list[tuple[str, str]] = []
        """What clients' own dialogs were asked about, and answered."""
        self._approver = ""
        self._allowances: list[Allowance] = []
        self._freezes: list[Freeze] = []
        self._findings: list[Finding] = []
        self._released: set[str] = set()
        """Inverses that were undone themselves."""

    def close(self) -> None:
        self._commit()

    # --- Journal: runs

    async def open_run(self, run: NewRun) -> Run:
        self._commit()
        if run.id in self._runs:
            raise JournalUnavailable(f"the run {run.id} is there already")
        opened = Run(
            **run._asdict(), era=None, opening=b"", started_at=self._stamp(), ended_at=None, redoes=self._redoes(run)
        )
        self._runs[run.id] = opened
        return opened

    def _redoes(self, run: NewRun) -> bool:
        undone = self._runs.get(run.undoes or "")
        return run.kind is RunKind.UNDO and undone is not None and undone.kind is RunKind.UNDO

    async def record_opening(self, run: str, era: Era, opening: bytes, agent: str) -> None:
        self._commit()
        self._runs[run] = self._runs[run]._replace(era=era, opening=opening, agent=agent)

    async def end_run(self, run: str) -> None:
        self._commit()
        if self._runs[run].ended_at is None:
            self._runs[run] = self._runs[run]._replace(ended_at=self._stamp())

    def server_started(self, server: str, process: ProcessId, *, by: ProcessId) -> None:
        self._server_processes.append((server, process, by))

    # --- Journal: a call

    async def open_action(self, new: NewAction, *, asker: str = "") -> Opened:
        bearing = self._bearing_on(new.fingerprint, asker)
        undo = self._walked_by(new.run)
        reserves = bearing is not None and bearing.status is ApprovalStatus.GRANTED
        action = self._add(new, approval=bearing.id if bearing is not None and reserves else None)
        if bearing is not None and reserves:
            self._commit()
            self._change(bearing.id, status=ApprovalStatus.RESERVED, spent_by=new.id)
            bearing = bearing._replace(status=ApprovalStatus.RESERVED, spent_by=new.id)
        allowance = next((each for each in self._allowances if self._covers(each, new, asker)), None)
        return Opened(action, bearing, None if undo is None else undo.id, allowance, self.frozen())

    async def made_before(self, action: str) -> int:
        self._commit()
        return self.made_lately(action)

    def made_lately(self, action: str) -> int:
        mine = self._actions[action]
        run, since = self._runs[mine.run], (self._now() - DAY).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        number = 0
        for each in self._actions.values():
            if each.id == action:
                break
            of = self._runs[each.run]
            same_tool = (each.identity, each.server, each.tool) == (mine.identity, mine.server, mine.tool)
            same_client = (of.agent, of.kind) == (run.agent, run.kind)
            number += same_tool and same_client and each.at >= since and each.status in MADE
        return number

    async def claim_inverse(self, new: NewAction) -> Action:
        for other in list(self._actions.values()):
            if not self._claims(other, new):
                continue
            if other.status is not ActionStatus.RECORDED or self._alive(self._runs[other.run].process):
                raise AlreadyClaimed(other.run)
            self._move(other.id, ActionStatus.FAILED, note=ENDED_BEFORE_SENDING)
        target = self._actions.get(new.undoes or "")
        if target is not None and target.status not in CARRIED_OUT:
            raise StaleAction(target.id)
        action = self._add(new)
        self._commit()
        return action

    def _claims(self, other: Action, new: NewAction) -> bool:
        same_step = other.undoes is not None and (other.undoes, other.undoes_step) == (new.undoes, new.undoes_step)
        return same_step and self._is_claim(other)

    def _is_claim(self, inverse: Action) -> bool:
        return inverse.status in CLAIMING and inverse.id not in self._released

    async def hold(self, action: str, *, why: str, asking: Asking = NOTHING_MORE) -> Approval:
        held = self._expect(action, ActionStatus.HELD)
        in_tail = action in self._in_tail
        had_approval = self._give_back(action)
        asked = self._already_asked(held, asking.asker, waiting_only=had_approval)
        if asked is None:
            self._move(action, ActionStatus.HELD, note=why)
            self._approvals[action] = self._request(held, why)._replace(**asking._asdict(), asked_in=held.run)
            self._asked_by[action] = self._runs[held.run].process
        elif in_tail:
            self._drop(held)
        else:
            self._move(action, ActionStatus.HELD, note=why)
        self._commit()
        return self._standing(self._approvals[action]) if asked is None else self._count_attempt(asked, held.run)

    async def record_dialog(self, approval: str, *, said: str, granted_by: str = "") -> bool:
        self._commit()
        self.dialogs.append((approval, said))
        return bool(granted_by) and self.decide(approval, grant=True, by=granted_by, reason="") is not None

    async def mark_denied(self, action: str, *, approval: str) -> None:
        denied = self._expect(action, ActionStatus.DENIED)
        if approval in self._approvals:
            self._count_attempt(approval)
        self._give_back(action)
        if action in self._in_tail:
            self._drop(denied)
        else:
            self._move(action, ActionStatus.DENIED)
        self._commit()

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
        self._refuse_while_undone(action)
        was = self._expect(action, ActionStatus.SENT)
        frozen = self.frozen()
        if frozen is not None and was.undoes is None and was.tool_class is not ToolClass.READONLY:
            raise Frozen(frozen)
        if allowance is not None:
            self._use(allowance, was)
        if was.status is ActionStatus.RECORDED and was.approval is not None:
            approval = self._approvals[was.approval]
            if (approval.status, approval.spent_by) != (ApprovalStatus.RESERVED, action):
                raise StaleAction(action)
            self._change(approval.id, status=ApprovalStatus.USED)
        said = {"resource": resource, "read": read, "before": before, "inverse": inverse, "captured": captured}
        if was.status is ActionStatus.PAUSED:
            said = {name: value for name, value in said.items() if value is not None}
        self._move(action, ActionStatus.SENT, note=note, **said)
        self._commit()

    def _refuse_while_undone(self, action: str) -> None:
        """A call that was opened before its run's undo began must not slip out behind the undo's back."""
        undo = self._walked_by(self._actions[action].run) if action in self._actions else None
        if undo is not None:
            raise BeingUndone(action, undo.id)

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
        told = {} if read is None else {"resource": resource, "read": read}
        self._move(action, ActionStatus.APPLIED, note=note, reply=reply, after=after, inverse=inverse, **told)
        self._commit()

    async def mark_rejected(self, action: str, *, reply: bytes, after: Image | None, note: str = "") -> None:
        self._move(action, ActionStatus.REJECTED, note=note, reply=reply, after=after)
        self._commit()

    async def give_up(self, action: str, *, why: str) -> None:
        if action not in self._actions or self._actions[action].status is not ActionStatus.RECORDED:
            raise StaleAction(action)
        await self.mark_failed(action, why=why)

    async def mark_failed(self, action: str, *, why: str) -> None:
        was = self._actions.get(action)
        if (
            was is not None
            and was.status is ActionStatus.UNKNOWN
            and any(map(self._is_claim, self.inverses_of(action)))
        ):
            raise InverseMade(action)
        self._move(action, ActionStatus.FAILED, note=why)
        self._give_back(action)
        self._commit()

    async def mark_unknown(self, action: str, *, why: str) -> None:
        self._move(action, ActionStatus.UNKNOWN, note=why)
        self._commit()

    async def mark_paused(self, action: str, *, reply: bytes) -> None:
        self._move(action, ActionStatus.PAUSED, reply=reply, after=None)
        self._commit()

    def record_read(self, new: NewAction, *, status: ActionStatus, note: str = "") -> None:
        action = self._add(new)
        self._actions[new.id] = action._replace(status=status, note=note)

    async def record_finding(self, finding: Finding) -> None:
        if finding.action not in self._actions:
            raise StaleAction(finding.action)
        self._find(finding)
        self._commit()

    def _find(self, finding: Finding) -> None:
        """Take a finding in, and say of the action below in the chain what follows: an inverse that is undone has no
        effect any more, and one that is redone has it again."""
        self._findings.append(finding)
        action = self._actions[finding.action] = self._actions[finding.action]._replace(undone=finding.undone)
        if action.undoes is None or finding.undone is Undone.MISMATCH:
            return
        below = self._actions[action.undoes]
        if finding.undone in UNDONE:
            self._released.add(action.id)
            if below.undone in UNDONE:
                self._find(finding._replace(action=below.id, undone=Undone.REDONE, detail=b"[]"))
            return
        new_claim = NewAction(*[getattr(action, name) for name in NewAction._fields])
        others = [each for each in self._actions.values() if each.id != action.id]
        if not any(self._claims(each, new_claim) for each in others):
            self._released.discard(action.id)
        said = [each.undone for each in self._findings if each.action == below.id and each.undone in UNDONE]
        if said and below.undone not in UNDONE:
            self._find(finding._replace(action=below.id, undone=said[-1], detail=b"[]"))

    # --- History

    def runs(self, *, limit: int | None = None) -> list[RunSummary]:
        self._commit()
        newest_first = [self._summary(run) for run in reversed(self._runs.values())]
        return newest_first if limit is None else newest_first[:limit]

    def run(self, run: str) -> RunSummary | None:
        self._commit()
        return self._summary(self._runs[run]) if run in self._runs else None

    def actions(self, run: str) -> list[Action]:
        self._commit()
        return sorted((each for each in self._actions.values() if each.run == run), key=lambda each: each.seq)

    def action(self, action: str) -> Action | None:
        self._commit()
        return self._actions.get(action)

    def inverses_of(self, action: str) -> list[Action]:
        self._commit()
        return [each for each in self._actions.values() if each.undoes == action]

    def findings_of(self, action: str) -> list[Finding]:
        self._commit()
        return [each for each in self._findings if each.action == action]

    def approvals(self, statuses: Sequence[ApprovalStatus]) -> list[Approval]:
        place = {id: at for at, id in enumerate(self._actions)}
        found = map(self._standing, self._approvals.values())
        wanted = [self._with_count(each) for each in found if each.status in statuses]
        return sorted(wanted, key=lambda each: place[each.id])

    def approval(self, approval: str) -> Approval | None:
        return self._with_count(self._standing(self._approvals[approval])) if approval in self._approvals else None

    def find(self, kind: str, prefix: str) -> list[str]:
        self._commit()
        ids = {"run": list(self._runs), "action": list(self._actions), "approval": list(self._approvals)}[kind]
        return sorted(id for id in ids if id.startswith(prefix))[:100]

    def changed_later(self, identity: str, resource: str | None, after_action: str) -> list[Action]:
        self._commit()
        order, asked = list(self._actions), set(things_in(resource or ""))
        if after_action not in self._actions:
            return []
        later = [self._actions[id] for id in order[order.index(after_action) + 1 :]]
        return [
            each
            for each in later
            if each.identity == identity
            and (resource is None or each.resource is None or not asked.isdisjoint(things_in(each.resource)))
            and each.status in CARRIED_OUT
            and each.tool_class is not ToolClass.READONLY
        ]

    def live_undo_of(self, run: str) -> Run | None:
        return next(filter(self._is_live_undo, (undo for undo in self._runs.values() if undo.undoes == run)), None)

    def _is_live_undo(self, run: Run) -> bool:
        return run.kind is RunKind.UNDO and run.ended_at is None and self._alive(run.process)

    def outliving(self, action: str) -> ProcessId | None:
        found = self._actions.get(action)
        if found is None or self._alive(self._runs[found.run].process):
            return None
        for server, process, by in reversed(self._server_processes):
            if (server, by) == (found.server, self._runs[found.run].process) and self._group_alive(process):
                return process
        return None

    def _walked_by(self, run: str) -> Run | None:
        """Its undo, or the redo of one."""
        undos = {undo.id for undo in self._runs.values() if undo.undoes == run}
        return next(
            filter(self._is_live_undo, (one for one in self._runs.values() if one.undoes in {run, *undos})), None
        )

    def allowances(self, run: str | None = None) -> list[Allowance]:
        if run is not None:
            return [each for each in self._allowances if each.run == run]
        return [each for each in self._allowances if each.left and self._is_active(each.run)]

    def frozen(self) -> Freeze | None:
        return next((each for each in self._freezes if each.ended_at is None), None)

    def freeze_of(self, freeze: str) -> Freeze | None:
        return next((each for each in self._freezes if each.id == freeze), None)

    def approver_key(self) -> str:
        return self._approver

    # --- Decisions

    def decide(
        self, approval: str, *, grant: bool, by: str, reason: str, seal: Seal | None = None, more: int = 0
    ) -> Approval | None:
        self._commit()
        if approval not in self._approvals:
            return None
        revoked = not grant and self._revoke(approval)
        if seal is not None and seal.asker != self._approvals[approval].asker:
            return None
        match self._standing(self._approvals[approval]).status:
            case ApprovalStatus.WAITING:
                allowed = True
            case ApprovalStatus.GRANTED:
                allowed = not grant
            case ApprovalStatus.DENIED:
                allowed = grant and self._still_denied(self._approvals[approval])
            case _:
                allowed = False
        if not allowed:
            return self.approval(approval) if revoked else None
        if more:
            self._allow(self._approvals[approval], more, by, reason, seal)
        decided = self._change(
            approval,
            status=ApprovalStatus.GRANTED if grant else ApprovalStatus.DENIED,
            decided_at=self._stamp() if seal is None else seal.at,
            decided_by=by,
            reason=reason,
            spent_by=None,
            signature="" if seal is None else seal.signature,
        )
        return self._with_count(decided)

    def freeze(self, *, by: str, reason: str) -> Freeze:
        held = self.frozen()
        if held is None:
            held = Freeze(f"freeze {len(self._freezes)}", self._stamp(), by, reason, None)
            self._freezes.append(held)
        return held

    def resume(self, freeze: str, *, by: str, at: str = "", signature: str = "") -> bool:
        held = self.freeze_of(freeze)
        if held is None or held.ended_at is not None:
            return False
        ended = held._replace(ended_at=at or self._stamp(), ended_by=by, signature=signature)
        self._freezes[self._freezes.index(held)] = ended
        return True

    def set_approver(self, public: str, *, by: str) -> None:  # noqa: ARG002 - only the history keeps the name
        self._approver = public

    def close_run(self, run: str) -> bool:
        self._commit()
        if run not in self._runs or self._alive(self._runs[run].process):
            return False
        left = [each for each in self.actions(run) if each.status in _LEFT]
        for action in left:
            if action.status is ActionStatus.RECORDED:
                self._move(action.id, ActionStatus.FAILED, note=ENDED_BEFORE_SENDING)
                self._give_back(action.id)
            else:
                self._move(action.id, ActionStatus.UNKNOWN, note=ENDED_WITHOUT_OUTCOME)
        ended = self._runs[run].ended_at is None
        if ended:
            self._runs[run] = self._runs[run]._replace(ended_at=self._stamp())
        return ended or bool(left)

    # --- allowances

    def _allow(self, request: Approval, uses: int, by: str, reason: str, seal: Seal | None) -> None:
        self._allowances.append(
            Allowance(
                number=len(self._allowances) + 1,
                request=request.id,
                run=request.asked_in,
                server=request.server,
                identity=request.identity,
                tool=request.tool,
                uses=uses,
                used=0,
                at=self._stamp() if seal is None else seal.at,
                by=by,
                reason=reason,
                asker=request.asker,
                signature="" if seal is None else seal.for_run,
                revoked_at=None,
            )
        )

    def _covers(self, allowance: Allowance, new: NewAction, asker: str) -> bool:
        of_call = (new.run, new.server, new.identity, new.tool, asker)
        mine = (allowance.run, allowance.server, allowance.identity, allowance.tool, allowance.asker)
        return of_call == mine and allowance.left > 0

    def _use(self, number: int, action: Action) -> None:
        allowance = self._allowances[number - 1]
        if not allowance.left:
            raise StaleAction(action.id)
        self._allowances[number - 1] = allowance._replace(used=allowance.used + 1)
        self._actions[action.id] = action._replace(approval=allowance.request)
        for each in self._approvals.values():
            waits = each.status is ApprovalStatus.WAITING and each.asker == allowance.asker
            if waits and each.fingerprint == action.fingerprint:
                said = {"decided_at": allowance.at, "decided_by": allowance.by, "reason": allowance.reason}
                self._change(each.id, status=ApprovalStatus.USED, spent_by=action.id, **said)

    def _revoke(self, request: str) -> bool:
        found = [each for each in self._allowances if each.request == request and each.left]
        for each in found:
            self._allowances[each.number - 1] = each._replace(revoked_at=self._stamp())
        return bool(found)

    def _is_active(self, run: str) -> bool:
        return self._runs[run].ended_at is None and self._alive(self._runs[run].process)

    # --- below: how

    def _commit(self) -> None:
        """Whatever is written takes the tail along."""
        self._in_tail.clear()

    def _stamp(self) -> str:
        return self._now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def _add(self, new: NewAction, *, approval: str | None = None) -> Action:
        seq = self._next_seq.get(new.run, 1)
        self._next_seq[new.run] = seq + 1
        action = Action(
            **new._asdict(),
            seq=seq,
            status=ActionStatus.RECORDED,
            resource=None,
            read=None,
            before=None,
            after=None,
            reply=None,
            inverse=None,
            approval=approval,
            undone=None,
            note="",
            at=self._stamp(),
        )
        self._actions[new.id] = action
        self._in_tail.add(new.id)
        return action

    def _drop(self, action: Action) -> None:
        """As if it had never been opened; its number is free again where it was the last one."""
        del self._actions[action.id]
        if self._next_seq[action.run] == action.seq + 1:
            self._next_seq[action.run] = action.seq

    def _expect(self, action: str, to: ActionStatus) -> Action:
        found = self._actions.get(action)
        if found is None or to not in ACTION_MOVES[found.status]:
            raise StaleAction(action)
        return found

    def _move(self, action: str, to: ActionStatus, *, note: str = "", **said: Any) -> None:
        was = self._expect(action, to)
        notes = "\n".join(filter(None, (was.note, note)))
        self._actions[action] = was._replace(status=to, note=notes, **said)

    def _request(self, action: Action, why: str) -> Approval:
        return Approval(
            id=action.id,
            run=action.run,
            seq=action.seq,
            server=action.server,
            identity=action.identity,
            tool=action.tool,
            arguments=action.arguments,
            fingerprint=action.fingerprint,
            status=ApprovalStatus.WAITING,
            why=why,
            requested_at=self._stamp(),
            attempts=1,
            decided_at=None,
            decided_by="",
            reason="",
            spent_by=None,
        )

    def _change(self, approval: str, **said: Any) -> Approval:
        self._approvals[approval] = self._approvals[approval]._replace(**said)
        return self._standing(self._approvals[approval])

    def _count_attempt(self, approval: str, run: str | None = None) -> Approval:
        known = self._approvals[approval]
        return self._change(approval, attempts=known.attempts + 1, asked_in=run or known.asked_in)

    def _give_back(self, action: str) -> bool:
        for approval in self._approvals.values():
            if approval.status is ApprovalStatus.RESERVED and approval.spent_by == action:
                self._change(approval.id, status=ApprovalStatus.GRANTED, spent_by=None)
                self._actions[action] = self._actions[action]._replace(approval=None)
                return True
        return False

    def _standing(self, approval: Approval) -> Approval:
        """What a request is by now, and the identical calls that were carried out before it."""
        holder = approval.spent_by
        if approval.status is ApprovalStatus.RESERVED and holder is not None:
            action = self._actions[holder]
            if action.status is ActionStatus.RECORDED and not self._alive(self._runs[action.run].process):
                approval = approval._replace(status=ApprovalStatus.GRANTED, spent_by=None)
        if approval.status is ApprovalStatus.GRANTED:
            age = self._now() - datetime.fromisoformat(approval.decided_at or "")
            if not -CLOCK_SLACK <= age <= HOUR:
                approval = approval._replace(status=ApprovalStatus.LAPSED)
        earlier = []
        for action in self._actions.values():
            if action.id == holder:
                break
            was_asked = action.tool_class is ToolClass.IRREVERSIBLE or action.approval is not None
            if was_asked and action.fingerprint == approval.fingerprint and action.status in CARRIED_OUT:
                earlier.append((action.run, action.seq, action.undone in UNDONE))
        gone = bool(approval.asker) and not self._alive(self._asked_by[approval.id])
        return approval._replace(earlier=tuple(reversed(earlier[-5:])), asker_gone=gone)

    def _with_count(self, approval: Approval) -> Approval:
        return approval._replace(made=self.made_lately(approval.id))

    def _still_denied(self, approval: Approval) -> bool:
        if approval.status is not ApprovalStatus.DENIED:
            return False
        return self._now() - datetime.fromisoformat(approval.decided_at or "") <= HOUR

    def _bearing_on(self, fingerprint: str, asker: str) -> Approval | None:
        found = [self._standing(each) for each in self._approvals.values() if each.fingerprint == fingerprint]
        denied = [each for each in found if self._still_denied(each)]
        last_no = max((each.decided_at or "" for each in denied), default="")
        found = [each for each in found if asker in ("", each.asker)]
        for each in found:
            if each.status is ApprovalStatus.GRANTED and (each.decided_at or "") > last_no:
                return each
        if denied:
            return max(denied, key=lambda each: each.decided_at or "")
        return next((each for each in found if each.status is ApprovalStatus.WAITING), None)

    def _already_asked(self, held: Action, asker: str, *, waiting_only: bool) -> str | None:
        waiting = [each for each in self.approvals([ApprovalStatus.WAITING]) if each.fingerprint == held.fingerprint]
        for each in waiting:
            if asker in ("", each.asker):
                return each.id
        for each in waiting:
            if each.asker_gone or not each.asker:
                self._change(each.id, asker=asker)
                self._asked_by[each.id] = self._runs[held.run].process
                return each.id
        bearing = None if waiting_only else self._bearing_on(held.fingerprint, asker)
        return None if bearing is None else bearing.id

    def _summary(self, run: Run) -> RunSummary:
        actions = [each for each in self._actions.values() if each.run == run.id]
        writes = [each for each in actions if each.tool_class is not ToolClass.READONLY]
        alive = self._alive(run.process)
        in_flight = [each for each in writes if each.status in (ActionStatus.SENT, ActionStatus.PAUSED)]
        unknown = [each for each in writes if each.status is ActionStatus.UNKNOWN] + ([] if alive else in_flight)
        changes = [each for each in writes if each.status is ActionStatus.APPLIED]
        undone = [each for each in changes if each.undone in UNDONE]
        if undone:
            all_of_it = undone == changes and not unknown and not in_flight
            status = RunStatus.UNDONE if all_of_it else RunStatus.PARTIAL
        elif run.ended_at is not None:
            status = RunStatus.COMPLETE
        else:
            status = RunStatus.ACTIVE if alive else RunStatus.ABANDONED
        waiting = [each for each in self.approvals([ApprovalStatus.WAITING]) if each.run == run.id]
        return RunSummary(run, status, len(actions), len(waiting), len(unknown))


_LEFT = frozenset({ActionStatus.RECORDED, ActionStatus.SENT, ActionStatus.PAUSED})
