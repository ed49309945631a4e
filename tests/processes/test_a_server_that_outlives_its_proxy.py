"""A proxy that is killed leaves its server behind, in the middle of what it was sent. As long as that runs, nothing that can be
read says what becomes of the call: no undo takes it for not made, and none makes it a second time."""

from __future__ import annotations

import os
import re
import signal

import pytest

from tests.support.client import Client
from tests.support.stops import go_on, kill, pause_at, reached
from tests.support.waiting import wait_until
from tests.support.world import World


def outlives_others(world: World) -> None:
    """Servers that are started from now on do not go with whoever started them."""
    world.behave(ignore_eof=True)


def stands_before_writing(world: World) -> None:
    """From now on the server waits just before it does what `set_item` says."""
    world.behave(ignore_eof=True, rules=[{"tool": "set_item", "times": 1, "pause_before": pause_at(world)}])


def abandoned_in_a_call(world: World) -> str:
    """A run whose proxy was killed while its server was about to rename c1; returns the run."""
    world.put(c1={"name": "A"})
    outlives_others(world)
    client = world.proxy()
    stands_before_writing(world)
    client.send(client.frame(1_000, "tools/call", {"name": "set_item", "arguments": {"id": "c1", "name": "B"}}))
    reached(world)
    kill(client)
    world.behave()
    return str(world.cli("list", "--json").json[0]["id"])


def server_named_in(said: str) -> int:
    """The process that is to be waited for."""
    found = re.search(r"kill (\d+)", said)
    assert found is not None, said
    return int(found[1])


def ends(pid: int) -> None:
    """The server does what it was about to do, and goes."""
    wait_until(lambda: not _runs(pid), "the server never ended")


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return False
    return True


def test_what_it_was_sent_is_not_called_never_made_while_it_runs(world: World) -> None:
    run = abandoned_in_a_call(world)

    stopped = world.cli("undo", run)
    dry = world.cli("undo", run, "--dry-run", "--json")

    assert stopped.code == 1
    assert "sent and got no answer, and its server (process" in stopped.out
    assert "Nothing was sent." in stopped.out
    assert (dry.code, dry.json["halted"]["reason"]) == (1, "unknown")
    assert world.cli("show", run, "--json").json["actions"][-1]["status"] == "unknown"

    pid = server_named_in(stopped.out)
    go_on(world)
    wait_until(lambda: world.items["c1"]["name"] == "B", "the server never did it")
    ends(pid)
    late = world.cli("undo", run)
    assert late.code == 1
    assert "the thing is not as it was before" in late.out


def test_once_it_has_ended_without_doing_it_reading_settles_it(world: World) -> None:
    run = abandoned_in_a_call(world)
    os.kill(server_named_in(world.cli("undo", run).out), signal.SIGKILL)

    undone = world.cli("undo", run)

    assert undone.code == 0
    assert world.items["c1"] == {"name": "A"}
    assert len(world.calls("set_item")) == 0


def test_a_person_cannot_settle_it_while_it_runs(world: World) -> None:
    run = abandoned_in_a_call(world)
    pid = server_named_in(world.cli("undo", run).out)
    [action] = world.cli("show", run, "--json").json["actions"]

    refused = world.cli("settle", action["id"], "--not-applied")
    os.kill(pid, signal.SIGKILL)
    settled = world.cli("settle", action["id"], "--not-applied")

    assert refused.code == 1
    assert f"(process {pid}) has outlived its proxy" in refused.err
    assert settled.code == 0


@pytest.mark.parametrize("through_the_proxy", [True, False], ids=["the living proxy", "the command itself"])
def test_an_inverse_that_it_was_sent_is_not_sent_a_second_time(world: World, through_the_proxy: bool) -> None:
    world.put(c1={"name": "A"})
    outlives_others(world)
    client = world.proxy()
    client.call("set_item", {"id": "c1", "name": "B"})
    run = str(world.cli("list", "--json").json[0]["id"])
    if not through_the_proxy:
        client.close()
    stands_before_writing(world)
    undo = Client.start([*world.program, "undo", run], env=world.env, cwd=world.folder)
    world.clients.append(undo)
    reached(world)
    kill(client if through_the_proxy else undo)
    undo.wait()
    world.behave()

    stopped = world.cli("undo", run)
    assert stopped.code == 1
    assert "an earlier undo sent its inverse and got no answer" in stopped.out
    pid = server_named_in(stopped.out)
    go_on(world)
    wait_until(lambda: world.items["c1"]["name"] == "A", "the server never did it")
    ends(pid)

    done = world.cli("undo", run, "--json")
    assert (done.code, done.json["status"]) == (0, "undone")
    assert [call["name"] for call in world.calls("set_item")] == ["B", "A"]


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
def test_an_undo_that_is_ended_from_outside_makes_no_call_twice(world: World, sent: signal.Signals) -> None:
    world.put(c1={"name": "A"})
    world.agent(("set_item", {"id": "c1", "name": "B"}))
    run = str(world.cli("list", "--json").json[0]["id"])
    stands_before_writing(world)
    undo = Client.start([*world.program, "undo", run], env=world.env, cwd=world.folder)
    world.clients.append(undo)
    reached(world)
    undo.process.send_signal(sent)
    undo.wait()
    world.behave()

    stopped = world.cli("undo", run)
    go_on(world)
    wait_until(lambda: world.items["c1"]["name"] == "A", "the server never did it")
    if stopped.code == 1:
        ends(server_named_in(stopped.out))

    done = world.cli("undo", run, "--json")
    assert (done.code, done.json["status"]) == (0, "undone")
    assert [call["name"] for call in world.calls("set_item")] == ["B", "A"]


def test_a_server_that_was_left_behind_with_nothing_to_do_holds_nothing_up(world: World) -> None:
    """Only of a call without an answer does anybody have to know whether it runs."""
    world.put(c1={"name": "A"})
    outlives_others(world)
    client = world.proxy()
    client.call("set_item", {"id": "c1", "name": "B"})
    kill(client)
    world.behave()
    run = str(world.cli("list", "--json").json[0]["id"])

    assert world.cli("undo", run).code == 0
    assert world.items["c1"] == {"name": "A"}
