"""Reads that one process makes and another one judges: what was heard is written down, and told again in the same order."""

from __future__ import annotations

from synartesis.domain.calls import NotSent, Replied, Reply, ReplyLost, ResolvedCall, SendOutcome
from synartesis.domain.canonical import Json
from synartesis.domain.ports import Upstream


class Heard:
    """Implements Upstream: asks another one, and keeps what it heard."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._heard: list[Json] = []

    async def call(self, call: ResolvedCall) -> SendOutcome:
        outcome = await self._upstream.call(call)
        self._heard.append(_spelled(outcome))
        return outcome

    def to_json(self) -> Json:
        return self._heard


class Told:
    """Implements Upstream: tells again what was heard, to whoever makes the same calls."""

    def __init__(self, heard: Json) -> None:
        self._heard = [_read(*said) for said in heard]

    async def call(self, call: ResolvedCall) -> SendOutcome:
        return self._heard.pop(0) if self._heard else NotSent(f"{call.tool} was not read by the proxy")


def _spelled(outcome: SendOutcome) -> Json:
    match outcome:
        case Replied(reply=reply):
            return ["replied", reply.answer.decode("latin-1"), reply.is_protocol_error]
        case NotSent(why=why):
            return ["not_sent", why, False]
        case ReplyLost(why=why):
            return ["lost", why, False]


def _read(kind: str, said: str, is_protocol_error: bool) -> SendOutcome:
    match kind:
        case "replied":
            return Replied(Reply(said.encode("latin-1"), is_protocol_error))
        case "not_sent":
            return NotSent(said)
        case _:
            return ReplyLost(said)
