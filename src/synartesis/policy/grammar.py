"""How the places of a manifest are read: a table of keys per place, and the small readers that the tables are made of.

A reader takes a node and gives a value, or reports what is wrong and gives None. Nothing here knows what a rule means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar

from synartesis.policy.problems import Place, Problem, listed, nearest
from synartesis.policy.source import Mapping as MappingNode
from synartesis.policy.source import Node, Scalar, Sequence, Unusable

T = TypeVar("T")
Reader: TypeAlias = "Callable[[Reading, Node], Any]"


class Key(NamedTuple):
    """One key of one place. Without a reader it is known to the grammar, and not yet to this version."""

    read: Reader | None
    required: bool = False
    since: str = "1"
    """`1`: every version of Synartesis reads it. `1+`: added since; `later`: reserved."""
    instead: str = ""
    """Of a key that is reserved: what to write until then."""
    covers: frozenset[str] = frozenset()
    """Other keys of the place that this one replaces or comes with: where it is the mistake, they are none besides."""


class Reading:
    """One pass over one file: what is wrong so far, and what later places need to know of earlier ones."""

    def __init__(self, file: str, places: Mapping[str, Mapping[str, Key]]) -> None:
        self.file = file
        self.places = places
        self.problems: list[Problem] = []
        self.warnings: list[tuple[Place, str]] = []
        self.servers: frozenset[str] | None = None
        """None where the servers could not be read: names of servers are then not judged."""

    def problem(self, at: Node | Place, message: str, hint: str = "", *, width: int = 1) -> None:
        place, width = (at, width) if isinstance(at, Place) else (at.place, at.width)
        self.problems.append(Problem(place, message, hint, max(1, width)))

    def warn(self, at: Place, message: str) -> None:
        self.warnings.append((at, message))

    def where(self, place: Place) -> str:
        return f"{self.file}:{place.line}"


class Fields:
    """What was read of one mapping. A key may be given and yet have no value: then its problem is reported already."""

    def __init__(self, node: MappingNode, values: dict[str, Any]) -> None:
        self._node = node
        self._values = values

    def get(self, name: str, default: Any = None) -> Any:
        return self._values.get(name, default)

    def given(self, name: str) -> bool:
        return name in self._node.entries

    def key(self, name: str) -> Place:
        return self._node.entries[name].key

    def node(self, name: str) -> Node:
        return self._node.entries[name].value


def read_place(reading: Reading, node: Node, place: str) -> Fields | None:
    """A mapping by the table of its place. Every key is read, whatever is wrong with the others."""
    keys = reading.places[place]
    if not isinstance(node, MappingNode):
        if not isinstance(node, Unusable):
            reading.problem(node, f"{describe(node)}, where {place} is expected", f"write a mapping of {_known(keys)}")
        return None
    values: dict[str, Any] = {}
    covered = {
        other for name in node.entries if name in keys and keys[name].read is None for other in keys[name].covers
    }
    for name, (at, value) in node.entries.items():
        key = keys.get(name)
        if key is None:
            message, hint = _unknown_key(reading, name, place, keys)
            reading.problem(at, message, hint, width=len(name))
        elif key.read is None:
            if name not in covered:
                message = f"this version of Synartesis does not know `{name}` yet"
                reading.problem(at, message, key.instead or "remove it, or update", width=len(name))
        elif (found := key.read(reading, value)) is not None:
            values[name] = found
    for name, key in keys.items():
        if key.required and name not in node.entries and name not in covered:
            reading.problem(node, f"{place} needs `{name}`", f"add `{name}:`")
    return Fields(node, values)


def _known(keys: Mapping[str, Key]) -> str:
    return listed(name for name, key in keys.items() if key.read)


def _unknown_key(reading: Reading, name: str, place: str, keys: Mapping[str, Key]) -> tuple[str, str]:
    message = f"`{name}` is not a key of {place}"
    if near := nearest(name, [known for known, key in keys.items() if key.read]):
        return message, f"did you mean `{near}`?"
    for other, table in reading.places.items():
        if name in table:
            return message, f"it belongs into {other}"
    return message, f"{place} knows {_known(keys)}"


# --- readers


def text(reading: Reading, node: Node) -> str | None:
    """A text that is not empty."""
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.value.strip():
        return node.value
    if isinstance(node, Scalar) and node.value is not None and not isinstance(node.value, str):
        reading.problem(node, f"{describe(node)}, where a text is expected", f'write it in quotes: "{node.text}"')
    elif not isinstance(node, Unusable):
        reading.problem(node, f"{describe(node)}, where a text is expected")
    return None


def as_written(reading: Reading, node: Node) -> str | None:
    """A text, or a number or truth value taken as the text that it was written as."""
    if isinstance(node, Scalar) and node.value is not None:
        if "\x00" not in node.text:
            return node.text
        reading.problem(node, "a zero character cannot be handed to a program", "remove it")
    elif not isinstance(node, Unusable):
        reading.problem(node, f"{describe(node)}, where a text is expected", 'write "" for an empty text')
    return None


def truth(reading: Reading, node: Node) -> bool | None:
    if isinstance(node, Scalar) and isinstance(node.value, bool):
        return node.value
    if not isinstance(node, Unusable):
        reading.problem(node, f"{describe(node)}, where `true` or `false` is expected")
    return None


def whole_number(reading: Reading, node: Node) -> int | None:
    """From 1 on."""
    if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool) and node.value > 0:
        return node.value
    if not isinstance(node, Unusable):
        reading.problem(node, f"{describe(node)}, where a whole number from 1 on is expected")
    return None


def one_of(choices: Iterable[str]) -> Reader:
    known = [str(choice) for choice in choices]

    def read(reading: Reading, node: Node) -> str | None:
        if isinstance(node, Unusable):
            return None
        if isinstance(node, Scalar) and node.value in known:
            return node.text
        near = nearest(node.text, known) if isinstance(node, Scalar) else ""
        hint = f"did you mean `{near}`?" if near else f"write one of {listed(known)}"
        reading.problem(node, f"{describe(node)} is none of {listed(known)}", hint)
        return None

    return read


def list_of(read: Callable[[Reading, Node], T | None]) -> Callable[[Reading, Node], tuple[T, ...] | None]:
    """A list; what cannot be read of it is reported and left out."""

    def read_list(reading: Reading, node: Node) -> tuple[T, ...] | None:
        if isinstance(node, Sequence):
            return tuple(value for item in node.items if (value := read(reading, item)) is not None)
        if not isinstance(node, Unusable):
            hint = f"write [{node.text}]" if isinstance(node, Scalar) and node.text else "write `- ` before each item"
            reading.problem(node, f"{describe(node)}, where a list is expected", hint)
        return None

    return read_list


def entries(reading: Reading, node: Node, what: str) -> Iterator[tuple[str, Place, Node]]:
    """The entries of a mapping with free names."""
    if isinstance(node, MappingNode):
        for name, (at, value) in node.entries.items():
            yield name, at, value
    elif not isinstance(node, Unusable):
        reading.problem(node, f"{describe(node)}, where {what} is expected", "write `name: value` lines")


def describe(node: Node) -> str:
    """What stands there, in words."""
    match node:
        case Scalar(value=None):
            return "nothing stands here"
        case Scalar(value=bool()):
            return f"`{node.text}` is a truth value"
        case Scalar(value=str()):
            return f'"{node.text[:40]}"' if node.text else "an empty text"
        case Scalar():
            return f"`{node.text[:40]}` is a number"
        case Sequence():
            return "a list stands here"
        case _:
            return "a mapping stands here"
