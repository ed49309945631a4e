"""`kill -9` at every step of a call: case C060. The proxy is stopped by what it waits for (the server, or a lock on its
journal), so that each kill hits exactly the step that it is meant for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from tests.promises import promise
from tests.support.client import JSON, Client
from tests.support.stops import assert_sound, go_on, kill, locked, pause_at, reach, reached, written_down
from tests.support.world import Ran, World

READ_C1 = {"tool": "get_item", "where": {"id": "c1"}}


def before_the_snapshot_read(world: World, client: Client) -> None:
    reach(world, client, {**READ_C1, "pause_before": pause_at(world)})
    written_down(world)


def after_it_and_before_the_write_goes_out(world: World, client: Client) -> None:
    reach(world, client, {**READ_C1, "pause_before": pause_at(world)})
    written_down(world)
    with locked(world.journal):
        go_on(world)
        read_something_else(client)  # its answer comes after that of the snapshot read
        kill(client)


def after_the_write_and_before_its_answer(world: World, client: Client) -> None:
    reach(world, client, {"tool": "set_item", "pause_after": pause_at(world)})


def after_the_answer_and_before_the_second_read(world: World, client: Client) -> None:
    reach(world, client, {**READ_C1, "skip": 1, "pause_before": pause_at(world)})


def after_the_second_read_and_before_the_last_record(world: World, client: Client) -> None:
    reach(world, client, {**READ_C1, "skip": 1, "pause_before": pause_at(world)})
    with locked(world.journal):
        go_on(world)
        read_something_else(client)
        kill(client)


Step = Callable[[World, Client], None]
NOT_SENT: list[Step] = [before_the_snapshot_read, after_it_and_before_the_write_goes_out]
SENT: list[Step] = [
    after_the_write_and_before_its_answer,
    after_the_answer_and_before_the_second_read,
    after_the_second_read_and_before_the_last_record,
]


class Killed(NamedTuple):
    """What was left behind: a run whose first write was done, and whose second was under way."""

    run: str
    lines: list[JSON]


def killed_at(world: World, step: Step) -> Killed:
    world.put(c1={"name": "A"}, c2={"name": "A"}, other={"name": "x"})
    client = world.proxy()
    client.call("set_item", {"id": "c2", "name": "B"})
    step(world, client)
    kill(client)
    world.behave()
    assert not [m for m in client.messages() if m.get("id") == 1_000], "the client never got an answer"
    (run,) = world.cli("list", "--json").json
    assert run["status"] == "abandoned", "its proxy is gone without saying so"
    return Killed(run["id"], world.cli("show", "--json").json["actions"])


@promise("C060")
@pytest.mark.parametrize("step", NOT_SENT)
def test_killed_before_it_was_sent_it_says_never_sent_and_is_stepped_over(world: World, step: Step) -> None:
    run, actions = killed_at(world, step)

    told = [(action["status"], action["args"]["id"]) for action in writes(actions)]
    assert told == [("applied", "c2"), ("failed", "c1")]
    assert "never reached the server" in world.cli("show").out
    assert world.cli("list", "--json").json[0]["unknown"] == 0
    assert world.items["c1"] == {"name": "A"}

    dry, first = world.cli("undo", run, "--dry-run"), world.cli("undo", run, "--json")
    made = world.calls("set_item")
    second = world.cli("undo", run, "--json")

    assert dry.code == 0
    assert "nothing to undo" in dry.out
    assert [code_and_status(ran) for ran in (first, second)] == [(0, "undone"), (0, "undone")]
    assert made == [{"id": "c2", "name": "B"}, {"id": "c2", "name": "A"}]
    assert world.calls("set_item") == made, "undoing twice does no more than undoing once"
    assert {name: item["name"] for name, item in world.items.items()} == {"c1": "A", "c2": "A", "other": "x"}
    assert_sound(world.journal)


@promise("C060")
@pytest.mark.parametrize("step", SENT)
def test_killed_after_it_was_sent_it_says_unknown_and_undo_stops_there(world: World, step: Step) -> None:
    run, actions = killed_at(world, step)

    first_write, unknown = writes(actions)
    assert (first_write["status"], unknown["status"]) == ("applied", "unknown")
    assert unknown["before"] == {"state": "present", "value": {"id": "c1", "name": "A"}}, "the snapshot is kept"
    assert unknown["after"] is None
    assert "outcome unknown: it may have happened" in world.cli("show").out
    assert world.cli("list", "--json").json[0]["unknown"] == 1
    assert "1 outcome unknown" in world.cli("list").out
    assert world.items["c1"] == {"name": "B"}, "it had happened"
    made, state = world.calls("set_item"), world.state.read_bytes()

    stops = [world.cli("undo", run, *more, "--json") for more in (["--dry-run"], [], [])]
    text = world.cli("undo", run).out

    for stopped in stops:
        assert code_and_status(stopped) == (1, "stopped")
        assert stopped.json["halted"]["seq"] == unknown["seq"]
        assert stopped.json["halted"]["reason"] == "unknown"
    assert "it was sent and no answer came" in text
    assert "look at what f.set_item was to change" in text.lower().replace("\n", " ")
    assert f"settle {unknown['id']} --not-applied --journal" in text
    assert world.calls("set_item") == made
    assert world.state.read_bytes() == state
    assert_sound(world.journal)

    for _ in range(2):
        world.cli("undo", run, "--unchecked", str(unknown["seq"]))
    assert world.calls("set_item") == [*made, {"id": "c1", "name": "A"}, {"id": "c2", "name": "A"}]
    assert {name: item["name"] for name, item in world.items.items()} == {"c1": "A", "c2": "A", "other": "x"}


@promise("C060")
def test_killed_after_sending_where_the_server_did_nothing_is_settled_by_reading(world: World) -> None:
    run, actions = killed_at(
        world, lambda world, client: reach(world, client, {"tool": "set_item", "pause_before": pause_at(world)})
    )
    assert writes(actions)[-1]["status"] == "unknown", "from the journal alone nobody can tell"

    undone = world.cli("undo", run, "--json")

    assert code_and_status(undone) == (0, "undone")
    assert [(step["seq"], step["kind"]) for step in undone.json["steps"]] == [(2, "already_undone"), (1, "restore")]
    assert world.calls("set_item") == [{"id": "c2", "name": "B"}, {"id": "c2", "name": "A"}]


@promise("C060")
@pytest.mark.parametrize("moment", ["pause_before", "pause_after"])
def test_an_undo_that_is_killed_goes_on_and_does_nothing_twice(world: World, moment: str) -> None:
    world.put(c1={"name": "A"}, c2={"name": "A"})
    world.agent(("set_item", {"id": "c1", "name": "B"}), ("set_item", {"id": "c2", "name": "B"}))
    (run,) = world.cli("list", "--json").json
    world.behave(rules=[{"tool": "set_item", "where": {"id": "c1"}, moment: pause_at(world)}])
    undo = Client.start([sys.executable, "-m", "synartesis", "undo", run["id"]], env=world.env, cwd=world.folder)
    world.clients.append(undo)
    reached(world)
    kill(undo)
    world.behave()

    again, once_more = world.cli("undo", run["id"], "--json"), world.cli("undo", run["id"], "--json")

    assert [code_and_status(ran) for ran in (again, once_more)] == [(0, "undone"), (0, "undone")]
    assert world.items == {"c1": {"name": "A"}, "c2": {"name": "A"}}
    assert [call["name"] for call in world.calls("set_item")] == ["B", "B", "A", "A"]
    assert_sound(world.journal)


# --- below: how


def read_something_else(client: Client) -> None:
    client.call("get_item", {"id": "other"})


def writes(actions: list[JSON]) -> list[JSON]:
    return [action for action in actions if action["class"] != "readonly"]


def code_and_status(ran: Ran) -> tuple[int, str]:
    return ran.code, ran.json["status"]
