"""Real servers, each with calls that a client can make of it and the rules that let them through."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from tests.live.conftest import NODE_PACKAGES, PYTHON_PROGRAMS, installed, newer_node
from tests.live.servers import new_repository
from tests.support.world import World

ToolCall: TypeAlias = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Peer:
    """A server and the folder that it works on."""

    command: list[str]
    folder: Path
    fill: Callable[[Path], object]
    """Makes the folder as it is before the first call."""
    calls: list[ToolCall]
    rules: str
    """Of the tools that are not simply passed on."""
    reads: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)

    def start_over(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.fill(self.folder)

    def put_behind(self, world: World) -> None:
        body = {"command": self.command[0], "args": self.command[1:], "env": self.env}
        reads = "".join(f'  - {{match: "s.{tool}", class: readonly}}\n' for tool in self.reads)
        others = '  - {match: "s.*", class: irreversible, gate: never}\n'
        servers = f"servers:\n  s: {json.dumps(body)}\n"
        world.write_manifest(text=f"version: 1\n{servers}tools:\n{reads}{self.rules}{others}")


def everything(folder: Path) -> Peer:
    calls: list[ToolCall] = [
        ("echo", {"message": "na\u00efve \U0001f600"}),
        ("get-sum", {"a": 1, "b": 2.5}),
        ("get-tiny-image", {}),
        ("get-annotated-message", {"messageType": "error", "includeImage": True}),
        ("get-structured-content", {"location": "Chicago"}),
        ("get-resource-links", {"count": 2}),
        ("trigger-long-running-operation", {"duration": 0.2, "steps": 2}),
        ("get-sum", {"a": "no number"}),
    ]
    command = [newer_node(), _script("@modelcontextprotocol/server-everything/dist/index.js"), "stdio"]
    return Peer(command, folder, Path.mkdir, calls, "", ("get-*",))


def filesystem(folder: Path) -> Peer:
    rules = """
  - match: "s.write_file"
    class: reversible
    snapshot: {tool: "s.read_text_file", args: {path: "$.path"}, absent_when: ["ENOENT"]}
    inverse: {tool: "s.write_file", args: {path: "$.path", content: "$snapshot.content"}}
"""
    file = str(folder / "plan.md")
    calls: list[ToolCall] = [
        ("read_text_file", {"path": file}),
        ("write_file", {"path": file, "content": '{"b": 2,  "a": 1}\n'}),
        ("read_text_file", {"path": file}),
        ("edit_file", {"path": file, "edits": [{"oldText": "2", "newText": "3"}]}),
        ("list_directory", {"path": str(folder)}),
        ("read_text_file", {"path": str(folder / "absent")}),
    ]
    command = [newer_node(), _script("@modelcontextprotocol/server-filesystem/dist/index.js"), str(folder)]
    return Peer(command, folder, _fill_with_a_file, calls, rules, ("read_*", "list_*"))


def memory(folder: Path) -> Peer:
    rules = """
  - match: "s.create_entities"
    class: reversible
    snapshot: {tool: "s.read_graph", args: {}}
    inverse: {tool: "s.delete_entities", args: {entityNames: "$result.entities[].name"}}
"""
    ada = {"name": "Ada", "entityType": "person", "observations": ["na\u00efve"]}
    calls: list[ToolCall] = [
        ("create_entities", {"entities": [ada]}),
        ("add_observations", {"observations": [{"entityName": "Ada", "contents": ["more"]}]}),
        ("read_graph", {}),
        ("add_observations", {"observations": [{"entityName": "nobody", "contents": ["more"]}]}),
        ("delete_entities", {"entityNames": ["Ada"]}),
    ]
    command = [newer_node(), _script("@modelcontextprotocol/server-memory/dist/index.js")]
    env = {"MEMORY_FILE_PATH": str(folder / "graph.jsonl")}
    return Peer(command, folder, Path.mkdir, calls, rules, ("read_graph",), env)


def git(folder: Path) -> Peer:
    repository = str(folder)
    calls: list[ToolCall] = [
        ("git_status", {"repo_path": repository}),
        ("git_add", {"repo_path": repository, "files": ["new.txt"]}),
        ("git_diff_staged", {"repo_path": repository}),
        ("git_reset", {"repo_path": repository}),
        ("git_create_branch", {"repo_path": repository, "branch_name": "side"}),
        ("git_checkout", {"repo_path": repository, "branch_name": "nowhere"}),
    ]
    command = [str(installed(PYTHON_PROGRAMS / "mcp-server-git")), "--repository", repository]
    return Peer(command, folder, _fill_with_a_repository, calls, "", ("git_status", "git_diff*"))


def obsidian(folder: Path) -> Peer:
    """Speaks the later era only."""
    rules = """
  - match: "s.obsidian_create_note"
    class: reversible
    snapshot: {tool: "s.obsidian_list_vaults", args: {}}
    inverse: {tool: "s.obsidian_delete_note", args: {vault: "$.vault", path: "$.path"}}
"""
    calls: list[ToolCall] = [
        ("obsidian_list_vaults", {}),
        ("obsidian_read_note", {"vault": "v", "path": "plan.md"}),
        ("obsidian_create_note", {"vault": "v", "path": "new.md", "content": "na\u00efve"}),
        ("obsidian_add_tags", {"vault": "v", "files": ["new.md"], "tags": ["one"]}),
        ("obsidian_read_note", {"vault": "v", "path": "absent.md"}),
    ]
    serve = ["serve", "--vault", f"v={folder}", "--legacy", "reject"]
    command = [newer_node(), _script("obsidian-mcp/dist/main.js"), *serve]
    return Peer(command, folder, _fill_with_a_vault, calls, rules, ("obsidian_list_vaults", "obsidian_read_note"))


PEERS = {one.__name__: one for one in (everything, filesystem, memory, git, obsidian)}


def _script(path: str) -> str:
    return str(installed(NODE_PACKAGES / path))


def _fill_with_a_file(folder: Path) -> None:
    folder.mkdir()
    (folder / "plan.md").write_text("# Plan\n", encoding="utf-8")


def _fill_with_a_vault(folder: Path) -> None:
    _fill_with_a_file(folder)
    (folder / ".obsidian").mkdir()


def _fill_with_a_repository(folder: Path) -> None:
    new_repository(folder, **{"plan.md": "# Plan\n"})
    (folder / "new.txt").write_text("new\n", encoding="utf-8")
