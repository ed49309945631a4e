"""`kill -9` of `undo` at every step of an inverse call: case C060. Whatever was made before the kill is not made again, and
the repeat goes on with the rest."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from tests.promises import promise
from tests.support.client import Client
from tests.support.stops import assert_sound, go_on, kill, locked, pause_at, reached
from tests.support.waiting import wait_until
from tests.support.world import World

READ_C1 = {"tool": "get_item", "where": {"id": "c1"}}
"""Of c1, which is the last to be undone, an undo makes three reads: when it looks, before the inverse, and after it."""


def before_anything_was_read(world: World) -> None:
    world.behave(rules=[{**READ_C1, "pause_before": pause_at(world)}])
    kill_undo_there(world)


def before_the_inverse_goes_out(world: World) -> None:
    world.behave(rules=[{**READ_C1, "skip": 1, "pause_before": pause_at(world)}])
    kill_undo_before_it_can_write(world, reads=2)


def after_the_inverse_and_before_its_answer(world: World) -> None:
    world.behave(rules=[{"tool": "set_item", "where": {"id": "c1"}, "pause_after": pause_at(world)}])
    kill_undo_there(world)


def after_the_answer_and_before_the_second_read(world: World) -> None:
    world.behave(rules=[{**READ_C1, "skip": 2, "pause_before": pause_at(world)}])
    kill_undo_there(world)


def after_the_second_read_and_before_the_last_record(world: World) -> None:
    world.behave(rules=[{**READ_C1, "skip": 2, "pause_before": pause_at(world)}])
    kill_undo_before_it_can_write(world, reads=3)


STEPS: list[Callable[[World], None]] = [
    before_anything_was_read,
    before_the_inverse_goes_out,
    after_the_inverse_and_before_its_answer,
    after_the_answer_and_before_the_second_read,
    after_the_second_read_and_before_the_last_record,
]


@promise("C060")
@pytest.mark.parametrize("step", STEPS)
def test_an_undo_killed_at_any_step_is_gone_on_with_and_nothing_is_made_twice(
    world: World, step: Callable[[World], None]
) -> None:
    world.put(c1={"name": "A"}, c2={"name": "A"})
    world.agent(("set_item", {"id": "c1", "name": "B"}), ("set_item", {"id": "c2", "name": "B"}))
    run = world.cli("list", "--json").json[0]["id"]

    step(world)
    world.behave()
    between = world.cli("list", "--json").json[-1]
    dry, again, once_more = [world.cli("undo", run, "--json", *more) for more in (["--dry-run"], [], [])]

    assert between["status"] != "undone"
    assert dry.code == 0
    assert [(ran.code, ran.json["status"]) for ran in (again, once_more)] == [(0, "undone"), (0, "undone")]
    assert world.items == {"c1": {"name": "A"}, "c2": {"name": "A"}}
    made = [(call["id"], call["name"]) for call in world.calls("set_item")]
    assert sorted(made) == [("c1", "A"), ("c1", "B"), ("c2", "A"), ("c2", "B")], "each inverse took effect once"
    assert {one["kind"] for one in once_more.json["steps"]} == {"already_undone"}
    assert_sound(world.journal)


# --- below: how


def start_undo(world: World) -> Client:
    run = world.cli("list", "--json").json[0]["id"]
    undo = Client.start([sys.executable, "-m", "synartesis", "undo", run], env=world.env, cwd=world.folder)
    world.clients.append(undo)
    reached(world)
    return undo


def kill_undo_there(world: World) -> None:
    kill(start_undo(world))


def kill_undo_before_it_can_write(world: World, *, reads: int) -> None:
    """Its read is answered, and the next thing that it does would be to write down."""
    before = len(reads_of_c1(world))
    undo = start_undo(world)
    with locked(world.journal):
        go_on(world)
        wait_until(lambda: len(reads_of_c1(world)) >= before + reads, "the read was never made")
        kill(undo)


def reads_of_c1(world: World) -> list[object]:
    return [call for call in world.calls("get_item") if call["id"] == "c1"]
