"""Calls that are not done yet, because the server asked for input first or answered with a task: what has to be known of each
until it goes on or ends.

Kept in memory only: when the proxy has ended nobody waits for such a call any more, and it counts as one whose outcome is not
known. A paused call has no turn; nothing waits for it.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, suppress
from typing import Final, Literal, TypeAlias

import msgspec

from synartesis.domain.calls import Replied, Reply, ReplyLost, SendOutcome
from synartesis.domain.canonical import Json, NotJson
from synartesis.domain.ports import Clock, Journal, Turns, TurnTimeout, Upstream
from synartesis.domain.records import Action
from synartesis.guard.send import Outgoing, Settled, settle, things_of

MAX_PAUSED: Final = 1000
"""Clients and servers decide how many there are, so the oldest are forgotten; what becomes of those is then not known."""

Ended: TypeAlias = Literal["completed", "failed", "cancelled"]
"""How a task says that it has ended."""


class PausedCall(msgspec.Struct, frozen=True):
    """A call that the server answered with questions. It goes on under the same approval."""

    action: Action
    approved: bool


class OpenTask(msgspec.Struct, frozen=True):
    """A call that the server answered with a task, and what was known when it was sent."""

    action: Action
    out: Outgoing


class PausedCalls:
    """All of one client."""

    def __init__(self) -> None:
        self._questions: dict[tuple[str, str | None], list[PausedCall]] = {}
        self._tasks: dict[tuple[str, str], OpenTask] = {}

    def keep(self, out: Outgoing, reply: Reply, action: Action, *, approved: bool) -> None:
        """The server did not do it yet, and said so in this reply."""
        try:
            value = reply.value()
        except NotJson:
            return
        name = task_id(value)
        if name is not None:
            self._tasks[(action.server, name)] = OpenTask(action, out)
            _forget_oldest(self._tasks)
        elif isinstance(value, dict):
            state = value.get("requestState")
            self.put_back(PausedCall(action, approved), state if isinstance(state, str) else None)

    def take(self, fingerprint: str, state: str | None) -> PausedCall | None:
        """The call that goes on with this state and these arguments; of several that are alike, the oldest."""
        waiting = self._questions.get((fingerprint, state))
        if not waiting:
            return None
        found = waiting.pop(0)
        if not waiting:
            del self._questions[(fingerprint, state)]
        return found

    def put_back(self, paused: PausedCall, state: str | None) -> None:
        self._questions.setdefault((paused.action.fingerprint, state), []).append(paused)
        _forget_oldest(self._questions)

    def has_task(self, server: str, name: str) -> bool:
        return (server, name) in self._tasks

    def take_task(self, server: str, name: str) -> OpenTask | None:
        return self._tasks.pop((server, name), None)

    def take_all_tasks(self) -> list[OpenTask]:
        left = list(self._tasks.values())
        self._tasks.clear()
        return left


def task_id(answer: Json) -> str | None:
    """The task that a server answered with: in `task` (2025-11-25), or as the result itself (`resultType: "task"`)."""
    if not isinstance(answer, dict):
        return None
    task = answer.get("task") if isinstance(answer.get("task"), dict) else answer
    name = task.get("taskId") if isinstance(task, dict) else None
    return name if isinstance(name, str) else None


async def end_task(
    task: OpenTask,
    reply: Reply,
    ended: Ended,
    *,
    journal: Journal,
    upstream: Upstream,
    clock: Clock,
    turns: Turns,
) -> Settled:
    """Settle a call whose task has ended: the state after it is read now. `reply` is what the task came to."""
    outcome: SendOutcome = Replied(reply)
    if ended == "cancelled" and task.out.read is None:
        outcome = ReplyLost("its task was cancelled, and nothing reads what it had done by then")
    async with AsyncExitStack() as turn:
        for thing in things_of(task.out.resource, task.out.read):
            with suppress(TurnTimeout):  # it has ended, and what it left has to be read sooner rather than later
                await turn.enter_async_context(turns.turn(f"{task.action.identity} {thing}", of=task.action.id))
        return await settle(task.out, outcome, journal=journal, upstream=upstream, clock=clock)


def _forget_oldest(kept: dict[tuple[str, str | None], list[PausedCall]] | dict[tuple[str, str], OpenTask]) -> None:
    if len(kept) > MAX_PAUSED:
        del kept[next(iter(kept))]  # type: ignore[arg-type]
