"""The command's side of what the living proxy of a run does: ask it through the journal, follow how far it is, and hand
over what a person says meanwhile. Loads no event loop."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Protocol, TypeVar

from synartesis.domain.records import NewOrder, Order, ProcessId
from synartesis.domain.status import OrderStatus
from synartesis.errors import JournalUnavailable, SynartesisError
from synartesis.journal import liveness

if TYPE_CHECKING:
    from synartesis.domain.records import Run
    from synartesis.journal.reads import SqliteHistory
    from synartesis.undo.onlooker import Onlooker
    from synartesis.undo.report import Report

T = TypeVar("T")

TAKEN_WITHIN_S: Final = 5.0
"""How long the proxy may take to begin. It looks five times a second."""
MOVES_WITHIN_S: Final = 30.0
"""How long it may say nothing new before it has acted: a server that it reads from may be slow."""
FOLLOWS_EVERY_S: Final = 0.03
MISSES_AFTER_S: Final = 0.3
"""How often it is looked whether the proxy is still there."""


class Unanswered(NamedTuple):
    """The proxy did not do it, and never will: the order was withdrawn before it could send anything."""

    run: str
    pid: int
    why: str


class Person(Protocol):
    """Whoever waits for it."""

    def unanswered(self, it: Unanswered) -> None:
        """It is not done by the proxy. May raise; otherwise it is done without it."""

    def silent(self, pid: int) -> None:
        """The proxy makes calls, and has not said anything new for long. It is waited for all the same."""


def living_proxy(run: Run, history: SqliteHistory) -> Run | None:
    """The run of the agent whose servers are to be used, where its proxy is there to be asked."""
    from synartesis.workspace.undoing import agents_run

    proxy = agents_run(run, history)
    return proxy if proxy.ended_at is None and liveness.is_alive(proxy.process) else None


def hand_over(
    history: SqliteHistory,
    order: NewOrder,
    proxy: Run,
    *,
    read: Callable[[bytes], T],
    before_sending: Callable[[Report], None] | None = None,
    onlooker: Onlooker,
    on_interrupt: Callable[[], None] | None = None,
    on_silence: Callable[[int], None] = lambda _: None,
    moves_within_s: float = MOVES_WITHIN_S,
) -> T | Unanswered | None:
    """Have the proxy of this run do it, and read its answer. None where it ended before it sent anything: then there is nobody
    to ask.

    Raises what the undo raises; and SynartesisError where the proxy ended in the middle. Whoever leaves in any way stops the
    undo: before the next call, or before it begins.
    """
    history.orders.place(order)
    try:
        with _listening(on_interrupt) as interrupts:
            following = _Following(
                history,
                order,
                proxy.process,
                read=read,
                before_sending=before_sending,
                onlooker=onlooker,
                on_silence=on_silence,
                moves_within_s=moves_within_s,
            )
            return following.to_its_end(interrupts)
    finally:
        with suppress(JournalUnavailable):
            _leave(history, order.id)


def _leave(history: SqliteHistory, order: str) -> None:
    standing = history.orders.standing(order)
    if standing is not None and standing[0] is OrderStatus.ACTING:
        history.orders.stop(order)  # it is dropped once nobody is left who could still write to it
    elif standing is not None:
        history.orders.drop(order)


class _Following(Generic[T]):
    def __init__(
        self,
        history: SqliteHistory,
        order: NewOrder,
        proxy: ProcessId,
        *,
        read: Callable[[bytes], T],
        before_sending: Callable[[Report], None] | None,
        onlooker: Onlooker,
        on_silence: Callable[[int], None],
        moves_within_s: float,
    ) -> None:
        self._history = history
        self._orders = history.orders
        self._order = order
        self._proxy = proxy
        self._read = read
        self._before_sending = before_sending
        self._onlooker = onlooker
        self._on_silence = on_silence
        self._moves_within_s = moves_within_s
        self._is_silent = False
        self._since = time.monotonic()
        """When the proxy last said something new."""
        self._last: tuple[Any, ...] = ()
        self._told_to_stop = False
        self._missed_at = self._since + MISSES_AFTER_S

    def to_its_end(self, interrupts: _Interrupts) -> T | Unanswered | None:
        while True:
            interrupts.tell()
            order = self._orders.find(self._order.id)
            if order is None:
                raise SynartesisError("the order was taken out of the journal by somebody else", hint="run it again")
            self._note(order)
            if order.status is OrderStatus.ANSWERED:
                return self._answered(order.answer)
            if order.status is OrderStatus.PLANNED:
                self._ask(order)
            elif why := self._why_withdraw(order):
                if self._orders.withdraw(order.new.id):
                    return Unanswered(self._order.asked_of, self._proxy.pid, why)
            elif self._has_ended():
                return self._without_it()
            else:
                time.sleep(FOLLOWS_EVERY_S)

    def _note(self, order: Order) -> None:
        now = time.monotonic()
        if (order.status, order.progress) != self._last:
            self._last, self._since, self._is_silent = (order.status, order.progress), now, False
        elif order.status is OrderStatus.ACTING and now - self._since > self._moves_within_s and not self._is_silent:
            self._is_silent = True
            self._on_silence(self._proxy.pid)
        phase, done, total = order.progress
        if phase == "looking":
            self._onlooker.looked(done, total)
        elif phase == "undoing":
            self._onlooker.undone(done, total)
        if self._onlooker.why_stop() and not self._told_to_stop:
            self._told_to_stop = True
            self._orders.stop(self._order.id)

    def _why_withdraw(self, order: Order) -> str:
        """Why it is not waited for any longer; empty where it is, or where it may have sent something."""
        silent_s = time.monotonic() - self._since
        if order.status is OrderStatus.WAITING and silent_s > TAKEN_WITHIN_S:
            return f"did not answer within {TAKEN_WITHIN_S:.0f} s"
        if order.status in (OrderStatus.TAKEN, OrderStatus.AGREED) and silent_s > self._moves_within_s:
            return f"began to look at it, and then said nothing for {self._moves_within_s:.0f} s"
        return ""

    def _ask(self, order: Order) -> None:
        """Show the plan, and hand over the yes."""
        from synartesis.undo.spelled import report_from_json

        if self._before_sending is not None:
            self._before_sending(report_from_json(order.answer))
        self._orders.agree(order.new.id)

    def _has_ended(self) -> bool:
        if time.monotonic() < self._missed_at:
            return False
        self._missed_at = time.monotonic() + MISSES_AFTER_S
        return not liveness.is_alive(self._proxy)

    def _without_it(self) -> T | None:
        """The proxy is gone; what it said last may be its answer."""
        if self._orders.withdraw(self._order.id):
            return None
        order = self._orders.find(self._order.id)
        if order is not None and order.status is OrderStatus.ANSWERED:
            answer = self._answered(order.answer)
            return None if isinstance(answer, Unanswered) else answer
        raise SynartesisError(
            f"the proxy of run {self._order.asked_of} (process {self._proxy.pid}) ended in the middle of it;"
            " what it had done is in the journal",
            hint="run it again: it goes on where this one stopped, and makes no call twice",
        )

    def _answered(self, answer: bytes) -> T | Unanswered:
        from synartesis.domain.canonical import decode_json, encode_json
        from synartesis.undo.spelled import NotUnderstood

        said = decode_json(answer)
        if "declined" in said:
            return Unanswered(self._order.asked_of, self._proxy.pid, said["declined"])
        if "error" in said:
            message, hint, exit_code = said["error"]
            error = SynartesisError(message, hint=hint)
            error.exit_code = exit_code
            raise error
        try:
            return self._read(encode_json(said["done"]))
        except NotUnderstood as error:
            raise SynartesisError(
                f"the proxy (process {self._proxy.pid}) did it, and what it says of it cannot be read: {error}",
                hint="look at it with `synartesis list` and `show`; the proxy may be of another version",
            ) from error


class _Interrupts:
    """Ctrl-C: the first one is told when there is time to, the next one ends the command."""

    def __init__(self, told: Callable[[], None] | None) -> None:
        self._told = told
        self._were_heard = False

    def __call__(self, _number: int, _frame: object) -> None:
        if self._were_heard:
            raise KeyboardInterrupt
        self._were_heard = True

    def tell(self) -> None:
        """Not in the handler: it may have come in the middle of a line."""
        if self._were_heard and self._told is not None:
            told, self._told = self._told, None
            told()


@contextmanager
def _listening(told: Callable[[], None] | None) -> Iterator[_Interrupts]:
    interrupts, before = _Interrupts(told), signal.getsignal(signal.SIGINT)
    if told is None or before in (signal.SIG_IGN, None):
        yield interrupts
        return
    signal.signal(signal.SIGINT, interrupts)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
