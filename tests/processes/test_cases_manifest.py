"""Manifests that are not what they seem (case C065), `check`, and wrong input: through the installed commands, and in every
case nothing is started, sent or written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.promises import promise
from tests.support.world import INIT, RULES, Ran, World

START = """version: 1
servers:
  f: {command: touch, args: [started]}
tools:
  - match: "f.get_item"
    class: readonly
"""

# --- C065: YAML that is not what it seems

Refused = tuple[str, int, str]
"""The manifest, the line, and what is said of it."""

MANIFESTS: dict[str, Refused] = {
    "two tools blocks": (START + "tools: []\n", 7, "tools"),
    "a gate twice": (
        START + '  - match: "f.a"\n    class: irreversible\n    gate: always\n    gate: never\n',
        10,
        "gate",
    ),
    "an unquoted star": (START + "  - match: *\n    class: readonly\n", 7, "quote it"),
    "a tab": (START + '  - match: "f.a"\n\tclass: readonly\n', 8, "tab"),
    "a tag that would run": (
        START + '  - match: !!python/object/apply:os.system ["touch started"]\n    class: readonly\n',
        7,
        "!!python/object/apply:os.system",
    ),
    "gates": (START + '  - match: "f.a"\n    class: irreversible\n    gates: always\n', 9, "did you mean `gate`"),
    "snapshots": (
        START + '  - match: "f.a"\n    class: irreversible\n    snapshots: {tool: "f.get_item", args: {}}\n',
        9,
        "did you mean `snapshot`",
    ),
    "a class with a capital": (START.replace("readonly", "Readonly"), 6, "readonly"),
    "an empty file": ("", 1, "empty"),
    "two documents": (START + "---\n" + START, 7, "document"),
    "a list at the top": ('- match: "f.a"\n  class: readonly\n', 1, "mapping"),
    "an alias to itself": (START + "  - &rule\n    match: *rule\n    class: readonly\n", 8, "rule"),
}


@promise("C065")
@pytest.mark.parametrize(("text", "line", "words"), MANIFESTS.values(), ids=MANIFESTS.keys())
def test_a_manifest_that_is_not_what_it_seems_starts_nothing(world: World, text: str, line: int, words: str) -> None:
    world.manifest.write_text(text, encoding="utf-8")

    for command in ("proxy", "check"):
        ran = refused(world, command, stdin=INIT.decode())

        assert f"{world.manifest} has " in " ".join(ran.err.split())
        assert f"synartesis.yaml:{line}:" in ran.err
        assert words in ran.err


@promise("C065")
def test_all_problems_are_told_at_once(world: World) -> None:
    broken = (
        START + '  - match: "f.a"\n    clas: readonly\n  - match: "g.b"\n    class: Reversible\n    gate: sometimes\n'
    )
    world.manifest.write_text(broken, encoding="utf-8")

    ran = refused(world, "check")

    assert [line for line in (8, 9, 10, 11) if f":{line}:" in ran.err] == [8, 9, 10, 11]


@promise("C065")
def test_a_merge_override_is_no_duplicate(world: World) -> None:
    world.write_manifest("""
  - &base
    match: "f.del_item"
    class: irreversible
    gate: always
  - <<: *base
    match: "f.send_note"
    gate: never
""")

    ran = world.cli("check")
    (answer,) = world.agent(("send_note", {"to": "a", "text": "b"}))

    assert ran.code == 0
    assert answer["structuredContent"] == {"sent": 1}, "what stands beside the merge wins: gate: never"


# --- check


def test_check_is_content_with_a_manifest_that_works(world: World) -> None:
    ran, as_json = world.cli("check"), world.cli("check", "--json")

    assert (ran.code, as_json.code) == (0, 0)
    assert "f: 9 tools" in ran.out
    assert "Every rule can work with the tools that its servers offer." in ran.out
    assert as_json.json["ok"] is True
    assert "set_item" in as_json.json["servers"][0]["tools"]
    assert world.calls() == [], "no tool is called"
    assert not world.journal.exists(), "and nothing is recorded"


def test_check_names_a_tool_that_is_missing_and_the_one_that_was_probably_meant(world: World) -> None:
    world.write_manifest(RULES.replace('tool: "f.restore_item"', 'tool: "f.restore_itme"'))

    ran, as_json = world.cli("check"), world.cli("check", "--json")

    assert (ran.code, as_json.code) == (1, 1)
    said = " ".join(ran.out.split())
    assert "the inverse of `f.del_item` calls `f.restore_itme`, which the server does not offer" in said
    assert "did you mean `f.restore_item`?" in said
    assert "1 rule error." in ran.out
    (finding,) = (each for each in as_json.json["findings"] if each["severity"] == "error")
    assert "synartesis.yaml:" in finding["text"]


def test_what_check_finds_missing_holds_the_call_at_the_proxy(world: World) -> None:
    world.write_manifest(RULES.replace('tool: "f.restore_item"', 'tool: "f.restore_itme"'))
    world.put(c1={"name": "A"})

    (answer,) = world.agent(("del_item", {"id": "c1"}))

    assert "f.restore_itme" in answer["content"][0]["text"]
    assert world.calls("del_item") == []
    assert [request["tool"] for request in world.cli("gates", "--json").json] == ["del_item"]


def test_check_tells_of_each_server_that_does_not_start_and_still_of_those_that_do(world: World) -> None:
    world.write_manifest(
        servers={
            "f": world.fake(),
            "dead": "{command: sh, args: ['-c', 'echo boom >&2; exit 3']}",
            "missing": "{command: /no/such/bin}",
        }
    )

    ran, as_json = world.cli("check"), world.cli("check", "--json")

    assert (ran.code, as_json.code) == (1, 1)
    said = " ".join(ran.out.split())
    assert "ok f: 9 tools" in said
    assert 'server "dead" ended (exit code 3)' in said
    assert "boom" in said
    assert "there is no /no/such/bin" in said
    assert "2 servers did not start." in ran.out
    assert [server["ok"] for server in as_json.json["servers"]] == [True, False, False]


# --- wrong input


class Recorded(NamedTuple):
    world: World
    run: str
    """The run that changed something."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """Two runs and a request. For all of these tests one: not one of them may change it."""
    world = World(tmp_path_factory.mktemp("recorded") / "world")
    world.put(c1={"name": "A"})
    world.agent(("set_item", {"id": "c1", "name": "B"}), ("send_note", {"to": "a", "text": "b"}))
    world.agent()
    yield Recorded(world, world.cli("list", "--json").json[1]["id"])
    world.close()


@pytest.mark.parametrize(
    ("typed", "message", "hint"),
    [
        ("undo RUN --dryrun", "synartesis undo has no option '--dryrun'", "did you mean --dry-run?"),
        ("proxy --sever f", "synartesis proxy has no option '--sever'", "did you mean --server?"),
        ("lsit", "there is no command 'lsit'", "-m synartesis list`?"),
        ("proxy --server g", "names no server 'g'", "it names f"),
        ("proxy --manifest nowhere.yaml", "nowhere.yaml", "--manifest"),
        ("check --manifest nowhere.yaml", "nowhere.yaml", "--manifest"),
        ("undo RUN --manifest nowhere.yaml", "nowhere.yaml", "--manifest"),
        ("list --journal nowhere.db", "there is no journal at", "--journal"),
        ("undo RUN --to 9", "--to 9: run RUN has no such step; it has #1 to #2", "synartesis show RUN"),
        ("undo RUN --unchecked 9", "--unchecked 9: run RUN has no such step", "synartesis show RUN"),
        ("undo zz", "no run has an id that starts with 'zz'", "synartesis list"),
        ("approve zz", "no request has an id that starts with 'zz'", "synartesis gates"),
        ("undo", "undo does not guess in a pipe", "undo RUN"),
    ],
)
def test_what_cannot_be_meant_says_so_with_a_remedy_and_does_nothing(
    recorded: Recorded, typed: str, message: str, hint: str
) -> None:
    world, run = recorded

    ran = refused(world, *typed.replace("RUN", run).split(), stdin=INIT.decode())

    said = " ".join(ran.err.split())
    assert message.replace("RUN", run) in said
    assert hint.replace("RUN", run) in said.partition("hint: ")[2]


def test_an_ambiguous_id_lists_what_it_may_mean(world: World) -> None:
    runs: list[str] = []
    while len({run[0] for run in runs}) == len(runs):  # until two start alike; after sixteen runs at the latest
        world.agent()
        runs = [run["id"] for run in world.cli("list", "--json").json]
    twice = next(run[0] for run in runs if sum(other[0] == run[0] for other in runs) > 1)
    meant = [run for run in runs if run[0] == twice]

    ran = refused(world, "undo", twice)

    assert f"{len(meant)} runs have an id that starts with '{twice}'" in ran.err
    for run in meant:
        assert run in ran.err
    assert "type more of the id" in ran.err


def test_a_missing_server_command_is_named_with_what_to_write_and_the_proxy_ends(world: World) -> None:
    world.write_manifest(servers={"f": "{command: no-such-command-anywhere}"})

    ran = refused(world, "proxy", stdin=INIT.decode())

    said = " ".join(ran.err.split())
    assert "there is no no-such-command-anywhere in PATH (" in said
    assert "absolute path" in said


def test_a_variable_that_is_not_set_is_named_and_nothing_is_started(world: World) -> None:
    world.write_manifest(servers={"f": "{command: touch, args: [started], env: {TOKEN: '${NO_SUCH_TOKEN}'}}"})

    ran = refused(world, "proxy", stdin=INIT.decode())

    said = " ".join(ran.err.split())
    assert "synartesis.yaml:3" in said
    assert "needs the environment variable NO_SUCH_TOKEN, which is not set" in said


def test_wrong_input_with_json_is_one_json_value_on_stderr(world: World) -> None:
    ran = world.cli("undo", "zz", "--json", "--journal", "nowhere.db")

    assert (ran.code, ran.out) == (2, "")
    error = json.loads(ran.err)["error"]
    assert set(error) == {"message", "hint", "exit"}
    assert error["exit"] == 2


# --- below: how


def refused(world: World, *words: str, stdin: str = "") -> Ran:
    """Run a command that must end with exit code 2, having started, sent and written nothing."""
    before = files_of(world.folder)
    ran = world.cli(*words, stdin=stdin)
    assert (ran.code, ran.out) == (2, ""), ran
    assert files_of(world.folder) == before, "nothing was started, sent or written"
    return ran


def files_of(folder: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
