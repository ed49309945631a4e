"""A command run on a terminal: all that it wrote there, byte for byte; or one that goes on, watched and typed at."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

DEADLINE_S = 30
"""Nothing that is waited for takes a second; this is so that a hang ends."""


def on_a_terminal(argv: Sequence[str | Path], *, env: Mapping[str, str], cwd: Path) -> bytes:
    """stdout and stderr of a command for which both are one terminal. The terminal itself adds nothing."""
    ours, theirs = pty.openpty()
    attributes = termios.tcgetattr(theirs)
    attributes[1] &= ~termios.OPOST  # or it would put a carriage return before each line end
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    process = subprocess.Popen(
        [str(word) for word in argv], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=dict(env), cwd=cwd
    )
    os.close(theirs)
    try:
        return _all_of(ours)
    finally:
        os.close(ours)
        process.wait(timeout=30)


class Terminal:
    """A command that goes on until it is told to stop, on a terminal of its own: Ctrl-C typed there reaches it."""

    def __init__(self, argv: Sequence[str | Path], *, env: Mapping[str, str], cwd: Path) -> None:
        self._ours, theirs = pty.openpty()
        attributes = termios.tcgetattr(theirs)
        attributes[1] &= ~termios.OPOST
        attributes[3] &= ~termios.ECHO
        termios.tcsetattr(theirs, termios.TCSANOW, attributes)
        self._process = subprocess.Popen(
            [str(word) for word in argv],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - tests have no threads here
        )
        os.close(theirs)
        self.seen = ""
        """Everything that was written so far."""
        self._waited_for = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._ours)

    @property
    def screen(self) -> str:
        """What stands there to be read: of a line that was redrawn in place, its last state."""
        return "\n".join(line.rpartition("\r\x1b[K")[2] for line in self.seen.split("\n"))

    def until(self, text: str) -> str:
        """Read until it has said this, behind what was waited for before; returns all that it has said since."""
        start, deadline = self._waited_for, time.monotonic() + DEADLINE_S
        while (at := self.seen.find(text, start)) < 0:
            if not self._read(max(0.0, deadline - time.monotonic())):
                raise AssertionError(f"it never said {text!r}, but: {self.seen[start:]!r}")
        self._waited_for = at + len(text)
        return self.seen[start:]

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def ended(self, *, patience_s: float = DEADLINE_S) -> int:
        """Its exit code, once it has ended. `patience_s`: how long it may say nothing."""
        while self._read(patience_s):
            pass
        return self._process.wait(patience_s)

    def _read(self, patience_s: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], patience_s)
        try:
            piece = os.read(self._ours, 65536) if ready else b""
        except OSError:  # nobody has the terminal any more
            piece = b""
        self.seen += piece.decode()
        return bool(piece)


def _all_of(descriptor: int) -> bytes:
    heard = b""
    while True:
        try:
            piece = os.read(descriptor, 65536)
        except OSError:  # Linux says so when the last process has let go of the terminal
            piece = b""
        if not piece:
            return heard
        heard += piece
