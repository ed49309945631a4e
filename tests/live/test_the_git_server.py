"""mcp-server-git, a real server that speaks both eras: through the proxy it is as it is without."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.client import JSON, Client
from tests.support.world import World

pytestmark = pytest.mark.live

RULES = """
  - match: "git.git_status"
    class: readonly
  - match: "git.git_log"
    class: readonly
"""

OPENINGS: dict[str, Callable[[Client], JSON]] = {
    "discover": Client.discover,
    "handshake": lambda client: client.initialize("2025-11-25"),
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit, and one file that is not in it."""
    folder = (tmp_path / "repository").resolve()
    folder.mkdir()
    (folder / "plan.md").write_text("# Plan\n", encoding="utf-8")
    nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"]
    for words in (["init", "--quiet"], ["add", "."], [*who, "commit", "--quiet", "--message", "The plan"]):
        subprocess.run(["git", *words], cwd=folder, env=os.environ | nobody, timeout=30, check=True)
    (folder / "new.txt").write_text("new\n", encoding="utf-8")
    return folder


@pytest.fixture
def server(git_server: list[str], repository: Path) -> list[str]:
    return [*git_server, "--repository", str(repository)]


@pytest.mark.parametrize("opening", OPENINGS)
def test_through_the_proxy_the_tools_and_a_read_are_answered_as_without_it(
    world: World, server: list[str], repository: Path, opening: str
) -> None:
    with Client.start(server, env=world.env) as direct:
        expected = session(direct, opening, repository)
    put_behind_the_proxy(world, server)

    with world.start_proxy() as client:
        seen = session(client, opening, repository)
        assert client.close().code == 0

    assert seen == expected
    assert "new.txt" in json.dumps(seen["status"])
    assert "The plan" in json.dumps(seen["log"])
    [run] = world.cli("list", "--json").json
    assert [(run["actions"], run["held"])] == [(2, 0)]


@pytest.mark.parametrize("opening", OPENINGS)
def test_a_write_without_a_rule_is_held_in_both_eras_and_the_index_stays(
    world: World, server: list[str], repository: Path, opening: str
) -> None:
    put_behind_the_proxy(world, server)
    index = (repository / ".git/index").read_bytes()

    with world.start_proxy() as client:
        OPENINGS[opening](client)
        told = client.call("git_add", {"repo_path": str(repository), "files": ["new.txt"]})

    assert told["isError"] is True
    assert told.get("resultType") == ("complete" if opening == "discover" else None)
    assert "No rule of the manifest mentions git.git_add" in told["content"][0]["text"]
    assert (repository / ".git/index").read_bytes() == index


def put_behind_the_proxy(world: World, server: list[str]) -> None:
    body = f"{{command: {json.dumps(server[0])}, args: {json.dumps(server[1:])}}}"
    world.write_manifest(RULES, servers={"git": body})


def session(client: Client, opening: str, repository: Path) -> JSON:
    """What this client is told, but for the instructions: to these the proxy adds its own."""
    hello = OPENINGS[opening](client)
    hello.pop("instructions", None)
    return {
        "hello": hello,
        "tools": client.request("tools/list"),
        "status": client.call("git_status", {"repo_path": str(repository)}),
        "log": client.call("git_log", {"repo_path": str(repository)}),
    }
