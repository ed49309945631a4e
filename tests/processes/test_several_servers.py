"""Cases C010, C012, C014, C016, C019 and C021 where several servers stand behind one proxy."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.promises import promise
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


# --- C010


@promise("C010")
def test_of_lists_in_pages_every_tool_is_shown_once_and_a_cursor_that_stands_still_ends(world: World) -> None:
    extra = [{"name": name, "inputSchema": {"type": "object"}} for name in ("zz_read", "zz_last")]
    world.write_manifest(
        """
  - match: "f1.zz_read"
    class: readonly
  - match: "f1.zz_last"
    class: irreversible
    gate: always
  - match: "f3.*"
    class: readonly
""",
        servers={
            "f1": world.fake("f1", page_size=4, extra_tools=extra),
            "f2": world.fake("f2", page_size=4, page_loop=True),
            "f3": world.fake("f3", page_size=5, page_null=True),
            "f4": world.fake("f4", page_size=5, page_repeat="get_item"),
        },
    )
    client = world.proxy()

    listed = names(client)

    every = ["create_item", "del_item", "get_item", "read", "remove", "restore_item", "send_note", "set_item", "write"]
    by_server = {server: sorted(name[4:] for name in listed if name[:4] == f"{server}__") for server in SERVERS}
    assert by_server["f1"] == [*every, "zz_last", "zz_read"]
    assert by_server["f3"] == by_server["f4"] == every
    assert len(by_server["f2"]) == len(set(by_server["f2"])) == 8, "all that its two pages hold"
    assert len(listed) == len(set(listed)) == 37
    assert text_of(client.call("f1__zz_read", {"a": 1})) == '{"a":1}'
    assert client.call("f1__zz_last", {"a": 1})["isError"]
    assert [request["tool"] for request in world.cli("gates", "--json").json] == ["zz_last"]
    warned = [json.loads(line) for line in client.close().stderr.splitlines() if '"cursor_repeated"' in line]
    assert {entry["server"] for entry in warned} == {"f2"}

    checked = world.cli("check", "--json").json

    assert {server["name"]: sorted(server["tools"]) for server in checked["servers"]} == by_server
    assert not [finding for finding in checked["findings"] if "zz_" in finding["text"]]


SERVERS = ("f1", "f2", "f3", "f4")


# --- C014


@promise("C014")
def test_unknown_things_survive_between_several_servers(world: World) -> None:
    odd = {"content": [{"type": "hologram", "data": "zz"}], "_meta": {"k": 1}, "xNew": {"a": [1]}}
    tool = {"name": "zz", "inputSchema": {}, "icons": [{"src": "i"}], "_meta": {"a": 1}, "annotations": {"zz": 1}}
    two(world, extra_tools=[tool], keep_input=str(world.folder / "input"), rules=[{"tool": "get_item", "result": odd}])
    client = world.proxy()

    listed = client.request("tools/list")["result"]["tools"]
    said = {"name": "b__get_item", "arguments": {"id": "c1"}, "_meta": {"com.example/y": 1}, "new": None}
    reply = client.request("tools/call", said)

    assert [{**tool, "name": "b__zz"}] == [one for one in listed if one["name"] == "b__zz"]
    assert reply["result"] == odd
    received = [json.loads(line) for line in (world.folder / "input").read_bytes().splitlines()]
    assert [{**said, "name": "get_item"}] == [one["params"] for one in received if one["method"] == "tools/call"]


# --- C016


@promise("C016")
def test_odd_and_long_tool_names_fit_map_back_and_are_the_same_after_a_restart(world: World) -> None:
    server = "customer_internal_tracker_production"
    odd = ["t" * 40 + "_first", "t" * 40 + "_other", "files.read", "a/b", "übersetzen", "a b"]
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in [*odd, "search"]]
    world.write_manifest(
        f'\n  - match: "{server}.*"\n    class: readonly\n  - match: "{server}.files.read"\n    gate: always\n'
        '    class: irreversible\n  - match: "b.*"\n    class: readonly\n',
        servers={server: world.fake("a", extra_tools=tools), "b": world.fake("b", extra_tools=[tools[-1]])},
    )
    client = world.proxy()

    listed = names(client)
    shown = dict(
        zip([*odd, "search"], [name for name in listed if name.startswith(server)][-len(tools) :], strict=True)
    )

    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in listed)
    assert len(listed) == len(set(listed))
    for name in ["t" * 40 + "_first", "t" * 40 + "_other", "a/b", "übersetzen", "a b", "search"]:
        assert not client.call(shown[name], {"x": 1}).get("isError")
    assert client.call(shown["files.read"], {"x": 1})["isError"], "its rule names it as the server does"
    client.call("b__search", {"x": 2})
    assert [one["tool"] for one in world.calls(server="a")] == [name for name in shown if name != "files.read"]
    assert world.calls(server="b") == [{"tool": "search", "arguments": {"x": 2}}]
    assert names(world.proxy()) == listed


@promise("C016")
def test_two_tools_that_would_have_one_name_are_told_and_only_one_is_shown(world: World) -> None:
    world.write_manifest(
        '\n  - match: "a.*"\n    class: readonly\n  - match: "a_.*"\n    class: readonly\n',
        servers={
            "a": world.fake("a", extra_tools=[{"name": "__x", "inputSchema": {}}]),
            "a_": world.fake("b", extra_tools=[{"name": "_x", "inputSchema": {}}]),
        },
    )
    client = world.proxy()

    assert names(client).count("a____x") == 1
    client.call("a____x", {"n": 1})

    assert world.calls(server="a") == [{"tool": "__x", "arguments": {"n": 1}}]
    assert world.calls(server="b") == []
    (told,) = [json.loads(line) for line in client.close().stderr.splitlines() if '"name_clash"' in line]
    assert "a.__x and a_._x" in told["why"]
    assert told["level"] == "error"


@promise("C016")
def test_one_server_keeps_its_names_untouched(world: World) -> None:
    odd = ["t" * 70, "files.read", "a/b", "übersetzen", "a b"]
    world.write_manifest(
        '\n  - match: "f.*"\n    class: readonly\n  - match: "f.files.read"\n    class: readonly\n',
        servers={"f": world.fake(extra_tools=[{"name": name, "inputSchema": {}} for name in odd])},
    )
    client = world.proxy()

    assert names(client)[-len(odd) :] == odd
    for name in odd:
        assert not client.call(name, {}).get("isError")
    assert [one["tool"] for one in world.calls()] == odd


# --- C012


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
