"""`kill -9` of the *server* at every step of a call: case C060, seen from the side that lives on. The proxy has to say what is
known, its agent gets one answer, and undo never takes an unread state for one that it knows."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable

import pytest

from tests.promises import promise
from tests.support.client import JSON, Client
from tests.support.stops import assert_sound, go_on, locked, pause_at, reach
from tests.support.waiting import wait_until
from tests.support.world import World

READ_C1 = {"tool": "get_item", "where": {"id": "c1"}}


def before_the_snapshot_read(world: World, client: Client) -> None:
    reach(world, client, {**READ_C1, "pause_before": pause_at(world)})
    kill_server(client)


def before_it_carries_the_write_out(world: World, client: Client) -> None:
    reach(world, client, {"tool": "set_item", "pause_before": pause_at(world)})
    kill_server(client)


def after_the_write_and_before_its_answer(world: World, client: Client) -> None:
    reach(world, client, {"tool": "set_item", "pause_after": pause_at(world)})
    kill_server(client)


def after_the_answer_and_before_the_second_read(world: World, client: Client) -> None:
    reach(world, client, {**READ_C1, "skip": 1, "pause_before": pause_at(world)})
    kill_server(client)


def after_the_second_read_and_before_the_last_record(world: World, client: Client) -> None:
    reach(world, client, {**READ_C1, "skip": 1, "pause_before": pause_at(world)})
    with locked(world.journal):
        go_on(world)
        client.call("get_item", {"id": "other"})  # its answer comes after that of the second read
        kill_server(client)


Step = Callable[[World, Client], None]


def killed_at(world: World, step: Step) -> tuple[JSON, JSON]:
    """What the agent is told of its call, and what stands in the journal of it."""
    world.put(c1={"name": "A"}, other={"name": "x"})
    client = world.proxy()
    step(world, client)
    told = client.wait_for_reply(1_000)["result"]
    world.behave()
    client.close()
    actions = world.cli("show", "--json").json["actions"]
    [write] = [action for action in actions if action["class"] != "readonly"]
    assert_sound(world.journal)
    return told, write


@promise("C060")
def test_a_server_that_dies_before_the_state_was_read_keeps_the_write_from_being_sent(world: World) -> None:
    told, write = killed_at(world, before_the_snapshot_read)

    assert told["isError"] is True
    assert "The read failed" in text_of(told)
    assert write["status"] == "failed"
    assert world.calls("set_item") == []
    assert undo(world) == (0, "undone", "skip")


@promise("C060")
def test_a_server_that_dies_before_it_did_it_leaves_unknown_and_reading_settles_it(world: World) -> None:
    told, write = killed_at(world, before_it_carries_the_write_out)

    assert "Do NOT repeat it" in text_of(told)
    assert write["status"] == "unknown"
    assert write["before"] == {"state": "present", "value": {"id": "c1", "name": "A"}}
    assert undo(world) == (0, "undone", "already_undone")
    assert world.calls("set_item") == []


@promise("C060")
def test_a_server_that_dies_after_it_did_it_leaves_unknown_and_undo_stops_there(world: World) -> None:
    told, write = killed_at(world, after_the_write_and_before_its_answer)

    assert "Do NOT repeat it" in text_of(told)
    assert write["status"] == "unknown"
    assert world.items["c1"] == {"name": "B"}
    for _ in range(2):
        assert undo(world) == (1, "stopped", "blocked")
    assert world.calls("set_item") == [{"id": "c1", "name": "B"}]
    assert undo(world, "--unchecked", str(write["seq"])) == (0, "undone", "restore")
    assert world.items["c1"] == {"name": "A"}


@promise("C060")
def test_a_server_that_dies_before_the_second_read_leaves_applied_and_a_state_that_nobody_saw(world: World) -> None:
    told, write = killed_at(world, after_the_answer_and_before_the_second_read)

    assert not told.get("isError"), "its answer is passed on as it came"
    assert write["status"] == "applied"
    assert write["after"]["state"] == "unreadable"
    assert undo(world) == (1, "stopped", "blocked")
    assert undo(world, "--unchecked", str(write["seq"])) == (0, "undone", "restore")
    assert undo(world) == (0, "undone", "already_undone")
    assert world.calls("set_item") == [{"id": "c1", "name": "B"}, {"id": "c1", "name": "A"}]


@promise("C060")
def test_a_server_that_dies_after_the_second_read_is_not_needed_any_more(world: World) -> None:
    told, write = killed_at(world, after_the_second_read_and_before_the_last_record)

    assert not told.get("isError")
    assert (write["status"], write["after"]["value"]["name"]) == ("applied", "B")
    assert undo(world) == (0, "undone", "restore")
    assert undo(world) == (0, "undone", "already_undone")
    assert world.calls("set_item") == [{"id": "c1", "name": "B"}, {"id": "c1", "name": "A"}]


@promise("C060")
@pytest.mark.parametrize("moment", ["pause_before", "pause_after"])
def test_a_server_that_dies_under_an_undo_is_gone_on_with(world: World, moment: str) -> None:
    world.put(c1={"name": "A"}, c2={"name": "A"})
    world.agent(("set_item", {"id": "c1", "name": "B"}), ("set_item", {"id": "c2", "name": "B"}))
    die = "before" if moment == "pause_before" else "after"
    world.behave(rules=[{"tool": "set_item", "where": {"id": "c1"}, "die": die}])

    first = world.cli("undo", "--yes", "--json")
    world.behave()
    again, once_more = world.cli("undo", run_of(world), "--json"), world.cli("undo", run_of(world), "--json")

    assert (first.code, first.json["halted"]["reason"]) == (1, "lost")
    assert [(ran.code, ran.json["status"]) for ran in (again, once_more)] == [(0, "undone"), (0, "undone")]
    assert world.items == {"c1": {"name": "A"}, "c2": {"name": "A"}}
    assert [call["name"] for call in world.calls("set_item")] == ["B", "B", "A", "A"]


# --- below: how


def kill_server(client: Client) -> None:
    """`kill -9` of what the proxy started, and wait until it is gone."""
    found = subprocess.run(["pgrep", "-P", str(client.process.pid)], capture_output=True, text=True, check=True)
    servers = [int(pid) for pid in found.stdout.split()]
    for pid in servers:
        os.kill(pid, signal.SIGKILL)
    for pid in servers:
        wait_until(lambda pid=pid: not is_there(pid), "the server outlived kill -9")  # type: ignore[misc]


def is_there(pid: int) -> bool:
    """Ended and not collected yet is not there either."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(found.stdout.strip()) and not found.stdout.strip().startswith("Z")


def run_of(world: World) -> str:
    return str(world.cli("list", "--json").json[-1]["id"])


def undo(world: World, *more: str) -> tuple[int, str, str]:
    """The exit code, the status, and what was done with the only step."""
    ran = world.cli("undo", run_of(world), "--json", *more)
    [step] = ran.json["steps"]
    return ran.code, ran.json["status"], step["kind"]


def text_of(result: JSON) -> str:
    return str(result["content"][0]["text"])
