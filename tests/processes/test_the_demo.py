"""`synartesis demo` as a stranger runs it. It checks its own claims as it goes; here is what must be among them."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.world import World

CLAIMS = [
    "Ada is on the wrong plan",
    "Grace is gone",
    "a dry run changes nothing",
    "crm.json is byte for byte what it was before the agent came",
    "crm.json is byte for byte what it was before the undo: it looked first, and sent nothing",
    "the person's note is there",
    "Grace is back",
    "and the person's note is still there",
    "the agent was refused, and nothing was sent",
    "the e-mail went out",
    "it is held again",
    "the e-mail was sent once",
]


def test_the_demo_keeps_every_claim_and_leaves_nothing_behind(world: World, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()

    ran = world.cli("demo", env={"TMPDIR": str(scratch)})

    assert ran.code == 0, ran.out + ran.err
    checked = [
        line.removeprefix("  checked: ").removesuffix(".") for line in ran.out.splitlines() if "checked: " in line
    ]
    assert checked == CLAIMS
    assert os.listdir(scratch) == []
