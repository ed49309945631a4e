"""Cases C001, C002, C006, C007, C008 and C009 where three servers stand behind one proxy: what one of them does costs the others
nothing. (C010 to C021 are in test_several_servers.py.)"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.promises import promise
from tests.support.client import JSON, Client, encode
from tests.support.waiting import wait_until
from tests.support.world import INIT, World

NAMES = ("a", "b", "c")
RULES_OF_EACH = "".join(
    f"""
  - match: "{name}.get_item"
    class: readonly
  - match: "{name}.set_item"
    class: reversible
    snapshot: {{tool: "{name}.get_item", args: {{id: "$.id"}}}}
    inverse: {{tool: "{name}.set_item", args: {{id: "$.id", name: "$snapshot.name"}}}}
"""
    for name in NAMES
)


def three(world: World, behaviours: Mapping[str, JSON]) -> None:
    """Servers a, b and c, each with a store of its own in which c1 bears its name."""
    servers = {name: world.fake(name, **behaviours.get(name, {})) for name in NAMES}
    world.write_manifest(RULES_OF_EACH, servers=servers)
    for name in NAMES:
        (world.folder / f"state-{name}.json").write_text(json.dumps({"items": {"c1": {"name": name}}, "notes": []}))


def text_of(result: JSON) -> str:
    text: str = result["content"][0]["text"]
    return text


def read(client: Client, server: str) -> str:
    return text_of(client.call(f"{server}__get_item", {"id": "c1"}))


def assert_others_work(client: Client, but: str) -> None:
    for name in set(NAMES) - {but}:
        assert read(client, name) == f'{{"id":"c1","name":"{name}"}}'


def call(ident: Any, tool: str, arguments: JSON) -> bytes:
    return encode(
        {"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    )


@promise("C001")
@pytest.mark.parametrize("length", [65_535, 65_536, 65_537, 5_000_000])
def test_an_answer_of_any_length_of_one_comes_through_unchanged(world: World, length: int) -> None:
    three(world, {"b": {"rules": [{"tool": "get_item", "text_chars": length}]}})
    client = world.proxy()

    assert read(client, "b") == "x" * length
    assert_others_work(client, "b")


@promise("C002")
def test_what_one_prints_on_its_stdout_stands_in_the_log_under_its_name(world: World) -> None:
    three(world, {"b": {"noise": True, "noise_bytes": 2_000_000}})
    client = world.proxy()

    for name in NAMES:
        assert read(client, name) == f'{{"id":"c1","name":"{name}"}}'

    ended = client.close()
    assert ended.code == 0
    heard = client.messages()
    assert [message["id"] for message in heard if "id" in message] == [1, 2, 3, 4]
    # One that takes long to be opened joins later, and only that may be said besides.
    assert {message["method"] for message in heard if "id" not in message} <= {"notifications/tools/list_changed"}
    noisy = {json.loads(line)["server"] for line in ended.stderr.splitlines() if '"server_noise"' in line}
    assert noisy == {"b"}


@promise("C006")
def test_a_flood_on_the_stderr_of_one_stalls_nobody_and_its_last_words_are_its_own(world: World) -> None:
    three(world, {"a": {"stderr_first": 300_000, "stderr_each": 10_000}})
    client = world.proxy()

    for _ in range(30):
        assert read(client, "a") == '{"id":"c1","name":"a"}'
    world.behave("b", rules=[{"tool": "get_item", "die": "before", "last_words": "\nKeyError: 'of b'\n"}])
    failed = client.call("b__get_item", {"id": "c1"})

    assert failed["isError"]
    assert text_of(failed).rstrip('."').endswith("KeyError: 'of b'")
    assert "much to say about nothing" not in text_of(failed)
    assert_others_work(client, "b")


@promise("C007")
@pytest.mark.parametrize("how", ["end of input", "SIGTERM"])
def test_all_three_end_with_the_proxy_with_what_they_started(world: World, how: str) -> None:
    servers = {name: stubborn(world, name) for name in NAMES}
    world.write_manifest(RULES_OF_EACH, servers=servers)
    client = world.proxy()
    pids = [int((world.folder / f"pid-{name}").read_text(encoding="utf-8")) for name in NAMES]
    assert all(map(is_running, pids))

    if how == "SIGTERM":
        client.process.terminate()
    else:
        client.close_input()

    assert client.wait(deadline_s=15).code == 0
    wait_until(lambda: not any(map(is_running, pids)), "a server outlived its proxy")
    (run,) = world.cli("list", "--json").json
    assert run["status"] == "complete"


def stubborn(world: World, name: str) -> str:
    """A server behind a shell, as npx starts it, that ignores the end of input and SIGTERM."""
    body = world.fake(name, ignore_eof=True, ignore_term=True)
    fake = json.loads(body.replace("command:", '"command":').replace("args:", '"args":'))
    words = " ".join(f"'{word}'" for word in [fake["command"], *fake["args"]])
    script = f"exec 3<&0; {words} <&3 & echo $! > {world.folder / f'pid-{name}'}; wait"
    return f"{{command: sh, args: [-c, {json.dumps(script)}]}}"


def is_running(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


@promise("C008")
def test_calls_to_all_three_that_run_when_the_input_ends_are_finished_answered_and_recorded(world: World) -> None:
    three(world, {name: {"delay_ms": 300} for name in NAMES})
    lines = [call(name, f"{name}__set_item", {"id": "c1", "name": "new"}) for name in NAMES]

    done = subprocess.run(
        [*world.program, "proxy"],
        input=b"".join([INIT, *lines]),
        capture_output=True,
        env=world.env,
        cwd=world.folder,
        timeout=60,
        check=False,
    )

    answers = {message["id"]: message for message in map(json.loads, done.stdout.splitlines())}
    assert answers.keys() == {"i", *NAMES}
    assert not any(answers[name]["result"].get("isError") for name in NAMES)
    assert done.returncode == 0
    actions = world.cli("show", "--json").json["actions"]
    assert sorted((each["server"], each["status"]) for each in actions) == [(name, "applied") for name in NAMES]


@promise("C009")
def test_one_id_in_three_types_is_under_way_at_three_servers_and_each_answer_is_its_own(world: World) -> None:
    idents: dict[str, Any] = {"a": 7, "b": "7", "c": 9007199254740993}
    gate = world.folder / "go"
    rules = [{"tool": "get_item", "pause_before": str(gate)}]
    three(world, {name: {"rules": rules} for name in NAMES})
    client = world.proxy()

    client.send(b"".join(call(ident, f"{name}__get_item", {"id": "c1"}) for name, ident in idents.items()))
    wait_until(Path(f"{gate}.reached").exists, "no server was reached")
    gate.touch()

    for name, ident in idents.items():
        reply = client.wait_for_reply(ident)
        assert text_of(reply["result"]) == f'{{"id":"c1","name":"{name}"}}'
        assert type(reply["id"]) is type(ident)
