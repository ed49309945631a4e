"""Every message of every revision, in both directions: each request with each of its results, and each notification."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from tests.differential.script import OTHER, Conversation, Say, Spelling, notification, request, result
from tests.differential.vocabulary import MODERN, REVISIONS, Amount, Spec, Vocabulary
from tests.support.client import META

#: A tool that the server offers; any other would be answered as unknown.
TOOL = "write"

OPENS = ("initialize", "server/discover")
"""Asked once, before all else."""


def conversations() -> Iterator[Conversation]:
    for revision in REVISIONS:
        for amount in ("least", "most", "odd"):
            yield _Writer(revision, amount).write()


class _Writer:
    """Writes one conversation: everything that this revision has, in instances of one kind."""

    def __init__(self, revision: str, amount: Amount) -> None:
        self._vocabulary = Vocabulary.of(revision)
        self._amount = amount
        self._spell = Spelling()
        self._ids = count()
        self.conversation = Conversation(f"all there is, the {amount}", revision, in_short=amount == "most")

    def write(self) -> Conversation:
        specs = self._vocabulary.specs
        for spec in specs:
            if spec.method in OPENS:
                self._open(spec)
        for spec in specs:
            if spec.method not in OPENS and spec.method != "notifications/initialized":
                self.conversation.scene(f"{spec.sender}: {spec.method}", self._exchanges(spec))
        return self.conversation

    def _open(self, spec: Spec) -> None:
        params, answer = self._params(spec)[0], self._results(spec)[0]
        ident = next(self._ids)
        ask = Say("client", self._spell(request(ident, spec.method, params)))
        said = Say("server", self._spell(result(ident, answer)), but="instructions", answers=ask)
        self.conversation.scene(spec.method, ask, said)
        if spec.method == "initialize":
            self.conversation.scene(
                "initialized", Say("client", self._spell(notification("notifications/initialized")))
            )

    def _exchanges(self, spec: Spec) -> Iterator[Say]:
        params = self._params(spec)
        other = OTHER[spec.sender]
        if not spec.is_request:
            for one in params:
                yield Say(spec.sender, self._spell(notification(spec.method, one)))
            return
        results = self._results(spec)
        for at in range(max(len(params), len(results))):
            ident = next(self._ids)
            ask = Say(spec.sender, self._spell(request(ident, spec.method, params[at % len(params)])))
            yield ask
            yield Say(other, self._spell(result(ident, results[at % len(results)])), answers=ask)

    def _params(self, spec: Spec) -> list[Any]:
        return [self._fitted(spec, one) for one in self._vocabulary.params(spec, self._amount)]

    def _results(self, spec: Spec) -> list[Any]:
        return self._vocabulary.results(spec, self._amount)

    def _fitted(self, spec: Spec, params: Any) -> Any:
        """What has to be said truthfully: the tool that is called, and the revision that is spoken."""
        if spec.method == "tools/call":
            params = params | {"name": TOOL}
        if spec.revision == MODERN and spec.sender == "client" and isinstance(params, dict) and "_meta" in params:
            meta = params["_meta"]
            if META + "protocolVersion" in meta:
                params = params | {"_meta": meta | {META + "protocolVersion": MODERN}}
        return params
