"""Servers under the policy that `init` takes for them, as a person sets them up; nothing here edits a manifest."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from tests.support.client import JSON
from tests.support.world import Ran, World


@dataclass
class Guarded:
    """One real server behind the proxy."""

    world: World
    init: Ran
    env: dict[str, str] = field(default_factory=dict)

    @classmethod
    def by_init(cls, world: World, name: str, command: list[str], *options: str, **env: str) -> Self:
        """The manifest is what `init` writes from nothing. `env`: what the server gets from whoever starts the proxy."""
        world.manifest.unlink()
        init = world.cli("init", name, *options, "--", *command, env=env)
        assert init.code == 0, init.err
        return cls(world, init, env)

    def agent(self, *calls: tuple[str, JSON]) -> list[JSON]:
        """One session: these calls, and the end of it."""
        client = self.world.start_proxy(env=self.env)
        client.initialize()
        results = [client.call(tool, arguments) for tool, arguments in calls]
        ended = client.close()
        assert ended.code == 0, ended
        return results

    def cli(self, *words: str) -> Ran:
        return self.world.cli(*words, env=self.env)

    def undo(self, *options: str) -> Ran:
        return self.cli("undo", "--yes", "--json", *options)


def person(name: str, *observations: str) -> JSON:
    return {"name": name, "entityType": "person", "observations": list(observations)}


def knows(one: str, other: str) -> JSON:
    return {"from": one, "to": other, "relationType": "knows"}


def create(*people: JSON) -> tuple[str, JSON]:
    return "create_entities", {"entities": list(people)}


def relate(*relations: JSON) -> tuple[str, JSON]:
    return "create_relations", {"relations": list(relations)}


def outcomes(ran: Ran) -> list[tuple[str, str | None]]:
    """(tool, how far it is proved) of each step of an undo, newest call first."""
    return [(step["tool"], step["confirmation"]) for step in ran.json["steps"]]


def told(result: JSON) -> str:
    text: str = result["content"][0]["text"]
    return text


def git(repository: Path, *words: str) -> str:
    """What git itself says of a repository, nobody's configuration in it."""
    done = subprocess.run(
        ["git", *words],
        cwd=repository,
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_SYSTEM": "/dev/null",
        },
    )
    return done.stdout


def new_repository(folder: Path, **files: str) -> Path:
    """A repository with these files committed."""
    folder.mkdir()
    git(folder, "init", "--quiet", ".")
    git(folder, "config", "user.email", "ada@example.com")
    git(folder, "config", "user.name", "Ada")
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "first")
    return folder
