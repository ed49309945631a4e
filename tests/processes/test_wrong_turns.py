"""A new user in an empty home who takes a wrong turn, through the installed commands: what is printed has to be enough to go on,
and what is printed to go on with has to work."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.terminal import Terminal
from tests.support.world import Ran, World

CRM = f"{sys.executable} -m synartesis.demo.toy_crm --state crm.json"


@pytest.fixture
def newcomer(world: World) -> World:
    """Nothing is set up."""
    world.manifest.unlink()
    return world


def spelled(world: World, words: str) -> str:
    """A command as it is typed where `synartesis` is not on PATH."""
    return " ".join([*world.program, words])


def said(ran: Ran) -> str:
    """As running text: where lines break depends on how long names are."""
    return " ".join((ran.out + ran.err).split())


def test_a_wrong_server_command_and_then_the_right_one(newcomer: World) -> None:
    wrong = newcomer.cli("init", "crm", "--", "pyhton3", "-m", "synartesis.demo.toy_crm")
    right = newcomer.cli("init", "crm", "--", *CRM.split())

    assert wrong.code == 2
    assert "there is no command pyhton3 in PATH" in said(wrong)
    assert "Nothing was written" in said(wrong)
    assert "is it spelled right, and installed?" in said(wrong)
    assert right.code == 0, right.err


def test_a_policy_that_does_not_fit_and_then_what_the_hint_says(newcomer: World) -> None:
    wrong = newcomer.cli("init", "crm", "--policy", "memory", "--", *CRM.split())
    right = newcomer.cli("init", "crm", "--", *CRM.split())

    assert wrong.code == 2
    assert "the policy 'memory' does not fit what this server offers, so nothing was written" in said(wrong)
    assert "calls `crm.read_graph`, which the server does not offer" in said(wrong)
    assert "leave --policy out" in said(wrong)
    assert right.code == 0, right.err


def test_a_clients_file_with_a_mistake_and_then_without(newcomer: World) -> None:
    assert newcomer.cli("init", "--home", "crm", "--", *CRM.split()).code == 0
    file = newcomer.home / ".claude.json"
    file.write_text('{\n  "theme": "dark"\n  "mcpServers": {}\n}\n')

    wrong = newcomer.cli("connect", "claude-code", "--yes")
    untouched = file.read_text()
    file.write_text(untouched.replace('"dark"', '"dark",'))
    right = newcomer.cli("connect", "claude-code", "--yes")

    assert wrong.code == 2
    assert f'{file}:3:3: a `,` or `}}` is missing here hint: the line reads: "mcpServers": {{}}' in said(wrong)
    assert "nothing was changed" in said(wrong)
    assert untouched == '{\n  "theme": "dark"\n  "mcpServers": {}\n}\n'
    assert right.code == 0, right.err


def test_undo_before_anything_is_set_up_says_how_to_begin(newcomer: World) -> None:
    ran = newcomer.cli("undo")

    assert ran.code == 2
    assert "neither a journal nor a manifest was found" in said(ran)
    assert f"to make the first one: {spelled(newcomer, 'init NAME -- COMMAND')}" in said(ran)


def test_connect_before_init_says_what_comes_first(newcomer: World) -> None:
    ran = newcomer.cli("connect", "claude-code")

    assert ran.code == 1
    assert "Claude Code has no servers here" in said(ran)
    assert f"make a manifest first: {spelled(newcomer, 'init NAME -- COMMAND')}" in said(ran)


def test_the_proxy_typed_by_a_person_says_who_it_waits_for_and_ctrl_c_ends_it(world: World) -> None:
    with Terminal([*world.program, "proxy"], env=world.env | {"TERM": "xterm"}, cwd=world.folder) as terminal:
        terminal.until("an MCP client starts this")
        terminal.until("puts it into a client; Ctrl-C ends it\n")
        terminal.type("\x03")

        assert terminal.ended() in (0, 1)
        assert "Traceback" not in terminal.seen


def test_a_folder_that_was_moved_is_named_by_doctor_with_the_command_to_try(world: World) -> None:
    gone = world.folder / "moved-away"
    world.write_manifest(rules=" []\n", servers={"f": f"{{command: ls, args: [{str(gone)!r}]}}"})

    ran = world.cli("doctor")

    assert ran.code == 1
    assert f"correct its entry ({Path(world.manifest).name}:" in said(ran)
    assert f"\n           ls {gone}\n" in ran.out, "on a line of its own, to be pasted"
