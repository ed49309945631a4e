"""Cases C001, C002, C006, C007 and C008: lines of any length, servers that talk and that do not end, the end of input."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.records import NewRun
from synartesis.domain.status import RunKind
from synartesis.journal import open_journal
from synartesis.journal.liveness import this_process
from synartesis.policy.matching import Policy
from synartesis.policy.reader import read_manifest
from synartesis.relay.log import Log
from synartesis.relay.serve import serve
from synartesis.wire.lines import MAX_LINE_BYTES
from tests.promises import promise
from tests.support.client import encode
from tests.support.fake_server import NOISE
from tests.support.waiting import wait_until
from tests.support.world import INIT, World


def call(ident: Any, tool: str, arguments: dict[str, Any]) -> bytes:
    return encode(
        {"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    )


def text_of(result: dict[str, Any]) -> str:
    text: str = result["content"][0]["text"]
    return text


def rows(world: World) -> list[tuple[str, str]]:
    """(tool, status) of every action of the newest run."""
    shown = world.cli("show", "--json").json
    return [(action["tool"], action["status"]) for action in shown["actions"]]


# --- C001


@promise("C001")
@pytest.mark.parametrize("length", [65_535, 65_536, 65_537, 5_000_000, 20_000_000])
def test_an_answer_of_any_length_comes_through_unchanged(world: World, length: int) -> None:
    world.put(c1={"name": "A"})
    world.behave(rules=[{"tool": "get_item", "text_chars": length}])
    client = world.proxy()

    assert text_of(client.call("get_item", {"id": "c1"})) == "x" * length
    assert client.request("ping")["result"] == {}


@promise("C001")
def test_a_write_of_five_million_characters_goes_out_and_its_snapshot_is_as_long(world: World) -> None:
    body = "b" * 5_000_000
    world.put(c1={"name": "A", "body": "a" * 5_000_000})
    client = world.proxy()

    result = client.call("set_item", {"id": "c1", "body": body})

    assert not result.get("isError"), text_of(result)[:300]
    assert world.items["c1"]["body"] == body
    assert client.close().code == 0
    assert rows(world) == [("set_item", "applied")]


@promise("C001")
def test_an_answer_above_the_ceiling_costs_its_own_call_and_no_write_goes_out_on_such_a_read(world: World) -> None:
    world.put(c1={"name": "A"})
    world.behave(rules=[{"tool": "get_item", "text_chars": MAX_LINE_BYTES}])
    client = world.proxy()

    read = client.call("get_item", {"id": "c1"})
    write = client.call("set_item", {"id": "c1", "name": "Z"})
    world.behave(rules=[])

    assert read["isError"]
    assert "too long to be carried" in text_of(read)
    assert write["isError"]
    assert "too long to be carried" in text_of(write)
    assert world.calls("set_item") == []
    assert text_of(client.call("get_item", {"id": "c1"})) == '{"id":"c1","name":"A"}'
    client.close()
    assert rows(world) == [("get_item", "unknown"), ("set_item", "failed"), ("get_item", "applied")]


@promise("C001")
def test_a_request_above_the_ceiling_is_answered_under_its_id_and_the_next_one_works(world: World) -> None:
    world.put(c1={"name": "A"})
    client = world.proxy()

    client.send(call("long", "set_item", {"id": "c1", "name": "x" * MAX_LINE_BYTES}))

    assert "too long to be carried" in client.wait_for_reply("long")["error"]["message"]
    assert not client.call("set_item", {"id": "c1", "name": "Z"}).get("isError")
    assert world.calls("set_item") == [{"id": "c1", "name": "Z"}]


# --- C002


@promise("C002")
def test_what_a_server_prints_on_its_stdout_is_logged_and_never_taken_for_an_answer(world: World) -> None:
    world.put(c1={"name": "A"})
    world.behave(noise=True, noise_bytes=2_000_000)
    client = world.proxy()

    for _ in range(3):
        assert text_of(client.call("get_item", {"id": "c1"})) == '{"id":"c1","name":"A"}'

    ended = client.close()
    assert ended.code == 0
    assert [message["id"] for message in client.messages()] == [1, 2, 3, 4]
    logged = Counter(text for server, text in noise_in(ended.stderr) if server == "f")
    expected = {line.replace("\r", "\\x0d") for line in NOISE if line}
    assert logged.keys() == expected
    assert len(set(logged.values())) == 1, "each of them every time"
    assert sum(len(line) + 1 for line in NOISE) * logged["42"] > 2_000_000


@promise("C002")
def test_a_long_line_of_noise_is_cut_in_the_log(world: World) -> None:
    world.put(c1={"name": "A"})
    world.behave(noise=["progress " + "#" * 500_000 + " \x1b[31m"])
    client = world.proxy()

    client.call("get_item", {"id": "c1"})

    ended = client.close()
    assert [message["id"] for message in client.messages()] == [1, 2]
    assert noise_in(ended.stderr)
    for server, text in noise_in(ended.stderr):
        assert (server, text[:20]) == ("f", "progress " + "#" * 11)
        assert len(text) < 1000
    assert "\x1b" not in ended.stderr


def noise_in(log: str) -> list[tuple[str, str]]:
    """(server, text) of everything that was no message."""
    entries = [json.loads(line) for line in log.splitlines() if '"server_noise"' in line]
    return [(entry["server"], entry["text"]) for entry in entries]


# --- C006


@promise("C006")
def test_a_flood_on_stderr_stalls_nothing_and_its_end_is_quoted_when_the_server_fails(world: World) -> None:
    world.put(c1={"name": "A"})
    world.write_manifest(servers={"f": world.fake(stderr_first=300_000, stderr_each=10_000)})
    client = world.proxy()

    for _ in range(100):
        client.call("get_item", {"id": "c1"})
    world.behave(rules=[{"tool": "get_item", "die": "before", "last_words": "\nKeyError: 'token'\n"}])
    result = client.call("get_item", {"id": "c1"})

    assert result["isError"]
    assert "exit code 9" in text_of(result)
    assert "much to say about nothing" in text_of(result)
    assert text_of(result).rstrip('."').endswith("KeyError: 'token'")
    assert all(isinstance(message, dict) for message in client.messages())


def test_secrets_of_a_server_are_not_quoted_with_its_last_words(world: World) -> None:
    world.write_manifest(servers={"f": world.fake(dump_environment=True, extra='env: {TOKEN: "${SECRET}"}')})
    client = world.start_proxy("--log-level", "debug", env={"SECRET": "correct-horse-battery"})

    reply = client.wait_for_reply(client.ask("initialize", {"protocolVersion": "2025-06-18"}))

    assert "exit code 3" in reply["error"]["message"]
    assert "correct-horse-battery" not in json.dumps(reply)
    assert "correct-horse-battery" not in client.close().stderr


# --- C007


def wrapped(world: World) -> str:
    """A server behind a shell, as npx starts it, that ignores the end of input and SIGTERM."""
    fake = json.loads(
        world.fake(ignore_eof=True, ignore_term=True).replace("command:", '"command":').replace("args:", '"args":')
    )
    pid_file = world.folder / "pid"
    words = " ".join(f"'{word}'" for word in [fake["command"], *fake["args"]])
    script = f"exec 3<&0; {words} <&3 & echo $! > {pid_file}; wait"  # a shell's background job has no input otherwise
    return f"{{command: sh, args: [-c, {json.dumps(script)}]}}"


def server_pid(world: World) -> int:
    return int((world.folder / "pid").read_text(encoding="utf-8"))


def assert_ends(pid: int) -> None:
    wait_until(lambda: not is_running(pid), f"process {pid} still runs")


def is_running(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


@promise("C007")
@pytest.mark.parametrize("how", ["end of input", "SIGTERM", "SIGINT"])
def test_a_stubborn_grandchild_ends_with_the_proxy(world: World, how: str) -> None:
    world.write_manifest(servers={"f": wrapped(world)})
    client = world.proxy()
    pid = server_pid(world)
    assert is_running(pid)

    if how == "end of input":
        client.close_input()
    else:
        client.process.send_signal(signal.Signals[how])

    assert client.wait(deadline_s=10).code == 0
    assert not is_running(pid)
    (run,) = world.cli("list", "--json").json
    assert run["status"] == "complete"


@promise("C007")
def test_the_servers_end_when_the_client_is_killed(world: World, tmp_path: Path) -> None:
    world.write_manifest(servers={"f": wrapped(world)})
    proxy = [sys.executable, "-m", "synartesis", "proxy"]
    program = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen({proxy!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        f"child.stdin.write({INIT!r}); child.stdin.flush()\n"
        "child.stdout.readline(); print(child.pid, flush=True); sys.stdin.read()\n"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=world.env,
        cwd=world.folder,
    )
    assert owner.stdin is not None
    assert owner.stdout is not None
    proxy_pid = int(owner.stdout.readline())

    owner.kill()
    owner.wait()
    owner.stdin.close()
    owner.stdout.close()

    assert_ends(proxy_pid)
    assert_ends(server_pid(world))
    (run,) = world.cli("list", "--json").json
    assert run["status"] == "complete"


# --- C008


def pipe_into_proxy(world: World, *lines: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "synartesis", "proxy"],
        input=b"".join(lines),
        capture_output=True,
        env=world.env,
        cwd=world.folder,
        timeout=60,
        check=False,
    )


@promise("C008")
def test_calls_that_run_when_the_input_ends_are_finished_answered_and_recorded(world: World) -> None:
    world.put(c1={"name": "A"}, c2={"name": "B"})
    world.behave(delay_ms=300)

    done = pipe_into_proxy(
        world, INIT, call(2, "set_item", {"id": "c1", "name": "Z"}), call(3, "del_item", {"id": "c2"})
    )

    answers = {message["id"]: message for message in map(json.loads, done.stdout.splitlines())}
    assert answers.keys() == {"i", 2, 3}
    assert not any(answers[ident]["result"].get("isError") for ident in (2, 3))
    assert done.returncode == 0
    assert sorted(rows(world)) == [("del_item", "applied"), ("set_item", "applied")]
    assert world.items == {"c1": {"name": "Z"}}


@promise("C008")
def test_a_call_that_is_never_answered_is_waited_for_until_asked_twice_and_then_unknown(world: World) -> None:
    world.put(c1={"name": "A"})
    gate = world.folder / "go"
    client = world.proxy("--log-level", "debug")
    world.behave(rules=[{"tool": "set_item", "pause_after": str(gate)}])
    client.send(call(3, "set_item", {"id": "c1", "name": "Z"}))
    wait_for_file(Path(f"{gate}.reached"))

    client.close_input()
    wait_until(lambda: '"ending"' in client.stderr(), "the end of input was never noticed")
    client.process.send_signal(signal.SIGTERM)
    ended = client.wait(deadline_s=15)

    assert ended.code == 1
    assert '"calls_unanswered"' in ended.stderr
    assert "UNKNOWN" in text_of(client.wait_for_reply(3)["result"])
    assert rows(world) == [("set_item", "unknown")]


@promise("C008")
def test_a_call_that_is_never_answered_is_waited_for_only_so_long(world: World) -> None:
    world.put(c1={"name": "A"}, c2={"name": "B"})
    world.behave(rules=[{"tool": "del_item", "silent": True}], concurrent=True)
    lines = [INIT, call(2, "set_item", {"id": "c1", "name": "Z"}), call(3, "del_item", {"id": "c2"})]

    code, output = asyncio.run(
        impatient_session(
            world,
            b"".join(lines),
            closes_when=lambda output: b'"id":2' in output and world.calls("del_item") != [],
        )
    )

    answers = {message["id"]: message["result"] for message in map(json.loads, output.splitlines())}
    assert answers.keys() == {"i", 2, 3}
    assert not answers[2].get("isError")
    assert "UNKNOWN" in text_of(answers[3])
    assert code == 1
    assert sorted(rows(world)) == [("del_item", "unknown"), ("set_item", "applied")]
    (run,) = world.cli("list", "--json").json
    assert run["unknown"] == 1
    assert run["ended_at"] is not None


async def impatient_session(world: World, lines: bytes, *, closes_when: Callable[[bytes], bool]) -> tuple[int, bytes]:
    """The proxy in this process, over pipes, with next to no patience after its input was closed. Returns its exit code and
    all that it wrote."""
    policy = Policy(read_manifest(world.manifest))
    journal = open_journal(world.journal)
    new = NewRun("run", RunKind.AGENT, "", str(world.manifest), "", (), this_process())
    stdin, to_proxy = os.pipe()
    from_proxy, stdout = os.pipe()
    os.set_blocking(from_proxy, False)
    received = b""

    def read_all() -> bytes:
        nonlocal received
        with suppress(BlockingIOError):
            received += os.read(from_proxy, 1 << 20)
        return received

    with (world.folder / "log").open("wb") as log, closing(journal):
        run = await journal.open_run(new)
        os.write(to_proxy, lines)
        serving = asyncio.create_task(
            serve(
                policy, journal, run.id, server=None, stdin=stdin, stdout=stdout, log=Log(fd=log.fileno()), grace_s=0.05
            )
        )
        while not closes_when(read_all()):
            assert not serving.done()
            await asyncio.sleep(0)
        os.close(to_proxy)
        code = await serving
    read_all()
    for fd in (stdin, from_proxy, stdout):
        os.close(fd)
    return code, received


def test_the_input_may_be_a_file_and_the_output_too(world: World) -> None:
    world.put(c1={"name": "A"})
    source, target = world.folder / "in", world.folder / "out"
    source.write_bytes(INIT + call(2, "get_item", {"id": "c1"}))

    with source.open("rb") as stdin, target.open("wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "synartesis", "proxy"],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=world.env,
            cwd=world.folder,
            timeout=60,
            check=False,
        )

    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["id"] for line in target.read_bytes().splitlines()] == ["i", 2]


def test_a_client_that_reads_no_more_does_not_stop_a_write_that_runs(world: World) -> None:
    world.put(c1={"name": "A"})
    gate = world.folder / "go"
    client = world.proxy()
    world.behave(rules=[{"tool": "set_item", "pause_after": str(gate)}])
    client.send(call(9, "set_item", {"id": "c1", "name": "Z"}))
    wait_for_file(Path(f"{gate}.reached"))

    assert client.process.stdin is not None
    client.process.stdin.close()
    gate.touch()

    assert client.wait().code == 0
    assert rows(world) == [("set_item", "applied")]


def wait_for_file(path: Path) -> None:
    wait_until(path.exists, f"{path} never came")


def test_a_server_that_dies_in_a_write_leaves_it_unknown_and_is_started_again_for_the_next_call(world: World) -> None:
    world.put(c1={"name": "A"})
    client = world.proxy()
    world.behave(rules=[{"tool": "set_item", "die": "after"}])

    lost = client.call("set_item", {"id": "c1", "name": "Z"})
    world.behave(rules=[])
    read = client.call("get_item", {"id": "c1"})

    assert "UNKNOWN" in text_of(lost)
    assert "exit code 9" in text_of(lost)
    assert text_of(read) == '{"id":"c1","name":"Z"}'
    assert world.calls("set_item") == [{"id": "c1", "name": "Z"}]
    assert client.close().code == 1
    assert rows(world) == [("set_item", "unknown"), ("get_item", "applied")]
