"""`tools/call`: the one method that is judged. A read that nothing guards is passed on at once; all else goes to the guard."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from synartesis.domain.calls import Call, Continuation, Reply
from synartesis.domain.canonical import NotJson, decode_json
from synartesis.domain.names import Tool
from synartesis.domain.ports import Ids, Journal
from synartesis.domain.records import Approval, NewAction
from synartesis.domain.status import ActionStatus, GateMode, ToolClass
from synartesis.errors import JournalUnavailable
from synartesis.policy.manifest import Rule
from synartesis.policy.matching import Policy
from synartesis.relay.catalog import Catalog
from synartesis.relay.client import INVALID_PARAMS, Client, Passing, cancellation_of
from synartesis.relay.dialog import Dialogs, Said, is_ours, uses_requests, without_answer
from synartesis.relay.log import Log
from synartesis.relay.tasks import Tasks
from synartesis.relay.unambiguous import Unacceptable, read_arguments, refuse_ambiguous
from synartesis.relay.upstream import Link
from synartesis.wire.messages import NO_SLICE, Request, Response, Slice, error_frame, join_members, members, with_id

if TYPE_CHECKING:
    from synartesis.guard.answer import GuardAnswer
    from synartesis.guard.call import Ports

CANCELLED_GRACE_S: Final = 30.0
"""How long the outcome of a call is waited for after the client cancelled it. Most servers never answer such a call."""

ENDS_BYTES: Final = 4096
"""How much of both ends of a large answer to a read is searched for its verdict. Of a string it would be part only with its
quotes escaped."""

READS_HELD_S: Final = 0.01
MAX_READS_HELD: Final = 64
"""How long, and how many, reads wait to be told to the journal."""


class Route(NamedTuple):
    """Where a name that the client sees leads to."""

    tool: Tool
    rule: Rule
    link: Link
    identity: str

    @property
    def passes(self) -> bool:
        rule = self.rule
        return rule.tool_class is ToolClass.READONLY and rule.gate is GateMode.NEVER and rule.limit is None


class ToolCalls:
    """All calls of one client."""

    def __init__(
        self,
        *,
        client: Client,
        policy: Policy,
        journal: Journal,
        run: str,
        catalog: Catalog,
        ports: Callable[[], Ports],
        ids: Ids,
        log: Log,
        dialogs: Dialogs | None = None,
    ) -> None:
        self._client = client
        self._dialogs = dialogs
        self._policy = policy
        self._journal = journal
        self._run = run
        self._catalog = catalog
        self._new_ports = ports
        self._used_ports: Ports | None = None
        """None until a call needed the guard."""
        self.tasks = Tasks(client, lambda: self._used_ports, log)
        self._ids = ids
        self._log = log
        self._reads: list[tuple[Route, bytes, ActionStatus, str]] = []
        self._leaving: dict[bytes, GuardedCall] = {}
        """By frame: calls that were handed to the guard and have not left."""

    def route_to(self, tool: Tool, link: Link) -> Route:
        return Route(tool, self._policy.rule_for(tool), link, self._policy.manifest.server(tool.server).identity)

    def take(self, request: Request, name: str, arguments: Slice, route: Route, *, renumber: bool = False) -> None:
        """Pass a call on, or hand it to the guard. `renumber`: several servers share the client, so it goes out under an id
        of our own and the server's own name."""
        assert request.key is not None
        try:
            if route.passes:
                refuse_ambiguous(request.frame)
                self._pass_on(request, arguments, route, renumber=renumber)
                return
            decoded = read_arguments(request.frame)
        except Unacceptable as problem:
            self._client.refuse(request.token, INVALID_PARAMS, str(problem))
            return
        self.flush_reads()
        self._client.opening.note_request(request.method, request.params)  # what the client is, is said anew each time
        continues, answer = _continuation(request), None
        if continues is not None and is_ours(continues.state):
            answer, continues, request = continues, None, without_answer(request)
        frame, sent_as = self._outgoing(request, route, renumber=renumber)
        call = Call(route.tool, decoded, frame, continues)
        guarded = GuardedCall(self._client, request, route.link, sent_as=sent_as)
        self._client.live[guarded.key] = guarded
        self._leaving[frame] = guarded
        guarded.task = asyncio.create_task(self._guard(call, name, route, guarded, answer))

    def on_leaving(self, frame: bytes) -> None:
        """The guard lets a call leave: from here on it is not interrupted."""
        guarded = self._leaving.pop(frame, None)
        if guarded is not None:
            guarded.has_left = True

    def cancel_unsent(self) -> list[asyncio.Task[None]]:
        """The proxy shuts down: end what has not left, and say so. Returns every guard task that still runs."""
        guarded = [one for one in self._client.live.values() if isinstance(one, GuardedCall)]
        for one in guarded:
            if not one.has_left and one.task is not None:
                one.shut_down = True
                one.task.cancel()
        return [one.task for one in guarded if one.task is not None]

    # --- a read

    def _pass_on(self, request: Request, arguments: Slice, route: Route, *, renumber: bool) -> None:
        frame, sent_as = self._outgoing(request, route, renumber=renumber)
        reading = Reading(self, request, arguments, route, sent_as=sent_as)
        self._client.live[reading.key] = reading
        route.link.post(frame, sent_as or reading.key, reading)

    def record(self, route: Route, arguments: bytes, status: ActionStatus, note: str = "") -> None:
        """Keep a read for the journal. It is told a moment later, so that the next call need not wait for it; but always
        before a call that the guard records, so that the order is right."""
        if not self._reads:
            asyncio.get_running_loop().call_later(READS_HELD_S, self.flush_reads)
        self._reads.append((route, arguments, status, note))
        if len(self._reads) >= MAX_READS_HELD:
            self.flush_reads()

    def flush_reads(self) -> None:
        reads, self._reads = self._reads, []
        for read in reads:
            self._tell_journal(*read)

    def _tell_journal(self, route: Route, arguments: bytes, status: ActionStatus, note: str) -> None:
        new = NewAction(
            id=self._ids.new_id(),
            run=self._run,
            server=route.tool.server,
            identity=route.identity,
            tool=route.tool.name,
            arguments=arguments,
            tool_class=ToolClass.READONLY,
            fingerprint="",  # only approvals are looked up by it, and this needs none
        )
        self._journal.record_read(new, status=status, note=note)

    @property
    def client(self) -> Client:
        return self._client

    # --- everything else

    async def _guard(
        self, call: Call, name: str, route: Route, guarded: GuardedCall, answer: Continuation | None
    ) -> None:
        token, key = guarded.token, guarded.key
        frame: bytes | None
        try:
            if answer is not None:
                await self._take_answer(answer)
            frame = await self._answer(call, name, route, guarded, was_asked=answer is not None)
        except asyncio.CancelledError:
            frame = None
            if guarded.shut_down:
                frame = self._client.tell(
                    token, f"{call.tool} was not called, and nothing was sent: the proxy is ending."
                )
        except Exception as error:  # a fault of ours: the agent must hear of the call all the same
            self._log.error("call_failed", tool=str(call.tool), error=f"{type(error).__name__}: {error}")
            outcome = "It may have been carried out; do not repeat it." if guarded.has_left else "Nothing was sent."
            frame = self._client.tell(token, f"The undo layer failed while it handled {call.tool}. {outcome}")
            self._client.left_unknown = self._client.left_unknown or guarded.has_left
        finally:
            self._leaving.pop(call.frame, None)
            guarded.end_grace()
        self._client.finish(key, frame)

    async def _answer(self, call: Call, name: str, route: Route, guarded: GuardedCall, *, was_asked: bool) -> bytes:
        from synartesis.guard.answer import PassOn
        from synartesis.guard.call import guard_call

        token = guarded.token
        if not await self._client.opening.ready():
            return self._client.tell(
                token, f"{call.tool} was not called, and nothing was sent: this client has not finished its handshake."
            )
        offered = await self._offered(route)
        own = offered.get(route.tool.server)
        if own is None and (why := route.link.why_unusable()):
            return self._client.tell(token, f"FAILED: {call.tool} was not called, and nothing was sent: {why}.")
        if own is not None and route.tool.name not in own:
            return error_frame(token, INVALID_PARAMS, f"Unknown tool: {name}")
        from synartesis.policy.verify import broken_reads

        broken = broken_reads(route.rule, {server: set(names) for server, names in offered.items()})
        ports = self._used_ports = self._new_ports()

        async def make() -> GuardAnswer:
            return await guard_call(
                call, route.rule, run=self._run, identity=route.identity, ports=ports, broken=broken
            )

        answer = await make()
        request = None if was_asked or isinstance(answer, PassOn) else answer.request
        if request is not None and request.attempts == 1 and call.continues is None and self._may_ask(route):
            assert self._dialogs is not None
            informs = bool(ports.approver.asker())
            if not uses_requests(self._client):
                return self._dialogs.ask_by_answering(request, token, informs=informs)
            said = await self._dialogs.ask(request, informs=informs)
            if await self._note_dialog(request, said, informs=informs):
                answer = await make()
        return self._frame_of(answer, guarded)

    def _may_ask(self, route: Route) -> bool:
        return route.rule.asks_client and self._dialogs is not None and self._dialogs.can_ask()

    async def _take_answer(self, continues: Continuation) -> None:
        """The client made the call again, with what its dialog said about it."""
        found = None if self._dialogs is None else self._dialogs.answer_in(continues.state or "", continues.answers)
        if found is not None:
            await self._note_dialog(*found, informs=bool(self._new_ports().approver.asker()))

    async def _note_dialog(self, request: Approval, said: Said, *, informs: bool) -> bool:
        """Whether the request is approved now."""
        by = f"{self._client.opening.agent() or 'the client'} (its own dialog)" if said.is_yes and not informs else ""
        try:
            return await self._journal.record_dialog(request.id, said=said.text, granted_by=by)
        except JournalUnavailable as error:
            self._log.error("dialog_not_recorded", request=request.id, why=error.message)
            return False

    async def _offered(self, route: Route) -> dict[str, frozenset[str]]:
        """What the servers that this rule needs offer, as far as they say."""
        rule = route.rule
        tools = [route.tool, *(one.tool for one in (*rule.inverse, *rule.inverse_if_absent))]
        tools += (read.tool for _, read in rule.reads)
        offered: dict[str, frozenset[str]] = {}
        for server in dict.fromkeys(tool.server for tool in tools):
            names = self._catalog.known_tool_names(server) or await self._catalog.tool_names(server)
            if names is not None:
                offered[server] = names
        return offered

    def _frame_of(self, answer: GuardAnswer, guarded: GuardedCall) -> bytes:
        from synartesis.guard.answer import Tell

        if isinstance(answer, Tell):
            return self._client.tell(guarded.token, answer.text)
        reply = answer.reply
        if not reply.frame:
            return _frame_from_answer(reply, guarded.token)
        return reply.frame if guarded.sent_as is None else with_id(reply.frame, guarded.token)

    def _outgoing(self, request: Request, route: Route, *, renumber: bool) -> tuple[bytes, bytes | None]:
        """The frame as it is sent, and the id of our own that it then has."""
        if not renumber:
            return request.frame, None
        token = route.link.peer.new_token()
        parts, params = members(request.frame) or {}, members(request.params) or {}
        params["name"] = msgspec.json.encode(route.tool.name)
        parts["id"], parts["params"] = token, join_members(params)
        return join_members(parts) + b"\n", token


class Reading(Passing):
    """A read on its way: recorded once its answer was passed on."""

    __slots__ = ("arguments", "calls", "route")

    def __init__(
        self, calls: ToolCalls, request: Request, arguments: Slice, route: Route, *, sent_as: bytes | None
    ) -> None:
        super().__init__(calls.client, request, forward=route.link.post, sent_as=sent_as)
        self.calls = calls
        self.route = route
        self.arguments = bytes(arguments) if arguments is not NO_SLICE else b"{}"

    def answered(self, response: Response) -> None:
        super().answered(response)
        failed = response.is_error or _says_error(response)
        self.calls.record(self.route, self.arguments, ActionStatus.REJECTED if failed else ActionStatus.APPLIED)

    def lost(self, why: str, *, left: bool) -> None:
        super().lost(why, left=left)
        self.calls.record(self.route, self.arguments, ActionStatus.UNKNOWN if left else ActionStatus.FAILED, why)


class GuardedCall:
    """A call that the guard has in hand."""

    __slots__ = ("client", "grace", "has_left", "key", "link", "sent_as", "shut_down", "task", "token")

    def __init__(self, client: Client, request: Request, link: Link, *, sent_as: bytes | None) -> None:
        assert request.key is not None
        self.client = client
        self.key = request.key
        self.token = request.token
        self.link = link
        self.sent_as = sent_as
        self.task: asyncio.Task[None] | None = None
        self.has_left = False
        self.shut_down = False
        self.grace: asyncio.TimerHandle | None = None

    @property
    def counts(self) -> bool:
        return True

    def cancel(self, notification: bytes) -> None:
        """Before it left, it never leaves. Afterwards the server is told, and what became of the call is still waited for."""
        if not self.has_left:
            if self.task is not None:
                self.task.cancel()
            return
        self.link.post(cancellation_of(self.sent_as, notification))
        if self.grace is None:
            loop = asyncio.get_running_loop()
            self.grace = loop.call_later(CANCELLED_GRACE_S, self.link.give_up_on, self.sent_as or self.key)

    def end_grace(self) -> None:
        if self.grace is not None:
            self.grace.cancel()


def _continuation(request: Request) -> Continuation | None:
    """What it says besides the call itself, where it goes on with one that the server had questions about."""
    if b"requestState" not in request.frame and b"inputResponses" not in request.frame:
        return None
    parts = members(request.params) or {}
    if "requestState" not in parts and "inputResponses" not in parts:
        return None
    try:
        state = decode_json(bytes(parts.get("requestState", b"null")))
    except NotJson:
        state = None
    return Continuation(state if isinstance(state, str) else None, bytes(parts.get("inputResponses", b"")))


class _Verdict(msgspec.Struct, gc=False):
    isError: bool = False  # noqa: N815 - the name on the wire


_peek_verdict = msgspec.json.Decoder(_Verdict).decode


def _says_error(response: Response) -> bool:
    frame = response.frame
    if response.answer is NO_SLICE:  # a large one
        return _IS_ERROR.search(frame[:ENDS_BYTES]) is not None or _IS_ERROR.search(frame[-ENDS_BYTES:]) is not None
    if b'"isError"' not in frame:
        return False
    try:
        return _peek_verdict(response.answer).isError
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return False


_IS_ERROR: Final = re.compile(rb'"isError"\s*:\s*true')


def _frame_from_answer(reply: Reply, token: bytes) -> bytes:
    member = b"error" if reply.is_protocol_error else b"result"
    return b'{"jsonrpc":"2.0","id":' + token + b',"' + member + b'":' + reply.answer + b"}\n"
