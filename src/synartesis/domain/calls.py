"""One call: what was asked, what came back, and what a read of state means."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from synartesis.domain.canonical import Json, NotJson, decode_json
from synartesis.domain.names import Tool
from synartesis.domain.paths import Path, get_path

MAX_STATE_BYTES = 64 << 20
"""The largest answer of a read that is kept and put back, as JSON text (many servers say a state twice in it: as text and as
structured content); and the largest call whose state is. All that is made of one takes about twelve times its size for a
moment: 750 MB at the limit, and 2.4 GB for a state of 100 MB said twice."""


class Continuation(msgspec.Struct, frozen=True):
    """What a client adds when it goes on with a call that the server had questions about (MCP 2026-07-28,
    basic/patterns/mrtr). It is no part of what was asked for, so no part of the call's fingerprint."""

    state: str | None
    """The `requestState` that the server gave; None where it gave none."""
    answers: bytes
    """The JSON text of `inputResponses`; empty where there are none."""


class Call(msgspec.Struct, frozen=True):
    """What an agent asked for. `frame` is the client's own line, to be forwarded byte for byte."""

    tool: Tool
    arguments: dict[str, Json]
    frame: bytes = b""
    continues: Continuation | None = None


class ResolvedCall(msgspec.Struct, frozen=True):
    """A call with literal arguments, ready to send. `frame` is set where a client's own line is to be sent as it came."""

    tool: Tool
    arguments: dict[str, Json]
    frame: bytes = b""
    patience_s: float | None = None
    """How long an answer is waited for. None, as for every write: for as long as the server takes."""


# --- what sending led to


class Reply(msgspec.Struct, frozen=True):
    """A server's answer. `answer` is the JSON text of its `result`, or of its `error` where `is_protocol_error`; `frame`
    the line as it came."""

    answer: bytes
    is_protocol_error: bool = False
    frame: bytes = b""

    def value(self) -> Json:
        """The answer as a JSON value. Raises NotJson."""
        return decode_json(self.answer)


class Replied(msgspec.Struct, frozen=True):
    """The server answered."""

    reply: Reply


class NotSent(msgspec.Struct, frozen=True):
    """Nothing left, or it provably did not arrive."""

    why: str


class ReplyLost(msgspec.Struct, frozen=True):
    """The call left and no answer came: it may have happened."""

    why: str


SendOutcome: TypeAlias = Replied | NotSent | ReplyLost


# --- what a tool's answer holds


class AnswerValue(msgspec.Struct, frozen=True):
    """What `$snapshot` and `$result` stand for.

    `whole` is the structured content where there is one; otherwise the exact text of the one text block; otherwise the
    result itself without `_meta` and `resultType`. A path reads *into* the structured content, or into the text parsed as
    JSON. Text that only looks like data is never guessed at.
    """

    whole: Json
    is_text: bool = False

    def at(self, path: Path) -> Json:
        """The value at a path; the root path is the exact whole. Raises PathNotFound, or NotJson where the text is not
        JSON."""
        if not path:
            return self.whole
        return get_path(self.parsed(), path)

    def parsed(self) -> Json:
        """The value that paths read into. Raises NotJson."""
        return decode_json(self.whole) if self.is_text else self.whole


def answer_value(result: Json) -> AnswerValue:
    """What a successful tool result holds (MCP `CallToolResult`; `structuredContent` may be any JSON value)."""
    if not isinstance(result, dict):
        return AnswerValue(result)
    if result.get("structuredContent") is not None:
        return AnswerValue(result["structuredContent"])
    content = result.get("content")
    if isinstance(content, list) and len(content) == 1:
        block = content[0]
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            return AnswerValue(block["text"], is_text=True)
    return AnswerValue({key: value for key, value in result.items() if key not in ("_meta", "resultType")})


def kept_value(kept: Json) -> AnswerValue:
    """What a person is shown of a kept answer. Of several things (see guard.capture) it is a list: what was answered of each."""
    if not isinstance(kept, dict) or kept.keys() != {"for_each"} or not isinstance(kept["for_each"], list):
        return answer_value(kept)
    return AnswerValue([_shown(one) for one in kept["for_each"] if isinstance(one, dict)])


def _shown(kept: dict[str, Json]) -> Json:
    answer = kept.get("result", kept.get("error"))
    if "error" in kept or (isinstance(answer, dict) and answer.get("isError") is True):
        return {"item": kept.get("item"), "error": answer_text(answer)}
    value = answer_value(answer)
    try:
        return {"item": kept.get("item"), "state": value.parsed()}
    except NotJson:
        return {"item": kept.get("item"), "state": value.whole}


def answer_text(result: Json) -> str:
    """All text blocks of a result, one after the other; or the message of a JSON-RPC error. What a person is shown."""
    if not isinstance(result, dict):
        return ""
    if isinstance(result.get("message"), str) and "content" not in result:
        return str(result["message"])
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    return "\n".join(
        block["text"]
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    )


# --- how the answer of a read is to be understood


class ErrorSays(msgspec.Struct, frozen=True):
    """A substring, without case, of an error answer. Never matches a successful answer: a file may contain the words."""

    text: str


class TextIs(msgspec.Struct, frozen=True):
    """The whole text of any answer."""

    text: str


class ValueAt(msgspec.Struct, frozen=True):
    """The value at a path of any answer."""

    path: Path
    value: Json


AnswerMark: TypeAlias = ErrorSays | TextIs | ValueAt


class Decode(msgspec.Struct, frozen=True):
    """How an answer becomes a value where it is not plain; see domain.decoding."""

    how: Literal["text", "json", "json_in", "json_after_prose", "python_literal", "blocks", "pattern"]
    detail: str = ""
    """Of `json_in` a rendered path, of `pattern` the expression."""


class Undecodable(ValueError):
    """The answer does not have the form that the rule declares; says how not."""


class AnswerRules(msgspec.Struct, frozen=True):
    """How an answer of a read becomes an observation, and how two of them are compared."""

    absent_when: tuple[AnswerMark, ...] = ()
    error_when: tuple[AnswerMark, ...] = ()
    incomplete_when: tuple[AnswerMark, ...] = ()
    ignore: tuple[Path, ...] = ()
    unordered: tuple[Path, ...] = ()
    decode: Decode | None = None
    each: bool = False
    """The state is that of several things, each read by itself. What is said above is said of each of them."""


class ReadPlan(msgspec.Struct, frozen=True):
    """A read of state with literal arguments, and how its answer is to be understood.

    Where `rules.each`, the arguments of `call` stand for several calls: `{"for_each": [{"item", "args"}, ...]}`. It is never
    sent itself: see `calls`."""

    call: ResolvedCall
    rules: AnswerRules = AnswerRules()

    @property
    def calls(self) -> list[tuple[Json, ResolvedCall]]:
        """Of a state of several things: each of them, and the call that reads it."""
        found = self.call.arguments.get("for_each") if self.rules.each else None
        return [(one["item"], ResolvedCall(self.call.tool, one["args"])) for one in found or ()]


class InversePlan(msgspec.Struct, frozen=True):
    """One literal call that an undo will make. `restores` names the paths of the state before that it puts back (the root
    path: all of it); what it does not name is not claimed to be restored by it."""

    call: ResolvedCall
    restores: tuple[Path, ...] = ()
    current: tuple[tuple[Path, Path], ...] = ()
    """(place in the arguments, path in the state): what is filled in with the state just before this call is sent. Until then
    the place holds `{"$current": "path"}`; only what is listed here is such a place, whatever else looks like it. Where it holds
    anything else, or nothing, that is ignored (see policy.put_back): it goes back as it is then, if the thing is there."""
    defaults: tuple[tuple[Path, Path], ...] = ()
    """(place in the arguments, path in the state): what the rule puts there because the state had nothing at this path."""


# --- what a read found


class Present(msgspec.Struct, frozen=True):
    """The thing is there, with this value."""

    value: AnswerValue
    answer: bytes


class Absent(msgspec.Struct, frozen=True):
    """The server said, in words that the rule declares, that the thing is not there."""

    why: str
    answer: bytes


class Refused(msgspec.Struct, frozen=True):
    """An error answer that no rule declares: kept as what it is. The very same answer later means "unchanged"."""

    why: str
    answer: bytes
    is_protocol_error: bool = False


class Unreadable(msgspec.Struct, frozen=True):
    """The read failed, was incomplete, or cannot be trusted to be faithful."""

    why: str
    answer: bytes | None = None


Observation: TypeAlias = Present | Absent | Refused | Unreadable
