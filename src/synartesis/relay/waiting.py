"""Who waits for the answer to a request that went to a server."""

from __future__ import annotations

import asyncio
from typing import Protocol

from synartesis.domain.calls import NotSent, Replied, Reply, ReplyLost, SendOutcome
from synartesis.wire.messages import Response


class Waiter(Protocol):
    """Who waits for an answer. Exactly one of the two is called, once, from the event loop."""

    start: int
    """Where in the server's input the request begins."""

    @property
    def looks_inside(self) -> bool:
        """Whether it needs more of an answer than the line that it is."""

    def answered(self, response: Response) -> None: ...
    def lost(self, why: str, *, left: bool) -> None:
        """No answer will come. `left` is False only where nothing of the request reached the server."""


class Awaited:
    """A waiter for coroutines."""

    __slots__ = ("outcome", "start")
    looks_inside = True

    def __init__(self) -> None:
        self.start = 0
        self.outcome: asyncio.Future[SendOutcome] = asyncio.get_running_loop().create_future()

    def answered(self, response: Response) -> None:
        if not self.outcome.done():
            reply = Reply(bytes(response.answer), response.is_error, response.frame)
            self.outcome.set_result(Replied(reply))

    def lost(self, why: str, *, left: bool) -> None:
        if not self.outcome.done():
            self.outcome.set_result(ReplyLost(why) if left else NotSent(why))
