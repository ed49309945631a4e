"""A journal of another version, or no journal at all: refused with a next step, and bit for bit as it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.desk import Desk, Scribe
from tests.promises import promise


async def a_run(write: Scribe) -> None:
    await write.run()
    for at in range(40):
        await write.applied("update_customer", {"id": f"c_{at}", "notes": f"{at}" * 50})
    await write.ended()


def of_a_newer_version(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA user_version = 99")
        database.execute("ALTER TABLE runs ADD COLUMN mood TEXT")
        database.execute("PRAGMA journal_mode = DELETE")


def of_another_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE bookmarks (url TEXT)")


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def with_a_damaged_page(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 * 2 : 4096 * 2 + 512] = b"\xa5" * 512
    path.write_bytes(content)


@promise("C061")
@pytest.mark.parametrize("spoil", [of_a_newer_version, of_another_program, cut_off, with_a_damaged_page])
@pytest.mark.parametrize("command", [["list"], ["show"], ["undo", "--yes"], ["proxy"]])
def test_what_is_no_usable_journal_is_refused_and_left_as_it_is(
    desk: Desk, spoil: Callable[[Path], None], command: list[str]
) -> None:
    desk.record(a_run)
    spoil(desk.journal)
    before = {path.name: path.read_bytes() for path in desk.folder.iterdir()}

    ran = desk.run(*command)

    assert (ran.code, ran.out) == (2, "")
    assert str(desk.journal) in ran.err
    assert "hint: " in ran.err
    assert {path.name: path.read_bytes() for path in desk.folder.iterdir()} == before


@promise("C061")
def test_an_empty_file_is_a_fresh_journal(desk: Desk) -> None:
    desk.journal.touch()

    assert desk.run("list", "--json").json == []
    desk.record(a_run)
    assert [run["actions"] for run in desk.run("list", "--json").json] == [40]


@promise("C057")
def test_a_journal_in_a_folder_that_cannot_be_written_can_still_be_read(desk: Desk) -> None:
    desk.record(a_run)
    desk.folder.chmod(0o500)

    try:
        listed, shown = desk.run("list", "--json"), desk.run("show", "--json")
    finally:
        desk.folder.chmod(0o700)

    assert [run["actions"] for run in listed.json] == [40]
    assert len(shown.json["actions"]) == 40
