"""Several servers as one: every request sent to the one that it is for, under an id of ours and the server's own names; every
message of a server to the client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from synartesis.domain.canonical import NotJson, decode_json, encode_json
from synartesis.domain.names import Tool
from synartesis.relay.calls import ToolCalls
from synartesis.relay.catalog import PROMPTS, RESOURCES, TEMPLATES, TOOLS, Catalog, ListKind
from synartesis.relay.client import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, Client, Passing
from synartesis.relay.eras import Opening
from synartesis.relay.handlers import answer_for_hidden, cancelled_key, log_noise
from synartesis.relay.log import Log
from synartesis.relay.questions import Questions
from synartesis.relay.shown import Shown
from synartesis.relay.together import Together
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


class Waiting:
    """A request of the client that several servers are asked for, or that waits until they are open."""

    def __init__(self, client: Client, request: Request, work: Coroutine[Any, Any, bytes | None], log: Log) -> None:
        assert request.key is not None
        self._client = client
        self._log = log
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
        except Exception as error:  # a fault of ours: the client must not wait for ever
            self._log.error("request_failed", error=f"{type(error).__name__}: {error}")
            frame = error_frame(self._token, INTERNAL_ERROR, "the proxy failed while it handled this request")
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
        self._log = log
        self._together = Together(links, client=client, opened=opened, log=log)
        self._shown = Shown(links, together=self._together, catalog=catalog, log=log)
        self._questions = Questions(client=client, opening=opening, opened=opened, log=log, own_name=own_name)
        self._methods: dict[str, Callable[[Request], Coroutine[Any, Any, bytes | None]]] = {
            "initialize": self._together.initialize,
            "server/discover": self._together.discover,
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
            self._together.open_per_request()
        if request.method == "ping":
            self._client.write(result_frame(request.token, b"{}"))
        elif request.method == "tools/call" and self._together.opened.is_set() and self._call(request):
            pass
        elif request.method in self._methods:
            Waiting(self._client, request, self._methods[request.method](request), self._log)
        else:
            self._client.refuse(request.token, METHOD_NOT_FOUND, f"Method not found: {request.method}")

    def notification(self, notification: Notification) -> None:
        match notification.method:
            case "notifications/cancelled":
                live = self._client.live.get(cancelled_key(notification.params) or b"")
                if live is not None:
                    live.cancel(notification.frame)
            case "notifications/initialized":
                self._together.note_initialized(notification.frame)
            case "notifications/progress":
                self._log.debug("progress_dropped")  # tokens of servers are not told apart
            case _:
                for name in self._together.usable:
                    self._links[name].post(notification.frame)

    def response(self, response: Response) -> None:
        self._questions.answer(response)

    # --- from a server

    def from_server(self, link: Link, message: Message) -> None:
        """What is no answer to a request that went through us."""
        if link.name not in self._links:
            answer_for_hidden(link, message, self._log)
            return
        match message:
            case Request():
                self._questions.ask(link, message)
            case Notification(method="notifications/cancelled"):
                self._questions.cancel(link, message)
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

    # --- calls

    def _call(self, request: Request) -> bool:
        """Pass a call on at once. False where the lists have to be read first to know whose it is."""
        try:
            name, arguments = peek_call(request)
        except Unacceptable as problem:
            self._client.refuse(request.token, INVALID_PARAMS, str(problem))
            return True
        tool = self._shown.known_tool(name)
        if tool is None:
            return False
        self._take(request, name, arguments, tool)
        return True

    async def _call_when_open(self, request: Request) -> bytes | None:
        await self._together.opened.wait()
        name, arguments = peek_call(request)
        tool = await self._shown.tool_for(name)
        self._client.live.pop(request.key or b"", None)  # it goes on as a call
        self._take(request, name, arguments, tool)
        return None

    def _take(self, request: Request, name: str, arguments: Slice, tool: Tool) -> None:
        route = self._calls.route_to(tool, self._links[tool.server])
        self._calls.take(request, name, arguments, route, renumber=True)

    # --- everything else

    async def _list(self, request: Request, kind: ListKind) -> bytes | None:
        await self._together.opened.wait()
        return result_frame(request.token, await self._shown.merged(kind))

    async def _get_prompt(self, request: Request) -> None:
        await self._together.opened.wait()
        prompt = await self._shown.prompt_for(_text(request.params, "name"))
        self._pass(request, prompt.server, {"name": encode_json(prompt.name)})

    async def _to_home(self, request: Request) -> None:
        await self._together.opened.wait()
        self._pass(request, await self._shown.home_of(_text(request.params, "uri")), {})

    async def _complete(self, request: Request) -> None:
        await self._together.opened.wait()
        about = (members(request.params) or {}).get("ref", b"{}")
        if "uri" in (members(about) or {}):
            self._pass(request, await self._shown.home_of(_text(about, "uri")), {})
            return
        prompt = await self._shown.prompt_for(_text(about, "name"))
        self._pass(request, prompt.server, {"ref": with_member(about, "name", encode_json(prompt.name))})

    async def _set_level(self, request: Request) -> bytes | None:
        await self._together.opened.wait()
        having = [self._links[name] for name in self._together.having("logging")]
        await asyncio.gather(*(link.forward(with_id(request.frame, link.peer.new_token())) for link in having))
        return result_frame(request.token, b"{}")

    def _pass(self, request: Request, server: str, changed: dict[str, Slice]) -> None:
        """Hand a request over to one server, with some params changed; its answer goes straight to the client."""
        link = self._links[server]
        token = link.peer.new_token()
        parts, params = members(request.frame) or {}, members(request.params) or {}
        parts["id"], parts["params"] = token, join_members({**params, **changed})
        waiter = Passing(self._client, request, forward=link.post, sent_as=token)
        self._client.live[waiter.key] = waiter
        link.post(join_members(parts) + b"\n", token, waiter)


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
