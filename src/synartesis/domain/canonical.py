"""JSON values, exactly: reading and writing without moving a number, one spelling per value, equality and differences.

Numbers with a fraction or an exponent are `Decimal`, so 19.90, 1e400 and thirty digits keep their value; `True` is never 1;
-0.0 is not 0 (a sign lost is a change). Strings are compared by code point: NFC is not NFD.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple, TypeAlias

import msgspec

from synartesis.domain.paths import EACH, Path, Segment, covers

Json: TypeAlias = Any
"""None, bool, int, Decimal, str, list of Json, dict of str to Json. Never a float."""

MAX_INT_DIGITS = 4000
"""Longer integers are kept as Decimal: Python refuses to convert them by default, and nothing needs their arithmetic."""


class NotJson(ValueError):
    """The bytes are not one JSON text, or hold a number that has no exact value here."""


def decode_json(text: bytes | str) -> Json:
    """One JSON text to a value. Accepts what JSON readers commonly accept (lone surrogates in escapes, a byte-order mark);
    refuses NaN and infinities. Raises NotJson."""
    try:
        return _decoder.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError, InvalidOperation):
        pass  # deep nesting, lone surrogates, huge integers, a byte-order mark: the slow reader takes them, or says why not
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        return json.loads(text, parse_float=_number, parse_int=_integer, parse_constant=_refuse_constant)
    except (ValueError, RecursionError, InvalidOperation) as error:
        raise NotJson(str(error)) from error


def decode_json_strictly(text: bytes | str) -> Json:
    """As `decode_json`, and refuses an object that has one key twice: two readers may take two different ones."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        return json.loads(
            text,
            parse_float=_number,
            parse_int=_integer,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique_pairs,
        )
    except (ValueError, RecursionError, InvalidOperation) as error:
        raise NotJson(str(error)) from error


def encode_json(value: Json) -> bytes:
    """The value as compact JSON on one line, numbers exact, keys in their own order."""
    try:
        return _encoder.encode(value)
    except (UnicodeEncodeError, RecursionError, ValueError):
        return "".join(_pieces(value)).encode("utf-8")  # lone surrogates: only an escape can carry them


def canonical_json(value: Json) -> bytes:
    """One spelling per value, in UTF-8: sorted keys, numbers by value (1e2 is 100), strings by code point."""
    if _is_plain(value):
        try:
            return _sorting_encoder.encode(value)
        except (UnicodeEncodeError, RecursionError, ValueError):
            pass  # a lone surrogate: only an escape can carry it
    return "".join(_pieces(value, canonical=True)).encode("utf-8")


def fingerprint(identity: str, tool: str, arguments: Json) -> str:
    """What an approval is for: exactly these arguments on this tool of this server."""
    text = canonical_json([identity, tool, arguments])
    return hashlib.sha256(text).hexdigest()


class Difference(NamedTuple):
    """One place where two values differ. `MISSING` stands for no value at all, which is not null."""

    path: Path
    expected: Json
    actual: Json


class Missing:
    """No value: the key or element is not there."""

    def __repr__(self) -> str:
        return "(absent)"


MISSING = Missing()


def same_json(a: Json, b: Json) -> bool:
    """Equal as JSON values."""
    return next(_walk(a, b, (), (), ()), None) is None


def differences(
    expected: Json, actual: Json, *, ignore: Iterable[Path] = (), unordered: Iterable[Path] = ()
) -> list[Difference]:
    """Where two values differ, in the order of `expected`. `ignore` leaves paths out (and all below them); the lists at
    `unordered` are compared as multisets."""
    return list(_walk(expected, actual, (), tuple(ignore), tuple(unordered)))


# --- below: how


def _number(text: str) -> Decimal:
    return Decimal(text)


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) <= MAX_INT_DIGITS else Decimal(text)


def _refuse_constant(text: str) -> Json:
    raise NotJson(f"{text} is not JSON")


def _unique_pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise NotJson(f"the key {key!r} stands twice in one object")
            seen.add(key)
    return found


_decoder = msgspec.json.Decoder(float_hook=_number)
_encoder = msgspec.json.Encoder(decimal_format="number")
_sorting_encoder = msgspec.json.Encoder(order="sorted")
_quote_in_ascii = json.encoder.encode_basestring_ascii

_PLAIN_BELOW = 1 << 64
"""Integers below this are spelled out in canonical text; beyond it digits and an exponent stand for them."""


_PLAIN_DIGITS = 20
"""As many as the largest of them has."""


def _is_plain(value: Json) -> bool:
    """Whether the fast encoder spells the value as `_pieces` would: nothing in it but texts, small integers and constants."""
    kind = type(value)
    if kind is dict:
        return all(map(_is_plain, value.values()))
    if kind is list:
        return all(map(_is_plain, value))
    return kind is str or kind is bool or value is None or (kind is int and -_PLAIN_BELOW < value < _PLAIN_BELOW)


def _quote(text: str) -> str:
    try:
        return _encoder.encode(text).decode("utf-8")
    except UnicodeEncodeError:
        return _quote_in_ascii(text)


def _pieces(value: Json, *, canonical: bool = False) -> Iterator[str]:
    """JSON text in pieces, one spelling per string."""
    if value is None:
        yield "null"
    elif value is True:
        yield "true"
    elif value is False:
        yield "false"
    elif isinstance(value, str):
        yield _quote(value)
    elif isinstance(value, int | Decimal):
        yield number_key(value) if canonical else str(value)
    elif isinstance(value, list | tuple):
        yield "["
        for at, element in enumerate(value):
            if at:
                yield ","
            yield from _pieces(element, canonical=canonical)
        yield "]"
    elif isinstance(value, dict):
        yield "{"
        for at, key in enumerate(sorted(value) if canonical else value):
            if at:
                yield ","
            yield _quote(key) + ":"
            yield from _pieces(value[key], canonical=canonical)
        yield "}"
    else:
        raise TypeError(f"{type(value).__name__} is not a JSON value")


def number_key(value: int | Decimal) -> str:
    """One text per numeric value, without ever expanding an exponent: 100, 1e2 and 100.0 give `100`; -0.0 gives `-0`."""
    if isinstance(value, int):
        if -_PLAIN_BELOW < value < _PLAIN_BELOW:
            return str(value)
        value = Decimal(value)
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise TypeError(f"{value} is not a JSON number")
    text = "".join(map(str, digits)).lstrip("0")
    stripped = text.rstrip("0")
    exponent += len(text) - len(stripped)
    if not stripped:
        body = "0"
    elif exponent >= 0 and len(stripped) + exponent <= _PLAIN_DIGITS and int(stripped + "0" * exponent) < _PLAIN_BELOW:
        body = stripped + "0" * exponent
    else:
        body = f"{stripped}E{exponent}"
    return "-" + body if sign else body


def _walk(a: Json, b: Json, path: Path, ignore: tuple[Path, ...], unordered: tuple[Path, ...]) -> Iterator[Difference]:
    if ignore and any(covers(pattern, path) for pattern in ignore):
        return
    if isinstance(a, dict) and isinstance(b, dict):
        for key, value in a.items():
            yield from _walk(value, b.get(key, MISSING), (*path, key), ignore, unordered)
        for key, value in b.items():
            if key not in a:
                yield from _walk(MISSING, value, (*path, key), ignore, unordered)
    elif isinstance(a, list) and isinstance(b, list):
        if unordered and any(len(pattern) == len(path) and covers(pattern, path) for pattern in unordered):
            yield from _walk_unordered(a, b, path, ignore)
            return
        for at in range(max(len(a), len(b))):
            left = a[at] if at < len(a) else MISSING
            right = b[at] if at < len(b) else MISSING
            yield from _walk(left, right, (*path, at), ignore, unordered)
    elif not _same_scalar(a, b):
        yield Difference(path, a, b)


def _walk_unordered(a: list[Json], b: list[Json], path: Path, ignore: tuple[Path, ...]) -> Iterator[Difference]:
    """Elements are matched by value, ignored paths left out of it."""
    below: list[Path] = [pattern for pattern in ignore if len(pattern) > len(path)]
    left = list(b)
    for element in a:
        for at, candidate in enumerate(left):
            here: tuple[Segment, ...] = (*path, EACH)
            if next(_walk(element, candidate, here, tuple(below), ()), None) is None:
                del left[at]
                break
        else:
            yield Difference((*path, EACH), element, MISSING)
    for element in left:
        yield Difference((*path, EACH), MISSING, element)


def _same_scalar(a: Json, b: Json) -> bool:
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, int | Decimal) and isinstance(b, int | Decimal):
        return (a == b and a != 0) or number_key(a) == number_key(b)
    return type(a) is type(b) and a == b if not isinstance(a, Missing) else b is a
