"""The simulated server: records that tools read and write, an outbox that nothing takes back, an account that counts. It does
what it is told to do wrong: it lies, lags, ignores fields, counts versions, and forgets to answer.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from synartesis.domain.calls import NotSent, Replied, Reply, ReplyLost, ResolvedCall, SendOutcome
from synartesis.domain.canonical import encode_json

READS = ("get_item", "peek_item")
ANY_WRITE = "any write"
"""Stands for the name of whatever tool is called next to write."""

Record: TypeAlias = dict[str, Any]
Misbehaviour: TypeAlias = Callable[[ResolvedCall, Callable[[], SendOutcome]], SendOutcome]
"""Gets the call and a way to really carry it out; returns what the proxy sees."""


def result(value: Any) -> SendOutcome:
    text = encode_json(value).decode()
    body = {"content": [{"type": "text", "text": text}], "structuredContent": value}
    return Replied(Reply(encode_json(body)))


def error(text: str) -> SendOutcome:
    return Replied(Reply(encode_json({"content": [{"type": "text", "text": text}], "isError": True})))


def protocol_error(code: int, message: str) -> SendOutcome:
    return Replied(Reply(encode_json({"code": code, "message": message}), is_protocol_error=True))


def asks_for_input(state: str) -> SendOutcome:
    body = {"resultType": "input_required", "requestState": state, "inputRequests": {"sure": {"method": "elicitation"}}}
    return Replied(Reply(encode_json(body)))


LOST = ReplyLost("the server went away")
NEVER_ARRIVED = NotSent("the server is not running")


def answers(outcome: SendOutcome) -> Misbehaviour:
    """Answer this, without doing anything."""
    return lambda call, carry_out: outcome


def does_it_and_answers(outcome: SendOutcome) -> Misbehaviour:
    def misbehave(call: ResolvedCall, carry_out: Callable[[], SendOutcome]) -> SendOutcome:
        carry_out()
        return outcome

    return misbehave


@dataclass
class Server:
    """Records with a name, a plan and notes. Every call that it executes is in `calls`; reads too."""

    records: dict[str, Record] = field(default_factory=dict)
    outbox: list[dict[str, Any]] = field(default_factory=list)
    account: int = 0
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    _next: list[tuple[str, Misbehaviour]] = field(default_factory=list)
    stamp: Callable[[Record], None] = lambda record: None
    """Called on every record that a write touches: a server that keeps versions or times."""
    made: Callable[[ResolvedCall, Callable[[], SendOutcome]], SendOutcome] = lambda call, carry_out: carry_out()
    """Stands around everything that is really carried out."""

    async def call(self, call: ResolvedCall) -> SendOutcome:
        for at, (tool, misbehave) in enumerate(self._next):
            if tool == call.tool.name or (tool == ANY_WRITE and call.tool.name not in READS):
                del self._next[at]
                return misbehave(call, lambda: self.carry_out(call))
        return self.carry_out(call)

    def next(self, tool: str, misbehave: Misbehaviour, *, times: int = 1) -> None:
        """What happens at the next calls of this tool."""
        self._next += [(tool, misbehave)] * times

    def behave(self) -> None:
        """Nothing goes wrong any more."""
        self._next.clear()

    def writes(self) -> list[tuple[str, dict[str, Any]]]:
        return [call for call in self.calls if call[0] not in READS]

    def carry_out(self, call: ResolvedCall) -> SendOutcome:
        arguments = copy.deepcopy(call.arguments)
        self.calls.append((call.tool.name, copy.deepcopy(arguments)))
        return self.made(call, lambda: getattr(self, f"_{call.tool.name}")(arguments))

    # --- its tools

    def _get_item(self, arguments: Record) -> SendOutcome:
        if arguments["id"] not in self.records:
            return error(f"item not found: {arguments['id']}")
        return result(self.records[arguments["id"]])

    def _peek_item(self, arguments: Record) -> SendOutcome:
        """Another way to read the same."""
        return self._get_item(arguments)

    def _set_item(self, arguments: Record) -> SendOutcome:
        name = arguments.pop("id")
        if name not in self.records:
            return error(f"item not found: {name}")
        self.records[name] = {**self.records[name], **arguments}
        self.stamp(self.records[name])
        return result(self.records[name])

    def _fix_item(self, arguments: Record) -> SendOutcome:
        """The same under another name, for which a rule asks a person."""
        return self._set_item(arguments)

    def _set_versioned(self, arguments: Record) -> SendOutcome:
        """Wants the version that it replaces, as careful servers do."""
        wanted, record = arguments.pop("version"), self.records.get(arguments["id"])
        if record is not None and record.get("version") != wanted:
            return error(f"409 conflict: the version is {record.get('version')}, not {wanted}")
        return self._set_item(arguments)

    def _del_item(self, arguments: Record) -> SendOutcome:
        if self.records.pop(arguments["id"], None) is None:
            return error(f"item not found: {arguments['id']}")
        return result({"deleted": True})

    def _restore_item(self, arguments: Record) -> SendOutcome:
        self.records[arguments["id"]] = dict(arguments["record"])
        return result(self.records[arguments["id"]])

    def _put_item(self, arguments: Record) -> SendOutcome:
        """Whether it is there or not."""
        self.records[arguments["id"]] = dict(arguments["record"])
        self.stamp(self.records[arguments["id"]])
        return result(self.records[arguments["id"]])

    def _move_item(self, arguments: Record) -> SendOutcome:
        source, destination = arguments["source"], arguments["destination"]
        if source not in self.records:
            return error(f"item not found: {source}")
        if destination in self.records:
            return error(f"taken: {destination}")
        self.records[destination] = self.records.pop(source)
        return result({"moved": True})

    def _create_item(self, arguments: Record) -> SendOutcome:
        name = f"n{len(self.calls)}"
        self.records[name] = dict(arguments)
        return result({"id": name})

    def _make_item(self, arguments: Record) -> SendOutcome:
        """The same under another name, whose rule has no read."""
        return self._create_item(arguments)

    def _charge(self, arguments: Record) -> SendOutcome:
        self.account += arguments["amount"]
        return result({"amount": arguments["amount"]})

    def _refund(self, arguments: Record) -> SendOutcome:
        self.account -= arguments["amount"]
        return result({"amount": arguments["amount"]})

    def _send_note(self, arguments: Record) -> SendOutcome:
        self.outbox.append(arguments)
        return result({"sent": True})
