"""Whatever is wrong: what happened, to what, what to do next; the right exit code; nothing written, nothing started."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.desk import ALIVE, Desk, Scribe
from tests.promises import promise

STARTED = "started"
"""A file that the server of this manifest makes when it is started."""


def manifest(body: str = "", *, command: str = "touch") -> str:
    return f'version: 1\nservers:\n  crm: {{command: {command}, args: ["{STARTED}"]}}\ntools: []\n{body}'


async def two_runs(write: Scribe) -> None:
    await write.run()
    await write.applied("update_customer", {"id": "c_001"}, inverse=("update_customer", {"id": "c_001"}))
    await write.held("send_email", {"to": "a"})
    await write.held("send_email", {"to": "b"})
    await write.ended()
    await write.run()
    await write.ended()


@pytest.mark.parametrize(
    ("typed", "message", "hint"),
    [
        (["lst"], "there is no command 'lst'", "did you mean `synartesis list`?"),
        (["frobnicate"], "there is no command 'frobnicate'", "`synartesis --help` lists the commands"),
        (["list", "--jsn"], "synartesis list has no option '--jsn'", "did you mean --json?"),
        (["undo", "--dryrun"], "synartesis undo has no option '--dryrun'", "did you mean --dry-run?"),
        (["--jorunal", "x", "list"], "synartesis has no option '--jorunal'", "did you mean --journal?"),
        (["approve", "--by"], "argument --by: expected one argument", "`synartesis approve --help`"),
        (["undo", "--to", "seven"], "'seven' is not the number of a call", "synartesis show"),
        (["show", "a", "b"], "there is one word too many: 'b'", "`synartesis show --help`"),
        (["proxy", "--log-level", "loud"], "invalid choice: 'loud'", "`synartesis proxy --help`"),
        (["list", "--limit", "0"], "a positive number is needed", ""),
        (["approve", "x", "--all"], "ids and --all exclude each other", "approve --all"),
    ],
)
def test_a_command_line_that_cannot_be_meant_is_exit_2_with_the_nearest_word(
    desk: Desk, typed: list[str], message: str, hint: str
) -> None:
    desk.record(two_runs)

    ran = desk.run(*typed)

    assert ran.code == 2
    assert ran.out == ""
    assert message in ran.said
    assert hint in ran.said


@pytest.mark.parametrize("command", ["proxy", "check"])
def test_a_missing_manifest_is_named_and_nothing_is_made(desk: Desk, command: str) -> None:
    desk.manifest.unlink()

    found, named = desk.run(command), desk.run(command, "--manifest", "other.yaml")

    assert (found.code, found.out) == (2, "")
    assert "no manifest was found" in found.said
    assert "--manifest FILE" in found.said
    assert (named.code, named.out) == (2, "")
    assert str(desk.folder / "other.yaml") in named.said
    assert list(desk.folder.iterdir()) == []


@pytest.mark.parametrize("command", ["proxy", "check"])
def test_a_broken_manifest_starts_nothing_and_makes_no_journal(desk: Desk, command: str) -> None:
    desk.manifest.write_text(manifest("clas: readonly\n"), encoding="utf-8")

    ran = desk.run(command)

    assert (ran.code, ran.out) == (2, "")
    assert "synartesis.yaml:5" in ran.said
    assert "clas" in ran.said
    assert [path.name for path in desk.folder.iterdir()] == ["synartesis.yaml"]


def test_a_check_names_the_server_whose_command_is_missing(desk: Desk) -> None:
    desk.manifest.write_text(manifest(command="no-such-command-anywhere"), encoding="utf-8")

    ran = desk.run("check")

    assert ran.code == 1
    assert "no-such-command-anywhere" in ran.said
    assert "1 server did not start." in ran.out


def test_a_proxy_whose_only_server_is_missing_writes_nothing(desk: Desk) -> None:
    desk.manifest.write_text(manifest(command="no-such-command-anywhere"), encoding="utf-8")

    ran = desk.run("proxy")

    assert (ran.code, ran.out) == (2, "")
    assert "server 'crm' cannot be started: there is no no-such-command-anywhere in PATH" in ran.said
    assert "give it as an absolute path" in ran.said
    assert [path.name for path in desk.folder.iterdir()] == ["synartesis.yaml"]


def test_a_variable_that_is_not_set_is_named_before_anything_is_written(desk: Desk) -> None:
    text = manifest().replace("command: touch", 'command: touch, env: {TOKEN: "${NOT_SET_ANYWHERE}"}')
    desk.manifest.write_text(text, encoding="utf-8")

    ran = desk.run("proxy")

    assert (ran.code, ran.out) == (2, "")
    assert "NOT_SET_ANYWHERE" in ran.said
    assert [path.name for path in desk.folder.iterdir()] == ["synartesis.yaml"]


def a_folder(path: Path) -> str:
    path.mkdir()
    return str(path)


def below_a_file(path: Path) -> str:
    path.write_text("not a folder", encoding="utf-8")
    return str(path / "journal.db")


def another_program(path: Path) -> str:
    path.write_bytes(b"something else entirely" * 100)
    return str(path)


def in_a_folder_that_cannot_be_written(path: Path) -> str:
    path.mkdir()
    path.chmod(0o500)
    return str(path / "journal.db")


UNWRITABLE = [a_folder, below_a_file, another_program] + (
    [in_a_folder_that_cannot_be_written] if os.geteuid() != 0 else []  # root may write anywhere
)


@promise("C057")
@pytest.mark.parametrize("place", UNWRITABLE)
def test_a_proxy_that_cannot_record_starts_no_server_and_says_where(desk: Desk, place: object) -> None:
    assert callable(place)
    desk.manifest.write_text(manifest(), encoding="utf-8")
    journal = place(desk.folder / "x")
    before = sorted(desk.folder.rglob("*"))

    ran = desk.run("proxy", "--journal", journal)

    assert (ran.code, ran.out) == (2, "")
    assert journal in ran.err
    assert sorted(desk.folder.rglob("*")) == before, "nothing was started, nothing was written"


def test_a_mistyped_journal_is_not_made(desk: Desk) -> None:
    for command in ("list", "show", "gates", "approve", "undo", "redo", "close"):
        ran = desk.run(command, "--journal", "jornal.db")

        assert ran.code == 2
        assert f"there is no journal at {desk.folder}/jornal.db" in ran.said
    assert not (desk.folder / "jornal.db").exists()


def test_nothing_recorded_yet_says_when_something_will_be(desk: Desk) -> None:
    for command in ("show", "approve", "undo", "redo", "close"):
        ran = desk.run(command)

        assert ran.code == 2
        assert "nothing was recorded yet" in ran.said
        assert "once a client has started the proxy" in ran.said


def test_neither_manifest_nor_journal_says_where_it_looked(desk: Desk) -> None:
    desk.manifest.unlink()

    ran = desk.run("list")

    assert ran.code == 2
    assert f"looked from {desk.folder} upwards" in ran.said
    assert ".synartesis" in ran.said
    assert "to make the first one: synartesis init NAME -- COMMAND" in ran.said


def test_an_ambiguous_id_lists_what_it_may_mean(desk: Desk) -> None:
    desk.record(two_runs)

    run, request = desk.run("show", "a0"), desk.run("deny", "c")

    assert (run.code, request.code) == (2, 2)
    assert "2 runs have an id that starts with 'a0': a00000000001" in run.said
    assert "2 requests have an id that starts with 'c'" in request.said
    assert "type more of the id" in run.said
    assert len(json.loads(desk.run("gates", "--json").out)) == 2, "nothing was decided"


def test_an_id_that_is_nothing_is_exit_2(desk: Desk) -> None:
    desk.record(two_runs)

    assert "no run has an id that starts with 'f00'" in desk.run("show", "f00").said
    assert "no request has an id that starts with '%'" in desk.run("approve", "%").said
    assert desk.run("undo", "f00").code == 2


def test_to_past_the_end_starts_nothing(desk: Desk) -> None:
    desk.manifest.write_text(manifest(), encoding="utf-8")
    desk.record(two_runs)

    ran = desk.run("undo", "a00000000001", "--to", "9")

    assert ran.code == 2
    assert not (desk.folder / STARTED).exists()


def test_undo_does_not_guess_in_a_pipe(desk: Desk) -> None:
    desk.record(two_runs)

    ran = desk.run("undo")

    assert (ran.code, ran.out) == (2, "")
    assert "undo does not guess in a pipe" in ran.said
    assert f"\n  synartesis undo a00000000001 --journal {desk.journal}\n" in ran.err


@pytest.mark.parametrize("option", ["--only", "--to", "--unchecked"])
def test_the_numbers_of_calls_are_of_a_run_that_has_to_be_named(desk: Desk, option: str) -> None:
    desk.record(two_runs)

    ran = desk.run("undo", "--yes", option, "1")

    assert (ran.code, ran.out) == (2, "")
    assert f"{option} names calls of one run" in ran.said
    assert f"\n  synartesis undo a00000000001 {option} 1 --journal {desk.journal}\n" in ran.err


def test_redo_finds_nothing_where_nothing_was_undone(desk: Desk) -> None:
    desk.record(two_runs)

    ran = desk.run("redo")

    assert (ran.code, ran.out) == (1, "")
    assert "can be taken back" in ran.said


def test_undo_refuses_a_server_that_is_not_the_recorded_one_and_names_both(desk: Desk) -> None:
    desk.manifest.write_text(manifest(), encoding="utf-8")
    desk.record(two_runs)

    ran = desk.run("undo", "a00000000001")

    assert ran.code == 2
    assert "server 'crm' is not the one that run a00000000001 used" in ran.said
    assert "recorded: 000000000000" in ran.said
    assert f"(touch {STARTED};" in ran.said
    assert not (desk.folder / STARTED).exists()


def test_close_leaves_a_living_run_alone(desk: Desk) -> None:
    async def story(write: Scribe) -> None:
        await write.run(process=ALIVE)

    desk.record(story)

    ran = desk.run("close", "a")

    assert ran.code == 1
    assert "was not closed: it is running" in ran.said


def test_errors_with_json_are_one_value_on_stderr(desk: Desk) -> None:
    ran = desk.run("show", "--json", "--journal", "nowhere.db")

    assert (ran.code, ran.out) == (2, "")
    error = json.loads(ran.err)["error"]
    assert error["exit"] == 2
    assert "nowhere.db" in error["message"]
    assert set(error) == {"message", "hint", "exit"}


def test_a_wrong_word_beside_json_is_json_too(desk: Desk) -> None:
    assert json.loads(desk.run("list", "--json", "--lmit", "3").err)["error"]["hint"] == "did you mean --limit?"
