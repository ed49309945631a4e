"""Which servers go behind the proxy, under which names: what a client's files and a manifest say, held against each other.

Pure: what was read in, names and reasons out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from synartesis.errors import UsageError
from synartesis.onboard.clients import Client, Place
from synartesis.onboard.configs.config import Config
from synartesis.onboard.edits import Move
from synartesis.onboard.entries import Entry, looks_secret, option
from synartesis.onboard.extend import NewServer
from synartesis.policy.manifest import ServerSpec
from synartesis.policy.problems import nearest

Command = Callable[[str], list[str]]
"""What a client runs for a server of the manifest."""


class Seen(NamedTuple):
    """A file of a client as it is now."""

    place: Place
    text: str | None
    config: Config
    entries: tuple[Entry, ...]
    elsewhere: tuple[str, ...]
    """Other projects with servers of their own in it."""
    is_named: bool = False
    """Somebody typed its name."""


class Newcomer(NamedTuple):
    """One server that goes behind the proxy."""

    file: Path
    move: Move
    server: NewServer
    is_known: bool
    """The manifest has it already."""
    added: bool
    """The client did not have it."""
    secret: str | None
    """What of its arguments looks like a secret."""


class Left(NamedTuple):
    """A server that stays as it is, and why."""

    name: str
    where: str
    why: str
    hint: str = ""


def check_names(servers: Sequence[str], seen: Sequence[Seen], known: Mapping[str, ServerSpec], client: Client) -> None:
    there = {entry.name for found in seen for entry in found.entries}
    for name in servers:
        if name not in there and name not in known:
            near = nearest(name, [*there, *known])
            hint = f"did you mean {near}?" if near else f"there are {', '.join(sorted({*there, *known})) or 'none'}"
            raise UsageError(f"neither {client.title} nor the manifest has a server named {name!r}", hint=hint)


def newcomers_of_client(
    seen: Sequence[Seen], manifest: Path, known: Mapping[str, ServerSpec], servers: Sequence[str], proxy: Command
) -> tuple[list[Newcomer], list[Left]]:
    """The client's own servers."""
    taken = {name: (spec.command, spec.args, spec.cwd) for name, spec in known.items()}
    newcomers: list[Newcomer] = []
    left: list[Left] = []
    for found in seen:
        for entry in found.entries:
            if entry.kind == "proxy" or (servers and entry.name not in servers):
                continue
            where = f"{found.place.file}:{entry.line}"
            if entry.kind != "server":
                left.append(Left(entry.name, where, entry.why, entry.hint))
                continue
            if found.place.project is not None and not found.is_named:
                # Whoever wrote the project wrote this command. It is started only for somebody who means this very file.
                why = "it comes with this project, and would be started to be asked for its tools"
                left.append(Left(entry.name, where, why, f"if you trust it: --config {found.place.file}"))
                continue
            cwd = str(entry.cwd) if entry.cwd is not None and entry.cwd != manifest.parent else ""
            name = _name_for(entry, cwd, taken)
            server = NewServer(name, entry.command, entry.args, _nameable(entry.env), cwd)
            taken[name] = (entry.command, entry.args, taken.get(name, ("", (), cwd))[2])
            command, *args = proxy(name)
            move = Move(entry.path, name, command, tuple(args))
            newcomers.append(
                Newcomer(found.place.file, move, server, name in known, added=False, secret=looks_secret(entry.args))
            )
    return newcomers, left


def _name_for(entry: Entry, cwd: str, taken: Mapping[str, tuple[str, tuple[str, ...], str]]) -> str:
    """Its own name, fit for a manifest; with the project's, then a number, where the name is another server's already."""
    plain = entry.name.replace(".", "-").replace("*", "-").strip()
    while "__" in plain:
        plain = plain.replace("__", "_")
    names = [plain] + ([f"{plain}-{entry.cwd.name}"] if entry.cwd is not None and entry.cwd.name else [])
    for name in [*names, *(f"{plain}-{number}" for number in range(2, 1000))]:
        command, args, its_cwd = taken.get(name, (entry.command, entry.args, cwd))
        if (command, args) == (entry.command, entry.args) and (entry.cwd is None or its_cwd == cwd):
            return name
    raise AssertionError("a thousand servers of one name")


def _nameable(env: Sequence[str]) -> tuple[str, ...]:
    """Those that `${NAME}` can stand for."""
    return tuple(name for name in env if name.isidentifier() and name.isascii())


def newcomers_of_manifest(
    client: Client,
    seen: Sequence[Seen],
    known: Mapping[str, ServerSpec],
    servers: Sequence[str],
    proxy: Command,
    *,
    only_named: bool,
) -> list[Newcomer]:
    """Servers of the manifest that the client does not have: those that were named, else all, unless `only_named`."""
    own = seen[0]
    there = {entry.name for found in seen for entry in found.entries}
    there |= {
        option(entry.args, "--server") or "" for found in seen for entry in found.entries if entry.kind == "proxy"
    }
    found = []
    for name, spec in known.items():
        wanted = name in servers if servers else spec.expose and not only_named
        if not wanted or name in there:
            continue
        command, *args = proxy(name)
        fields = tuple(client.fields.items())
        move = Move((client.key, name), name, command, tuple(args), fields)
        server = NewServer(name, spec.command, spec.args, (), spec.cwd)
        found.append(Newcomer(own.place.file, move, server, is_known=True, added=True, secret=None))
    return found


def without_open_secrets(
    newcomers: Sequence[Newcomer], manifest: Path, mode_of: Callable[[Path], int]
) -> tuple[list[Newcomer], list[Left]]:
    """Arguments go into the manifest. Those that look secret must not become readable for more people than before."""
    kept: list[Newcomer] = []
    left: list[Left] = []
    for newcomer in newcomers:
        opened = mode_of(manifest) & ~mode_of(newcomer.file) & 0o077
        if newcomer.secret is None or newcomer.is_known or not opened:
            kept.append(newcomer)
            continue
        why = f"its arguments seem to hold a secret ({newcomer.secret}), and more people can read {manifest}"
        left.append(Left(newcomer.move.path[-1], str(newcomer.file), why, f"chmod 600 {manifest}, then try again"))
    return kept, left
