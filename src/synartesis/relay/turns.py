"""Real time, real ids and real waiting, for the guard's ports."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from synartesis.domain.ports import TurnTimeout

TURN_TIMEOUT_S: Final = 60.0


class RealClock:
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class RandomIds:
    def new_id(self) -> str:
        return os.urandom(6).hex()


class ResourceTurns:
    """First come, first served, per resource. Implements ports.Turns."""

    def __init__(self, timeout_s: float = TURN_TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._holder: dict[str, str] = {}
        self._queue: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def turn(self, resource: str, *, of: str) -> AsyncIterator[None]:
        if resource in self._holder:
            await self._wait(resource)
        self._holder[resource] = of
        try:
            yield
        finally:
            self._pass_on(resource)

    async def _wait(self, resource: str) -> None:
        waiting = self._queue.setdefault(resource, deque())
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting.append(mine)
        try:
            async with asyncio.timeout(self._timeout_s):
                await mine
        except (TimeoutError, asyncio.CancelledError) as ended:
            if mine.done() and not mine.cancelled():
                self._pass_on(resource)  # it came at the very moment we stopped waiting
            elif mine in waiting:
                waiting.remove(mine)
            if isinstance(ended, TimeoutError):
                raise TurnTimeout(self._holder.get(resource, "")) from None
            raise

    def _pass_on(self, resource: str) -> None:
        """To the next who still waits. The resource stays taken meanwhile, so that nobody can slip in between."""
        waiting = self._queue.get(resource)
        while waiting:
            following = waiting.popleft()
            if not following.done():
                following.set_result(None)
                return
        self._queue.pop(resource, None)
        self._holder.pop(resource, None)
