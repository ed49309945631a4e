"""Cases C010, C012, C014, C016, C019 and C021 where several servers stand behind one proxy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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


def two(world: World, *, a: dict[str, Any] | None = None, **behaviour: Any) -> None:
    """Servers a and b, each with a store of its own. `behaviour` is b's."""
    behaviours = {"a": a or {}, "b": behaviour}
    servers = {name: world.fake(name, keep_input=str(input_of(world, name)), **behaviours[name]) for name in behaviours}
    world.write_manifest(BOTH, servers=servers)
    for name in servers:
        (world.folder / f"state-{name}.json").write_text(json.dumps({"items": {"c1": {"name": name}}, "notes": []}))


def input_of(world: World, server: str) -> Path:
    return world.folder / f"input-{server}"


def heard(world: World, server: str, method: str) -> list[dict[str, Any]]:
    """Every message of this method that reached the server, as it reached it."""
    path = input_of(world, server)
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [message for message in map(json.loads, lines) if message.get("method") == method]


def wait_until(it_is_so: Callable[[], bool], client: Client) -> None:
    """The proxy answers pings meanwhile."""
    for _ in range(10_000):
        if it_is_so():
            return
        client.request("ping")
    raise AssertionError("it never came to be")


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


SERVERS = ("f1", "f2", "f3", "f4")


# --- C014


@promise("C014")
def test_unknown_things_survive_between_several_servers(world: World) -> None:
    odd = {"content": [{"type": "hologram", "data": "zz"}], "_meta": {"k": 1}, "xNew": {"a": [1]}}
    tool = {"name": "zz", "inputSchema": {}, "icons": [{"src": "i"}], "_meta": {"a": 1}, "annotations": {"zz": 1}}
    two(world, extra_tools=[tool], rules=[{"tool": "get_item", "result": odd}])
    client = world.proxy()

    listed = client.request("tools/list")["result"]["tools"]
    said = {"name": "b__get_item", "arguments": {"id": "c1"}, "_meta": {"com.example/y": 1}, "new": None}
    reply = client.request("tools/call", said)

    assert [{**tool, "name": "b__zz"}] == [one for one in listed if one["name"] == "b__zz"]
    assert reply["result"] == odd
    assert [{**said, "name": "get_item"}] == [one["params"] for one in heard(world, "b", "tools/call")]


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


QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "elicitation/create": ("elicitation", {"action": "accept", "content": {}}),
    "sampling/createMessage": (
        "sampling",
        {"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"},
    ),
    "roots/list": ("roots", {"roots": []}),
}
"""What a client has to declare for it, and an answer."""


@promise("C012")
@pytest.mark.parametrize("method", QUESTIONS)
def test_two_servers_that_ask_with_one_id_each_get_their_own_answer(world: World, method: str) -> None:
    ability, answer = QUESTIONS[method]
    ask_in_reads(world, method)
    client = world.start_proxy()
    client.initialize(capabilities={ability: {}})

    pending = [
        client.ask("tools/call", {"name": f"{name}__get_item", "arguments": {"id": "c1"}}) for name in ("a", "b")
    ]
    questions = {name: question_of(client, name) for name in ("b", "a")}
    assert len({question["id"] for question in questions.values()}) == 2
    assert not client.call("a__set_item", {"id": "c1", "name": "meanwhile"}).get("isError")
    for name, asked in questions.items():
        client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {**answer, "for": name}})
    for ident in pending:
        client.wait_for_reply(ident)

    for name in ("a", "b"):
        (noted,) = [one["asked"] for one in world.calls(server=name) if "asked" in one]
        assert (noted["id"], noted["result"]) == (1, {**answer, "for": name})
        (hello,) = heard(world, name, "initialize")
        assert hello["params"]["capabilities"] == {ability: {}}
    client.close()
    actions = world.cli("show", "--json").json["actions"]
    assert sorted((each["server"], each["tool"]) for each in actions) == [
        ("a", "get_item"),
        ("a", "set_item"),
        ("b", "get_item"),
    ]


@promise("C012")
@pytest.mark.parametrize("method", QUESTIONS)
def test_a_client_that_declared_nothing_is_not_asked_and_the_server_hears_so_at_once(world: World, method: str) -> None:
    ask_in_reads(world, method)
    client = world.proxy()

    for name in ("a", "b"):
        assert text_of(client.call(f"{name}__get_item", {"id": "c1"})) == f'{{"id":"c1","name":"{name}"}}'

    assert [line for line in client.received if b'"method"' in line] == []
    for name in ("a", "b"):
        (noted,) = [one["asked"] for one in world.calls(server=name) if "asked" in one]
        assert noted["error"]["code"] == -32601
        (hello,) = heard(world, name, "initialize")
        assert hello["params"]["capabilities"] == {}


@promise("C012")
def test_a_ping_of_a_server_is_answered_for_any_client(world: World) -> None:
    ask_in_reads(world, "ping")
    client = world.proxy()

    assert text_of(client.call("a__get_item", {"id": "c1"})) == '{"id":"c1","name":"a"}'

    (noted,) = [one["asked"] for one in world.calls(server="a") if "asked" in one]
    assert noted["result"] == {}


def ask_in_reads(world: World, method: str) -> None:
    """Both servers ask the client, with the same id, while they answer `get_item`."""
    rules = {
        name: [{"tool": "get_item", "times": 1, "ask": {"id": 1, "method": method, "params": {"who": name}}}]
        for name in ("a", "b")
    }
    two(world, a={"rules": rules["a"], "concurrent": True}, rules=rules["b"], concurrent=True)


# --- cancelling


@pytest.mark.parametrize(
    ("server", "tool", "statuses"),
    [
        pytest.param("b", "get_item", {"applied", "unknown"}, id="a read, which nobody waits for then"),
        pytest.param("a", "set_item", {"applied"}, id="a write, whose outcome is wanted all the same"),
    ],
)
def test_a_call_that_runs_is_cancelled_at_its_server_under_the_id_that_this_knows(
    world: World, server: str, tool: str, statuses: set[str]
) -> None:
    two(world)
    gate = world.folder / "go"
    world.behave(server, rules=[{"tool": tool, "pause_before": str(gate)}], concurrent=True)
    client = world.proxy()

    ident = client.ask("tools/call", {"name": f"{server}__{tool}", "arguments": {"id": "c1", "name": "new"}})
    wait_until(Path(f"{gate}.reached").exists, client)
    client.notify("notifications/cancelled", {"requestId": ident, "reason": "enough", "zz": 1})
    wait_until(lambda: heard(world, server, "notifications/cancelled") != [], client)
    gate.touch()

    assert client.close().code == 0
    (sent,) = [one for one in heard(world, server, "tools/call") if one["params"]["name"] == tool]
    (cancelled,) = heard(world, server, "notifications/cancelled")
    assert sent["id"] != ident
    assert cancelled["params"] == {"requestId": sent["id"], "reason": "enough", "zz": 1}
    (other,) = {"a", "b"} - {server}
    assert heard(world, other, "notifications/cancelled") == []
    (action,) = world.cli("show", "--json").json["actions"]
    assert action["server"] == server
    assert action["status"] in statuses


# --- C019


@promise("C019")
def test_versions_and_abilities_are_what_is_really_served(world: World) -> None:
    two(world, version="2025-03-26", capabilities={"tools": {}, "prompts": {}, "resources": {"subscribe": True}})
    client = world.start_proxy()

    result = client.initialize("2025-11-25")

    assert result["protocolVersion"] == "2025-03-26"
    assert result["capabilities"] == {"tools": {}, "prompts": {}, "resources": {"subscribe": True}}


@promise("C019")
@pytest.mark.parametrize("asked", ["2024-11-05", "2099-01-01"])
def test_each_server_keeps_its_own_version_and_the_client_gets_one_that_it_can_use(world: World, asked: str) -> None:
    two(
        world,
        a={"version": "2025-03-26", "capabilities": {"tools": {}}},
        version="2024-11-05",
        capabilities={"prompts": {}, "resources": {"subscribe": True}, "logging": {}, "completions": {}, "tools": {}},
    )
    client = world.start_proxy()

    result = client.initialize(asked)

    assert result["protocolVersion"] == "2024-11-05", "the older of the two: what both understand"
    assert set(result["capabilities"]) == {"tools", "prompts", "resources", "logging", "completions"}
    assert [heard(world, name, "initialize")[0]["params"]["protocolVersion"] for name in ("a", "b")] == [asked] * 2
    for name in ("a", "b"):
        assert text_of(client.call(f"{name}__get_item", {"id": "c1"})) == f'{{"id":"c1","name":"{name}"}}'


@promise("C019")
def test_an_impossible_version_names_its_server_and_leaves_the_others_working(world: World) -> None:
    two(world, version="1999-01-01")
    client = world.proxy()

    assert all(name.startswith("a__") for name in names(client))
    assert text_of(client.call("a__get_item", {"id": "c1"})) == '{"id":"c1","name":"a"}'
    refused = client.call("b__get_item", {"id": "c1"})
    assert refused["isError"]
    assert "1999-01-01" in text_of(refused)


# --- prompts, resources, completion, logging


def offers(server: str, **abilities: Any) -> dict[str, Any]:
    """What a server has of everything but tools; each answer says whose it is."""
    answers = {
        "prompts/list": {"prompts": [{"name": "greet", "zz": server}]},
        "prompts/get": {"description": server, "messages": []},
        "resources/list": {"resources": [{"uri": f"{server}://1", "name": "one"}]},
        "resources/templates/list": {"resourceTemplates": [{"uriTemplate": f"{server}s://{{id}}", "name": "all"}]},
        "resources/read": {"contents": [{"uri": "x", "text": server}]},
        "resources/subscribe": {},
        "completion/complete": {"completion": {"values": [server]}},
        "logging/setLevel": {},
    }
    capabilities = {"tools": {}, "prompts": {}, "resources": {"subscribe": True}, "completions": {}, **abilities}
    return {"answers": answers, "capabilities": capabilities}


def test_prompts_of_two_servers_are_told_apart_and_each_is_got_from_its_own(world: World) -> None:
    two(world, a=offers("a"), **offers("b"))
    client = world.proxy()

    listed = client.request("prompts/list")["result"]["prompts"]
    got = client.request("prompts/get", {"name": "b__greet", "arguments": {"who": "Ada"}, "_meta": {"zz": 1}})
    unknown = client.request("prompts/get", {"name": "b__part", "arguments": {}})

    assert listed == [{"name": "a__greet", "zz": "a"}, {"name": "b__greet", "zz": "b"}]
    assert got["result"] == {"description": "b", "messages": []}
    asked = heard(world, "b", "prompts/get")[0]
    assert asked["params"] == {"name": "greet", "arguments": {"who": "Ada"}, "_meta": {"zz": 1}}
    assert heard(world, "a", "prompts/get") == []
    assert unknown["result"] == {"description": "b", "messages": []}, "it is b who says what b has"
    assert "nobody__greet" in client.request("prompts/get", {"name": "nobody__greet"})["error"]["message"]


@pytest.mark.parametrize("method", ["resources/read", "resources/subscribe"])
@pytest.mark.parametrize("address", ["b://1", "bs://77", "b://unlisted"])
def test_a_resource_is_looked_for_at_the_server_that_lists_it_or_has_its_like(
    world: World, method: str, address: str
) -> None:
    two(world, a=offers("a"), **offers("b"))
    client = world.proxy()

    reply = client.request(method, {"uri": address, "zz": 1})

    assert "result" in reply
    assert [one["params"] for one in heard(world, "b", method)] == [{"uri": address, "zz": 1}]
    assert heard(world, "a", method) == []


def test_resources_and_templates_of_two_servers_are_one_list_each(world: World) -> None:
    two(world, a=offers("a"), **offers("b"))
    client = world.proxy()

    resources = client.request("resources/list")["result"]["resources"]
    templates = client.request("resources/templates/list")["result"]["resourceTemplates"]

    assert [one["uri"] for one in resources] == ["a://1", "b://1"]
    assert [one["uriTemplate"] for one in templates] == ["as://{id}", "bs://{id}"]


@pytest.mark.parametrize(
    ("ref", "sent"),
    [
        ({"type": "ref/prompt", "name": "b__greet"}, {"type": "ref/prompt", "name": "greet"}),
        ({"type": "ref/resource", "uri": "bs://{id}"}, {"type": "ref/resource", "uri": "bs://{id}"}),
    ],
    ids=["prompt", "resource"],
)
def test_a_completion_is_asked_of_the_server_whose_prompt_or_resource_it_is_about(
    world: World, ref: dict[str, str], sent: dict[str, str]
) -> None:
    two(world, a=offers("a"), **offers("b"))
    client = world.proxy()

    reply = client.request("completion/complete", {"ref": ref, "argument": {"name": "who", "value": "A"}})

    assert reply["result"] == {"completion": {"values": ["b"]}}
    (asked,) = heard(world, "b", "completion/complete")
    assert asked["params"] == {"ref": sent, "argument": {"name": "who", "value": "A"}}
    assert heard(world, "a", "completion/complete") == []


def test_a_log_level_is_set_where_there_is_a_log_and_a_notification_reaches_everybody(world: World) -> None:
    two(world, a=offers("a"), **offers("b", logging={}))
    client = world.proxy()

    assert client.request("logging/setLevel", {"level": "debug"})["result"] == {}
    client.notify("notifications/roots/list_changed")
    client.close()

    assert [one["params"] for one in heard(world, "b", "logging/setLevel")] == [{"level": "debug"}]
    assert heard(world, "a", "logging/setLevel") == []
    for server in ("a", "b"):
        assert len(heard(world, server, "notifications/roots/list_changed")) == 1


# --- servers that are late


def list_changed(message: Any) -> bool:
    return bool(message.get("method") == "notifications/tools/list_changed")


def test_a_server_that_is_late_is_done_without_and_joins_when_it_answers(world: World) -> None:
    gate = world.folder / "go"
    two(world, opens_after=str(gate))
    client = world.start_proxy()

    told = client.initialize()

    assert told["capabilities"] == {"tools": {"listChanged": True}}
    assert all(name.startswith("a__") for name in names(client))
    assert text_of(client.call("a__get_item", {"id": "c1"})) == '{"id":"c1","name":"a"}'
    early = client.call("b__get_item", {"id": "c1"})
    assert early["isError"]
    assert "has not answered initialize yet" in text_of(early)
    gate.touch()
    client.wait_for(list_changed, "the client was not told that there is more")
    assert len(names(client)) == 18
    assert text_of(client.call("b__get_item", {"id": "c1"})) == '{"id":"c1","name":"b"}'
    assert [len(heard(world, "b", method)) for method in ("initialize", "notifications/initialized")] == [1, 1]
    assert client.close().code == 0


def test_a_server_that_lists_late_costs_its_own_tools_until_it_does(world: World) -> None:
    gate = world.folder / "go"
    two(world, lists_after=str(gate), capabilities={"tools": {"listChanged": True}})
    client = world.proxy()

    assert all(name.startswith("a__") for name in names(client))
    gate.touch()

    client.wait_for(list_changed, "the client was not told that there is more")
    assert len(names(client)) == 18


def test_a_probe_that_one_server_is_late_to_answer_leaves_the_handshake_and_loses_nobody(world: World) -> None:
    gate = world.folder / "go"
    two(world, a={"era": "both"}, era="both", opens_after=str(gate))
    client = world.start_proxy()
    client.modern = True

    probe = client.request("server/discover")
    client.modern = False
    opening = client.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})
    for _ in range(2):
        assert client.request("ping")["result"] == {}  # so the handshake was taken up before the probe is answered
    gate.touch()
    opened = client.wait_for_reply(opening)
    client.notify("notifications/initialized")

    assert probe["error"]["code"] == -32601
    assert "result" in opened
    assert len(names(client)) == 18
    assert [len(heard(world, server, "initialize")) for server in ("a", "b")] == [1, 2], "b refused the first one"


def test_a_server_that_is_dead_does_not_decide_the_era_for_the_others(world: World) -> None:
    world.write_manifest(
        '\n  - match: "a.*"\n    class: readonly\n',
        servers={"a": world.fake("a", era="modern"), "dead": "{command: sh, args: ['-c', 'exit 3']}"},
    )
    (world.folder / "state-a.json").write_text('{"items":{"c1":{"name":"A"}},"notes":[]}')
    client = world.start_proxy()

    client.discover()

    assert all(name.startswith("a__") for name in names(client))
    assert text_of(client.call("a__get_item", {"id": "c1"})) == '{"id":"c1","name":"A"}'
    assert "exit code 3" in text_of(client.call("dead__anything"))


# --- C021


@promise("C021")
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
    for name in ("silent", "missing"):
        refused = client.call(f"{name}__anything")
        assert refused["isError"]
        assert f'server "{name}"' in text_of(refused)
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
