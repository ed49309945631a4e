"""A client's own file, connected; the session that it then starts as a desktop program would; and an undo from a terminal."""

from __future__ import annotations

import json
import os
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from synartesis.workspace.bare_path import BARE_PATH
from tests.support.client import Client
from tests.support.world import ROOT, World

SECRET = "not-to-be-copied"


def a_server_that_needs_its_token(world: World) -> Path:
    script = world.folder / "crm-server"
    script.write_text(
        f'#!/bin/sh\n[ "$CRM_TOKEN" = "{SECRET}" ] || {{ echo "no token" >&2; exit 7; }}\n'
        f'exec "{sys.executable}" -m synartesis.demo.toy_crm --state "{world.folder}/crm.json"\n'
    )
    script.chmod(0o755)
    return script


def the_policy_of_the_toy_crm(world: World, script: Path) -> None:
    """With the server as the client has it, so that it is the same one."""
    text = files("synartesis").joinpath("manifests/toy-crm.yaml").read_text(encoding="utf-8")
    lines = text.split("\n")
    lines[lines.index("    command: python3")] = f"    command: {json.dumps(str(script))}"
    world.write_manifest(text="\n".join(line for line in lines if not line.startswith("    args:")))


def start_as_a_desktop_program(entry: dict[str, Any], world: World) -> Client:
    """A bare PATH, the root folder, and nothing but what the entry sets. (PYTHONPATH: where this is not installed.)"""
    env = {"PATH": BARE_PATH, "HOME": str(world.home), "PYTHONPATH": str(ROOT / "src"), **entry["env"]}
    return Client.start([entry["command"], *entry["args"]], env=env, cwd=Path("/"))


def test_connected_damaged_and_undone_with_the_secret_where_it_always_was(world: World) -> None:
    script = a_server_that_needs_its_token(world)
    the_policy_of_the_toy_crm(world, script)
    file = world.home / ".claude.json"
    file.write_text(
        json.dumps({"mcpServers": {"crm": {"command": str(script), "env": {"CRM_TOKEN": SECRET}}}}, indent=2)
    )
    before = file.read_bytes()

    connected = world.cli("connect", "claude-code", "--yes")
    assert connected.code == 0, connected.err
    customers = (world.folder / "crm.json").read_bytes()
    with start_as_a_desktop_program(json.loads(file.read_bytes())["mcpServers"]["crm"], world) as client:
        client.initialize()
        client.call("update_customer", {"id": "c_001", "plan": "free"})
        client.call("delete_customer", {"id": "c_002"})
        assert client.close().code == 0
    assert (world.folder / "crm.json").read_bytes() != customers
    undone = world.cli("undo", "--yes")

    assert undone.code == 0, undone.out + undone.err
    assert (world.folder / "crm.json").read_bytes() == customers
    assert "CRM_TOKEN" not in os.environ, "nobody typed it"
    assert world.cli("disconnect", "claude-code", "--yes").code == 0
    assert file.read_bytes() == before
    holding = {path for path in world.folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()}
    assert holding == {script, file}
