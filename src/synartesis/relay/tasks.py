"""Calls that a server answered with a task: what passes by tells when one has ended, and then it is settled.

Everything is passed on as it comes; nothing here changes or delays a message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final

from synartesis.domain.calls import Replied, Reply
from synartesis.domain.canonical import NotJson, decode_json, encode_json
from synartesis.domain.ports import StaleAction
from synartesis.errors import JournalUnavailable
from synartesis.relay.client import Client, Passing
from synartesis.relay.log import Log
from synartesis.relay.upstream import Link
from synartesis.wire.messages import Request, Response, Slice, members

if TYPE_CHECKING:
    from synartesis.guard.call import Ports
    from synartesis.guard.paused import Ended

ASKED: Final = frozenset({"tasks/get", "tasks/result", "tasks/cancel"})
"""What a client asks about a task, and the answer tells something."""

TOLD: Final = frozenset({"notifications/tasks/status", "notifications/tasks"})

_ENDED: Final[dict[str, Ended]] = {"completed": "completed", "failed": "failed", "cancelled": "cancelled"}


class Tasks:
    """All open tasks of one client. `ports` gives those of the guard, or None where no call has needed it yet."""

    def __init__(self, client: Client, ports: Callable[[], Ports | None], log: Log) -> None:
        self._client = client
        self._ports = ports
        self._log = log
        self._ending: set[asyncio.Task[None]] = set()

    def knows(self, link: Link, params: Slice) -> bool:
        """Whether a request is about an open task of ours."""
        name = _task_of(params)
        ports = self._ports()
        return name is not None and ports is not None and ports.paused.has_task(link.name, name)

    def answered(self, link: Link, method: str, params: Slice, response: Response) -> None:
        name = _task_of(params)
        if name is None:
            return
        if method == "tasks/result":
            self._end(link, name, Reply(bytes(response.answer), response.is_error, response.frame), "completed")
        elif not response.is_error:
            self._look_at(link, response.answer)

    def told(self, link: Link, params: Slice) -> None:
        """The server says of itself how a task is."""
        self._look_at(link, params)

    async def leave(self, within_s: float) -> None:
        """The client has gone: see out what ends, within a time; what is still open will never be known."""
        if self._ending:
            await asyncio.wait(self._ending, timeout=within_s)
        ports = self._ports()
        if ports is None:
            return
        for task in ports.paused.take_all_tasks():
            self._client.leave_unknown()
            try:
                await ports.journal.mark_unknown(task.action.id, why="its task had not ended when the client left")
            except (JournalUnavailable, StaleAction) as error:
                self._log.error("outcome_not_recorded", action=task.action.id, why=str(error))

    # --- what it says

    def _look_at(self, link: Link, said: Slice) -> None:
        parts = members(said)
        name = _task_of(said)
        ended = _ENDED.get(_text(parts, "status") or "")
        if parts is None or name is None or ended is None:
            return
        if ended == "completed" and "result" in parts:
            self._end(link, name, Reply(bytes(parts["result"])), ended)
        elif ended == "completed":
            self._fetch_result(link, name)
        else:
            why = _text(parts, "statusMessage") or f"its task is {ended}"
            error = bytes(parts["error"]) if "error" in parts else encode_json({"message": why})
            self._end(link, name, Reply(error, is_protocol_error=True), ended)

    def _fetch_result(self, link: Link, name: str) -> None:
        """2025-11-25 says that a task is done in one message and what came of it in another. The client may ask for that
        much later, or never; the state after the call is wanted now."""
        ports = self._ports()
        if ports is None or not ports.paused.has_task(link.name, name):
            return

        async def fetch() -> None:
            outcome = await link.request("tasks/result", {"taskId": encode_json(name)})
            if isinstance(outcome, Replied):
                self._end(link, name, outcome.reply, "completed")

        self._in_background(fetch())

    def _end(self, link: Link, name: str, reply: Reply, ended: Ended) -> None:
        ports = self._ports()
        task = ports.paused.take_task(link.name, name) if ports is not None else None
        if ports is None or task is None:
            return
        from synartesis.guard.paused import end_task

        async def settle() -> None:
            settled = await end_task(
                task,
                reply,
                ended,
                journal=ports.journal,
                upstream=ports.upstream,
                clock=ports.clock,
                turns=ports.turns,
            )
            if settled.unrecorded is not None:
                self._log.error("outcome_not_recorded", action=task.action.id, why=settled.unrecorded)

        self._in_background(settle())

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


class AskingOfTask(Passing):
    """A question about a task; its answer is looked at when it has been passed on."""

    __slots__ = ("link", "params", "tasks")
    looks_inside = True

    def __init__(self, client: Client, request: Request, link: Link, tasks: Tasks) -> None:
        super().__init__(client, request, forward=link.post)
        self.link = link
        self.params = bytes(request.params)
        self.tasks = tasks

    def answered(self, response: Response) -> None:
        super().answered(response)
        self.tasks.answered(self.link, self.method, self.params, response)


def _task_of(said: Slice) -> str | None:
    return _text(members(said), "taskId") if memoryview(said).nbytes else None


def _text(parts: dict[str, Slice] | None, name: str) -> str | None:
    if parts is None or name not in parts:
        return None
    try:
        value = decode_json(bytes(parts[name]))
    except NotJson:
        return None
    return value if isinstance(value, str) else None
