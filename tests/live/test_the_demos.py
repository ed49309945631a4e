"""demo/*.sh against the real servers: every claim holds, and a wrong inverse is found out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.world import ROOT

pytestmark = pytest.mark.live

LIMIT_S = 100


class Told(NamedTuple):
    code: int
    text: str
    claims: list[str]
    left: list[str]
    """What it left behind."""


CLAIMS = {
    "filesystem": [
        "the agent noticed nothing of the proxy",
        "todo.md is overwritten",
        "plan.md is not where it was",
        "todo.md is byte for byte what it was",
        "plan.md is byte for byte what it was",
        "old-plan.md is gone",
        "your edit is there, byte for byte",
        "nothing was sent: plan.md is still away",
        "plan.md is back",
        "and your edit is still there",
        "the agent was refused",
        "no directory was made",
        "the request waits for you",
    ],
    "memory": [
        "Ada is in the graph",
        "the graph is byte for byte what it was",
        "Bob is there, and likes tea",
        "the graph is empty",
        "Bob and whom he knows are there again",
    ],
}

BROKEN = {
    "the file is written back as the agent wrote it": ("filesystem", r"s/\$snapshot\.content/$.content/"),
    "the file is not moved back": ("filesystem", r's/source: "\$\.destination"/source: "$.source"/'),
    "the person who was there already is deleted too": ("memory", r"s/\$result\.entities\[\]\.name/$.entities[].name/"),
    "nobody is deleted": ("memory", r's/entityNames: "\$result[^"]*"/entityNames: []/'),
    "whom he knows does not come back": (
        "memory",
        r'/delete_entities"$/,/delete_observations"$/s/"\$snapshot.relations"/[]/',
    ),
}


def tell(name: str, tmp_path: Path, **env: str) -> Told:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    installed = str(Path(sys.executable).parent)
    done = subprocess.run(
        ["bash", str(ROOT / "demo" / f"{name}.sh")],
        cwd=tmp_path,
        env={
            "PATH": os.pathsep.join([installed, os.environ["PATH"]]),
            "HOME": str(tmp_path),
            "TMPDIR": str(scratch),
            **env,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT_S,
        check=False,
    )
    claims = [line[11:-1] for line in done.stdout.splitlines() if line.startswith("  checked: ")]
    return Told(done.returncode, done.stdout + done.stderr, claims, os.listdir(scratch))


@pytest.mark.parametrize("name", CLAIMS)
def test_a_demo_keeps_every_claim_and_leaves_nothing_behind(
    name: str, tmp_path: Path, filesystem_server: list[str], memory_server: list[str]
) -> None:
    told = tell(name, tmp_path)

    assert told.code == 0, told.text
    assert told.claims == CLAIMS[name]
    assert told.left == []


@pytest.mark.parametrize(("name", "edit"), BROKEN.values(), ids=BROKEN.keys())
def test_a_demo_fails_where_the_undo_is_broken(
    name: str, edit: str, tmp_path: Path, filesystem_server: list[str], memory_server: list[str]
) -> None:
    told = tell(name, tmp_path, DEMO_EDIT_MANIFEST=edit)

    assert told.code == 1, told.text
    assert told.claims != CLAIMS[name]
    assert "This is not as it should be" in told.text
    assert len(told.left) == 1
