"""An undo of many calls: it shows how far it is, Ctrl-C stops it between two calls, and after any end, `kill -9` at any moment
included, the same command goes on and makes no call twice."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.support.client import JSON, Client
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until
from tests.support.world import World

MANY = 20


def changed(world: World, many: int = MANY) -> tuple[str, bytes]:
    """A run that renamed and then overwrote every other item. Returns it, and the state before."""
    names = [f"i{number:03}" for number in range(many // 2)]
    world.put_text("{" + ",".join(f'"{name}":{{"name":"before"}}' for name in names) + "}")
    before = world.state.read_bytes()
    world.agent(
        *(("set_item", {"id": name, "name": "first"}) for name in names),
        *(("set_item", {"id": name, "name": "second"}) for name in names),
    )
    [run] = world.cli("list", "--json").json
    return str(run["id"]), before


def pause(world: World, moment: str, at: int) -> Path:
    """The server stops at its inverse number `at` (from 0)."""
    path = world.folder / "pause"
    for file in (path, path.with_name("pause.reached")):
        file.unlink(missing_ok=True)
    world.behave(rules=[{"tool": "set_item", "skip": at, "times": 1, moment: str(path)}])
    return path


def undo_is_paused(path: Path) -> None:
    wait_until(path.with_name(path.name + ".reached").exists, "the server was never reached")


def undoing(world: World, run: str) -> Terminal:
    env = world.env | {"TERM": "xterm", "COLUMNS": "80"}
    return Terminal([*world.program, "undo", run], env=env, cwd=world.folder)


def inverses(world: World, many: int = MANY) -> list[JSON]:
    """What the server was made to do after the agent had left."""
    return world.calls("set_item")[many:]


def test_on_a_terminal_it_shows_how_far_it_is_and_takes_that_away(world: World) -> None:
    run, before = changed(world)
    path = pause(world, "pause_before", 5)

    with undoing(world, run) as terminal:
        terminal.until("looking at what is there: 0 of 20")
        undo_is_paused(path)
        path.touch()
        terminal.until(f"undo of run {run}, newest call first")
        assert terminal.ended() == 0

    assert " of 20 done" in terminal.seen
    last = terminal.seen.rpartition(" of 20 done")[2]
    assert last.startswith("\r\x1b[K"), "the line is taken away before the report"
    assert world.state.read_bytes() == before


def test_into_a_pipe_it_shows_nothing_of_that(world: World) -> None:
    run, _ = changed(world, 6)

    ran = world.cli("undo", run)

    assert ran.code == 0
    assert "looking" not in ran.out + ran.err
    assert "\r" not in ran.out + ran.err


def test_ctrl_c_lets_the_call_under_way_end_and_stops_before_the_next(world: World) -> None:
    run, before = changed(world)
    path = pause(world, "pause_after", 9)

    with undoing(world, run) as terminal:
        undo_is_paused(path)
        terminal.type("\x03")
        terminal.until("stopping before the next call")
        path.touch()
        terminal.until("Stopped at #10 (interrupted).")
        terminal.until("The same command goes on where this one stopped.")
        assert terminal.ended() == 1

    assert len(inverses(world)) == 10
    world.behave()
    again = world.cli("undo", run, "--json")
    assert (again.code, again.json["status"]) == (0, "undone")
    assert len(inverses(world)) == MANY
    assert world.state.read_bytes() == before


def test_ctrl_c_while_it_looks_sends_nothing(world: World) -> None:
    run, _ = changed(world)
    left = world.state.read_bytes()
    path = world.folder / "pause"
    world.behave(rules=[{"tool": "get_item", "skip": 7, "times": 1, "pause_after": str(path)}])

    with undoing(world, run) as terminal:
        undo_is_paused(path)
        terminal.type("\x03")
        terminal.until("stopping before the next call")
        path.touch()
        terminal.until("you stopped it while it was looking; nothing was sent")
        assert terminal.ended() == 1

    assert inverses(world) == []
    assert world.state.read_bytes() == left


@pytest.mark.parametrize("moment", ["pause_before", "pause_after"])
def test_a_second_ctrl_c_ends_it_at_once_and_the_repeat_goes_on(world: World, moment: str) -> None:
    run, before = changed(world)
    path = pause(world, moment, 9)

    with undoing(world, run) as terminal:
        undo_is_paused(path)
        terminal.type("\x03")
        terminal.until("stopping before the next call")
        terminal.type("\x03")
        terminal.until("interrupted")
        assert terminal.ended() == 1

    world.behave()
    again = world.cli("undo", run, "--json")
    assert (again.code, again.json["status"]) == (0, "undone")
    assert len(inverses(world)) == MANY
    assert world.state.read_bytes() == before


KILLED_AT = [0, MANY // 2, MANY - 1]
"""The first, the first of the older calls on the same items, the last."""


@pytest.mark.parametrize("moment", ["pause_before", "pause_after"])
@pytest.mark.parametrize("at", KILLED_AT)
def test_after_kill_9_at_any_step_the_repeat_goes_on_and_makes_no_call_twice(
    world: World, at: int, moment: str
) -> None:
    run, before = changed(world)
    killed(world, run, pause(world, moment, at))

    again, once_more = world.cli("undo", run, "--json"), world.cli("undo", run, "--json")

    assert [(ran.code, ran.json["status"]) for ran in (again, once_more)] == [(0, "undone"), (0, "undone")]
    assert world.state.read_bytes() == before
    assert [(call["id"], call["name"]) for call in inverses(world)] == [
        *((f"i{number:03}", "first") for number in reversed(range(MANY // 2))),
        *((f"i{number:03}", "before") for number in reversed(range(MANY // 2))),
    ]


def test_killed_again_and_again_it_still_ends_where_it_should(world: World) -> None:
    run, before = changed(world)
    for at, moment in enumerate(["pause_before", "pause_after"] * 4):
        killed(world, run, pause(world, moment, at % 3))

    assert world.cli("undo", run, "--json").json["status"] == "undone"
    assert len(inverses(world)) == MANY
    assert world.state.read_bytes() == before


@pytest.mark.parametrize("moment", ["pause_before", "pause_after"])
def test_a_redo_that_was_killed_goes_on_as_well(world: World, moment: str) -> None:
    run, before = changed(world, 10)
    left = world.cli("diff", run, "--json").json
    undo = world.cli("undo", run, "--json").json["undo_run"]
    killed(world, undo, pause(world, moment, 3), verb="redo")
    assert world.cli("undo", run).code == 1, "nobody knows whether the call that was under way is undone"

    redone = world.cli("redo", undo, "--json")

    assert (redone.code, redone.json["status"]) == (0, "undone")
    assert len(inverses(world, 10)) == 20
    assert {name: item["name"] for name, item in world.items.items()} == {
        change["args"]["id"]: change["last"]["value"]["name"] for change in left
    }
    assert world.cli("undo", run, "--json").json["status"] == "undone"
    assert world.state.read_bytes() == before


def killed(world: World, run: str, path: Path, *, verb: str = "undo") -> None:
    """An undo that is killed where the server pauses."""
    undo = Client.start([*world.program, verb, run], env=world.env, cwd=world.folder)
    world.clients.append(undo)
    undo_is_paused(path)
    os.kill(undo.process.pid, signal.SIGKILL)
    undo.wait()
    world.behave()
