"""Where `synartesis` is not on PATH, every command that is printed spells out what runs; and it does run, as pasted."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.support.world import World

BARE = re.compile(r"(?<![\w./-])(?<!-m )synartesis (?=[a-z])")


@pytest.mark.parametrize("typed", ["connect", "watch", "init", "init x y", "check", "doctor", "lsit", "--nonsense"])
def test_nothing_that_is_printed_has_to_be_found_first(world: World, typed: str) -> None:
    ran = world.cli(*typed.split())

    spelled = f"{world.program[0]} -m synartesis "
    assert spelled in ran.out + ran.err, ran.out + ran.err
    assert [] == [line for line in (ran.out + ran.err).split("\n") if BARE.search(line) and "error: " not in line]


@pytest.mark.parametrize("page", ["--help", "undo --help", "connect --help"])
def test_a_page_of_help_says_what_to_type_in_its_place(world: World, page: str) -> None:
    ran = world.cli(*page.split())

    assert ran.out.endswith(f"`synartesis` is not on your PATH. Type in its place:\n  {' '.join(world.program)}\n")


def test_a_hint_is_a_line_that_can_be_pasted(world: World) -> None:
    (world.home / ".synartesis").mkdir(exist_ok=True)
    world.write_manifest()
    (world.home / ".synartesis" / "trusted").unlink(missing_ok=True)

    refused = world.cli("check")
    *_, command = refused.err.rstrip("\n").split("\n")
    pasted = subprocess.run(
        ["bash", "-c", f"{command} --yes"], env=world.env, cwd="/", capture_output=True, check=False, timeout=60
    )

    assert "read it, then accept its commands:\n" in refused.err
    assert pasted.returncode == 0, pasted.stderr
    assert world.cli("check").code == 0
