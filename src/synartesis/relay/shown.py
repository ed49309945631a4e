"""What the client sees of several servers: their lists as one, the names and addresses in them, and the way back from a name
to the server that has it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial

from synartesis.domain.canonical import encode_json
from synartesis.domain.names import Tool
from synartesis.relay.catalog import (
    PROMPTS,
    RESOURCES,
    TEMPLATES,
    TOOLS,
    Catalog,
    Listing,
    ListKind,
    ListUnavailable,
    merged_result,
)
from synartesis.relay.log import Log
from synartesis.relay.routing import Clash, Names
from synartesis.relay.together import Together
from synartesis.relay.unambiguous import Unacceptable
from synartesis.wire.messages import Slice, with_member


class Shown:
    """Learned from the servers' lists, as far as they were asked for."""

    def __init__(self, servers: Iterable[str], *, together: Together, catalog: Catalog, log: Log) -> None:
        self._together = together
        self._catalog = catalog
        self._log = log
        self._names: dict[ListKind, Names] = {kind: Names(servers) for kind in (TOOLS, PROMPTS)}
        self._homes: dict[str, str] = {}
        """Which server a resource is from, by its address."""
        self._late: set[asyncio.Task[bool]] = set()

    async def merged(self, kind: ListKind) -> bytes:
        """The answer to a list request, from those that gave their lists in time."""
        lists = await self._learn(kind)
        whole = len(lists) == len(self._together.having(kind.member))
        items = [item for items, _ in lists.values() for item in items]
        return merged_result(kind, items, [rest for _, rest in lists.values()], whole=whole)

    def known_tool(self, name: str) -> Tool | None:
        """The tool of a shown name, as far as it can be told without asking anybody."""
        return self._names[TOOLS].tool_for(name)

    async def tool_for(self, name: str) -> Tool:
        """Raises Unacceptable."""
        return await self._find(TOOLS, name, "tool")

    async def prompt_for(self, name: str) -> Tool:
        """The server of a prompt, and its own name. Raises Unacceptable."""
        return await self._find(PROMPTS, name, "prompt")

    async def home_of(self, address: str) -> str:
        """The server of a resource: the one that lists it; else the one whose template has its scheme, or the only one.
        Raises Unacceptable."""
        if address not in self._homes:
            await self._learn(RESOURCES)
            await self._learn(TEMPLATES)
        home = self._homes.get(address)
        if home is not None:
            return home
        scheme = address.partition(":")[0] + ":"
        having = self._together.having("resources")
        alike = [server for known, server in self._homes.items() if known.startswith(scheme) and server in having]
        if not having:
            raise Unacceptable(f"Unknown resource: {address}")
        return (alike or having)[0]

    async def _find(self, kind: ListKind, name: str, what: str) -> Tool:
        names = self._names[kind]
        if names.tool_for(name) is None:
            await self._learn(kind)
        found = names.tool_for(name)
        if found is None:
            raise Unacceptable(f"Unknown {what}: {name}")
        return found

    async def _learn(self, kind: ListKind) -> dict[str, tuple[list[bytes], dict[str, Slice]]]:
        """Everybody's items as the client sees them, and what else their lists say, in the order of the manifest."""
        servers = self._together.having(kind.member)
        found: dict[str, Listing] = {}
        tasks = [asyncio.create_task(self._ask(name, kind, found)) for name in servers]
        await self._together.in_time(tasks, enough=lambda: bool(found))
        for name, task in zip(servers, tasks, strict=True):
            if not task.done():
                self._log.warning("list_late", server=name, method=kind.method)
                self._late.add(task)
                task.add_done_callback(partial(self._came_late, kind))
        return {name: self._as_seen(name, kind, found[name]) for name in servers if name in found}

    async def _ask(self, server: str, kind: ListKind, found: dict[str, Listing]) -> bool:
        """False: it did not say what it has."""
        try:
            found[server] = await self._catalog.listing(server, kind)
        except ListUnavailable as error:
            self._log.warning("list_unavailable", server=server, method=kind.method, why=str(error))
            return False
        return True

    def _came_late(self, kind: ListKind, task: asyncio.Task[bool]) -> None:
        self._late.discard(task)
        if not task.cancelled() and task.result():
            self._together.tell_changed(kind.member)

    def _as_seen(self, server: str, kind: ListKind, listing: Listing) -> tuple[list[bytes], dict[str, Slice]]:
        return [
            one for key, item in listing.items.items() for one in self._shown(server, kind, key, item)
        ], listing.rest

    def _shown(self, server: str, kind: ListKind, key: str, item: Slice) -> list[bytes]:
        if kind in self._names:
            try:
                name = self._names[kind].learn(Tool(server, key))
            except Clash as clash:
                self._log.error("name_clash", why=str(clash))
                return []
            return [with_member(item, "name", encode_json(name))]
        if self._homes.setdefault(key, server) != server:
            self._log.warning("address_clash", server=server, address=key, why=f"{self._homes[key]} has it too")
            return []
        return [bytes(item)]
