"""The tail: what binds nobody yet waits in memory for the next transaction. Knows no rule of the contract; `writes.py`
does.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from synartesis.domain.records import NewAction, ProcessId
from synartesis.domain.status import ActionStatus
from synartesis.errors import JournalUnavailable
from synartesis.journal import chain, liveness
from synartesis.journal.blobs import AHEAD_BYTES
from synartesis.journal.commits import Commits, Work, when_free
from synartesis.journal.database import is_busy
from synartesis.journal.ledger import storable
from synartesis.journal.reads import SqliteHistory, utc_now

if TYPE_CHECKING:
    from synartesis.journal.orders import ProxyOrders

T = TypeVar("T")

FLUSH_AFTER_S = 0.03
RETRY_AFTER_S = 1.0
"""After a flush that failed for another reason than a lock; whoever writes meanwhile is told."""


class Waiting(NamedTuple):
    """A row in the tail."""

    new: NewAction
    seq: int
    at: str
    status: ActionStatus
    note: str


class TailedJournal(SqliteHistory):
    """One connection that reads, and writes with a tail. For one thread and one event loop."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: str,
        *,
        now: Callable[[], datetime] = utc_now,
        alive: Callable[[ProcessId], bool] = liveness.is_alive,
        group_alive: Callable[[ProcessId], bool] = liveness.group_is_alive,
        flush_after_s: float = FLUSH_AFTER_S,
    ) -> None:
        super().__init__(connection, path, now=now, alive=alive, group_alive=group_alive)
        self._inode = os.stat(path).st_ino
        self._tail: dict[str, Waiting] = {}
        self._started: list[tuple[str, ProcessId, ProcessId]] = []
        """Processes of servers, with who started them: on disk before anything can leave for them."""
        self._tail_failed = False
        self._lost: Exception | None = None
        self._dropped: list[Waiting] = []
        self._flush_after_s = flush_after_s
        self._timer: asyncio.TimerHandle | None = None
        self._next_seq: dict[str, int] = {}
        self._commits = Commits(self._together, path)
        self._under_way: dict[str, bytes] = {}
        """Calls that were opened and have not ended, with their arguments. Where there is more than one, they commit
        together."""

    def close(self) -> None:
        """Write the tail down and close. Idempotent."""
        try:
            self._before_reading()
        finally:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            super().close()

    @cached_property
    def orders(self) -> ProxyOrders:
        from synartesis.journal.orders import ProxyOrders

        return ProxyOrders(self._ledger, read=self._read, write=self._write, alive=self._alive, commit=self._commit)

    def server_started(self, server: str, process: ProcessId, *, by: ProcessId) -> None:
        """What `by` sends to this server from now on is got by this process. Reaches the disk with the next commit, which is
        before anything leaves that is not a read."""
        self._started.append((server, process, by))
        if self._timer is None:
            self._flush_in(self._flush_after_s)

    # --- the tail

    def _to_tail(self, waiting: Waiting) -> None:
        self._tail[waiting.new.id] = waiting
        if self._timer is None:
            self._flush_in(self._flush_after_s)

    def _flush_in(self, seconds: float) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # no loop to do it in: the next transaction will, or `close`
        self._timer = loop.call_later(seconds, self._flush_by_itself)

    def _flush_by_itself(self) -> None:
        self._timer = None
        if not self._tail and not self._started:
            return
        try:
            self._in_transaction(lambda: None)
        except sqlite3.Error as error:
            self._tail_failed = not is_busy(error)
            self._flush_in(self._flush_after_s if is_busy(error) else RETRY_AFTER_S)

    def _before_reading(self) -> None:
        if self._tail or self._started:
            self._write(lambda: None, durable=False)

    def _write_down(self, waiting: Waiting, *, sent: dict[str, chain.Value] | None = None) -> int:
        return self._ledger.add_action(
            waiting.new, seq=waiting.seq, at=waiting.at, status=waiting.status, note=storable(waiting.note), sent=sent
        )

    # --- large payloads

    async def _once_packed(self, payloads: Sequence[bytes | None], commit: Callable[[], Awaitable[T]]) -> T:
        """Commit when large payloads are packed, so that neither the lock nor the event loop has to wait for that."""
        large = [payload for payload in payloads if payload is not None and len(payload) >= AHEAD_BYTES]
        if not large:
            return await commit()
        try:
            for payload in large:
                await self._pack_ahead(payload)
            return await commit()
        finally:
            for payload in large:
                self._ledger.ahead.drop(payload)

    async def _pack_ahead(self, payload: bytes | None) -> None:
        if payload is None or len(payload) < AHEAD_BYTES:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # driven by hand: nobody waits
        ahead = self._ledger.ahead
        ahead.put(await loop.run_in_executor(None, ahead.pack, payload))

    # --- transactions

    async def _commit(self, do: Callable[[], T], *, durable: bool = False, settles: str | None = None) -> T:
        self._raise_what_was_lost()
        work = Work(do, durable=durable, settles=settles)
        return await self._commits.do(work, alone=len(self._under_way) < 2)

    def _in_transaction(self, do: Callable[[], T], *, durable: bool = False) -> T:
        (result,) = self._together((Work(do, durable=durable),))
        return result  # type: ignore[no-any-return]

    def _together(self, works: Sequence[Work[Any]]) -> list[Any]:
        """One transaction with the tail in it, in the order in which its calls were opened."""
        durable = any(work.durable for work in works)
        if durable:
            self._check_file()
        settling = {work.settles: work for work in works if work.settles and self._recorded_in_tail(work.settles)}
        self._dropped.clear()

        def whole() -> list[Any]:
            results = {}
            for server, process, by in self._started:
                self._ledger.add_server_process(server, process, by=by)
            for action, waiting in self._tail.items():
                work = settling.get(action)
                if work is None:
                    self._write_down(waiting)
                else:
                    results[work] = work.do()
            for work in works:
                if work not in results:
                    results[work] = work.do()
            return [results[work] for work in works]

        done = self._ledger.transaction(whole, durable=durable)
        self._tail.clear()
        self._started.clear()
        self._tail_failed = False
        for dropped in self._dropped:
            self._give_back_seq(dropped.new.run, dropped.seq)
        return done

    def _check_file(self) -> None:
        """A journal that was deleted or replaced under us still takes our writes, and nobody will ever read them."""
        try:
            same = os.stat(self.path).st_ino == self._inode
        except OSError:
            same = False
        if not same:
            raise JournalUnavailable(
                f"the journal {self.path} was moved, deleted or replaced while it was in use",
                hint="put it back, or start again with a new one",
            )

    async def _when_free(self, attempt: Callable[[], T]) -> T:
        self._raise_what_was_lost()
        return await when_free(attempt, self.path)

    def _raise_what_was_lost(self) -> None:
        if self._lost is not None:
            lost, self._lost = self._lost, None
            raise JournalUnavailable(f"the journal {self.path} lost the record of a read: {lost}") from lost

    # --- numbers within a run, and rows of the tail

    def _recorded_in_tail(self, action: str) -> Waiting | None:
        """None for a read too: it has its outcome, and is written down before anything else happens to it."""
        waiting = self._tail.get(action)
        return waiting if waiting is not None and waiting.status is ActionStatus.RECORDED else None

    def _take_seq(self, run: str) -> int:
        """The next number in a run. Its process gives them out, so nobody has to ask the file."""
        seq = self._next_seq.get(run)
        if seq is None:
            number = self._ledger.run_number(run)
            (last,) = self._connection.execute(
                "SELECT coalesce(max(seq), 0) FROM actions WHERE run = :run", {"run": number}
            ).fetchone()
            seq = int(last) + 1
        self._next_seq[run] = seq + 1
        return seq

    def _give_back_seq(self, run: str, seq: int) -> None:
        """A call that leaves no row leaves no gap either, unless another one was opened since."""
        if self._next_seq.get(run) == seq + 1:
            self._next_seq[run] = seq
