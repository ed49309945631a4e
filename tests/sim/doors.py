"""Doors: every await of a port, seen from outside. A task stands at one until whoever drives it lets it go on, makes it
fail there, or never comes back.

A port has a door before and one behind each of its async methods, whatever they are: a new method is a new door by itself.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, NamedTuple

from synartesis.errors import SynartesisError
from tests.sim.server import READS

A_READ = "a read"
A_WRITE = "a write"


class Door(NamedTuple):
    """`about` says what would pass, where that matters: a read or a write."""

    port: str
    name: str
    side: Literal["before", "behind"]
    about: str = ""

    def __str__(self) -> str:
        return f"{self.side} {self.port}.{self.name}" + (f" {self.about}" if self.about else "")


class Killed(BaseException):
    """The process is gone: nothing that it still tries has any effect."""


class Cancelled(BaseException):
    """The client took its call back."""


class Task:
    """A coroutine of one process, led from door to door."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.door: Door | None = None
        self.ready: Callable[[], bool] = lambda: True
        """Whether it could go on; one that waits for another's turn cannot."""
        self.over = False
        self.dead = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.trace: list[Door] = []
        self.action: str | None = None
        """The action that was opened for it."""
        self.sent: str | None = None
        """The action that was marked as sent last: what leaves next is its call."""
        self._story: Coroutine[Any, Any, Any] | None = None

    def start(self, story: Coroutine[Any, Any, Any]) -> None:
        """Go as far as the first door."""
        self._story = story
        self._lead(lambda: story.send(None))

    def go_on(self) -> None:
        story = self._running()
        self._lead(lambda: story.send(None))

    def fail(self, error: BaseException) -> None:
        """The door is answered with an error."""
        story = self._running()
        self._lead(lambda: story.throw(error))

    def kill(self) -> None:
        self.dead = True
        if not self.over:
            self.fail(Killed())

    def _running(self) -> Coroutine[Any, Any, Any]:
        assert self._story is not None
        assert not self.over
        return self._story

    def _lead(self, step: Callable[[], Door]) -> None:
        self.ready = lambda: True
        try:
            self.door = step()
            self.trace.append(self.door)
        except StopIteration as end:
            self._end(end.value, None)
        except (Killed, Cancelled, SynartesisError) as error:
            self._end(None, error)
        except BaseException as error:
            self._end(None, error)
            raise

    def _end(self, result: Any, error: BaseException | None) -> None:
        self.over, self.door, self.result, self.error = True, None, result, error


@types.coroutine
def stand_at(door: Door) -> Generator[Door, None, None]:
    yield door


class Behind:
    """A port as a task sees it: through doors. `watch` is told of everything that passed."""

    def __init__(self, port: Any, name: str, task: Task, watch: Callable[..., None] = lambda *_: None) -> None:
        self._port, self._name, self._task, self._watch = port, name, task, watch

    def __getattr__(self, attribute: str) -> Any:
        if self._task.dead:
            raise Killed
        found = getattr(self._port, attribute)
        if not inspect.iscoroutinefunction(found):
            return found

        async def through(*arguments: Any, **named: Any) -> Any:
            about = _about(attribute, arguments)
            await self._stand(Door(self._name, attribute, "before", about))
            outcome = await found(*arguments, **named)
            self._watch(attribute, arguments, named, outcome)
            await self._stand(Door(self._name, attribute, "behind", about))
            return outcome

        return through

    async def _stand(self, door: Door) -> None:
        if self._task.dead:
            raise Killed
        await stand_at(door)


def _about(method: str, arguments: tuple[Any, ...]) -> str:
    if method != "call":
        return ""
    return A_READ if arguments[0].tool.name in READS else A_WRITE


class Turns:
    """Writes to one resource of one process, one after the other. A task that waits is not ready."""

    def __init__(self) -> None:
        self.taken: dict[str, str] = {}

    def seen_by(self, task: Task) -> _TurnsOf:
        return _TurnsOf(self, task)


class _TurnsOf:
    def __init__(self, turns: Turns, task: Task) -> None:
        self._turns, self._task = turns, task

    def turn(self, resource: str, *, of: str) -> AbstractAsyncContextManager[None]:
        return _Turn(self._turns, self._task, resource, of)


class _Turn(AbstractAsyncContextManager[None]):
    def __init__(self, turns: Turns, task: Task, resource: str, of: str) -> None:
        self._turns, self._task, self._resource, self._of = turns, task, resource, of

    async def __aenter__(self) -> None:
        self._task.ready = self._is_free
        await stand_at(Door("turns", "turn", "before"))
        while not self._is_free():
            self._task.ready = self._is_free
            await stand_at(Door("turns", "turn", "before"))
        self._turns.taken[self._resource] = self._of

    def _is_free(self) -> bool:
        return self._resource not in self._turns.taken

    async def __aexit__(self, *_: object) -> None:
        del self._turns.taken[self._resource]
