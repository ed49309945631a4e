"""A command that only looks must not pay for what it does not use. A graph of imports cannot see the deferred ones, so the
interpreter is asked what it really loaded."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.support.world import World

HEAVY = {"asyncio", "inspect", "mcp", "msgspec", "ruamel.yaml", "sqlglot", "starlette", "textual"}

ASK = """
import sys
from synartesis.cli.main import console

sys.argv = ["synartesis", "list", "--json"]
code = console()
print(code, *sys.modules, file=sys.stderr)
"""


def test_a_list_of_runs_loads_none_of_the_heavy_modules(world: World) -> None:
    world.put(c1={"name": "A"})
    world.agent(("set_item", {"id": "c1", "name": "B"}))

    done = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=world.folder,
        env=world.env,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )

    code, *modules = done.stderr.split()
    assert code == "0", done.stderr
    assert [run["actions"] for run in json.loads(done.stdout)] == [1]
    assert not HEAVY & set(modules)


PROXY_THAT_TELLS = """
import sys
from synartesis.cli.main import console

code = console()
print("loaded:", *sys.modules, file=sys.stderr)
sys.exit(code)
"""
SQL = """
  - {match: "f.query", class: irreversible, gate: on_write, sql: query}
  - {match: "f.get_item", class: readonly}
"""


def loaded_by_a_proxy(world: World, tool: str, arguments: dict[str, str]) -> set[str]:
    """The modules of a proxy that one call went through."""
    world.write_manifest(SQL, servers={"f": world.fake(extra_tools=[{"name": "query", "inputSchema": {}}])})
    world.put(c1={"name": "A"})
    world.program = (sys.executable, "-c", PROXY_THAT_TELLS)
    client = world.proxy()
    client.call(tool, arguments)
    assert client.close().code == 0
    return set(client.stderr().rpartition("loaded: ")[2].split())


def test_only_a_proxy_that_judges_sql_loads_the_parser(world: World) -> None:
    assert not {"sqlglot", "mcp", "starlette", "textual"} & loaded_by_a_proxy(world, "get_item", {"id": "c1"})
    assert "sqlglot" in loaded_by_a_proxy(world, "query", {"query": "SELECT 1"})
