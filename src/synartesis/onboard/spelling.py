"""How a text is spelled in YAML that is written for a person. Texts come from servers: none may end a line or a quote."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from synartesis.domain.canonical import encode_json

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_PLAIN_WORD = re.compile(r"(?:\.{0,2}/)?[A-Za-z_][A-Za-z0-9_./-]*")
_PLAIN_FIELD = re.compile(r"\w+(?:-+\w+)*")
_WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
"""Words that this or another reader of YAML takes for something else than a text."""


def quoted(text: str) -> str:
    """In double quotes, on one line, whatever is in it."""
    return '"' + "".join(map(_escaped, text)) + '"'


def key(text: str) -> str:
    """The key of a mapping: in quotes only where it needs them."""
    return text if _PLAIN_KEY.fullmatch(text) and text.lower() not in _WORDS else quoted(text)


def value(text: str) -> str:
    """A plain word where it cannot be read as anything else."""
    return text if _PLAIN_WORD.fullmatch(text) and text.lower() not in _WORDS else quoted(text)


def texts(items: Iterable[str]) -> str:
    """`["a", "b"]`."""
    return f"[{', '.join(map(quoted, items))}]"


def flow(content: Any) -> str:
    """A JSON value on one line. It is JSON too, but where a character has to be shown as a code."""
    match content:
        case dict():
            return "{" + ", ".join(f"{quoted(name)}: {flow(inner)}" for name, inner in content.items()) + "}"
        case list():
            return f"[{', '.join(map(flow, content))}]"
        case str():
            return quoted(content)
        case _:
            return encode_json(content).decode("ascii")


def reference(source: str, field: str) -> str:
    """`$.field` or `$snapshot["a field"]`, to stand inside of quotes."""
    if _PLAIN_FIELD.fullmatch(field):
        return f"{source}.{field}"
    inner = field.replace("\\", "\\\\").replace('"', '\\"')
    return f'{source}["{inner}"]'


def arguments(pairs: Iterable[tuple[str, str]]) -> str:
    """`{id: "$.id"}`."""
    return "{" + ", ".join(f"{key(name)}: {quoted(written)}" for name, written in pairs) + "}"


def comment(text: str) -> str:
    """Fit to stand in a comment: it stays on its line and commands no terminal."""
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
