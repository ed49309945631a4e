"""Whoever looks on while an undo works: is told how far it is, and may stop it."""

from __future__ import annotations

from typing import Protocol


class Onlooker(Protocol):
    def looked(self, done: int, total: int) -> None:
        """So many steps were looked at; nothing was sent yet."""

    def undone(self, done: int, total: int) -> None:
        """So many steps were done."""

    def why_stop(self) -> str:
        """Who or what ends it before the next step, as in "you stopped it"; empty where it goes on. Asked before each step.
        What is under way is brought to its end."""


class Nobody:
    """Looks away, and never stops it."""

    def looked(self, done: int, total: int) -> None:
        pass

    def undone(self, done: int, total: int) -> None:
        pass

    def why_stop(self) -> str:
        return ""


NOBODY = Nobody()
