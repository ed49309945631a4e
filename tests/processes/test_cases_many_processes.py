"""Case C056: sixteen proxies and everybody else on one journal, all at once."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.promises import promise
from tests.support.world import Ran, World

PROXIES = 16
READS, WRITES, NOTES = 26, 16, 4
"""What each agent does. Its last write it makes when the others rest, after repeating its notes, which were approved by then."""
CALLS = READS + WRITES + 2 * NOTES

PING_EVERY_S = 0.1
PING_WITHIN_S = 1.0
"""Shorter than the lock is held: a proxy that stood still while it waits for it is found out."""

LOCKED_S = 1.5
SHRUNK_BYTES = 4 << 20
"""What the write-ahead file may keep while it is in use."""

IN_A_TRANSACTION = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
database.execute(sys.argv[2])
database.execute("SELECT count(*) FROM actions").fetchone()
print("in", flush=True)
sys.stdin.readline()
database.execute("ROLLBACK")
"""


class Agent:
    """One session: its calls one after the other, and a ping every now and then from beside."""

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.number = number
        self.client = world.start_proxy("--journal", str(journal_of(world)))
        self.pings: list[float] = []
        """How long each was waited for, in seconds."""
        self._done = threading.Event()
        self._pinging = threading.Thread(target=self._ping, daemon=True)

    def open(self) -> None:
        self.client.initialize()
        self._pinging.start()

    def work(self) -> None:
        for at in range(READS):
            assert not self.client.call("get_item", {"id": "c1"}).get("isError")
            if at < WRITES - 1:
                self.write(f"{self.number}.{at}")
        for note in self.notes():
            assert self.client.call("send_note", note)["isError"], "held"

    def repeat_notes(self) -> None:
        for note in self.notes():
            sent = self.client.call("send_note", note)
            assert not sent.get("isError"), sent

    def write(self, name: str) -> None:
        wrote = self.client.call("set_item", {"id": "c1", "name": name})
        assert not wrote.get("isError"), wrote

    def notes(self) -> list[dict[str, str]]:
        return [{"to": "a@x.example", "text": f"{self.number}.{at}"} for at in range(NOTES)]

    def close(self) -> str:
        """Everything that it ever said."""
        self.stop_pinging()
        ended = self.client.close()
        assert ended.code == 0, ended
        return ended.stderr + "".join(str(message) for message in self.client.messages())

    def stop_pinging(self) -> None:
        self._done.set()
        if self._pinging.is_alive():
            self._pinging.join()

    def _ping(self) -> None:
        while not self._done.wait(PING_EVERY_S):
            ident = f"ping {len(self.pings)}"
            asked = time.monotonic()
            self.client.send({"jsonrpc": "2.0", "id": ident, "method": "ping"})
            self.client.wait_for_reply(ident)
            self.pings.append(time.monotonic() - asked)


def journal_of(world: World) -> Path:
    return world.folder.parent / "shared" / "journal.db"


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[list[Agent]]:
    """Each with a server and a store of its own; all of them on one journal."""
    worlds = [World(tmp_path / f"w{number}") for number in range(PROXIES)]
    for world in worlds:
        world.put(c1={"name": "start"})
    agents = [Agent(world, number) for number, world in enumerate(worlds)]
    yield agents
    for agent in agents:
        agent.stop_pinging()
    for world in worlds:
        world.close()


@promise("C056")
def test_sixteen_proxies_on_one_journal_lose_nothing_and_stay_awake(agents: list[Agent]) -> None:
    journal = journal_of(agents[0].world)
    at_once([agent.open for agent in agents])
    said: list[Ran] = []

    with (
        in_a_loop(agents[0].world, said, [["list"], ["watch"], ["approve", "--all"]]),
        in_a_transaction(journal, "BEGIN"),
    ):
        at_once([agent.work for agent in agents], meanwhile=lambda: hold_the_lock(journal))
        grown = size_of_wal(journal)
    said.append(agents[0].world.cli("approve", "--all", "--journal", str(journal)))
    at_once([agent.repeat_notes for agent in agents])
    for agent in agents:
        agent.write("the last one")
    shrunk = size_of_wal(journal)
    outputs = [agent.close() for agent in agents]

    pings = sorted(ping for agent in agents for ping in agent.pings)
    assert pings[-1] < PING_WITHIN_S, f"the slowest of {len(pings)} pings: {pings[-5:]}"
    assert shrunk <= SHRUNK_BYTES < grown
    assert size_of_wal(journal) == 0
    assert not [text for text in outputs if "locked" in text]
    for ran in said:
        assert ran.code == 0 or "nothing waits for a decision" in ran.err, ran
        assert "locked" not in ran.out + ran.err
    assert_all_is_recorded(journal, agents)


def assert_all_is_recorded(journal: Path, agents: list[Agent]) -> None:
    with closing(sqlite3.connect(journal)) as database:
        rows = database.execute("SELECT run, seq, tool, status FROM actions ORDER BY run, seq").fetchall()
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert len(rows) == PROXIES * CALLS == 800
    per_run: dict[int, list[int]] = {}
    for run, seq, _, _ in rows:
        per_run.setdefault(run, []).append(seq)
    assert len(per_run) == PROXIES
    assert all(numbers == list(range(1, CALLS + 1)) for numbers in per_run.values())
    assert Counter((tool, status) for _, _, tool, status in rows) == {
        ("get_item", "applied"): PROXIES * READS,
        ("set_item", "applied"): PROXIES * WRITES,
        ("send_note", "held"): PROXIES * NOTES,
        ("send_note", "applied"): PROXIES * NOTES,
    }
    for agent in agents:
        assert agent.world.calls("send_note") == agent.notes()
        assert len(agent.world.calls("set_item")) == WRITES


# --- below: how


def at_once(works: list[Callable[[], None]], *, meanwhile: Callable[[], None] = lambda: None) -> None:
    """Each in a thread of its own; the first thing that went wrong is raised."""
    wrong: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    guarded(meanwhile)
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]


@contextmanager
def in_a_loop(world: World, said: list[Ran], commands: list[list[str]]) -> Iterator[None]:
    """People at the same journal: each of these commands again and again."""
    done = threading.Event()

    def again_and_again(words: list[str]) -> None:
        while not done.wait(PING_EVERY_S):
            said.append(world.cli(*words, "--journal", str(journal_of(world))))

    threads = [threading.Thread(target=again_and_again, args=(words,)) for words in commands]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert len(said) > len(commands)


@contextmanager
def in_a_transaction(journal: Path, begin: str) -> Iterator[None]:
    """Another program that holds a transaction open."""
    program = [sys.executable, "-c", IN_A_TRANSACTION, str(journal), begin]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == b"in\n"
        yield
        other.stdin.close()
        assert other.wait() == 0


def hold_the_lock(journal: Path) -> None:
    """Nobody else can write for a while."""
    with in_a_transaction(journal, "BEGIN IMMEDIATE"):
        time.sleep(LOCKED_S)  # what happens meanwhile is the test


def size_of_wal(journal: Path) -> int:
    wal = journal.with_name(journal.name + "-wal")
    return wal.stat().st_size if wal.exists() else 0
