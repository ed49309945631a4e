"""One session of the MCP Python SDK's client, 1.x or 2.x: a program that runs in an environment of its own.

It is given one JSON object as its argument: `command`, `args` and `env` of what to start, the `mode` (2.x: "auto", "legacy" or a
revision), and `calls`, a list of [tool, arguments]. What the client made of it all is printed as one JSON object.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import sys
from typing import Any

from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client


async def main() -> None:
    asked = json.loads(sys.argv[1])
    start = StdioServerParameters(command=asked["command"], args=asked["args"], env=asked["env"])
    session = session_1 if importlib.metadata.version("mcp").startswith("1.") else session_2
    json.dump(await session(start, asked), sys.stdout, sort_keys=True)


async def session_1(start: StdioServerParameters, asked: dict[str, Any]) -> dict[str, Any]:
    from mcp import ClientSession

    async with stdio_client(start) as (reading, writing), ClientSession(reading, writing) as session:
        opened = dumped(await session.initialize())
        return {
            "version": opened["protocolVersion"],
            "server": opened["serverInfo"],
            "capabilities": opened["capabilities"],
            **await everything(session, opened["capabilities"], asked["calls"]),
        }


async def session_2(start: StdioServerParameters, asked: dict[str, Any]) -> dict[str, Any]:
    from mcp import Client

    async with Client(stdio_client(start), mode=asked["mode"]) as client:
        capabilities = dumped(client.server_capabilities)
        return {
            "version": client.protocol_version,
            "server": dumped(client.server_info),
            "capabilities": capabilities,
            **await everything(client, capabilities, asked["calls"]),
        }


async def everything(session: Any, capabilities: dict[str, Any], calls: list[Any]) -> dict[str, Any]:
    """Every list that is announced, then the calls, one after the other."""
    lists: dict[str, Any] = {"tools": dumped(await session.list_tools())}
    if capabilities.get("prompts") is not None:
        lists["prompts"] = dumped(await session.list_prompts())
    if capabilities.get("resources") is not None:
        lists["resources"] = dumped(await session.list_resources())
        lists["templates"] = dumped(await session.list_resource_templates())
    return {"lists": lists, "results": [await call(session, tool, arguments) for tool, arguments in calls]}


async def call(session: Any, tool: str, arguments: dict[str, Any]) -> Any:
    try:
        return dumped(await session.call_tool(tool, arguments))
    except Exception as error:  # what a client makes of an error is to be the same as well
        return f"{type(error).__name__}: {error}"


def dumped(model: Any) -> Any:
    return None if model is None else model.model_dump(mode="json", by_alias=True, exclude_none=True)


if __name__ == "__main__":
    asyncio.run(main())
