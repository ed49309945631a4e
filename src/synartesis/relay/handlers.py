"""What becomes of each message where one server is exposed: everything but `tools/call` passes byte for byte, both ways,
under its own id. Our instructions are spliced into the answer that opens the connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from synartesis.domain.canonical import NotJson, decode_json, encode_json
from synartesis.guard.wording import INSTRUCTIONS
from synartesis.relay.calls import Route, ToolCalls
from synartesis.relay.catalog import Catalog
from synartesis.relay.client import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, SERVER_GONE, Client, Passing
from synartesis.relay.eras import Opening
from synartesis.relay.log import Log
from synartesis.relay.tasks import ASKED, TOLD, AskingOfTask
from synartesis.relay.unambiguous import Unacceptable, peek_call, refuse_other_method
from synartesis.relay.upstream import Link
from synartesis.wire.lines import Line, LineTooLong
from synartesis.wire.messages import (
    Batch,
    Message,
    Noise,
    Notification,
    Request,
    Response,
    Slice,
    error_frame,
    id_key,
    members,
    outer_id,
    read_message,
    with_member,
)

CALL: Final = "tools/call"
"""The one method that is judged."""

MAX_ROUTES: Final = 10_000
"""Names come from the client, so what is remembered about them has a limit."""


class Front(Protocol):
    """What faces the client: one server, or several as one."""

    def request(self, request: Request) -> None: ...
    def notification(self, notification: Notification) -> None: ...
    def response(self, response: Response) -> None: ...
    def from_server(self, link: Link, message: Message) -> None: ...


def take_line(line: Line, front: Front, client: Client, log: Log) -> None:
    """One line of the client: dispatched, or answered with what is wrong with it. Never passed on unread."""
    if isinstance(line, LineTooLong):
        why = f"the message is too long to be carried ({line.size} bytes)"
        client.refuse(outer_id(line.head, line.tail) or b"null", INVALID_REQUEST, why)
        return
    message = read_message(line, strictly=True)
    if type(message) is Request and message.key is not None and message.key not in client.live:
        if message.method == CALL or _is_plain(message, client):
            front.request(message)  # by far the commonest
        return
    match message:
        case Request(key=None):
            client.refuse(message.token, INVALID_REQUEST, "a request id has to be a string or an integer")
        case Request():
            client.refuse(message.token, INVALID_REQUEST, "a request with this id is still under way")
        case Notification(method="tools/call"):
            # Some servers would run it all the same, unjudged and unrecorded; and a notification may not be answered.
            log.warning("call_without_id", line=line[:200].decode("utf-8", "replace"))
        case Notification():
            if _is_plain(message, client):
                front.notification(message)
        case Response():
            if _is_plain(message, client) and not client.took(message):
                front.response(message)
        case Batch():
            client.refuse(b"null", INVALID_REQUEST, "batches are not taken; send each message on a line of its own")
        case Noise() if not line.strip():
            pass
        case Noise(why=why, is_json=is_json, token=token):
            log.warning("client_line_refused", why=why, line=line[:200].decode("utf-8", "replace"))
            client.refuse(token, INVALID_REQUEST if is_json else PARSE_ERROR, why)


def _is_plain(message: Request | Notification | Response, client: Client) -> bool:
    """Whether it is to every reader what it is to us. Refused where it is not."""
    try:
        refuse_other_method(message.frame)
    except Unacceptable as problem:
        token = b"null" if isinstance(message, Notification) else message.token
        client.refuse(token, INVALID_REQUEST, str(problem))
        return False
    return True


class OneServer:
    """The front for one exposed server."""

    def __init__(
        self,
        link: Link,
        *,
        client: Client,
        opening: Opening,
        calls: ToolCalls,
        route: Callable[[str], Route],
        catalog: Catalog,
        opened: Callable[[], None],
        log: Log,
    ) -> None:
        self._link = link
        self._client = client
        self._opening = opening
        self._calls = calls
        self._route = route
        self._routes: dict[str, Route] = {}
        self._catalog = catalog
        self._opened = opened
        self._log = log
        self._roots_asked: set[bytes] = set()
        self._methods: dict[str, Callable[[Request], None]] = {
            CALL: self._call,
            "initialize": self._initialize,
            "server/discover": self._discover,
            **dict.fromkeys(ASKED, self._ask_of_task),
        }

    # --- from the client

    def request(self, request: Request) -> None:
        if self._opening.era is None and self._opening.note_request(request.method, request.params):
            self._opened()
        self._methods.get(request.method, self._pass_on)(request)

    def notification(self, notification: Notification) -> None:
        if notification.method == "notifications/cancelled":
            self._cancel(notification)
            return
        self._link.post(notification.frame)
        if notification.method == "notifications/initialized":
            self._opening.finish_handshake()

    def response(self, response: Response) -> None:
        if response.key in self._roots_asked:
            self._roots_asked.discard(response.key)
            if not response.is_error:
                self._opening.note_roots(response.answer)
                self._opened()
        self._link.answer(response.frame)

    def _pass_on(self, request: Request) -> None:
        self._send(request, Passing(self._client, request, forward=self._link.post))

    def _ask_of_task(self, request: Request) -> None:
        if self._calls.tasks.knows(self._link, request.params):
            self._send(request, AskingOfTask(self._client, request, self._link, self._calls.tasks))
        else:
            self._pass_on(request)

    def _send(self, request: Request, waiter: Passing, *, opens: bool = False) -> None:
        self._client.live[waiter.key] = waiter
        self._link.post(request.frame, waiter.key, waiter, opens=opens)

    def _initialize(self, request: Request) -> None:
        self._opening.decide_handshake(request.params)
        self._send(request, Introducing(self._client, request, forward=self._link.post), opens=True)
        self._opened()

    def _discover(self, request: Request) -> None:
        self._send(request, Introducing(self._client, request, forward=self._link.post), opens=True)

    def _call(self, request: Request) -> None:
        try:
            name, arguments = peek_call(request)
        except Unacceptable as problem:
            self._client.refuse(request.token, INVALID_PARAMS, str(problem))
            return
        route = self._routes.get(name)
        if route is None:
            if len(self._routes) >= MAX_ROUTES:
                self._routes.clear()
            route = self._routes[name] = self._route(name)
        self._calls.take(request, name, arguments, route)

    def _cancel(self, notification: Notification) -> None:
        live = self._client.live.get(cancelled_key(notification.params) or b"")
        if live is not None:
            live.cancel(notification.frame)
        else:
            self._link.post(notification.frame)  # the server knows what to make of it

    # --- from the server

    def from_server(self, link: Link, message: Message) -> None:
        """What is no answer to a request that went through us."""
        if link is not self._link:
            answer_for_hidden(link, message, self._log)
            return
        match message:
            case Request():
                self._ask_client(message)
            case Notification(method=method):
                self._catalog.note(link.name, method)
                self._client.write(message.frame)
                if method in TOLD:
                    self._calls.tasks.told(link, message.params)
            case Response():
                self._client.write(message.frame)
            case Batch(items=items):
                for item in items:
                    link.take(item)
            case Noise():
                log_noise(link, message, self._log)

    def _ask_client(self, request: Request) -> None:
        if self._client.leaving:
            self._link.answer(error_frame(request.token, SERVER_GONE, "the client has gone"))
            return
        if request.method == "roots/list" and request.key is not None:
            self._roots_asked.add(request.key)
        self._client.write(request.frame)


class Introducing(Passing):
    """The answer that opens the connection, with our instructions added to the server's."""

    __slots__ = ()
    looks_inside = True

    def answered(self, response: Response) -> None:
        frame = response.frame if response.is_error else with_instructions(response)
        self.client.finish(self.key, frame)


def with_instructions(response: Response) -> bytes:
    """The same answer, its `instructions` followed by ours. All else stays as it came."""
    result = members(response.answer)
    if result is None:
        return response.frame
    try:
        theirs = decode_json(bytes(result.get("instructions", b"null")))
    except NotJson:
        theirs = None
    both = f"{theirs}\n\n{INSTRUCTIONS}" if isinstance(theirs, str) and theirs else INSTRUCTIONS
    changed = with_member(response.answer, "instructions", encode_json(both))
    return with_member(response.frame, "result", changed) + b"\n"


def answer_for_hidden(link: Link, message: Message, log: Log) -> None:
    """A server that the client does not know asks: what needs no client is answered, the rest cannot be."""
    if isinstance(message, Request):
        link.answer_alone(message)
    elif isinstance(message, Noise):
        log_noise(link, message, log)


def log_noise(link: Link, noise: Noise, log: Log) -> None:
    if noise.frame.strip():
        log.warning(
            "server_noise", server=link.name, why=noise.why, text=noise.frame.decode("utf-8", "replace").rstrip("\n")
        )


def cancelled_key(params: Slice) -> bytes | None:
    """Which request a `notifications/cancelled` is about."""
    parts = members(params) if memoryview(params).nbytes else None
    return id_key(bytes(parts["requestId"])) if parts is not None and "requestId" in parts else None
