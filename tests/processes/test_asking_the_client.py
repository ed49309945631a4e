"""`ask: client`: the client's own dialog is one more way to a person, where it has one, and a yes there is for one call."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from tests.support.approver import Person
from tests.support.client import JSON, Client
from tests.support.world import RULES, World

NOTE = {"to": "a@x.example", "text": "hi"}
ASKING = RULES.replace("    gate: always\n", "    gate: always\n    ask: client\n")
FORMS: JSON = {"elicitation": {}}
YES = {"action": "accept", "content": {"approve": True}}


def held(answer: JSON) -> bool:
    return bool(answer.get("isError")) and answer["content"][0]["text"].startswith("HELD")


def dialogs(world: World) -> list[tuple[str, ...]]:
    """What the journal says was asked and answered."""
    with closing(sqlite3.connect(world.journal)) as database:
        return database.execute("SELECT note FROM events WHERE kind = 'client-asked' ORDER BY number").fetchall()


@pytest.fixture
def asking(world: World) -> World:
    world.write_manifest(ASKING)
    return world


# --- the handshake era


def opened(world: World, capabilities: JSON) -> Client:
    client = world.start_proxy()
    client.initialize(capabilities=capabilities)
    return client


def question_for(client: Client) -> JSON:
    """The dialog that the client is asked to show."""
    asked: JSON = client.wait_for(
        lambda message: isinstance(message, dict) and message.get("method") == "elicitation/create",
        "the client was not asked",
    )
    return asked


def ask_and_answer(client: Client, result: Any) -> JSON:
    call = client.ask("tools/call", {"name": "send_note", "arguments": NOTE})
    question = question_for(client)
    client.send({"jsonrpc": "2.0", "id": question["id"], **result})
    answer: JSON = client.wait_for_reply(call)["result"]
    return answer


def test_a_yes_in_the_clients_dialog_lets_this_one_call_through(asking: World) -> None:
    client = opened(asking, FORMS)

    answer = ask_and_answer(client, {"result": YES})
    question = question_for(client)["params"]

    assert answer["structuredContent"] == {"sent": 1}
    assert 'f.send_note with {"to":"a@x.example","text":"hi"}' in question["message"]
    assert question["requestedSchema"]["properties"]["approve"]["type"] == "boolean"
    assert question["requestedSchema"]["properties"]["approve"]["default"] is False
    (request,) = (each["request"] for each in asking.cli("show", "--json").json["actions"] if each["status"] == "held")
    assert request["decided_by"] == "test-client 1.0 (its own dialog)"
    assert dialogs(asking) == [("approved",)]
    assert asking.calls("send_note") == [NOTE]
    assert asking.cli("verify").code == 0


NO: dict[str, tuple[Any, str]] = {
    "declined": ({"result": {"action": "decline"}}, "declined"),
    "closed": ({"result": {"action": "cancel"}}, "closed"),
    "accepted without a tick": ({"result": {"action": "accept", "content": {"approve": False}}}, "not approved"),
    "accepted and empty": ({"result": {"action": "accept", "content": {}}}, "not approved"),
    "a tick that is a text": ({"result": {"action": "accept", "content": {"approve": "true"}}}, "not approved"),
    "a tick that is a number": ({"result": {"action": "accept", "content": {"approve": 1}}}, "not approved"),
    "no action": ({"result": {"content": {"approve": True}}}, "an answer that cannot be read"),
    "a list": ({"result": [True]}, "an answer that cannot be read"),
    "an error": ({"error": {"code": -32601, "message": "what?"}}, "the client refused to ask"),
}


@pytest.mark.parametrize(("result", "said"), NO.values(), ids=NO)
def test_anything_else_leaves_it_held(asking: World, result: Any, said: str) -> None:
    client = opened(asking, FORMS)

    assert held(ask_and_answer(client, result))
    assert held(client.call("send_note", NOTE)), "and it is not asked again"

    assert dialogs(asking) == [(said,)]
    assert asking.calls("send_note") == []
    assert len(asking.cli("gates", "--json").json) == 1
    assert asking.cli("approve").code == 0
    assert "isError" not in client.call("send_note", NOTE), "the other ways stay open"


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {"url": {}}}, {"elicitation": None}, {"sampling": {}}])
def test_a_client_that_shows_no_forms_is_not_asked(asking: World, capabilities: JSON) -> None:
    client = opened(asking, capabilities)

    assert held(client.call("send_note", NOTE))
    assert dialogs(asking) == []


def test_without_the_key_nobody_is_asked(world: World) -> None:
    client = opened(world, FORMS)

    assert held(client.call("send_note", NOTE))
    assert dialogs(world) == []


def test_a_call_that_is_cancelled_meanwhile_takes_its_question_back(asking: World) -> None:
    client = opened(asking, FORMS)
    call = client.ask("tools/call", {"name": "send_note", "arguments": NOTE})
    question = question_for(client)

    client.notify("notifications/cancelled", {"requestId": call})
    client.wait_for(
        lambda message: (
            isinstance(message, dict)
            and message.get("method") == "notifications/cancelled"
            and message["params"]["requestId"] == question["id"]
        ),
        "the question was not taken back",
    )
    client.send({"jsonrpc": "2.0", "id": question["id"], "result": YES})
    client.request("tools/list")

    assert asking.calls("send_note") == []
    assert len(asking.cli("gates", "--json").json) == 1


def test_the_question_is_the_proxys_own_and_the_server_hears_nothing_of_it(asking: World) -> None:
    kept = asking.folder / "input"
    asking.write_manifest(ASKING, servers={"f": asking.fake(keep_input=str(kept))})
    client = opened(asking, FORMS)

    ask_and_answer(client, {"result": YES})
    client.close()

    assert b"approve" not in kept.read_bytes()
    assert b"elicit" not in kept.read_bytes().replace(b'"elicitation":{}', b"")


def test_several_servers_share_the_one_dialog(world: World) -> None:
    rules = (
        '\n  - {match: "a.*", class: irreversible, ask: client}\n  - {match: "b.*", class: irreversible, ask: client}\n'
    )
    world.write_manifest(rules, servers={"a": world.fake("a"), "b": world.fake("b")})
    client = opened(world, FORMS)

    call = client.ask("tools/call", {"name": "b__send_note", "arguments": NOTE})
    question = question_for(client)
    client.send({"jsonrpc": "2.0", "id": question["id"], "result": YES})

    assert client.wait_for_reply(call)["result"]["structuredContent"] == {"sent": 1}
    assert world.calls("send_note", server="b") == [NOTE]


def test_with_an_approver_the_dialog_only_tells(asking: World) -> None:
    Person(asking).set_up()
    client = opened(asking, FORMS)

    answer = ask_and_answer(client, {"result": YES})

    assert held(answer)
    assert "takes your passphrase" in question_for(client)["params"]["message"]
    assert "approve" not in question_for(client)["params"]["requestedSchema"]["properties"]
    assert asking.calls("send_note") == []
    assert len(asking.cli("gates", "--json").json) == 1


def test_what_the_agent_chose_cannot_imitate_our_lines_in_it(asking: World) -> None:
    client = opened(asking, FORMS)
    text = "hi\n\n(request 000000000000)\u202e\x1b[2K" + "x" * 5000 + "the end"
    call = client.ask("tools/call", {"name": "send_note", "arguments": {**NOTE, "text": text}})
    question = question_for(client)
    client.send({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}})
    client.wait_for_reply(call)

    message = question["params"]["message"]
    assert "\x1b" not in message
    assert "\u202e" not in message
    assert message.count("\n\n(request ") == 1
    assert "characters hidden" in message
    assert "the end" in message


# --- the era in which every request says what it is


def call(client: Client, capabilities: JSON, **more: Any) -> JSON:
    meta = {"io.modelcontextprotocol/clientCapabilities": capabilities}
    params = {"name": "send_note", "arguments": NOTE, "_meta": meta, **more}
    result: JSON = client.request("tools/call", params)["result"]
    return result


@pytest.fixture
def later(world: World) -> Client:
    world.write_manifest(ASKING, servers={"f": world.fake(era="both")})
    client = world.start_proxy()
    client.modern = True
    return client


def test_the_call_is_answered_with_the_question_and_goes_on_with_the_answer(world: World, later: Client) -> None:
    asked = call(later, FORMS)
    question = asked["inputRequests"]["synartesis"]

    sent = call(later, FORMS, requestState=asked["requestState"], inputResponses={"synartesis": YES})

    assert asked["resultType"] == "input_required"
    assert question["method"] == "elicitation/create"
    assert "hi" in question["params"]["message"]
    assert sent["structuredContent"] == {"sent": 1}
    assert world.calls("send_note") == [NOTE]
    assert dialogs(world) == [("approved",)]


LATER_NO: dict[str, JSON] = {
    "declined": {"inputResponses": {"synartesis": {"action": "decline"}}},
    "nothing": {},
    "another name": {"inputResponses": {"other": YES}},
    "a list": {"inputResponses": [YES]},
}


@pytest.mark.parametrize("answer", LATER_NO.values(), ids=LATER_NO)
def test_anything_else_leaves_it_held_there_too(world: World, later: Client, answer: JSON) -> None:
    asked = call(later, FORMS)

    assert held(call(later, FORMS, requestState=asked["requestState"], **answer))
    assert held(call(later, FORMS)), "and it is not asked again"
    assert held(call(later, FORMS, requestState=asked["requestState"], inputResponses={"synartesis": YES})), "too late"
    assert world.calls("send_note") == []


def test_a_state_that_was_made_up_approves_nothing(world: World, later: Client) -> None:
    call(later, FORMS)

    for state in ("synartesis:", "synartesis:" + "0" * 24):
        assert held(call(later, FORMS, requestState=state, inputResponses={"synartesis": YES}))
    assert world.calls("send_note") == []
    assert dialogs(world) == []


def test_an_answer_is_for_the_call_that_was_asked_about(world: World, later: Client) -> None:
    asked = call(later, FORMS)

    other = later.request(
        "tools/call",
        {
            "name": "send_note",
            "arguments": {**NOTE, "text": "another"},
            "requestState": asked["requestState"],
            "inputResponses": {"synartesis": YES},
        },
    )["result"]

    assert other.get("resultType") != "complete" or held(other)
    assert world.calls("send_note") == []


def test_a_later_client_without_forms_is_told_as_always(world: World, later: Client) -> None:
    assert held(call(later, {}))
    assert dialogs(world) == []
