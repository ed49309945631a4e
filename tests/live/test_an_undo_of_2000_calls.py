"""The undo of a run of 2,000 calls: ended by Ctrl-C and `kill -9` wherever chance has it, by the command itself and through the
living proxy, the same command goes on, makes no call twice, and ends with every byte as it was."""

from __future__ import annotations

import json
import os
import random
import signal

import pytest

from tests.support.client import Client
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until
from tests.support.world import World

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

ITEMS = [f"i{number:03}" for number in range(200)]
NAMES = [str(number) for number in range(11)]
"""The name before, and those that the agent gives one after the other."""
CALLS = len(ITEMS) * (len(NAMES) - 1)
BACK = [(item, name) for name in reversed(NAMES[:-1]) for item in reversed(ITEMS)]
"""The inverses, each made once, newest call first."""


def changed(world: World) -> tuple[Client, str, bytes]:
    """A client that is still there, whose agent renamed every item ten times; its run; and the server's file before."""
    world.put_text(json.dumps({item: {"name": NAMES[0]} for item in ITEMS}, separators=(",", ":")))
    before = world.state.read_bytes()
    client = world.proxy()
    for name in NAMES[1:]:
        for item in ITEMS:
            assert "isError" not in client.call("set_item", {"id": item, "name": name})
    return client, str(world.cli("list", "--json").json[0]["id"]), before


def executed(world: World) -> int:
    """How many calls the server has executed."""
    return (world.folder / "calls.log").read_bytes().count(b"\n")


def inverses(world: World) -> list[tuple[str, str]]:
    return [(call["id"], call["name"]) for call in world.calls("set_item")[CALLS:]]


def undoing(world: World, run: str) -> Client:
    command = Client.start([*world.program, "undo", run], env=world.env, cwd=world.folder)
    world.clients.append(command)
    return command


def after(world: World, calls: int) -> None:
    """Some calls later. In no step with the server: wherever it is by then."""
    until = executed(world) + calls
    wait_until(lambda: executed(world) >= until, f"the server was never called {calls} times")


def moments(seed: int, many: int) -> list[int]:
    """How many calls later each end comes. A repeat looks at every item before it goes on, so some of these ends come while it
    looks and some while it undoes."""
    chance = random.Random(seed)
    return [chance.choice([chance.randrange(len(ITEMS)), chance.randrange(len(ITEMS), 900)]) for _ in range(many)]


def ended_as_it_should(world: World, run: str, before: bytes) -> None:
    again = world.cli("undo", run, "--json")
    assert (again.code, again.json["status"]) == (0, "undone")
    assert inverses(world) == BACK
    assert world.state.read_bytes() == before
    assert world.cli("verify").code == 0
    once_more = world.cli("undo", run, "--json")
    assert (once_more.code, once_more.json["status"]) == (0, "undone")
    assert len(inverses(world)) == CALLS, "and the repeat of an undo that is done sends nothing"


@pytest.mark.parametrize("seed", range(2))
def test_killed_anywhere_it_goes_on(world: World, seed: int) -> None:
    client, run, before = changed(world)
    client.close()

    for moment in moments(seed, 12):
        command = undoing(world, run)
        after(world, moment)
        os.kill(command.process.pid, signal.SIGKILL)
        command.wait()

    assert 0 < len(inverses(world)) < CALLS
    ended_as_it_should(world, run, before)


def test_stopped_anywhere_by_ctrl_c_it_goes_on_and_says_how_far_it_came(world: World) -> None:
    client, run, before = changed(world)
    client.close()

    for moment in moments(2, 5):
        env = world.env | {"TERM": "xterm", "COLUMNS": "80"}
        with Terminal([*world.program, "undo", run], env=env, cwd=world.folder) as terminal:
            after(world, moment)
            terminal.type("\x03")
            assert terminal.ended() == 1
        assert "stopping before the next call" in terminal.seen

    assert 0 < len(inverses(world)) < CALLS
    ended_as_it_should(world, run, before)


def test_through_the_living_proxy_whoever_of_the_two_is_killed(world: World) -> None:
    client, run, before = changed(world)

    for moment in moments(3, 5):
        command = undoing(world, run)
        after(world, moment)
        os.kill(command.process.pid, signal.SIGKILL)
        command.wait()
        wait_until(lambda: client.stderr().count("order_ended") == len(world.clients) - 1, "the proxy goes on with it")
    made = len(inverses(world))
    assert 0 < made < CALLS

    command = undoing(world, run)
    after(world, 700)
    client.kill()
    assert command.wait().code == 1
    assert f"the proxy of run {run} (process {client.process.pid}) ended in the middle of it" in command.stderr()
    assert made < len(inverses(world)) < CALLS

    ended_as_it_should(world, run, before)


def test_through_the_living_proxy_to_its_end(world: World) -> None:
    client, run, before = changed(world)

    ended_as_it_should(world, run, before)

    assert "isError" not in client.call("set_item", {"id": ITEMS[0], "name": "third"}), "the agent may go on"
