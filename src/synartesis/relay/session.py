"""One client connection from its first byte to its last: when it ends, what runs is let finish, then the servers are ended.

The end of input, a signal and a client that reads no more are one path. What has left is never interrupted.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from synartesis.errors import EXIT_DONE, EXIT_STOPPED
from synartesis.relay.calls import ToolCalls
from synartesis.relay.client import Client
from synartesis.relay.handlers import Front, take_line
from synartesis.relay.log import Log
from synartesis.relay.upstream import Link
from synartesis.wire.lines import LineSplitter
from synartesis.wire.stdio import Reader, Writer, widen_pipe

GRACE_S: Final = 30.0
"""How long running calls may take to finish after the client has gone."""

FLUSH_S: Final = 5.0
"""How long a client that does not read may keep its last answers waiting."""

HIGH_WATER: Final = 64 * 1024 * 1024
LOW_WATER: Final = 8 * 1024 * 1024
"""Servers are not read while the client has so much still to read: memory is bounded, as a plain pipe would bound it."""

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Session:
    """Runs one connection. `connect` first: the front needs a client to write to."""

    def __init__(
        self,
        *,
        stdin: int,
        stdout: int,
        links: Mapping[str, Link],
        log: Log,
        grace_s: float = GRACE_S,
        on_leaving: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        """`on_leaving` brings what else uses the servers to an end, before they are ended."""
        self._stdin = stdin
        self._on_leaving = on_leaving
        self._links = links
        self._log = log
        self._grace_s = grace_s
        self._ended = asyncio.Event()
        self._hurry = asyncio.Event()
        self._lines = LineSplitter()
        self._paused = False
        self._writer = Writer(stdout, on_broken=self._client_gone, on_drained=self._resume, borrowed=True)
        for fd in (stdin, stdout):
            widen_pipe(fd)

    def write(self, frame: bytes) -> None:
        """To the client; a line end is added where the last line of a server had none."""
        writer = self._writer
        writer.write(frame if frame.endswith(b"\n") else frame + b"\n")
        if writer.accepted - writer.written > HIGH_WATER and not self._paused:
            self._paused = True
            for link in self._links.values():
                link.pause()

    async def run(self, front: Front, client: Client, calls: ToolCalls) -> int:
        """Until the client has gone and everything is settled; returns the exit code."""

        def on_data(data: bytes) -> None:
            for line in self._lines.feed(data):
                take_line(line, front, client, self._log)

        def on_end() -> None:
            for line in self._lines.finish():
                take_line(line, front, client, self._log)
            self._end("the client closed its input")

        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            with contextlib.suppress(ValueError, RuntimeError):  # not the main thread: a test
                loop.add_signal_handler(number, self._signalled, signal.Signals(number).name)
        reader = Reader(self._stdin, on_data=on_data, on_end=on_end)
        try:
            await self._ended.wait()
            reader.close()
            return await self._finish(client, calls)
        finally:
            reader.close()
            self._writer.detach()
            for number in _SIGNALS:
                with contextlib.suppress(ValueError, RuntimeError):
                    loop.remove_signal_handler(number)

    # --- how it ends

    def _end(self, why: str) -> None:
        if not self._ended.is_set():
            self._log.debug("ending", why=why)
            self._ended.set()

    def _signalled(self, name: str) -> None:
        if self._ended.is_set():
            self._hurry.set()  # asked twice
        self._end(name)

    def _client_gone(self, why: str) -> None:
        self._resume()
        self._end(f"the client reads no more: {why}")

    def _resume(self) -> None:
        if self._paused and self._writer.backlog < LOW_WATER:
            self._paused = False
            for link in self._links.values():
                link.resume()

    async def _finish(self, client: Client, calls: ToolCalls) -> int:
        client.leaving = True
        client.check_idle()
        unanswered = not await self._all_answered(client)
        if unanswered:
            left = sorted(key.decode("utf-8", "replace") for key, one in client.live.items() if one.counts)
            self._log.warning("calls_unanswered", ids=", ".join(left), waited_s=self._grace_s)
        guarded = calls.cancel_unsent()
        await calls.tasks.leave(self._grace_s)
        await asyncio.gather(*(link.stop() for link in self._links.values()))
        await asyncio.gather(*guarded, return_exceptions=True)
        calls.flush_reads()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_S):
                await self._writer.drained()
        return EXIT_STOPPED if unanswered or client.left_unknown else EXIT_DONE

    async def _all_answered(self, client: Client) -> bool:
        """Wait, bounded, for all that is under way. False: some calls are not answered."""
        everything = asyncio.gather(client.idle.wait(), self._on_leaving())
        hurry = asyncio.create_task(self._hurry.wait())
        await asyncio.wait([everything, hurry], timeout=self._grace_s, return_when=asyncio.FIRST_COMPLETED)
        for wait in (everything, hurry):
            wait.cancel()
        return client.idle.is_set()


def new_own_name() -> str:
    """What the ids of our own requests have in them, so that no client's or server's id is like them."""
    return os.urandom(6).hex()
