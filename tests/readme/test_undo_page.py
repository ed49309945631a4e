"""docs/undo.md: the commands of its `console` blocks are run, in order, in one folder, and what the page shows under each is what
they printed. SYNARTESIS_UPDATE_GOLDEN=1 writes it anew. Ids, times and the folder are replaced by others that stay the same.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.world import ROOT

PAGE = ROOT / "docs" / "undo.md"
BIN = ROOT / ".venv" / "bin"
UPDATE = "SYNARTESIS_UPDATE_GOLDEN"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)

PEOPLE = ("Ada", "Grace", "Alan", "Barbara", "Edsger", "Frances", "Tony", "Karen")
FIRST = {
    f"c_{number:03}": {
        "email": f"{name.lower()}@example.com",
        "name": name,
        "notes": "Wants a call." if name == "Barbara" else f"Note {number}.",
        "plan": "pro",
    }
    for number, name in enumerate(PEOPLE, start=1)
}

CALLS = [
    *(("update_customer", {"id": name, "plan": "free"}) for name in FIRST),
    *(("update_customer", {"id": f"c_{number:03}", "email": f"x{number}@example.com"}) for number in range(3, 7)),
    *(("update_customer", {"id": f"c_{number:03}", "notes": "cleaned up"}) for number in (1, 2, 3, 5)),
    ("update_customer", {"id": "c_001", "plan": "enterprise"}),
    ("update_customer", {"id": "c_006", "name": "Fran"}),
    ("delete_customer", {"id": "c_007"}),
    ("delete_customer", {"id": "c_008"}),
]


def test_the_agent_of_the_page_makes_twenty_calls_on_eight_records() -> None:
    assert len(CALLS) == 20
    assert {arguments["id"] for _, arguments in CALLS} == set(FIRST)
    assert not any("notes" in arguments for _, arguments in CALLS if arguments["id"] == "c_004")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A person's shell in the folder of the CRM, after the agent has been there."""
    outside = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SYNARTESIS_", "PYTHON", "VIRTUAL_ENV"))
    }
    folder, home = tmp_path / "crm", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    env = outside | {
        "HOME": str(home),
        "PATH": f"{BIN}{os.pathsep}{outside['PATH']}",
        "COLUMNS": "80",
        "TZ": "UTC",
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
    }
    manifest = ROOT / "src" / "synartesis" / "manifests" / "toy-crm.yaml"
    (folder / "synartesis.yaml").write_bytes(manifest.read_bytes())
    state = json.dumps({"customers": FIRST, "outbox": []}, indent=2, sort_keys=True)
    (folder / "crm.json").write_text(state + "\n", encoding="utf-8")
    assert "Accepted" in run("synartesis trust --yes", folder, env)
    opening = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "agent", "version": "1.0"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    lines += [
        {"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        for at, (tool, arguments) in enumerate(CALLS, start=1)
    ]
    (tmp_path / "agent.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    run("synartesis proxy < ../agent.jsonl > ../answers.jsonl", folder, env)
    return env | {"PWD": str(folder)}


def run(command: str, folder: Path, env: dict[str, str]) -> str:
    """What a command prints, and its exit code where that is not 0."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        cwd=folder,
        env=env,
        timeout=90,
        check=False,
    )
    return done.stdout.decode() + (f"(exit code {done.returncode})\n" if done.returncode else "")


def test_the_page_shows_what_its_commands_print(env: dict[str, str]) -> None:
    folder = Path(env["PWD"])
    page = PAGE.read_text(encoding="utf-8")
    printed = "".join(
        f"```console\n{shown}```\0" for shown in (_printed(block, folder, env) for block in BLOCK.findall(page))
    )
    blocks = iter(_steady(printed, folder).split("\0"))

    made = BLOCK.sub(lambda _: next(blocks), page)

    if os.environ.get(UPDATE):
        PAGE.write_text(made, encoding="utf-8")
        page = made
    assert page == made, f"look at it, then rewrite it with {UPDATE}=1"


def _printed(block: str, folder: Path, env: dict[str, str]) -> str:
    commands = re.findall(r"^\$ (.*)$", block, re.MULTILINE)
    return "".join(f"$ {command}\n{run(command, folder, env)}" for command in commands)


def _steady(text: str, folder: Path) -> str:
    """With ids, times and the folder that are the same at every run."""
    seen: dict[str, str] = {}

    def steady(found: re.Match[str]) -> str:
        return seen.setdefault(found[0], f"{(len(seen) + 1) * 0x1A2B3C4D5E6:012x}"[-12:])

    text = text.replace(str(folder), "/home/zoe/crm")
    text = re.sub(r"\b[0-9a-f]{12}\b", steady, text)
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "2026-03-04 14:03", text)
