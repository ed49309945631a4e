"""Names on the client's side and the tools behind them.

One exposed server keeps its own names untouched. Several get `server__tool`, at most 64 characters of [A-Za-z0-9_-],
because some model APIs refuse a whole request for one bad name. What does not fit ends in a digest of the whole name, so
it is the same after a restart and no two differ only in a part that was cut.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final

from synartesis.domain.names import Tool

MAX_NAME: Final = 64
_DIGEST: Final = 8
_FITS = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ODD = re.compile(r"[^A-Za-z0-9_-]")


def exposed_name(tool: Tool) -> str:
    """The name of a tool where there are several servers."""
    whole = f"{tool.server}__{tool.name}"
    if _FITS.fullmatch(whole):
        return whole
    digest = hashlib.sha256(f"{tool.server}\0{tool.name}".encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{_ODD.sub('_', whole)[: MAX_NAME - _DIGEST - 1]}_{digest}"


class Clash(Exception):
    """Two things would be shown under one name."""

    def __init__(self, name: str, first: Tool, second: Tool) -> None:
        super().__init__(f"{first} and {second} would both be shown as {name}")


class Names:
    """From shown names back to tools (or prompts). Learned from the servers' lists; plain ones are understood without."""

    def __init__(self, servers: Iterable[str]) -> None:
        self._servers = frozenset(servers)
        self._known: dict[str, Tool] = {}

    def learn(self, tool: Tool) -> str:
        """The name under which it is shown. Raises Clash: one of them would be shadowed in silence."""
        name = exposed_name(tool)
        known = self._known.setdefault(name, tool)
        if known != tool:
            raise Clash(name, known, tool)
        return name

    def tool_for(self, name: str) -> Tool | None:
        """None: no server has it, as far as can be told from the name."""
        if name in self._known:
            return self._known[name]
        server, separator, rest = name.partition("__")
        if not separator or server not in self._servers:
            return None
        tool = Tool(server, rest)
        return tool if rest and exposed_name(tool) == name else None
