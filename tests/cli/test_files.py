"""Manifest and journal are found, not typed; printed commands work as pasted, from any folder."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from synartesis.workspace.files import Files, command_line, find_files
from tests.cli.desk import Desk


def test_the_nearest_folder_upwards_decides(desk: Desk) -> None:
    below = desk.folder / "src" / "deep"
    below.mkdir(parents=True)

    assert find_files(None, None, start=below) == Files(desk.manifest, desk.journal)


def test_a_journal_that_does_not_exist_yet_goes_beside_the_manifest(desk: Desk) -> None:
    other = desk.folder / "other" / "synartesis.yaml"
    other.parent.mkdir()
    other.touch()

    assert find_files(None, None).journal == desk.journal
    assert find_files("other/synartesis.yaml", None).journal == other.parent / "journal.db"


def test_what_was_typed_wins_and_is_taken_from_the_current_folder(desk: Desk) -> None:
    found = find_files("./m.yaml", "../j.db")

    assert found == Files(desk.folder / "m.yaml", desk.folder.parent / "j.db", manifest_named=True, journal_named=True)


def test_the_home_comes_last(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for home in (tmp_path / "home" / ".synartesis", tmp_path / "moved"):
        home.mkdir(parents=True)
        (home / "synartesis.yaml").touch()
    desk.manifest.unlink()

    usual = find_files(None, None)
    monkeypatch.setenv("SYNARTESIS_HOME", str(tmp_path / "moved"))
    moved = find_files(None, None)

    assert usual.manifest == tmp_path / "home" / ".synartesis" / "synartesis.yaml"
    assert moved == Files(tmp_path / "moved" / "synartesis.yaml", tmp_path / "moved" / "journal.db")


def test_a_printed_command_names_the_journal_unless_it_would_be_found_from_anywhere(desk: Desk, tmp_path: Path) -> None:
    odd = tmp_path / "it's here" / "journal.db"

    assert command_line(["list"], journal=tmp_path / "home" / ".synartesis" / "journal.db") == "synartesis list"
    assert command_line(["list"], journal=desk.journal) == f"synartesis list --journal {desk.journal}"
    assert shlex.split(command_line(["list"], journal=odd)) == ["synartesis", "list", "--journal", str(odd)]


def test_a_printed_command_spells_out_the_interpreter_where_the_command_is_not_on_the_path(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(desk.folder))

    assert command_line(["list"]) == f"{shlex.quote(sys.executable)} -m synartesis list"
