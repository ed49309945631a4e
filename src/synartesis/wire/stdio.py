"""Bytes between a descriptor and callbacks: large reads when there is something, writes that never wait.

Descriptors are used as they are given to us: pipes, sockets, terminals, regular files, /dev/null. There is no StreamReader
between, which would copy every byte twice and stop at a limit.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import stat
from collections import deque
from collections.abc import Callable
from typing import Final

SMALL_READ: Final = 64 * 1024
LARGE_READ: Final = 1024 * 1024
"""Asked for while whole small reads keep coming: a large message is on its way."""

PIPE_BYTES: Final = 256 * 1024
"""What our pipes are widened to. Linux bounds the sum per user (64 MB), and punishes all new pipes above it."""


def widen_pipe(fd: int) -> None:
    """Give a pipe room for more bytes, where the system can."""
    size = getattr(fcntl, "F_SETPIPE_SZ", None)  # Linux only
    if size is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, size, PIPE_BYTES)


def can_be_waited_for(fd: int) -> bool:
    """Not a regular file and not /dev/null, which never wait. Linux refuses to; BSD's kqueue agrees, and says nothing at the end
    of the file."""
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        return False  # it is closed, and the first read finds that out
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(fd)


class Reader:
    """Calls `on_data` with each chunk and `on_end` once, from the event loop. Does not close the descriptor."""

    def __init__(self, fd: int, *, on_data: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._fd = fd
        self._on_data = on_data
        self._on_end = on_end
        self._size = SMALL_READ
        self._loop = asyncio.get_running_loop()
        self._reading = False
        self._ended = False
        self._always_ready = False
        self.resume()

    def pause(self) -> None:
        if self._reading:
            self._reading = False
            if not self._always_ready:
                self._loop.remove_reader(self._fd)

    def resume(self) -> None:
        if self._reading or self._ended:
            return
        self._reading = True
        if can_be_waited_for(self._fd):
            self._loop.add_reader(self._fd, self._read)
        else:
            self._always_ready = True
            self._loop.call_soon(self._read_file)

    def close(self) -> None:
        """No further callbacks."""
        self.pause()
        self._ended = True

    def _read(self) -> None:
        try:
            data = os.read(self._fd, self._size)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:  # a terminal that is gone, a socket that was reset: there is no more to come
            data = b""
        if not data:
            self.close()
            self._on_end()
            return
        self._size = LARGE_READ if len(data) >= SMALL_READ else SMALL_READ
        self._on_data(data)

    def _read_file(self) -> None:
        if self._reading:
            self._read()
        if self._reading:
            self._loop.call_soon(self._read_file)


class Writer:
    """Writes at once what the descriptor takes, keeps the rest, and goes on when there is room.

    `accepted` and `written` count bytes: a frame that was accepted at position p has provably not left while
    `written <= p`.
    """

    def __init__(
        self,
        fd: int,
        *,
        on_broken: Callable[[str], None],
        on_drained: Callable[[], None] | None = None,
        borrowed: bool = False,
    ) -> None:
        """`borrowed`: the descriptor is not ours, and `detach` leaves it as it was given to us."""
        self._fd = fd
        self._on_broken = on_broken
        self._on_drained = on_drained
        self._queue: deque[memoryview] = deque()
        self._loop = asyncio.get_running_loop()
        self._closing: Callable[[], None] | None = None
        self._waiters: list[asyncio.Future[None]] = []
        self.accepted = 0
        self.written = 0
        self.broken = False
        restore = _make_non_blocking(fd)
        self._restore = restore if borrowed else lambda: None  # an own number may be another file's by then

    @property
    def backlog(self) -> int:
        return self.accepted - self.written

    def write(self, data: bytes) -> None:
        """Never waits and never raises. What comes after the pipe broke is dropped."""
        if self.broken or self._closing is not None:
            return
        self.accepted += len(data)
        if self._queue:
            self._queue.append(memoryview(data))
            return
        try:
            count = os.write(self._fd, data)
        except (BlockingIOError, InterruptedError):
            count = 0
        except OSError as error:
            self._break(error)
            return
        self.written += count
        if count < len(data):
            self._queue.append(memoryview(data)[count:])
            self._wait_for_room()

    def close_after(self, closed: Callable[[], None]) -> None:
        """Take nothing more; call `closed` when all that was accepted has left (or never will)."""
        self._closing = closed
        if not self._queue:
            closed()

    async def drained(self) -> None:
        """Wait until nothing is left to write, or it never can be."""
        if self._queue:
            waiter: asyncio.Future[None] = self._loop.create_future()
            self._waiters.append(waiter)
            await waiter

    def detach(self) -> None:
        """Have nothing more to do with the descriptor."""
        if self._queue:
            self._queue.clear()
            self._loop.remove_writer(self._fd)
        self.broken = True
        self._restore()

    def _wait_for_room(self) -> None:
        try:
            self._loop.add_writer(self._fd, self._go_on)
        except OSError:  # a regular file: always has room, and only a full disk brings us here
            self._loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        while self._queue:
            piece = self._queue[0]
            try:
                count = os.write(self._fd, piece)
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                self._break(error)
                return
            self.written += count
            if count < len(piece):
                self._queue[0] = piece[count:]
                return
            self._queue.popleft()
        self._loop.remove_writer(self._fd)
        self._all_out()
        if self._on_drained is not None:
            self._on_drained()

    def _break(self, error: OSError) -> None:
        self.broken = True
        if self._queue:
            self._queue.clear()
            self._loop.remove_writer(self._fd)
        self._all_out()
        self._loop.call_soon(self._on_broken, error.strerror or "the pipe broke")

    def _all_out(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()
        if self._closing is not None:
            self._closing()


def _make_non_blocking(fd: int) -> Callable[[], None]:
    """Only pipes and sockets: a terminal's flag would be set for every other program on it too."""
    try:
        mode = os.fstat(fd).st_mode
        if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) or not os.get_blocking(fd):
            return lambda: None
        os.set_blocking(fd, False)
    except OSError:
        return lambda: None
    return lambda: _set_blocking(fd)


def _set_blocking(fd: int) -> None:
    with contextlib.suppress(OSError):
        os.set_blocking(fd, True)
