"""One command outside the chat, after which nothing is written any more."""

from __future__ import annotations

from datetime import UTC, datetime

from synartesis.approver.key import unlock
from synartesis.approver.statement import resume_statement
from synartesis.journal.ledger import stamp
from tests.support.approver import PASSPHRASE, Agent, Person
from tests.support.client import JSON, Client
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until
from tests.support.world import World


def refused(answer: JSON) -> str:
    """What the agent is told; empty where the call went through."""
    return str(answer["content"][0]["text"]) if answer.get("isError") else ""


def rename(client: Client, name: str) -> str:
    return refused(client.call("set_item", {"id": "c1", "name": name}))


def test_every_write_of_every_proxy_is_refused_with_name_and_time_and_reads_go_on(world: World) -> None:
    world.put(c1={"name": "A"})
    clients = [world.proxy(), world.proxy()]

    frozen = world.cli("freeze", "--by", "ada", "--reason", "looking at it")
    told = [rename(client, "B") for client in (*clients, world.proxy())]

    assert frozen.code == 0
    assert "Frozen by ada since" in frozen.out
    for text in told:
        assert text.startswith("REFUSED")
        assert f"ada, at {datetime.now(UTC):%Y-%m-%d}" in text
        assert 'saying: "looking at it"' in text
    assert clients[0].call("get_item", {"id": "c1"})["structuredContent"]["name"] == "A"
    assert world.calls("set_item") == []
    for words in (["list"], ["gates"], ["watch"], ["doctor"]):
        assert "Frozen by ada" in (said := world.cli(*words).out) or "every write of every agent" in said


def test_resume_ends_it(world: World) -> None:
    world.put(c1={"name": "A"})
    client = world.proxy()
    assert world.cli("resume").code == 1
    first = world.cli("freeze", "--json").json
    assert world.cli("freeze", "--by", "grace", "--json").json == first, "it is frozen already"
    assert rename(client, "B")

    assert world.cli("resume").code == 0

    assert rename(client, "B") == ""
    assert world.items["c1"]["name"] == "B"
    assert "Frozen" not in world.cli("gates").out
    assert world.cli("verify").code == 0


def test_a_call_under_way_is_finished_and_what_is_approved_waits(world: World) -> None:
    gate = world.folder / "gate"
    world.put(c1={"name": "A"})
    client = world.proxy()
    client.call("send_note", {"to": "a", "text": "hi"})
    assert world.cli("approve").code == 0
    world.behave(rules=[{"tool": "set_item", "pause_before": str(gate)}])
    asked = client.ask("tools/call", {"name": "set_item", "arguments": {"id": "c1", "name": "B"}})
    wait_until(gate.with_name("gate.reached").exists, "the server was never reached")

    assert world.cli("freeze").code == 0
    gate.touch()
    finished = client.wait_for_reply(asked)["result"]
    held = refused(client.call("send_note", {"to": "a", "text": "hi"}))
    assert world.cli("resume").code == 0
    sent = client.call("send_note", {"to": "a", "text": "hi"})

    assert not refused(finished)
    assert world.items["c1"]["name"] == "B"
    assert held.startswith("REFUSED")
    assert sent["structuredContent"] == {"sent": 1}, "its approval was not used up by a refusal"


def test_a_call_that_reads_the_state_before_it_while_the_freeze_comes_does_not_leave(world: World) -> None:
    gate = world.folder / "gate"
    world.put(c1={"name": "A"})
    client = world.proxy()
    world.behave(rules=[{"tool": "get_item", "pause_before": str(gate)}])
    asked = client.ask("tools/call", {"name": "set_item", "arguments": {"id": "c1", "name": "B"}})
    wait_until(gate.with_name("gate.reached").exists, "the state was never read")

    assert world.cli("freeze", "--by", "ada", "--reason", "looking at it").code == 0
    gate.touch()
    told = refused(client.wait_for_reply(asked)["result"])

    assert told.startswith("REFUSED")
    assert f"ada, at {datetime.now(UTC):%Y-%m-%d}" in told
    assert 'saying: "looking at it"' in told
    assert world.calls("set_item") == []
    assert world.cli("resume").code == 0
    world.behave()
    assert rename(client, "B") == "", "and it may be made again"


def test_undo_still_works(world: World) -> None:
    world.put(c1={"name": "A"})
    world.agent(("set_item", {"id": "c1", "name": "B"}))
    assert world.cli("freeze").code == 0

    assert world.cli("undo", "--yes").code == 0
    assert world.items["c1"]["name"] == "A"


# --- with an approver


def frozen_with_an_approver(world: World) -> tuple[Agent, Client]:
    Person(world).set_up()
    world.put(c1={"name": "A"})
    client = world.proxy()
    assert world.cli("freeze").code == 0
    assert rename(client, "B")
    return Agent(world), client


def test_resume_takes_the_passphrase(world: World) -> None:
    _, client = frozen_with_an_approver(world)

    assert world.cli("resume", stdin=f"{PASSPHRASE}\n").code == 1
    assert rename(client, "B")
    with Terminal([*world.program, "resume"], env=world.env, cwd=world.folder) as terminal:
        terminal.until("Passphrase of")
        terminal.type(f"{PASSPHRASE}\n")
        assert terminal.ended() == 0

    assert rename(client, "B") == ""


def test_a_freeze_that_was_seen_does_not_go_away_by_writing_into_the_journal(world: World) -> None:
    agent, client = frozen_with_an_approver(world)
    ((freeze,),) = agent.sql("SELECT id FROM freezes")
    now = stamp(datetime.now(UTC))
    sign = unlock(agent.key, "a passphrase of my own")
    assert sign is not None
    mine = sign(resume_statement(freeze=freeze, at=now, by="ada"))

    agent.sql("UPDATE freezes SET ended_at = :now, ended_by = 'ada'", now=now)
    assert rename(client, "B"), "an end"
    agent.sql("UPDATE freezes SET signature = :mine", mine=mine)
    assert rename(client, "B"), "signed with another key"
    agent.sql("UPDATE freezes SET id = 'another'")
    assert rename(client, "B"), "renamed"
    agent.sql("DELETE FROM freezes")
    assert rename(client, "B"), "deleted"
    assert world.calls("set_item") == []


def test_a_freeze_is_seen_before_the_next_call_and_then_it_is_too_late_to_take_it_out(world: World) -> None:
    Person(world).set_up()
    world.put(c1={"name": "A"})
    agent, client = Agent(world), world.proxy("--log-level", "debug")
    assert world.cli("freeze").code == 0

    wait_until(lambda: "freeze_seen" in client.stderr(), "the proxy never saw it")
    agent.sql("DELETE FROM freezes")

    assert rename(client, "B").startswith("REFUSED")
    assert world.calls("set_item") == []


def test_the_end_of_one_freeze_does_not_end_another(world: World) -> None:
    agent, client = frozen_with_an_approver(world)
    with Terminal([*world.program, "resume"], env=world.env, cwd=world.folder) as terminal:
        terminal.until("Passphrase of")
        terminal.type(f"{PASSPHRASE}\n")
        assert terminal.ended() == 0
    assert rename(client, "B") == ""
    assert world.cli("freeze").code == 0
    assert rename(client, "C")

    ended = "SELECT ended_at, ended_by, signature FROM freezes WHERE ended_at IS NOT NULL"
    agent.sql(f"UPDATE freezes SET (ended_at, ended_by, signature) = ({ended}) WHERE ended_at IS NULL")

    assert rename(client, "C")
    assert [call["name"] for call in world.calls("set_item")] == ["B"]
