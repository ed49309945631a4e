from __future__ import annotations

import asyncio
import os
import selectors
from pathlib import Path
from typing import Any, Protocol

from synartesis.wire.stdio import Reader, Writer, can_be_waited_for
from tests.support.client import DEADLINE_S


class HasFileno(Protocol):
    def fileno(self) -> int: ...


async def read_all(fd: int) -> bytes:
    chunks: list[bytes] = []
    ended = asyncio.Event()
    Reader(fd, on_data=chunks.append, on_end=ended.set)
    await ended.wait()
    return b"".join(chunks)


def test_a_pipe_a_regular_file_and_the_null_device_are_read_alike(tmp_path: Path) -> None:
    content = b"some bytes\n" * 100_000
    path = tmp_path / "input"
    path.write_bytes(content)

    async def story() -> list[bytes]:
        read_end, write_end = os.pipe()
        writer = Writer(write_end, on_broken=lambda _why: None)
        writer.write(content)
        writer.close_after(lambda: os.close(write_end))
        found = [await read_all(read_end)]
        for place in (str(path), os.devnull):
            fd = os.open(place, os.O_RDONLY)
            found.append(await read_all(fd))
            os.close(fd)
        os.close(read_end)
        return found

    assert asyncio.run(story()) == [content, content, b""]


class LikeKqueue(selectors.SelectSelector):
    """Takes a regular file and /dev/null as BSD does, and does not say that it is at the end of them."""

    def register(self, fileobj: int | HasFileno, events: int, data: Any = None) -> selectors.SelectorKey:
        if not can_be_waited_for(fileobj if isinstance(fileobj, int) else fileobj.fileno()):
            fileobj = os.pipe()[0]  # nothing ever comes
        return super().register(fileobj, events, data)


def test_the_end_of_a_regular_file_is_found_where_the_system_says_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"the only line\n")

    async def story() -> list[bytes]:
        found = []
        for place in (str(path), os.devnull):
            fd = os.open(place, os.O_RDONLY)
            found.append(await asyncio.wait_for(read_all(fd), DEADLINE_S))
            os.close(fd)
        return found

    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(LikeKqueue())) as runner:
        assert runner.run(story()) == [b"the only line\n", b""]


def test_what_a_full_pipe_does_not_take_is_kept_and_counted() -> None:
    async def story() -> tuple[int, int, bytes]:
        read_end, write_end = os.pipe()
        writer = Writer(write_end, on_broken=lambda _why: None)
        writer.write(b"a" * 1_000_000)
        backlog = writer.backlog
        writer.write(b"b")
        writer.close_after(lambda: os.close(write_end))
        received = await read_all(read_end)
        await writer.drained()
        os.close(read_end)
        return backlog, writer.backlog, received

    backlog, left, received = asyncio.run(story())

    assert 0 < backlog < 1_000_000
    assert left == 0
    assert received == b"a" * 1_000_000 + b"b"


def test_a_broken_pipe_is_told_once_and_what_never_left_can_be_told() -> None:
    async def story() -> tuple[list[str], bool]:
        told: list[str] = []
        read_end, write_end = os.pipe()
        os.close(read_end)
        writer = Writer(write_end, on_broken=told.append)
        start = writer.accepted
        writer.write(b"never")
        writer.write(b"neither")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        os.close(write_end)
        return told, writer.written > start

    told, left = asyncio.run(story())

    assert len(told) == 1
    assert not left


def test_a_borrowed_descriptor_is_given_back_as_it_was() -> None:
    async def story() -> tuple[bool, bool]:
        read_end, write_end = os.pipe()
        writer = Writer(write_end, on_broken=lambda _why: None, borrowed=True)
        during = os.get_blocking(write_end)
        writer.detach()
        after = os.get_blocking(write_end)
        os.close(read_end)
        os.close(write_end)
        return during, after

    assert asyncio.run(story()) == (False, True)
