"""A manifest's file to a Manifest: everything that is wrong with it at once, or nothing at all."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

from synartesis.domain.status import ToolClass
from synartesis.errors import ManifestInvalid
from synartesis.policy.grammar import Key, Reading, as_written, list_of, read_place
from synartesis.policy.manifest import Manifest, Rule
from synartesis.policy.problems import Place, Problem, problem_lines
from synartesis.policy.rules import INVERSE, MARK, RULE, SNAPSHOT, VERIFY, read_rules
from synartesis.policy.servers import SERVER, read_servers
from synartesis.policy.source import Node, Scalar, Unusable, read_source
from synartesis.policy.values import DECODE

_EXAMPLE = "a manifest starts with `version: 1`, `servers:` and `tools:`"


def read_manifest(path: Path) -> Manifest:
    """The manifest at a path. Raises ManifestInvalid with every problem that was found in it."""
    path = Path(os.path.abspath(path))
    data = _read_file(path)
    examined = examine(data, path)
    if examined.manifest is not None:
        return examined.manifest
    count = len(set(examined.problems))
    shown = problem_lines(examined.problems, file=path.name, lines=examined.lines)
    raise ManifestInvalid(
        "\n".join([f"{path} has {'a problem' if count == 1 else f'{count} problems'}:", *shown]),
        hint="correct the file; until then nothing is started",
    )


class Examined(NamedTuple):
    manifest: Manifest | None
    """None where there are problems."""
    problems: list[Problem]
    lines: list[str]


def examine(data: bytes, path: Path) -> Examined:
    """A manifest's bytes, judged. Never raises."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace").split("\n")
        place = Place(len(before), len(before[-1]) + 1)
        return Examined(None, [Problem(place, "this is not UTF-8 text", "save the file as UTF-8")], [])
    source = read_source(text)
    reading = Reading(path.name, PLACES)
    reading.problems.extend(source.problems)
    manifest = _manifest(reading, source.root, data, path) if source.root is not None else None
    if source.root is None and not source.problems:
        reading.problem(Place(1, 1), "the file is empty", _EXAMPLE)
    problems = sorted(dict.fromkeys(reading.problems), key=lambda problem: problem.place)
    return Examined(None if problems else manifest, problems, source.lines)


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ManifestInvalid(
            f"there is no manifest at {path}", hint="write one there, or name another with --manifest FILE"
        ) from None
    except OSError as error:
        raise ManifestInvalid(
            f"the manifest {path} cannot be read: {error.strerror}", hint="it must be a file that you may read"
        ) from None
    except ValueError:
        raise ManifestInvalid(f"{str(path)!r} is not a path", hint="name the manifest with --manifest FILE") from None


def _manifest(reading: Reading, root: Node, data: bytes, path: Path) -> Manifest | None:
    if isinstance(root, Scalar) and root.value is None:
        reading.problem(Place(1, 1), "the file is empty", _EXAMPLE)
        return None
    fields = read_place(reading, root, "the manifest")
    if fields is None:
        return None
    servers = read_servers(reading, fields.node("servers")) if fields.given("servers") else ()
    rules = (read_rules(reading, fields.node("tools")) if fields.given("tools") else None) or ()
    if not rules:
        reading.warn(Place(1, 1), "there are no rules, so every call of every tool is held")
    _warn_of_writing_reads(reading, rules)
    warnings = sorted(reading.warnings, key=lambda warning: warning[0])
    return Manifest(
        path=path,
        digest=hashlib.sha256(data).hexdigest(),
        servers=servers,
        rules=rules,
        notify=fields.get("notify"),
        warnings=tuple(f"{reading.where(at)}: {message}" for at, message in warnings),
    )


def _warn_of_writing_reads(reading: Reading, rules: tuple[Rule, ...]) -> None:
    """State is read on the rule's own account, so a tool that this very file says writes is a likely slip."""
    classes = {rule.match: rule for rule in rules}
    for rule in rules:
        for key, read in rule.reads:
            called = classes.get(str(read.tool))
            if called and called.tool_class is not ToolClass.READONLY:
                line = int(rule.where.rpartition(":")[2])
                text = f"the {key} calls {called.match}, which {called.where} says is {called.tool_class}"
                reading.warn(Place(line, 1), text)


def _read_version(reading: Reading, node: Node) -> int | None:
    if isinstance(node, Unusable):
        return None
    if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
        if node.value == 1:
            return 1
        reading.problem(
            node, f"this is version {node.value}, and version 1 is what can be read", "write `version: 1`, or update"
        )
        return None
    reading.problem(node, "the version is a number", "write `version: 1`")
    return None


def _later(_: Reading, node: Node) -> Node:
    """Read after all other keys, because rules need to know the servers, wherever in the file these stand."""
    return node


MANIFEST = {
    "version": Key(_read_version, required=True),
    "servers": Key(_later, required=True),
    "tools": Key(_later),
    "notify": Key(list_of(as_written), since="1+"),
}
PLACES = {
    "the manifest": MANIFEST,
    "a server": SERVER,
    "a rule": RULE,
    "a snapshot": SNAPSHOT,
    "a verify": VERIFY,
    "an inverse": INVERSE,
    "an entry": MARK,
    "a decode": DECODE,
}
"""The whole grammar: every key of every place."""
