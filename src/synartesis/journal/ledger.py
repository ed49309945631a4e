"""What one transaction may write: runs, actions, their moves, findings, and for each of them its event and its tallies.

The only place that begins and commits. Knows nothing of event loops: the journal of a proxy waits in one way when
another process holds the lock, a plain command in another.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple, TypeVar

from synartesis.domain.records import Finding, NewAction, NewRun, ProcessId
from synartesis.domain.status import ACTION_MOVES, ActionStatus, ToolClass, Undone
from synartesis.journal import chain
from synartesis.journal.blobs import Ahead, keep
from synartesis.journal.chain import Event, Value
from synartesis.journal.database import roll_back
from synartesis.journal.rows import AS_PLANNED, add_note, pack_pairs

T = TypeVar("T")

UNDONE = frozenset({Undone.RESTORED, Undone.COMPENSATED, Undone.ALREADY})
"""Findings after which an action counts as undone."""
TALLIES = ("actions", "waiting", "in_flight", "unknown", "changes", "undone")


class Moved(NamedTuple):
    """The action that was moved, by its numbers."""

    number: int
    run: int


class Ledger:
    """The writing side of one connection. Everything but `transaction` is to be called inside one."""

    def __init__(self, connection: sqlite3.Connection, *, now: Callable[[], datetime], process: ProcessId) -> None:
        self.connection = connection
        self.now = now
        self.process = process
        self._made_by: dict[int, Mapping[str, Value]] = {
            chain.PROCESS: {"pid": process.pid, "started": process.started}
        }
        self._synchronous = ""
        self._numbers: dict[tuple[Value, Value], int] = {}
        self._last: tuple[int, bytes] | None = None
        self._entries: list[chain.Entry] = []
        self.ahead = Ahead()
        self._tallies: dict[int, dict[str, int]] = {}

    def transaction(self, work: Callable[[], T], *, durable: bool = False) -> T:
        """Do `work` wholly or not at all. `durable`: it outlives a power cut once this returns; otherwise it outlives
        the process, and at worst the last moments before a power cut are lost. Raises sqlite3.Error."""
        synchronous = "FULL" if durable else "NORMAL"
        if synchronous != self._synchronous:
            self.connection.execute(f"PRAGMA synchronous = {synchronous}")
            self._synchronous = synchronous
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            self._last = None
            self._entries.clear()
            self._tallies.clear()
            result = work()
            self._write_entries()
            self._write_tallies()
            self.connection.execute("COMMIT")
        except BaseException:
            self._numbers.clear()  # some may be of rows that are not there now
            roll_back(self.connection)
            raise
        return result

    def at(self) -> str:
        return stamp(self.now())

    # --- runs

    def add_run(self, run: NewRun) -> None:
        at = self.at()
        row: dict[str, Value] = {
            "id": run.id,
            "kind": run.kind,
            "manifest": storable(run.manifest),
            "manifest_digest": run.manifest_digest,
            "servers": pack_pairs(run.servers),
            "process": self.process_number(run.process),
            "undoes": run.undoes,
            "started_at": at,
        }
        number = self.connection.execute(
            "INSERT INTO runs (id, kind, agent, manifest, manifest_digest, servers, process, undoes, started_at) VALUES"
            " (:id, :kind, :agent, :manifest, :manifest_digest, :servers, :process, :undoes, :started_at)",
            {**row, "agent": storable(run.agent)},
        ).lastrowid
        self.connection.execute("INSERT INTO tallies (run) VALUES (:run)", {"run": number})
        self.event("run-started", run=number, at=at, covered=self.covered_run(run.id))

    def covered_run(self, run: str) -> dict[int, dict[str, Value]]:
        """All that stands of a run, for an event that covers it (anew)."""
        pid, started = self.connection.execute(
            "SELECT p.pid, p.started FROM runs AS r JOIN processes AS p ON p.number = r.process WHERE r.id = :id",
            {"id": run},
        ).fetchone()
        return {
            chain.RUN: self.columns(run, chain.RUN),
            chain.OPENING: self.columns(run, chain.OPENING),
            chain.OWNER: {"pid": pid, "started": started},
        }

    def end_run(self, run: str, *, kind: str = "run-ended") -> bool:
        number = self.run_number(run)
        at = self.at()
        ended = self.connection.execute(
            "UPDATE runs SET ended_at = :at WHERE number = :number AND ended_at IS NULL", {"at": at, "number": number}
        ).rowcount
        if ended:
            self.event(kind, run=number, at=at)
        return bool(ended)

    def add_server_process(self, server: str, process: ProcessId, *, by: ProcessId) -> None:
        self.connection.execute(
            "INSERT OR IGNORE INTO server_processes (process, server, pid, started) VALUES (:by, :server, :pid, :started)",
            {"by": self.process_number(by), "server": server, "pid": process.pid, "started": process.started},
        )

    # --- actions

    def add_action(
        self,
        new: NewAction,
        *,
        seq: int,
        at: str,
        status: ActionStatus = ActionStatus.RECORDED,
        note: str = "",
        sent: Mapping[str, Value] | None = None,
        approval: int | None = None,
    ) -> int:
        """Write an action down in the status that it has by now; `sent` gives the columns of a call that is being sent.
        Raises sqlite3.IntegrityError where it is an inverse and its step is claimed."""
        run = self.run_number(new.run)
        call: dict[str, Value] = {
            "id": new.id,
            "run": run,
            "seq": seq,
            "server": self.server_number(new.server, new.identity),
            "tool": storable(new.tool),
            "arguments": keep(self.connection, new.arguments, self.ahead),
            "tool_class": new.tool_class,
            "fingerprint": new.fingerprint,
            "undoes": None if new.undoes is None else self._existing_action(new.undoes),
            "undoes_step": new.undoes_step,
            "at": at,
        }
        covered: dict[int, Mapping[str, Value]] = {
            chain.CALL: call,
            chain.SERVER: {"name": new.server, "identity": new.identity},
        }
        row = {**call, "status": status, "note": note, "approval": approval}
        if sent is None:
            statement = _INSERT_RECORDED
        else:
            covered[chain.SENT] = sent
            row |= sent
            statement = _INSERT_SENT
        number = self.connection.execute(statement, row).lastrowid
        assert number is not None
        self.tally(run, actions=1, **({} if new.tool_class is ToolClass.READONLY else _weights(status, None)))
        self.event(status, run=run, action=number, at=at, note=note, covered=covered, later=True)
        return number

    def move(
        self,
        action: str,
        to: ActionStatus,
        *,
        columns: Mapping[str, Value] | None = None,
        outcome: Mapping[str, Value] | None = None,
        covered: Mapping[int, Mapping[str, Value]] | None = None,
        note: str = "",
        only_from: ActionStatus | None = None,
    ) -> Moved | None:
        """Move an action on, with the columns that the move sets and what became of it; `covered` is what its event
        covers besides. None where it is not in a status from which it may; `only_from` narrows that to one."""
        found = self.connection.execute(
            "SELECT number, run, status, tool_class, note, undone, planned FROM actions WHERE id = :id", {"id": action}
        ).fetchone()
        if found is None:
            return None
        number, run, was, tool_class, old_note, undone, planned = found
        if only_from is not None and was != only_from:
            return None
        columns = columns or {}
        moved = self.connection.execute(
            _move_statement(to, tuple(columns)),
            {**columns, "number": number, "to": to, "note": add_note(old_note, note)},
        ).rowcount
        if not moved:
            return None
        if outcome is not None:
            if outcome["inverse"] is not None and outcome["inverse"] == planned:
                outcome = {**outcome, "inverse": AS_PLANNED}
            self.connection.execute(_PUT_OUTCOME, {**outcome, "action": number})
            covered = {**(covered or {}), chain.OUTCOME: outcome}
        self._tally_move(run, was, to, tool_class, undone=undone)
        self.event(to, run=run, action=number, note=note, covered=covered, later=True)
        return Moved(number, run)

    def covered_call(self, action: str) -> dict[int, dict[str, Value]]:
        """All that stands of a call but its outcome, for an event that covers it anew. Raises LookupError."""
        call, sent = self.columns(action, chain.CALL), self.columns(action, chain.SENT)
        name, identity = self.connection.execute(
            "SELECT name, identity FROM servers WHERE number = :server", {"server": call["server"]}
        ).fetchone()
        return {chain.CALL: call, chain.SENT: sent, chain.SERVER: {"name": name, "identity": identity}}

    def columns(self, id: str, group: int) -> dict[str, Value]:
        """A group of columns of a run or an action as they stand, for an event that covers them anew. Raises LookupError."""
        table, names = chain.GROUPS[group]
        row = self.connection.execute(f"SELECT {', '.join(names)} FROM {table} WHERE id = :id", {"id": id}).fetchone()
        if row is None:
            raise LookupError(f"no {id!r} among the {table} in this journal")
        return dict(zip(names, row, strict=True))

    # --- findings

    def add_finding(self, finding: Finding) -> bool:
        """False where there is no such action."""
        number = self.action_number(finding.action)
        if number is None:
            return False
        self._find(number, finding)
        self._pass_on(number, finding)
        return True

    def _find(self, number: int, finding: Finding) -> None:
        run, status, tool_class, was = self.connection.execute(
            "SELECT run, status, tool_class, undone FROM actions WHERE number = :number", {"number": number}
        ).fetchone()
        row: dict[str, Value] = {
            "action": number,
            "undo_run": finding.undo_run,
            "inverse": finding.inverse,
            "undone": finding.undone,
            "verified": int(finding.verified),
            "detail": keep(self.connection, finding.detail),
        }
        event = self.event("finding", run=run, action=number, covered={chain.FINDING: row})
        self.connection.execute(
            "INSERT INTO findings (number, action, undo_run, inverse, undone, verified, detail) VALUES"
            " (:number, :action, :undo_run, :inverse, :undone, :verified, :detail)",
            {**row, "number": event},
        )
        self.connection.execute(
            "UPDATE actions SET undone = :undone WHERE number = :number", {"undone": finding.undone, "number": number}
        )
        if tool_class != ToolClass.READONLY and status == ActionStatus.APPLIED:
            self.tally(run, undone=(finding.undone in UNDONE) - (was in UNDONE))

    def _pass_on(self, number: int, finding: Finding) -> None:
        """What an inverse did holds as long as it is not undone itself: say so of the action that it undid, and so on
        down the chain."""
        below, undone = self.connection.execute(
            "SELECT undoes, undone FROM actions WHERE number = :number", {"number": number}
        ).fetchone()
        if below is None or undone == Undone.MISMATCH:
            return
        (was,) = self.connection.execute(
            "SELECT undone FROM actions WHERE number = :number", {"number": below}
        ).fetchone()
        gone = undone in UNDONE
        self._set_claim(number, released=gone)
        if gone == (was not in UNDONE):
            return
        said = Undone.REDONE if gone else self._last_undone(below)
        if said is None:
            return
        self._find(below, finding._replace(undone=said, detail=b"[]"))
        self._pass_on(below, finding)

    def _set_claim(self, number: int, *, released: bool) -> None:
        """An inverse that is undone makes way for another one. One that is effective again takes its place again,
        unless another has it by now."""
        self.connection.execute(
            "UPDATE OR IGNORE actions SET claim_released = :released"
            " WHERE number = :number AND claim_released <> :released",
            {"released": int(released), "number": number},
        )

    def _last_undone(self, number: int) -> Undone | None:
        row = self.connection.execute(
            "SELECT undone FROM findings WHERE action = :number AND undone IN ('restored', 'compensated', 'already')"
            " ORDER BY number DESC LIMIT 1",
            {"number": number},
        ).fetchone()
        return None if row is None else Undone(row[0])

    # --- events and tallies

    def event(
        self,
        kind: str,
        *,
        run: int | None,
        action: int | None = None,
        at: str = "",
        who: str = "",
        note: str = "",
        covered: Mapping[int, Mapping[str, Value]] | None = None,
        later: bool = False,
    ) -> int:
        """Append to the history. Returns the number of the event. `later`: written when the transaction ends, all in one go;
        for the many that no row points at."""
        if self._last is None:
            self._last = chain.last(self.connection)
        number, previous = self._last
        event = Event(kind, at or self.at(), self.process_number(self.process), run, action, who, note)
        covered = {**(covered or {}), **self._made_by}
        entry = chain.entry(event, number=number + 1, previous=previous, covered=covered)
        self._entries.append(entry)
        self._last = (entry.number, entry.digest)
        if not later:
            self._write_entries()
        return entry.number

    def _write_entries(self) -> None:
        if self._entries:
            chain.append(self.connection, self._entries)
            self._entries.clear()

    def tally(self, run: int, **more: int) -> None:
        """Count in what `list` shows of a run; written once, when the transaction ends."""
        counts = self._tallies.setdefault(run, dict.fromkeys(TALLIES, 0))
        for name, by in more.items():
            counts[name] += by

    def _tally_move(self, run: int, was: str, to: str, tool_class: str, *, undone: str | None) -> None:
        if tool_class != ToolClass.READONLY:
            self.tally(run, **_weights(to, undone))
            self.tally(run, **{name: -weight for name, weight in _weights(was, undone).items()})

    def _write_tallies(self) -> None:
        for run, counts in self._tallies.items():
            if any(counts.values()):
                self.connection.execute(_ADD_TALLIES, {**counts, "run": run})

    # --- numbers of what is named

    def run_number(self, run: str) -> int:
        """Raises LookupError: the run was never opened in this journal."""
        number = self._numbers.get(("run", run))
        if number is None:
            number = self._number_of("runs", run)
            if number is None:
                raise LookupError(f"no run {run!r} in this journal")
            self._numbers["run", run] = number
        return number

    def action_number(self, action: str) -> int | None:
        return self._number_of("actions", action)

    def _existing_action(self, action: str) -> int:
        number = self.action_number(action)
        if number is None:
            raise LookupError(f"no action {action!r} in this journal")
        return number

    def _number_of(self, table: str, id: str) -> int | None:
        row = self.connection.execute(f"SELECT number FROM {table} WHERE id = :id", {"id": id}).fetchone()
        return None if row is None else int(row[0])

    def server_number(self, name: str, identity: str) -> int:
        number = self._numbers.get((name, identity))
        return number or self._intern((name, identity), "servers", "name", "identity")

    def process_number(self, process: ProcessId) -> int:
        return self._numbers.get(process) or self._intern(process, "processes", "pid", "started")

    def _intern(self, key: tuple[Value, Value], table: str, first: str, second: str) -> int:
        """The number of a pair that is kept once, whoever comes first."""
        values = dict(zip("ab", key, strict=True))
        self.connection.execute(f"INSERT OR IGNORE INTO {table} ({first}, {second}) VALUES (:a, :b)", values)
        row = self.connection.execute(f"SELECT number FROM {table} WHERE {first} = :a AND {second} = :b", values)
        number = self._numbers[key] = int(row.fetchone()[0])
        return number


def stamp(moment: datetime) -> str:
    """A UTC time as it is stored; such texts sort as the times do."""
    return moment.isoformat(timespec="microseconds")[:26] + "Z"


def hour_before(moment: datetime) -> str:
    return stamp(moment - timedelta(hours=1))


def storable(said: str) -> str:
    """Text from outside as SQLite can hold it: half of a surrogate pair, which JSON can smuggle in, becomes an
    escape."""
    if said.isascii():
        return said
    return said.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def _weights(status: str, undone: str | None) -> dict[str, int]:
    """What an action that is no read adds to the tallies of its run. Reads add nothing: their outcome blocks nothing."""
    weights = {
        "in_flight": status in (ActionStatus.SENT, ActionStatus.PAUSED),
        "unknown": status == ActionStatus.UNKNOWN,
        "changes": status == ActionStatus.APPLIED,
        "undone": status == ActionStatus.APPLIED and undone in UNDONE,
    }
    return {name: 1 for name, counts in weights.items() if counts}


@cache
def _move_statement(to: ActionStatus, columns: tuple[str, ...]) -> str:
    """The condition is in the statement: the row moves only from where the table of moves allows."""
    allowed = ", ".join(f"'{status}'" for status, moves in ACTION_MOVES.items() if to in moves)
    values = "".join(f", {name} = :{name}" for name in columns)
    return f"UPDATE actions SET status = :to, note = :note{values} WHERE number = :number AND status IN ({allowed})"


_CALL = (*chain.GROUPS[chain.CALL][1], "status", "note", "approval")
_SENT = (*_CALL, *chain.GROUPS[chain.SENT][1])
_INSERT_RECORDED = f"INSERT INTO actions ({', '.join(_CALL)}) VALUES ({', '.join(f':{name}' for name in _CALL)})"
_INSERT_SENT = f"INSERT INTO actions ({', '.join(_SENT)}) VALUES ({', '.join(f':{name}' for name in _SENT)})"
_OUTCOME = ("action", *chain.GROUPS[chain.OUTCOME][1])
_PUT_OUTCOME = (
    f"INSERT OR REPLACE INTO outcomes ({', '.join(_OUTCOME)}) VALUES ({', '.join(f':{name}' for name in _OUTCOME)})"
)
_ADD_TALLIES = f"UPDATE tallies SET {', '.join(f'{name} = {name} + :{name}' for name in TALLIES)} WHERE run = :run"
