"""The client's own dialog, as one more way to reach the person (elicitation): opt-in, briefly, and only where the client says
that it has one. Anything but a plain yes leaves the call held.

In the handshake era the proxy asks in a request of its own while the call waits; in the later one it answers the call with its
question, and the client makes the call again with the answer (MCP 2026-07-28, basic/patterns/mrtr).
"""

from __future__ import annotations

import asyncio
import os
from typing import Final, NamedTuple

from synartesis.domain.canonical import Json, NotJson, decode_json, encode_json
from synartesis.domain.records import Approval
from synartesis.domain.status import Era
from synartesis.relay.client import Client
from synartesis.wire.messages import Request, Response, join_members, members, read_message, result_frame
from synartesis.wire.peer import Peer
from synartesis.wire.printable import printable

PATIENCE_S: Final = 20.0
"""How long the call waits for an answer; the client's own limit for the call goes on meanwhile."""
MAX_OPEN: Final = 100
OURS: Final = "synartesis:"
"""How the state begins by which the client goes on with a call that we had a question about."""
_NAME: Final = "synartesis"
_SHOWN_HEAD, _SHOWN_TAIL = 1000, 400


class Said(NamedTuple):
    """What came of a question, in words for the journal."""

    text: str
    is_yes: bool = False


class Dialogs:
    """Every question to one client that is still open."""

    def __init__(self, client: Client, *, own_name: str, patience_s: float = PATIENCE_S) -> None:
        self._client = client
        self._peer: Peer[asyncio.Future[Response]] = Peer(f"{own_name}-ask")
        self._patience_s = patience_s
        self._open: dict[str, tuple[Approval, float]] = {}
        """In the later era: by state, the request that was asked about, and until when an answer counts."""

    def can_ask(self) -> bool:
        """Whether the client says that it shows forms."""
        elicitation = self._client.opening.declared("elicitation")
        return isinstance(elicitation, dict) and ("form" in elicitation or "url" not in elicitation)

    # --- the handshake era

    async def ask(self, request: Approval, *, informs: bool) -> Said:
        """Ask and wait. `informs`: an answer decides nothing, because the journal has an approver."""
        token = self._peer.new_token()
        answered: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._peer.expect(token, answered)
        question = {"method": "elicitation/create", "params": _question(request, informs=informs)}
        self._client.write(_frame(token, question))
        try:
            async with asyncio.timeout(self._patience_s):
                response = await answered
        except TimeoutError:
            self._take_back(token, "no answer in time")
            return Said(f"no answer within {self._patience_s:g} s")
        except asyncio.CancelledError:
            self._take_back(token, "the call was cancelled")
            raise
        if response.is_error:
            return Said("the client refused to ask")
        return _judge(_decoded(response.answer))

    def takes(self, response: Response) -> bool:
        """Whether this answers a question of ours."""
        answered = self._peer.settle(response.key) if response.key is not None else None
        if answered is None:
            return False
        if not answered.done():
            answered.set_result(response)
        return True

    def _take_back(self, token: bytes, why: str) -> None:
        self._peer.settle(token)
        params = join_members({"requestId": token, "reason": encode_json(why)})
        self._client.write(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":' + params + b"}\n")

    # --- the later era

    def ask_by_answering(self, request: Approval, token: bytes, *, informs: bool) -> bytes:
        """The answer to the call that is a question."""
        state = OURS + os.urandom(12).hex()
        self._open[state] = request, asyncio.get_running_loop().time() + self._patience_s
        if len(self._open) > MAX_OPEN:
            del self._open[next(iter(self._open))]
        question = {"method": "elicitation/create", "params": {"mode": "form", **_question(request, informs=informs)}}
        result = {"resultType": "input_required", "inputRequests": {_NAME: question}, "requestState": state}
        return result_frame(token, encode_json(result))

    def answer_in(self, state: str, answers: bytes) -> tuple[Approval, Said] | None:
        """What the client says when it makes the call again. None: the state is none that we gave, or gave out twice."""
        asked = self._open.pop(state, None)
        if asked is None:
            return None
        request, until = asked
        if asyncio.get_running_loop().time() > until:
            return request, Said(f"no answer within {self._patience_s:g} s")
        found = _decoded(answers)
        return request, _judge(found.get(_NAME) if isinstance(found, dict) else None)


def is_ours(state: str | None) -> bool:
    return state is not None and state.startswith(OURS)


def without_answer(request: Request) -> Request:
    """The call as it was before the client added our question's answer: the server knows nothing of it."""
    parts, params = members(request.frame) or {}, members(request.params) or {}
    kept = {name: value for name, value in params.items() if name not in ("requestState", "inputResponses")}
    parts["params"] = join_members(kept)
    again = read_message(join_members(parts) + b"\n", strictly=True)
    assert isinstance(again, Request)
    return again


def uses_requests(client: Client) -> bool:
    """Whether servers of this client's era may ask it by themselves."""
    return client.opening.era is not Era.PER_REQUEST


# --- below: how


def _question(request: Approval, *, informs: bool) -> dict[str, Json]:
    tool = printable(f"{request.server}.{request.tool}", 200)
    text = (
        f"The agent wants to call {tool} with {_shortened(request.arguments)}\n\n{printable(request.why)}\n\n"
        f"(request {request.id})"
    )
    if informs:
        said = f"{text}\n\nThis only tells you: approving it takes your passphrase, on a terminal of your own."
        return {"message": said, "requestedSchema": {"type": "object", "properties": {}}}
    approve = {"type": "boolean", "title": "Approve this one call", "default": False}
    schema = {"type": "object", "properties": {"approve": approve}, "required": ["approve"]}
    return {"message": text, "requestedSchema": schema}


def _shortened(arguments: bytes) -> str:
    """Head and tail, and how much is hidden; nothing in it can start a line."""
    text = arguments.decode("utf-8", "replace")
    if len(text) <= _SHOWN_HEAD + _SHOWN_TAIL:
        return printable(text, len(text))
    hidden = len(text) - _SHOWN_HEAD - _SHOWN_TAIL
    head, tail = printable(text[:_SHOWN_HEAD], _SHOWN_HEAD), printable(text[-_SHOWN_TAIL:], _SHOWN_TAIL)
    return f"{head}… {hidden:,} characters hidden …{tail}"


def _judge(answer: Json) -> Said:
    """Only an accepted form in which the one box is ticked is a yes."""
    if not isinstance(answer, dict):
        return Said("an answer that cannot be read")
    action, content = answer.get("action"), answer.get("content")
    if action == "accept" and isinstance(content, dict) and content.get("approve") is True:
        return Said("approved", is_yes=True)
    words = {"accept": "not approved", "decline": "declined", "cancel": "closed"}
    return Said(words.get(str(action), "an answer that cannot be read"))


def _decoded(text: bytes | memoryview) -> Json:
    try:
        return decode_json(bytes(text))
    except NotJson:
        return None


def _frame(token: bytes, said: dict[str, Json]) -> bytes:
    body = {name: encode_json(value) for name, value in said.items()}
    return join_members({"jsonrpc": b'"2.0"', "id": token, **body}) + b"\n"
