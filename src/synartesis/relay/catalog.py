"""What the servers offer: every page of their lists, kept until they say that it changed, and merged where there are several.

An item stays the bytes that came; only its name is looked at, and replaced where the client sees another one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from synartesis.domain.calls import Replied
from synartesis.domain.canonical import NotJson, decode_json, encode_json
from synartesis.relay.log import Log
from synartesis.relay.upstream import Link
from synartesis.wire.messages import Slice, join_members, members, split_array

MAX_PAGES: Final = 1000
LIST_TIMEOUT_S: Final = 10.0
"""A server that does not tell what it has costs its own items, not everybody's."""


class ListKind(NamedTuple):
    """One of MCP's lists. `key` is what an item is known by."""

    method: str
    member: str
    key: str
    changed: str


TOOLS = ListKind("tools/list", "tools", "name", "notifications/tools/list_changed")
PROMPTS = ListKind("prompts/list", "prompts", "name", "notifications/prompts/list_changed")
RESOURCES = ListKind("resources/list", "resources", "uri", "notifications/resources/list_changed")
TEMPLATES = ListKind(
    "resources/templates/list", "resourceTemplates", "uriTemplate", "notifications/resources/list_changed"
)
KINDS: Final = (TOOLS, PROMPTS, RESOURCES, TEMPLATES)


class Listing(NamedTuple):
    """All items of one server, by their key, in its own order; and the other members of its first page (`ttlMs`, ...)."""

    items: dict[str, Slice]
    rest: dict[str, Slice]


class ListUnavailable(Exception):
    """The server did not say what it has."""


class Catalog:
    """The lists of all links. `listing` asks once; concurrent askers share the answer."""

    def __init__(self, links: Mapping[str, Link], log: Log) -> None:
        self._links = links
        self._log = log
        self._known: dict[tuple[str, ListKind], asyncio.Task[Listing]] = {}
        self._names: dict[str, frozenset[str]] = {}

    async def listing(self, server: str, kind: ListKind) -> Listing:
        """Raises ListUnavailable."""
        key = (server, kind)
        task = self._known.get(key)
        if task is None:
            task = self._known[key] = asyncio.create_task(self._read_all(self._links[server], kind))
            task.add_done_callback(lambda done: self._forget_failed(key, done))
        return await asyncio.shield(task)

    def known_tool_names(self, server: str) -> frozenset[str] | None:
        """The same, where it is known already."""
        return self._names.get(server)

    async def tool_names(self, server: str) -> frozenset[str] | None:
        """The tools of a server; None where it did not say."""
        try:
            names = frozenset((await self.listing(server, TOOLS)).items)
        except ListUnavailable as error:
            self._log.warning("tools_not_known", server=server, why=str(error))
            return None
        if (server, TOOLS) in self._known:  # else it changed while it was read
            self._names[server] = names
        return names

    async def tools(self, server: str) -> list[dict[str, Any]]:
        """The tools of a server as values. Raises ListUnavailable."""
        found = []
        for item in (await self.listing(server, TOOLS)).items.values():
            try:
                found.append(decode_json(bytes(item)))
            except NotJson:  # a lone number out of range in a schema: it is a tool all the same
                found.append({"name": item_key(item, TOOLS.key)})
        return found

    def note(self, server: str, method: str) -> None:
        """A notification passed by: what it says has changed is asked for again when it is needed next."""
        for kind in KINDS:
            if kind.changed == method:
                self._known.pop((server, kind), None)
                self._names.pop(server, None)

    def forget(self, server: str) -> None:
        """The server is another process now."""
        for kind in KINDS:
            self._known.pop((server, kind), None)
        self._names.pop(server, None)

    def _forget_failed(self, key: tuple[str, ListKind], done: asyncio.Task[Listing]) -> None:
        if (done.cancelled() or done.exception() is not None) and self._known.get(key) is done:
            del self._known[key]

    async def _read_all(self, link: Link, kind: ListKind) -> Listing:
        try:
            async with asyncio.timeout(LIST_TIMEOUT_S):
                return await self._read_pages(link, kind)
        except TimeoutError:
            raise ListUnavailable(f"it did not answer {kind.method} within {LIST_TIMEOUT_S:.0f} s") from None

    async def _read_pages(self, link: Link, kind: ListKind) -> Listing:
        items: dict[str, Slice] = {}
        rest: dict[str, Slice] = {}
        seen: set[bytes] = set()
        cursor = b""
        for _ in range(MAX_PAGES):
            page = await self._read_page(link, kind, cursor)
            for item in split_array(page.pop(kind.member, b"[]")) or []:
                name = item_key(item, kind.key)
                if name is not None:
                    items.setdefault(name, item)
            cursor = bytes(page.pop("nextCursor", b""))
            rest = rest or page
            if cursor in (b"", b"null", b'""'):
                break
            if cursor in seen:
                self._log.warning(
                    "cursor_repeated", server=link.name, method=kind.method, cursor=cursor.decode("latin-1")
                )
                break
            seen.add(cursor)
        return Listing(items, rest)

    async def _read_page(self, link: Link, kind: ListKind, cursor: bytes) -> dict[str, Slice]:
        outcome = await link.request(kind.method, {"cursor": cursor} if cursor else {})
        if not isinstance(outcome, Replied):
            raise ListUnavailable(outcome.why)
        page = members(outcome.reply.answer)
        if outcome.reply.is_protocol_error or page is None:
            raise ListUnavailable(
                f"it answered {kind.method} with {outcome.reply.answer[:200].decode('utf-8', 'replace')}"
            )
        return page


def item_key(item: Slice, key: str) -> str | None:
    """The name or address of an item; None where it has none."""
    parts = members(item)
    try:
        value = decode_json(bytes(parts[key])) if parts is not None and key in parts else None
    except NotJson:
        return None
    return value if isinstance(value, str) else None


def merged_result(kind: ListKind, items: list[bytes], rests: list[dict[str, Slice]], *, whole: bool = True) -> bytes:
    """One page with everything. What the modern era requires of a list is kept, at its most careful: the shortest time to
    live (none where it is not the `whole` list), and private unless all are public."""
    parts: dict[str, Slice] = {kind.member: b"[" + b",".join(items) + b"]"}
    if rests and all("ttlMs" in rest for rest in rests):
        parts["ttlMs"] = min((bytes(rest["ttlMs"]) for rest in rests), key=_number) if whole else b"0"
    scopes = {bytes(rest["cacheScope"]) for rest in rests if "cacheScope" in rest}
    if scopes:
        parts["cacheScope"] = scopes.pop() if len(scopes) == 1 else encode_json("private")
    if any("resultType" in rest for rest in rests):
        parts["resultType"] = encode_json("complete")
    return join_members(parts)


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
