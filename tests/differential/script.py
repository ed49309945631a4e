"""The words in which a conversation is written down, before it is held: who says which line, and what has to happen around it.

A conversation is one connection, in scenes. Nothing in it knows whether a proxy is in between.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from tests.differential.vocabulary import MODERN

Side: TypeAlias = Literal["client", "server"]
OTHER: dict[Side, Side] = {"client": "server", "server": "client"}


@dataclass(frozen=True, eq=False)
class Say:
    """One line, its ending included."""

    by: Side
    line: bytes
    but: str = ""
    """The exception by which it is not the same through the proxy; see exceptions.py."""
    answers: Say | None = None
    """Only said where that line has arrived."""
    pieces: int = 1
    """Written in so many parts."""
    ends_input: bool = False
    """The client's last: nothing comes after it."""

    @property
    def calls_a_tool(self) -> bool:
        """Whether the guard takes it in hand, where there is one."""
        return self.by == "client" and b"tools/call" in self.line[:2000] + self.line[-200:]


@dataclass(frozen=True)
class Together:
    """Lines of one side in a single write."""

    lines: tuple[Say, ...]


@dataclass(frozen=True)
class Complain:
    """The server writes to its standard error, which nobody at the other end hears."""

    data: bytes


@dataclass(frozen=True)
class HoldReads:
    """From here on, the proxy's own reads are not answered: a guarded call is held at its snapshot."""


@dataclass(frozen=True)
class AwaitRead:
    """Until the proxy has asked for something of its own; at once where it never asks."""


@dataclass(frozen=True)
class AnswerReads:
    """Answer the reads that were held, and those to come."""


@dataclass(frozen=True)
class EndInput:
    """The client closes its end. Only the server can speak afterwards."""


Step: TypeAlias = Say | Together | Complain | HoldReads | AwaitRead | AnswerReads | EndInput


@dataclass
class Scene:
    name: str
    steps: list[Step] = field(default_factory=list)

    def lines(self) -> Iterator[Say]:
        for step in self.steps:
            match step:
                case Say():
                    yield step
                case Together(lines=lines):
                    yield from lines
                case _:
                    pass


@dataclass
class Conversation:
    """One connection from its opening to its end."""

    name: str
    revision: str
    scenes: list[Scene] = field(default_factory=list)
    in_short: bool = False
    """Whether it belongs to the few that are held in `make test` and against broken relays."""

    @property
    def is_modern(self) -> bool:
        return self.revision == MODERN

    def scene(self, name: str, *steps: Step | Iterable[Step]) -> None:
        flat: list[Step] = []
        for step in steps:
            flat.extend([step] if isinstance(step, _STEPS) else step)
        self.scenes.append(Scene(name, flat))


_STEPS = (Say, Together, Complain, HoldReads, AwaitRead, AnswerReads, EndInput)


# --- spelling


class Spelling:
    """Spells each message in another way than the one before: all of them are the same to a JSON reader."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, message: Any) -> bytes:
        self._count += 1
        match self._count % 4:
            case 0:
                return json.dumps(message, ensure_ascii=False).encode() + b"\n"
            case 1:
                return compact(message)
            case 2 if isinstance(message, dict):  # the TypeScript SDK writes the id last
                return json.dumps(dict(reversed(message.items())), separators=(",", ":")).encode() + b"\n"
            case _:
                return compact(message).replace(b"\n", b"\r\n")


def compact(message: Any) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def request(ident: Any, method: str, params: Any = None) -> dict[str, Any]:
    head = {"jsonrpc": "2.0", "id": ident, "method": method}
    return head if params is None else head | {"params": params}


def notification(method: str, params: Any = None) -> dict[str, Any]:
    head = {"jsonrpc": "2.0", "method": method}
    return head if params is None else head | {"params": params}


def result(ident: Any, value: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": ident, "result": value}


def error(ident: Any, code: Any, message: str, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": ident, "error": {"code": code, "message": message, **more}}
