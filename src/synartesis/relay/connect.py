"""Servers without a client: for an undo, which speaks to them as the run's client did, and for `check`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final, TypeAlias

from synartesis.domain.calls import ResolvedCall, SendOutcome
from synartesis.domain.status import Era
from synartesis.errors import ServerUnavailable, SynartesisError
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

ROOTS_GRACE_S: Final = 1.0
"""How long a server may take to ask for the client's roots before it gets its first call."""

ROOTS_SETTLE_S: Final = 0.1
"""How long it may take to act on them: no message says when it has."""

Variables: TypeAlias = Mapping[str, Mapping[str, str]]


class Connection(Servers):
    """Implements ports.Upstream; a server is started at its first call, or by `start`."""

    def __init__(
        self, manifest: Manifest, opening: Opening, log: Log, variables: Variables, on_start: Callable[[str, int], None]
    ) -> None:
        own_name = new_own_name()
        self._log = log
        self._opening = opening
        self._told_roots = {spec.name: asyncio.Event() for spec in manifest.servers}
        self._starting = asyncio.Lock()
        self._started: set[str] = set()
        super().__init__(
            {
                spec.name: Link(
                    spec.name,
                    launcher(spec, manifest, variables=variables.get(spec.name)),
                    opening=opening,
                    log=log,
                    on_message=self._from_server,
                    own_name=own_name,
                )
                for spec in manifest.servers
            }
        )
        for name, link in self.links.items():
            link.on_start = partial(on_start, name)
        self._catalog = Catalog(self.links, log)

    async def start(self, server: str, *, patience_s: float | None = None) -> None:
        """Start a server and open it. Raises ServerUnavailable with exit code and last words, ManifestInvalid where its
        environment lacks something. `patience_s`: for a first start, which may have to download the server."""
        if patience_s is not None:
            self.links[server].patience_s = patience_s
        self._started.add(server)
        await self.links[server].open()
        if self._opening.roots is not None:
            await self._let_it_ask_for_roots(server)

    async def _let_it_ask_for_roots(self, server: str) -> None:
        """A server that gets its folders from the client asks for them once it is open. A call that is there sooner is made in
        other folders than the client's were: refused at best, at worst answered for another file of that name."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ROOTS_GRACE_S):
                await self._told_roots[server].wait()
            await asyncio.sleep(ROOTS_SETTLE_S)

    async def call(self, call: ResolvedCall) -> SendOutcome:
        if self._opening.roots is not None and call.tool.server in self.links:
            async with self._starting:
                if call.tool.server not in self._started:
                    with suppress(SynartesisError):  # the call itself will say why
                        await self.start(call.tool.server)
        return await super().call(call)

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
            if message.method == "roots/list":
                self._told_roots[link.name].set()
        elif isinstance(message, Noise):
            log_noise(link, message, self._log)


@asynccontextmanager
async def connect(
    manifest: Manifest,
    *,
    era: Era | None,
    opening: bytes,
    log: Log,
    variables: Variables | None = None,
    on_start: Callable[[str, int], None] = lambda _name, _pid: None,
) -> AsyncIterator[Connection]:
    """A connection to the servers of a manifest, opened as a run's client opened it (`Run.era`, `Run.opening`); in our own
    words where none did. `variables`: what a client sets for a server when it starts it, by server. `on_start` is told the
    number of each process that is started."""
    connection = Connection(manifest, Opening.from_json(era, opening), log, variables or {}, on_start)
    try:
        yield connection
    finally:
        await connection.stop()
