"""The `servers` of a manifest: how each is started. Nothing is expanded or looked up here."""

from __future__ import annotations

import re

from synartesis.policy.environment import PlaceholderError, placeholders
from synartesis.policy.grammar import Key, Reading, as_written, entries, list_of, read_place, text, truth
from synartesis.policy.manifest import ServerSpec
from synartesis.policy.problems import Place
from synartesis.policy.source import Mapping, Node, Scalar, Sequence

_NAME_IN_BRACES = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")


def read_servers(reading: Reading, node: Node) -> tuple[ServerSpec, ...]:
    """All servers that could be read; `reading.servers` then knows the names of all."""
    found: list[ServerSpec] = []
    names: list[str] = []
    for name, at, value in entries(reading, node, "a mapping of servers"):
        names.append(name)
        _check_name(reading, name, at)
        if spec := _server(reading, name, at, value):
            found.append(spec)
    if names:
        reading.servers = frozenset(names)
        if found and not any(spec.expose for spec in found):
            reading.warn(node.place, "every server has `expose: false`, so an agent sees no tools at all")
    elif isinstance(node, Mapping):
        reading.problem(node, "there is no server", "name at least one: `crm: {command: ..., args: [...]}`")
    return tuple(found)


def _check_name(reading: Reading, name: str, at: Place) -> None:
    for part, why in ((".", "a dot separates server and tool"), ("__", "`__` joins server and tool on the wire")):
        if part in name:
            better = name.replace(part, "_" if part == "__" else "-")
            reading.problem(
                at, f"the server name `{name}` holds `{part}`: {why}", f"name it `{better}`", width=len(name)
            )
    if not name.strip() or "*" in name:
        reading.problem(at, f"`{name}` is not a name for a server", "use letters, digits, `-` and `_`", width=len(name))


def _server(reading: Reading, name: str, at: Place, node: Node) -> ServerSpec | None:
    fields = read_place(reading, node, "a server")
    if fields is None:
        return None
    if fields.given("args"):
        _warn_of_literals(reading, fields.node("args"))
    env: tuple[tuple[str, str, Place], ...] = fields.get("env", ())
    return ServerSpec(
        name=name,
        command=fields.get("command", ""),
        args=fields.get("args", ()),
        env=tuple((variable, value) for variable, value, _ in env),
        cwd=fields.get("cwd", ""),
        env_file=fields.get("env_file", ""),
        expose=fields.get("expose", True),
        where=reading.where(at),
        env_where=tuple(reading.where(place) for _, _, place in env),
    )


def _read_env(reading: Reading, node: Node) -> tuple[tuple[str, str, Place], ...]:
    found = []
    for name, at, value in entries(reading, node, "a mapping of variables"):
        if not name or "=" in name or "\x00" in name:
            reading.problem(at, f"`{name}` is not a name for a variable", width=len(name))
        if (written := as_written(reading, value)) is not None:
            try:
                placeholders(written)
            except PlaceholderError as error:
                reading.problem(value, str(error), "write `${NAME}`, or `$${` for a literal `${`")
            found.append((name, written, at))
    return tuple(found)


def _warn_of_literals(reading: Reading, node: Node) -> None:
    """Arguments go to the program as they are written; whoever expects a shell should hear of it."""
    for item in node.items if isinstance(node, Sequence) else ():
        if not isinstance(item, Scalar) or not isinstance(item.value, str):
            continue
        if found := _NAME_IN_BRACES.search(item.value):
            reading.warn(item.place, f"args are not expanded: the server gets `{found[0]}` as it stands; use `env`")
        if item.value.startswith("~"):
            reading.warn(
                item.place, f"args are not expanded: the server gets `{item.value}` as it stands; write the path out"
            )


SERVER = {
    "command": Key(text, required=True),
    "args": Key(list_of(as_written)),
    "env": Key(_read_env),
    "cwd": Key(text, since="1+"),
    "env_file": Key(text, since="1+"),
    "expose": Key(truth, since="1+"),
    "url": Key(
        None,
        since="later",
        instead="name the command of a bridge to it that speaks over stdio: command: ...",
        covers=frozenset({"command", "headers"}),
    ),
    "headers": Key(None, since="later"),
    "helper": Key(
        None,
        since="later",
        instead="the helpers come with a later version; until then leave this server out, or name one of your own: command: ...",
        covers=frozenset({"command", "roots"}),
    ),
    "roots": Key(None, since="later"),
}
