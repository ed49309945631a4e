"""The record, read; and what a person decides about it. For commands: plain calls, no event loop, little to import."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from synartesis.domain.records import Action, Allowance, Approval, Finding, Freeze, ProcessId, Run, RunSummary, Seal
from synartesis.domain.status import ActionStatus, ApprovalStatus, RunStatus, Undone
from synartesis.domain.things import things_in
from synartesis.journal import allowances, blobs, counting, feed, freezes, liveness
from synartesis.journal.approvals import approver_key, decide, give_back, set_approver, standing
from synartesis.journal.database import patiently, unavailable
from synartesis.journal.ledger import Ledger, stamp
from synartesis.journal.liveness import ENDED_BEFORE_SENDING, ENDED_WITHOUT_OUTCOME
from synartesis.journal.rows import (
    ACTION_COLUMNS,
    ACTION_TABLES,
    RUN_COLUMNS,
    RUN_TABLES,
    Payload,
    Row,
    action_from,
    run_from,
)

if TYPE_CHECKING:
    from synartesis.journal import prune, tables
    from synartesis.journal.orders import OrderBook

T = TypeVar("T")

DAY = timedelta(hours=24)
MOST_FOUND = 100
"""`find` stops here: more ids than this with one prefix are ambiguous in any case."""


def utc_now() -> datetime:
    return datetime.now(UTC)


class SqliteHistory:
    """History and Decisions over one journal file."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: str,
        *,
        now: Callable[[], datetime] = utc_now,
        alive: Callable[[ProcessId], bool] = liveness.is_alive,
        group_alive: Callable[[ProcessId], bool] = liveness.group_is_alive,
    ) -> None:
        self.path = path
        self._connection = connection
        self._now = now
        self._alive = alive
        self._group_alive = group_alive
        self._ledger = Ledger(connection, now=now, process=liveness.this_process())

    def now(self) -> datetime:
        return self._now()

    @property
    def orders(self) -> OrderBook:
        """What commands ask of living proxies."""
        from synartesis.journal.orders import OrderBook

        return OrderBook(self._ledger, read=self._read, write=self._write, alive=self._alive)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- History

    def runs(self, *, limit: int | None = None) -> list[RunSummary]:
        """Most recent first, by insertion, never by the clock."""
        rows = self._rows(
            f"{_SELECT_RUNS} ORDER BY r.number DESC LIMIT :limit", {"limit": -1 if limit is None else limit}
        )
        return [self._summary(row) for row in rows]

    def run(self, run: str) -> RunSummary | None:
        rows = self._rows(f"{_SELECT_RUNS} WHERE r.id = :run", {"run": run})
        return self._summary(rows[0]) if rows else None

    def actions(self, run: str) -> list[Action]:
        """By seq."""
        return self._actions("a.run = (SELECT number FROM runs WHERE id = :run) ORDER BY a.seq", {"run": run})

    def action(self, action: str) -> Action | None:
        found = self._actions("a.id = :action", {"action": action})
        return found[0] if found else None

    def inverses_of(self, action: str) -> list[Action]:
        """Inverse actions that undo this one, oldest first, whatever became of them."""
        return self._actions(
            "a.undoes = (SELECT number FROM actions WHERE id = :action) ORDER BY a.number", {"action": action}
        )

    def findings_of(self, action: str) -> list[Finding]:
        """What undos proved about an action, oldest first."""
        rows = self._rows(
            "SELECT undo_run, inverse, undone, verified, detail FROM findings"
            " WHERE action = (SELECT number FROM actions WHERE id = :action) ORDER BY number",
            {"action": action},
        )
        return [
            Finding(action, undo_run, inverse, Undone(undone), bool(verified), self._fetch(detail) or b"[]")
            for undo_run, inverse, undone, verified, detail in rows
        ]

    def approvals(self, statuses: Sequence[ApprovalStatus]) -> list[Approval]:
        """Oldest request first. A grant older than an hour is returned as LAPSED."""
        wanted = frozenset(statuses)
        stored = set(wanted)
        if wanted & {ApprovalStatus.LAPSED, ApprovalStatus.GRANTED}:
            stored |= {ApprovalStatus.GRANTED, ApprovalStatus.RESERVED}  # what they have become shows when read
        listed = ", ".join(f"'{status}'" for status in sorted(stored))
        found = self._standing(f"q.status IN ({listed})", {})
        found = [approval for approval in found if approval.status in wanted]
        made = self._made_before([approval.id for approval in found])
        return [approval._replace(made=made[approval.id]) for approval in found]

    def approval(self, approval: str) -> Approval | None:
        found = self._uncounted(approval)
        return None if found is None else found._replace(made=self.made_lately(approval))

    def _uncounted(self, approval: str) -> Approval | None:
        found = self._standing("a.id = :id", {"id": approval})
        return found[0] if found else None

    def made_lately(self, action: str) -> int:
        """How many calls of this action's tool its client made within the day before it."""
        return self._made_before([action]).get(action, 0)

    def _made_before(self, actions: Sequence[str]) -> dict[str, int]:
        if not actions:
            return {}
        since = stamp(self._now() - DAY)
        return self._read(lambda: counting.made_before(self._connection, actions, since=since))

    def find(self, kind: str, prefix: str) -> list[str]:
        """Ids that start with a prefix, at most 100; kind is `run`, `action` or `approval`."""
        table = {
            "run": "runs AS a",
            "action": "actions AS a",
            "approval": "approvals AS q JOIN actions AS a ON a.number = q.action",
        }[kind]
        rows = self._rows(
            f"SELECT a.id FROM {table} WHERE a.id >= :prefix AND a.id < :end ORDER BY a.id LIMIT :limit",
            {"prefix": prefix, "end": f"{prefix}\U0010ffff", "limit": MOST_FOUND},
        )
        return [id for (id,) in rows]

    def changed_later(self, identity: str, resource: str | None, after_action: str) -> list[Action]:
        """Actions of any run on this resource that were opened after this one and may have changed it, oldest first: on one
        of its things, where it names several. One that stands for its whole server (`resource` None) may have; and
        whatever is on that server, where None is asked for."""
        import json

        things = [] if resource is None else things_in(resource)
        about = "" if resource is None else f" AND (a.resource IS NULL OR {_ABOUT_ONE_OF})"
        (later,) = self._rows(_CALLS_AFTER, {"after": after_action})[0]
        # Where few came after it they are gone through; else all of the server are, by the index, which is by resource.
        server = "+a.server" if later <= FEW_LATER else "a.server"
        return self._actions(
            f"{server} IN (SELECT number FROM servers WHERE identity = :identity)"
            f" AND a.tool_class <> 'readonly' AND a.status IN ('sent', 'paused', 'applied', 'unknown'){about}"
            " AND a.number > (SELECT number FROM actions WHERE id = :after) ORDER BY a.number",
            {"identity": identity, "after": after_action, "things": json.dumps(things)},
        )

    def live_undo_of(self, run: str) -> Run | None:
        """The undo run that is walking this run backwards right now, its process alive."""
        return self._read(lambda: self._live_undo_of(run))

    def _live_undo_of(self, run: str) -> Run | None:
        return self._live(LIVE_UNDO, run)

    def _walked_by(self, run: str) -> Run | None:
        """Who puts back what this run did, or does again what was put back, right now."""
        return self._live(LIVE_WALK, run)

    def _live(self, which: str, run: str) -> Run | None:
        rows = self._connection.execute(
            f"SELECT {RUN_COLUMNS} FROM {RUN_TABLES} WHERE {which} ORDER BY r.number", {"run": run}
        )
        return next((found for found in map(run_from, rows) if self._alive(found.process)), None)

    def outliving(self, action: str) -> ProcessId | None:
        """A process of the action's server that outlived the one that started it and sent this call: it may still do it."""
        rows = self._rows(
            "SELECT p.pid, p.started, s.pid, s.started FROM actions AS a JOIN servers AS v ON v.number = a.server"
            " JOIN runs AS r ON r.number = a.run JOIN processes AS p ON p.number = r.process"
            " JOIN server_processes AS s ON s.process = r.process AND s.server = v.name"
            " WHERE a.id = :action ORDER BY s.number DESC",
            {"action": action},
        )
        if not rows or self._alive(ProcessId(*rows[0][:2])):
            return None
        return next((found for found in (ProcessId(*row[2:]) for row in rows) if self._group_alive(found)), None)

    def allowances(self, run: str | None = None) -> list[Allowance]:
        """Those of a run; without one, all by which calls may still go out. Oldest first."""
        if run is None:
            return self._read(lambda: allowances.live(self._connection, self._alive))
        return self._read(lambda: allowances.of_run(self._connection, run))

    def frozen(self) -> Freeze | None:
        """The freeze that holds."""
        return self._read(lambda: freezes.current(self._connection))

    def freeze_of(self, freeze: str) -> Freeze | None:
        """One, by its id, whether or not it holds."""
        return self._read(lambda: freezes.of(self._connection, freeze))

    def approver_key(self) -> str:
        """The public key that approvals have to be signed with; empty where there is none."""
        return self._read(lambda: approver_key(self._connection))

    # --- for whoever watches

    def version(self) -> int:
        """Moves whenever another process has changed the journal."""
        return self._read(lambda: feed.version(self._connection))

    def last_number(self) -> int:
        """That of the newest event; 0 before there is one."""
        return self._read(lambda: feed.last_number(self._connection))

    def happenings(self, *, after: int) -> list[feed.Happening]:
        """Events that came after one, oldest first, at most `feed.MOST`."""
        return self._read(lambda: feed.happenings(self._connection, after=after))

    def last_call(self, run: str) -> str | None:
        """When a run's newest call was opened; None before there is one."""
        return self._read(lambda: feed.last_call(self._connection, run))

    # --- Decisions

    def decide(
        self, approval: str, *, grant: bool, by: str, reason: str, seal: Seal | None = None, more: int = 0
    ) -> Approval | None:
        """WAITING -> GRANTED or DENIED; DENIED (within its hour) -> GRANTED; GRANTED -> DENIED. None where it no longer
        was in such a state, or is asked by another than the seal says. The hour of a grant starts here, or when its seal
        says. `more`: so many further calls of this tool may go out in the run that asks. To deny takes back what is left
        of those."""

        def work() -> bool:
            return decide(
                self._ledger, approval, grant=grant, by=by, reason=reason, seal=seal, more=more, alive=self._alive
            )

        return self.approval(approval) if self._write(work, durable=True) else None

    def freeze(self, *, by: str, reason: str) -> Freeze:
        """No write of any proxy leaves from now on. The one that holds already, where there is one."""
        return self._write(lambda: freezes.freeze(self._ledger, by=by, reason=reason), durable=True)

    def resume(self, freeze: str, *, by: str, at: str = "", signature: str = "") -> bool:
        """End a freeze. False where it has ended."""
        return self._write(
            lambda: freezes.resume(self._ledger, freeze, by=by, at=at, signature=signature), durable=True
        )

    def set_approver(self, public: str, *, by: str) -> None:
        """From now on approvals have to be signed with this key; an empty one ends that."""
        self._write(lambda: set_approver(self._ledger, public, by=by), durable=True)

    def close_run(self, run: str) -> bool:
        """End a run whose process is gone: what it left `sent` or `paused` becomes `unknown`, `recorded` becomes
        `failed`. False where there is nothing to end, or its process is alive."""
        summary = self.run(run)
        if summary is None or self._alive(summary.run.process):
            return False
        return self._write(lambda: self._close(run), durable=True)

    def _close(self, run: str) -> bool:
        left = self._connection.execute(
            "SELECT id, status FROM actions WHERE run = :run AND status IN ('recorded', 'sent', 'paused')",
            {"run": self._ledger.run_number(run)},
        ).fetchall()
        for action, status in left:
            if status == ActionStatus.RECORDED:
                moved = self._ledger.move(action, ActionStatus.FAILED, note=ENDED_BEFORE_SENDING)
                if moved is not None:
                    give_back(self._ledger, moved.number, run=moved.run)
            else:
                self._ledger.move(action, ActionStatus.UNKNOWN, note=ENDED_WITHOUT_OUTCOME)
        return self._ledger.end_run(run, kind="run-closed") or bool(left)

    # --- what can be proved, and what is dropped

    def first_misfit(self, progress: tables.Progress | None = None) -> tables.Misfit | None:
        """The first entry of the history that does not fit; None where everything does. Reads all of it, and tells how much it
        has read."""
        from synartesis.journal import proof

        return self._read(lambda: proof.first_misfit(self._connection, progress=progress))

    def last_entry(self) -> tuple[int, bytes]:
        """Number and digest of the last entry; whoever keeps it elsewhere can tell later that nothing before it was taken
        away."""
        from synartesis.journal import chain

        return self._read(lambda: chain.last(self._connection))

    def digest_of(self, entry: int) -> bytes | None:
        rows = self._rows("SELECT digest FROM events WHERE number = :entry", {"entry": entry})
        return bytes(rows[0][0]) if rows else None

    def entry(self, number: int) -> feed.Happening | None:
        """An entry, with the names of what it is about."""
        return self._read(lambda: feed.happening(self._connection, number))

    def export(self, run: str) -> dict[str, Any]:
        """The proof of one run, as plain JSON values; see export.py."""
        from synartesis.journal.export import export_run

        self._before_reading()
        return self._read(lambda: export_run(self._connection, run))

    def old_runs(self, *, before: datetime, keep_runs: int) -> prune.Freed:
        """What could be pruned: runs that ended before then, but for so many of the newest, and what that would free."""
        from synartesis.journal import prune

        def look() -> prune.Freed:
            runs = prune.find_old(self._connection, before=stamp(before), keep_runs=keep_runs, alive=self._alive)
            return prune.measure(self._connection, runs)

        return self._read(look)

    def prune(self, runs: Sequence[prune.Old], *, by: str) -> Iterator[int]:
        """Drop the payloads of these runs, step by step; yields how many calls each step was about. What was done before an
        error stays done, and the next time goes on."""
        from synartesis.journal.prune import prune

        try:
            yield from prune(self._ledger, runs, by=by)
        except sqlite3.Error as error:
            raise unavailable(error, self.path) from error

    # --- below: how

    def _before_reading(self) -> None:
        """For the journal that has rows in memory: whoever reads through it must see them."""

    def _rows(self, select: str, values: dict[str, Any]) -> list[Row]:
        self._before_reading()
        return self._read(lambda: self._connection.execute(select, values).fetchall())

    def _actions(self, where: str, values: dict[str, Any]) -> list[Action]:
        rows = self._rows(f"SELECT {ACTION_COLUMNS} FROM {ACTION_TABLES} WHERE {where}", values)
        return [action_from(row, self._fetch) for row in rows]

    def _standing(self, where: str, values: dict[str, str]) -> list[Approval]:
        found = self._read(lambda: standing(self._connection, where, values, now=self._now(), alive=self._alive))
        return [each.approval for each in found]

    def _fetch(self, payload: Payload) -> bytes | None:
        return self._read(lambda: blobs.fetch(self._connection, payload))

    def _read(self, attempt: Callable[[], T]) -> T:
        """Even a reader meets a lock now and then, while another process resets the write-ahead file."""
        try:
            return patiently(attempt)
        except sqlite3.Error as error:
            raise unavailable(error, self.path) from error

    def _write(self, work: Callable[[], T], *, durable: bool) -> T:
        try:
            return patiently(lambda: self._in_transaction(work, durable=durable))
        except sqlite3.Error as error:
            raise unavailable(error, self.path) from error

    def _in_transaction(self, work: Callable[[], T], *, durable: bool = False) -> T:
        return self._ledger.transaction(work, durable=durable)

    def _summary(self, row: Row) -> RunSummary:
        run = run_from(row)
        actions, waiting, in_flight, unknown, changes, undone = row[14:]
        ended = run.ended_at is not None
        alive = (in_flight > 0 or not ended) and self._alive(run.process)
        if not alive:
            unknown += in_flight  # nobody is left to hear the answer
        status = run_status(
            ended=ended, alive=alive, changes=changes, undone=undone, unresolved=unknown + alive * in_flight
        )
        return RunSummary(run, status, actions, waiting, unknown)


def run_status(*, ended: bool, alive: bool, changes: int, undone: int, unresolved: int) -> RunStatus:
    """What a run is called. That something was undone says more than how the run ended; a call whose outcome is not
    known may be a change that is still there."""
    if undone:
        return RunStatus.UNDONE if undone == changes and not unresolved else RunStatus.PARTIAL
    if ended:
        return RunStatus.COMPLETE
    return RunStatus.ACTIVE if alive else RunStatus.ABANDONED


LIVE_UNDO = "r.undoes = :run AND r.kind = 'undo' AND +r.ended_at IS NULL"
"""The plus keeps SQLite from looking through all runs that have not ended: those whose proxies were killed never do."""
LIVE_WALK = LIVE_UNDO.replace(
    "r.undoes = :run", "r.undoes IN (SELECT :run UNION ALL SELECT id FROM runs WHERE undoes = :run)"
)
"""The same, and a redo: it names the undo run that it takes back."""


FEW_LATER = 10_000
_CALLS_AFTER = """
    SELECT coalesce((SELECT max(number) FROM actions), 0) - coalesce((SELECT number FROM actions WHERE id = :after), 0)
"""


_ABOUT_ONE_OF = """(
    a.resource IN (SELECT value FROM json_each(:things))
    OR (instr(a.resource, char(10)) AND EXISTS (
        SELECT 1 FROM json_each(:things)
        WHERE instr(char(10) || a.resource || char(10), char(10) || value || char(10))
    ))
)"""
"""Where an action is about one of the things: by its whole text, or by a line of it. As one value, because there may be more of
them than an expression may be deep."""


_SELECT_RUNS = f"""
    SELECT {RUN_COLUMNS}, t.actions, t.waiting, t.in_flight, t.unknown, t.changes, t.undone
    FROM {RUN_TABLES} JOIN tallies AS t ON t.run = r.number
"""
