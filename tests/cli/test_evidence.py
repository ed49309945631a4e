"""`verify`, `export` and `prune`, as typed."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.records import Image
from synartesis.journal.look import FORMAT
from tests.cli.desk import ALIVE, Desk, Scribe, present

ADA = {"id": "c_001", "name": "Ada Lovelace", "plan": "pro"}
SECRET = {"id": "c_007", "note": "of another run"}


async def three_runs(write: Scribe) -> None:
    """Of the one in the middle it shall be proved what it did, and nothing be told of the others."""
    await write.run("another client")
    await write.applied("update_customer", SECRET, before=present(SECRET), after=present(SECRET))
    await write.run("claude-code 2.1.3")
    await write.applied(
        "update_customer",
        {"id": "c_001", "plan": "free"},
        before=present(ADA),
        after=present(ADA | {"plan": "free"}),
        inverse=("update_customer", ADA),
    )
    asked = await write.held("send_email", {"to": "ada@example.org"}, why="cannot be taken back")
    write.journal.decide(asked.id, grant=True, by="grace", reason="it is her birthday")
    again = await write.applied("send_email", {"to": "ada@example.org"}, before=None)
    assert again
    write.read("get_customer", {"id": "c_001"})
    await write.ended()
    await write.run("a third client")
    await write.applied("update_customer", SECRET, before=present(SECRET), after=present(SECRET))
    await write.ended()


def edit(desk: Desk, statement: str) -> None:
    with closing(sqlite3.connect(desk.journal, isolation_level=None)) as connection:
        assert connection.execute(statement).rowcount > 0


# --- verify


def test_an_untouched_journal_fits_and_says_what_to_keep(desk: Desk) -> None:
    desk.record(three_runs)

    ran = desk.run("verify")
    (noted,) = re.findall(r"last entry: (\d+:[0-9a-f]{64})", ran.out)
    desk.record(three_runs)

    assert ran.code == 0
    assert "Each continues the one before it" in ran.said
    assert desk.run("verify", "--noted", noted).code == 0


def test_verify_names_the_first_entry_that_does_not_fit(desk: Desk) -> None:
    desk.record(three_runs)
    edit(desk, "UPDATE events SET who = 'nobody' WHERE kind = 'granted'")
    with closing(sqlite3.connect(desk.journal)) as connection:
        (number,) = connection.execute("SELECT number FROM events WHERE kind = 'granted'").fetchone()

    ran, as_json = desk.run("verify"), desk.run("verify", "--json")

    assert ran.code == 1
    assert f"entry {number} does not fit: it does not continue the entry before it" in ran.said
    assert "#2 crm.send_email · granted · | by nobody" in ran.said
    assert f"The entries before it (1 to {number - 1}) fit." in ran.said
    assert as_json.code == 1
    assert as_json.json["misfit"]["number"] == number


def test_entries_that_were_taken_away_show_by_the_one_that_was_noted(desk: Desk) -> None:
    desk.record(three_runs)
    (noted,) = re.findall(r"last entry: (\S+)", desk.run("verify").out)
    edit(desk, "DELETE FROM events WHERE kind = 'run-ended' AND number = (SELECT max(number) FROM events)")
    edit(desk, "UPDATE runs SET ended_at = NULL WHERE number = 3")

    assert desk.run("verify").code == 0, "the end is missing, and nothing in the journal shows that"
    ran = desk.run("verify", "--noted", noted)

    assert ran.code == 1
    assert "it was noted, and is missing" in ran.said


def test_a_call_that_was_slipped_in_shows(desk: Desk) -> None:
    desk.record(three_runs)
    edit(
        desk,
        "INSERT INTO actions (id, run, seq, server, tool, arguments, tool_class, fingerprint, status, at)"
        " SELECT 'ffffffffffff', run, 99, server, tool, arguments, tool_class, fingerprint, status, at FROM actions"
        " WHERE number = 1",
    )

    ran = desk.run("verify")

    assert ran.code == 1
    assert "call #99 of run" in ran.said
    assert "no entry says anything of it" in ran.said


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE actions SET status = 'failed' WHERE number = 1",
        "UPDATE actions SET undone = 'restored' WHERE number = 1",
        "UPDATE actions SET note = 'all is well' WHERE number = 1",
        "DELETE FROM outcomes WHERE action = 1",
        "UPDATE approvals SET status = 'denied'",
        "DELETE FROM approvals",
        "UPDATE runs SET ended_at = '2026-01-01T00:00:00.000000Z' WHERE number = 1",
        "UPDATE runs SET agent = 'somebody' WHERE number = 1",
    ],
)
def test_what_only_stands_in_the_tables_is_held_against_the_history(desk: Desk, statement: str) -> None:
    desk.record(three_runs)
    edit(desk, statement)

    assert desk.run("verify").code == 1


@pytest.mark.parametrize("command", ["show", "undo", "export"])
def test_a_payload_that_was_changed_is_never_used(desk: Desk, command: str) -> None:
    desk.record(old_and_new)
    edit(desk, "UPDATE blobs SET encoding = 'plain', body = CAST('{\"plan\":\"another\"}' AS BLOB)")

    ran = desk.run(command, "a00000000001")

    assert ran.code == 2
    assert "is damaged: the payload" in ran.said
    assert "restore it from a backup" in ran.said
    assert "another" not in ran.said
    assert desk.run("verify").code == 1


def test_a_journal_in_which_nothing_was_recorded_fits(desk: Desk) -> None:
    desk.journal.touch()

    ran = desk.run("verify")

    assert (ran.code, "nothing was recorded yet" in ran.said) == (0, True)


# --- export


def export(desk: Desk) -> Path:
    desk.record(three_runs)
    path = desk.folder / "run.json"
    (run,) = [row["id"] for row in desk.run("list", "--json").json if row["agent"].startswith("claude")]
    assert desk.run("export", run, "--output", str(path)).code == 0
    desk.journal.unlink()
    return path


def test_an_export_is_checked_without_its_journal(desk: Desk) -> None:
    path = export(desk)

    ran = desk.run("verify", str(path))

    assert ran.code == 0, ran.said
    assert ran.said.startswith("run a")
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_export_shows_its_run_and_tells_nothing_of_others(desk: Desk) -> None:
    text = export(desk).read_text(encoding="utf-8")
    said = json.loads(text)

    assert [call["tool"] for call in said["actions"]] == ["update_customer", "send_email", "send_email", "get_customer"]
    assert said["actions"][0]["before"]["value"] == ADA
    assert said["actions"][2]["approval"] == said["actions"][1]["id"]
    assert "it is her birthday" in text
    for other in ("c_007", "another run", "another client", "third client"):
        assert other not in text


def show_another_plan(said: Any) -> None:
    said["actions"][0]["args"]["plan"] = "pro"


def record_another_plan(said: Any) -> None:
    for row in said["proof"]["rows"]["actions"]:
        if row["seq"] == 1:
            row["arguments"]["text"] = row["arguments"]["text"].replace("free", "pro")


def forget_a_call(said: Any) -> None:
    said["actions"].pop()


def forget_an_entry(said: Any) -> None:
    said["proof"]["rows"]["events"].pop(3)


def forget_a_link(said: Any) -> None:
    said["proof"]["links"].pop(min(said["proof"]["links"]))


def approve_by_another(said: Any) -> None:
    said["proof"]["rows"]["approvals"][0]["decided_by"] = "ada"


def claim_another_end(said: Any) -> None:
    said["proof"]["last"]["digest"] = "00" * 32


@pytest.mark.parametrize(
    "change",
    [show_another_plan, record_another_plan, forget_a_call, forget_an_entry, approve_by_another, claim_another_end],
)
def test_an_export_that_was_changed_does_not_fit(desk: Desk, change: Any) -> None:
    path = export(desk)
    said = json.loads(path.read_text(encoding="utf-8"))
    change(said)
    path.write_text(json.dumps(said), encoding="utf-8")

    ran = desk.run("verify", str(path))

    assert ran.code == 1
    assert "does not fit" in ran.said


@pytest.mark.parametrize(("known", "code"), [(2, 1), (3, 0), (FORMAT, 0), (FORMAT + 1, 1)])
def test_an_export_of_an_older_journal_is_checked_where_it_looked_the_same(desk: Desk, known: int, code: int) -> None:
    path = export(desk)
    said = json.loads(path.read_text(encoding="utf-8"))
    said["proof"]["format"] = known
    path.write_text(json.dumps(said), encoding="utf-8")

    ran = desk.run("verify", str(path))

    assert ran.code == code, ran.said


@pytest.mark.parametrize("text", ["{}", '{"kind": "synartesis export", "proof": {"version": 1}}', '{"kind": ', "{\xff"])
def test_what_is_no_export_is_said_to_be_none(desk: Desk, text: str) -> None:
    path = desk.folder / "run.json"
    path.write_text(text, encoding="latin-1")

    ran = desk.run("verify", str(path))

    assert ran.code == 1
    assert "export" in ran.said
    assert "Traceback" not in ran.err


def test_an_export_does_not_overwrite(desk: Desk) -> None:
    desk.record(three_runs)
    path = desk.folder / "run.json"
    path.write_text("mine", encoding="utf-8")

    ran = desk.run("export", "--output", str(path))

    assert ran.code == 2
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_run_between_others_is_exported_with_the_links_of_their_entries(desk: Desk) -> None:
    async def side_by_side(write: Scribe) -> None:
        first = await write.run("one")
        await write.run("other")
        for run in (first, write.run_id, first):
            write.run_id = run
            await write.applied("update_customer", {"id": run}, before=present(ADA), after=present(ADA))

    desk.record(side_by_side)
    run = desk.run("list", "--json").json[-1]["id"]
    said = desk.run("export", run).json
    path = desk.folder / "run.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    assert desk.run("verify", str(path)).code == 0
    assert said["proof"]["links"]

    forget_a_link(said)
    path.write_text(json.dumps(said), encoding="utf-8")

    assert desk.run("verify", str(path)).code == 1


# --- prune


async def old_and_new(write: Scribe) -> None:
    await write.run()
    await write.applied(
        "update_customer",
        {"id": "c_001", "plan": "free"},
        before=present(ADA | {"notes": "x" * 5000}),
        after=Image("absent", b"{}", "no customer"),
        inverse=("update_customer", ADA),
    )
    await write.ended()
    await write.run("cursor 0.42", process=ALIVE)
    write.read("list_customers", {})


def test_prune_says_first_what_it_would_drop_and_drops_it(desk: Desk) -> None:
    desk.record(old_and_new)

    dry = desk.run("prune", "--older-than", "30d", "--dry-run")
    before = desk.run("show", "a00000000001", "--json").json["actions"][0]
    assert desk.run("prune", "--older-than", "30d", "--yes", "--by", "ada").code == 0
    desk.run("show", "a00000000001")
    desk.run("undo", "a00000000001", "--dry-run")
    again = desk.run("prune", "--older-than", "30d", "--yes")
    after = desk.run("show", "a00000000001", "--json").json["actions"][0]

    assert "1 run with changes that were not undone" in dry.said
    assert "Nothing was dropped." in dry.out
    assert before["inverse"]
    assert before["before"]["state"] == "present"
    assert after == before | {
        "args": None,
        "before": {"state": "pruned", "was": "present"},
        "after": {"state": "pruned", "was": "absent"},
        "reply": None,
        "inverse": None,
        "pruned": True,
    }
    assert "There is nothing to prune" in again.out
    assert desk.run("verify").code == 0


def test_what_show_and_undo_say_of_a_pruned_run(desk: Desk) -> None:
    desk.record(old_and_new)
    desk.run("prune", "--older-than", "30d", "--yes", "--json")
    desk.transcript.clear()

    desk.run("show", "a00000000001")
    undo = desk.run("undo", "a00000000001")

    assert undo.code == 1
    desk.matches_golden("a pruned run")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["prune"], "--older-than"),
        (["prune", "--older-than", "30", "--yes"], "is not an age"),
        (["prune", "--older-than", "30d", "--keep-runs", "-1"], "--keep-runs"),
        (["prune", "--older-than", "30d"], "unasked"),
        (["verify", "none.json"], "cannot be read"),
        (["verify", "--noted", "12:ab"], "64 hexadecimal digits"),
        (["export", "ffff"], "no run has an id"),
    ],
)
def test_what_cannot_be_meant_is_said_and_nothing_is_done(desk: Desk, words: list[str], says: str) -> None:
    desk.record(old_and_new)
    before = desk.journal.read_bytes()

    ran = desk.run(*words)

    assert ran.code == 2
    assert says in ran.said
    assert desk.journal.read_bytes() == before
