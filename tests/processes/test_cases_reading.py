"""What a read before a write means, and what exactly comes back: cases C030, C032 and C036, through real pipes."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.promises import promise
from tests.support.client import Client
from tests.support.world import World

# --- C030: "could not read it" is not "it is not there"

FAILED_READS = {
    "too many requests": ({"error": "429 Too Many Requests, retry in 2s"}, "429 Too Many Requests, retry in 2s"),
    "no permission": ({"error": "EACCES: permission denied"}, "EACCES: permission denied"),
    "timeout": ({"error": "timeout"}, "timeout"),
    "a JSON-RPC error": ({"rpc_error": {"code": -32603, "message": "Internal error"}}, "Internal error"),
}


@promise("C030")
@pytest.mark.parametrize(("read", "words"), FAILED_READS.values(), ids=FAILED_READS.keys())
def test_a_write_whose_read_before_failed_is_refused_and_nothing_is_sent(
    world: World, read: dict[str, Any], words: str
) -> None:
    world.put(c1={"name": "A"})
    world.behave(rules=[{"tool": "get_item", **read}])

    (answer,) = world.agent(("set_item", {"id": "c1", "name": "B"}))

    text = answer["content"][0]["text"]
    assert answer["isError"] is True
    assert "f.set_item was not called, and nothing was sent" in text
    assert (
        f"could not be read with f.get_item, so the call could not have been undone. The read failed: {words}" in text
    )
    assert world.calls("set_item") == []
    assert world.items == {"c1": {"name": "A"}}
    (action,) = shown(world)
    assert (action["status"], action["before"]) == ("failed", None)
    assert f"the read before it failed: {words}" in action["note"]
    assert world.cli("gates", "--json").json == [], "a failed read is nothing that a person could decide about"


@promise("C030")
def test_only_the_declared_words_count_as_absence(world: World) -> None:
    world.put(c1={"name": "A"})
    world.behave(rules=[{"tool": "get_item", "error": "item not found"}])

    (answer,) = world.agent(("set_item", {"id": "c1", "name": "B"}))

    assert "There is nothing to restore: it is not there yet" in answer["content"][0]["text"]
    assert world.calls("set_item") == []
    (request,) = world.cli("gates", "--json").json
    assert (request["tool"], request["args"]) == ("set_item", {"id": "c1", "name": "B"})


@promise("C030")
def test_an_undo_that_cannot_read_stops_as_could_not_check_and_goes_on_later(world: World) -> None:
    world.put(c1={"name": "A"}, c2={"name": "A"})
    world.agent(("set_item", {"id": "c1", "name": "B"}), ("set_item", {"id": "c2", "name": "B"}))
    sent = len(world.calls("set_item"))
    world.behave(rules=[{"tool": "get_item", "where": {"id": "c1"}, "error": "429 Too Many Requests, retry in 2s"}])

    stopped = world.cli("undo", "--yes")

    assert stopped.code == 1
    assert "could not check: f.get_item" in stopped.out
    assert "429 Too Many Requests, retry in 2s" in stopped.out
    assert "Nothing was sent." in stopped.out
    assert len(world.calls("set_item")) == sent
    assert world.items == {"c1": {"name": "B"}, "c2": {"name": "B"}}

    world.behave()
    resumed = world.cli("undo", "--yes", "--json")

    assert (resumed.code, resumed.json["status"]) == (0, "undone")
    assert world.items == {"c1": {"name": "A"}, "c2": {"name": "A"}}


# --- C032: null, absent and empty are three states

WITH_OWNER = """
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", owner: "$snapshot.owner"}}
"""


def three_owners(world: World) -> dict[str, Any]:
    world.write_manifest(WITH_OWNER)
    world.put(c1={"name": "A"}, c2={"name": "B", "owner": None}, c3={"name": "C", "owner": ""})
    return world.items


def give_to_eve(ident: str) -> tuple[str, dict[str, Any]]:
    return "set_item", {"id": ident, "owner": "eve"}


@promise("C032")
def test_null_and_empty_come_back_as_what_they_were(world: World) -> None:
    before = three_owners(world)
    world.agent(give_to_eve("c2"), give_to_eve("c3"))
    assert [world.items[name]["owner"] for name in ("c2", "c3")] == ["eve", "eve"]

    undone = world.cli("undo", "--yes", "--json")

    assert (undone.code, undone.json["status"]) == (0, "undone")
    assert world.items == before
    assert [call["owner"] for call in world.calls("set_item")] == ["eve", "eve", "", None]


@promise("C032")
def test_a_field_that_is_not_there_is_noticed_when_the_call_is_made_and_not_first_at_undo(world: World) -> None:
    before = three_owners(world)

    (answer,) = world.agent(give_to_eve("c1"))

    text = answer["content"][0]["text"]
    assert answer["isError"] is True
    assert "Its undo cannot be prepared" in text
    assert "$snapshot.owner" in text
    assert world.calls("set_item") == []
    assert world.items == before


@promise("C032")
def test_what_went_out_without_a_way_back_is_never_reported_as_undone(world: World) -> None:
    three_owners(world)
    with world.proxy() as client:
        client.call(*give_to_eve("c1"))
        assert world.cli("approve").code == 0
        client.call(*give_to_eve("c1"))
        for name in ("c2", "c3"):
            client.call(*give_to_eve(name))
        client.close()
    assert world.items["c1"]["owner"] == "eve"

    undone = world.cli("undo", "--yes")

    assert undone.code == 1
    assert "partly undone" in undone.out
    assert world.items == {
        "c1": {"name": "A", "owner": "eve"},
        "c2": {"name": "B", "owner": None},
        "c3": {"name": "C", "owner": ""},
    }
    report = world.cli("undo", "--json", run_of_agent(world)).json
    assert report["status"] == "partial"
    assert [(step["seq"], step["kind"]) for step in report["steps"]] == [
        (4, "already_undone"),
        (3, "already_undone"),
        (2, "permanent"),
        (1, "skip"),
    ]


@promise("C032")
def test_show_tells_absent_null_and_empty_apart(world: World) -> None:
    three_owners(world)
    with world.proxy() as client:
        client.call(*give_to_eve("c1"))
        assert world.cli("approve").code == 0
        for name in ("c1", "c2", "c3"):
            client.call(*give_to_eve(name))
        client.close()

    text, actions = world.cli("show").out, shown(world)

    assert 'owner: (absent) -> "eve"' in text
    assert 'owner: null -> "eve"' in text
    assert 'owner: "" -> "eve"' in text
    assert [action["before"]["value"] for action in actions[1:]] == [
        {"id": "c1", "name": "A"},
        {"id": "c2", "name": "B", "owner": None},
        {"id": "c3", "name": "C", "owner": ""},
    ]


# --- C036: numbers that must not move

ID = "1917043659912705296"
RECORD = (
    f'{{"id":{ID},"price":1.10,"rate":1E5,"zero":-0.0,"big":123456789012345678901234567890,"whole":2.0,"far":1e400}}'
)
ALL_FIELDS = """
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse:
      tool: "f.set_item"
      args:
        id: "$snapshot.id"
        price: "$snapshot.price"
        rate: "$snapshot.rate"
        zero: "$snapshot.zero"
        big: "$snapshot.big"
        whole: "$snapshot.whole"
        far: "$snapshot.far"
  - match: "f.send_note"
    class: irreversible
"""
PATCH = f'{{"id":{ID},"price":2.50,"rate":9007199254740993,"zero":0,"big":-1,"whole":2,"far":1E-400}}'


def call_line(ident: int, tool: str, arguments: str) -> bytes:
    """One call whose arguments are spelled exactly so."""
    frame = (
        f'{{"jsonrpc":"2.0","id":{ident},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}'
    )
    return frame.encode() + b"\n"


@promise("C036")
def test_numbers_keep_their_value_and_type_in_what_is_read_written_recorded_and_put_back(world: World) -> None:
    world.write_manifest(ALL_FIELDS)
    world.put_text(f'{{"{ID}":{RECORD}}}')
    before = numbers_of(world.items[ID])
    with world.proxy() as client:
        client.send(call_line(101, "get_item", f'{{"id":{ID}}}'))
        read = raw_reply(client, 101)
        client.send(call_line(102, "set_item", PATCH))
        raw_reply(client, 102)
        assert client.close().code == 0

    assert f'"structuredContent":{RECORD}'.encode() in read, "what the client reads is what the server spelled"
    assert PATCH.encode() in raw_calls(world), "what the server gets is what the client spelled"
    written = json.loads(PATCH, parse_float=Decimal)
    assert numbers_of(world.items[ID]) == numbers_of(written)

    _, action = shown(world)
    assert numbers_of(action["before"]["value"]) == before
    assert numbers_of(action["after"]["value"]) == numbers_of(written)
    assert numbers_of(action["inverse"][0]["args"]) == before
    assert f'undo: f.set_item {{"id": {ID}, ' in world.cli("show").out.replace("\n      ", " ")

    undone = world.cli("undo", "--yes")

    assert undone.code == 0
    assert numbers_of(world.items[ID]) == before
    assert numbers_of(world.calls("set_item")[-1]) == before
    assert raw_calls(world).count(f'"arguments":{{"id":{ID}'.encode()) == len(world.calls())


@promise("C036")
def test_an_approval_is_for_every_digit(world: World) -> None:
    world.write_manifest(ALL_FIELDS)
    asked = '{"to":"a@x.example","text":"pay","account":1917043659912705296,"amount":19.90}'
    with world.proxy() as client:
        client.send(call_line(101, "send_note", asked))
        raw_reply(client, 101)
        shown_to_approver = world.cli("gates").out
        request = world.cli("approve", "--json").json[0]

        client.send(call_line(102, "send_note", asked.replace("705296", "705297")))
        other = client.wait_for_reply(102)["result"]
        client.send(call_line(103, "send_note", asked))
        same = client.wait_for_reply(103)["result"]

    assert '"account": 1917043659912705296' in shown_to_approver
    assert numbers_of(request["args"]) == numbers_of(json.loads(asked, parse_float=Decimal))
    assert other["isError"] is True, "another account is another call"
    assert "isError" not in same
    assert raw_calls(world).count(b"send_note") == 1
    assert asked.encode() in raw_calls(world)


# --- below: how


def shown(world: World) -> list[dict[str, Any]]:
    actions: list[dict[str, Any]] = world.cli("show", "--json").json["actions"]
    return actions


def run_of_agent(world: World) -> str:
    return next(str(run["id"]) for run in world.cli("list", "--json").json if run["kind"] == "agent")


def numbers_of(record: dict[str, Any]) -> dict[str, tuple[type, Any, bool]]:
    """Value, type and sign of everything in a record: 2 is not 2.0, and 0.0 is not -0.0."""
    return {name: (type(value), value, str(value).startswith("-")) for name, value in record.items()}


def raw_reply(client: Client, ident: int) -> bytes:
    client.wait_for_reply(ident)
    return next(line for line in client.received if b'"id":%d,' % ident in line or b'"id":%d}' % ident in line)


def raw_calls(world: World) -> bytes:
    return (world.folder / "calls.log").read_bytes()
