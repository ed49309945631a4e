"""Reading state: what an answer means, how two observations compare, and how both are kept.

"Could not read it" is never "it is not there": only words that the rule declares mean absence.
"""

from __future__ import annotations

from contextlib import suppress

from msgspec.structs import replace

from synartesis.domain.calls import (
    MAX_STATE_BYTES,
    Absent,
    AnswerMark,
    AnswerRules,
    AnswerValue,
    Decode,
    ErrorSays,
    NotSent,
    Observation,
    Present,
    ReadPlan,
    Refused,
    Replied,
    Reply,
    ReplyLost,
    ResolvedCall,
    SendOutcome,
    TextIs,
    Undecodable,
    Unreadable,
    ValueAt,
    answer_text,
)
from synartesis.domain.canonical import (
    MISSING,
    Difference,
    Json,
    NotJson,
    decode_json,
    differences,
    encode_json,
    same_json,
)
from synartesis.domain.decoding import decoded_value
from synartesis.domain.names import Tool
from synartesis.domain.paths import EACH, PathNotFound, parse_path, render_path
from synartesis.domain.ports import Clock, Upstream
from synartesis.domain.records import Image, Read

READ_PATIENCE_S = 120.0
"""How long a read of state may take; then it could not be read."""

PAUSES_BEFORE_REREADING_S = (0.05, 0.1, 0.15)
"""A server may answer a write before its reads show it. At most three more reads, within 300 ms."""

_REPLACEMENT_CHARACTERS = (b"\xef\xbf\xbd", b"\\ufffd", b"\\uFFFD", b"\\uFffd")


async def capture(plan: ReadPlan, upstream: Upstream, *, patience_s: float = READ_PATIENCE_S) -> Observation:
    """Read once. A server that does not answer a read of ours must not keep the agent's own answer from it for ever."""
    if plan.rules.each:
        return await _capture_each(plan, upstream, patience_s)
    return interpret(await upstream.call(replace(plan.call, patience_s=patience_s)), plan.rules)


async def _capture_each(plan: ReadPlan, upstream: Upstream, patience_s: float) -> Observation:
    """Several things, one after the other. Their answers are kept together, as they came."""
    kept = []
    for item, call in plan.calls:
        outcome = await upstream.call(replace(call, patience_s=patience_s))
        match outcome:
            case NotSent(why=why) | ReplyLost(why=why):
                return Unreadable(f"{_spelt(item)}: {why}")
            case Replied(reply=reply):
                kept.append(_kept_answer(item, reply))
    return interpret(Replied(Reply(b'{"for_each":[' + b",".join(kept) + b"]}")), plan.rules)


def _kept_answer(item: Json, reply: Reply) -> bytes:
    word = b"error" if reply.is_protocol_error else b"result"
    return b'{"item":' + encode_json(item) + b',"' + word + b'":' + (reply.answer or b"null") + b"}"


def _spelt(item: Json) -> str:
    return item if isinstance(item, str) else encode_json(item).decode("utf-8", "replace")


async def capture_until_moved(
    plan: ReadPlan, before: Observation | None, *, upstream: Upstream, clock: Clock
) -> Observation:
    """Read, and read again for a short while as long as nothing has moved. Without `before` nothing was there: then until
    something is."""
    seen = await capture(plan, upstream)
    for pause_s in PAUSES_BEFORE_REREADING_S:
        if isinstance(seen, Present) if before is None else not same_state(before, seen, plan.rules):
            break
        await clock.sleep(pause_s)
        seen = await capture(plan, upstream)
    return seen


# --- what an answer means


def interpret(outcome: SendOutcome, rules: AnswerRules) -> Observation:
    """What a read found. Errors that no mark declares are `Refused`; whoever asked decides what that means to them."""
    match outcome:
        case NotSent(why=why) | ReplyLost(why=why):
            return Unreadable(why)
        case Replied(reply=reply) if len(reply.answer) > MAX_STATE_BYTES:
            return Unreadable(f"its answer has {_mib(len(reply.answer))}, and {WHAT_IS_KEPT}")
        case Replied(reply=reply):
            return _interpret_reply(reply, rules)


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.1f} MiB"


WHAT_IS_KEPT = f"states of up to {MAX_STATE_BYTES >> 20} MiB are kept and put back"


def why_too_large(arguments: bytes) -> str | None:
    """Why the state that a call leaves could not be kept; None where it could."""
    size = len(arguments)
    return None if size <= MAX_STATE_BYTES else f"It has {_mib(size)} of arguments, and {WHAT_IS_KEPT}."


def is_error(reply: Reply, value: Json) -> bool:
    """Whether the server says that the call failed: a JSON-RPC error, or a result with `isError`."""
    return reply.is_protocol_error or (isinstance(value, dict) and value.get("isError") is True)


def is_unfinished(value: Json) -> bool:
    """Whether the server asked for input, or answered with a task: not done yet (MCP 2026-07-28 `resultType`;
    2025-11-25 `task`)."""
    if not isinstance(value, dict):
        return False
    kind = value.get("resultType", "complete")
    return kind in ("input_required", "task") or (
        isinstance(value.get("task"), dict) and "taskId" in value["task"] and "content" not in value
    )


def _interpret_reply(reply: Reply, rules: AnswerRules) -> Observation:
    try:
        value = reply.value()
    except NotJson as error:
        return Unreadable(f"the answer is not JSON: {error}", reply.answer)
    if rules.each:
        return _interpret_each(value, reply.answer, rules)
    text = answer_text(value)
    error_answer = is_error(reply, value)
    if _any_mark(rules.absent_when, value, text, rules, error_answer=error_answer):
        return Absent(text, reply.answer)
    if _any_mark(rules.error_when, value, text, rules, error_answer=error_answer):
        return Unreadable(text or "the server reported an error", reply.answer)
    if error_answer:
        return Refused(text or "the server answered with an error", reply.answer, reply.is_protocol_error)
    if is_unfinished(value):
        return Unreadable("the server asked for input instead of answering the read", reply.answer)
    if _is_incomplete(value) or _any_mark(rules.incomplete_when, value, text, rules, error_answer=False):
        return Unreadable("the answer is only a part of the state", reply.answer)
    if any(mark in reply.answer for mark in _REPLACEMENT_CHARACTERS) and _holds_replacement_character(value):
        return Unreadable("the answer holds U+FFFD: something that is not text was read as text", reply.answer)
    try:
        found = decoded_value(value, rules.decode)
    except Undecodable as error:
        return Unreadable(f"its answer does not have the form that the rule declares: {error}", reply.answer)
    if rules.decode is not None and _says_that_it_is_a_part(found.whole):
        return Unreadable("the answer is only a part of the state", reply.answer)
    return Present(found, reply.answer)


def _interpret_each(value: Json, answer: bytes, rules: AnswerRules) -> Observation:
    """The state of several things, from the answers that were kept together. It can be read where each of them can."""
    one, found = replace(rules, each=False), []
    for kept in value["for_each"]:
        match _part(kept, one):
            case Present(value=state):
                found.append({"item": kept["item"], "state": state.whole, "present": True})
            case Absent():
                found.append({"item": kept["item"], "present": False})
            case Refused(why=why):
                return Refused(f"{_spelt(kept['item'])}: {why}", answer)
            case Unreadable(why=why):
                return Unreadable(f"{_spelt(kept['item'])}: {why}", answer)
    return Present(AnswerValue(found), answer)


def parts_of(seen: Observation, plan: ReadPlan) -> list[Observation]:
    """Of a state of several things, that of each, in the order of the calls that read them."""
    calls = plan.calls
    match seen:
        case Absent():
            return [Absent(seen.why, b"") for _ in calls]
        case Present(answer=bytes(answer)) | Refused(answer=bytes(answer)):
            return [_part(kept, replace(plan.rules, each=False)) for kept in decode_json(answer)["for_each"]]
        case _:
            return [Unreadable(seen.why, None) for _ in calls]


def _part(kept: Json, rules: AnswerRules) -> Observation:
    is_protocol_error = "error" in kept
    reply = Reply(encode_json(kept["error" if is_protocol_error else "result"]), is_protocol_error)
    return _interpret_reply(reply, rules)


def _holds_replacement_character(value: Json) -> bool:
    """Whether U+FFFD is in it. A text that only spells the escape (as source code does) is read faithfully; in a text that
    is JSON, the escape is the character."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str(text) if "\ufffd" in text:
                return True
            case str(text) if "\\ufffd" in text.casefold():
                with suppress(NotJson):
                    waiting.append(decode_json(text))
            case list(parts):
                waiting.extend(parts)
            case dict(parts):
                waiting.extend((*parts, *parts.values()))
            case _:
                pass
    return False


def _any_mark(marks: tuple[AnswerMark, ...], value: Json, text: str, rules: AnswerRules, *, error_answer: bool) -> bool:
    return any(_matches(mark, value, text, rules, error_answer=error_answer) for mark in marks)


def _matches(mark: AnswerMark, value: Json, text: str, rules: AnswerRules, *, error_answer: bool) -> bool:
    match mark:
        case ErrorSays(text=wanted):
            return error_answer and wanted.casefold() in text.casefold()
        case TextIs(text=wanted):
            return text == wanted
        case ValueAt(path=path, value=wanted):
            try:
                return same_json(decoded_value(value, rules.decode).at(path), wanted)
            except (PathNotFound, NotJson, Undecodable):
                return False


def _is_incomplete(value: Json) -> bool:
    """Marks that always mean "only a part". Looked for in the result and in its structured content, never inside text:
    a file may hold these words."""
    if not isinstance(value, dict):
        return False
    return _says_that_it_is_a_part(value) or _says_that_it_is_a_part(value.get("structuredContent"))


def _says_that_it_is_a_part(value: Json) -> bool:
    return isinstance(value, dict) and bool(
        value.get("nextCursor") or value.get("truncated") is True or value.get("has_more") is True
    )


# --- how two observations compare


def same_state(a: Observation, b: Observation, rules: AnswerRules) -> bool:
    return not state_differences(a, b, rules)


def state_differences(expected: Observation, actual: Observation, rules: AnswerRules) -> list[Difference]:
    """Where two observations differ, ignored paths left out. `MISSING` stands for a thing that is not there."""
    match expected, actual:
        case Present(), Present():
            return _value_differences(expected, actual, rules)
        case Absent(), Absent():
            return []
        case Refused(), Refused() if _same_refusal(expected, actual):
            return []
        case _:
            return [Difference((), described(expected), described(actual))]


def described(seen: Observation) -> Json:
    """The value, MISSING, or words for what is neither."""
    match seen:
        case Present(value=value):
            return value.whole
        case Absent():
            return MISSING
        case Refused(why=why):
            return f"(the read is answered with an error: {why})"
        case Unreadable(why=why):
            return f"(could not be read: {why})"


def _value_differences(expected: Present, actual: Present, rules: AnswerRules) -> list[Difference]:
    if expected.answer == actual.answer:
        return []
    if rules.decode is not None and rules.decode.how == "pattern":
        return _text_differences(expected, actual)
    a, b = expected.value, actual.value
    if rules.each:
        ignore, unordered = ([(EACH, "state", *path) for path in paths] for paths in (rules.ignore, rules.unordered))
        return differences(a.whole, b.whole, ignore=ignore, unordered=unordered)
    if not (a.is_text and b.is_text):
        return differences(a.whole, b.whole, ignore=rules.ignore, unordered=rules.unordered)
    if a.whole == b.whole:
        return []
    try:
        left, right = a.parsed(), b.parsed()
    except NotJson:
        return [Difference((), a.whole, b.whole)]
    if not (isinstance(left, dict | list) and isinstance(right, dict | list)):
        return [Difference((), a.whole, b.whole)]
    found = differences(left, right, ignore=rules.ignore, unordered=rules.unordered)
    if found or rules.ignore or rules.unordered:
        return found
    return [Difference((), a.whole, b.whole)]  # the same JSON value, spelt otherwise: to a file that is a difference


def _text_differences(expected: Present, actual: Present) -> list[Difference]:
    """What a pattern does not name may be somebody's work as well."""
    a, b = (answer_text(decode_json(seen.answer)) for seen in (expected, actual))
    return [] if a == b else [Difference((), a, b)]


def _same_refusal(a: Refused, b: Refused) -> bool:
    if a.answer == b.answer:
        return True
    if a.is_protocol_error != b.is_protocol_error:
        return False
    return same_json(_without_envelope(decode_json(a.answer)), _without_envelope(decode_json(b.answer)))


def _without_envelope(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    return {key: part for key, part in value.items() if key not in ("_meta", "resultType")}


# --- how they are kept


def image_of(seen: Observation) -> Image:
    match seen:
        case Present(answer=answer):
            return Image("present", answer)
        case Absent(why=why, answer=answer):
            return Image("absent", answer, why)
        case Refused(why=why, answer=answer, is_protocol_error=is_protocol_error):
            return Image("refused", answer, why, is_protocol_error)
        case Unreadable(why=why, answer=answer):
            return Image("unreadable", answer, why)


def observation_of(image: Image, rules: AnswerRules | None = None) -> Observation:
    """What was observed, as it was judged then. `rules`: those of the read that found it."""
    match image.state:
        case "present" if image.answer is not None and rules is not None and rules.each:
            return judge_again(image, rules)
        case "present" if image.answer is not None:
            try:
                value = decoded_value(decode_json(image.answer), None if rules is None else rules.decode)
            except Undecodable as error:
                return Unreadable(str(error), image.answer)
            return Present(value, image.answer)
        case "absent" if image.answer is not None:
            return Absent(image.why, image.answer)
        case "refused" if image.answer is not None:
            return Refused(image.why, image.answer, image.is_protocol_error)
        case _:
            return Unreadable(image.why, image.answer)


def judge_again(image: Image, rules: AnswerRules) -> Observation:
    """What the kept answer means under other rules than it was judged by then (`--replan`)."""
    if image.answer is None:
        return observation_of(image)
    return interpret(Replied(Reply(image.answer, image.is_protocol_error)), rules)


def read_record(plan: ReadPlan) -> Read:
    call = plan.call
    return Read(call.tool.server, call.tool.name, encode_json(call.arguments), encode_json(_rules_json(plan.rules)))


def read_plan(read: Read) -> ReadPlan:
    return ReadPlan(
        ResolvedCall(Tool(read.server, read.tool), decode_json(read.arguments)),
        _rules_of(decode_json(read.rules)),
    )


def _rules_json(rules: AnswerRules) -> Json:
    decode = {} if rules.decode is None else {"decode": {"how": rules.decode.how, "detail": rules.decode.detail}}
    each = {"each": True} if rules.each else {}
    return {
        "absent_when": [_mark_json(mark) for mark in rules.absent_when],
        "error_when": [_mark_json(mark) for mark in rules.error_when],
        "incomplete_when": [_mark_json(mark) for mark in rules.incomplete_when],
        "ignore": [render_path(path) for path in rules.ignore],
        "unordered": [render_path(path) for path in rules.unordered],
        **decode,
        **each,
    }


def _mark_json(mark: AnswerMark) -> Json:
    match mark:
        case ErrorSays(text=text):
            return {"error_says": text}
        case TextIs(text=text):
            return {"text": text}
        case ValueAt(path=path, value=value):
            return {"path": render_path(path), "is": value}


def _rules_of(kept: Json) -> AnswerRules:
    return AnswerRules(
        absent_when=tuple(_mark_of(mark) for mark in kept.get("absent_when", [])),
        error_when=tuple(_mark_of(mark) for mark in kept.get("error_when", [])),
        incomplete_when=tuple(_mark_of(mark) for mark in kept.get("incomplete_when", [])),
        ignore=tuple(parse_path(path) for path in kept.get("ignore", [])),
        unordered=tuple(parse_path(path) for path in kept.get("unordered", [])),
        decode=None if "decode" not in kept else Decode(kept["decode"]["how"], kept["decode"]["detail"]),
        each=kept.get("each", False),
    )


def _mark_of(kept: Json) -> AnswerMark:
    if "error_says" in kept:
        return ErrorSays(kept["error_says"])
    if "text" in kept:
        return TextIs(kept["text"])
    return ValueAt(parse_path(kept["path"]), kept["is"])
