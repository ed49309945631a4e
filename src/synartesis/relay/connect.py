"""Servers without a client: for an undo, which speaks to them as the run's client did, and for `check`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from synartesis.domain.status import Era
from synartesis.errors import ServerUnavailable
from synartesis.policy.manifest import Manifest
from synartesis.relay.catalog import Catalog, ListUnavailable
from synartesis.relay.eras import Opening
from synartesis.relay.handlers import log_noise
from synartesis.relay.log import Log
from synartesis.relay.servers import Servers
from synartesis.relay.session import new_own_name
from synartesis.relay.starting import launcher
from synartesis.relay.upstream import Link
from synartesis.wire.messages import Message, Noise, Request


class Connection(Servers):
    """Implements ports.Upstream; a server is started at its first call, or by `start`."""

    def __init__(self, manifest: Manifest, opening: Opening, log: Log) -> None:
        own_name = new_own_name()
        self._log = log
        super().__init__(
            {
                spec.name: Link(
                    spec.name,
                    launcher(spec, manifest),
                    opening=opening,
                    log=log,
                    on_message=self._from_server,
                    own_name=own_name,
                )
                for spec in manifest.servers
            }
        )
        self._catalog = Catalog(self.links, log)

    async def start(self, server: str) -> None:
        """Start a server and open it. Raises ServerUnavailable with exit code and last words, ManifestInvalid where its
        environment lacks something."""
        await self.links[server].open()

    async def tools(self, server: str) -> list[dict[str, Any]]:
        """All its tools, every page. Raises ServerUnavailable."""
        try:
            return await self._catalog.tools(server)
        except ListUnavailable as error:
            raise ServerUnavailable(f'server "{server}" does not list its tools: {error}') from None

    async def stop(self) -> None:
        await asyncio.gather(*(link.stop() for link in self.links.values()))

    def _from_server(self, link: Link, message: Message) -> None:
        if isinstance(message, Request):
            link.answer_alone(message)
        elif isinstance(message, Noise):
            log_noise(link, message, self._log)


@asynccontextmanager
async def connect(manifest: Manifest, *, era: Era | None, opening: bytes, log: Log) -> AsyncIterator[Connection]:
    """A connection to the servers of a manifest, opened as a run's client opened it (`Run.era`, `Run.opening`); in our own
    words where none did."""
    connection = Connection(manifest, Opening.from_json(era, opening), log)
    try:
        yield connection
    finally:
        await connection.stop()
