"""One yes for several calls, explicit, seen and taken back; and one yes for one call, whoever makes it at the same instant."""

from __future__ import annotations

from contextlib import closing

from synartesis.domain.status import ApprovalStatus
from synartesis.journal import open_history
from tests.support.approver import PASSPHRASE, Agent, Person, on_a_terminal_of_its_own
from tests.support.client import JSON, Client
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until
from tests.support.world import World


def note(number: int) -> JSON:
    return {"to": "a@x.example", "text": f"note {number}"}


def went_out(client: Client, number: int) -> bool:
    return client.call("send_note", note(number)).get("isError") is not True


def test_a_tool_is_let_through_so_often_in_this_run_and_no_more(world: World) -> None:
    client = world.proxy()
    assert not went_out(client, 1)

    approved = world.cli("approve", "--for-run", "3")
    seen = world.cli("gates").out
    sent = [went_out(client, number) for number in (2, 1, 3, 4)]

    assert approved.code == 0
    assert "2 further calls of f.send_note in this run, whatever the arguments" in " ".join(approved.out.split())
    assert "f.send_note may be called 2 times more in run" in seen
    assert sent == [True, True, True, False]
    assert world.calls("send_note") == [note(2), note(1), note(3)]
    shown = world.cli("show", "--json").json
    assert [(each["uses"], each["used"], each["left"]) for each in shown["allowances"]] == [(2, 2, 0)]
    request = shown["allowances"][0]["request"]
    assert [each["approval"] for each in shown["actions"] if each["status"] == "applied"] == [request] * 3
    assert client.call("del_item", {"id": "nothing"})["isError"] is True
    client.close()


def test_it_is_for_this_run_and_this_tool(world: World) -> None:
    client = world.proxy()
    client.call("send_note", note(1))
    assert world.cli("approve", "--for-run", "5").code == 0
    other = world.proxy()

    assert not went_out(other, 2)
    client.close()
    assert not went_out(world.proxy(), 3)
    assert world.calls("send_note") == []


def test_deny_takes_back_what_is_left(world: World) -> None:
    client = world.proxy()
    client.call("send_note", note(1))
    (request,) = world.cli("approve", "--for-run", "9", "--json").json
    assert went_out(client, 1)
    assert went_out(client, 2)

    denied = world.cli("deny", request["id"])

    assert denied.code == 0
    assert "taken back" in denied.out
    assert not went_out(client, 3)
    assert "may be called" not in world.cli("gates").out
    assert world.calls("send_note") == [note(1), note(2)]


def test_a_request_that_waited_is_answered_by_a_call_that_went_out(world: World) -> None:
    client = world.proxy()
    assert not went_out(client, 1)
    assert not went_out(client, 2)
    first = world.cli("gates", "--json").json[0]["id"]
    assert world.cli("approve", first, "--for-run", "2").code == 0

    assert went_out(client, 2)

    assert world.cli("gates", "--json").json == []


def test_it_says_where_it_cannot_be_given(world: World) -> None:
    client = world.proxy()
    client.call("send_note", note(1))
    client.call("send_note", note(2))

    several = world.cli("approve", "--all", "--for-run", "3")
    wrong = [world.cli("approve", "--for-run", number).code for number in ("0", "-1", "x", "100000")]
    client.close()
    first = world.cli("gates", "--json").json[0]["id"]
    ended = world.cli("approve", first, "--for-run", "3")

    assert several.code == 2
    assert wrong == [2, 2, 2, 2]
    assert ended.code == 1
    assert "has ended" in ended.err
    assert len(world.cli("gates", "--json").json) == 2, "and nothing was decided"


def test_two_hundred_times_one_yes_and_two_proxies_at_the_same_instant(world: World) -> None:
    clients = [world.proxy(), world.proxy()]
    with closing(open_history(world.journal)) as person:
        for round_ in range(200):
            clients[round_ % 2].call("send_note", note(round_))
            (request,) = person.approvals([ApprovalStatus.WAITING])
            assert person.decide(request.id, grant=True, by="ada", reason="") is not None

            asked = [
                (client, client.ask("tools/call", {"name": "send_note", "arguments": note(round_)}))
                for client in clients
            ]
            answers = [client.wait_for_reply(ident)["result"] for client, ident in asked]

            assert sorted(answer.get("isError", False) for answer in answers) == [False, True], round_
            for left in person.approvals([ApprovalStatus.WAITING]):
                assert person.decide(left.id, grant=False, by="ada", reason="") is not None

    assert world.calls("send_note") == [note(round_) for round_ in range(200)]


def test_at_a_terminal_many_are_shown_before_they_are_approved_and_what_came_meanwhile_is_not(world: World) -> None:
    client = world.proxy()
    for number in (1, 2, 3):
        client.call("send_note", note(number))

    with Terminal([*world.program, "approve", "--all"], env=world.env, cwd=world.folder) as terminal:
        seen = terminal.until("Approve these 3 calls?")
        client.call("send_note", note(4))
        terminal.type("y\n")
        assert terminal.ended() == 0

    assert all(f"note {number}" in seen for number in (1, 2, 3))
    assert [went_out(client, number) for number in (1, 2, 3, 4)] == [True, True, True, False]


def test_at_a_terminal_no_approves_none_of_them(world: World) -> None:
    client = world.proxy()
    for number in (1, 2):
        client.call("send_note", note(number))

    with Terminal([*world.program, "approve", "--all"], env=world.env, cwd=world.folder) as terminal:
        terminal.until("Approve these 2 calls?")
        terminal.type("\n")
        assert terminal.ended() == 1

    assert len(world.cli("gates", "--json").json) == 2


# --- where approvals have to be signed


def test_several_calls_take_the_passphrase_and_are_counted_by_the_proxy_itself(world: World) -> None:
    person, agent = Person(world), Agent(world)
    person.set_up()
    client = world.proxy()
    client.call("send_note", note(1))

    ran = world.cli("approve", "--for-run", "3", stdin=f"{PASSPHRASE}\n")
    assert ran.code == 1
    with on_a_terminal_of_its_own(world, "approve", "--for-run", "3") as terminal:
        assert "2 further calls" in terminal.until("Passphrase of")
        terminal.type(f"{PASSPHRASE}\n")
        assert terminal.ended() == 0
    assert went_out(client, 1)
    agent.sql("UPDATE allowances SET uses = 1000")
    assert not went_out(client, 2), "more than was signed"
    agent.sql("UPDATE allowances SET uses = 2")
    assert went_out(client, 2)
    assert went_out(client, 3)
    agent.sql("UPDATE allowances SET used = 0, revoked_at = NULL")
    assert not went_out(client, 4), "counted again from the start"
    agent.sql("INSERT INTO allowances SELECT number + 1, request, run, server, tool, uses, 0, at, by, reason, asker,"
              " signature, NULL FROM allowances")  # fmt: skip
    assert not went_out(client, 4), "copied"

    assert world.calls("send_note") == [note(1), note(2), note(3)]


def test_what_was_taken_back_is_not_put_back_by_writing_into_the_journal(world: World) -> None:
    person, agent = Person(world), Agent(world)
    person.set_up()
    client = world.proxy()
    for number in (1, 2):
        client.call("send_note", note(number))
    first, second = (each["id"] for each in world.cli("gates", "--json").json)
    person.approve(first)
    person.approve(second, "--for-run", "5")
    assert went_out(client, 2)
    signed = agent.request(first)

    assert world.cli("deny", first).code == world.cli("deny", second).code == 0
    wait_until(lambda: client.stderr().count("taken_back_seen") == 2, "the proxy never saw it")
    agent.sql(
        "UPDATE approvals SET status = 'granted', decided_at = :at, decided_by = :by, reason = :reason, signature = :signature"
        " WHERE action = :action",
        at=signed["decided_at"],
        by=signed["decided_by"],
        reason=signed["reason"],
        signature=signed["signature"],
        action=signed["action"],
    )
    agent.sql("UPDATE allowances SET revoked_at = NULL")

    assert not went_out(client, 1)
    assert not went_out(client, 3)
    assert world.cli("deny", first).code == 0
    person.approve(first)
    assert went_out(client, 1), "a new yes is a new yes"
    assert world.calls("send_note") == [note(2), note(1)]


def test_who_takes_back_what_was_signed_hears_what_that_is_worth(world: World) -> None:
    person = Person(world)
    person.set_up()
    client = world.proxy()
    client.call("send_note", note(1))
    client.call("send_note", note(2))
    first, second = (each["id"] for each in world.cli("gates", "--json").json)
    person.approve(first)

    signed, never_signed = world.cli("deny", first), world.cli("deny", second)

    assert (signed.code, never_signed.code) == (0, 0)
    assert "end the agent's client as well" in " ".join(signed.out.split())
    assert "end the agent's client" not in " ".join(never_signed.out.split())
    assert not went_out(client, 1)
    assert world.calls("send_note") == []


def test_an_allowance_that_was_written_by_hand_lets_nothing_through(world: World) -> None:
    person, agent = Person(world), Agent(world)
    person.set_up()
    client = world.proxy()
    client.call("send_note", note(1))
    row = agent.request()

    agent.sql(
        "INSERT INTO allowances (number, request, run, server, tool, uses, at, by, reason, asker, signature)"
        " SELECT 1, a.number, a.run, a.server, a.tool, 100, :at, 'ada', '', :asker, '' FROM actions AS a"
        " WHERE a.number = :action",
        at=row["requested_at"],
        asker=row["asker"],
        action=row["action"],
    )

    assert not went_out(client, 1)
    assert not went_out(client, 2)
    assert world.calls("send_note") == []


def test_an_allowance_for_one_run_cannot_be_moved_to_another(world: World) -> None:
    person, agent = Person(world), Agent(world)
    person.set_up()
    client, other = world.proxy(), world.proxy()
    client.call("send_note", note(1))
    person.approve("--for-run", "9")
    other.call("send_note", note(2))

    agent.sql(
        "UPDATE allowances SET run = (SELECT run FROM actions WHERE number = :action), asker = :asker",
        action=agent.request()["action"],
        asker=agent.request()["asker"],
    )

    assert not went_out(other, 2)
    assert not went_out(other, 3)
    assert world.calls("send_note") == []
