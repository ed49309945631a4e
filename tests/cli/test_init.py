"""`init` as a person types it: what is written, what is said, and that a wrong turn writes nothing."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from synartesis.errors import EXIT_DONE, EXIT_USAGE
from synartesis.policy.reader import read_manifest
from synartesis.workspace.bare_path import BARE_PATH
from tests.cli.desk import Desk, too_wide
from tests.promises import promise
from tests.support.world import FAKE_SERVER

CRM = (sys.executable, "-m", "synartesis.demo.toy_crm", "--state", "crm.json")


def fake(**behaviour: Any) -> tuple[str, ...]:
    own = ("--state", "state.json", "--script", "script.json", "--behave", json.dumps(behaviour))
    return sys.executable, str(FAKE_SERVER), *own


def test_the_toy_crm_is_drafted_by_hand_from_nothing(desk: Desk) -> None:
    desk.manifest.unlink()

    ran = desk.run("init", "crm", "--", *CRM)

    assert EXIT_DONE == ran.code, ran.err
    assert "Written: " + str(desk.manifest) in ran.said
    assert "2 reads will pass: the server says that they only read. Review them: crm.get_customer" in ran.said
    assert "5 tools will be held until a person approves each call" in ran.said
    assert "synartesis check" in ran.out
    assert "synartesis connect" in ran.out
    text = desk.manifest.read_text(encoding="utf-8")
    assert 2 == text.count("marked for review: the server says so")
    assert 5 == text.count("TODO")
    assert '# inverse: {tool: "crm.update_customer", args: {id: "$.id", name: "$snapshot.name", email:' in text
    assert EXIT_DONE == desk.run("check").code


def test_the_manifest_found_upwards_is_extended_and_the_server_runs_where_it_was_meant_to(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = desk.folder / "src" / "deep"
    below.mkdir(parents=True)
    (below / "crm.json").write_text('{"customers": {}, "outbox": []}', encoding="utf-8")
    monkeypatch.chdir(below)
    before = desk.manifest.read_text(encoding="utf-8")

    ran = desk.run("init", "toy", "--", *CRM)

    assert EXIT_DONE == ran.code, ran.err
    assert f"Extended: {desk.manifest}" in ran.said
    manifest = read_manifest(desk.manifest)
    assert ["crm", "toy"] == [spec.name for spec in manifest.servers]
    assert os.path.join("src", "deep") == manifest.server("toy").cwd
    lines = iter(desk.manifest.read_text("utf-8").splitlines())
    assert all(line in lines for line in before.splitlines())


def test_one_in_the_home_is_made_and_extended_only_where_it_is_asked_for(desk: Desk, tmp_path: Path) -> None:
    desk.manifest.unlink()
    home = tmp_path / "home" / ".synartesis" / "synartesis.yaml"

    assert EXIT_DONE == desk.run("init", "crm", "--home", "--", *CRM).code
    assert EXIT_DONE == desk.run("init", "other", "--", *CRM).code

    assert ["crm"] == [spec.name for spec in read_manifest(home).servers]
    assert ["other"] == [spec.name for spec in read_manifest(desk.manifest).servers]
    assert 0o700 == home.parent.stat().st_mode & 0o777


def test_a_manifest_that_is_named_is_made_where_the_name_says(desk: Desk) -> None:
    ran = desk.run("init", "crm", "--manifest", "sub/mine.yaml", "--", *CRM)

    assert EXIT_DONE == ran.code, ran.err
    assert "crm" == read_manifest(desk.folder / "sub" / "mine.yaml").servers[0].name


def test_once_more_adds_only_what_has_come_since(desk: Desk) -> None:
    desk.manifest.unlink()
    desk.run("init", "f", "--", *fake())
    mine = desk.manifest.read_text("utf-8").replace(
        "class: readonly  # marked for review", "class: readonly  # reviewed"
    )
    desk.manifest.write_text(mine, encoding="utf-8")

    nothing = desk.run("init", "f")

    assert EXIT_DONE == nothing.code
    assert "Every tool has a rule in" in nothing.said
    assert mine == desk.manifest.read_text("utf-8")

    (desk.folder / "script.json").write_text(json.dumps({"extra_tools": [{"name": "late"}]}), encoding="utf-8")
    more = desk.run("init", "f")

    assert EXIT_DONE == more.code, more.err
    assert "f.late" in more.said
    assert desk.manifest.read_text("utf-8").startswith(mine)


@promise("C010")
def test_every_page_of_the_tools_is_asked_for(desk: Desk) -> None:
    desk.manifest.unlink()

    ran = desk.run("init", "f", "--", *fake(page_size=3, page_null=True, page_repeat="get_item"))

    assert EXIT_DONE == ran.code, ran.err
    drafted = [rule.match for rule in read_manifest(desk.manifest).rules]
    assert len(drafted) == len(set(drafted)) == 9
    assert "f.remove" in drafted


@promise("C010")
def test_pages_whose_cursor_stands_still_end(desk: Desk) -> None:
    desk.manifest.unlink()

    ran = desk.run("init", "f", "--", *fake(page_size=3, page_loop=True))

    assert EXIT_DONE == ran.code, ran.err
    assert "f.get_item" in [rule.match for rule in read_manifest(desk.manifest).rules]


def test_a_server_of_the_later_era_alone_is_asked_in_its_own_way(desk: Desk) -> None:
    desk.manifest.unlink()

    ran = desk.run("init", "f", "--", *fake(era="modern"))

    assert EXIT_DONE == ran.code, ran.err
    assert "f.get_item" in ran.said
    assert EXIT_DONE == desk.run("check").code


@promise("C016")
def test_rules_are_drafted_under_the_servers_own_names_however_odd(desk: Desk) -> None:
    desk.manifest.unlink()
    names = ["files.read", "a/b", "übersetzen", "a b", "x" * 46, "del*"]
    name = "customer_internal_tracker_production"

    ran = desk.run("init", name, "--", *fake(extra_tools=[{"name": one} for one in names]))

    assert EXIT_DONE == ran.code, ran.err
    drafted = [rule.match for rule in read_manifest(desk.manifest).rules]
    assert [f"{name}.{one}" for one in names[:-1]] == drafted[-5:]
    assert "1 tool cannot be named in a rule, because of a `*`. They are held: del*" in ran.said
    assert EXIT_DONE == desk.run("check").code


def test_a_shipped_policy_is_taken_or_dropped_as_a_whole(desk: Desk) -> None:
    desk.manifest.unlink()

    ran = desk.run("init", "crm", "--policy", "toy-crm", "--", *CRM)

    assert EXIT_DONE == ran.code, ran.err
    assert "The policy `toy-crm`, which ships with Synartesis, fits and was taken:" in ran.said
    assert "5 writes" not in ran.said
    assert "4 writes will be recorded, and can be undone: crm.update_customer, crm.delete_customer" in ran.said
    assert "held where nothing is there yet: crm.update_customer, crm.delete_customer" in ran.said
    assert "held where something is there already: crm.restore_customer" in ran.said
    assert [] == too_wide(ran.out)


def test_a_server_that_only_a_shell_finds_is_written_so_that_a_desktop_program_can_start_it(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `npx` where node came with a version manager or with Homebrew: a script that looks for its interpreter along PATH."""
    desk.manifest.unlink()
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "some-node").symlink_to(sys.executable)
    (tools / "crm-server").write_text(
        "#!/usr/bin/env some-node\nimport sys\nfrom synartesis.demo.toy_crm import main\n"
        "sys.argv[1:] = ['--state', 'crm.json']\nmain()\n"
    )
    (tools / "crm-server").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))

    ran = desk.run("init", "crm", "--", "crm-server")
    doctor = desk.run("doctor")

    assert EXIT_DONE == ran.code, ran.err
    assert f"note: desktop programs do not look into {tools} for crm-server" in ran.said
    assert f'PATH: "{tools}:${{PATH}}"' in desk.manifest.read_text("utf-8")
    assert "not with the PATH that desktop programs have" not in doctor.said
    monkeypatch.setenv("PATH", BARE_PATH)
    assert EXIT_DONE == desk.run("check").code


def test_a_server_that_every_program_finds_gets_no_path(desk: Desk) -> None:
    desk.manifest.unlink()

    assert EXIT_DONE == desk.run("init", "crm", "--", *CRM).code

    assert "PATH" not in desk.manifest.read_text("utf-8")


def test_a_variable_is_named_and_its_value_stays_out_of_the_file(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.manifest.unlink()
    monkeypatch.setenv("CRM_TOKEN", "s3cret-value")

    assert EXIT_DONE == desk.run("init", "crm", "--env", "CRM_TOKEN", "--", *CRM).code

    text = desk.manifest.read_text("utf-8")
    assert 'CRM_TOKEN: "${CRM_TOKEN}"' in text
    assert "s3cret-value" not in text


def test_what_may_be_a_secret_among_the_arguments_is_said(desk: Desk) -> None:
    script = "import sys; sys.argv[1:] = ['--state', 'crm.json']; import synartesis.demo.toy_crm as crm; crm.main()"

    ran = desk.run("init", "toy", "--", sys.executable, "-c", script, "--token=abc")

    assert EXIT_DONE == ran.code, ran.err
    assert "may be a secret (--token)" in ran.said


#: what was typed, and what must be said
WRONG_TURNS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "no command": (("init", "x"), ("how is 'x' started?", "synartesis init x -- npx some-server")),
    "no name": (("init", "--", "npx"), ("SERVER",)),
    "no dashes": (("init", "x", "npx", "-y", "server"), ("npx", "behind two dashes: synartesis init NAME -- COMMAND")),
    "a command that is not there": (
        ("init", "x", "--", "no-such-command"),
        ("no-such-command", "PATH", "spelled right, and installed", "absolute path"),
    ),
    "an address": (
        ("init", "x", "--", "https://mcp.example.com/mcp"),
        ("https://mcp.example.com/mcp is an address", "remote servers cannot go behind the proxy yet"),
    ),
    "a whole command line in quotes": (
        ("init", "x", "--", "npx -y some-server"),
        ("is a whole command line in one word", "leave the quotes out: synartesis init x -- npx -y some-server"),
    ),
    "a path that is not there": (("init", "x", "--", "./no/such"), ("there is no", "no/such")),
    "a server that dies": (
        ("init", "x", "--", "sh", "-c", "echo boom >&2; exit 3"),
        ('server "x" ended (exit code 3)', "boom", "Nothing was written", "try it by itself first"),
    ),
    "a program that is no server": (
        ("init", "x", "--", "true"),
        ('server "x" ended (exit code 0)', "Nothing was written"),
    ),
    "a policy that does not exist": (("init", "x", "--policy", "memry", "--", *CRM), ("memry", "did you mean memory?")),
    "a policy that does not fit": (
        ("init", "x", "--policy", "memory", "--", *CRM),
        ("'memory' does not fit", "memory.yaml:", "x.read_graph", "nothing was written", "leave --policy out"),
    ),
    "a name with a dot": (("init", "a.b", "--", *CRM), ("a.b", "name it `a-b`")),
    "a name that means another server": (
        ("init", "crm", "--", "another"),
        ("another server named 'crm'", "python3 ./crm_server.py"),
    ),
    "a value for a variable": (("init", "x", "--env", "KEY=abc", "--", *CRM), ("--env KEY=...", "export KEY=")),
    "a variable that is not set": (
        ("init", "x", "--env", "NOT_SET_ANYWHERE", "--", *CRM),
        ("NOT_SET_ANYWHERE, which is not set",),
    ),
    "two files": (("init", "x", "--home", "--manifest", "m.yaml", "--", *CRM), ("--home and --manifest",)),
    "an unknown flag": (("init", "x", "--polcy", "m", "--", *CRM), ("--polcy", "did you mean --policy?")),
}


@pytest.mark.parametrize(("words", "says"), WRONG_TURNS.values(), ids=WRONG_TURNS.keys())
def test_a_wrong_turn_says_what_to_do_and_writes_nothing(
    desk: Desk, words: tuple[str, ...], says: tuple[str, ...]
) -> None:
    before = desk.manifest.read_bytes()
    files = sorted(desk.folder.iterdir())

    ran = desk.run(*words)

    assert EXIT_USAGE == ran.code
    assert "" == ran.out
    assert [] == [words for words in says if words not in ran.said], ran.err
    assert before == desk.manifest.read_bytes()
    assert files == [path for path in sorted(desk.folder.iterdir()) if path.name != "crm.json"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"version: 1\nservers:\n  crm: {command: x\n", "synartesis.yaml:"),
        (b"version: 1\nservers: {crm: {comand: x}}\n", "did you mean `command`?"),
        (b"version: 1\nservers: {crm: {command: \xff}}\n", "not UTF-8 text"),
    ],
    ids=["broken", "misspelled", "not text"],
)
def test_a_manifest_that_cannot_be_read_is_left_alone(desk: Desk, text: bytes, says: str) -> None:
    desk.manifest.write_bytes(text)

    ran = desk.run("init", "toy", "--", *CRM)

    assert EXIT_USAGE == ran.code
    assert says in ran.said
    assert text == desk.manifest.read_bytes()


def test_what_stands_behind_the_dashes_is_no_option_of_ours(desk: Desk) -> None:
    ran = desk.run(
        "--manifest", "m.yaml", "init", "toy", "--", "sh", "-c", "echo $0 $@ >&2; exit 3", "--help", "--json", "--"
    )

    assert EXIT_USAGE == ran.code
    assert "--help --json --" in ran.said
