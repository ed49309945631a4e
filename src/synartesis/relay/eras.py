"""How the client opened the connection, and how our own calls speak in the same era.

The client's first message decides; a `server/discover` alone is a probe and decides nothing. Servers of both eras choose by
how they are spoken to first, so nothing of ours may go out before.
"""

from __future__ import annotations

import asyncio
from typing import Final

from synartesis.domain.canonical import Json, NotJson, decode_json, encode_json
from synartesis.domain.status import Era
from synartesis.wire.messages import Slice, join_members, members

MODERN_KEY: Final = "io.modelcontextprotocol/protocolVersion"
_MODERN_PREFIX: Final = "io.modelcontextprotocol/"
_NOT_OURS: Final = frozenset({"io.modelcontextprotocol/logLevel"})
"""What asks for messages that nobody would read."""

OPENING_TIMEOUT_S: Final = 10.0
"""How long our own calls wait for a client to finish its handshake."""

DEFAULT_META: Final = (
    b'{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},'
    b'"io.modelcontextprotocol/clientInfo":{"name":"synartesis","version":"0.1.0"}}'
)
DEFAULT_PARAMS: Final = (
    b'{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"synartesis","version":"0.1.0"}}'
)


class Opening:
    """What the client said of itself. `era` is None until it has decided."""

    def __init__(self) -> None:
        self.era: Era | None = None
        self.params: bytes = b""
        """The params of `initialize`, as they came."""
        self.meta: dict[str, Slice] = {}
        """The `_meta` keys by which every modern request says what the client is."""
        self.roots: bytes | None = None
        """The result of the last `roots/list` that passed by."""
        self._ready = asyncio.Event()

    def decide_handshake(self, params: Slice) -> None:
        self.era = Era.HANDSHAKE
        self.params = bytes(params) or b"{}"

    def finish_handshake(self) -> None:
        if self.era is Era.HANDSHAKE:
            self._ready.set()

    def note_request(self, method: str, params: Slice) -> bool:
        """Look at a request that is no `initialize`. True where it decides the era."""
        if self.era is Era.HANDSHAKE or method == "server/discover":
            return False
        meta = modern_meta(params)
        if meta is None:
            return False
        self.meta = {name: value for name, value in meta.items() if name not in _NOT_OURS}
        first = self.era is None
        self.era = Era.PER_REQUEST
        self._ready.set()
        return first

    def note_roots(self, result: Slice) -> None:
        self.roots = bytes(result)

    async def ready(self) -> bool:
        """Wait, bounded, until our own calls may go out. False: the client never got that far."""
        if not self._ready.is_set():
            try:
                async with asyncio.timeout(OPENING_TIMEOUT_S):
                    await self._ready.wait()
            except TimeoutError:
                return False
        return True

    def own_params(self, parts: dict[str, Slice]) -> bytes:
        """The params of a request of our own, in the client's era."""
        if self.era is Era.PER_REQUEST:
            parts = {**parts, "_meta": join_members(self.meta)}
        return join_members(parts)

    def declared(self, ability: str) -> Json:
        """What the client declared of itself under such a name; None where it did not."""
        said = members(self.to_json()) or {}
        try:
            abilities = decode_json(said.get("capabilities", b"null"))
        except NotJson:
            return None
        return abilities.get(ability) if isinstance(abilities, dict) else None

    # --- as the journal keeps it

    def to_json(self) -> bytes:
        """`protocolVersion`, `capabilities`, `clientInfo`, `roots`; `_meta` as it came in the modern era."""
        if self.era is Era.PER_REQUEST:
            found: dict[str, Slice] = {
                name: self.meta[_MODERN_PREFIX + key]
                for name, key in (
                    ("protocolVersion", "protocolVersion"),
                    ("capabilities", "clientCapabilities"),
                    ("clientInfo", "clientInfo"),
                )
                if _MODERN_PREFIX + key in self.meta
            }
            found["_meta"] = join_members(self.meta)
        else:
            found = members(self.params or b"{}") or {}
        if self.roots is not None:
            found["roots"] = self.roots
        return join_members(found)

    @classmethod
    def from_json(cls, era: Era | None, recorded: bytes) -> Opening:
        """An opening that was recorded, ready to be used again; the default one where none was."""
        opening = cls()
        found = members(recorded) if recorded else None
        if era is Era.PER_REQUEST:
            opening.era = Era.PER_REQUEST
            opening.meta = members((found or {}).get("_meta", DEFAULT_META)) or {}
        else:
            opening.era = Era.HANDSHAKE
            kept = {name: value for name, value in (found or {}).items() if name not in ("roots", "_meta")}
            opening.params = join_members(kept) if "protocolVersion" in kept else DEFAULT_PARAMS
        if found is not None and "roots" in found:
            opening.roots = bytes(found["roots"])
        opening._ready.set()
        return opening

    def agent(self) -> str:
        """The client's own name and version; text from outside."""
        source = self.meta.get(_MODERN_PREFIX + "clientInfo") if self.era is Era.PER_REQUEST else None
        if source is None:
            source = (members(self.params or b"{}") or {}).get("clientInfo", b"{}")
        try:
            info = decode_json(bytes(source))
        except NotJson:
            return ""
        if not isinstance(info, dict):
            return ""
        return " ".join(str(info[key]) for key in ("name", "version") if isinstance(info.get(key), str))[:200]


def modern_meta(params: Slice) -> dict[str, Slice] | None:
    """The `_meta` keys of the protocol itself, where the request says its revision."""
    parts = members(params) if memoryview(params).nbytes else None
    meta = members(parts["_meta"]) if parts is not None and "_meta" in parts else None
    if meta is None or MODERN_KEY not in meta:
        return None
    return {name: bytes(value) for name, value in meta.items() if name.startswith(_MODERN_PREFIX)}


def quoted(text: str) -> bytes:
    return encode_json(text)
