"""Requests of one direction that wait for their answers, and ids of our own. Sans-IO.

Ids belong to a direction: a client's 0 and a server's 0 have nothing to do with each other, so each direction has a Peer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final, Generic, Literal, TypeVar

W = TypeVar("W")

REMEMBERED_ANSWERS: Final = 256
"""How many answered ids are remembered, to tell a second answer from one that nobody asked for."""


class Peer(Generic[W]):
    """Who waits for the answer to which id. Keys are those of `messages.id_key`."""

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._count = 0
        self._waiting: dict[bytes, W] = {}
        self._answered: deque[bytes] = deque(maxlen=REMEMBERED_ANSWERS)

    def new_token(self) -> bytes:
        """A fresh id of our own, which no client or server would pick."""
        self._count += 1
        return b'"syn-%s-%d"' % (self._name.encode("ascii"), self._count)

    def expect(self, key: bytes, waiter: W) -> None:
        self._waiting[key] = waiter

    def settle(self, key: bytes) -> W | None:
        """Who waited for this answer. None: nobody (any more)."""
        waiter = self._waiting.pop(key, None)
        if waiter is not None:
            self._answered.append(key)
        return waiter

    def waiting_for(self, key: bytes) -> W | None:
        return self._waiting.get(key)

    def why_unexpected(self, key: bytes) -> Literal["second answer", "nobody asked"]:
        return "second answer" if key in self._answered else "nobody asked"

    def drain(self) -> list[W]:
        """Everybody who waits; nobody does afterwards."""
        waiters = list(self._waiting.values())
        self._waiting.clear()
        return waiters

    def items(self) -> Iterator[tuple[bytes, W]]:
        return iter(self._waiting.items())

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, key: bytes) -> bool:
        return key in self._waiting
