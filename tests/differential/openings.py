"""How a conversation is opened in each era, and the few shapes that the others are written with."""

from __future__ import annotations

from typing import Any

from tests.differential.script import Conversation, Say, compact, error, notification, request, result
from tests.differential.vocabulary import MODERN
from tests.support.client import META

CLIENT = {"name": "conductor", "version": "1"}
EVERYTHING = {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}, "url": {}}}


def opened(name: str, revision: str, *, in_short: bool = False) -> Conversation:
    """A conversation that its first scene has opened, as far as one is opened in that revision."""
    conversation = Conversation(name, revision, in_short=in_short)
    if revision == MODERN:
        ask = client(request(0, "server/discover", enveloped({})))
        said = {"supportedVersions": [MODERN], "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "public"}
        answer = result(0, {"resultType": "complete", **said, "serverInfo": {"name": "puppet", "version": "1"}})
        conversation.scene("discover", ask, server(answer, to=ask, but="instructions"))
        return conversation
    hello = {"protocolVersion": revision, "capabilities": EVERYTHING, "clientInfo": CLIENT}
    ask = client(request(0, "initialize", hello))
    said = {
        "protocolVersion": revision,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "puppet", "version": "1"},
    }
    conversation.scene(
        "handshake",
        ask,
        server(result(0, said | {"instructions": "Be kind."}), to=ask, but="instructions"),
        client(notification("notifications/initialized")),
    )
    return conversation


def enveloped(params: Any, **meta: Any) -> dict[str, Any]:
    """Params with what every request of the modern era says of the client; `meta`: more of it."""
    said = {META + "protocolVersion": MODERN, META + "clientCapabilities": EVERYTHING, META + "clientInfo": CLIENT}
    return {**params, "_meta": said | meta}


def client(message: Any, *, but: str = "", to: Say | None = None, pieces: int = 1) -> Say:
    """The client says this: an object as one line, or bytes as they are."""
    return Say("client", message if isinstance(message, bytes) else compact(message), but, to, pieces)


def server(message: Any, *, but: str = "", to: Say | None = None, pieces: int = 1) -> Say:
    return Say("server", message if isinstance(message, bytes) else compact(message), but, to, pieces)


def call(ident: Any, tool: str = "write", arguments: Any = None, **more: Any) -> dict[str, Any]:
    """A `tools/call` of the eras with a handshake."""
    return request(ident, "tools/call", {"name": tool, "arguments": arguments or {}, **more})


def modern_call(ident: Any, tool: str = "write", arguments: Any = None, **more: Any) -> dict[str, Any]:
    params = enveloped({"name": tool, "arguments": arguments or {}, **more})
    return request(ident, "tools/call", params)


def done(ident: Any, text: str = "done", **more: Any) -> dict[str, Any]:
    """The answer to a call."""
    return result(ident, {"content": [{"type": "text", "text": text}], **more})


def modern_done(ident: Any, text: str = "done", **more: Any) -> dict[str, Any]:
    return done(ident, text, resultType="complete", **more)


def asked(ask: Any, answer: Any, *, but: str = "", by: str = "client") -> list[Say]:
    """A question and its answer."""
    one, other = (client, server) if by == "client" else (server, client)
    first = one(ask, but=but)
    return [first, other(answer, to=first)]


__all__ = [
    "CLIENT",
    "EVERYTHING",
    "asked",
    "call",
    "client",
    "done",
    "enveloped",
    "error",
    "modern_call",
    "modern_done",
    "opened",
    "server",
]
