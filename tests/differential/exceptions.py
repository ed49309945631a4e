"""Everything that is not the same through the proxy, each with its reason. What is not here has to be the same to the byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from synartesis.guard.wording import INSTRUCTIONS

Variant: TypeAlias = Literal["readonly", "reversible"]
VARIANTS: tuple[Variant, ...] = ("readonly", "reversible")

Expected: TypeAlias = bytes | Callable[[bytes], bool]
"""A line, or what has to be true of it."""


@dataclass(frozen=True)
class Unlike:
    """One exception."""

    reason: str
    source: str
    arrives: Callable[[bytes], list[Expected]]
    """What the other end gets in place of the line."""
    comes_back: Callable[[bytes], list[Expected]] = lambda line: []
    """What the sender gets."""
    at_the_end: Callable[[bytes], list[Expected]] = lambda line: []
    """What the sender gets when the connection ends."""
    variants: tuple[Variant, ...] = VARIANTS


def as_it_is(said: bytes) -> list[Expected]:
    """Each line of it."""
    lines = said.split(b"\n")
    return [*(line + b"\n" for line in lines[:-1]), *filter(None, lines[-1:])]


def nothing(line: bytes) -> list[Expected]:
    return []


def refused(*codes: int) -> Callable[[bytes], list[Expected]]:
    """One JSON-RPC error of ours, under the id of the line where it has one that is legal."""

    def expected(line: bytes) -> list[Expected]:
        ident = _id_of(line)

        def is_refusal(got: bytes) -> bool:
            message = _json(got)
            return (
                isinstance(message, dict)
                and set(message) == {"jsonrpc", "id", "error"}
                and message["error"].get("code") in codes
                and (message["id"] is None or (type(message["id"]) is type(ident) and message["id"] == ident))
            )

        return [is_refusal]

    return expected


def with_our_instructions(line: bytes) -> list[Expected]:
    """All members as they were spelt, and in their order; `instructions` followed by ours."""
    before = _json(line)
    theirs = before["result"].get("instructions")
    if isinstance(theirs, str) and theirs:
        before["result"]["instructions"] = f"{theirs}\n\n{INSTRUCTIONS}"
    else:
        before["result"]["instructions"] = INSTRUCTIONS

    def is_it(got: bytes) -> bool:
        after = _json(got)
        return isinstance(after, dict) and _spelt(after) == _spelt(before)

    return [is_it]


def each_item(line: bytes) -> list[Expected]:
    """The messages of a batch, each a line of its own."""

    def is_item(item: Any) -> Callable[[bytes], bool]:
        return lambda got: _json(got) == item

    return [is_item(item) for item in _json(line)]


def with_line_end(line: bytes) -> list[Expected]:
    return [line + b"\n"]


TABLE: dict[str, Unlike] = {
    "instructions": Unlike(
        "the answer that opens the connection has our instructions after the server's own",
        "product.md section 5: the agent is told of the gate in the server's instructions",
        arrives=with_our_instructions,
    ),
    "batch": Unlike(
        "a batch of the client is refused: only one revision of five has them, and a call in one must not slip past",
        "issue 4 item 5; protocol.md rule 12",
        arrives=nothing,
        comes_back=refused(-32600),
    ),
    "server batch": Unlike(
        "a batch of the server is taken apart: a client of another revision could not read it",
        "protocol.md rule 12",
        arrives=each_item,
    ),
    "noise": Unlike(
        "what a server prints that is no message is logged: it would end the session of a strict client",
        "case C002",
        arrives=nothing,
    ),
    "blank line": Unlike(
        "a line without anything on it is no message, and means nothing to anybody", "case C002", arrives=nothing
    ),
    "illegal id": Unlike(
        "an id that is neither a string nor an integer is refused: it could not be told from a notification",
        "case C009",
        arrives=nothing,
        comes_back=refused(-32600),
    ),
    "id in use": Unlike(
        "a second request under an id that waits for its answer is refused: the answers could not be told apart",
        "case C009",
        arrives=nothing,
        comes_back=refused(-32600),
    ),
    "unreadable": Unlike(
        "what cannot be read from the client is refused, and what is several lines to some servers: they might read in it what we"
        " cannot",
        "issue 4 item 5; protocol.md section 3",
        arrives=nothing,
        comes_back=refused(-32700, -32600),
    ),
    "ambiguous call": Unlike(
        "a call that two readers could understand in two ways is refused: policy and server might see different tools",
        "product.md 3.1; protocol.md section 3",
        arrives=nothing,
        comes_back=refused(-32602),
    ),
    "ambiguous message": Unlike(
        "a message that is a call to some readers, and another to us, is refused: no policy would have been asked",
        "protocol.md section 3: readers differ on keys that stand twice, or differ in case",
        arrives=nothing,
        comes_back=refused(-32600),
    ),
    "call without an id": Unlike(
        "a call that asks for no answer is dropped and logged: it would run unrecorded, and may not be answered",
        "case C009; JSON-RPC 2.0 section 4.1",
        arrives=nothing,
    ),
    "left open": Unlike(
        "a request that is still open when the client leaves is answered: whoever reads to the end hears of it",
        "issue 4 item 5: every line that is read gets exactly one answer",
        arrives=as_it_is,
        at_the_end=refused(-31001),
    ),
    "stray answer": Unlike(
        "an answer that nobody waits for is logged and dropped: a client may take it for that of its next request",
        "case C009",
        arrives=nothing,
    ),
    "unfinished line": Unlike(
        "the last line of an input that ends without a line end is given one: it is a message all the same",
        "MCP basic/transports/stdio: messages are delimited by newlines",
        arrives=with_line_end,
    ),
    "cancelled before it left": Unlike(
        "a call that is cancelled while the state before it is read never leaves",
        "protocol.md rule 4",
        arrives=nothing,
        variants=("reversible",),
    ),
    "cancellation of what never left": Unlike(
        "the server never heard of that call, so there is nothing to cancel",
        "protocol.md rule 4",
        arrives=nothing,
        variants=("reversible",),
    ),
    "unknown tool": Unlike(
        "a tool that the server does not offer is answered as unknown: nobody is asked about a typo",
        "product.md section 2",
        arrives=nothing,
        comes_back=refused(-32602),
        variants=("reversible",),
    ),
}


SAME = Unlike("nothing is different", "", arrives=as_it_is)


def unlike(name: str, variant: Variant) -> Unlike:
    """What holds for a line that names this exception."""
    if not name:
        return SAME
    found = TABLE[name]
    return found if variant in found.variants else SAME


def _id_of(line: bytes) -> Any:
    message = _json(line)
    if isinstance(message, dict):
        return message.get("id")
    found = re.search(rb'"id"\s*:\s*(-?\d+|"[^"\\]*")', line)
    return json.loads(found[1]) if found else None


def _json(line: bytes) -> Any:
    try:
        return json.loads(line, parse_float=str)
    except (ValueError, RecursionError):
        return None


def _spelt(message: Any) -> str:
    return json.dumps(message, separators=(",", ":"))
