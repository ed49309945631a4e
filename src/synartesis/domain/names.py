"""Names of servers and tools as a manifest writes them: `server.tool`."""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple


class Tool(NamedTuple):
    """One tool of one server, under the server's own name for it. A server's name has no dot; a tool's may."""

    server: str
    name: str

    def __str__(self) -> str:
        return f"{self.server}.{self.name}"

    @classmethod
    def parse(cls, text: str) -> Tool:
        """`crm.update` -> Tool. Raises ValueError where there is no dot or a side is empty."""
        server, dot, name = text.partition(".")
        if not (server and dot and name):
            raise ValueError(f"{text!r} is not of the form server.tool")
        return cls(server, name)


def server_identity(
    *, command: str, args: tuple[str, ...], cwd: str, url: str, env: tuple[tuple[str, str], ...]
) -> str:
    """What makes a server this one and no other: the digest of how it is reached, environment unexpanded so that no secret
    goes in. `crm` in one manifest is never taken for `crm` in another."""
    parts = json.dumps([command, list(args), cwd, url, sorted(env)], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(parts.encode("ascii")).hexdigest()
