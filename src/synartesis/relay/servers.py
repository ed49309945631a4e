"""All servers of a manifest, as guard and undo see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from synartesis.domain.calls import NotSent, ReplyLost, ResolvedCall, SendOutcome
from synartesis.domain.canonical import encode_json
from synartesis.relay.upstream import Link


class Servers:
    """Implements ports.Upstream."""

    def __init__(self, links: Mapping[str, Link]) -> None:
        self.links = links

    async def call(self, call: ResolvedCall) -> SendOutcome:
        link = self.links.get(call.tool.server)
        if link is None:
            return NotSent(f'there is no server "{call.tool.server}" in the manifest')
        if call.frame:
            return await link.forward(call.frame)
        parts = {"name": encode_json(call.tool.name), "arguments": encode_json(call.arguments)}
        return await link.request("tools/call", parts, patience_s=call.patience_s)


class GuardedServers(Servers):
    """The same for the calls of a client: `on_leaving` is told which of its own lines is about to leave, `on_unknown` when
    what became of one is not known."""

    def __init__(
        self, links: Mapping[str, Link], *, on_leaving: Callable[[bytes], None], on_unknown: Callable[[], None]
    ) -> None:
        super().__init__(links)
        self._on_leaving = on_leaving
        self._on_unknown = on_unknown

    async def call(self, call: ResolvedCall) -> SendOutcome:
        if not call.frame:
            return await super().call(call)
        self._on_leaving(call.frame)
        outcome = await super().call(call)
        if isinstance(outcome, ReplyLost):
            self._on_unknown()
        return outcome
