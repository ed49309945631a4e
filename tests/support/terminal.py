"""A command run on a terminal, and all that it wrote there, byte for byte."""

from __future__ import annotations

import os
import pty
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path


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
