"""`watch` as a person has it: on a terminal while an agent works, and in a pipe."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.terminal import Terminal
from tests.support.world import World


def watching(world: World, *, columns: int = 80) -> Terminal:
    env = world.env | {"TERM": "xterm", "COLUMNS": str(columns)}
    return Terminal([*world.program, "watch"], env=env, cwd=world.folder)


def test_before_anything_has_happened_it_waits_and_says_what_for(world: World) -> None:
    with watching(world) as terminal:
        first = terminal.until("Ctrl-C ends this")
        assert "Nothing was recorded yet" in first
        assert "once a client has started the proxy" in first

        world.agent(("get_item", {"id": "c1"}))

        terminal.until("#1  f.get_item")
        terminal.type("\x03")
        assert terminal.ended() == 0


def test_what_happens_is_told_line_by_line_with_one_line_that_is_redrawn_in_place(world: World) -> None:
    world.put(c1={"id": "c1", "name": "before"})
    world.agent()
    with watching(world) as terminal:
        terminal.until("no agent connected")

        client = world.proxy()
        terminal.until("test-client 1.0: 0 calls")
        client.call("set_item", {"id": "c1", "name": "after"})
        terminal.until("test-client 1.0: 1 call ")
        client.call("send_note", {"to": "everybody"})
        held = terminal.until("1 call waits for you")
        client.close()
        terminal.until("has left")
        terminal.until("no agent connected")
        terminal.type("\x03")

        assert terminal.ended() == 0
    approve = re.search(r"approve: (synartesis|\S+ -m synartesis) approve [0-9a-f]{12}", held)
    assert approve, held
    seen = terminal.seen
    assert "f.set_item  done" in seen
    assert "f.send_note  held for a person" in seen
    assert "\x1b[2J" not in seen, "nothing is ever cleared but the one line"
    assert set(re.findall(r"\x1b\[[^a-zA-Z]*[a-zA-Z]", seen)) == {"\x1b[K"}
    assert seen.endswith("\r\x1b[K"), "the line is gone when it ends"
    assert all(len(line) <= 80 for line in terminal.screen.split("\n") if str(world.folder) not in line)


def test_a_quiet_journal_writes_nothing_to_the_terminal(world: World) -> None:
    world.agent(("get_item", {"id": "c1"}))
    with watching(world) as terminal:
        terminal.until("no agent connected · Ctrl-C ends this")
        with world.proxy():
            terminal.until(": 0 calls")

        assert terminal.seen.count("no agent connected · Ctrl-C") == 1, "drawn once, although looked at often"


def test_an_edited_manifest_and_a_killed_proxy_are_noticed(world: World) -> None:
    client = world.proxy()
    with watching(world) as terminal:
        terminal.until("test-client 1.0: 0 calls")

        with world.manifest.open("a", encoding="utf-8") as manifest:
            manifest.write("# edited\n")
        told = terminal.until("older manifest")
        client.kill()
        gone = terminal.until("broke off: its proxy is gone")

    assert "Restart that client" in told.replace("\n  ", " ")
    assert "no agent connected" in gone or "no agent connected" in terminal.seen


def test_into_a_pipe_it_prints_once_and_exits(world: World) -> None:
    nothing = world.cli("watch")
    client = world.proxy()
    client.call("send_note", {"to": "everybody"})
    something = world.cli("watch")
    shape = world.cli("watch", "--json").json

    assert (nothing.code, something.code) == (0, 0)
    assert "Nothing was recorded yet" in nothing.out
    assert "1 agent is connected." in something.out
    assert "test-client 1.0" in something.out
    assert "works past the proxy" in something.out
    assert "approve:" in something.out
    assert "f.send_note  held for a person" in something.out
    assert shape["runs"][0]["manifest_changed"] is False
    assert json.loads(json.dumps(shape["waiting"][0]["args"])) == {"to": "everybody"}


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_the_redrawn_line_never_fills_the_last_column(world: World, columns: int) -> None:
    world.agent()
    clients = [world.proxy() for _ in range(4)]
    with watching(world, columns=columns) as terminal:
        terminal.until("4 agents: 0 calls")
    status = terminal.screen.split("\n")[-1]

    assert len(clients) == 4
    assert 0 < len(status) < columns


def test_a_journal_that_is_taken_away_is_waited_for_again(world: World, tmp_path: Path) -> None:
    world.agent()
    with watching(world) as terminal:
        terminal.until("no agent connected")
        for path in world.folder.glob("journal.db*"):
            path.rename(tmp_path / path.name)

        terminal.until("was taken away")
        terminal.until("Nothing was recorded yet")
        terminal.type("\x03")
        assert terminal.ended() == 0
