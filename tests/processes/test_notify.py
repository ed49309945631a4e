"""A held call reaches a person by the manifest's own command, and a command that fails keeps nobody waiting."""

from __future__ import annotations

import json

from tests.support.waiting import wait_until
from tests.support.world import RULES, World

NOTE = {"to": "a@x.example", "text": "hi"}


def with_notifier(world: World, command: list[str]) -> None:
    server = f"servers: {{f: {world.fake()}}}"
    world.write_manifest(text=f"version: 1\nnotify: {json.dumps(command)}\n{server}\ntools:{RULES}")


def test_a_held_call_is_told_once_however_often_it_is_repeated(world: World) -> None:
    told = world.folder / "told"
    with_notifier(world, ["sh", "-c", f"cat >> '{told}'"])
    client = world.proxy()
    for _ in range(5):
        client.call("send_note", NOTE)
    wait_until(lambda: told.exists() and told.read_bytes().endswith(b"\n"), "nobody was told")
    (request,) = world.cli("gates", "--json").json
    client.close()

    (line,) = told.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["id"] == request["id"]
    assert json.loads(line)["args"] == NOTE
    assert request["id"] in json.loads(line)["approve"]


def test_a_notifier_that_is_missing_or_hangs_never_reaches_the_call(world: World) -> None:
    commands = {
        "missing": ["./not-there"],
        "a folder": ["/"],
        "hangs": ["sh", "-c", "sleep 600"],
        "fails": ["sh", "-c", "exit 1"],
        "talks without end": ["sh", "-c", "yes; true"],
        "complains without end": ["sh", "-c", "yes >&2"],
        "reads nothing": ["sh", "-c", "exec <&-; sleep 600"],
        "kills its group": ["sh", "-c", "kill -9 0"],
    }
    note = {**NOTE, "text": "x" * 1_000_000}
    for command in commands.values():
        with_notifier(world, command)
        client = world.proxy()

        answer = client.call("send_note", note, deadline_s=10)
        assert answer["content"][0]["text"].startswith("HELD")
        assert client.close(deadline_s=10).code == 0
        assert world.cli("approve").code == 0
        assert "isError" not in world.agent(("send_note", note))[0]


def test_the_notifier_is_one_of_the_commands_that_have_to_be_trusted(world: World) -> None:
    told = world.folder / "told"
    assert world.cli("check").code == 0
    server = f"servers: {{f: {world.fake()}}}"
    text = f"version: 1\nnotify: [sh, -c, 'touch {told}']\n{server}\ntools:{RULES}"
    world.manifest.write_text(text, encoding="utf-8")

    refused = world.cli("proxy")
    accepted = world.cli("trust", "--yes")

    assert refused.code == 2
    assert "notify: sh -c" in refused.err
    assert "notify: sh -c" in accepted.out
    assert not told.exists()
