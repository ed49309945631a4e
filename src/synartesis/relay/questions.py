"""Questions of several servers to their one client: each goes out under an id of ours, and its answer back under the server's
own, so that two servers may ask with the same id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from synartesis.domain.status import Era
from synartesis.relay.client import METHOD_NOT_FOUND, SERVER_GONE, Client
from synartesis.relay.eras import Opening
from synartesis.relay.handlers import cancelled_key
from synartesis.relay.log import Log
from synartesis.relay.upstream import Link
from synartesis.wire.messages import (
    Notification,
    Request,
    Response,
    error_frame,
    result_frame,
    with_id,
    with_member,
)
from synartesis.wire.peer import Peer

NEEDS: Final = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
"""What a client has to have declared before it may be asked this."""


class Questions:
    """Those that the client has not answered yet. One that the client said it cannot answer is answered here: it might never
    be, and the server's call would hang."""

    def __init__(
        self, *, client: Client, opening: Opening, opened: Callable[[], None], log: Log, own_name: str
    ) -> None:
        self._client = client
        self._opening = opening
        self._record_opening = opened
        self._log = log
        self._asked: Peer[tuple[Link, bytes, bytes | None]] = Peer(own_name)
        """Whose, under which id of its own, and its key."""
        self._roots_asked: set[bytes] = set()

    def ask(self, link: Link, request: Request) -> None:
        if request.method == "ping":
            link.answer(result_frame(request.token, b"{}"))
        elif self._client.leaving:
            link.answer(error_frame(request.token, SERVER_GONE, "the client has gone"))
        elif not self._may_be_asked(request.method):
            self._log.info("not_asked", server=link.name, method=request.method, why="the client did not declare it")
            link.answer(error_frame(request.token, METHOD_NOT_FOUND, f"Method not found: {request.method}"))
        else:
            token = self._asked.new_token()
            self._asked.expect(token, (link, request.token, request.key))
            if request.method == "roots/list":
                self._roots_asked.add(token)
            self._client.write(with_id(request.frame, token))

    def _may_be_asked(self, method: str) -> bool:
        needed = NEEDS.get(method)
        return self._opening.era is not Era.HANDSHAKE or needed is None or self._opening.declared(needed) is not None

    def answer(self, response: Response) -> None:
        """From the client, to whoever asked."""
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
        link.answer(with_id(response.frame, token))

    def cancel(self, link: Link, notification: Notification) -> None:
        """The server wants no answer any more."""
        key = cancelled_key(notification.params)
        for token, (asker, _, its_key) in self._asked.items():
            if asker is link and its_key == key:
                params = with_member(notification.params, "requestId", token)
                self._client.write(with_member(notification.frame, "params", params) + b"\n")
                return
