"""A client that we did not write, the MCP Python SDK's, in both eras, before one server and before two."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.support.world import World

MODERN, LEGACY = "2026-07-28", "2025-11-25"

RULES = """
  - match: "a.get_item"
    class: readonly
  - match: "a.set_item"
    class: reversible
    snapshot: {tool: "a.get_item", args: {id: "$.id"}}
    inverse: {tool: "a.set_item", args: {id: "$.id", name: "$snapshot.name"}}
"""


@pytest.mark.parametrize(
    ("eras", "agreed"),
    [
        pytest.param(["legacy"], LEGACY, id="one-legacy"),
        pytest.param(["both"], MODERN, id="one-of-both-eras"),
        pytest.param(["modern"], MODERN, id="one-modern"),
        pytest.param(["both", "both"], MODERN, id="two-of-both-eras"),
        pytest.param(["both", "legacy"], LEGACY, id="one-of-both-and-one-legacy"),
    ],
)
def test_the_sdk_client_finds_the_newest_era_that_all_speak_and_its_write_can_be_undone(
    world: World, eras: list[str], agreed: str
) -> None:
    servers = {name: world.fake(name, era=era) for name, era in zip("ab", eras, strict=False)}
    world.write_manifest(RULES, servers=servers)
    state = world.folder / "state-a.json"
    state.write_text('{"items":{"c1":{"name":"A"}},"notes":[]}', encoding="utf-8")
    prefix = "a__" if len(eras) > 1 else ""

    version, tools, read, written = asyncio.run(a_session(world, prefix))

    assert version == agreed
    assert f"{prefix}get_item" in tools
    assert len(tools) == 9 * len(eras)
    assert (json.loads(read)["name"], json.loads(written)["name"]) == ("A", "B")
    assert world.cli("undo", "--yes").code == 0
    assert json.loads(state.read_bytes())["items"] == {"c1": {"name": "A"}}


async def a_session(world: World, prefix: str) -> tuple[str, list[str], str, str]:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "synartesis", "proxy"], env=world.env, cwd=str(world.folder)
    )
    async with Client(stdio_client(command)) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        read = await client.call_tool(f"{prefix}get_item", {"id": "c1"})
        written = await client.call_tool(f"{prefix}set_item", {"id": "c1", "name": "B"})
        texts = [getattr(result.content[0], "text", "") for result in (read, written)]
        return str(client.protocol_version), tools, texts[0], texts[1]
