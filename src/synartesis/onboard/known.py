"""The policies that ship with Synartesis, and which of them fits a server: judged by what it advertises, never by its name or
its command line. A policy is taken whole or not at all: one rule that does not fit means that it was made for another server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from synartesis.errors import UsageError
from synartesis.onboard.draft import Draft
from synartesis.onboard.introspect import tool_names
from synartesis.onboard.spelling import key, quoted
from synartesis.policy.matching import Policy, matches
from synartesis.policy.problems import nearest
from synartesis.policy.reader import examine
from synartesis.policy.source import Mapping, Node, Scalar, Sequence, read_source
from synartesis.policy.verify import verify

NOT_RECOGNISED = frozenset({"toy-crm"})
"""Left out unless asked for by name: on the toy CRM one learns to write rules by hand."""

MOSTLY = 0.5
"""Offering this part of a policy's tools, a server is near enough to say why the policy was not taken."""

Tools = list[dict[str, Any]]


class Shipped(NamedTuple):
    """A policy as it ships."""

    name: str
    server: str
    """What it calls its server."""
    text: str

    @property
    def file(self) -> str:
        return f"{self.name}.yaml"


class Fit(NamedTuple):
    """A policy that fits, under the user's name for the server."""

    policy: str
    header: tuple[str, ...]
    """What it holds and where it runs out, for a comment above its rules."""
    rules: tuple[Draft, ...]

    @property
    def about(self) -> str:
        """Its first paragraph: for which server it was made, and how far it was proved."""
        return " ".join(takewhile(bool, self.header))


class Misfit(NamedTuple):
    policy: str
    why: str


def shipped_policies() -> list[str]:
    """The names of all policies that ship."""
    folder = files("synartesis") / "manifests"
    return sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))


def recognise(server: str, tools: Tools) -> Fit | Misfit | None:
    """The policy for exactly these tools; else the nearest one, with what does not fit; None where none is near."""
    offered = set(tool_names(tools))
    nearest_one: tuple[float, Misfit] | None = None
    for name in shipped_policies():
        if name in NOT_RECOGNISED:
            continue
        judged = fit(name, server, tools)
        if isinstance(judged, Fit):
            left_over = _not_covered(judged, server, offered)
            if not left_over:
                return judged
            judged = Misfit(name, f"it says nothing about {server}.{left_over[0]}, which the server offers")
        near = _nearness(load_shipped(name), offered)
        if near > MOSTLY and (nearest_one is None or near > nearest_one[0]):
            nearest_one = near, judged
    return nearest_one[1] if nearest_one else None


def fit(name: str, server: str, tools: Tools) -> Fit | Misfit:
    """Whether every rule of one policy works with these tools: what it names is there, and takes what it is given.

    Raises UsageError where no policy of this name ships.
    """
    shipped = load_shipped(name)
    text = _renamed(shipped, server)
    manifest = examine(text.encode(), Path("/", shipped.file)).manifest
    if manifest is None:
        return Misfit(name, f"it cannot be used for a server named {server}")
    for finding in verify(Policy(manifest), {server: tools}):
        if finding.severity != "note":
            return Misfit(name, finding.text)
    texts = zip(manifest.rules, _rule_texts(text), _rule_values(text), strict=True)
    rules = tuple(Draft(rule.match, lines, fields) for rule, lines, fields in texts)
    return Fit(name, _header(text), rules)


@cache
def load_shipped(name: str) -> Shipped:
    """Raises UsageError with the nearest name."""
    known = shipped_policies()
    if name not in known:
        near = nearest(name, known)
        hint = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
        raise UsageError(f"no policy named {name!r} ships with Synartesis", hint=hint)
    text = (files("synartesis") / "manifests" / f"{name}.yaml").read_text(encoding="utf-8")
    manifest = examine(text.encode(), Path("/", f"{name}.yaml")).manifest
    assert manifest is not None, name
    return Shipped(name, manifest.servers[0].name, text)


def _not_covered(judged: Fit, server: str, offered: set[str]) -> list[str]:
    return sorted(tool for tool in offered if not any(matches(rule.match, f"{server}.{tool}") for rule in judged.rules))


def _nearness(shipped: Shipped, offered: set[str]) -> float:
    own = re.findall(rf'match: "{re.escape(shipped.server)}\.([^"*]+)"', shipped.text)
    return len(offered & set(own)) / len(own) if own else 0.0


# --- the text of a shipped policy: its rules start with `  - `, and a name of a tool is always in double quotes


def _renamed(shipped: Shipped, server: str) -> str:
    """The same file for a server of another name, line by line."""
    text = re.sub(rf"^  {re.escape(shipped.server)}:", lambda _: f"  {key(server)}:", shipped.text, flags=re.MULTILINE)
    prefix = quoted(f"{server}.").removesuffix('"')
    return re.sub(rf'\b(match|tool): "{re.escape(shipped.server)}\.', lambda found: f"{found[1]}: {prefix}", text)


def _rule_texts(text: str) -> Iterator[tuple[str, ...]]:
    """The lines of each rule, with the comments above it, two columns to the left."""
    lines = text[text.index("\ntools:\n") :].splitlines()[2:]
    found: list[str] = []
    has_begun = False
    for line in [*lines, "  - "]:
        starts = line.startswith("  - ")
        if has_begun and (starts or not line.startswith("   ")):
            yield tuple(found)
            found, has_begun = [], False
        found.append(line[2:])
        has_begun = has_begun or starts


def _rule_values(text: str) -> list[dict[str, Any]]:
    root = read_source(text).root
    values = _value(root)["tools"] if root is not None else []
    return list(values)


def _value(node: Node) -> Any:
    match node:
        case Mapping(entries=entries):
            return {name: _value(entry.value) for name, entry in entries.items()}
        case Sequence(items=items):
            return [_value(item) for item in items]
        case Scalar(value=value):
            return value
        case _:
            return None


def _header(text: str) -> tuple[str, ...]:
    """The comment on top of the file, without the line that says what to do with the file itself."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        if "synartesis check" not in line:
            lines.append(line.removeprefix("#").removeprefix(" "))
    return tuple(lines)
