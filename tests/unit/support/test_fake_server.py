"""The fake server is what other tests believe, so a little is asked of it too."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import Client
from tests.support.fake_server import NOISE
from tests.support.world import FAKE_SERVER


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state.json"


@pytest.fixture
def fakes(state: Path) -> Iterator[Any]:
    started: list[Client] = []

    def start(**behaviour: Any) -> Client:
        argv: list[str | Path] = [sys.executable, FAKE_SERVER, "--behave", json.dumps(behaviour)]
        argv += ["--state", state, "--calls", state.with_name("calls.log"), "--files", state.parent]
        started.append(Client.start(argv))
        return started[-1]

    yield start
    for client in started:
        client.__exit__()


def test_a_number_comes_back_as_it_was_spelled(fakes: Any, state: Path) -> None:
    numbers = '{"price":1.10,"rate":1E5,"zero":-0.0,"big":123456789012345678901234567890}'
    state.write_text(f'{{"items":{{"c1":{numbers}}}}}', encoding="utf-8")
    client = fakes()
    client.initialize()

    client.send(
        b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"set_item","arguments":{"id":"c1","n":1e2}}}\n'
    )
    client.wait_for_reply(9)

    assert f'"structuredContent":{{"id":"c1",{numbers[1:-1]},"n":1e2}}'.encode() in client.received[-1]
    assert f'"c1":{numbers[:-1]},"n":1e2}}' in state.read_text(encoding="utf-8")


def test_a_rule_answers_the_next_two_calls_with_an_error_and_executes_neither(fakes: Any, state: Path) -> None:
    state.write_text('{"items":{"c1":{"name":"A"}}}', encoding="utf-8")
    client = fakes(rules=[{"tool": "get_item", "times": 2, "error": "429 Too Many Requests"}])
    client.initialize()

    answers = [client.call("get_item", {"id": "c1"}) for _ in range(3)]

    assert [True, True, None] == [answer.get("isError") for answer in answers]
    assert answers[2]["structuredContent"] == {"id": "c1", "name": "A"}
    assert len(state.with_name("calls.log").read_bytes().splitlines()) == 1


def test_noise_is_printed_before_every_answer_and_no_line_of_it_is_one(fakes: Any) -> None:
    client = fakes(noise=True)
    client.initialize()

    assert client.call("get_item", {"id": "c9"})["content"][0]["text"] == "item c9 not found"
    heard = [line.decode() for line in client.received]
    assert heard[: len(NOISE)] == NOISE
    assert len(heard) == 2 * (len(NOISE) + 1)


def test_both_eras_are_spoken_and_the_first_request_decides(fakes: Any) -> None:
    client = fakes(era="both")

    assert client.discover()["supportedVersions"] == ["2026-07-28"]
    assert client.call("create_item", {"name": "A"})["resultType"] == "complete"
    assert client.request("initialize", {"protocolVersion": "2025-06-18"})["error"]["code"] == -32022


def test_a_server_can_die_after_a_write_that_it_never_answers(fakes: Any, state: Path) -> None:
    client = fakes(rules=[{"tool": "create_item", "die": "after"}])
    client.initialize()

    client.ask("tools/call", {"name": "create_item", "arguments": {"name": "A"}})

    assert client.wait().code == 9
    assert json.loads(state.read_bytes())["items"] == {"n1": {"name": "A"}}
