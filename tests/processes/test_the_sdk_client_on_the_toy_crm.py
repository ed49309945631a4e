"""The MCP Python SDK's client and the toy CRM, both of which speak both eras: the whole loop in each, and nothing that tells
the one from the other in what is recorded and undone."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from synartesis.demo.toy_crm import TOOLS
from tests.support.world import ROOT, World

MODERN, LEGACY = "2026-07-28", "2025-11-25"
POLICY = ROOT / "src/synartesis/manifests/toy-crm.yaml"


@pytest.fixture
def crm(world: World) -> World:
    """The toy CRM under its shipped policy, with its three customers."""
    policy = POLICY.read_text(encoding="utf-8").replace("command: python3", f"command: {json.dumps(sys.executable)}")
    world.write_manifest(text=policy)
    subprocess.run(
        [sys.executable, "-m", "synartesis.demo.toy_crm", "--state", "crm.json"],
        cwd=world.folder,
        env=world.env,
        stdin=subprocess.DEVNULL,
        timeout=30,
        check=True,
    )
    return world


@pytest.mark.parametrize(
    ("mode", "agreed"),
    [
        pytest.param("auto", MODERN, id="a-client-that-asks-first"),
        pytest.param(MODERN, MODERN, id="a-client-that-knows"),
        pytest.param("legacy", LEGACY, id="a-client-of-the-handshake"),
    ],
)
def test_a_client_of_either_era_is_served_recorded_and_undone(crm: World, mode: str, agreed: str) -> None:
    state = crm.folder / "crm.json"
    before = state.read_bytes()

    session = asyncio.run(damage(crm, mode))

    assert session["version"] == agreed
    assert set(session["tools"]) == set(TOOLS)
    assert (session["was"]["plan"], session["is"]["plan"]) == ("pro", "free")
    assert session["refused"]
    assert {c["id"] for c in session["left"]["customers"]} == {"c_001", "c_003"}
    [run] = crm.cli("list", "--json").json
    assert (run["kind"], run["status"], run["actions"], run["held"]) == ("agent", "complete", 5, 1)
    assert run["agent"].startswith("mcp")

    undone = crm.cli("undo", "--yes")

    assert undone.code == 0, undone
    assert state.read_bytes() == before


async def damage(world: World, mode: Any) -> dict[str, Any]:
    """Ada on the wrong plan, Grace gone, a message that has to be approved."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "synartesis", "proxy"], env=world.env, cwd=str(world.folder)
    )
    async with Client(stdio_client(command), mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        was = await client.call_tool("get_customer", {"id": "c_001"})
        changed = await client.call_tool("update_customer", {"id": "c_001", "plan": "free"})
        await client.call_tool("delete_customer", {"id": "c_002"})
        mail = await client.call_tool("send_email", {"to": "ada@example.com", "subject": "Hi", "body": "Hello"})
        left = await client.call_tool("list_customers", {})
        return {
            "version": str(client.protocol_version),
            "tools": tools,
            "was": was.structured_content,
            "is": changed.structured_content,
            "refused": mail.is_error,
            "left": left.structured_content,
        }
