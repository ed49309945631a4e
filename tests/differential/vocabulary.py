"""What may be said in each revision of MCP, and instances of it: the least that is legal, the most, and more than anybody
knows. messages/*.json lists it in words of our own; see messages/README.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

HERE = Path(__file__).with_name("messages")
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
MODERN = REVISIONS[-1]

Amount = Literal["least", "most", "odd"]

#: Where one of several types may stand, so many instances are made at most, each with another of them.
MAX_CHOICES = 8
#: Types that hold themselves stop here.
MAX_DEPTH = 7

TEXT = 'na\u00efve "\u00fc" \\ / \u2028 \U0001f600'
#: What no revision has, in a place for it.
UNKNOWN_FIELD = ("xNew", {"a": [1, None, {"b": "\u20ac"}]})
UNKNOWN_BLOCK = {"type": "hologram", "data": "zz", "depth": {"m": 3}}


@dataclass(frozen=True)
class Spec:
    """One request or notification of a revision."""

    revision: str
    method: str
    sender: Literal["client", "server"]
    is_request: bool
    params: Any
    needs_params: bool
    results: tuple[Any, ...]


@dataclass(frozen=True)
class Vocabulary:
    revision: str
    specs: tuple[Spec, ...]
    types: dict[str, Any]

    @classmethod
    def of(cls, revision: str) -> Vocabulary:
        data = json.loads((HERE / f"{revision}.json").read_bytes())
        specs = tuple(
            Spec(
                revision=revision,
                method=one["method"],
                sender=one["from"],
                is_request=one["kind"] == "request",
                params=one.get("params", one.get("params?")),
                needs_params="params" in one,
                results=tuple(one.get("results", ())),
            )
            for one in data["messages"]
        )
        return cls(revision, specs, data["types"])

    def params(self, spec: Spec, amount: Amount) -> list[Any]:
        """Instances of its params; None where there are none."""
        if spec.params is None or (amount == "least" and not spec.needs_params):
            return [None]
        return self.instances(spec.params, amount)

    def results(self, spec: Spec, amount: Amount) -> list[Any]:
        return [one for result in spec.results for one in self.instances(result, amount)]

    def instances(self, kind: Any, amount: Amount) -> list[Any]:
        """Different instances of a type: where one of several may stand, each of them stands in one."""
        choices = 1 if amount == "least" else MAX_CHOICES
        made = (self._make(kind, amount, choice, name="", depth=0) for choice in range(choices))
        return list(_different(made))

    def _make(self, kind: Any, amount: Amount, choice: int, *, name: str, depth: int) -> Any:
        if isinstance(kind, str):
            if kind.startswith("@"):
                return self._make(self.types[kind[1:]], amount, choice, name=name, depth=depth)
            return _plain(kind, amount, name)
        match kind:
            case {"const": value}:
                return value
            case {"enum": values}:
                return values[choice % len(values)]
            case {"one of": options}:
                return self._make(options[choice % len(options)], amount, choice, name=name, depth=depth)
            case {"list": item}:
                return self._list(item, amount, choice, name=name, depth=depth)
            case {"map": item}:
                if amount == "least" or depth > MAX_DEPTH:
                    return {}
                return {"k \u00fc": self._make(item, amount, choice, name=name, depth=depth + 1)}
            case {"fields": fields}:
                return self._object(fields, amount, choice, depth=depth)
            case _:
                raise AssertionError(f"an unknown kind of type: {kind}")

    def _list(self, item: Any, amount: Amount, choice: int, *, name: str, depth: int) -> list[Any]:
        if amount == "least" or depth > MAX_DEPTH:
            return []
        options = self._options(item)
        made = [self._make(one, amount, choice + at, name=name, depth=depth + 1) for at, one in enumerate(options)]
        if amount == "odd" and all(isinstance(one, dict) and "type" in one for one in made):
            made.insert(1, UNKNOWN_BLOCK)
        return made

    def _options(self, kind: Any) -> list[Any]:
        while isinstance(kind, str) and kind.startswith("@"):
            kind = self.types[kind[1:]]
        return kind["one of"] if isinstance(kind, dict) and "one of" in kind else [kind]

    def _object(self, fields: dict[str, Any], amount: Amount, choice: int, *, depth: int) -> dict[str, Any]:
        made = {}
        for field, kind in fields.items():
            if field.endswith("?") and (amount == "least" or depth > MAX_DEPTH):
                continue
            name = field.removesuffix("?")
            made[name] = self._make(kind, amount, choice, name=name, depth=depth + 1)
        if amount == "odd":
            made[UNKNOWN_FIELD[0]] = UNKNOWN_FIELD[1]
        return made


def _plain(kind: str, amount: Amount, name: str) -> Any:
    match kind:
        case "string":
            return name if amount == "least" else f"{name} {TEXT}"
        case "integer":
            return 0 if amount == "least" else 9007199254740993
        case "number":
            return 0 if amount == "least" else 0.5
        case "boolean":
            return amount != "least"
        case "null":
            return None
        case _:
            return {} if amount == "least" else {"any": [1, "two", None, {"three": False}]}


def _different(instances: Iterator[Any]) -> Iterator[Any]:
    seen = set()
    for one in instances:
        text = json.dumps(one)
        if text not in seen:
            seen.add(text)
            yield one
