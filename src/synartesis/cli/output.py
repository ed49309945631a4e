"""All of stdout and stderr. Colour only on a terminal; one JSON value where `--json` asked for it; errors with what to do."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from synartesis.errors import SynartesisError
from synartesis.present.safe_text import command_lines, harmless, message_lines, printable_lines, wrapped
from synartesis.present.style import Style
from synartesis.workspace.files import spelled_out

DEFAULT_WIDTH = 80
MAX_WIDTH = 120
"""Longer lines are hard to read, however wide the window."""

_REDRAW = "\r\x1b[K"
"""Back to the first column, and the rest of the line empty."""

_NOT_PLAIN_ASCII = re.compile(r"[^\x20-\x7e]")


class Output:
    """Where a command says what it has to say."""

    def __init__(self, *, stdout: TextIO, stderr: TextIO, as_json: bool = False, no_colour: bool = False) -> None:
        self._stdout, self._stderr = stdout, stderr
        self.as_json = as_json
        self._no_colour = no_colour or bool(os.environ.get("NO_COLOR"))
        self.full = False
        self._status = ""

    @property
    def style(self) -> Style:
        """How lines for stdout are laid out."""
        return Style(colour=self._colours(self._stdout), width=_width(self._stdout), full=self.full)

    @property
    def is_terminal(self) -> bool:
        """Whether a person can be asked: both ends are a terminal."""
        return _is_terminal(sys.stdin) and _is_terminal(self._stdout)

    @property
    def stdout_is_terminal(self) -> bool:
        """Whether somebody looks on."""
        return _is_terminal(self._stdout)

    def lines(self, lines: Iterable[str]) -> None:
        """Lines for stdout, which `present` made safe."""
        self._stdout.write("".join(f"{harmless(line)}\n" for line in lines))
        self._stdout.flush()

    def live(self, lines: Iterable[str], *, status: str) -> None:
        """Lines, and below them one that is redrawn in place, in one piece so that nothing flickers. Writes nothing where
        nothing is new; an empty status takes the line away. For a terminal."""
        text = "".join(f"{harmless(line)}\n" for line in lines)
        if os.environ.get("TERM") == "dumb":
            status = ""
        if text or status != self._status:
            self._stdout.write(f"{_REDRAW if self._status else ''}{text}{status}")
            self._stdout.flush()
        self._status = status

    def json(self, value: Any) -> None:
        """The one JSON value, on one line. Values of the journal are written exactly, others as they are; in ASCII, so that a
        terminal is as safe as with the words."""
        self._stdout.write(json_text(value) + "\n")
        self._stdout.flush()

    def notice(self, text: str) -> None:
        """For a person, beside the output proper: a paragraph a line."""
        width = _width(self._stderr)
        paragraphs = printable_lines(spelled_out(text))
        self._to_stderr([line for text in paragraphs for line in wrapped(text, width, hanging="  ", keep_words=True)])

    def error(self, error: SynartesisError) -> None:
        hint = spelled_out(error.hint)
        if self.as_json:
            shape = {"error": {"message": error.message, "hint": hint, "exit": error.exit_code}}
            self._to_stderr([json_text(shape)])
            return
        style = Style(colour=self._colours(self._stderr), width=_width(self._stderr))
        lines = message_lines(f"error: {error.message}", style.width, hanging="  ")
        lines[0] = style.bad("error:") + lines[0].removeprefix("error:")
        if hint:
            lines += command_lines(f"hint: {hint}", style.width, hanging="  ")
        self._to_stderr(lines)

    def ask(self, question: str) -> bool:
        """Yes or no from a person at the terminal; anything but yes is no."""
        self._stdout.write(f"{question} [y/N] ")
        self._stdout.flush()
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # an event loop would keep Ctrl-C for later
        try:
            answer = sys.stdin.readline()
        finally:
            signal.signal(signal.SIGINT, before)
        self._stdout.write("\n" if answer.endswith("\n") else "\n\n")
        return answer.strip().lower() in ("y", "yes")

    def _to_stderr(self, lines: Iterable[str]) -> None:
        self._stderr.write("".join(f"{harmless(line)}\n" for line in lines))
        self._stderr.flush()

    def _colours(self, stream: TextIO) -> bool:
        return not self._no_colour and os.environ.get("TERM") != "dumb" and _is_terminal(stream)


def json_text(value: Any) -> str:
    """JSON in ASCII. Where a value holds exact numbers the exact writer is used; it is not imported for what needs none."""
    try:
        return json.dumps(value, separators=(", ", ": "), allow_nan=False)
    except TypeError:
        from synartesis.domain.canonical import encode_json

        text = encode_json(value).decode("utf-8")
        return _NOT_PLAIN_ASCII.sub(_escaped, text)  # in JSON text, these stand only inside strings


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def _width(stream: TextIO) -> int:
    """Columns to use: COLUMNS where it is set, else those of the terminal, else 80."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return max(40, min(int(given), MAX_WIDTH))
    if not _is_terminal(stream):
        return DEFAULT_WIDTH
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return DEFAULT_WIDTH
    return max(40, min(columns or DEFAULT_WIDTH, MAX_WIDTH))
