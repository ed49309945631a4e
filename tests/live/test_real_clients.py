"""Clients that we did not write, on servers that we did not write: through the proxy they see what they see without it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.live.conftest import CLIENTS, NODE_PACKAGES, installed, newer_node
from tests.live.peers import PEERS, Peer
from tests.support.client import DEADLINE_S
from tests.support.world import World

pytestmark = pytest.mark.live

SESSION = Path(__file__).with_name("clients") / "sdk_session.py"
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.fixture
def peer(request: pytest.FixtureRequest, world: World) -> Peer:
    made: Peer = PEERS[request.param]((world.folder / "work").resolve())
    return made


@pytest.mark.parametrize(
    ("peer", "sdk", "mode", "version"),
    [
        pytest.param(server, sdk, mode, version, id=f"{server}-{sdk}-{mode}")
        for server, sdk, mode, version in (
            ("everything", "client-1", "", "2025-11-25"),
            ("everything", "client-2", "auto", "2025-11-25"),
            ("filesystem", "client-1", "", "2025-11-25"),
            ("filesystem", "client-2", "auto", "2025-11-25"),
            ("memory", "client-1", "", "2025-11-25"),
            ("memory", "client-2", "auto", "2025-11-25"),
            ("git", "client-1", "", "2025-11-25"),
            ("git", "client-2", "legacy", "2025-11-25"),
            ("git", "client-2", "auto", "2026-07-28"),
            ("obsidian", "client-2", "auto", "2026-07-28"),
        )
    ],
    indirect=["peer"],
)
def test_the_python_sdk_lists_and_calls_as_without_us(
    world: World, peer: Peer, sdk: str, mode: str, version: str
) -> None:
    expected = sdk_session(world, peer, sdk, mode, peer.command)
    peer.put_behind(world)

    seen = sdk_session(world, peer, sdk, mode, [*world.program, "proxy", "--manifest", str(world.manifest)])

    assert seen == expected
    assert seen["version"] == version
    assert len(seen["results"]) == len(peer.calls)
    actions = world.cli("show", "--json").json["actions"]
    assert [(one["tool"], one["status"] in ("applied", "rejected")) for one in actions] == [
        (tool, True) for tool, _ in peer.calls
    ]


@pytest.mark.parametrize(
    ("peer", "era"),
    [
        pytest.param(server, era, id=f"{server}-{era}")
        for server, era in (
            ("everything", "legacy"),
            ("filesystem", "auto"),
            ("memory", "legacy"),
            ("git", "legacy"),
            ("git", "modern"),
            ("obsidian", "modern"),
        )
    ],
    indirect=["peer"],
)
def test_the_inspector_prints_what_it_prints_without_us(world: World, peer: Peer, era: str) -> None:
    tool, arguments = peer.calls[0]
    words = [f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in arguments.items()]
    asked = (
        ["--method", "tools/list"],
        ["--method", "tools/call", "--tool-name", tool, *(["--tool-arg", *words] if words else [])],
    )
    peer.start_over()
    expected = [inspector(world, peer, era, peer.command, words) for words in asked]
    peer.put_behind(world)
    peer.start_over()
    proxy = [*world.program, "proxy", "--manifest", str(world.manifest)]

    seen = [inspector(world, peer, era, proxy, words) for words in asked]

    assert seen == expected
    assert f'"{tool}"' in seen[0]


def sdk_session(world: World, peer: Peer, sdk: str, mode: str, command: list[str]) -> dict[str, Any]:
    """What the SDK's client made of the server, its state as at first."""
    peer.start_over()
    asked = {"command": command[0], "args": command[1:], "env": world.env | peer.env, "mode": mode, "calls": peer.calls}
    python = installed(CLIENTS / sdk / "bin" / "python")
    out = run([str(python), str(SESSION), json.dumps(asked)], world)
    seen: dict[str, Any] = json.loads(UUID.sub("(a uuid)", out))
    return seen


def inspector(world: World, peer: Peer, era: str, command: list[str], asked: list[str]) -> str:
    """What `inspector --cli` prints. Options that are the server's own come before the Inspector's."""
    cli = str(installed(NODE_PACKAGES / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"))
    env = [word for name, value in peer.env.items() for word in ("-e", f"{name}={value}")]
    return run([newer_node(), cli, "--cli", *command, *env, "--protocol-era", era, *asked], world)


def run(argv: list[str], world: World) -> str:
    done = subprocess.run(
        argv, env=world.env, cwd=world.folder, capture_output=True, timeout=2 * DEADLINE_S, check=False
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-3000:]
    return done.stdout.decode()
