"""One journal on a bench: either twin, a clock that a test sets, and processes that a test ends."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

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
    RunSummary,
)
from synartesis.domain.status import ActionStatus, RunKind, ToolClass, Undone
from synartesis.journal.database import open_database
from synartesis.journal.memory import MemoryJournal
from synartesis.journal.writes import SqliteJournal

T = TypeVar("T")

IDENTITY = "1d" * 32
LONG_AFTER_THE_TEST_S = 3600.0
"""The tail of a test is flushed by what the test does, never by the time that it takes."""

READ = Read("crm", "get_customer", b'{"id":"c_001"}', b"{}")
CAPTURED = Captured(Read("crm", "get_plan", b'{"of":"c_001"}', b"[]"), Image("absent", b"[]", "no plan"))
BEFORE = Image("present", b'{"plan":"pro"}')
AFTER = Image("present", b'{"plan":"free"}')
INVERSE = (InverseCall("crm", "update_customer", b'{"plan":"pro"}', ("", "plan")),)


class Bench:
    """`twin` is `memory` or `sqlite`; several journals over one file are several processes."""

    def __init__(self, twin: str, folder: Path) -> None:
        self.time = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.dead: set[ProcessId] = set()
        self.loop = asyncio.new_event_loop()
        self.journal: MemoryJournal | SqliteJournal
        if twin == "memory":
            self.journal = MemoryJournal(now=self.now, alive=self.alive, group_alive=self.alive)
        else:
            path = str(folder / "journal.db")
            self.journal = SqliteJournal(
                open_database(path),
                path,
                now=self.now,
                alive=self.alive,
                group_alive=self.alive,
                flush_after_s=LONG_AFTER_THE_TEST_S,
            )
        self._ids = 0
        self._pids = 0

    def close(self) -> None:
        self.journal.close()
        self.loop.close()

    def now(self) -> datetime:
        return self.time

    def alive(self, process: ProcessId) -> bool:
        return process not in self.dead

    def later(self, **by: float) -> None:
        self.time += timedelta(**by)

    def do(self, doing: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(doing)

    # --- what tests do again and again

    def new_id(self) -> str:
        self._ids += 1
        return f"{self._ids:012x}"

    def new_run(self, *, undoes: str | None = None) -> NewRun:
        self._pids += 1
        kind = RunKind.AGENT if undoes is None else RunKind.UNDO
        process = ProcessId(self._pids, "then")
        servers = (("crm", IDENTITY), ("files", "2e" * 32))
        return NewRun(self.new_id(), kind, "some client 1.0", "/m.yaml", "abc", servers, process, undoes)

    def agent(self) -> Run:
        return self.do(self.journal.open_run(self.new_run()))

    def undo(self, run: Run) -> Run:
        return self.do(self.journal.open_run(self.new_run(undoes=run.id)))

    def end_process_of(self, run: Run) -> None:
        self.dead.add(run.process)

    def new_action(
        self,
        run: Run,
        *,
        says: str = "pro",
        tool: str = "update_customer",
        tool_class: ToolClass = ToolClass.REVERSIBLE,
        undoes: Action | None = None,
        step: int = 0,
    ) -> NewAction:
        arguments = b'{"plan":"' + says.encode() + b'"}'
        return NewAction(
            id=self.new_id(),
            run=run.id,
            server="crm",
            identity=IDENTITY,
            tool=tool,
            arguments=arguments,
            tool_class=tool_class,
            fingerprint=f"fingerprint of {tool} {says}",
            undoes=None if undoes is None else undoes.id,
            undoes_step=step,
        )

    def open(self, run: Run, *, asker: str = "", **what: Any) -> Opened:
        return self.do(self.journal.open_action(self.new_action(run, **what), asker=asker))

    def hold(self, run: Run, *, says: str = "send it", asker: str = "") -> Approval:
        opened = self.open(run, says=says, tool_class=ToolClass.IRREVERSIBLE, asker=asker)
        return self.do(self.journal.hold(opened.action.id, why="cannot be taken back", asking=Asking(asker)))

    def grant(self, approval: Approval, *, more: int = 0) -> Approval | None:
        return self.journal.decide(approval.id, grant=True, by="ada", reason="", more=more)

    def deny(self, approval: Approval) -> Approval | None:
        return self.journal.decide(approval.id, grant=False, by="ada", reason="not now")

    def send(self, action: Action, *, resource: str | None = "customer c_001", allowance: int | None = None) -> Action:
        self.do(
            self.journal.mark_sent(
                action.id,
                resource=resource,
                read=READ,
                before=BEFORE,
                inverse=INVERSE,
                captured=CAPTURED,
                allowance=allowance,
            )
        )
        return self.see(action)

    def apply(self, action: Action) -> Action:
        self.do(self.journal.mark_applied(action.id, reply=b'{"ok":true}', after=AFTER, inverse=INVERSE))
        return self.see(action)

    def applied(self, run: Run, **what: Any) -> Action:
        """A call all the way through."""
        return self.apply(self.send(self.open(run, **what).action))

    def inverse_of(self, action: Action, undo: Run, *, step: int = 0) -> Action:
        """An inverse all the way through."""
        new = self.new_action(undo, tool="restore_customer", undoes=action, step=step)
        return self.apply(self.send(self.do(self.journal.claim_inverse(new))))

    def find(self, action: Action, undone: Undone, *, undo: Run, inverse: Action | None = None) -> None:
        finding = Finding(action.id, undo.id, None if inverse is None else inverse.id, undone, True, b'[{"path":""}]')
        self.do(self.journal.record_finding(finding))

    def undone(self, action: Action, undo: Run) -> Action:
        """An action undone, with proof. Returns the inverse."""
        inverse = self.inverse_of(action, undo)
        self.find(action, Undone.RESTORED, undo=undo, inverse=inverse)
        return inverse

    def see(self, action: Action) -> Action:
        found = self.journal.action(action.id)
        assert found is not None
        return found

    def summary(self, run: Run) -> RunSummary:
        found = self.journal.run(run.id)
        assert found is not None
        return found

    def in_status(self, status: ActionStatus, run: Run) -> Action:
        """An action brought to a status by the shortest way."""
        journal = self.journal
        action = self.open(run, says=self.new_id()).action
        match status:
            case ActionStatus.RECORDED:
                self.journal.actions(run.id)  # on disk, not in the tail
            case ActionStatus.HELD:
                self.do(journal.hold(action.id, why="why"))
            case ActionStatus.DENIED:
                self.journal.actions(run.id)
                self.do(journal.mark_denied(action.id, approval="none"))
            case ActionStatus.FAILED:
                self.do(journal.mark_failed(action.id, why="why"))
            case _:
                self.send(action)
                self._after_sending(action, status)
        assert self.see(action).status is status
        return self.see(action)

    def _after_sending(self, action: Action, status: ActionStatus) -> None:
        journal = self.journal
        match status:
            case ActionStatus.APPLIED:
                self.apply(action)
            case ActionStatus.REJECTED:
                self.do(journal.mark_rejected(action.id, reply=b"{}", after=None))
            case ActionStatus.UNKNOWN:
                self.do(journal.mark_unknown(action.id, why="why"))
            case ActionStatus.PAUSED:
                self.do(journal.mark_paused(action.id, reply=b"{}"))
            case _:
                pass
