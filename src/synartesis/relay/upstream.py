"""A link to one server: the requests that wait on it, its start, and its next start after it ended.

A server that ended is started again by the next message for it, a bounded number of times, and opened as the client had
opened it. What was under way when it ended is never sent again: it may have happened.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from synartesis.domain.calls import NotSent, Replied, SendOutcome
from synartesis.domain.status import Era
from synartesis.errors import HandshakeRefused, ServerUnavailable, SynartesisError
from synartesis.relay.eras import Opening
from synartesis.relay.log import Log
from synartesis.relay.running import STOP_GRACE_S, Running
from synartesis.relay.waiting import Awaited, Waiter
from synartesis.wire.lines import Line, LineTooLong
from synartesis.wire.messages import (
    Message,
    Request,
    Response,
    Slice,
    error_frame,
    id_key,
    large_answer,
    notification_frame,
    outer_id,
    read_message,
    request_frame,
    result_frame,
)
from synartesis.wire.peer import Peer
from synartesis.wire.process import ServerProcess

LARGE_BYTES: Final = 1024 * 1024
"""From here on a line is not read through where its ends say enough."""

HANDSHAKE_TIMEOUT_S: Final = 10.0
MAX_STARTS: Final = 4
STARTS_WINDOW_S: Final = 60.0
"""A server that keeps ending is started at most MAX_STARTS times in such a window."""

RETRY_AFTER_S: Final = 30.0
"""A server that could not be opened is left alone for so long: calls to it are answered at once."""

EXIT_GRACE_S: Final = 0.5
"""How long a server that closed its output may take to exit by itself, so that its exit code can be told."""


class _Queued(NamedTuple):
    frame: bytes
    key: bytes | None
    waiter: Waiter | None


class Link:
    """One server. `on_message` gets what is no answer to a request of ours or the client's."""

    def __init__(
        self,
        name: str,
        launch: Callable[[], ServerProcess],
        *,
        opening: Opening,
        log: Log,
        on_message: Callable[[Link, Message], None],
        own_name: str,
    ) -> None:
        self.name = name
        self.peer: Peer[Waiter] = Peer(own_name)
        self.initialized: bytes | None = None
        """The server's answer to an `initialize` of ours."""
        self.on_start: Callable[[int], None] = lambda _: None
        """Told the number of each process that is used, which leads a group of its own."""
        self.on_restart: Callable[[], None] = lambda: None
        self.patience_s = HANDSHAKE_TIMEOUT_S
        """How long it may take to answer `initialize`."""
        self._launch = launch
        self._opening = opening
        self._log = log
        self._on_message = on_message
        self._running: Running | None = None
        self._up = False
        self._has_answered = False
        """Whether this process ever did."""
        self._queue: list[_Queued] = []
        self._starts: deque[float] = deque(maxlen=MAX_STARTS)
        self._starting: asyncio.Task[None] | None = None
        self._burial: asyncio.Task[None] | None = None
        self._stopping = False
        self._not_before = 0.0
        self._why_not = ""

    # --- towards the server

    def adopt(self, process: ServerProcess) -> None:
        """Use a process that was started already; its client opens it."""
        self._starts.append(asyncio.get_running_loop().time())
        self._attach(process)
        self._up = True

    def post(
        self, frame: bytes, key: bytes | None = None, waiter: Waiter | None = None, *, opens: bool = False
    ) -> None:
        """Send, now or once the server is there again. `opens`: the frame is the client's own handshake."""
        if self._up:
            self._send(frame, key, waiter)
        elif self._stopping:
            if waiter is not None:
                waiter.lost("the proxy is shutting down", left=False)
        elif waiter is None and self._starting is None:
            self._log.info("dropped", server=self.name, why="the server is not running", line=frame.decode("latin-1"))
        else:
            self._queue.append(_Queued(frame, key, waiter))
            if self._starting is None:
                self._starting = asyncio.create_task(self._start_for_queue(opens=opens))

    def answer(self, frame: bytes) -> None:
        """Answer a question of its own: at once, because it may ask while it is being opened, and wait for the answer."""
        self._send(frame, None, None)

    def give_up_on(self, key: bytes) -> None:
        """No longer wait for an answer that the client does not want, and that the server seems not to give."""
        waiter = self.peer.settle(key)
        if waiter is not None:
            waiter.lost(f'the client cancelled it, and server "{self.name}" did not say what became of it', left=True)

    async def forward(self, frame: bytes) -> SendOutcome:
        """Send a line as it is, under its own id, and wait for the answer."""
        message = read_message(frame)
        if not isinstance(message, Request) or message.key is None:
            return NotSent("the line is not a request")
        return await self._ask(frame, message.key)

    async def request(self, method: str, parts: dict[str, Slice], *, patience_s: float | None = None) -> SendOutcome:
        """A request of our own, in the client's era. Without an answer within `patience_s`, one is no longer waited for."""
        token = self.peer.new_token()
        frame = request_frame(token, method, self._opening.own_params(parts))
        if patience_s is None:
            return await self._ask(frame, token)
        waiter = Awaited()
        impatience = asyncio.get_running_loop().call_later(patience_s, self._lose_patience, token, waiter, patience_s)
        self.post(frame, token, waiter)
        try:
            return await waiter.outcome
        finally:
            impatience.cancel()

    def _lose_patience(self, key: bytes, waiter: Awaited, patience_s: float) -> None:
        self.peer.settle(key)
        waiter.lost(f'server "{self.name}" did not answer within {patience_s:g} s', left=True)

    async def _ask(self, frame: bytes, key: bytes) -> SendOutcome:
        waiter = Awaited()
        self.post(frame, key, waiter)
        return await waiter.outcome

    def _send(self, frame: bytes, key: bytes | None, waiter: Waiter | None) -> None:
        running = self._running
        if running is None:
            if waiter is not None:
                waiter.lost(f'server "{self.name}" is not running', left=False)
            return
        if key is not None and waiter is not None:
            waiter.start = running.accepted
            self.peer.expect(key, waiter)
        running.write(frame if frame.endswith(b"\n") else frame + b"\n")

    # --- from the server

    def pause(self) -> None:
        """The client does not keep up."""
        if self._running is not None:
            self._running.pause()

    def resume(self) -> None:
        if self._running is not None:
            self._running.resume()

    def take(self, line: Line) -> None:
        """One line of the server."""
        if isinstance(line, LineTooLong):
            self._take_too_long(line)
            return
        if len(line) >= LARGE_BYTES and self._take_large(line):
            return
        message = read_message(line)
        if type(message) is Response and message.key is not None:
            waiter = self.peer.settle(message.key)
            if waiter is not None:
                self._has_answered = True
                waiter.answered(message)
            else:
                why = self.peer.why_unexpected(message.key)
                self._log.warning("stray_answer", server=self.name, id=message.token.decode("latin-1"), why=why)
            return
        self._on_message(self, message)

    def _take_large(self, line: bytes) -> bool:
        """Pass a large answer on unread, where it is clear whose it is and nobody wants to look inside."""
        message = large_answer(line)
        waiter = self.peer.waiting_for(message.key) if message is not None and message.key is not None else None
        if message is None or message.key is None or waiter is None or waiter.looks_inside:
            return False
        self.peer.settle(message.key)
        self._has_answered = True
        waiter.answered(message)
        return True

    def _take_too_long(self, line: LineTooLong) -> None:
        token = outer_id(line.head, line.tail)
        key = id_key(token) if token is not None else None
        waiter = self.peer.settle(key) if key is not None else None
        self._log.error("line_too_long", server=self.name, bytes=line.size)
        if waiter is not None:
            waiter.lost(f'the answer of server "{self.name}" was too long to be carried ({line.size} bytes)', left=True)

    def answer_alone(self, request: Request) -> None:
        """Answer a server's question where no client is asked: with what the client said of itself, or not at all."""
        match request.method:
            case "ping":
                frame = result_frame(request.token, b"{}")
            case "roots/list" if self._opening.roots is not None:
                frame = result_frame(request.token, self._opening.roots)
            case _:
                frame = error_frame(request.token, -32601, "Method not found")
        self.answer(frame)

    # --- its life

    async def open(self, *, finish: bool = True, patience_s: float | None = None) -> None:
        """Start it if need be, and open it as the client opened the connection. `finish`: also say `initialized`.
        `patience_s`: how long it may take to answer, where that is not the usual.

        Raises ServerUnavailable, with exit code and last words.
        """
        if self._burial is not None:
            await self._burial
        if self._running is None:
            self._start()
        self._up = False  # nothing but the handshake may go in before it is over
        try:
            if self._opening.era is Era.HANDSHAKE:
                await self._handshake(finish=finish, patience_s=patience_s or self.patience_s)
        except ServerUnavailable as error:
            self.avoid(error.message)
            await self.abandon()
            raise
        self._up = True
        self._not_before = 0.0

    def avoid(self, why: str, *, for_s: float = RETRY_AFTER_S) -> None:
        """It cannot be used: for a while, or until somebody has opened it, calls to it are answered at once."""
        self._not_before = asyncio.get_running_loop().time() + for_s
        self._why_not = why

    def why_unusable(self) -> str | None:
        """Why it could not be opened, while it is left alone for that; None where it can be tried."""
        return self._why_not if asyncio.get_running_loop().time() < self._not_before else None

    async def stop(self) -> None:
        """End it: close its input, then the whole group, politely first. Its output is drained meanwhile."""
        self._stopping = True
        if self._starting is not None:
            self._starting.cancel()
        self._fail_queue("the proxy is shutting down")
        if self._running is not None and self._burial is None:
            self._running.end_input()
            self._begin_burial(STOP_GRACE_S)
        if self._burial is not None:
            await self._burial

    async def _start_for_queue(self, *, opens: bool) -> None:
        try:
            if opens:
                if self._burial is not None:
                    await self._burial
                self._start()
                self._up = True
            elif why := self.why_unusable():
                raise ServerUnavailable(why)
            else:
                await self.open()
        except SynartesisError as error:
            self._log.error("server_unavailable", server=self.name, why=error.message, hint=error.hint)
            self._fail_queue(error.message)
            return
        finally:
            self._starting = None
        queue, self._queue = self._queue, []
        for one in queue:
            self.post(*one)

    def _start(self) -> None:
        now = asyncio.get_running_loop().time()
        if len(self._starts) == MAX_STARTS and now - self._starts[0] < STARTS_WINDOW_S:
            wait = int(STARTS_WINDOW_S - (now - self._starts[0])) + 1
            raise ServerUnavailable(
                f'server "{self.name}" was started {MAX_STARTS} times within a minute and ended each time; '
                f"it can be tried again in {wait} s"
            )
        again = bool(self._starts)
        self._starts.append(now)
        self._attach(self._launch())
        if again:
            self._log.info("server_restarted", server=self.name)
            self.on_restart()

    def _attach(self, process: ServerProcess) -> None:
        def on_end() -> None:
            if self._running is running:  # not another one, started since
                self._begin_burial(EXIT_GRACE_S)

        running = Running(process, on_line=self.take, on_end=on_end, log=self._log)
        self._running = running
        self.on_start(process.pid)
        self._has_answered = False

    async def _handshake(self, *, finish: bool, patience_s: float) -> None:
        token = self.peer.new_token()
        waiter = Awaited()
        self._send(request_frame(token, "initialize", self._opening.params), token, waiter)
        try:
            async with asyncio.timeout(patience_s):
                outcome = await waiter.outcome
        except TimeoutError:
            raise self._unavailable(f"did not answer initialize within {patience_s:.0f} s") from None
        if not isinstance(outcome, Replied):
            raise ServerUnavailable(outcome.why)
        if outcome.reply.is_protocol_error:
            said = outcome.reply.answer.decode("utf-8", "replace")[:300]
            raise HandshakeRefused(self._unavailable(f"refused initialize: {said}").message)
        self.initialized = outcome.reply.answer
        if finish:
            self._send(notification_frame("notifications/initialized"), None, None)

    def _unavailable(self, what: str) -> ServerUnavailable:
        words = self._running.quote() if self._running is not None else ""
        return ServerUnavailable(f'server "{self.name}" {what}' + (f'; it said: "{words}"' if words else ""))

    def _fail_queue(self, why: str) -> None:
        queue, self._queue = self._queue, []
        for one in queue:
            if one.waiter is not None:
                one.waiter.lost(why, left=False)

    # --- its end

    async def abandon(self) -> None:
        """End it without waiting for what it might still say. The next message for it starts it again."""
        if self._running is not None and self._burial is None:
            self._begin_burial(0.0)
        if self._burial is not None:
            await self._burial

    def _begin_burial(self, grace_s: float) -> None:
        self._up = False
        if self._burial is None and self._running is not None:
            self._burial = asyncio.create_task(self._bury(self._running, grace_s))

    async def _bury(self, running: Running, grace_s: float) -> None:
        """See it out, and tell everybody who still waits."""
        how, words = await running.see_out(grace_s)
        why = f'server "{self.name}" {how}' + (f'; it said: "{words}"' if words else "")
        if not self._stopping:
            self._log.warning("server_ended", server=self.name, how=how, last_words=words)
        if not self._has_answered:
            self.avoid(why)  # it would end again
        self._running = None
        self._burial = None
        for waiter in self.peer.drain():
            waiter.lost(why, left=running.written > waiter.start)
