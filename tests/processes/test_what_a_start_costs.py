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
