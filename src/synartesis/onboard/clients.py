"""MCP clients: where each keeps its servers, how it spells them, and what of it never goes through a proxy.

The formats are those of the clients' own documentation. Reads nothing; `entries` reads what stands there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from synartesis.onboard.configs import config
from synartesis.onboard.configs.config import Config, look_up


class Around(NamedTuple):
    """Whose machine this is, and where on it a command was typed."""

    home: Path
    folder: Path
    environ: Mapping[str, str]
    is_mac: bool = False


class Place(NamedTuple):
    """One file in which a client may have servers."""

    file: Path
    project: Path | None = None
    """The folder that it is for; None: for everything that this person does."""


class Table(NamedTuple):
    """Where in a file servers stand."""

    path: config.Path
    project: Path | None


class Client(NamedTuple):
    name: str
    """What is typed."""
    title: str
    syntax: Literal["json", "toml"]
    key: str
    """The table of servers."""
    places: Callable[[Around], list[Place]]
    """The person's own file first."""
    fields: Mapping[str, str]
    """What an entry needs besides command and args."""
    expands: Literal["", "${", "$"]
    """How variables in its arguments start that the client fills in."""
    own_tools: str
    """What it can do without any server, and so past the proxy."""

    def tables(self, data: Mapping[str, Any], place: Place, around: Around) -> list[Table]:
        """The tables of servers that count in the current folder."""
        found = [Table((self.key,), place.project)]
        if self.name == "claude-code" and place.project is None:
            projects = look_up(data, ("projects",))
            known = projects if isinstance(projects, Mapping) else {}
            folders = (folder for folder in (around.folder, *around.folder.parents) if str(folder) in known)
            found += [Table(("projects", str(folder), self.key), folder) for folder in folders]
        return found

    def elsewhere(self, data: Mapping[str, Any], place: Place, around: Around) -> list[str]:
        """Other projects that have servers of their own in this file."""
        here = {table.path[1] for table in self.tables(data, place, around) if len(table.path) > 1}
        projects = look_up(data, ("projects",)) if self.name == "claude-code" and place.project is None else None
        named = projects.items() if isinstance(projects, Mapping) else ()
        return [folder for folder, of in named if folder not in here and look_up(of, (self.key,))]


def _claude_code(around: Around) -> list[Place]:
    moved = around.environ.get("CLAUDE_CONFIG_DIR")
    own = Path(moved) if moved else around.home
    return [Place(own / ".claude.json"), *_upwards(around, ".mcp.json")]


def _claude_desktop(around: Around) -> list[Place]:
    return [Place(_settings(around) / "Claude" / "claude_desktop_config.json")]


def _cursor(around: Around) -> list[Place]:
    return [Place(around.home / ".cursor" / "mcp.json"), *_upwards(around, ".cursor/mcp.json")]


def _vscode(around: Around) -> list[Place]:
    return [Place(_settings(around) / "Code" / "User" / "mcp.json"), *_upwards(around, ".vscode/mcp.json")]


def _codex(around: Around) -> list[Place]:
    own = Path(around.environ.get("CODEX_HOME") or around.home / ".codex")
    return [Place(own / "config.toml"), *_upwards(around, ".codex/config.toml")]


def _gemini(around: Around) -> list[Place]:
    return [Place(around.home / ".gemini" / "settings.json"), *_upwards(around, ".gemini/settings.json")]


def _settings(around: Around) -> Path:
    if around.is_mac:
        return around.home / "Library" / "Application Support"
    return Path(around.environ.get("XDG_CONFIG_HOME") or around.home / ".config")


def _upwards(around: Around, name: str) -> Iterable[Place]:
    """The nearest such file from the current folder upwards. The home is no project: what stands there is the person's own."""
    for folder in (around.folder, *around.folder.parents):
        if folder != around.home and (folder / name).is_file():
            return [Place(folder / name, folder)]
    return []


CLIENTS = (
    Client(
        "claude-code",
        "Claude Code",
        "json",
        "mcpServers",
        _claude_code,
        {"type": "stdio"},
        "${",
        "its own shell, edit and web tools, and plugins",
    ),
    Client(
        "claude-desktop",
        "Claude Desktop",
        "json",
        "mcpServers",
        _claude_desktop,
        {},
        "",
        "its extensions and connectors",
    ),
    Client("cursor", "Cursor", "json", "mcpServers", _cursor, {}, "${", "its own terminal and edit tools"),
    Client(
        "vscode",
        "VS Code",
        "json",
        "servers",
        _vscode,
        {"type": "stdio"},
        "${",
        "its own terminal and edit tools, and servers of extensions",
    ),
    Client("codex", "Codex CLI", "toml", "mcp_servers", _codex, {}, "", "its own shell and patch tools"),
    Client(
        "gemini", "Gemini CLI", "json", "mcpServers", _gemini, {}, "$", "its own shell and edit tools, and extensions"
    ),
)


def find_client(name: str) -> Client | None:
    return next((client for client in CLIENTS if client.name == name), None)


def understand(client: Client, text: str, name: str) -> Config:
    """Raises NotUnderstood with line and column."""
    if client.syntax == "toml":
        from synartesis.onboard.configs.toml import read_toml

        return read_toml(text, name)
    from synartesis.onboard.configs.jsonc import read_json

    return read_json(text, name)
