"""The client's end: what is written to it, and which of its requests are not answered yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from synartesis.domain.canonical import encode_json
from synartesis.domain.status import Era
from synartesis.relay.eras import Opening
from synartesis.wire.messages import Request, Response, error_frame, members, result_frame, with_id, with_member

INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
PARSE_ERROR: Final = -32700
SERVER_GONE: Final = -31001
"""Ours: outside of the range that JSON-RPC and MCP reserve."""


class Live(Protocol):
    """A request that is not answered yet."""

    @property
    def counts(self) -> bool:
        """Whether the end of input waits for it."""

    def cancel(self, notification: bytes) -> None:
        """The client wants no answer any more."""


class Client:
    """Write to it, and know what it waits for. `write` never blocks."""

    def __init__(self, write: Callable[[bytes], None], opening: Opening) -> None:
        self.write = write
        self.opening = opening
        self.live: dict[bytes, Live] = {}
        self.took: Callable[[Response], bool] = lambda _: False
        """Takes an answer to a question of our own."""
        self.idle = asyncio.Event()
        self.leaving = False
        """Its input has ended: it asks nothing more and answers nothing more."""
        self.left_unknown = False
        """A call was made whose outcome is not known."""

    def finish(self, key: bytes, frame: bytes | None) -> None:
        """The one answer to a request; None where the client does not want one any more."""
        self.live.pop(key, None)
        if frame is not None:
            self.write(frame)
        if self.leaving:
            self.check_idle()

    def refuse(self, token: bytes, code: int, message: str) -> None:
        """An answer to what was not taken up as a request."""
        self.write(error_frame(token, code, message))

    def tell(self, token: bytes, text: str) -> bytes:
        """Our own words as a tool result, which the model reads."""
        result: dict[str, object] = {"content": [{"type": "text", "text": text}], "isError": True}
        if self.opening.era is Era.PER_REQUEST:
            result["resultType"] = "complete"
        return result_frame(token, encode_json(result))

    def leave_unknown(self) -> None:
        self.left_unknown = True

    def check_idle(self) -> None:
        if not any(one.counts for one in self.live.values()):
            self.idle.set()


class Passing:
    """A request that was passed on as it is; its answer comes back as it is. `sent_as`: the id of our own under which it went
    out, as it does where several servers share the client."""

    __slots__ = ("client", "forward", "key", "method", "sent_as", "start", "token")
    looks_inside = False

    def __init__(
        self, client: Client, request: Request, *, forward: Callable[[bytes], None], sent_as: bytes | None = None
    ) -> None:
        assert request.key is not None
        self.client = client
        self.key = request.key
        self.token = request.token
        self.method = request.method
        self.forward = forward
        self.sent_as = sent_as
        self.start = 0

    @property
    def counts(self) -> bool:
        return self.method != "subscriptions/listen"  # its answer stays open as long as the client listens

    def answered(self, response: Response) -> None:
        frame = response.frame if self.sent_as is None else with_id(response.frame, self.token)
        if self.client.live.get(self.key) is self:
            self.client.finish(self.key, frame)
        else:
            self.client.write(frame)  # cancelled; its id may be another request's by now

    def lost(self, why: str, *, left: bool) -> None:
        if self.client.live.get(self.key) is not self:
            return
        if self.method == "tools/call":
            frame = self.client.tell(self.token, f"No answer: {why}." + ("" if left else " Nothing was sent."))
        else:
            frame = error_frame(self.token, SERVER_GONE, why)
        self.client.finish(self.key, frame)

    def cancel(self, notification: bytes) -> None:
        self.forward(cancellation_of(self.sent_as, notification))
        self.client.finish(self.key, None)  # should an answer come all the same, it is passed on


def cancellation_of(sent_as: bytes | None, notification: bytes) -> bytes:
    """The client's `notifications/cancelled`, naming the id under which the request went out."""
    if sent_as is None:
        return notification
    params = (members(notification) or {}).get("params", b"{}")
    return with_member(notification, "params", with_member(params, "requestId", sent_as)) + b"\n"
