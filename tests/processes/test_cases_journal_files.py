"""The journal as a file: who may read it, where it cannot be, and files that are not ours. Cases C050, C057 and C061."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.promises import promise
from tests.support.client import encode
from tests.support.waiting import wait_until
from tests.support.world import FAKE_SERVER, INIT, World

SET_C1 = ("set_item", {"id": "c1", "name": "B"})

# --- C050: who can read the journal, and what must never be in it

SECRET = "S3NT1NEL"


@pytest.fixture
def open_umask() -> Iterator[None]:
    """As on most machines: new files may be read by everybody."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@promise("C050")
@pytest.mark.usefixtures("open_umask")
def test_a_new_journal_and_all_that_lies_beside_it_are_for_their_owner_only(world: World) -> None:
    world.put(c1={"name": "A"})
    folder = world.home / ".synartesis" / "deeper"
    client = world.start_proxy("--journal", str(folder / "journal.db"))
    client.initialize()
    client.call(*SET_C1)
    while_running = {path.name: mode(path) for path in folder.iterdir()}
    client.close()

    assert while_running == {"journal.db": 0o600, "journal.db-wal": 0o600, "journal.db-shm": 0o600}
    assert (mode(folder), mode(folder.parent)) == (0o700, 0o700)
    assert {mode(path) for path in folder.iterdir()} == {0o600}


@promise("C050")
@pytest.mark.usefixtures("open_umask")
def test_a_journal_that_others_can_read_is_tightened(world: World) -> None:
    world.agent()
    for path in [world.journal, *world.folder.glob("journal.db-*")]:
        path.chmod(0o644)

    world.agent()

    assert {mode(path) for path in world.folder.glob("journal.db*")} == {0o600}


@promise("C050")
def test_a_value_of_the_environment_is_in_no_file_and_in_no_output(world: World) -> None:
    world.write_manifest(servers={"f": world.fake(extra='env: {API_KEY: "${MY_KEY}"}')})
    world.put(c1={"name": "A"})
    in_a_small_environment(world, MY_KEY=SECRET)
    client = world.start_proxy("--log-level", "debug")
    client.initialize()
    client.call(*SET_C1)
    client.call("send_note", {"to": "a", "text": "b"})
    assert client.close().code == 0
    world.behave(dump_environment=True)  # from now on it prints its environment to stderr and dies

    dying = world.start_proxy("--log-level", "debug")
    dying.send(INIT)
    answer = dying.wait_for_reply("i")
    dying.close_input()
    ended = dying.wait()
    ran = [
        world.cli(*words)
        for words in (["check"], ["check", "--json"], ["list"], ["show", "--full"], ["gates", "--json"])
    ]
    ran.append(world.cli("undo", "--yes"))

    assert "error" in answer
    assert "'MY_KEY': '(hidden)'" in ended.stderr, "what the server said is logged, without the values"
    assert "'API_KEY': '(hidden)'" in ended.stderr
    assert "exit code 3" in ran[0].out
    assert "(hidden)" in ran[0].out
    said = [json.dumps(answer), client.stderr(), ended.stderr, *(each.out + each.err for each in ran)]
    assert not [text for text in said if SECRET in text]
    assert not [path for path in world.folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


# --- C057: nowhere to write


def an_open_folder(place: Path) -> Path:
    place.mkdir()
    return place


def a_folder_that_cannot_be_written(place: Path) -> Path:
    an_open_folder(place).chmod(0o500)
    return place / "journal.db"


def below_a_file(place: Path) -> Path:
    place.write_text("not a folder", encoding="utf-8")
    return place / "journal.db"


@promise("C057")
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (a_folder_that_cannot_be_written, "cannot be written: Permission denied"),
        (an_open_folder, "is a folder, not a journal"),
        (below_a_file, "what should be its folder is a file"),
    ],
)
def test_a_proxy_that_cannot_record_does_not_start(world: World, make: Callable[[Path], Path], reason: str) -> None:
    without_the_powers_of_root(world)
    notes_its_start(world)
    world.put(c1={"name": "A"})
    journal = make(world.folder / "place")
    before = files_of(world.folder)

    ran = world.cli("proxy", "--journal", str(journal), stdin=(INIT + read_and_write()).decode())

    assert (ran.code, ran.out) == (2, "")
    said = " ".join(ran.err.split())
    assert str(journal) in said
    assert reason in said
    assert files_of(world.folder) == before, "nothing was started, sent or written"


@promise("C057")
def test_without_a_home_and_without_a_manifest_it_says_where_it_looked(world: World) -> None:
    notes_its_start(world)
    elsewhere = world.folder.parent / "elsewhere"
    elsewhere.mkdir()

    ran = world.cli("proxy", stdin=INIT.decode(), cwd=elsewhere, env={"HOME": str(elsewhere / "no-home")})

    assert (ran.code, ran.out) == (2, "")
    assert "no manifest was found" in ran.err
    assert f"looked from {elsewhere} upwards" in " ".join(ran.err.split())
    assert list(elsewhere.iterdir()) == []


@promise("C057")
def test_a_good_journal_in_a_folder_that_cannot_be_written_can_be_read(world: World) -> None:
    world.put(c1={"name": "A"})
    world.agent(SET_C1)
    expected = [world.cli("list", "--json").json, world.cli("show", "--json").json]
    copy = world.folder / "copy"
    copy.mkdir()
    (copy / "journal.db").write_bytes(world.journal.read_bytes())
    without_the_powers_of_root(world)
    with read_only(copy):
        before = files_of(copy)

        listed = world.cli("list", "--json", "--journal", str(copy / "journal.db"))
        shown = world.cli("show", "--json", "--journal", str(copy / "journal.db"))

        assert [listed.json, shown.json] == expected
        assert files_of(copy) == before


def take_away(journal: Path) -> None:
    for path in journal.parent.glob("journal.db*"):
        path.unlink()


@promise("C057")
def test_a_journal_that_is_taken_away_refuses_the_next_write_and_sends_nothing(world: World) -> None:
    world.put(c1={"name": "A"})
    client = world.proxy()
    client.call("set_item", {"id": "c1", "name": "B"})
    take_away(world.journal)

    answer = client.call("set_item", {"id": "c1", "name": "C"})

    assert answer["isError"] is True
    text = answer["content"][0]["text"]
    assert "f.set_item was not called, and nothing was sent" in text
    assert f"the journal {world.journal} was moved, deleted or replaced while it was in use" in text
    assert world.items == {"c1": {"name": "B"}}
    assert client.call("get_item", {"id": "c1"})["structuredContent"]["name"] == "B", "reads go on"


@promise("C057")
def test_a_write_that_was_made_and_could_not_be_recorded_is_called_made(world: World) -> None:
    world.put(c1={"name": "A"})
    gate = world.folder / "pause"
    world.behave(rules=[{"tool": "set_item", "pause_after": str(gate)}])
    client = world.proxy()
    asked = client.ask("tools/call", {"name": SET_C1[0], "arguments": SET_C1[1]})
    wait_until((world.folder / "pause.reached").exists, "the server was never reached")
    take_away(world.journal)
    gate.touch()

    text = client.wait_for_reply(asked)["result"]["content"][0]["text"]

    assert text.startswith("MADE, BUT NOT RECORDED")
    assert "must NOT be repeated" in text
    assert world.calls("set_item") == [SET_C1[1]]


@promise("C057")
@pytest.mark.parametrize("name", ["what?", "no #1", "100%41", " a blank", 'it\'s "so" $HOME', "é"])
def test_a_project_may_be_called_anything_and_what_is_printed_works_as_pasted(tmp_path: Path, name: str) -> None:
    world = World(tmp_path / name)
    world.put(c1={"name": "A"})
    client = world.proxy()
    assert not client.call(*SET_C1).get("isError")
    held = client.call("send_note", {"to": "a", "text": "b"})["content"][0]["text"]
    (approve,) = [line for line in held.splitlines() if " approve " in line and line.startswith("    ")]

    pasted = subprocess.run(approve, shell=True, cwd="/", env=world.env, capture_output=True, text=True, check=False)
    sent = client.call("send_note", {"to": "a", "text": "b"})
    client.close()

    assert pasted.returncode == 0, pasted
    assert not sent.get("isError")
    assert world.cli("undo", "--yes").code == 1, "a note that was sent is not taken back"
    assert world.items == {"c1": {"name": "A"}}
    world.close()


# --- C061: a journal from another version, or not a journal


def of_a_newer_version(journal: Path) -> None:
    with closing(sqlite3.connect(journal, isolation_level=None)) as database:
        database.execute("ALTER TABLE actions ADD COLUMN mood TEXT")
        database.execute("PRAGMA user_version = 99")
        database.execute("PRAGMA journal_mode = DELETE")


def of_another_program(journal: Path) -> None:
    journal.unlink()
    with closing(sqlite3.connect(journal)) as database:
        database.execute("CREATE TABLE bookmarks (url TEXT)")


def its_first_100_bytes(journal: Path) -> None:
    journal.write_bytes(journal.read_bytes()[:100])


def with_a_damaged_page(journal: Path) -> None:
    content = bytearray(journal.read_bytes())
    assert len(content) > 4 * 4096
    content[3 * 4096 : 3 * 4096 + 1000] = b"\xa5" * 1000
    journal.write_bytes(content)


@promise("C061")
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (of_a_newer_version, "was written by a newer version of Synartesis (format 99"),
        (of_another_program, "belongs to another program"),
        (its_first_100_bytes, "is damaged"),
        (with_a_damaged_page, "is damaged"),
    ],
)
def test_a_file_that_is_no_usable_journal_is_refused_with_a_next_step_and_stays_bit_identical(
    world: World, spoil: Callable[[Path], None], message: str
) -> None:
    notes_its_start(world)
    world.put(c1={"name": "A"})
    world.agent(SET_C1)
    (run,) = world.cli("list", "--json").json
    (world.folder / "started").unlink()
    spoil(world.journal)
    before = files_of(world.folder)

    commands: list[tuple[list[str], str]] = [
        (["list"], ""),
        (["undo", run["id"]], ""),
        (["proxy"], (INIT + read_and_write()).decode()),
    ]
    for words, stdin in commands:
        ran = world.cli(*words, stdin=stdin)

        assert (ran.code, ran.out) == (2, ""), words
        said = " ".join(ran.err.split())
        assert message in said
        assert "it was left as it is" in said
        assert "hint: " in said
        assert files_of(world.folder) == before, words


@promise("C061")
def test_an_empty_file_is_a_fresh_journal(world: World) -> None:
    world.put(c1={"name": "A"})
    world.journal.touch()

    assert world.cli("list", "--json").json == []
    assert world.journal.stat().st_size == 0, "a look does not make it more"
    world.agent(SET_C1)
    assert [run["actions"] for run in world.cli("list", "--json").json] == [1]


# --- below: how


def in_a_small_environment(world: World, **variables: str) -> None:
    """From here on, commands see these variables and little else, so that a server's print of all of them is not cut."""
    needed = {name: world.env[name] for name in ("HOME", "PATH", "PYTHONPATH")} | variables
    world.program = ("env", "-i", *(f"{name}={value}" for name, value in reversed(needed.items())), *world.program)


DROP = """
import ctypes, os, sys
if sys.platform == "linux":
    for capability in (1, 2):  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, by which root ignores modes
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP; without effect for others than root
os.execv(sys.argv[1], sys.argv[1:])
"""


def without_the_powers_of_root(world: World) -> None:
    """From here on, commands may write only where modes allow it, also where the tests run as root."""
    world.program = (sys.executable, "-c", DROP, *world.program)


def notes_its_start(world: World) -> None:
    """A server that leaves a file behind as soon as it is started."""
    words = [sys.executable, FAKE_SERVER, "--state", world.state, "--calls", world.folder / "calls.log"]
    script = f"touch started; exec {shlex.join(map(str, words))}"
    world.write_manifest(servers={"f": f"{{command: sh, args: {json.dumps(['-c', script])}}}"})


def read_and_write() -> bytes:
    calls = [("get_item", {"id": "c1"}), SET_C1]
    return b"".join(
        encode({"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        for at, (name, arguments) in enumerate(calls)
    )


def files_of(folder: Path) -> dict[Path, bytes | None]:
    """Every file with its content, every folder."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    folder.chmod(0o500)
    try:
        yield
    finally:
        folder.chmod(0o700)  # or nobody could clean up
