"""How far a command is that takes a while: on a terminal, one line that is redrawn in place."""

from __future__ import annotations

import time

from synartesis.cli.output import Output

SHOWS_EVERY_S = 0.1


class Progress:
    def __init__(self, out: Output) -> None:
        self._out = out
        self._shows = out.stdout_is_terminal and not out.as_json
        self._shown_at = 0.0

    def show(self, text: str) -> None:
        now = time.monotonic()
        if self._shows and now - self._shown_at >= SHOWS_EVERY_S:
            self._shown_at = now
            self._out.live([], status=text)

    def done(self) -> None:
        """Take the line away."""
        if self._shows:
            self._out.live([], status="")
