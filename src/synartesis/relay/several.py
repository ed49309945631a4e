"""Several servers as one: the handshake fanned out side by side, lists merged, every request sent to the one it is for.

Ids are ours on the way out and the other side's own on the way back, in both directions. A server that is silent, dead or
missing is named in the log and costs only its own items.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from synartesis import __version__
from synartesis.domain.calls import Replied, SendOutcome
from synartesis.domain.canonical import Json, NotJson, decode_json, encode_json
from synartesis.domain.names import Tool
from synartesis.domain.status import Era
from synartesis.errors import SynartesisError
from synartesis.guard.wording import INSTRUCTIONS
from synartesis.relay.calls import ToolCalls
from synartesis.relay.catalog import (
    PROMPTS,
    RESOURCES,
    TEMPLATES,
    TOOLS,
    Catalog,
    ListKind,
    ListUnavailable,
    merged_result,
)
from synartesis.relay.client import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    SERVER_GONE,
    Client,
    Passing,
)
from synartesis.relay.eras import Opening
from synartesis.relay.handlers import answer_for_hidden, cancelled_key, log_noise
from synartesis.relay.log import Log
from synartesis.relay.merging import merged_discovery, merged_introduction, usable_version
from synartesis.relay.routing import Clash, Names
from synartesis.relay.unambiguous import Unacceptable, peek_call
from synartesis.relay.upstream import Link
from synartesis.wire.messages import (
    Batch,
    Message,
    Noise,
    Notification,
    Request,
    Response,
    Slice,
    error_frame,
    join_members,
    members,
    result_frame,
    with_id,
    with_member,
)
from synartesis.wire.peer import Peer


class Waiting:
    """A request of the client that several servers are asked for, or that waits until they are open."""

    def __init__(self, client: Client, request: Request, work: Coroutine[Any, Any, bytes | None]) -> None:
        assert request.key is not None
        self._client = client
        self._key = request.key
        self._token = request.token
        client.live[self._key] = self
        self._task = asyncio.create_task(self._run(work))

    @property
    def counts(self) -> bool:
        return True

    def cancel(self, notification: bytes) -> None:  # noqa: ARG002 - nobody else was told of the request
        self._task.cancel()

    async def _run(self, work: Coroutine[Any, Any, bytes | None]) -> None:
        frame: bytes | None = None
        try:
            frame = await work
        except Unacceptable as problem:
            frame = error_frame(self._token, INVALID_PARAMS, str(problem))
        finally:
            if self._client.live.get(self._key) is self:
                self._client.finish(self._key, frame)
            elif self._client.leaving:
                self._client.check_idle()


class SeveralServers:
    """The front for several exposed servers."""

    def __init__(
        self,
        links: Mapping[str, Link],
        *,
        client: Client,
        opening: Opening,
        calls: ToolCalls,
        catalog: Catalog,
        opened: Callable[[], None],
        log: Log,
        own_name: str,
    ) -> None:
        self._links = links
        self._client = client
        self._opening = opening
        self._calls = calls
        self._catalog = catalog
        self._record_opening = opened
        self._log = log
        self._usable: dict[str, Link] = {}
        """Those that answered the handshake; all of them in the modern era."""
        self._abilities: dict[str, dict[str, Json]] = {}
        self._opened = asyncio.Event()
        self._names: dict[ListKind, Names] = {kind: Names(links) for kind in (TOOLS, PROMPTS)}
        self._homes: dict[str, str] = {}
        """Which server a resource is from, by its address."""
        self._asked: Peer[tuple[Link, bytes, bytes | None]] = Peer(own_name)
        """Questions of servers to the client: whose, under which id of its own, and its key."""
        self._roots_asked: set[bytes] = set()
        self._initialized: bytes | None = None
        self._methods: dict[str, Callable[[Request], Coroutine[Any, Any, bytes | None]]] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "tools/list": lambda request: self._list(request, TOOLS),
            "prompts/list": lambda request: self._list(request, PROMPTS),
            "resources/list": lambda request: self._list(request, RESOURCES),
            "resources/templates/list": lambda request: self._list(request, TEMPLATES),
            "tools/call": self._call_when_open,
            "prompts/get": self._get_prompt,
            "resources/read": self._to_home,
            "resources/subscribe": self._to_home,
            "resources/unsubscribe": self._to_home,
            "completion/complete": self._complete,
            "logging/setLevel": self._set_level,
        }

    # --- from the client

    def request(self, request: Request) -> None:
        if self._opening.era is None and self._opening.note_request(request.method, request.params):
            self._usable = dict(self._links)
            self._opened.set()
            self._record_opening()
        if request.method == "ping":
            self._client.write(result_frame(request.token, b"{}"))
        elif request.method == "tools/call" and self._opened.is_set() and self._call(request):
            pass
        elif request.method in self._methods:
            Waiting(self._client, request, self._methods[request.method](request))
        else:
            self._client.refuse(request.token, METHOD_NOT_FOUND, f"Method not found: {request.method}")

    def notification(self, notification: Notification) -> None:
        match notification.method:
            case "notifications/cancelled":
                live = self._client.live.get(cancelled_key(notification.params) or b"")
                if live is not None:
                    live.cancel(notification.frame)
            case "notifications/initialized":
                self._initialized = notification.frame
                if self._opened.is_set():
                    self._finish_handshake()
            case "notifications/progress":
                self._log.debug("progress_dropped")  # tokens of servers are not told apart
            case _:
                for link in self._usable.values():
                    link.post(notification.frame)

    def response(self, response: Response) -> None:
        asked = self._asked.settle(response.key) if response.key is not None else None
        if asked is None:
            self._log.warning("stray_answer", id=response.token.decode("latin-1"), why="no server asked")
            return
        link, token, key = asked
        if key is not None and response.key in self._roots_asked:
            self._roots_asked.discard(response.key or b"")
            if not response.is_error:
                self._opening.note_roots(response.answer)
                self._record_opening()
        link.post(with_id(response.frame, token))

    # --- from a server

    def from_server(self, link: Link, message: Message) -> None:
        """What is no answer to a request that went through us."""
        if link.name not in self._links:
            answer_for_hidden(link, message, self._log)
            return
        match message:
            case Request():
                self._ask_client(link, message)
            case Notification(method="notifications/cancelled"):
                self._cancel_question(link, message)
            case Notification(method=method):
                self._catalog.note(link.name, method)
                self._client.write(message.frame)
            case Response():
                self._log.warning("stray_answer", server=link.name, id="null", why="it says not what it answers")
            case Batch(items=items):
                for item in items:
                    link.take(item)
            case Noise():
                log_noise(link, message, self._log)

    def _ask_client(self, link: Link, request: Request) -> None:
        if request.method == "ping":
            link.post(result_frame(request.token, b"{}"))
        elif self._client.leaving:
            link.post(error_frame(request.token, SERVER_GONE, "the client has gone"))
        else:
            token = self._asked.new_token()
            self._asked.expect(token, (link, request.token, request.key))
            if request.method == "roots/list":
                self._roots_asked.add(token)
            self._client.write(with_id(request.frame, token))

    def _cancel_question(self, link: Link, notification: Notification) -> None:
        key = cancelled_key(notification.params)
        for token, (asker, _, its_key) in self._asked.items():
            if asker is link and its_key == key:
                params = with_member(notification.params, "requestId", token)
                self._client.write(with_member(notification.frame, "params", params) + b"\n")
                return

    # --- opening

    async def _initialize(self, request: Request) -> bytes | None:
        self._opening.decide_handshake(request.params)
        self._record_opening()
        answers = dict(zip(self._links, await asyncio.gather(*map(self._open, self._links.values())), strict=True))
        self._usable = {name: self._links[name] for name, answer in answers.items() if answer is not None}
        self._abilities = {
            name: answer["capabilities"]
            for name, answer in answers.items()
            if answer is not None and isinstance(answer.get("capabilities"), dict)
        }
        self._opened.set()
        if self._initialized is not None:
            self._finish_handshake()
        said = {name: answer for name, answer in answers.items() if answer is not None}
        if not said:
            return error_frame(request.token, SERVER_GONE, "none of the servers could be opened; the log says why")
        return result_frame(request.token, merged_introduction(said, request.params, INSTRUCTIONS, __version__))

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

    async def _discover(self, request: Request) -> bytes | None:
        """Only where every server speaks the modern era; else the client has to fall back, and so do those that do."""
        outcomes = await asyncio.gather(*(self._pass_to(link, request) for link in self._links.values()))
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

    # --- calls

    def _call(self, request: Request) -> bool:
        """Pass a call on at once. False where the lists have to be read first to know whose it is."""
        try:
            name, arguments = peek_call(request)
        except Unacceptable as problem:
            self._client.refuse(request.token, INVALID_PARAMS, str(problem))
            return True
        tool = self._names[TOOLS].tool_for(name)
        if tool is None:
            return False
        link = self._links[tool.server]
        self._calls.take(request, name, arguments, self._calls.route_to(tool, link), renumber=True)
        return True

    async def _call_when_open(self, request: Request) -> bytes | None:
        await self._opened.wait()
        name, arguments = peek_call(request)
        if self._names[TOOLS].tool_for(name) is None:
            await self._learn(TOOLS)
        tool = self._names[TOOLS].tool_for(name)
        if tool is None:
            raise Unacceptable(f"Unknown tool: {name}")
        self._client.live.pop(request.key or b"", None)  # it goes on as a call
        self._calls.take(request, name, arguments, self._calls.route_to(tool, self._links[tool.server]), renumber=True)
        return None

    # --- lists

    async def _list(self, request: Request, kind: ListKind) -> bytes | None:
        await self._opened.wait()
        listings = await self._learn(kind)
        items = [item for shown in listings.values() for item in shown]
        rests = [(await self._catalog.listing(name, kind)).rest for name in listings]
        return result_frame(request.token, merged_result(kind, items, rests))

    async def _learn(self, kind: ListKind) -> dict[str, list[bytes]]:
        """Everybody's items as the client sees them, in the order of the manifest."""
        servers = [name for name in self._usable if self._has(name, kind.member)]
        found = await asyncio.gather(*(self._catalog.listing(name, kind) for name in servers), return_exceptions=True)
        shown: dict[str, list[bytes]] = {}
        for name, listing in zip(servers, found, strict=True):
            if isinstance(listing, ListUnavailable):
                self._log.warning("list_unavailable", server=name, method=kind.method, why=str(listing))
            elif isinstance(listing, BaseException):
                raise listing
            else:
                shown[name] = [one for key, item in listing.items.items() for one in self._shown(name, kind, key, item)]
        return shown

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

    def _has(self, server: str, ability: str) -> bool:
        """Whether a server said that it has such a thing. In the modern era nobody says it for good, so all are asked."""
        known = self._abilities.get(server)
        wanted = "resources" if ability == "resourceTemplates" else ability
        return self._opening.era is Era.PER_REQUEST or (known is not None and wanted in known)

    # --- requests for one server

    async def _get_prompt(self, request: Request) -> bytes | None:
        await self._opened.wait()
        prompt = await self._prompt_for(_text(request.params, "name"))
        return await self._pass(request, self._links[prompt.server], {"name": encode_json(prompt.name)})

    async def _prompt_for(self, name: str) -> Tool:
        names = self._names[PROMPTS]
        if names.tool_for(name) is None:
            await self._learn(PROMPTS)
        prompt = names.tool_for(name)
        if prompt is None:
            raise Unacceptable(f"Unknown prompt: {name}")
        return prompt

    async def _to_home(self, request: Request) -> bytes | None:
        await self._opened.wait()
        return await self._pass(request, await self._home_of(_text(request.params, "uri")), {})

    async def _home_of(self, address: str) -> Link:
        """The server of a resource: the one that lists it; else the one whose template has its scheme, or the only one."""
        if address not in self._homes:
            await self._learn(RESOURCES)
            await self._learn(TEMPLATES)
        server = self._homes.get(address)
        if server is None:
            scheme = address.partition(":")[0] + ":"
            having = [name for name in self._usable if self._has(name, "resources")]
            alike = [home for known, home in self._homes.items() if known.startswith(scheme) and home in having]
            if not having:
                raise Unacceptable(f"Unknown resource: {address}")
            server = (alike or having)[0]
        return self._links[server]

    async def _complete(self, request: Request) -> bytes | None:
        await self._opened.wait()
        about = (members(request.params) or {}).get("ref", b"{}")
        if "uri" in (members(about) or {}):
            return await self._pass(request, await self._home_of(_text(about, "uri")), {})
        prompt = await self._prompt_for(_text(about, "name"))
        renamed = with_member(about, "name", encode_json(prompt.name))
        return await self._pass(request, self._links[prompt.server], {"ref": renamed})

    async def _set_level(self, request: Request) -> bytes | None:
        await self._opened.wait()
        having = [self._links[name] for name in self._usable if self._has(name, "logging")]
        await asyncio.gather(*(self._pass_to(link, request) for link in having))
        return result_frame(request.token, b"{}")

    async def _pass(self, request: Request, link: Link, changed: dict[str, Slice]) -> bytes | None:
        """Hand a request over to one server, with some params changed; its answer goes straight to the client."""
        token = link.peer.new_token()
        parts, params = members(request.frame) or {}, members(request.params) or {}
        parts["id"], parts["params"] = token, join_members({**params, **changed})
        waiter = Passing(self._client, request, forward=link.post, sent_as=token)
        self._client.live[waiter.key] = waiter
        link.post(join_members(parts) + b"\n", token, waiter)
        return None

    async def _pass_to(self, link: Link, request: Request) -> SendOutcome:
        """Ask one of several for the same thing."""
        return await link.forward(with_id(request.frame, link.peer.new_token()))


def _text(params: Slice, name: str) -> str:
    """A text among the params. Raises Unacceptable."""
    parts = members(params) if memoryview(params).nbytes else None
    try:
        value = decode_json(bytes(parts[name])) if parts is not None and name in parts else None
    except NotJson:
        value = None
    if not isinstance(value, str):
        raise Unacceptable(f"params.{name} has to be a string")
    return value
