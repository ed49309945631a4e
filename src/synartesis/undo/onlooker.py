"""Whoever looks on while an undo works: is told how far it is, and may ask it to stop."""

from __future__ import annotations

from typing import Protocol


class Onlooker(Protocol):
    def looked(self, done: int, total: int) -> None:
        """So many steps were looked at; nothing was sent yet."""

    def undone(self, done: int, total: int) -> None:
        """So many steps were done."""

    def wants_to_stop(self) -> bool:
        """Asked before each step. What is under way is brought to its end."""


class Nobody:
    """Looks away, and never stops it."""

    def looked(self, done: int, total: int) -> None:
        pass

    def undone(self, done: int, total: int) -> None:
        pass

    def wants_to_stop(self) -> bool:
        return False


NOBODY = Nobody()
