"""Servers asked for their tools, side by side. Knows servers only by what can be asked of a connection."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final, NamedTuple, Protocol

from synartesis.errors import HandshakeRefused, SynartesisError

FIRST_START_S: Final = 60.0
"""How long a server may take to answer when it is started for the first time: npx and uvx may have to download it."""

USUAL_START_S: Final = 10.0


class Startable(Protocol):
    """What is needed of `relay.connect`."""

    async def start(self, server: str, *, patience_s: float) -> None:
        """Raises ServerUnavailable with exit code and last words."""

    async def tools(self, server: str) -> list[dict[str, Any]]:
        """All pages. Raises ServerUnavailable."""


class Offer(NamedTuple):
    """What one server advertises, or why nothing is known of it."""

    server: str
    tools: list[dict[str, Any]] | None
    problem: str = ""
    """What happened, with the exit code and the last words where it ended."""
    hint: str = ""
    refused_handshake: bool = False
    """It is there, and may answer when it is spoken to in the later way."""


async def introspect(
    connection: Startable, servers: Iterable[str], *, patience_s: float = FIRST_START_S
) -> list[Offer]:
    """Start these servers at once and list their tools; one that does not start costs the others nothing."""
    return list(await asyncio.gather(*(_ask(connection, server, patience_s) for server in servers)))


async def _ask(connection: Startable, server: str, patience_s: float) -> Offer:
    try:
        await connection.start(server, patience_s=patience_s)
        return Offer(server, await connection.tools(server))
    except SynartesisError as error:
        return Offer(server, None, error.message, error.hint, isinstance(error, HandshakeRefused))


def tool_names(tools: Iterable[dict[str, Any]]) -> list[str]:
    """In the order in which they are advertised, each once; what has no name is left out."""
    names = (tool.get("name") for tool in tools)
    return list(dict.fromkeys(name for name in names if isinstance(name, str) and name))
