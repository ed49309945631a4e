"""While the run's own proxy is alive, an undo is done by it, over the servers that the run has used: a second copy of a server
may hold no state, lack secrets, or find its database locked. Nothing else about an undo changes."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import Client
from tests.support.small_server import KEY, LAST_WORDS
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until
from tests.support.world import World

SMALL_SERVER = Path(__file__).parents[1] / "support" / "small_server.py"
RULES = """
  - match: "s.get_item"
    class: readonly
  - match: "s.set_item"
    class: reversible
    snapshot: {tool: "s.get_item", args: {id: "$.id"}}
    inverse: {tool: "s.set_item", args: {id: "$.id", name: "$snapshot.name"}}
"""


def small(world: World, *words: str) -> None:
    """The manifest of one small server."""
    argv = json.dumps([str(SMALL_SERVER), *words])
    world.write_manifest(RULES, servers={"s": f"{{command: {json.dumps(sys.executable)}, args: {argv}}}"})


def changed(world: World, *, env: Mapping[str, str] | None = None) -> tuple[Client, str]:
    """A client that is still there, whose agent renamed c1; and its run."""
    client = world.start_proxy(env=env)
    client.initialize()
    assert "isError" not in client.call("set_item", {"id": "c1", "name": "B"})
    assert name_of_c1(client) == "B"
    return client, run_of(world)


def run_of(world: World) -> str:
    """The agent's run."""
    return str(world.cli("list", "--json").json[-1]["id"])


def name_of_c1(client: Client) -> str:
    return str(json.loads(client.call("get_item", {"id": "c1"})["content"][0]["text"])["name"])


def restored(world: World, run: str, *words: str, verb: str = "undo") -> None:
    ran = world.cli(verb, run, "--json", *words)
    assert (ran.code, ran.json["status"]) == (0, "undone"), ran
    assert [(step["kind"], step["confirmation"]) for step in ran.json["steps"]] == [("restore", "verified")]


# --- why


def test_items_that_live_in_the_servers_memory_are_put_back(world: World) -> None:
    small(world, "memory")
    client, run = changed(world)

    second_copy = world.cli("undo", run, "--json", "--dry-run", "--start-servers")
    assert second_copy.json["steps"][0]["kind"] == "already_undone", "a second copy holds what no agent ever changed"
    assert name_of_c1(client) == "B"

    restored(world, run)
    assert name_of_c1(client) == "A"


def test_a_server_whose_secret_only_the_client_has_is_used(world: World) -> None:
    small(world, "secret", str(world.folder / "items.json"))
    client, run = changed(world, env={KEY: "open sesame"})

    second_copy = world.cli("undo", run, "--json", "--start-servers")
    assert (second_copy.code, second_copy.json["status"]) == (1, "stopped")
    assert f"{KEY} is missing or wrong" in second_copy.json["halted"]["detail"]

    restored(world, run)
    assert name_of_c1(client) == "A"


def test_a_server_that_locks_its_database_is_used(world: World) -> None:
    small(world, "locked", str(world.folder / "items.db"))
    client, run = changed(world)

    second_copy = world.cli("undo", run, "--json", "--start-servers")
    assert (second_copy.code, second_copy.json["status"]) == (1, "stopped")
    assert "database is locked" in second_copy.json["halted"]["detail"]

    restored(world, run)
    assert name_of_c1(client) == "A"


def test_a_redo_and_the_undo_after_it_are_the_proxys_too(world: World) -> None:
    small(world, "memory")
    client, run = changed(world)

    restored(world, run)
    undo = next(row["id"] for row in world.cli("list", "--json").json if row["kind"] == "undo")
    restored(world, undo, verb="redo")
    assert name_of_c1(client) == "B"
    restored(world, run)
    assert name_of_c1(client) == "A"
    client.call("set_item", {"id": "c1", "name": "C"})
    assert world.cli("undo", run).code == 0, "what the agent does afterwards is undone as well"
    assert name_of_c1(client) == "A"
    assert world.cli("verify").code == 0


def test_once_the_client_is_gone_the_servers_are_started(world: World) -> None:
    small(world, "secret", str(world.folder / "items.json"))
    client, run = changed(world, env={KEY: "open sesame"})
    client.close()

    ran = world.cli("undo", run, env={KEY: "open sesame"})

    assert ran.code == 0
    assert json.loads((world.folder / "items.json").read_bytes()) == {"c1": {"name": "A"}}


def test_what_became_of_a_call_is_read_by_the_proxy_as_well(world: World) -> None:
    small(world, "secret", str(world.folder / "items.json"))
    client, _ = changed(world, env={KEY: "open sesame"})
    client.call("set_item", {"id": "c1", "name": LAST_WORDS})
    unknown = world.cli("show", "--json").json["actions"][-1]
    assert unknown["status"] == "unknown"

    second_copy = world.cli("settle", unknown["id"], "--json", "--start-servers")
    assert f"{KEY} is missing or wrong" in second_copy.json["now"]["why"]

    shown = world.cli("settle", unknown["id"], "--json")
    assert shown.json["now"]["value"] == {"id": "c1", "name": LAST_WORDS}
    assert world.cli("settle", unknown["id"], "--applied", "--take-now-as-after").code == 0
    assert world.cli("undo", run_of(world)).code == 0
    assert name_of_c1(client) == "A"


# --- and nothing else is different


def test_reports_and_exit_codes_are_those_of_an_undo_that_starts_the_servers(world: World) -> None:
    world.put(c1={"name": "A", "rate": 1}, c2={"name": "A"}, c3={"name": "A"})
    client = world.proxy()
    for item in ("c1", "c2", "c3"):
        client.call("set_item", {"id": item, "name": "B"})
    run = run_of(world)
    world.edit("c2", name="somebody else's")

    for words in (["--dry-run"], [], ["--as-far-as-possible", "--dry-run"], ["--to", "9"], ["--only", "2", "--merge"]):
        by_it, otherwise = (world.cli("undo", run, *words, *more) for more in ([], ["--start-servers"]))
        assert by_it.code == otherwise.code
        assert by_it.err == otherwise.err
        assert by_it.out == otherwise.out.replace(" --start-servers", "")
        in_json, in_json_otherwise = (
            world.cli("undo", run, "--json", *words, *more) for more in ([], ["--start-servers"])
        )
        assert (in_json.out, in_json.err) == (in_json_otherwise.out, in_json_otherwise.err)
    assert len(world.calls("set_item")) == 3, "each of these stopped, and sent nothing"

    done = world.cli("undo", run, "--as-far-as-possible", "--json")
    assert done.code == 1
    assert done.json["halted"]["reason"] == "drifted"
    assert world.items["c3"] == {"name": "A"}
    assert world.items["c2"] == {"name": "somebody else's"}


def test_numbers_come_through_the_report_as_they_are(world: World) -> None:
    world.put_text('{"c1":{"name":1.10,"big":123456789012345678901234567890}}')
    client = world.proxy()
    client.call("set_item", {"id": "c1", "name": 2})
    run = run_of(world)
    world.put_text('{"c1":{"name":2.50,"big":123456789012345678901234567891}}')

    ran = world.cli("undo", run, "--json")

    assert ran.code == 1
    assert '"expected":2,"actual":2.50' in ran.out
    assert '"expected":123456789012345678901234567890,"actual":123456789012345678901234567891' in ran.out


def test_what_the_agent_calls_meanwhile_is_refused(world: World) -> None:
    world.put(c1={"name": "A"}, c2={"name": "A"})
    client, run = changed(world)
    path = pause(world, "set_item", "pause_before")
    undo = undoing(world, run)
    reached(path)

    refused = client.call("set_item", {"id": "c2", "name": "B"})
    path.touch()

    assert refused["isError"] is True
    assert "A person is undoing this session right now" in refused["content"][0]["text"]
    assert undo.wait().code == 0
    assert world.items == {"c1": {"name": "A"}, "c2": {"name": "A"}}
    assert "isError" not in client.call("set_item", {"id": "c2", "name": "B"}), "afterwards it may go on"


def test_of_two_undos_at_once_the_second_is_told(world: World) -> None:
    world.put(c1={"name": "A"})
    _, run = changed(world)
    path = pause(world, "set_item", "pause_before")
    first = undoing(world, run)
    reached(path)

    second = world.cli("undo", run)
    path.touch()

    assert second.code == 1
    assert f"run {run} is being undone right now" in second.err
    assert first.wait().code == 0
    assert len(world.calls("set_item")) == 2


def test_it_shows_the_plan_and_asks_where_no_run_was_named(world: World) -> None:
    world.put(c1={"name": "A"})
    changed(world)

    for answer, code, name in (("n", 1, "B"), ("y", 0, "A")):
        with on_a_terminal(world, "undo") as terminal:
            terminal.until("would be restored")
            terminal.until("like this? [y/N]")
            terminal.type(f"{answer}\n")
            assert terminal.ended() == code
        assert world.items["c1"]["name"] == name


# --- how it ends


def test_ctrl_c_lets_the_call_under_way_end_and_stops_before_the_next(world: World) -> None:
    client, run = with_many(world)
    path = pause(world, "set_item", "pause_after", skip=4)

    with on_a_terminal(world, "undo", run) as terminal:
        reached(path)
        terminal.until("undo: 4 of 10 done")
        terminal.type("\x03")
        terminal.until("stopping before the next call")
        stopped(world)
        path.touch()
        terminal.until("Stopped at #5 (interrupted)")
        terminal.until("You stopped it before this call")
        assert terminal.ended() == 1

    goes_on(world, client, run, made=5)


def test_a_command_that_is_killed_ends_it_between_two_calls(world: World) -> None:
    client, run = with_many(world)
    path = pause(world, "set_item", "pause_after", skip=4)
    command = undoing(world, run)
    reached(path)

    command.kill()
    wait_until(lambda: "order_stops" in client.stderr(), "the proxy never noticed")
    path.touch()
    wait_until(lambda: "order_ended" in client.stderr(), "the proxy never stopped")

    assert len(inverses(world)) == 5
    goes_on(world, client, run, made=5)


@pytest.mark.parametrize("moment", ["pause_before", "pause_after"])
def test_a_proxy_that_is_killed_is_missed_and_the_repeat_goes_on(world: World, moment: str) -> None:
    client, run = with_many(world)
    path = pause(world, "set_item", moment, skip=4)
    command = undoing(world, run)
    reached(path)

    client.kill()
    ended = command.wait()

    assert ended.code == 1
    assert f"the proxy of run {run} (process {client.process.pid}) ended in the middle of it" in ended.stderr
    path.touch()
    world.behave()
    again = world.cli("undo", run, "--json")
    assert (again.code, again.json["status"]) == (0, "undone")
    assert [call["id"] for call in inverses(world)] == [f"i{number}" for number in reversed(range(10))]


def test_a_proxy_that_is_killed_while_it_only_looks_is_done_without(world: World) -> None:
    client, run = with_many(world)
    path = pause(world, "get_item", "pause_before", skip=4)
    command = undoing(world, run)
    reached(path)
    world.behave()

    client.kill()

    assert command.wait().code == 0
    assert len(inverses(world)) == 10


def test_a_client_that_leaves_ends_it_between_two_calls(world: World) -> None:
    client, run = with_many(world)
    path = pause(world, "set_item", "pause_after", skip=4)
    command = undoing(world, run)
    reached(path)

    client.close_input()
    wait_until(lambda: "order_stops" in client.stderr(), "the proxy never noticed")
    path.touch()

    ended = command.wait()
    assert ended.code == 1
    assert "The client of this run left before this call" in b"\n".join(command.received).decode()
    assert client.wait().code == 0
    again = world.cli("undo", run, "--json")
    assert (again.code, again.json["status"]) == (0, "undone")
    assert len(inverses(world)) == 10


def test_a_proxy_that_is_killed_while_its_plan_is_read_is_done_without(world: World) -> None:
    """The yes was to its plan, so the plan is made and shown once more."""
    world.put(c1={"name": "A"})
    client, _ = changed(world)

    with on_a_terminal(world, "undo") as terminal:
        terminal.until("like this? [y/N]")
        client.kill()
        terminal.type("y\n")
        terminal.until("like this? [y/N]")
        assert world.items["c1"] == {"name": "B"}
        terminal.type("y\n")
        assert terminal.ended() == 0

    assert world.items["c1"] == {"name": "A"}
    assert len(world.calls("set_item")) == 2


def test_a_command_that_is_killed_while_its_plan_is_read_sends_nothing(world: World) -> None:
    world.put(c1={"name": "A"})
    client, run = changed(world)

    with on_a_terminal(world, "undo") as terminal:
        terminal.until("like this? [y/N]")
    wait_until(lambda: "order_ended" in client.stderr(), "the proxy still waits for a yes")

    assert world.items["c1"] == {"name": "B"}
    assert "isError" not in client.call("set_item", {"id": "c1", "name": "C"}), "the agent may go on"
    assert world.cli("undo", run).code == 0
    assert world.items["c1"] == {"name": "A"}


# --- below: how


def with_many(world: World) -> tuple[Client, str]:
    names = [f"i{number}" for number in range(10)]
    world.put(**{name: {"name": "before"} for name in names})
    client = world.proxy()
    for name in names:
        client.call("set_item", {"id": name, "name": "after"})
    return client, run_of(world)


def inverses(world: World) -> list[Any]:
    return world.calls("set_item")[10:]


def goes_on(world: World, client: Client, run: str, *, made: int) -> None:
    """The agent may go on, and so does the undo: with the calls that were not made yet."""
    world.behave()
    assert len(inverses(world)) == made
    again = world.cli("undo", run, "--json")
    assert (again.code, again.json["status"]) == (0, "undone")
    assert [call["id"] for call in inverses(world)] == [f"i{number}" for number in reversed(range(10))]
    assert client.close().code == 0


def pause(world: World, tool: str, moment: str, *, skip: int = 0) -> Path:
    """The server stops at such a call, until the file that is returned is there."""
    path = world.folder / "pause"
    world.behave(rules=[{"tool": tool, "skip": skip, "times": 1, moment: str(path)}])
    return path


def reached(path: Path) -> None:
    wait_until(path.with_name(path.name + ".reached").exists, "the server was never reached")


def stopped(world: World) -> None:
    """The proxy has heard that it is to stop."""
    [client] = world.clients
    wait_until(lambda: "order_stops" in client.stderr(), "the proxy never heard of it")


def undoing(world: World, run: str) -> Client:
    command = Client.start([*world.program, "undo", run], env=world.env, cwd=world.folder)
    world.clients.append(command)
    return command


def on_a_terminal(world: World, *words: str) -> Terminal:
    return Terminal([*world.program, *words], env=world.env | {"TERM": "xterm", "COLUMNS": "80"}, cwd=world.folder)
