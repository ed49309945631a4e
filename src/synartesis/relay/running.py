"""One process of a server on the event loop, from its first byte to its end: lines in, bytes out, its last words. Knows no
message, and is never started again: that is the link's business."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import Final, NamedTuple

from synartesis.relay.log import Log
from synartesis.wire.lines import Line, LineSplitter
from synartesis.wire.process import ServerProcess, how_it_ended
from synartesis.wire.stdio import Reader, Writer, widen_pipe

STOP_GRACE_S: Final = 2.0
"""How long a server may take to end after its input was closed, and again after SIGTERM."""

DRAIN_GRACE_S: Final = 1.0
"""How long the end of its output is waited for when it is gone: a process outside of its group may hold the pipe for ever."""


class Ending(NamedTuple):
    """How it ended, and what it said last on stderr."""

    how: str
    words: str


class Running:
    """`on_line` gets each line of its output; `on_end` is told that it reads or writes no more, and may be told twice."""

    def __init__(
        self, process: ServerProcess, *, on_line: Callable[[Line], None], on_end: Callable[[], None], log: Log
    ) -> None:
        self._process = process
        self._log = log
        self._output_ended = asyncio.Event()
        self._words_ended = asyncio.Event()
        for fd in (process.stdin, process.stdout):
            widen_pipe(fd)
        self._writer = Writer(process.stdin, on_broken=lambda _why: on_end())
        self._output = self._read_output(on_line, on_end)
        self._errors = self._read_words()

    @property
    def accepted(self) -> int:
        """Where in its input the next bytes will stand."""
        return self._writer.accepted

    @property
    def written(self) -> int:
        """How far its input has left us: what begins here or later provably never reached it."""
        return self._writer.written

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    def quote(self) -> str:
        """Its last words so far."""
        return self._process.words.quote()

    def pause(self) -> None:
        self._output.pause()

    def resume(self) -> None:
        self._output.resume()

    def end_input(self) -> None:
        self._writer.close_after(self._process.close_stdin)

    async def see_out(self, grace_s: float) -> Ending:
        """Wait until the whole group has ended, after `grace_s` with signals; take up what it still said; then give the
        descriptors back."""
        await self._end_group(grace_s)
        self.resume()  # what it said last is wanted even where the client does not keep up
        for ended in (self._output_ended, self._words_ended):
            await _bounded(ended, DRAIN_GRACE_S)
        for reader in (self._output, self._errors):
            reader.close()
        ending = Ending(how_it_ended(self._process.exit_code()), self.quote())
        self._writer.detach()
        self._process.close()
        return ending

    def _read_output(self, on_line: Callable[[Line], None], on_end: Callable[[], None]) -> Reader:
        lines = LineSplitter()

        def on_data(data: bytes) -> None:
            for line in lines.feed(data):
                on_line(line)

        def on_output_end() -> None:
            for line in lines.finish():
                on_line(line)
            self._output_ended.set()
            on_end()

        return Reader(self._process.stdout, on_data=on_data, on_end=on_output_end)

    def _read_words(self) -> Reader:
        name, words = self._process.name, self._process.words

        def on_data(data: bytes) -> None:
            for text in words.feed(data):
                self._log.info("server_stderr", server=name, text=text)

        def on_end() -> None:
            for text in words.finish():
                self._log.info("server_stderr", server=name, text=text)
            self._words_ended.set()

        return Reader(self._process.stderr, on_data=on_data, on_end=on_end)

    async def _end_group(self, grace_s: float) -> None:
        if await _group_ends(self._process, grace_s):
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            self._process.signal_group(number)
            if await _group_ends(self._process, STOP_GRACE_S):
                return


async def _group_ends(process: ServerProcess, within_s: float) -> bool:
    loop = asyncio.get_running_loop()
    until = loop.time() + within_s
    pause = 0.002
    while process.group_is_alive():
        if loop.time() >= until:
            return False
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.05)
    return True


async def _bounded(event: asyncio.Event, seconds: float) -> None:
    if not event.is_set():
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            pass
