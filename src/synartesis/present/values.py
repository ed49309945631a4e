"""JSON values for people: on one line where they fit, else one line per key. A long value never hides a short one: each text
is shortened by itself, with head and tail, and every key stays in sight."""

from __future__ import annotations

import re
from base64 import b64decode

from synartesis.domain.calls import kept_value
from synartesis.domain.canonical import Json, Missing, NotJson, decode_json
from synartesis.domain.records import Image
from synartesis.present.safe_text import SHORT, cells, shortened, wrapped
from synartesis.present.style import Style

MAX_LINES = 80
"""More lines than this of one value are hidden in the middle, unless the whole is asked for."""

_SHORTEST_BLOB = 8
"""Characters. What is shorter is as easily read as it is."""

COMPACT_LINES = 3
"""A value that may run on does so over about so many lines."""

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,60}")


def one_line(value: Json, limit: int | None = SHORT) -> str:
    """The value as JSON on one line, each text in it shortened; null, no value and empty look different."""
    if isinstance(value, Missing):
        return "(absent)"
    if isinstance(value, dict):
        inner = ", ".join(
            f"{shortened(key, limit, quoted=True)}: {one_line(item, limit)}" for key, item in value.items()
        )
        return "{" + inner + "}"
    if isinstance(value, list):
        return "[" + ", ".join(one_line(item, limit) for item in value) + "]"
    return _scalar(value, limit)


def value_lines(value: Json, style: Style, *, indent: str, label: str = "", compact: bool = False) -> list[str]:
    """The value under a label, in lines of the style's width. `compact` runs on over a few lines before it takes one per key."""
    if compact and _is_small(value, style.width * COMPACT_LINES):
        text = f"{label} {one_line(value, None if style.full else SHORT)}".lstrip()
        return wrapped(text, style.width, indent=indent, hanging=indent + "  | ")
    lines = _lines(value, style, indent, label)
    if style.full or len(lines) <= MAX_LINES:
        return lines
    head, tail = MAX_LINES * 3 // 4, MAX_LINES // 4
    hidden = f"{indent}… {len(lines) - head - tail:,} lines hidden; --full shows them …"
    return [*lines[:head], hidden, *lines[len(lines) - tail :]]


class Told(str):
    """Our own words in the place of a value: shown as they are, and safe already."""


def with_blobs_told(value: Json, *, key: object = None) -> Json:
    """The value, in which bytes as MCP carries them (base64 under `data` or `blob`) are told: as text where they are one, else by
    how many they are. To compare two states by; whoever decides about a call sees what is in it."""
    match value:
        case dict():
            return {name: with_blobs_told(item, key=name) for name, item in value.items()}
        case list():
            return [with_blobs_told(item) for item in value]
        case str() if key in ("data", "blob"):
            return _blob_told(value)
        case _:
            return value


def _blob_told(value: str) -> str:
    try:
        body = b64decode(value, validate=True)
    except ValueError:
        return value
    if len(value) < _SHORTEST_BLOB:
        return value
    try:
        return Told(f"(base64 of the text) {shortened(body.decode('utf-8'), quoted=True)}")
    except UnicodeDecodeError:
        start = shortened(value[: 2 * _SHORTEST_BLOB], quoted=True)
        return Told(f"(base64 of {len(body):,} bytes that are no text, from {start} on)")


def decoded(text: bytes) -> Json:
    """A value from the journal. What is not JSON (it came from outside) is shown as its text."""
    try:
        return decode_json(text)
    except NotJson:
        return text.decode("utf-8", "replace")


def image_value(image: Image) -> Json:
    """What a present image holds: structured content, else the text, parsed where it is JSON so that it can be read."""
    value = kept_value(decoded(image.answer or b"null"))
    try:
        return value.parsed()
    except NotJson:
        return value.whole


# --- below: how


def _lines(value: Json, style: Style, indent: str, label: str) -> list[str]:
    limit = None if style.full else SHORT
    lead = f"{label} " if label else ""
    text = one_line(value, limit) if _is_small(value, style.width) else ""
    if text and cells(indent + lead + text) <= style.width:
        return [indent + lead + text]
    below = indent + "  "
    if isinstance(value, dict) and value:
        lines = [indent + label] if label else []
        inner = below if label else indent
        for key, item in value.items():
            lines += _lines(item, style, inner, _key(key) + ":")
        return lines
    if isinstance(value, list) and value:
        lines = [indent + label] if label else []
        inner = below if label else indent
        for at, item in enumerate(value):
            lines += _lines(item, style, inner, f"[{at}]")
        return lines
    return wrapped(lead + _scalar(value, limit), style.width, indent=indent, hanging=below + "| ")


def _is_small(value: Json, width: int) -> bool:
    """Whether it is worth writing the value on one line at all: a megabyte is not written out to see that it is too long."""
    left = width
    stack = [value]
    while stack and left > 0:
        item = stack.pop()
        left -= 1
        if isinstance(item, dict):
            left -= sum(len(key) for key in item)
            stack.extend(item.values())
        elif isinstance(item, list):
            left -= len(item)
            stack.extend(item)
        elif isinstance(item, str):
            left -= len(item)
    return left > 0


def _scalar(value: Json, limit: int | None) -> str:
    if isinstance(value, Told):
        return value
    if isinstance(value, str):
        return shortened(value, limit, quoted=True)
    if isinstance(value, Missing):
        return "(absent)"
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) else "[]"
    return shortened(str(value), limit)


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else shortened(key, 80, quoted=True)
