"""Where a process is to be stopped or killed: by what it waits for (the server, or a lock on its journal), so that it happens at
exactly the step that is meant."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.support.client import JSON, Client
from tests.support.waiting import wait_until
from tests.support.world import World

SET_C1 = ("set_item", {"id": "c1", "name": "B"})


def reach(world: World, client: Client, rule: JSON) -> None:
    """Let the agent call, and wait until the server stands where the rule says."""
    world.behave(rules=[rule])
    client.send(client.frame(1_000, "tools/call", {"name": SET_C1[0], "arguments": SET_C1[1]}))
    reached(world)


def pause_at(world: World) -> str:
    return str(world.folder / "pause")


def reached(world: World) -> None:
    wait_until((world.folder / "pause.reached").exists, "the server was never reached")


def go_on(world: World) -> None:
    (world.folder / "pause").touch()


def written_down(world: World) -> None:
    """A call that binds nobody yet reaches the disk a moment after it was opened."""
    with closing(sqlite3.connect(f"file:{world.journal}?mode=ro", uri=True)) as journal:
        wait_until(
            lambda: journal.execute("SELECT 1 FROM actions WHERE status = 'recorded'").fetchone() is not None,
            "the call was never written down",
        )


@contextmanager
def locked(journal: Path) -> Iterator[None]:
    """Hold the journal's write lock, as another process would for a moment."""
    with closing(sqlite3.connect(journal, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def kill(client: Client) -> None:
    """`kill -9`, and wait until its servers are gone as well."""
    if client.process.poll() is None:
        os.kill(client.process.pid, signal.SIGKILL)
    client.wait()


def assert_sound(journal: Path) -> None:
    with closing(sqlite3.connect(journal)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
