"""What `check` and `init` owe to servers that are slow, dead, missing, or started where nothing is on PATH."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.promises import promise
from tests.support.world import FAKE_SERVER, World


@promise("C021")
def test_check_shows_a_good_a_silent_a_dead_and_a_missing_server_and_fails(world: World) -> None:
    world.write_manifest(
        rules="\n  - {match: good.get_item, class: readonly}\n",
        servers={
            "silent": "{command: sleep, args: ['600']}",
            "dead": "{command: sh, args: ['-c', 'echo boom >&2; exit 3']}",
            "missing": "{command: /no/such/bin}",
            "good": world.fake("good"),
        },
    )

    words, shape = world.cli("check"), world.cli("check", "--json")

    assert words.code == shape.code == 1
    assert "ok       good: 9 tools" in words.out
    found = {server["name"]: server for server in shape.json["servers"]}
    assert found["good"]["ok"] is True
    assert "did not answer initialize within 10 s" in found["silent"]["problem"]
    assert "ended (exit code 3)" in found["dead"]["problem"]
    assert "boom" in found["dead"]["problem"]
    assert "/no/such/bin" in found["missing"]["problem"]
    assert "3 servers did not start." in words.out


@promise("C010")
def test_check_sees_every_page_and_no_server_delays_another(world: World) -> None:
    world.write_manifest(
        rules="\n  - {match: 'paged.*', class: readonly}\n",
        servers={
            "paged": world.fake("paged", page_size=3),
            "loops": world.fake("loops", page_size=3, page_loop=True),
            "nothing": world.fake("nothing", page_size=3, page_null=True),
            "repeats": world.fake("repeats", page_size=3, page_repeat="get_item"),
        },
    )

    ran = world.cli("check", "--json")

    assert ran.code == 0, ran.out
    tools = {server["name"]: server["tools"] for server in ran.json["servers"]}
    assert sorted(tools["paged"]) == sorted(tools["nothing"]) == sorted(tools["repeats"])
    assert len(tools["paged"]) == 9
    assert "get_item" in tools["loops"]
    covers = [finding["text"] for finding in ran.json["findings"] if "covers" in finding["text"]]
    assert len(covers) == 1
    assert all(f"`paged.{tool}`" in covers[0] for tool in tools["paged"])


@promise("C016")
def test_check_judges_rules_by_the_servers_own_names(world: World) -> None:
    name = "customer_internal_tracker_production"
    odd = ["files.read", "a/b", "übersetzen", "a b", "x" * 46]
    rules = "".join(f"\n  - {{match: {json.dumps(f'{name}.{tool}')}, class: readonly}}" for tool in odd)
    world.write_manifest(rules=rules, servers={name: world.fake("x", extra_tools=[{"name": tool} for tool in odd])})

    ran = world.cli("check", "--json")

    assert ran.code == 0, ran.out
    without_rule = [finding["text"] for finding in ran.json["findings"] if "has no rule" in finding["text"]]
    assert len(without_rule) == 9
    assert not [finding for finding in ran.json["findings"] if finding["severity"] != "note"]


BARE = {"PATH": "/usr/bin:/bin"}


@promise("C068")
def test_under_a_bare_path_a_missing_command_names_itself_and_where_it_was_looked_for(world: World) -> None:
    world.write_manifest(rules=" []\n", servers={"n": "{command: npx-of-a-terminal, args: [server]}"})

    check = world.cli("check", "--manifest", str(world.manifest), env=BARE, cwd=Path("/"))
    init = world.cli("init", "x", "--manifest", str(world.manifest), "--", "npx-of-a-terminal", env=BARE, cwd=Path("/"))

    for ran in (check, init):
        said = " ".join((ran.out + ran.err).split())
        assert ran.code != 0
        assert "there is no command npx-of-a-terminal in PATH (/usr/bin:/bin)" in said
        assert "give the command as an absolute path" in said


@promise("C068")
def test_a_variable_that_is_not_set_is_an_error_by_name_and_the_others_are_filled_in(world: World) -> None:
    env = '{TOKEN: "${NOT_SET_ANYWHERE}", DIR: "${HOME}/x", DOLLAR: "$${HOME}"}'
    world.write_manifest(rules=" []\n", servers={"a": world.fake("a", extra=f"env: {env}"), "b": world.fake("b")})

    unset = world.cli("check")
    set_now = world.cli("check", env={"NOT_SET_ANYWHERE": "t"})

    assert unset.code == 1
    assert "needs the environment variable NOT_SET_ANYWHERE, which is not set" in " ".join(unset.out.split())
    assert "ok       b: 9 tools" in unset.out
    assert set_now.code == 0, set_now.out


@promise("C068")
@pytest.mark.parametrize("where", ["/", "folder", "home"])
def test_relative_paths_mean_the_manifests_folder_wherever_the_command_was_typed(world: World, where: str) -> None:
    shutil.copy(FAKE_SERVER, world.folder / "server.py")
    body = f"{{command: {json.dumps(sys.executable)}, args: [./server.py, --state, ./here.json]}}"
    world.write_manifest(servers={"f": body})
    cwd = {"/": Path("/"), "folder": world.folder, "home": world.home}[where]

    ran = world.cli("check", "--manifest", str(world.manifest), env=BARE, cwd=cwd)

    assert ran.code == 0, ran.out
    assert "ok       f: 9 tools" in ran.out


@promise("C068")
def test_the_servers_environment_is_that_of_the_proxy(world: World) -> None:
    world.write_manifest(
        rules=" []\n", servers={"f": "{command: sh, args: ['-c', 'echo \"it got $OF_THE_PARENT\" >&2; exit 3']}"}
    )

    ran = world.cli("check", "--json", env={"OF_THE_PARENT": "passed on"})

    assert "it got passed on" in ran.json["servers"][0]["problem"]
