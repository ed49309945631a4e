"""The servers that a client's file names: which can go behind the proxy, which are there already, and why the others cannot.

Pure: a value in, an Entry out. An entry's arguments go into a manifest, where nothing but `env` is expanded, so whatever only the
client could fill in is left to the client.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from synartesis.onboard.clients import Around, Client, Table
from synartesis.onboard.configs import config
from synartesis.onboard.configs.config import Config, line_and_column, look_up

Kind = Literal["server", "proxy", "remote", "odd"]


class Entry(NamedTuple):
    """One server as a client has it."""

    path: config.Path
    kind: Kind
    line: int
    command: str = ""
    args: tuple[str, ...] = ()
    cwd: Path | None = None
    """Where it runs; None where that depends on how the client was started."""
    env: tuple[str, ...] = ()
    """Names of the variables that the client sets for it."""
    why: str = ""
    """Why it is left as it is."""
    hint: str = ""

    @property
    def name(self) -> str:
        return self.path[-1]


def read_entries(client: Client, found: Config, table: Table, around: Around) -> list[Entry]:
    """In the order of the file."""
    named = look_up(found.data, table.path)
    if not isinstance(named, Mapping):
        return []
    entries = []
    for name, fields in named.items():
        path = (*table.path, name)
        line = line_and_column(found.text, found.span(path).start)[0]
        entries.append(_read_entry(client, fields, Entry(path, "odd", line), table.project, around))
    return entries


def is_proxy(command: object, args: object) -> bool:
    """Whether this starts our proxy."""
    if not isinstance(command, str) or not isinstance(args, list | tuple):
        return False
    words = [os.path.basename(command), *args]
    return (
        words[0] == "synartesis-proxy"
        or words[:2] == ["synartesis", "proxy"]
        or words[1:4] == ["-m", "synartesis", "proxy"]
    )


def option(args: tuple[str, ...] | list[str], name: str) -> str | None:
    """`--server NAME` of a proxy's arguments."""
    for at, word in enumerate(args):
        if word == name and at + 1 < len(args):
            return args[at + 1]
        if word.startswith(name + "="):
            return word.partition("=")[2]
    return None


def looks_secret(args: tuple[str, ...]) -> str | None:
    """The first argument that probably is one, or says that the next one is; without its value."""
    for word in args:
        if _SECRET_NAME.match(word):
            return word.partition("=")[0]
        if _SECRET_VALUE.search(word):
            return "one that looks like a key or a password"
    return None


def variables(client: Client, fields: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, str]:
    """What an entry sets for its server, as far as it can be known without its client: a value that stands there, or that of a
    variable of ours which it names. What the client would ask a person for is not among them."""
    env = fields.get("env")
    found = {}
    for name, value in env.items() if isinstance(env, Mapping) else ():
        if not isinstance(value, str):
            continue
        known = _expanded(value, environ) if client.expands else value
        if known is not None:
            found[name] = known
    return found


# --- below: how

_SECRET_NAME = re.compile(
    r"--?[\w-]*(token|secret|passw(or)?d|api-?_?key|access-?_?key|credential)s?\b"
    r"|[\w-]*(token|secret|passw(or)?d|api_?key|access_?key)=.",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(
    r"://[^/@\s:]+:[^/@\s]+@|\b(sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|AKIA|Bearer )[\w-]{6,}"
)
_REMOTE_FIELDS = ("url", "httpUrl", "serverUrl", "tcp")
_REMOTE_TYPES = ("http", "sse", "streamable-http", "streamableHttp", "ws")
_VARIABLE = {"${": re.compile(r"\$\{[^}]*\}?"), "$": re.compile(r"\$\{[^}]*\}?|\$\w+|%\w+%")}


def _read_entry(client: Client, fields: Any, blank: Entry, project: Path | None, around: Around) -> Entry:
    if not isinstance(fields, Mapping):
        return blank._replace(why="it is not a table of fields")
    if any(field in fields for field in _REMOTE_FIELDS) or fields.get("type") in _REMOTE_TYPES:
        return blank._replace(
            kind="remote", why="it is a remote server; so far only local ones can go behind the proxy"
        )
    command, args, env = fields.get("command"), fields.get("args", []), fields.get("env") or {}
    if not isinstance(command, str) or not command:
        return blank._replace(why="it has no command")
    if not isinstance(args, list) or not all(isinstance(word, str) for word in args):
        return blank._replace(why="its args are not a list of texts")
    if is_proxy(command, args):
        return blank._replace(kind="proxy", command=command, args=tuple(args))
    if not isinstance(env, Mapping):
        return blank._replace(why="its env is not a table of variables")
    if fields.get("sandboxEnabled") is True:
        return blank._replace(
            why=f"{client.title} runs it in a sandbox, in which the proxy could not write its journal"
        )
    words = tuple(_filled_in(word, client, project, around) for word in (command, *args))
    entry = blank._replace(command=words[0], args=words[1:], env=tuple(env))
    return _placed(client, entry, fields.get("cwd"), project, around)


def _placed(client: Client, entry: Entry, written: Any, project: Path | None, around: Around) -> Entry:
    """With the folder in which it runs, or with the reason why it cannot be moved."""
    cwd = _filled_in(written, client, project, around) if isinstance(written, str) else ""
    for word in (entry.command, *entry.args, cwd):
        if client.expands and (found := _VARIABLE[client.expands].search(word)):
            return entry._replace(
                why=f"its arguments hold {found[0]}, which only {client.title} fills in",
                hint="write the value out, or let the server read it from its env",
            )
    if " " in entry.command and not entry.args and not os.path.exists(entry.command):
        return entry._replace(
            why="its command is a whole command line", hint="put the program into command, the rest into args"
        )
    if cwd and not os.path.isabs(cwd) and project is None:
        return entry._replace(
            why=f"its cwd {cwd} is relative to wherever {client.title} was started", hint="write an absolute path"
        )
    folder = project / cwd if project is not None else Path(cwd) if cwd else None
    relative = next(_relative(entry), None)
    if folder is None and relative is not None:
        return entry._replace(
            why=f"it uses {relative}, which is relative to wherever {client.title} was started",
            hint="write an absolute path",
        )
    return entry._replace(kind="server", cwd=folder)


def _relative(entry: Entry) -> Iterator[str]:
    if "/" in entry.command and not os.path.isabs(entry.command):
        yield entry.command
    for word in entry.args:
        value = word.partition("=")[2] if word.startswith("-") else word
        if value in (".", "..") or value.startswith(("./", "../")):
            yield word


_WHOLE = re.compile(r"\$\{(?:env:)?(?P<name>\w+)(?::-(?P<default>[^}]*))?\}|\$(?P<bare>\w+)")


def _expanded(value: str, environ: Mapping[str, str]) -> str | None:
    whole = _WHOLE.fullmatch(value)
    if whole is None:
        return None if "${" in value else value
    return environ.get(whole["name"] or whole["bare"], whole["default"])


def _filled_in(word: str, client: Client, project: Path | None, around: Around) -> str:
    """With what is known of what the client would fill in: folders, never the value of a variable that may be a secret."""
    known = {
        "userHome": str(around.home),
        "HOME": str(around.home),
        "env:HOME": str(around.home),
        "pathSeparator": "/",
        "/": "/",
    }
    if project is not None:
        known |= {
            "workspaceFolder": str(project),
            "workspaceFolderBasename": project.name,
            "CLAUDE_PROJECT_DIR": str(project),
        }
    if not client.expands:
        return word
    return re.sub(r"\$\{([^}]*)\}", lambda found: known.get(found[1], found[0]), word)
