"""Where commands ask something of this proxy, because it has the servers: noticed while it is otherwise idle, and carried out by
whoever knows how. Knows nothing of what is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from synartesis.domain.ports import Upstream
from synartesis.relay.eras import Opening
from synartesis.relay.log import Log

if TYPE_CHECKING:
    from synartesis.journal.orders import ProxyOrders

LOOKS_EVERY_S: Final = 0.2
"""Nobody has to tell the proxy: it looks whether somebody wrote into the journal. Each look takes some ten microseconds."""

CarryOut: TypeAlias = Callable[[str, Upstream, Callable[[], str]], Coroutine[Any, Any, None]]
"""Gets the order's id, the servers, and why it has to end early: empty as long as it has not."""


class OrderDesk:
    """Takes orders until it is closed. Each is carried out beside the others, as commands are that do it themselves."""

    def __init__(
        self,
        orders: ProxyOrders,
        run: str,
        carry_out: CarryOut,
        log: Log,
        *,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`changed` is called where somebody else has written into the journal."""
        self._orders = orders
        self._changed = changed
        self._run = run
        self._carry_out = carry_out
        self._log = log
        self._upstream: Upstream | None = None
        self._opening: Opening | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._why_ending = ""
        self._taken: dict[str, asyncio.Task[None]] = {}

    def open(self, upstream: Upstream, opening: Opening) -> None:
        self._upstream = upstream
        self._opening = opening
        self._look_later()

    async def close(self, why: str) -> None:
        """Take no more, and let what is under way come to a stop between two calls."""
        if self._timer is not None:
            self._timer.cancel()
        self._why_ending = self._why_ending or why
        if self._taken:
            await asyncio.wait(self._taken.values())

    def _look_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(LOOKS_EVERY_S, self._look)

    def _look(self) -> None:
        self._look_later()
        found = self._orders.new_for(self._run)
        if found is None:
            return
        self._changed()
        for order in found:
            if order not in self._taken:
                self._taken[order] = asyncio.create_task(self._take(order))

    async def _take(self, order: str) -> None:
        assert self._upstream is not None
        assert self._opening is not None
        try:
            if await self._opening.ready():
                await self._carry_out(order, self._upstream, lambda: self._why_ending)
                self._log.info("order_ended", order=order)
        except Exception as error:  # whoever asked is told as far as that goes; the client is not to suffer from it
            self._log.error("order_failed", order=order, why=f"{type(error).__name__}: {error}")
        finally:
            del self._taken[order]
