"""Whole loops that the issue asks for: a mistake in a manifest taken back with --replan, two servers behind one proxy, and a
manifest of version 1 that brings a deleted customer back."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.support.world import World

# --- --replan

BAKED_IN = """
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot: {{tool: "f.get_item", args: {{id: "$.id"}}, absent_when: ["not found"]}}
    inverse: {{tool: "f.set_item", args: {{id: "$.id", name: "{name}"}}}}
"""
MISTAKEN = BAKED_IN.format(name="$.name")  # it repeats the call
CORRECTED = BAKED_IN.format(name="$snapshot.name")


def with_a_mistake(world: World) -> str:
    world.write_manifest(MISTAKEN)
    world.put(c1={"name": "A"}, c2={"name": "A"})
    world.agent(("set_item", {"id": "c1", "name": "B"}), ("set_item", {"id": "c2", "name": "C"}))
    return str(world.cli("list", "--json").json[0]["id"])


def test_a_corrected_manifest_counts_only_with_replan(world: World) -> None:
    run = with_a_mistake(world)
    world.write_manifest(CORRECTED)

    as_recorded = world.cli("undo", run, "--dry-run", "--json").json
    as_today = world.cli("undo", run, "--replan", "--dry-run", "--json").json
    assert [call["args"] for step in as_recorded["steps"] for call in step["calls"]] == [
        {"id": "c2", "name": "C"},
        {"id": "c1", "name": "B"},
    ]
    assert [call["args"] for step in as_today["steps"] for call in step["calls"]] == [
        {"id": "c2", "name": "A"},
        {"id": "c1", "name": "A"},
    ]

    undone = world.cli("undo", run, "--replan", "--json")

    assert (undone.code, undone.json["status"]) == (0, "undone")
    assert world.items == {"c1": {"name": "A"}, "c2": {"name": "A"}}


# --- two servers behind one proxy

BOTH = """
  - match: "*.get_item"
    class: readonly
  - match: "a.set_item"
    class: reversible
    snapshot: {tool: "a.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "a.set_item", args: {id: "$.id", name: "$snapshot.name"}}
  - match: "b.set_item"
    class: reversible
    snapshot: {tool: "b.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "b.set_item", args: {id: "$.id", name: "$snapshot.name"}}
"""


def two(world: World) -> None:
    world.write_manifest(BOTH, servers={"a": world.fake("a"), "b": world.fake("b")})
    for name in ("a", "b"):
        text = json.dumps({"items": {"c1": {"name": f"of {name}"}}, "notes": []})
        (world.folder / f"state-{name}.json").write_text(text, encoding="utf-8")


def name_in(world: World, server: str) -> Any:
    return json.loads((world.folder / f"state-{server}.json").read_bytes())["items"]["c1"]["name"]


def test_two_servers_are_one_to_the_client_and_an_undo_goes_over_both(world: World) -> None:
    two(world)
    with world.proxy() as client:
        listed = {tool["name"] for tool in client.request("tools/list")["result"]["tools"]}
        read = client.call("a__get_item", {"id": "c1"})
        for tool, name in (("a__set_item", "1"), ("b__set_item", "2"), ("a__set_item", "3")):
            client.call(tool, {"id": "c1", "name": name})
        assert client.close().code == 0
    assert {"a__get_item", "b__get_item", "a__set_item", "b__set_item"} <= listed
    assert read["structuredContent"] == {"id": "c1", "name": "of a"}
    assert (name_in(world, "a"), name_in(world, "b")) == ("3", "2")

    undone = world.cli("undo", "--yes", "--json")

    assert (undone.code, undone.json["status"]) == (0, "undone")
    assert [(step["seq"], step["server"], step["undone"]) for step in undone.json["steps"]] == [
        (4, "a", "restored"),
        (3, "b", "restored"),
        (2, "a", "restored"),
    ]
    assert (name_in(world, "a"), name_in(world, "b")) == ("of a", "of b")
    assert [call["name"] for call in map(arguments, world.calls(server="a")) if "name" in call] == [
        "1",
        "3",
        "1",
        "of a",
    ]


def test_the_same_record_of_two_servers_is_two_records(world: World) -> None:
    two(world)
    world.agent(("a__set_item", {"id": "c1", "name": "1"}), ("b__set_item", {"id": "c1", "name": "1"}))
    edited = world.folder / "state-b.json"
    edited.write_text(edited.read_text(encoding="utf-8").replace('"1"', '"by hand"'), encoding="utf-8")

    stopped = world.cli("undo", "--yes", "--json")

    assert (stopped.code, stopped.json["halted"]["seq"]) == (1, 2)
    assert (name_in(world, "a"), name_in(world, "b")) == ("1", "by hand"), "nothing was sent to either"


def test_an_undo_starts_only_the_servers_that_it_needs(world: World) -> None:
    two(world)
    world.agent(("b__set_item", {"id": "c1", "name": "1"}))
    world.behave("a", dump_environment=True)  # it dies when it is started

    undone = world.cli("undo", "--yes")

    assert undone.code == 0
    assert name_in(world, "b") == "of b"


def test_an_approval_for_one_server_is_none_for_the_other(world: World) -> None:
    two(world)
    note = {"to": "a", "text": "b"}
    with world.proxy() as client:
        client.call("a__send_note", note)
        client.call("b__send_note", note)
        requests = world.cli("gates", "--json").json
        assert [request["server"] for request in requests] == ["a", "b"]
        assert world.cli("approve", requests[1]["id"]).code == 0

        refused, sent = client.call("a__send_note", note), client.call("b__send_note", note)
        client.close()

    assert refused["isError"] is True
    assert sent["structuredContent"] == {"sent": 1}
    assert world.calls(server="a") == []
    assert world.calls(server="b") == [{"tool": "send_note", "arguments": note}]


def arguments(call: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = call["arguments"]
    return found


# --- a manifest of version 1 without any absent_when

VERSION_1 = """version: 1
servers:
  crm:
    command: {python}
    args: ["-m", "synartesis.demo.toy_crm", "--state", "crm.json"]
tools:
  - match: "crm.get_customer"
    class: readonly
  - match: "crm.delete_customer"
    class: reversible
    snapshot:
      tool: "crm.get_customer"
      args: {{id: "$.id"}}
    inverse:
      tool: "crm.restore_customer"
      args:
        id: "$snapshot.id"
        name: "$snapshot.name"
        email: "$snapshot.email"
        plan: "$snapshot.plan"
        notes: "$snapshot.notes"
"""


def test_a_manifest_of_version_1_brings_grace_back(world: World) -> None:
    world.write_manifest(text=VERSION_1.format(python=json.dumps(sys.executable)))
    world.agent(("get_customer", {"id": "c_002"}))
    crm: Path = world.folder / "crm.json"
    before = json.loads(crm.read_bytes())
    world.agent(("delete_customer", {"id": "c_002"}))
    assert "c_002" not in json.loads(crm.read_bytes())["customers"]
    after = world.cli("show", "--json").json["actions"][0]["after"]
    assert after["state"] == "refused", "nothing declares these words to mean that she is gone"
    assert "c_002" in after["why"]

    undone = world.cli("undo", "--yes", "--json")

    assert (undone.code, undone.json["status"]) == (0, "undone")
    (step,) = undone.json["steps"]
    assert (step["verdict"], step["confirmation"], step["undone"]) == ("unchanged", "verified", "restored")
    assert json.loads(crm.read_bytes())["customers"]["c_002"] == before["customers"]["c_002"]
    assert before["customers"]["c_002"]["name"] == "Grace Hopper"


def test_without_absent_when_a_call_on_nothing_is_held_with_the_servers_own_words(world: World) -> None:
    world.write_manifest(text=VERSION_1.format(python=json.dumps(sys.executable)))

    (answer,) = world.agent(("delete_customer", {"id": "c_999"}))

    text = answer["content"][0]["text"]
    assert "HELD" in text
    assert "The read before it was answered with an error, so there is nothing to restore" in text
    assert "c_999" in text
    assert [request["tool"] for request in world.cli("gates", "--json").json] == ["delete_customer"]
