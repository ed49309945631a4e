"""Orders: what a command asks of the living proxy of a run, and what the proxy says to it. A mailbox, not history. Every move is
made under its condition, and the row count says whether it was: that is how one of the two ends up doing it, and never both."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Protocol, TypeVar

from synartesis.domain.records import Freeze, NewOrder, Order, ProcessId
from synartesis.domain.status import ORDER_MOVES, OrderStatus
from synartesis.journal import approvals, freezes
from synartesis.journal.ledger import Ledger, storable

T = TypeVar("T")


class Write(Protocol):
    def __call__(self, work: Callable[[], T], *, durable: bool) -> T: ...


class Read(Protocol):
    def __call__(self, attempt: Callable[[], T]) -> T: ...


class Commit(Protocol):
    def __call__(self, do: Callable[[], T]) -> Awaitable[T]: ...


class OrderBook:
    """The orders of one journal, for whoever asks. Every method may raise JournalUnavailable."""

    def __init__(self, ledger: Ledger, *, read: Read, write: Write, alive: Callable[[ProcessId], bool]) -> None:
        self._ledger = ledger
        self._read = read
        self._write = write
        self._alive = alive

    def place(self, new: NewOrder) -> None:
        """Ask. What nobody will ever fetch any more is thrown away with it."""
        self._write(lambda: self._place(new), durable=False)

    def find(self, order: str) -> Order | None:
        """None where nobody waits for it any more."""
        return self._read(lambda: self._find(order))

    def standing(self, order: str) -> tuple[OrderStatus, bool] | None:
        """Its status, and whether it is to be stopped."""
        row = self._read(
            lambda: self._execute("SELECT status, stops FROM orders WHERE id = :id", {"id": order}).fetchone()
        )
        return None if row is None else (OrderStatus(row[0]), bool(row[1]))

    def withdraw(self, order: str) -> bool:
        """Whether the proxy can no longer act on it."""
        return self._write(lambda: self._move(order, OrderStatus.WITHDRAWN), durable=False)

    def agree(self, order: str) -> bool:
        """Yes to its plan. False where the proxy does not wait for that any more."""
        return self._write(lambda: self._move(order, OrderStatus.AGREED), durable=False)

    def stop(self, order: str) -> None:
        """Let it make no further call."""
        self._write(lambda: self._execute("UPDATE orders SET stops = 1 WHERE id = :id", {"id": order}), durable=False)

    def drop(self, order: str) -> None:
        """Its answer was read, or nobody wants one."""
        self._write(lambda: self._execute("DELETE FROM orders WHERE id = :id", {"id": order}), durable=False)

    # --- below: within a transaction

    def _place(self, new: NewOrder) -> None:
        rows = self._execute(
            "SELECT o.id, o.status, a.pid, a.started, t.pid, t.started FROM orders AS o"
            " JOIN processes AS a ON a.number = o.asker LEFT JOIN processes AS t ON t.number = o.taker"
        ).fetchall()
        for order, status, pid, started, taker_pid, taker_started in rows:
            is_over = taker_pid is None or not ORDER_MOVES[OrderStatus(status)]
            in_hand = not is_over and self._alive(ProcessId(taker_pid, taker_started))
            if not in_hand and not self._alive(ProcessId(pid, started)):
                self._execute("DELETE FROM orders WHERE id = :id", {"id": order})
        self._execute(
            "INSERT INTO orders (id, asked_of, what, about, manifest, options, by, signature, signed_at, status, asker) VALUES"
            " (:id, :asked_of, :what, :about, :manifest, :options, :by, :signature, :signed_at, :status, :asker)",
            {
                **new._asdict(),
                "asked_of": self._ledger.run_number(new.asked_of),
                "manifest": storable(new.manifest),
                "by": storable(new.by),
                "status": OrderStatus.WAITING,
                "asker": self._ledger.process_number(self._ledger.process),
            },
        )

    def _find(self, order: str) -> Order | None:
        row = self._execute(_SELECT, {"id": order}).fetchone()
        if row is None:
            return None
        status, pid, started, taker_pid, taker_started, stops, phase, done, total, answer = row[len(NewOrder._fields) :]
        return Order(
            NewOrder(*row[: len(NewOrder._fields)]),
            OrderStatus(status),
            ProcessId(pid, started),
            None if taker_pid is None else ProcessId(taker_pid, taker_started),
            bool(stops),
            (phase, done, total),
            answer,
        )

    def _move(self, order: str, to: OrderStatus, *, answer: bytes | None = None) -> bool:
        values = {"id": order, "to": to, "answer": answer}
        return bool(self._execute(_move_statement(to), values).rowcount)

    def _execute(self, statement: str, values: dict[str, Any] | None = None) -> Any:
        return self._ledger.connection.execute(statement, values or {})


class ProxyOrders(OrderBook):
    """The same for a proxy, which waits for no lock in place."""

    def __init__(
        self, ledger: Ledger, *, read: Read, write: Write, alive: Callable[[ProcessId], bool], commit: Commit
    ) -> None:
        super().__init__(ledger, read=read, write=write, alive=alive)
        self._commit = commit
        self._version: int | None = None

    def new_for(self, run: str) -> list[str] | None:
        """What is asked of this run's proxy, oldest first; None where nobody else has written into the journal since the last
        time. To be asked often: that costs a look at its shared memory."""
        try:
            (version,) = self._execute("PRAGMA data_version").fetchone()
            if version == self._version:
                return None
            rows = self._execute(
                "SELECT id FROM orders WHERE asked_of = :run AND status = 'waiting' ORDER BY number",
                {"run": self._ledger.run_number(run)},
            ).fetchall()
        except sqlite3.Error:
            return None  # somebody is in the way: the next time, then
        self._version = version
        return [order for (order,) in rows]

    def frozen(self) -> Freeze | None:
        """The freeze that holds, as far as that can be seen without waiting for anybody."""
        try:
            return freezes.current(self._ledger.connection)
        except sqlite3.Error:
            return None

    def taken_back(self, asker: str) -> list[tuple[str, str]]:
        """As `approvals.taken_back`, as far as that can be seen without waiting for anybody."""
        try:
            return approvals.taken_back(self._ledger.connection, asker)
        except sqlite3.Error:
            return []

    async def take(self, order: str) -> Order | None:
        """It is this process that does it. None where it was withdrawn, or taken already."""

        def work() -> bool:
            if not self._move(order, OrderStatus.TAKEN):
                return False
            taker = self._ledger.process_number(self._ledger.process)
            self._execute("UPDATE orders SET taker = :taker WHERE id = :id", {"id": order, "taker": taker})
            return True

        return self.find(order) if await self._commit(work) else None

    async def show_plan(self, order: str, plan: bytes) -> bool:
        """Wait for a yes from now on. False where nobody waits for it any more."""
        return await self._commit(lambda: self._move(order, OrderStatus.PLANNED, answer=plan))

    async def act(self, order: str) -> bool:
        """From here on it may send. False where it was withdrawn: then it must not."""
        return await self._commit(lambda: self._move(order, OrderStatus.ACTING))

    async def tell(self, order: str, progress: tuple[str, int, int]) -> None:
        """How far it is."""
        values = {"id": order, **dict(zip(("phase", "done", "total"), progress, strict=True))}
        statement = "UPDATE orders SET phase = :phase, done = :done, total = :total WHERE id = :id"
        await self._commit(lambda: self._execute(statement, values))

    async def answer(self, order: Order, answer: bytes) -> None:
        """Where nobody is left to read it, the order goes."""

        def work() -> None:
            self._move(order.new.id, OrderStatus.ANSWERED, answer=answer)
            if not self._alive(order.asker):
                self._execute("DELETE FROM orders WHERE id = :id", {"id": order.new.id})

        await self._commit(work)


@cache
def _move_statement(to: OrderStatus) -> str:
    """The condition is in the statement: it moves only from where the table of moves allows."""
    allowed = ", ".join(f"'{status}'" for status, moves in ORDER_MOVES.items() if to in moves)
    return (
        f"UPDATE orders SET status = :to, answer = coalesce(:answer, answer) WHERE id = :id AND status IN ({allowed})"
    )


_SELECT = """
    SELECT o.id, r.id, o.what, o.about, o.manifest, o.options, o.by, o.signature, o.signed_at, o.status,
        a.pid, a.started, t.pid, t.started, o.stops, o.phase, o.done, o.total, o.answer
    FROM orders AS o JOIN runs AS r ON r.number = o.asked_of JOIN processes AS a ON a.number = o.asker
    LEFT JOIN processes AS t ON t.number = o.taker WHERE o.id = :id
"""
