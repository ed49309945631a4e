"""The record, written by the one process that owns a run. Every method is one transaction, committed in place.

Rows that bind nobody yet (a call written down, a read that was answered) wait in memory and reach the disk with the next
transaction or a moment later by themselves, so a write costs two commits; see `tail.py`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TypeVar

from synartesis.domain.ports import NOTHING_MORE, AlreadyClaimed, BeingUndone, Frozen, InverseMade, StaleAction
from synartesis.domain.records import (
    Action,
    Approval,
    Asking,
    Captured,
    Finding,
    Image,
    InverseCall,
    NewAction,
    NewRun,
    Opened,
    ProcessId,
    Read,
    Run,
)
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus, ApprovalStatus, Era, ToolClass
from synartesis.journal import allowances, approvals, chain, freezes
from synartesis.journal.blobs import image_columns, keep
from synartesis.journal.ledger import Moved, storable
from synartesis.journal.liveness import ENDED_BEFORE_SENDING
from synartesis.journal.reads import LIVE_WALK
from synartesis.journal.rows import pack_inverse, pack_read
from synartesis.journal.tail import TailedJournal, Waiting

T = TypeVar("T")


class SqliteJournal(TailedJournal):
    """Journal, History and Decisions over one file."""

    # --- runs

    async def open_run(self, run: NewRun) -> Run:
        await self._commit(lambda: self._ledger.add_run(run))
        summary = self.run(run.id)
        assert summary is not None
        self._next_seq[run.id] = 1
        return summary.run

    async def record_opening(self, run: str, era: Era, opening: bytes, agent: str) -> None:
        """How the client opened the connection; may be called again when it tells more of itself (its roots)."""

        def work() -> None:
            number = self._ledger.run_number(run)
            (known,) = self._connection.execute("SELECT era FROM runs WHERE number = :run", {"run": number}).fetchone()
            row: dict[str, chain.Value] = {"era": era, "opening": opening, "agent": storable(agent)}
            self._connection.execute(
                "UPDATE runs SET era = :era, opening = :opening, agent = :agent WHERE number = :number",
                {**row, "number": number},
            )
            kind = "run-opened" if known is None else "run-told"
            # It takes the place of what the run was started with, so it covers all that that covered.
            self._ledger.event(kind, run=number, who=storable(agent), covered=self._ledger.covered_run(run))

        await self._commit(work)

    async def end_run(self, run: str) -> None:
        """The run's process says goodbye. Idempotent."""
        await self._commit(lambda: self._ledger.end_run(run))

    # --- a call

    async def open_action(self, new: NewAction, *, asker: str = "") -> Opened:
        """Write the call down as `recorded`, reserving a granted approval for it if there is one (with `asker`, one that
        was asked for under that name)."""
        if self._tail_failed:
            await self._commit(lambda: None)  # nothing more is taken on before what waits is on disk
        await self._pack_ahead(new.arguments)
        opened = await self._when_free(lambda: self._open_action(new, asker))
        self._under_way[new.id] = new.arguments
        return opened

    def _open_action(self, new: NewAction, asker: str) -> Opened:
        at = self._ledger.at()
        run = self._ledger.run_number(new.run)
        asked, undoing, allowed, stopped = self._connection.execute(
            "SELECT EXISTS (SELECT 1 FROM approvals WHERE fingerprint = :fingerprint),"
            " EXISTS (SELECT 1 FROM runs WHERE undoes = :run), EXISTS (SELECT 1 FROM allowances WHERE run = :number),"
            " EXISTS (SELECT 1 FROM freezes WHERE ended_at IS NULL)",
            {"fingerprint": new.fingerprint, "run": new.run, "number": run},
        ).fetchone()  # most often neither, and then this is all there is to ask
        bearing = self._bearing_on(new.fingerprint, asker) if asked else None
        allowance = allowances.for_call(self._connection, new, run=run, asker=asker) if allowed else None
        undo = self._walked_by(new.run) if undoing else None
        frozen = freezes.current(self._connection) if stopped else None
        seq = self._take_seq(new.run)
        if bearing is not None and bearing.approval.status is ApprovalStatus.GRANTED:
            try:
                bearing = self._in_transaction(lambda: self._open_reserving(new, seq=seq, at=at, asker=asker))
            except BaseException:
                self._give_back_seq(new.run, seq)
                raise
        else:
            self._to_tail(Waiting(new, seq, at, ActionStatus.RECORDED, ""))
        approval = None if bearing is None else bearing.approval
        reserved = approval is not None and approval.status is ApprovalStatus.RESERVED
        action = _as_action(new, seq, at, approval=approval.id if approval is not None and reserved else None)
        return Opened(action, approval, None if undo is None else undo.id, allowance, frozen)

    def _open_reserving(self, new: NewAction, *, seq: int, at: str, asker: str) -> approvals.Standing | None:
        """Looks again, now that nobody else can: two identical calls at once must not both have it."""
        bearing = self._bearing_on(new.fingerprint, asker)
        if bearing is None or bearing.approval.status is not ApprovalStatus.GRANTED:
            self._ledger.add_action(new, seq=seq, at=at)
            return bearing
        number = self._ledger.add_action(new, seq=seq, at=at, approval=bearing.number)
        approvals.reserve(self._ledger, bearing, action=number)
        reserved = bearing.approval._replace(status=ApprovalStatus.RESERVED, spent_by=new.id)
        return bearing._replace(approval=reserved, holder=number)

    async def made_before(self, action: str) -> int:
        """How many calls of this action's tool its client made within the day before it. What waits in memory is counted
        too: two calls at once must not both be the last one that is let through."""
        await self._commit(lambda: None)
        return self.made_lately(action)

    async def claim_inverse(self, new: NewAction) -> Action:
        """Write an inverse call down as `recorded`, claiming (undoes, undoes_step). Raises AlreadyClaimed, and StaleAction
        where what it undoes is no longer taken to have happened."""

        at = self._ledger.at()
        seq = await self._when_free(lambda: self._take_seq(new.run))
        try:
            # On disk before anything leaves: see mark_sent.
            await self._commit(lambda: self._claim(new, seq=seq, at=at))
        except BaseException:
            self._give_back_seq(new.run, seq)
            raise
        return _as_action(new, seq, at)

    def _claim(self, new: NewAction, *, seq: int, at: str) -> None:
        self._release_dead_claim(new)
        self._refuse_to_undo_what_never_happened(new)
        try:
            self._ledger.add_action(new, seq=seq, at=at)
        except sqlite3.IntegrityError:
            by_run = self._claimed_by(new)
            if by_run is None:
                raise
            raise AlreadyClaimed(by_run) from None

    def _refuse_to_undo_what_never_happened(self, new: NewAction) -> None:
        """Somebody may have settled it since the undo was planned."""
        row = self._connection.execute(
            "SELECT status FROM actions WHERE id = :undoes", {"undoes": new.undoes}
        ).fetchone()
        if row is not None and row[0] not in {ActionStatus.APPLIED, *MAY_HAVE_HAPPENED}:
            raise StaleAction(new.undoes)

    def _release_dead_claim(self, new: NewAction) -> None:
        """An inverse that never left, its process gone, must not keep every later undo from its step."""
        row = self._connection.execute(
            f"SELECT a.id, p.pid, p.started FROM {_CLAIMS} AND a.status = 'recorded'",
            {"undoes": new.undoes, "step": new.undoes_step},
        ).fetchone()
        if row is not None and not self._alive(ProcessId(row[1], row[2])):
            self._ledger.move(row[0], ActionStatus.FAILED, note=ENDED_BEFORE_SENDING)

    def _claimed_by(self, new: NewAction) -> str | None:
        row = self._connection.execute(
            f"SELECT r.id FROM {_CLAIMS}", {"undoes": new.undoes, "step": new.undoes_step}
        ).fetchone()
        return None if row is None else str(row[0])

    async def hold(self, action: str, *, why: str, asking: Asking = NOTHING_MORE) -> Approval:
        """recorded -> held, and a request made of it, unless an identical call waits (or was just decided) already."""
        asked = await self._end(action, lambda: self._hold(action, why, asking), durable=True, settles=action)
        approval = self._uncounted(asked)  # whoever decides hears how many there were; the agent does not
        assert approval is not None
        return approval

    def _hold(self, action: str, why: str, asking: Asking) -> str:
        waiting = self._recorded_in_tail(action)
        if waiting is None:
            return self._hold_on_disk(action, why, asking)
        run = self._ledger.run_number(waiting.new.run)
        asked = self._already_asked(waiting.new.fingerprint, run=run, asker=asking.asker)
        if asked is not None:
            approvals.count_attempt(self._ledger, asked, run=run)
            self._dropped.append(waiting)
            return asked
        number = self._write_down(waiting._replace(status=ActionStatus.HELD, note=why))
        approvals.ask(self._ledger, action=number, run=run, fingerprint=waiting.new.fingerprint, why=why, asking=asking)
        return action

    def _hold_on_disk(self, action: str, why: str, asking: Asking) -> str:
        moved = self._move(action, ActionStatus.HELD, note=why)
        had_approval = approvals.give_back(self._ledger, moved.number, run=moved.run)
        (fingerprint,) = self._connection.execute(
            "SELECT fingerprint FROM actions WHERE number = :number", {"number": moved.number}
        ).fetchone()
        asked = self._already_asked(fingerprint, run=moved.run, asker=asking.asker, waiting_only=had_approval)
        if asked is not None:
            approvals.count_attempt(self._ledger, asked, run=moved.run)
            return asked
        approvals.ask(self._ledger, action=moved.number, run=moved.run, fingerprint=fingerprint, why=why, asking=asking)
        return action

    async def record_dialog(self, approval: str, *, said: str, granted_by: str = "") -> bool:
        """What the client's own dialog answered. With `granted_by`, WAITING -> GRANTED in the same transaction."""

        def work() -> bool:
            approvals.note_dialog(self._ledger, approval, said=said, who=granted_by)
            return bool(granted_by) and approvals.decide(
                self._ledger, approval, grant=True, by=granted_by, reason="", seal=None, more=0, alive=self._alive
            )

        return await self._commit(work, durable=True)

    async def mark_denied(self, action: str, *, approval: str) -> None:
        """recorded -> denied. Leaves no row of its own if it is not on disk yet; the attempt is counted on the
        request."""

        def work() -> None:
            approvals.count_attempt(self._ledger, approval)
            waiting = self._recorded_in_tail(action)
            if waiting is not None:
                self._dropped.append(waiting)
                return
            moved = self._move(action, ActionStatus.DENIED)
            approvals.give_back(self._ledger, moved.number, run=moved.run)

        await self._end(action, work, settles=action)

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
        """recorded -> sent (or paused -> sent, where None keeps what was said before), durable against power loss when
        it returns. Spends the approval that the action has reserved, or one use of an allowance."""

        captured_read, captured_image = captured or (None, None)
        planned = pack_inverse(inverse)

        def work() -> None:
            columns: dict[str, chain.Value] = {
                **self._read_columns(resource, read),
                **image_columns(self._connection, "before", before, self._ledger.ahead),
                "captured_read": keep(self._connection, pack_read(captured_read)),
                **image_columns(self._connection, "captured", captured_image, self._ledger.ahead),
                "planned": keep(self._connection, planned, self._ledger.ahead),
            }
            waiting = self._recorded_in_tail(action)
            self._refuse_what_is_stopped(action, waiting)
            if waiting is not None:
                number = self._write_down(waiting._replace(status=ActionStatus.SENT, note=note), sent=columns)
            else:
                number = self._send_from_disk(action, columns, note)
            if allowance is not None and not allowances.use(self._ledger, allowance, action=number):
                raise StaleAction(action)

        payloads = (_answer(before), _answer(captured_image), planned)
        await self._once_packed(payloads, lambda: self._commit(work, durable=True, settles=action))

    def _refuse_what_is_stopped(self, action: str, waiting: Waiting | None) -> None:
        run = waiting.new.run if waiting is not None else self._run_of(action)
        frozen, undoing = self._connection.execute(
            "SELECT EXISTS (SELECT 1 FROM freezes WHERE ended_at IS NULL),"
            f" EXISTS (SELECT 1 FROM runs AS r WHERE {LIVE_WALK})",
            {"run": run},
        ).fetchone()  # most often neither, and then this is all there is to ask
        if frozen:
            self._refuse_while_frozen(action, waiting)
        # A call that was opened before its run's undo began must not slip out behind the undo's back.
        undo = self._walked_by(run) if undoing and run is not None else None
        if undo is not None:
            raise BeingUndone(action, undo.id)

    def _run_of(self, action: str) -> str | None:
        row = self._connection.execute(
            "SELECT r.id FROM actions a JOIN runs r ON r.number = a.run WHERE a.id = :id", {"id": action}
        ).fetchone()
        return None if row is None else str(row[0])

    def _refuse_while_frozen(self, action: str, waiting: Waiting | None) -> None:
        """A write that was judged before the freeze must not leave after it. What undoes something may, and so may a read."""
        frozen = freezes.current(self._connection)
        if frozen is None:
            return
        if waiting is not None:
            is_write = waiting.new.undoes is None and waiting.new.tool_class is not ToolClass.READONLY
        else:
            row = self._connection.execute(
                "SELECT undoes IS NULL AND tool_class <> 'readonly' FROM actions WHERE id = :id", {"id": action}
            ).fetchone()
            is_write = row is not None and bool(row[0])
        if is_write:
            raise Frozen(frozen)

    def _read_columns(self, resource: str | None, read: Read | None) -> dict[str, chain.Value]:
        return {
            "resource": None if resource is None else storable(resource),
            "read": keep(self._connection, pack_read(read)),
        }

    def _send_from_disk(self, action: str, columns: dict[str, chain.Value], note: str) -> int:
        row = self._connection.execute("SELECT status, approval FROM actions WHERE id = :id", {"id": action}).fetchone()
        if row is None:
            raise StaleAction(action)
        was, approval = row
        covered = {chain.SENT: columns}
        if was == ActionStatus.PAUSED:
            covered = self._covered_anew(action, {name: value for name, value in columns.items() if value is not None})
            columns = covered[chain.SENT]
        moved = self._move(action, ActionStatus.SENT, columns=columns, covered=covered, note=note)
        if was == ActionStatus.RECORDED and approval is not None and not approvals.spend(self._ledger, moved.number):
            raise StaleAction(action)
        return moved.number

    def _covered_anew(self, action: str, changes: dict[str, chain.Value]) -> dict[int, dict[str, chain.Value]]:
        """What was said of a call when it was sent, with changes. An event that changes some of it takes the place of the
        one before, so it has to cover all that that one may have covered."""
        try:
            covered = self._ledger.covered_call(action)
        except LookupError:
            raise StaleAction(action) from None
        return {**covered, chain.SENT: {**covered[chain.SENT], **changes}}

    # --- its outcome

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
        """sent, paused or unknown -> applied. `inverse` replaces the one that was known when the call was sent, and so do
        `resource` and `read` where they are given."""
        told = None if read is None else (resource, read)
        await self._settle(
            action, ActionStatus.APPLIED, reply=reply, after=after, inverse=inverse, told=told, note=note
        )

    async def mark_rejected(self, action: str, *, reply: bytes, after: Image | None, note: str = "") -> None:
        """sent -> rejected."""
        await self._settle(action, ActionStatus.REJECTED, reply=reply, after=after, inverse=None, note=note)

    async def mark_paused(self, action: str, *, reply: bytes) -> None:
        """sent -> paused."""
        await self._settle(action, ActionStatus.PAUSED, reply=reply, after=None, inverse=None, note="")

    async def _settle(
        self,
        action: str,
        to: ActionStatus,
        *,
        reply: bytes | None,
        after: Image | None,
        inverse: tuple[InverseCall, ...] | None,
        told: tuple[str | None, Read] | None = None,
        note: str,
    ) -> None:
        """`told`: the resource and the read that only the answer told."""
        packed_inverse = pack_inverse(inverse)

        def work() -> None:
            outcome: dict[str, chain.Value] = {
                "reply": keep(self._connection, reply, self._ledger.ahead),
                **image_columns(self._connection, "after", after, self._ledger.ahead),
                "inverse": keep(self._connection, packed_inverse, self._ledger.ahead),
            }
            changes = None if told is None else self._read_columns(*told)
            covered = None if changes is None else self._covered_anew(action, changes)
            self._move(action, to, columns=changes, outcome=outcome, covered=covered, note=note)

        self._check_file()  # an outcome that nobody will ever read was not recorded, and the agent has to hear that
        await self._once_packed((reply, _answer(after), packed_inverse), lambda: self._end(action, work))

    async def give_up(self, action: str, *, why: str) -> None:
        """recorded -> failed, and only that. Gives a reserved approval back."""
        await self._fail(action, why, only_from=ActionStatus.RECORDED)

    async def mark_failed(self, action: str, *, why: str) -> None:
        """sent, paused or unknown -> failed: it provably did not arrive. (recorded -> failed too; see `give_up`.)
        Raises InverseMade where it is unknown, and undone by now."""
        await self._fail(action, why)

    async def _fail(self, action: str, why: str, *, only_from: ActionStatus | None = None) -> None:
        def work() -> None:
            waiting = self._recorded_in_tail(action)
            if waiting is not None:
                self._write_down(waiting._replace(status=ActionStatus.FAILED, note=why))
                return
            self._refuse_what_is_undone(action)
            moved = self._move(action, ActionStatus.FAILED, note=why, only_from=only_from)
            approvals.give_back(self._ledger, moved.number, run=moved.run)

        await self._end(action, work, settles=action)

    def _refuse_what_is_undone(self, action: str) -> None:
        """What an undo has taken for done cannot become something that never happened: the two would deny each other."""
        made = self._connection.execute(
            "SELECT 1 FROM actions AS target JOIN actions AS a ON a.undoes = target.number"
            " WHERE target.id = :id AND target.status = 'unknown' AND a.claim_released = 0"
            " AND a.status NOT IN ('failed', 'rejected') LIMIT 1",
            {"id": action},
        ).fetchone()
        if made is not None:
            raise InverseMade(action)

    async def mark_unknown(self, action: str, *, why: str) -> None:
        """sent or paused -> unknown."""
        await self._end(action, lambda: self._move(action, ActionStatus.UNKNOWN, note=why))

    def record_read(self, new: NewAction, *, status: ActionStatus, note: str = "") -> None:
        """A readonly call and its outcome, in one go. Never raises: what fails is raised by the next awaited method."""
        try:
            seq = self._take_seq(new.run)
            self._to_tail(Waiting(new, seq, self._ledger.at(), status, note))
        except (sqlite3.Error, LookupError) as error:
            self._lost = error

    async def record_finding(self, finding: Finding) -> None:
        """Evidence of an undo step; what it says of an inverse is passed on to the action that the inverse undid."""

        def work() -> None:
            if not self._ledger.add_finding(finding):
                raise StaleAction(finding.action)

        await self._commit(work)

    # --- below: how

    async def _end(self, action: str, do: Callable[[], T], *, durable: bool = False, settles: str | None = None) -> T:
        """Commit what ends a call, or at least its part in what is under way."""
        try:
            return await self._commit(do, durable=durable, settles=settles)
        finally:
            arguments = self._under_way.pop(action, None)
            if arguments is not None:
                self._ledger.ahead.drop(arguments)

    def _bearing_on(self, fingerprint: str, asker: str) -> approvals.Standing | None:
        return approvals.bearing_on(self._connection, fingerprint, asker=asker, now=self._now(), alive=self._alive)

    def _already_asked(self, fingerprint: str, *, run: int, asker: str, waiting_only: bool = False) -> str | None:
        return approvals.already_asked(
            self._ledger, fingerprint, run=run, asker=asker, alive=self._alive, waiting_only=waiting_only
        )

    def _move(
        self,
        action: str,
        to: ActionStatus,
        *,
        columns: dict[str, chain.Value] | None = None,
        outcome: dict[str, chain.Value] | None = None,
        covered: dict[int, dict[str, chain.Value]] | None = None,
        note: str = "",
        only_from: ActionStatus | None = None,
    ) -> Moved:
        moved = self._ledger.move(
            action, to, columns=columns, outcome=outcome, covered=covered, note=storable(note), only_from=only_from
        )
        if moved is None:
            raise StaleAction(action)
        return moved


_CLAIMS = """
    actions AS a JOIN runs AS r ON r.number = a.run JOIN processes AS p ON p.number = r.process
    WHERE a.undoes = (SELECT number FROM actions WHERE id = :undoes) AND a.undoes_step = :step AND a.claim_released = 0
    AND a.status IN ('recorded', 'sent', 'paused', 'applied', 'unknown')
"""


def _answer(image: Image | None) -> bytes | None:
    return None if image is None else image.answer


def _as_action(new: NewAction, seq: int, at: str, *, approval: str | None = None) -> Action:
    """An action as it stands when it was just written down."""
    return Action(
        id=new.id,
        run=new.run,
        seq=seq,
        server=new.server,
        identity=new.identity,
        tool=new.tool,
        arguments=new.arguments,
        tool_class=new.tool_class,
        fingerprint=new.fingerprint,
        status=ActionStatus.RECORDED,
        resource=None,
        read=None,
        before=None,
        after=None,
        reply=None,
        inverse=None,
        undoes=new.undoes,
        undoes_step=new.undoes_step,
        approval=approval,
        undone=None,
        note="",
        at=at,
    )
