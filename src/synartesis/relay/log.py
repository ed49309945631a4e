"""The proxy's log: one JSON object a line on stderr. It never blocks: nobody may be reading it."""

from __future__ import annotations

import os
import select
import time
from typing import Final

import msgspec

from synartesis.wire.printable import printable

LEVELS: Final = ("debug", "info", "warning", "error")

LINE_BYTES: Final = 4000
"""Below what a pipe takes in one piece (PIPE_BUF): a line is written whole or not at all."""


class Log:
    """`log.warning("server_ended", server="crm", why=...)`. Values are made printable and cut."""

    def __init__(self, level: str = "info", *, fd: int = 2) -> None:
        self._lowest = LEVELS.index(level)
        self._fd = fd
        self._lost = 0
        self._poll = select.poll()
        self._poll.register(fd, select.POLLOUT)

    def debug(self, event: str, **fields: object) -> None:
        self._write(0, event, fields)

    def info(self, event: str, **fields: object) -> None:
        self._write(1, event, fields)

    def warning(self, event: str, **fields: object) -> None:
        self._write(2, event, fields)

    def error(self, event: str, **fields: object) -> None:
        self._write(3, event, fields)

    def _write(self, level: int, event: str, fields: dict[str, object]) -> None:
        if level < self._lowest:
            return
        line = self._line(level, event, fields)
        try:
            ready = self._poll.poll(0)
            if not ready or not ready[0][1] & select.POLLOUT:
                self._lost += 1  # a reader that has stopped must not stop the proxy
                return
            if self._lost:
                line = self._line(2, "log_lines_lost", {"count": self._lost}) + line
                self._lost = 0
            os.write(self._fd, line)
        except OSError:
            self._lost += 1

    @staticmethod
    def _line(level: int, event: str, fields: dict[str, object]) -> bytes:
        now = time.time()
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"
        shown = {name: printable(value) if isinstance(value, str) else value for name, value in fields.items()}
        line = msgspec.json.encode({"at": at, "level": LEVELS[level], "event": event, **shown})
        if len(line) > LINE_BYTES:
            shown = {name: value[:100] if isinstance(value, str) else str(value)[:100] for name, value in shown.items()}
            line = msgspec.json.encode({"at": at, "level": LEVELS[level], "event": event, **shown})
        return line + b"\n"
