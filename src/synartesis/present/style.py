"""Colour, or none: words are painted after they were aligned and made safe. The caller decides; a pipe gets plain text."""

from __future__ import annotations

from typing import NamedTuple


class Style(NamedTuple):
    """How lines are laid out: `colour` on or off, `width` in columns, `full` where nothing may be shortened."""

    colour: bool = False
    width: int = 80
    full: bool = False

    def strong(self, text: str) -> str:
        return self._painted(text, "1")

    def quiet(self, text: str) -> str:
        return self._painted(text, "2")

    def good(self, text: str) -> str:
        return self._painted(text, "32")

    def bad(self, text: str) -> str:
        return self._painted(text, "31")

    def warn(self, text: str) -> str:
        return self._painted(text, "33")

    def _painted(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


PLAIN = Style()
