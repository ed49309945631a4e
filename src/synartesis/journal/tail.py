"""The tail, and how a writing process commits: what binds nobody yet waits in memory, and a lock is waited for without
stopping the event loop. Knows no rule of the contract; `writes.py` does.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable
from datetime import datetime
from random import uniform
from typing import NamedTuple, TypeVar

from synartesis.domain.records import NewAction, ProcessId
from synartesis.domain.status import ActionStatus
from synartesis.errors import JournalUnavailable
from synartesis.journal import chain, liveness
from synartesis.journal.database import is_busy, unavailable
from synartesis.journal.ledger import storable
from synartesis.journal.reads import SqliteHistory, utc_now

T = TypeVar("T")

PATIENCE_S = 30.0
"""How long a write waits for a lock before it is given up."""
LONGEST_PAUSE_S = 0.02
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
        flush_after_s: float = FLUSH_AFTER_S,
    ) -> None:
        super().__init__(connection, path, now=now, alive=alive)
        self._inode = os.stat(path).st_ino
        self._tail: dict[str, Waiting] = {}
        self._tail_failed = False
        self._lost: Exception | None = None
        self._dropped: list[Waiting] = []
        self._flush_after_s = flush_after_s
        self._timer: asyncio.TimerHandle | None = None
        self._next_seq: dict[str, int] = {}

    def close(self) -> None:
        """Write the tail down and close. Idempotent."""
        try:
            self._before_reading()
        finally:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            super().close()

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
        if not self._tail:
            return
        try:
            self._in_transaction(lambda: None)
        except sqlite3.Error as error:
            self._tail_failed = not is_busy(error)
            self._flush_in(self._flush_after_s if is_busy(error) else RETRY_AFTER_S)

    def _before_reading(self) -> None:
        if self._tail:
            self._write(lambda: None, durable=False)

    def _write_down(self, waiting: Waiting, *, sent: dict[str, chain.Value] | None = None) -> int:
        return self._ledger.add_action(
            waiting.new, seq=waiting.seq, at=waiting.at, status=waiting.status, note=storable(waiting.note), sent=sent
        )

    # --- transactions

    async def _commit(self, work: Callable[[], T], *, durable: bool = False, settles: str | None = None) -> T:
        return await self._when_free(lambda: self._in_transaction(work, durable=durable, settles=settles))

    def _in_transaction(self, work: Callable[[], T], *, durable: bool = False, settles: str | None = None) -> T:
        """One transaction with the tail in it, in the order in which its calls were opened. `settles` is the row of the
        tail that `work` writes down itself, or drops."""
        if durable:
            self._check_file()
        before, after = self._split_tail(settles)
        self._dropped.clear()

        def whole() -> T:
            for waiting in before:
                self._write_down(waiting)
            result = work()
            for waiting in after:
                self._write_down(waiting)
            return result

        result = self._ledger.transaction(whole, durable=durable)
        self._tail.clear()
        self._tail_failed = False
        for dropped in self._dropped:
            self._give_back_seq(dropped.new.run, dropped.seq)
        return result

    def _split_tail(self, settles: str | None) -> tuple[list[Waiting], list[Waiting]]:
        rows = list(self._tail.values())
        if settles is None or self._recorded_in_tail(settles) is None:
            return rows, []
        at = list(self._tail).index(settles)
        return rows[:at], rows[at + 1 :]

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
        """Try until no other process holds the lock, and let the event loop go on meanwhile."""
        if self._lost is not None:
            lost, self._lost = self._lost, None
            raise JournalUnavailable(f"the journal {self.path} lost the record of a read: {lost}") from lost
        deadline = None
        pause = 0.001
        while True:
            try:
                return attempt()
            except sqlite3.Error as error:
                now = asyncio.get_running_loop().time()
                deadline = deadline or now + PATIENCE_S
                if not is_busy(error) or now > deadline:
                    raise unavailable(error, self.path) from error
            await asyncio.sleep(uniform(pause / 2, pause))  # many processes at once must not come back in step
            pause = min(pause * 2, LONGEST_PAUSE_S)

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
