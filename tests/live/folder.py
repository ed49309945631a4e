"""A folder that the real filesystem server works on under its shipped policy, an agent that calls it, and a person."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tests.support.client import JSON
from tests.support.world import ROOT, Ran, World

POLICY = ROOT / "src/synartesis/manifests/filesystem.yaml"


@dataclass
class Folder:
    world: World
    path: Path

    @classmethod
    def under(cls, world: World, server: list[str]) -> Self:
        """The shipped policy with the program and the folder put in, as its user does."""
        folder = world.files.resolve()
        policy = POLICY.read_text(encoding="utf-8")
        program = f"    command: {json.dumps(server[0])}\n    args: {json.dumps([*server[1:], str(folder)])}\n"
        edited, places = re.subn(r"    command: npx\n    args: .*\n", lambda _: program, policy)
        assert places == 1
        world.write_manifest(text=edited)
        return cls(world, folder)

    def __getitem__(self, name: str) -> Path:
        return self.path / name

    def put(self, **files: bytes | None) -> None:
        """Files by their contents; None where there shall be none."""
        for name, content in files.items():
            if content is not None:
                self[name].write_bytes(content)

    def hashes(self) -> dict[str, str]:
        """The SHA-256 of everything in it, by name; folders are only named."""
        return {
            str(path.relative_to(self.path)): hashlib.sha256(path.read_bytes()).hexdigest()
            if path.is_file()
            else "folder"
            for path in sorted(self.path.rglob("*"))
        }

    # The agent

    def agent(self, *calls: tuple[str, JSON]) -> list[JSON]:
        return self.world.agent(*calls)

    def write(self, name: str, content: str) -> tuple[str, JSON]:
        return "write_file", {"path": str(self[name]), "content": content}

    def edit(self, name: str, old: str, new: str, **more: Any) -> tuple[str, JSON]:
        return "edit_file", {"path": str(self[name]), "edits": [{"oldText": old, "newText": new}], **more}

    def move(self, source: str, destination: str) -> tuple[str, JSON]:
        return "move_file", {"source": str(self[source]), "destination": str(self[destination])}

    # The person

    def undo(self, *options: str) -> Ran:
        return self.world.cli("undo", "--yes", "--json", *options)

    def actions(self) -> list[JSON]:
        """The newest agent's calls, as `show` prints them."""
        run = next(row["id"] for row in self.world.cli("list", "--json").json if row["kind"] == "agent")
        actions: list[JSON] = self.world.cli("show", run, "--json").json["actions"]
        return actions


def steps(ran: Ran) -> list[tuple[str, str, str | None]]:
    """What an undo did or would do: (tool, kind, confirmation) of each step, newest call first."""
    return [(step["tool"], step["kind"], step["confirmation"]) for step in ran.json["steps"]]


def text(result: JSON) -> str:
    told: str = result["content"][0]["text"]
    return told
