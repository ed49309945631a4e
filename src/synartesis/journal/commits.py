"""How a process with an event loop commits: one call that is alone at once; what several ask for in one turn of the loop
together, so that the disk is waited for once; and a lock that another process holds without stopping the loop. Knows
nothing of what is committed.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from random import uniform
from typing import Any, Generic, TypeVar

from synartesis.journal.database import is_busy, unavailable

T = TypeVar("T")

PATIENCE_S = 30.0
"""How long a write waits for a lock before it is given up."""
FIRST_PAUSE_S = 0.001
LONGEST_PAUSE_S = 0.02


class Work(Generic[T]):
    """What is to be done in a transaction, wholly or not at all. It may be begun several times, and ends once."""

    __slots__ = ("do", "done", "durable", "settles", "since_s")

    def __init__(self, do: Callable[[], T], *, durable: bool = False, settles: str | None = None) -> None:
        self.do = do
        self.durable = durable
        """It has to outlive a power cut."""
        self.settles = settles
        """The row of the tail that it writes down itself, or drops."""
        self.done: asyncio.Future[T] | None = None
        self.since_s: float | None = None
        """Since when another process is in the way."""


class Commits:
    """`together` does any number of works in one transaction and returns their results. Raises sqlite3.Error, or what a
    work raises; then none of them was done."""

    def __init__(self, together: Callable[[Sequence[Work[Any]]], list[Any]], path: str) -> None:
        self._together = together
        self._path = path
        self._queue: list[Work[Any]] = []
        self._next: asyncio.Handle | None = None
        self._pause_s = FIRST_PAUSE_S

    async def do(self, work: Work[T], *, alone: bool) -> T:
        """`alone`: nobody else is expected to commit in this turn of the loop, so nobody is waited for.
        Raises JournalUnavailable, or what the work raises."""
        loop = _running_loop()
        if loop is None or (alone and not self._queue):
            try:
                (result,) = self._together((work,))
                return result  # type: ignore[no-any-return]
            except sqlite3.Error as error:
                if loop is None or not is_busy(error):
                    raise unavailable(error, self._path) from error
        work.done = loop.create_future()
        self._queue.append(work)
        if self._next is None:
            self._next = loop.call_soon(self._commit)
        return await _result_of(work.done)

    def _commit(self) -> None:
        self._next = None
        queue = [work for work in self._queue if not _is_over(work)]
        try:
            self._do_all(queue)
        except sqlite3.Error as error:
            self._put_off(queue, error)
        else:
            self._pause_s = FIRST_PAUSE_S
        self._queue = [work for work in queue if not _is_over(work)]

    def _do_all(self, queue: list[Work[Any]]) -> None:
        """All at once; each alone where that fails, because what fails in one is nothing to the others. Raises
        sqlite3.Error only where another process is in the way."""
        if len(queue) > 1:
            try:
                results = self._together(queue)
            except Exception as error:
                if isinstance(error, sqlite3.Error) and is_busy(error):
                    raise
            else:
                for work, result in zip(queue, results, strict=True):
                    _end(work, result)
                return
        for work in queue:
            try:
                (result,) = self._together((work,))
            except sqlite3.Error as error:
                if is_busy(error):
                    raise
                _fail(work, unavailable(error, self._path))
            except Exception as error:
                _fail(work, error)
            else:
                _end(work, result)

    def _put_off(self, queue: list[Work[Any]], error: sqlite3.Error) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for work in queue:
            work.since_s = work.since_s or now
            if now > work.since_s + PATIENCE_S and not _is_over(work):
                _fail(work, unavailable(error, self._path))
        self._next = loop.call_later(uniform(self._pause_s / 2, self._pause_s), self._commit)
        self._pause_s = min(self._pause_s * 2, LONGEST_PAUSE_S)


async def when_free(attempt: Callable[[], T], path: str) -> T:
    """Try until no other process holds the lock, and let the event loop go on meanwhile. Raises JournalUnavailable."""
    deadline = None
    pause = FIRST_PAUSE_S
    while True:
        try:
            return attempt()
        except sqlite3.Error as error:
            now = asyncio.get_running_loop().time()
            deadline = deadline or now + PATIENCE_S
            if not is_busy(error) or now > deadline:
                raise unavailable(error, path) from error
        await asyncio.sleep(uniform(pause / 2, pause))  # many processes at once must not come back in step
        pause = min(pause * 2, LONGEST_PAUSE_S)


async def _result_of(done: asyncio.Future[T]) -> T:
    """A cancellation that comes when it is done already comes too late: whoever is told "it was not done" would say so
    of a record that stands on disk."""
    try:
        return await done
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if done.cancelled() or done.exception() is not None or task is None:
            raise
        task.uncancel()
        return done.result()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None  # driven by hand: then nothing else is under way


def _is_over(work: Work[Any]) -> bool:
    return work.done is not None and work.done.done()


def _end(work: Work[T], result: T) -> None:
    if work.done is not None:
        work.done.set_result(result)


def _fail(work: Work[Any], error: Exception) -> None:
    if work.done is not None:
        work.done.set_exception(error)
