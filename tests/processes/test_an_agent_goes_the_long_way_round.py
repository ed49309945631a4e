"""An agent with a shell, as the same user, and without the passphrase, that does not go for the approval itself: it goes for what
is around it. Each test ends with what the server really executed."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest

from synartesis.approver.pin import FILE_NAME
from tests.support.approver import Agent, Person, home_of, on_a_terminal_of_its_own
from tests.support.client import JSON, Client
from tests.support.world import RULES, World

NOTE = {"to": "a@x.example", "text": "hi"}
MINE = "a passphrase of my own"


@pytest.fixture
def client(person: Person, world: World) -> Client:
    client = world.proxy()
    assert is_turned_away(client.call("send_note", NOTE))
    return client


def is_turned_away(answer: JSON) -> bool:
    return answer.get("isError") is True


# --- another home, another journal, another manifest


@pytest.mark.parametrize("variable", ["HOME", "SYNARTESIS_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"])
def test_no_variable_moves_the_approver_from_under_a_proxy_that_runs(
    world: World, agent: Agent, client: Client, variable: str
) -> None:
    elsewhere = world.folder / "elsewhere"
    elsewhere.mkdir()

    with on_a_terminal_of_its_own(world, "approver", "setup") as terminal:
        assert terminal.ended() == 1, "there is one already"
    for words in (["approver", "setup"], ["approve"], ["approve", "--for-run", "5"]):
        assert world.cli(*words, env={variable: str(elsewhere)}, stdin=f"{MINE}\n{MINE}\n").code != 0

    assert is_turned_away(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


def test_an_approver_of_the_agents_own_signs_for_no_proxy_that_runs(world: World, agent: Agent, client: Client) -> None:
    agent.sql("DELETE FROM approvers")
    (home_of(world) / FILE_NAME).unlink()

    with on_a_terminal_of_its_own(world, "approver", "setup") as terminal:
        for asked in ("New passphrase", "once more"):
            terminal.until(asked)
            terminal.type(f"{MINE}\n")
        assert terminal.ended() == 0
    with on_a_terminal_of_its_own(world, "approve") as terminal:
        terminal.until("Passphrase of")
        terminal.type(f"{MINE}\n")
        assert terminal.ended() == 0

    assert is_turned_away(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


def test_a_second_journal_is_not_the_one_that_a_proxy_looks_into(world: World, agent: Agent, client: Client) -> None:
    second = world.folder / "second.db"
    with closing(sqlite3.connect(world.journal)) as ours, closing(sqlite3.connect(second)) as copy:
        ours.backup(copy)
        copy.execute("DELETE FROM approvers")
        copy.commit()

    approved = world.cli("approve", "--journal", str(second))

    assert approved.code == 0, "in that one anybody may"
    assert is_turned_away(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


def test_another_file_in_the_place_of_the_journal_lets_nothing_through(
    world: World, agent: Agent, client: Client
) -> None:
    prepared = world.folder / "prepared.db"
    with closing(sqlite3.connect(world.journal)) as ours, closing(sqlite3.connect(prepared)) as copy:
        ours.backup(copy)
        copy.execute("DELETE FROM approvers")
        copy.commit()
    assert world.cli("approve", "--journal", str(prepared)).code == 0

    for name in ("journal.db-wal", "journal.db-shm"):
        (world.folder / name).unlink(missing_ok=True)
    shutil.move(prepared, world.journal)

    for _ in range(2):
        assert is_turned_away(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


def test_a_manifest_that_is_edited_while_a_proxy_runs_changes_nothing_for_it(
    world: World, agent: Agent, client: Client
) -> None:
    world.write_manifest(RULES.replace("gate: always", "gate: never"))  # and accepted, as `trust --yes` does

    assert is_turned_away(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


# --- a journal that is not what it was

DOWNGRADES = {
    "an older version": ["PRAGMA user_version = 1"],
    "a newer version": ["PRAGMA user_version = 99"],
    "no approvers": ["DROP TABLE approvers"],
    "no signatures": ["ALTER TABLE approvals DROP COLUMN signature"],
    "no askers": ["DROP INDEX approvals_waiting", "ALTER TABLE approvals DROP COLUMN asker"],
    "no approvals": ["DROP TABLE approvals"],
    "no events": ["DROP TABLE events"],
    "nothing at all": ["DROP TABLE actions", "DROP TABLE runs"],
    "a yes to whatever is asked": [
        (
            "CREATE TRIGGER yes AFTER INSERT ON approvals BEGIN UPDATE approvals SET status = 'granted',"
            " decided_at = NEW.requested_at WHERE action = NEW.action; END"
        )
    ],
    "a yes to whatever is written down": [
        (
            "CREATE TRIGGER yes AFTER INSERT ON actions BEGIN UPDATE approvals SET status = 'reserved',"
            " spent_by = NEW.number; UPDATE actions SET tool_class = 'readonly', approval = 1 WHERE number = NEW.number; END"
        )
    ],
    "a table of our name that says yes to all": [
        "ALTER TABLE approvals RENAME TO kept",
        "CREATE VIEW approvals AS SELECT * FROM kept WHERE status = 'granted'",
    ],
}


@pytest.mark.parametrize("statements", DOWNGRADES.values(), ids=DOWNGRADES)
def test_a_journal_that_was_changed_under_a_proxy_lets_nothing_through(
    world: World, agent: Agent, client: Client, statements: list[str]
) -> None:
    agent.grant(agent.request())

    for statement in statements:
        agent.sql("PRAGMA foreign_keys = OFF")
        agent.sql(statement)

    for note in (NOTE, NOTE, {**NOTE, "text": "another"}):
        assert "error" in (answer := ask(client, note)) or is_turned_away(answer["result"])
    assert world.calls("send_note") == []


def test_a_journal_that_is_locked_or_gone_lets_nothing_through(world: World, agent: Agent, client: Client) -> None:
    with closing(sqlite3.connect(world.journal, isolation_level=None)) as locking:
        locking.execute("BEGIN EXCLUSIVE")
        asked = client.ask("tools/call", {"name": "send_note", "arguments": NOTE})
        assert client.request("ping")["result"] == {}, "and nothing else waits"
        locking.execute("ROLLBACK")
    assert is_turned_away(client.wait_for_reply(asked)["result"])
    for file in world.folder.glob("journal.db*"):
        file.unlink()

    assert is_turned_away(ask(client, NOTE)["result"])
    assert world.calls("send_note") == []


def ask(client: Client, note: JSON) -> JSON:
    return client.request("tools/call", {"name": "send_note", "arguments": note})


# --- what the journal counts, and what it has forgotten

LIMITED = RULES.replace("gate: always", "gate: never\n    limit: 2")


def forget_what_was_made(agent: Agent) -> None:
    agent.sql("UPDATE actions SET tool = 'other'")


def forget_whenever_something_is_written_down(agent: Agent) -> None:
    agent.sql("CREATE TRIGGER forget BEFORE INSERT ON actions BEGIN UPDATE actions SET tool = 'other'; END")


@pytest.mark.parametrize("forget", [forget_what_was_made, forget_whenever_something_is_written_down])
def test_a_limit_counts_what_this_proxy_let_out_whatever_the_journal_says(
    world: World, person: Person, forget: Callable[[Agent], None]
) -> None:
    world.write_manifest(LIMITED)
    agent, client = Agent(world), world.proxy()
    notes = [{**NOTE, "text": str(number)} for number in range(6)]
    assert not any(is_turned_away(client.call("send_note", note)) for note in notes[:2])

    forget(agent)

    assert all(is_turned_away(client.call("send_note", note)) for note in notes[2:])
    assert world.calls("send_note") == notes[:2]


def test_calls_at_one_instant_do_not_slip_under_a_limit_that_is_forgotten_meanwhile(
    world: World, person: Person
) -> None:
    world.write_manifest(LIMITED)
    client = world.proxy()
    forget_whenever_something_is_written_down(Agent(world))

    asked = [
        client.ask("tools/call", {"name": "send_note", "arguments": {**NOTE, "text": str(number)}})
        for number in range(12)
    ]
    for ident in asked:
        client.wait_for_reply(ident)

    assert len(world.calls("send_note")) <= 2


QUESTION = {
    "resultType": "input_required",
    "inputRequests": {"q": {"method": "elicitation/create", "params": {"mode": "form", "message": "Which?"}}},
    "requestState": "s1",
}


def test_a_call_that_a_freeze_interrupted_does_not_go_on_when_the_freeze_is_taken_out_of_the_journal(
    world: World, person: Person
) -> None:
    world.write_manifest(RULES, servers={"f": world.fake(era="modern")})
    world.put(c1={"name": "A"})
    world.behave(era="modern", rules=[{"tool": "set_item", "times": 1, "result": QUESTION}])
    agent, client = Agent(world), world.start_proxy()
    client.discover()
    call: JSON = {"name": "set_item", "arguments": {"id": "c1", "name": "B"}}
    assert client.request("tools/call", call)["result"]["resultType"] == "input_required"
    assert world.cli("freeze").code == 0
    assert is_turned_away(client.call("del_item", {"id": "c1"})), "the proxy has seen it"

    agent.sql("DELETE FROM freezes")
    goes_on = client.request(
        "tools/call", {**call, "requestState": "s1", "inputResponses": {"q": {"action": "accept"}}}
    )

    assert is_turned_away(goes_on["result"])
    assert goes_on["result"]["content"][0]["text"].startswith("REFUSED")
    assert len(world.calls("set_item")) == 1, "only what was asked about before the freeze"


# --- what the person is shown

REDRAWN = "\x1b[2J\x1b[H\nf.send_note\n    arguments: {}\r"
SHOWN = {
    "approvals": ("requested_at", "attempts", "why", "says", "asker"),
    "actions": ("seq", "tool", "note", "id", "at"),
    "runs": ("id", "agent", "started_at"),
    "servers": ("name",),
    "events": ("at", "who", "note", "kind"),
}


NOT_SIGNED = {("actions", "tool")}
"""Then what is shown is not what was asked, and nobody is asked for the passphrase."""


@pytest.mark.parametrize(
    ("table", "column"), [(table, column) for table, columns in SHOWN.items() for column in columns]
)
def test_nothing_that_is_written_into_the_journal_redraws_the_screen_of_the_person(
    world: World, agent: Agent, client: Client, table: str, column: str
) -> None:
    agent.sql(f"UPDATE {table} SET {column} = :redrawn", redrawn=REDRAWN)

    with on_a_terminal_of_its_own(world, "approve") as terminal:
        if (table, column) not in NOT_SIGNED:
            terminal.until("Passphrase of")
            terminal.type("\n")
        assert terminal.ended() == 1
        seen = terminal.seen
    for words in (["gates"], ["show"], ["list"], ["watch"]):
        ran = world.cli(*words)
        seen += ran.out + ran.err

    assert not [char for char in seen if char < " " and char != "\n"]
    assert "\nf.send_note\n" not in seen
    assert "Traceback" not in seen
