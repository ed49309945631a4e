"""Several servers opened side by side, as one: the client's `initialize` or `server/discover` handed to each, and one answer
made of theirs. A server that is silent, dead or missing is named in the log and costs only its own items; one that is late
joins when it answers.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from synartesis import __version__
from synartesis.domain.calls import Replied, SendOutcome
from synartesis.domain.canonical import Json, NotJson, decode_json
from synartesis.domain.status import Era
from synartesis.errors import ServerUnavailable, SynartesisError
from synartesis.guard.wording import INSTRUCTIONS
from synartesis.relay.client import METHOD_NOT_FOUND, SERVER_GONE, Client
from synartesis.relay.log import Log
from synartesis.relay.merging import growing, introduction, merged_abilities, merged_discovery, usable_version
from synartesis.relay.upstream import Link
from synartesis.wire.messages import Request, Slice, error_frame, members, notification_frame, result_frame, with_id

LATE_AFTER_S: Final = 3.0
"""How long everybody waits for one of them. Clients give up on a proxy that waits for the slowest."""

PATIENCE_S: Final = 60.0
"""How long one that is late may take: nobody waits for it any more, and it may have to be downloaded first."""


class Together:
    """Which of the servers can be used, and what they said that they can do."""

    def __init__(
        self,
        links: Mapping[str, Link],
        *,
        client: Client,
        opened: Callable[[], None],
        log: Log,
    ) -> None:
        self._links = links
        self._client = client
        self._opening = client.opening
        self._record_opening = opened
        self._log = log
        self._probes: dict[str, asyncio.Task[SendOutcome]] = {}
        """What became of the client's `server/discover`."""
        self._abilities: dict[str, dict[str, Json]] = {}
        """Of those that answered the handshake."""
        self._told: dict[str, Json] = {}
        """What the client was told that we can do."""
        self._late: set[asyncio.Task[None]] = set()
        self._initialized: bytes | None = None
        self.opened = asyncio.Event()

    @property
    def usable(self) -> list[str]:
        """Those that answered the handshake, in the order of the manifest; all of them in the modern era."""
        everybody = self._opening.era is Era.PER_REQUEST
        return [name for name in self._links if everybody or name in self._abilities]

    def having(self, member: str) -> list[str]:
        """The usable servers that said that they have such a thing. In the modern era nobody says it for good, so all are
        asked."""
        everybody = self._opening.era is Era.PER_REQUEST
        return [name for name in self.usable if everybody or _ability(member) in self._abilities[name]]

    def tell_changed(self, member: str) -> None:
        """A list is longer than the client was told. It hears of it where it listens; else it finds out when it asks next."""
        told = self._told.get(_ability(member))
        if isinstance(told, dict) and told.get("listChanged") is True and self._initialized is not None:
            self._client.write(notification_frame(f"notifications/{_ability(member)}/list_changed"))

    async def in_time(self, tasks: Iterable[asyncio.Task[Any]], *, enough: Callable[[], bool] = lambda: True) -> None:
        """Wait until all are done, or until it is late and there is `enough`."""
        pending = set(tasks)
        if pending:
            _, pending = await asyncio.wait(pending, timeout=LATE_AFTER_S)
        while pending and not enough():
            _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)

    # --- the handshake

    async def initialize(self, request: Request) -> bytes:
        """The answer to the handshake, from those that gave theirs in time."""
        self._opening.decide_handshake(request.params)
        self._record_opening()
        said: dict[str, dict[str, Json]] = {}
        tasks = {name: asyncio.create_task(self._introduce(link, said)) for name, link in self._links.items()}
        await self.in_time(tasks.values(), enough=lambda: bool(said))
        late = [name for name, task in tasks.items() if not task.done()]
        for name in late:
            self._go_on_without(self._links[name], tasks[name])
        self.opened.set()
        if not said:
            return error_frame(request.token, SERVER_GONE, "none of the servers could be opened; the log says why")
        in_order = {name: said[name] for name in self._links if name in said}
        abilities = merged_abilities(answer.get("capabilities") for answer in in_order.values())
        self._told = growing(abilities) if late else abilities
        if self._initialized is not None:
            self._finish_handshake()
        return result_frame(
            request.token, introduction(in_order, self._told, request.params, INSTRUCTIONS, __version__)
        )

    def note_initialized(self, frame: bytes) -> None:
        """The client is ready."""
        self._initialized = frame
        if self.opened.is_set():
            self._finish_handshake()

    def _finish_handshake(self) -> None:
        assert self._initialized is not None
        for name in self.usable:
            self._links[name].post(self._initialized)
        self._opening.finish_handshake()

    async def _introduce(self, link: Link, said: dict[str, dict[str, Json]]) -> None:
        """Open a server, and add what it says of itself. One that cannot be used is named in the log."""
        try:
            answer = await self._open(link)
        except SynartesisError as error:
            if not self._client.leaving:
                self._log.error("server_unavailable", server=link.name, why=error.message, hint=error.hint)
            return
        said[link.name] = answer
        abilities = answer.get("capabilities")
        self._abilities[link.name] = abilities if isinstance(abilities, dict) else {}
        if self.opened.is_set():
            self._join(link)

    async def _open(self, link: Link) -> dict[str, Json]:
        """Raises ServerUnavailable."""
        probe = self._probes.pop(link.name, None)
        if probe is not None and _speaks_modern(probe):
            await link.abandon()  # some servers keep to the era of the first request; it is started anew
        try:
            await link.open(finish=False, patience_s=PATIENCE_S)
        except ServerUnavailable:
            if probe is None or not _speaks_modern(probe):
                raise
            await link.open(finish=False, patience_s=PATIENCE_S)  # it answered the probe only now
        why = "its answer to initialize is not an object"
        try:
            answer = decode_json(link.initialized or b"null")
        except NotJson as error:
            answer, why = None, str(error)
        if isinstance(answer, dict):
            if usable_version(answer.get("protocolVersion")):
                return answer
            why = f"it speaks protocol version {answer.get('protocolVersion')!r}, which does not exist"
        link.avoid(f'server "{link.name}" cannot be used: {why}')
        await link.abandon()
        raise ServerUnavailable(why)

    # --- who is late

    def _go_on_without(self, link: Link, task: asyncio.Task[None]) -> None:
        why = f'server "{link.name}" has not answered initialize yet'
        self._log.warning("server_unavailable", server=link.name, why=why, hint="it joins as soon as it answers")
        link.avoid(f"{why}; try again in a moment", for_s=math.inf)
        self._late.add(task)
        task.add_done_callback(self._late.discard)

    def _join(self, link: Link) -> None:
        if self._initialized is not None:
            link.post(self._initialized)
        self._log.info("server_joined", server=link.name)
        for member in self._abilities[link.name]:
            self.tell_changed(member)

    # --- the modern era

    def open_per_request(self) -> None:
        """The client speaks the modern era, which knows no handshake."""
        self.opened.set()
        self._record_opening()

    async def discover(self, request: Request) -> bytes:
        """Only where every server that is there speaks the modern era; else the client has to fall back to the handshake."""
        self._probes = {
            name: asyncio.create_task(link.forward(with_id(request.frame, link.peer.new_token())))
            for name, link in self._links.items()
        }
        await self.in_time(self._probes.values())
        there = {name: probe for name, probe in self._probes.items() if not probe.done() or _answered(probe)}
        modern = {name: probe for name, probe in there.items() if _speaks_modern(probe)}
        found = [result for result in map(_discovered, modern.values()) if result is not None]
        if found and len(found) == len(there):
            return result_frame(request.token, merged_discovery(found, INSTRUCTIONS, __version__))
        for name in modern:
            self._log.info("era_not_shared", server=name, why="it speaks the per-request era, others do not")
        return error_frame(request.token, METHOD_NOT_FOUND, "Method not found: server/discover")


def _ability(member: str) -> str:
    """What a server announces that has such a list."""
    return "resources" if member == "resourceTemplates" else member


def _answered(probe: asyncio.Task[SendOutcome]) -> bool:
    return probe.done() and isinstance(probe.result(), Replied)


def _speaks_modern(probe: asyncio.Task[SendOutcome]) -> bool:
    outcome = probe.result() if probe.done() else None
    return isinstance(outcome, Replied) and not outcome.reply.is_protocol_error


def _discovered(probe: asyncio.Task[SendOutcome]) -> dict[str, Slice] | None:
    outcome = probe.result()
    return members(outcome.reply.answer) if isinstance(outcome, Replied) else None
