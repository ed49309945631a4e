"""The controlling terminal, past stdin and stdout: for what only a person who sits there may be asked. Whatever starts a
command can fill its arguments, its environment and its pipes; it has no terminal unless it made one."""

from __future__ import annotations

import os
import termios
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from synartesis.errors import SynartesisError
from synartesis.present.safe_text import harmless

PATH = "/dev/tty"


def show(lines: Iterable[str]) -> None:
    """Lines that `present` made safe."""
    with _opened() as terminal:
        _write(terminal, "".join(f"{harmless(line)}\n" for line in lines))


def ask_passphrase(prompt: str) -> str:
    """What is typed there, unseen. Raises SynartesisError where there is no terminal, or nothing is typed."""
    with _opened() as terminal:
        before = termios.tcgetattr(terminal)
        hidden = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
        try:
            termios.tcsetattr(
                terminal, termios.TCSAFLUSH, hidden
            )  # what was typed before it was asked for does not count
            _write(terminal, prompt)
            typed = _read_line(terminal)
        finally:
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
            _write(terminal, "\n")
    if not typed:
        raise SynartesisError("no passphrase was typed; nothing was done")
    return typed


@contextmanager
def _opened() -> Iterator[int]:
    try:
        terminal = os.open(PATH, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        raise SynartesisError(
            "the passphrase is asked for on a terminal, and there is none here; nothing was done",
            hint="run this in a terminal of your own: it takes it from no argument, no variable and no pipe",
        ) from None
    try:
        yield terminal
    finally:
        os.close(terminal)


def _write(terminal: int, text: str) -> None:
    octets = text.encode("utf-8", "backslashreplace")
    while octets:
        octets = octets[os.write(terminal, octets) :]


def _read_line(terminal: int) -> str:
    octets = b""
    while not octets.endswith(b"\n") and (piece := os.read(terminal, 4096)):
        octets += piece
    return octets.decode("utf-8", "surrogateescape").rstrip("\r\n")
