"""A `tools/call` that can be judged: the rule is looked up with the very name that is sent, in a message that every reader
understands in one way. Keys that stand twice, or differ only in case, are refused."""

from __future__ import annotations

from typing import Final

import msgspec

from synartesis.domain.canonical import Json, NotJson, decode_json_strictly
from synartesis.wire.messages import NO_SLICE, Request, Slice, member_names, members

_ENVELOPE_KEYS: Final = frozenset({"jsonrpc", "id", "method", "params"})
_PARAM_KEYS: Final = frozenset({"name", "arguments", "_meta", "task"})


class Unacceptable(Exception):
    """The call cannot be judged; the text is for the client."""


class _CallParams(msgspec.Struct, gc=False):
    name: str
    arguments: msgspec.Raw = NO_SLICE


_peek_params = msgspec.json.Decoder(_CallParams).decode
_decode = msgspec.json.Decoder().decode


def peek_call(request: Request) -> tuple[str, Slice]:
    """The name and the arguments of a call. Raises Unacceptable."""
    try:
        params = _peek_params(request.params)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _peek_slowly(request)
    return params.name, params.arguments


def _peek_slowly(request: Request) -> tuple[str, Slice]:
    parts = members(request.params) if memoryview(request.params).nbytes else None
    if parts is None:
        raise Unacceptable("the params of tools/call have to be an object with a name")
    try:
        name = decode_json_strictly(bytes(parts.get("name", b"null")))
    except NotJson:
        name = None
    if not isinstance(name, str):
        raise Unacceptable("the name of the tool has to be a string")
    return name, parts.get("arguments", NO_SLICE)


def refuse_other_method(frame: bytes) -> None:
    """Raises Unacceptable where another reader could take what is no call to us for one: some take the first of two equal
    keys, some match keys without regard to case."""
    found = [name for name in member_names(frame) if name.lower() == "method"]
    if found not in ([], ["method"]):
        raise Unacceptable(f"it could be taken for another method: {', '.join(found)}")


def refuse_ambiguous(frame: bytes) -> None:
    """Raises Unacceptable where two readers could understand the call in two ways.

    Every key is followed by one colon, so where there are no more colons than different keys, no key stands twice, and the
    slow reader need not be asked.
    """
    try:
        message = _decode(frame)
        is_plain = _count_keys(message) == frame.count(b":")
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        is_plain, message = False, None
    if not is_plain:
        message = _decode_strictly(frame)
    _refuse_lookalikes(message)
    arguments = message["params"].get("arguments")
    if arguments is not None and not isinstance(arguments, dict):
        raise Unacceptable("the arguments of a tool have to be an object")


def read_arguments(frame: bytes) -> dict[str, Json]:
    """The arguments of a call, exactly. Raises Unacceptable."""
    message = _decode_strictly(frame)
    _refuse_lookalikes(message)
    arguments = message["params"].get("arguments")
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise Unacceptable("the arguments of a tool have to be an object")
    return arguments


def _decode_strictly(frame: bytes) -> Json:
    try:
        return decode_json_strictly(frame)
    except NotJson as error:
        raise Unacceptable(f"the call cannot be read without doubt: {error}") from None


def _refuse_lookalikes(message: Json) -> None:
    """Some servers match keys without regard to case."""
    for value, known in ((message, _ENVELOPE_KEYS), (message["params"], _PARAM_KEYS)):
        for key in value:
            if key not in known and key.lower() in known:
                raise Unacceptable(f"the key {key!r} could be taken for {key.lower()!r}")


def _count_keys(value: Json) -> int:
    """Keys of all objects in a value. Only as deep as the fast reader reads."""
    if type(value) is dict:
        count, inside = len(value), value.values()
    else:
        count, inside = 0, value
    for one in inside:
        if type(one) is dict or type(one) is list:
            count += _count_keys(one)
    return count
