"""Several servers opened side by side, as one: the client's `initialize` or `server/discover` handed to each, and one answer
made of theirs. A server that is silent, dead or missing is named in the log and costs only its own items."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from synartesis import __version__
from synartesis.domain.calls import Replied
from synartesis.domain.canonical import Json, NotJson, decode_json
from synartesis.domain.status import Era
from synartesis.errors import SynartesisError
from synartesis.guard.wording import INSTRUCTIONS
from synartesis.relay.client import METHOD_NOT_FOUND, SERVER_GONE
from synartesis.relay.eras import Opening
from synartesis.relay.log import Log
from synartesis.relay.merging import merged_discovery, merged_introduction, usable_version
from synartesis.relay.upstream import Link
from synartesis.wire.messages import Request, error_frame, members, result_frame, with_id


class Together:
    """Which of the servers can be used, and what they said that they can do."""

    def __init__(self, links: Mapping[str, Link], *, opening: Opening, opened: Callable[[], None], log: Log) -> None:
        self._links = links
        self._opening = opening
        self._record_opening = opened
        self._log = log
        self._usable: dict[str, Link] = {}
        """Those that answered the handshake; all of them in the modern era."""
        self._abilities: dict[str, dict[str, Json]] = {}
        self._initialized: bytes | None = None
        self.opened = asyncio.Event()

    @property
    def usable(self) -> Mapping[str, Link]:
        return self._usable

    def having(self, ability: str) -> list[str]:
        """The usable servers that said that they have such a thing. In the modern era nobody says it for good, so all are
        asked."""
        wanted = "resources" if ability == "resourceTemplates" else ability
        if self._opening.era is Era.PER_REQUEST:
            return list(self._usable)
        return [name for name in self._usable if wanted in self._abilities.get(name, {})]

    def open_per_request(self) -> None:
        """The client speaks the modern era, which knows no handshake."""
        self._usable = dict(self._links)
        self.opened.set()
        self._record_opening()

    async def initialize(self, request: Request) -> bytes:
        """The answer to the handshake."""
        self._opening.decide_handshake(request.params)
        self._record_opening()
        answers = dict(zip(self._links, await asyncio.gather(*map(self._open, self._links.values())), strict=True))
        self._usable = {name: self._links[name] for name, answer in answers.items() if answer is not None}
        self._abilities = {
            name: answer["capabilities"]
            for name, answer in answers.items()
            if answer is not None and isinstance(answer.get("capabilities"), dict)
        }
        self.opened.set()
        if self._initialized is not None:
            self._finish_handshake()
        said = {name: answer for name, answer in answers.items() if answer is not None}
        if not said:
            return error_frame(request.token, SERVER_GONE, "none of the servers could be opened; the log says why")
        return result_frame(request.token, merged_introduction(said, request.params, INSTRUCTIONS, __version__))

    def note_initialized(self, frame: bytes) -> None:
        """The client is ready."""
        self._initialized = frame
        if self.opened.is_set():
            self._finish_handshake()

    async def discover(self, request: Request) -> bytes:
        """Only where every server speaks the modern era; else the client has to fall back, and so do those that do."""
        asked = [link.forward(with_id(request.frame, link.peer.new_token())) for link in self._links.values()]
        outcomes = await asyncio.gather(*asked)
        found = [
            members(one.reply.answer)
            for one in outcomes
            if isinstance(one, Replied) and not one.reply.is_protocol_error
        ]
        modern = [one for one in found if one is not None]
        if len(modern) == len(self._links):
            return result_frame(request.token, merged_discovery(modern, INSTRUCTIONS, __version__))
        for link, outcome in zip(self._links.values(), outcomes, strict=True):
            if isinstance(outcome, Replied) and not outcome.reply.is_protocol_error:
                self._log.info("era_not_shared", server=link.name, why="it speaks the per-request era, others do not")
                await link.abandon()  # some servers keep to the era of the first request; it is started anew
        return error_frame(request.token, METHOD_NOT_FOUND, "Method not found: server/discover")

    async def _open(self, link: Link) -> dict[str, Json] | None:
        """The server's introduction; None where it has to be done without."""
        try:
            await link.open(finish=False)
            answer = decode_json(link.initialized or b"null")
        except SynartesisError as error:
            self._log.error("server_unavailable", server=link.name, why=error.message, hint=error.hint)
            return None
        except NotJson as error:
            answer, why = None, str(error)
        else:
            why = "its answer to initialize is not an object"
        if isinstance(answer, dict) and usable_version(answer.get("protocolVersion")):
            return answer
        if isinstance(answer, dict):
            why = f"it speaks protocol version {answer.get('protocolVersion')!r}, which does not exist"
        self._log.error("server_unavailable", server=link.name, why=why)
        link.avoid(f'server "{link.name}" cannot be used: {why}')
        await link.abandon()
        return None

    def _finish_handshake(self) -> None:
        assert self._initialized is not None
        for link in self._usable.values():
            link.post(self._initialized)
        self._opening.finish_handshake()
