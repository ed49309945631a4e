"""Cases C010, C012, C016, C019 and C021 where several servers stand behind one proxy."""

from __future__ import annotations

import json
from typing import Any

from tests.support.client import Client
from tests.support.world import World

BOTH = """
  - match: "a.get_item"
    class: readonly
  - match: "b.*"
    class: readonly
  - match: "a.set_item"
    class: reversible
    snapshot: {tool: "a.get_item", args: {id: "$.id"}}
    inverse: {tool: "a.set_item", args: {id: "$.id", name: "$snapshot.name"}}
"""


def text_of(result: dict[str, Any]) -> str:
    text: str = result["content"][0]["text"]
    return text


def names(client: Client) -> list[str]:
    return [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]


def question_of(client: Client, name: str) -> Any:
    return client.wait_for(lambda message: message.get("params") == {"who": name}, f"no question of {name}")


def two(world: World, **behaviour: Any) -> None:
    world.write_manifest(BOTH, servers={"a": world.fake("a"), "b": world.fake("b", **behaviour)})
    for name in ("a", "b"):
        (world.folder / f"state-{name}.json").write_text(json.dumps({"items": {"c1": {"name": name}}, "notes": []}))


def test_tools_of_two_servers_are_told_apart_and_each_call_reaches_its_own(world: World) -> None:
    two(world)
    client = world.proxy()

    listed = names(client)
    assert listed[:2] == ["a__get_item", "a__set_item"]
    assert len(listed) == len(set(listed)) == 18
    assert text_of(client.call("a__get_item", {"id": "c1"})) == '{"id":"c1","name":"a"}'
    assert text_of(client.call("b__get_item", {"id": "c1"})) == '{"id":"c1","name":"b"}'
    assert not client.call("a__set_item", {"id": "c1", "name": "new"}).get("isError")
    assert client.request("ping")["result"] == {}
    assert client.request("foo/bar")["error"]["code"] == -32601
    assert client.close().code == 0
    actions = world.cli("show", "--json").json["actions"]
    assert [(one["server"], one["tool"], one["status"]) for one in actions] == [
        ("a", "get_item", "applied"),
        ("b", "get_item", "applied"),
        ("a", "set_item", "applied"),
    ]


def test_a_pipe_that_closes_right_after_its_lines_gets_every_answer(world: World) -> None:
    two(world)
    client = world.start_proxy()
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}

    client.ask("initialize", hello)
    client.notify("notifications/initialized")
    client.ask("tools/list")
    client.ask("tools/call", {"name": "b__get_item", "arguments": {"id": "c1"}})
    client.ask("tools/call", {"name": "a__set_item", "arguments": {"id": "c1", "name": "x"}})

    assert client.close().code == 0
    assert sorted(message["id"] for message in client.messages()) == [1, 2, 3, 4]
    assert all("result" in message for message in client.messages())


def test_odd_and_long_tool_names_fit_and_map_back(world: World) -> None:
    server = "customer_internal_tracker_production"
    odd = ["t" * 40 + "_first", "t" * 40 + "_other", "files.read", "a/b", "übersetzen", "a b"]
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in odd]
    world.write_manifest(
        f'\n  - match: "{server}.*"\n    class: readonly\n  - match: "{server}.files.read"\n    class: readonly\n',
        servers={server: world.fake("a", extra_tools=tools), "b": world.fake("b")},
    )
    client = world.proxy()

    shown = [name for name in names(client) if name.startswith(server)][-len(odd) :]

    assert all(len(name) <= 64 for name in shown)
    assert len(set(shown)) == len(odd)
    for name in shown:
        assert not client.call(name, {"x": 1}).get("isError")
    assert [one["tool"] for one in world.calls(server="a")] == odd


def test_two_servers_that_ask_with_one_id_each_get_their_own_answer(world: World) -> None:
    two(world)
    for name in ("a", "b"):
        world.behave(
            name,
            rules=[{"tool": "get_item", "ask": {"id": 1, "method": "elicitation/create", "params": {"who": name}}}],
        )
    client = world.proxy()

    pending = [
        client.ask("tools/call", {"name": f"{name}__get_item", "arguments": {"id": "c1"}}) for name in ("a", "b")
    ]
    for name in ("b", "a"):
        asked = question_of(client, name)
        client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"for": name}})
    for ident in pending:
        client.wait_for_reply(ident)

    for name in ("a", "b"):
        (noted,) = [one["asked"] for one in world.calls(server=name) if "asked" in one]
        assert (noted["id"], noted["result"]) == (1, {"for": name})


def test_a_cancelled_call_is_cancelled_under_the_id_that_its_server_knows(world: World) -> None:
    two(world)
    gate = world.folder / "go"
    world.behave("b", rules=[{"tool": "get_item", "pause_before": str(gate)}])
    client = world.proxy()

    ident = client.ask("tools/call", {"name": "b__get_item", "arguments": {"id": "c1"}})
    client.notify("notifications/cancelled", {"requestId": ident, "reason": "enough"})
    gate.touch()

    assert client.close().code == 0


def test_versions_and_abilities_are_what_is_really_served(world: World) -> None:
    two(world, version="2025-03-26", capabilities={"tools": {}, "prompts": {}, "resources": {"subscribe": True}})
    client = world.start_proxy()

    result = client.initialize("2025-11-25")

    assert result["protocolVersion"] == "2025-03-26"
    assert result["capabilities"] == {"tools": {}, "prompts": {}, "resources": {"subscribe": True}}


def test_an_impossible_version_names_its_server_and_leaves_the_others_working(world: World) -> None:
    two(world, version="1999-01-01")
    client = world.proxy()

    assert all(name.startswith("a__") for name in names(client))
    assert text_of(client.call("a__get_item", {"id": "c1"})) == '{"id":"c1","name":"a"}'
    refused = client.call("b__get_item", {"id": "c1"})
    assert refused["isError"]
    assert "1999-01-01" in text_of(refused)


# --- C021


def test_one_silent_one_dead_and_one_missing_server_cost_only_their_own_tools(world: World) -> None:
    world.write_manifest(
        '\n  - match: "good.get_item"\n    class: readonly\n',
        servers={
            "good": world.fake("good"),
            "silent": "{command: sleep, args: ['600']}",
            "dead": "{command: sh, args: ['-c', 'echo boom >&2; exit 3']}",
            "missing": "{command: /no/such/bin}",
        },
    )
    (world.folder / "state-good.json").write_text('{"items":{"c1":{"name":"A"}},"notes":[]}')
    client = world.start_proxy()

    client.initialize()

    assert all(name.startswith("good__") for name in names(client))
    assert text_of(client.call("good__get_item", {"id": "c1"})) == '{"id":"c1","name":"A"}'
    dead = client.call("dead__anything", {})
    assert dead["isError"]
    assert "exit code 3" in text_of(dead)
    assert "boom" in text_of(dead)
    logged = [json.loads(line) for line in client.close().stderr.splitlines()]
    unavailable = {entry["server"]: entry["why"] for entry in logged if entry["event"] == "server_unavailable"}
    assert unavailable.keys() == {"silent", "dead", "missing"}
    assert "exit code 3" in unavailable["dead"]
    assert "boom" in unavailable["dead"]
    assert "/no/such/bin" in unavailable["missing"]
    assert world.cli("gates", "--json").json == []


def test_a_server_that_only_rules_may_call_is_never_shown_and_adds_no_prefix(world: World) -> None:
    world.write_manifest(
        """
  - match: "a.set_item"
    class: reversible
    snapshot: {tool: "hidden.get_item", args: {id: "$.id"}}
    inverse: {tool: "hidden.set_item", args: {id: "$.id", name: "$snapshot.name"}}
""",
        servers={"a": world.fake("one"), "hidden": world.fake("one", extra="expose: false")},
    )
    (world.folder / "state-one.json").write_text('{"items":{"c1":{"name":"A"}},"notes":[]}')
    client = world.proxy()

    assert "set_item" in names(client)
    assert not client.call("set_item", {"id": "c1", "name": "B"}).get("isError")
    assert "hidden" not in json.dumps(client.messages())
    client.close()
    (action,) = world.cli("show", "--json").json["actions"]
    assert action["before"]["value"] == {"id": "c1", "name": "A"}
