"""JSON-RPC messages: the envelope read, the body kept as the bytes that came.

Only `id`, `method`, `params`, `result` and `error` are looked at. Nothing is ever re-encoded: a changed message is put
together again from the slices of the old one, so that unknown members, number spellings and escapes survive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

import msgspec

from synartesis.domain.canonical import NotJson, decode_json, encode_json
from synartesis.wire.lines import HEAD_BYTES, TAIL_BYTES

Slice: TypeAlias = bytes | msgspec.Raw
"""A part of a line, as it came."""


class Request(msgspec.Struct, frozen=True):
    """`token` is the id as it was spelled; `key` is what ids are compared by, None where the id is not a legal one."""

    token: bytes
    key: bytes | None
    method: str
    params: Slice
    """Empty where there are none."""
    frame: bytes


class Notification(msgspec.Struct, frozen=True):
    method: str
    params: Slice
    frame: bytes


class Response(msgspec.Struct, frozen=True):
    """`answer` is the text of the `result`, or of the `error` where `is_error`. `key` is None where the id is null or missing,
    as it is where the other side could not read what it answers."""

    token: bytes
    key: bytes | None
    is_error: bool
    answer: Slice
    frame: bytes


class Batch(msgspec.Struct, frozen=True):
    """Several messages in one array (only 2025-03-26 had them)."""

    items: list[bytes]
    frame: bytes


class Noise(msgspec.Struct, frozen=True):
    """Not a message. `is_json` tells a stray value from text; `token` is the id to answer with where it has one."""

    why: str
    is_json: bool
    frame: bytes
    token: bytes = b"null"


Message: TypeAlias = Request | Notification | Response | Batch | Noise

NO_SLICE: Final = msgspec.Raw()


class _Envelope(msgspec.Struct, gc=False):
    id: msgspec.Raw = NO_SLICE
    method: str | None = None
    params: msgspec.Raw = NO_SLICE
    result: msgspec.Raw = NO_SLICE
    error: msgspec.Raw = NO_SLICE


_peek = msgspec.json.Decoder(_Envelope).decode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_items = msgspec.json.Decoder(list[msgspec.Raw]).decode


def read_message(frame: bytes, *, strictly: bool = False) -> Message:
    """What a line says. `strictly` is for lines that are refused where they cannot be read in full; otherwise it is enough
    that the envelope can be found."""
    if strictly and _is_several_lines(frame):
        return Noise("a line break within the message", True, frame, guess_id(frame))
    try:
        envelope = _peek(frame)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _read_oddly(frame, strictly=strictly)
    method = envelope.method
    if envelope.id is NO_SLICE:
        if method is not None:
            return Notification(method, envelope.params, frame)
        if envelope.error is not NO_SLICE:
            return Response(b"null", None, True, envelope.error, frame)
        return Noise("a JSON object that is no JSON-RPC message", True, frame)
    token = bytes(envelope.id)
    if method is not None:
        return Request(token, id_key(token), method, envelope.params, frame)
    if envelope.result is not NO_SLICE:
        return Response(token, id_key(token), False, envelope.result, frame)
    if envelope.error is not NO_SLICE:
        return Response(token, id_key(token), True, envelope.error, frame)
    return Noise("a JSON object that is no JSON-RPC message", True, frame, token)


def _is_several_lines(frame: bytes) -> bool:
    """Between the tokens of JSON a carriage return means nothing, and to us it ends no line. To a server that reads text with
    universal line ends (every one that is built on the Python SDK) it does: a call that stands between two of them, as an
    argument of something harmless, would be carried out unjudged."""
    return frame.find(b"\r", 0, len(frame) - 2) >= 0 or frame.find(b"\n", 0, len(frame) - 1) >= 0


def id_key(token: bytes) -> bytes | None:
    """What an id is compared by: 7 is not "7", and "a" is "\\u0061". None where MCP does not allow it: ids are strings and
    integers (basic/index, "Requests")."""
    if token.isdigit():
        return token
    first = token[:1]
    if first == b'"':
        if b"\\" not in token:
            return token
        try:
            return encode_json(decode_json(token))
        except NotJson:
            return None
    if first == b"-" and token[1:].isdigit():
        return b"0" if token == b"-0" else token
    return None


# --- putting a message together from its parts


def members(text: Slice) -> dict[str, Slice] | None:
    """The members of a JSON object, each as the bytes that came; None where it is not an object."""
    try:
        return dict(_members(text))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _scan_object(bytes(text))


def member_names(text: bytes) -> list[str]:
    """The names of an object's members, in their order; a name that stands twice is there twice."""
    parts = members(text) or {}
    if memoryview(text).nbytes == _size_of(parts):
        return list(parts)  # nothing else fits in
    return [name for name, _ in _scan_members(text) or parts.items()]


def _size_of(parts: Mapping[str, Slice]) -> int:
    """Of a line that holds these members and nothing else, spelt in the shortest way."""
    pairs = (len(name.encode("utf-8", "surrogatepass")) + memoryview(value).nbytes for name, value in parts.items())
    return len("{}\n") + sum(len('"":,') + pair for pair in pairs) - len(",")


def join_members(parts: Mapping[str, Slice]) -> bytes:
    """An object made of members. Their own bytes are copied, never re-encoded."""
    pieces: list[Slice] = [b"{"]
    for name, value in parts.items():
        pieces.append(b"," if len(pieces) > 1 else b"")
        pieces.append(encode_json(name))
        pieces.append(b":")
        pieces.append(value)
    pieces.append(b"}")
    return b"".join(memoryview(piece) for piece in pieces)


def split_array(text: Slice) -> list[Slice] | None:
    """The elements of a JSON array, each as the bytes that came; None where it is not an array that can be read."""
    try:
        return list(_items(text))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def with_member(text: Slice, name: str, value: Slice) -> bytes:
    """The object with one member set. Text that is not an object is given back as it is."""
    parts = members(text)
    if parts is None:
        return bytes(text)
    parts[name] = value
    return join_members(parts)


def with_id(frame: bytes, token: bytes) -> bytes:
    """The same message under another id."""
    return with_member(frame, "id", token) + b"\n"


def request_frame(token: bytes, method: str, params: Slice = b"") -> bytes:
    tail = b',"params":' + bytes(params) if memoryview(params).nbytes else b""
    return b'{"jsonrpc":"2.0","id":' + token + b',"method":' + encode_json(method) + tail + b"}\n"


def notification_frame(method: str, params: Slice = b"") -> bytes:
    tail = b',"params":' + bytes(params) if memoryview(params).nbytes else b""
    return b'{"jsonrpc":"2.0","method":' + encode_json(method) + tail + b"}\n"


def result_frame(token: bytes, result: Slice) -> bytes:
    return b"".join((b'{"jsonrpc":"2.0","id":', token, b',"result":', memoryview(result), b"}\n"))


def error_frame(token: bytes, code: int, message: str) -> bytes:
    error = encode_json({"code": code, "message": message})
    return b'{"jsonrpc":"2.0","id":' + token + b',"error":' + error + b"}\n"


# --- what the fast reader does not take


def _read_oddly(frame: bytes, *, strictly: bool) -> Message:
    """Bad UTF-8, lone surrogates, NaN, a byte-order mark, deep nesting, a batch, or a value that is no message at all."""
    text = frame.removeprefix(_BYTE_ORDER_MARK).strip(_BLANKS)
    if strictly or text[:1] not in (b"{", b"["):
        try:
            decode_json(text)
        except NotJson as error:
            return Noise(f"not JSON: {error}", False, frame, guess_id(frame))
    if text[:1] == b"[":
        return _read_batch(text, frame)
    found = _scan_object(text) if text[:1] == b"{" else None
    if found is None:
        return Noise("not a JSON-RPC message", text[:1] != b"{", frame)
    return _classify(found, frame)


def _classify(found: Mapping[str, Slice], frame: bytes) -> Message:
    token = bytes(found["id"]) if "id" in found else b""
    if "method" in found and bytes(found["method"]) != b"null":
        try:
            method = decode_json(bytes(found["method"]))
        except NotJson:
            method = None
        if not isinstance(method, str):
            return Noise("its method is not a string", True, frame, token or b"null")
        params = found.get("params", NO_SLICE)
        return Request(token, id_key(token), method, params, frame) if token else Notification(method, params, frame)
    for name in ("result", "error"):
        if name in found and (token or name == "error"):
            return Response(token or b"null", id_key(token), name == "error", found[name], frame)
    return Noise("a JSON object that is no JSON-RPC message", True, frame, token or b"null")


def _read_batch(text: bytes, frame: bytes) -> Message:
    items = split_array(text)
    if items is None:
        return Noise("an array that cannot be read", False, frame)
    return Batch([bytes(item) + b"\n" for item in items], frame)


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"
# Possessive, so that a string of many megabytes needs no backtracking memory.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]++', re.DOTALL)


def _scan_object(text: bytes) -> dict[str, Slice] | None:
    """The members of an object, found by brackets alone. Slow, without recursion, and blind to what is inside a value: so it
    takes what no JSON reader would."""
    pairs = _scan_members(text)
    return None if pairs is None else dict(pairs)


def _scan_members(text: bytes) -> list[tuple[str, Slice]] | None:
    text = text.removeprefix(_BYTE_ORDER_MARK).strip(_BLANKS)
    found: list[tuple[str, Slice]] = []
    depth, start, name, end = 0, 0, "", 0
    for match in _TOKEN.finditer(text):
        if text[end : match.start()].strip(_BLANKS) or (not depth and end):
            return None  # something between the tokens, or after the object
        token, end = match.group(), match.end()
        if depth == 1 and token in (b",", b"}"):
            if name:
                found.append((name, text[start : match.start()].strip(_BLANKS)))
            name = ""
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif depth == 1 and token == b":" and not name:
            name, start = _decoded(text[start : match.start()]), match.end()
        if depth == 1 and token in (b"{", b",") and not name:
            start = match.end()
    return found if not depth and end == len(text) and text[:1] == b"{" else None


def _decoded(text: bytes) -> str:
    try:
        return str(decode_json(text))
    except NotJson:
        return text.decode("latin-1")


def guess_id(frame: bytes) -> bytes:
    """The id of a line that cannot be read, so that the one who asked hears of it; `null` where none is found."""
    found = _ID.search(frame[:HEAD_BYTES])
    return outer_id(frame, frame) or (found.group(1) if found else b"null")


def outer_id(head: bytes, tail: bytes) -> bytes | None:
    """The id of a message of which only both ends are known: at either of them, with nothing between that could open or close
    an object. The TypeScript SDK writes it last. An id further in may be that of a customer."""
    found = _ID_AT_HEAD.match(head) or _ID_AT_TAIL.search(tail[-TAIL_BYTES:])
    return found.group(1) if found else None


def large_answer(frame: bytes) -> Response | None:
    """What a large line says, where both of its ends show that it is an answer. Its body is not looked at, which for megabytes
    takes longer than to carry them: `answer` is empty. None where only all of it would tell."""
    head = frame[:HEAD_BYTES]
    kind = _ANSWER_AT_HEAD.match(head)
    token = outer_id(head, frame[-TAIL_BYTES:]) if kind is not None else None
    if kind is None or token is None:
        return None
    return Response(token, id_key(token), kind.group(1) == b"error", NO_SLICE, frame)


_ID_MEMBER = rb'"id"\s*+:\s*+(-?\d{1,20}(?![\d.eE])|"[^"\\\x00-\x1f\x7f-\xff]{1,200}")'
_FLAT_MEMBER = rb'"(?!id")[^"\\]{1,64}"\s*+:\s*+(?:"[^"\\]{0,200}"|-?[\d.eE+-]{1,40}+|true|false|null)'
_ID = re.compile(_ID_MEMBER)
_ANSWER_AT_HEAD = re.compile(
    rb"\s*+\{\s*+(?:(?!\"method\")(?:"
    + _FLAT_MEMBER
    + rb"|"
    + _ID_MEMBER.replace(b"(-?", b"(?:-?", 1)
    + rb")\s*+,\s*+){0,8}"
    rb'"(result|error)"\s*+:'
)
_ID_AT_HEAD = re.compile(rb"\s*+\{\s*+(?:" + _FLAT_MEMBER + rb"\s*+,\s*+){0,8}" + _ID_MEMBER)
_ID_AT_TAIL = re.compile(_ID_MEMBER + rb"\s*+(?:,\s*+" + _FLAT_MEMBER + rb"\s*+){0,8}\}\s*+\Z")
