"""An agent with a shell, as the same user, and without the passphrase. Each test is one way to get a held call through a proxy
that runs: none does. Every one ends with what the server really executed."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from synartesis.approver.pin import FILE_NAME, KeyFile, write_key_file
from tests.support.approver import (
    PASSPHRASE,
    Agent,
    Person,
    home_of,
    on_a_terminal_of_its_own,
    record_key,
)
from tests.support.client import JSON, Client
from tests.support.world import World

NOTE = {"to": "a@x.example", "text": "hi"}
HARMLESS = {"to": "a@x.example", "text": "a harmless one"}


@pytest.fixture
def client(person: Person, world: World) -> Client:
    """The agent's session, through a proxy that was started after the approver was set up; its call is held."""
    client = world.proxy()
    assert is_held(client.call("send_note", NOTE))
    return client


def is_held(answer: JSON) -> bool:
    return answer.get("isError") is True and answer["content"][0]["text"].startswith("HELD")


# --- first of all: the person can


def test_whoever_knows_the_passphrase_lets_one_call_through_once(world: World, person: Person, client: Client) -> None:
    seen = person.approve()

    assert '"text": "hi"' in seen, "what is signed is shown on the terminal"
    assert client.call("send_note", NOTE)["structuredContent"] == {"sent": 1}
    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == [NOTE]


def test_the_set_up_as_it_is_typed_holds_for_a_proxy_that_runs_already(world: World) -> None:
    client = world.proxy()
    client.call("send_note", NOTE)
    with on_a_terminal_of_its_own(world, "approver", "setup") as terminal:
        terminal.until("New passphrase")
        terminal.type(f"{PASSPHRASE}\n")
        terminal.until("once more")
        terminal.type(f"{PASSPHRASE}\n")
        assert terminal.ended() == 0
        assert PASSPHRASE not in terminal.seen

    Agent(world).grant(Agent(world).request())
    assert is_held(client.call("send_note", NOTE)), "a row that anybody can write"
    code, _ = Person(world).type_passphrase("approve")
    assert code == 0
    assert client.call("send_note", NOTE)["structuredContent"] == {"sent": 1}
    assert world.calls("send_note") == [NOTE]


# --- the command


@pytest.mark.parametrize("words", [["approve"], ["approve", "--all"], ["approve", "--json", "--by", "ada"]])
def test_the_command_in_a_pipe_takes_no_passphrase(world: World, client: Client, words: list[str]) -> None:
    ran = world.cli(*words, stdin=f"{PASSPHRASE}\n{PASSPHRASE}\n")

    assert ran.code == 1
    assert "asked for on a terminal, and there is none here" in " ".join(ran.err.split())
    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


@pytest.mark.parametrize("option", ["--passphrase=x", "--yes", "--force", "--signature=00"])
def test_there_is_no_option_for_it(world: World, client: Client, option: str) -> None:
    assert world.cli("approve", option).code == 2
    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


def test_no_variable_of_the_environment_is_the_passphrase(world: World, client: Client) -> None:
    names = [
        "SYNARTESIS_PASSPHRASE",
        "SYNARTESIS_APPROVER",
        "PASSPHRASE",
        "SSH_ASKPASS",
        "SUDO_ASKPASS",
        "PINENTRY_USER_DATA",
    ]

    ran = world.cli("approve", env=dict.fromkeys(names, PASSPHRASE))

    assert ran.code == 1
    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


def test_a_terminal_that_the_agent_makes_still_asks_for_what_it_does_not_know(
    world: World, agent: Agent, client: Client
) -> None:
    with on_a_terminal_of_its_own(world, "approve") as terminal:
        for guess in ("password1234", PASSPHRASE.upper(), PASSPHRASE + " "):
            terminal.until("Passphrase of")
            terminal.type(f"{guess}\n")
        code, seen = terminal.ended(), terminal.seen

    assert code == 1
    assert "that is not the passphrase" in seen
    assert agent.request()["status"] == "waiting"
    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


@pytest.mark.parametrize("keys", ["\n", "\x04", "\x03"])
def test_ending_the_question_is_no_answer(world: World, agent: Agent, client: Client, keys: str) -> None:
    with on_a_terminal_of_its_own(world, "approve") as terminal:
        terminal.until("Passphrase of")
        terminal.type(keys)
        assert terminal.ended() == 1

    assert agent.request()["status"] == "waiting"
    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


def test_what_was_typed_ahead_is_not_the_passphrase(world: World, client: Client) -> None:
    with on_a_terminal_of_its_own(world, "approve") as terminal:
        terminal.type("a line that was typed before it was asked for\n")
        terminal.until("Passphrase of")
        terminal.type("\n")
        assert terminal.ended() == 1
        assert "no passphrase was typed" in terminal.seen

    assert is_held(client.call("send_note", NOTE))


# --- the database


def reserve(agent: Agent, row: dict[str, Any]) -> None:
    agent.sql(
        "UPDATE approvals SET status = 'reserved', spent_by = action WHERE action = :action", action=row["action"]
    )


def grant_what_nobody_asked_for_by_name(agent: Agent, row: dict[str, Any]) -> None:
    agent.sql("UPDATE approvals SET asker = '' WHERE action = :action", action=row["action"])
    agent.grant(row)


def take_the_request_away(agent: Agent, row: dict[str, Any]) -> None:
    agent.sql("DELETE FROM approvals WHERE action = :action", action=row["action"])


WRITTEN: dict[str, Callable[[Agent, dict[str, Any]], None]] = {
    "a yes": lambda agent, row: agent.grant(row),
    "a made-up signature": lambda agent, row: agent.grant(row, signature="5e" * 64),
    "a signature with a key of its own": lambda agent, row: agent.grant_with_my_key(row),
    "a reservation": reserve,
    "a yes that nobody asked for by name": grant_what_nobody_asked_for_by_name,
    "no request at all": take_the_request_away,
}


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
def test_rows_that_were_written_by_hand_do_not_count(
    world: World, agent: Agent, client: Client, write: Callable[[Agent, dict[str, Any]], None]
) -> None:
    write(agent, agent.request())

    for _ in range(3):
        assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


def test_the_person_is_told_of_a_yes_that_does_not_count(world: World, agent: Agent, client: Client) -> None:
    agent.grant(agent.request())
    client.call("send_note", NOTE)

    assert "the approver has not signed it" in " ".join(world.cli("gates").out.replace(" | ", " ").split())


def test_a_signature_copied_from_another_request_is_for_that_one(
    world: World, person: Person, agent: Agent, client: Client
) -> None:
    wanted = agent.request()
    client.call("send_note", HARMLESS)
    harmless = agent.request()
    person.approve(harmless["id"])
    signed = agent.request(harmless["id"])

    columns = "status, decided_at, decided_by, reason, asker, signature"
    agent.sql(
        f"UPDATE approvals SET ({columns}) = (SELECT {columns} FROM approvals WHERE action = :of) WHERE action = :action",
        of=signed["action"],
        action=wanted["action"],
    )
    assert is_held(client.call("send_note", NOTE)), "the yes, copied"
    agent.sql("UPDATE approvals SET fingerprint = 'nothing' WHERE action = :action", action=wanted["action"])
    agent.sql(
        "UPDATE approvals SET fingerprint = :fingerprint WHERE action = :action",
        fingerprint=wanted["fingerprint"],
        action=signed["action"],
    )
    assert is_held(client.call("send_note", NOTE)), "the fingerprint, copied"
    assert world.calls("send_note") == []


def test_the_person_does_not_sign_what_the_journal_only_pretends_was_asked(
    world: World, person: Person, agent: Agent, client: Client
) -> None:
    """The dangerous request, shown with harmless arguments."""
    agent.sql(
        "UPDATE actions SET arguments = :shown WHERE number = :action",
        shown=json.dumps(HARMLESS).encode(),
        action=agent.request()["action"],
    )

    with on_a_terminal_of_its_own(world, "approve") as terminal:
        code, seen = terminal.ended(), " ".join(terminal.seen.split())

    assert code == 1
    assert "the journal was tampered with" in seen
    assert "Passphrase" not in seen
    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


def test_a_server_that_is_shown_under_another_name_is_not_the_one_that_was_signed(
    world: World, person: Person, agent: Agent, client: Client
) -> None:
    agent.sql("UPDATE servers SET name = 'scratch'")
    assert "scratch.send_note" in person.approve()

    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


def test_a_no_that_was_made_a_yes_has_no_signature(world: World, agent: Agent, client: Client) -> None:
    assert world.cli("deny", "--reason", "never").code == 0
    assert world.cli("approve", agent.request()["id"]).code == 1, "to take a no back is to approve"
    agent.grant(agent.request())

    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


# --- replays


def test_an_approval_that_was_used_cannot_be_used_again(
    world: World, person: Person, agent: Agent, client: Client
) -> None:
    person.approve()
    assert client.call("send_note", NOTE)["structuredContent"] == {"sent": 1}

    for status in ("granted", "reserved"):
        agent.sql(
            "UPDATE approvals SET status = :status, spent_by = NULL WHERE signature <> ''",
            status=status,
        )
        assert is_held(client.call("send_note", NOTE))
        signed = agent.sql(
            "SELECT decided_at, decided_by, reason, signature, asker FROM approvals WHERE signature <> ''"
        )
        agent.sql("UPDATE approvals SET signature = '' WHERE status = 'waiting'")
        at, by, reason, signature, asker = signed[0]
        agent.sql(
            "UPDATE approvals SET status = 'granted', decided_at = :at, decided_by = :by, reason = :reason,"
            " signature = :signature, asker = :asker WHERE status = 'waiting'",
            at=at,
            by=by,
            reason=reason,
            signature=signature,
            asker=asker,
        )
        assert is_held(client.call("send_note", NOTE)), "under another request's id"
    assert world.calls("send_note") == [NOTE]


def test_two_calls_at_once_do_not_both_have_one_approval_however_often_it_is_set_back(
    world: World, person: Person, agent: Agent, client: Client
) -> None:
    person.approve()
    asked = []
    for _ in range(20):
        asked.append(client.ask("tools/call", {"name": "send_note", "arguments": NOTE}))
        agent.sql("UPDATE approvals SET status = 'granted', spent_by = NULL WHERE signature <> ''")
    for ident in asked:
        client.wait_for_reply(ident)

    assert len(world.calls("send_note")) <= 1, "each call may find its reservation taken away; none finds a second yes"


def test_an_approval_given_to_one_proxy_is_worth_nothing_in_another(
    world: World, person: Person, agent: Agent, client: Client
) -> None:
    person.approve()
    other = world.proxy()

    assert is_held(other.call("send_note", NOTE)), "it asks for itself"
    mine = agent.request()
    agent.sql("UPDATE approvals SET asker = :asker WHERE signature <> ''", asker=mine["asker"])
    assert is_held(other.call("send_note", NOTE)), "the row given over"
    at, signature = agent.sql("SELECT decided_at, signature FROM approvals WHERE signature <> ''")[0]
    agent.grant(mine, at=datetime.fromisoformat(at), signature=signature)
    assert is_held(other.call("send_note", NOTE)), "the signature copied"
    assert world.calls("send_note") == []


def test_after_a_restart_the_agent_has_to_ask_again(world: World, person: Person, agent: Agent, client: Client) -> None:
    asked = agent.request()
    person.approve()
    client.close()
    client = world.proxy()

    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []
    agent.sql("UPDATE approvals SET asker = :old", old=asked["asker"])
    assert is_held(client.call("send_note", NOTE)), "the old name is not the new proxy's"
    assert world.calls("send_note") == []


def test_a_request_of_a_proxy_that_is_gone_is_not_signed_for_nobody(
    world: World, person: Person, agent: Agent, client: Client
) -> None:
    id = agent.request()["id"]
    client.close()

    ran = world.cli("approve", id)
    assert ran.code == 1
    assert "the agent has to make the call again first" in " ".join(ran.err.split())

    again = world.proxy()
    assert id in again.call("send_note", NOTE)["content"][0]["text"], "the same request, asked anew"
    person.approve(id)
    assert again.call("send_note", NOTE)["structuredContent"] == {"sent": 1}


# --- the clock


def test_a_signature_of_two_hours_ago_is_not_made_younger_by_writing_another_time(
    world: World, person: Person, agent: Agent, client: Client
) -> None:
    row, then = agent.request(), datetime.now(UTC) - timedelta(hours=2)
    signature = person.sign(row, at=then)

    agent.grant(row, at=then, signature=signature)
    assert is_held(client.call("send_note", NOTE)), "too old"
    agent.grant(row, at=datetime.now(UTC), signature=signature)
    assert is_held(client.call("send_note", NOTE)), "the time is signed too"
    assert world.calls("send_note") == []


def test_a_signature_for_tomorrow_is_not_good_today(world: World, person: Person, agent: Agent, client: Client) -> None:
    row, then = agent.request(), datetime.now(UTC) + timedelta(days=1)

    agent.grant(row, at=then, signature=person.sign(row, at=then))

    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


# --- the key


def exchange_in_journal(agent: Agent) -> None:
    record_key(agent.world.journal, agent.key.public)


def exchange_behind_our_back(agent: Agent) -> None:
    agent.sql("UPDATE approvers SET public = :public", public=agent.key.public)


def exchange_in_home(agent: Agent) -> None:
    write_key_file(home_of(agent.world), KeyFile(agent.key, (str(agent.world.journal.resolve()),)))


def exchange_both(agent: Agent) -> None:
    exchange_in_journal(agent)
    exchange_in_home(agent)


def take_both_away(agent: Agent) -> None:
    agent.sql("DELETE FROM approvers")
    (home_of(agent.world) / FILE_NAME).unlink()


EXCHANGES = [exchange_in_journal, exchange_behind_our_back, exchange_in_home, exchange_both, take_both_away]


@pytest.mark.parametrize("exchange", EXCHANGES)
def test_a_running_proxy_keeps_the_key_that_it_started_with(
    world: World, agent: Agent, client: Client, exchange: Callable[[Agent], None]
) -> None:
    row = agent.request()
    exchange(agent)

    agent.grant_with_my_key(row)
    assert is_held(client.call("send_note", NOTE)), "signed with another key"
    world.cli("approve", "--all")
    assert is_held(client.call("send_note", NOTE)), "approved as where there is no approver"
    assert world.calls("send_note") == []


def test_the_command_with_a_key_of_the_agents_own_signs_for_nobody(world: World, agent: Agent, client: Client) -> None:
    exchange_both(agent)

    with on_a_terminal_of_its_own(world, "approve") as terminal:
        terminal.until("Passphrase of")
        terminal.type("a passphrase of my own\n")
        assert terminal.ended() == 0

    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


@pytest.mark.parametrize("exchange", [exchange_in_journal, exchange_behind_our_back])
def test_a_key_exchanged_in_the_journal_alone_is_found_out(
    world: World, agent: Agent, client: Client, exchange: Callable[[Agent], None]
) -> None:
    exchange(agent)

    for words in (["approve"], ["approver"], ["check"]):
        ran = world.cli(*words)
        assert ran.code == 1
        assert "is not the one that was set up for it" in " ".join((ran.out + ran.err).split())
    started_later = world.proxy()
    assert is_held(started_later.call("send_note", NOTE))
    agent.grant_with_my_key(agent.request())
    assert is_held(started_later.call("send_note", NOTE)), (
        "and where nobody can say whose key it is, no approval counts"
    )
    assert world.calls("send_note") == []


def test_another_home_is_not_a_way_round(world: World, agent: Agent, client: Client) -> None:
    elsewhere = world.folder / "elsewhere"
    write_key_file(elsewhere, KeyFile(agent.key, ()))

    ran = world.cli("approve", env={"SYNARTESIS_HOME": str(elsewhere)})

    assert ran.code == 1
    assert is_held(client.call("send_note", NOTE))
    assert world.calls("send_note") == []


@pytest.mark.parametrize("doing", ["setup", "remove"])
def test_setting_up_anew_takes_the_old_passphrase(world: World, client: Client, doing: str) -> None:
    ran = world.cli("approver", doing, stdin=f"{PASSPHRASE}\n")

    assert ran.code == 1
    assert is_held(client.call("send_note", NOTE))
    assert "have to be signed" in world.cli("approver").out


# --- what lets more through than before

SEND_INSTEAD = """
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.send_note", args: {to: "a@x.example", text: "hi"}}
"""


def test_undo_with_another_plan_takes_the_passphrase(world: World, person: Person, client: Client) -> None:
    world.put(c1={"name": "A"})
    client.call("set_item", {"id": "c1", "name": "B"})
    client.close()
    world.write_manifest(SEND_INSTEAD)

    ran = world.cli("undo", "--yes", "--replan", stdin=f"{PASSPHRASE}\n")
    with on_a_terminal_of_its_own(world, "undo", "--yes", "--replan") as terminal:
        for _ in range(3):
            terminal.until("Passphrase of")
            terminal.type("not the passphrase\n")
        assert terminal.ended() == 1

    assert ran.code == 1
    assert "the passphrase is asked for on a terminal" in " ".join(ran.err.split())
    assert world.calls("send_note") == []
    assert world.items["c1"]["name"] == "B"


def test_undo_as_it_was_recorded_takes_none(world: World, person: Person, client: Client) -> None:
    world.put(c1={"name": "A"})
    client.call("set_item", {"id": "c1", "name": "B"})
    client.close()

    assert world.cli("undo", "--yes").code == 0
    assert world.items["c1"]["name"] == "A"


def test_settling_what_is_unknown_takes_the_passphrase(world: World, person: Person, client: Client) -> None:
    world.put(c1={"name": "A"})
    world.behave(rules=[{"tool": "set_item", "die": "after"}])
    assert "UNKNOWN" in client.call("set_item", {"id": "c1", "name": "B"})["content"][0]["text"]
    client.close()
    unknown = world.cli("show", "--json").json["actions"][-1]["id"]

    ran = world.cli("settle", unknown, "--not-applied", stdin=f"{PASSPHRASE}\n")
    with on_a_terminal_of_its_own(world, "settle", unknown, "--applied") as terminal:
        for _ in range(3):
            terminal.until("Passphrase of")
            terminal.type("not the passphrase\n")
        assert terminal.ended() == 1

    assert ran.code == 1
    assert world.cli("show", "--json").json["actions"][-1]["status"] == "unknown"
