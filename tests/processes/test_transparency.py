"""Cases C009, C010, C012, C014 and C040, and both eras: what passes through one server's proxy, and how."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.promises import promise
from tests.support.client import Client, decode, encode, same_id
from tests.support.world import RULES, World


def call(ident: Any, tool: str, arguments: Any) -> bytes:
    return encode(
        {"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    )


def text_of(result: dict[str, Any]) -> str:
    text: str = result["content"][0]["text"]
    return text


def answers(client: Client, ident: Any) -> list[Any]:
    return [
        message
        for message in client.messages()
        if isinstance(message, dict) and "method" not in message and same_id(message.get("id", ...), ident)
    ]


def direct(world: World, lines: list[bytes], until: tuple[int, ...]) -> list[bytes]:
    """What the same server answers with nothing in between."""
    body = world.fake()
    command = json.loads(body.replace("{command:", '{"command":').replace(", args:", ', "args":'))
    with Client.start([command["command"], *command["args"]]) as client:
        for line in lines:
            client.send(line)
        for ident in until:
            client.wait_for_reply(ident)
        return list(client.received)


# --- C009


LEGAL_IDS: list[Any] = [0, "0", "", 7, "7", -1, 9007199254740993, "e\u00e9/\U0001f600"]


@promise("C009")
@pytest.mark.parametrize("tool", ["get_item", "set_item"])
@pytest.mark.parametrize("servers", [["f"], ["f", "g"]], ids=["one server", "two servers"])
def test_legal_ids_come_back_with_their_type_and_value_while_all_are_under_way(
    world: World, tool: str, servers: list[str]
) -> None:
    world.put(**{f"c{at}": {"name": f"n{at}"} for at in range(len(LEGAL_IDS))})
    gate = world.folder / "go"
    world.behave(rules=[{"tool": tool, "pause_before": str(gate)}], concurrent=True)
    world.write_manifest(servers={name: world.fake() for name in servers})
    client = world.proxy()
    shown = tool if len(servers) == 1 else f"f__{tool}"

    client.send(b"".join(call(ident, shown, {"id": f"c{at}"}) for at, ident in enumerate(LEGAL_IDS)))
    wait_for(Path(f"{gate}.reached"), client)
    assert all(answers(client, ident) == [] for ident in LEGAL_IDS[:3])
    gate.touch()

    for at, ident in enumerate(LEGAL_IDS):
        reply = client.wait_for(partial(is_result, ident=ident), f"no result for {ident!r}")
        assert text_of(reply["result"]) == f'{{"id":"c{at}","name":"n{at}"}}'
    client.close()
    assert len(world.cli("show", "--json").json["actions"]) == len(LEGAL_IDS)


def is_result(message: Any, ident: Any) -> bool:
    """Whether it is the answer to a call, and not one to a ping that had the same id."""
    return same_id(message.get("id", ...), ident) and "content" in message.get("result", {})


@promise("C009")
@pytest.mark.parametrize("token", ["1.5", "null", "true", "[1]"])
def test_an_illegal_id_is_answered_with_an_error_and_the_call_never_runs(world: World, token: str) -> None:
    world.put(c1={"name": "A"})
    client = world.proxy()

    client.send(call("ID", "set_item", {"id": "c1", "name": "Z"}).replace(b'"ID"', token.encode()))

    reply = client.wait_for(lambda message: isinstance(message, dict) and "error" in message, "no error")
    assert reply["error"]["code"] == -32600
    assert reply["id"] is None or reply["id"] == json.loads(token, parse_float=Decimal)
    assert client.request("ping")["result"] == {}
    assert world.calls() == []


@promise("C009")
def test_the_second_of_two_live_requests_with_one_id_is_refused_and_runs_never(world: World) -> None:
    world.put(c1={"name": "A"})
    gate = world.folder / "go"
    world.behave(rules=[{"tool": "set_item", "pause_before": str(gate)}])
    client = world.proxy()

    client.send(
        call(5, "set_item", {"id": "c1", "name": "first"}) + call(5, "set_item", {"id": "c1", "name": "second"})
    )

    refused = client.wait_for_reply(5)
    gate.touch()
    client.wait_for(
        lambda message: isinstance(message, dict) and message.get("id") == 5 and "result" in message, "no result"
    )
    assert refused["error"]["code"] == -32600
    assert [one["name"] for one in world.calls("set_item")] == ["first"]


@promise("C009")
def test_answers_that_nobody_asked_for_are_logged_and_dropped(world: World) -> None:
    world.put(c1={"name": "A"})
    world.behave(noise=['{"jsonrpc":"2.0","id":777,"result":{}}', '{"jsonrpc":"2.0","id":"2","result":{"stray":1}}'])
    client = world.proxy()

    assert text_of(client.call("get_item", {"id": "c1"})) == '{"id":"c1","name":"A"}'

    ended = client.close()
    assert {message["id"] for message in client.messages()} == {1, 2}
    assert '"stray_answer"' in ended.stderr


# --- C010


def test_every_page_of_tools_is_read_before_the_first_guarded_call(world: World) -> None:
    world.put(c1={"name": "A"})
    last = {"name": "zz_last", "inputSchema": {"type": "object"}}
    world.write_manifest(
        RULES + '  - match: "f.zz_last"\n    class: irreversible\n    gate: never\n',
        servers={"f": world.fake(page_size=3, page_null=True, page_repeat="get_item", extra_tools=[last])},
    )
    client = world.proxy()

    assert text_of(client.call("zz_last", {"a": 1})) == '{"a":1}'
    unknown = client.request("tools/call", {"name": "zz_lost", "arguments": {}})
    assert unknown["error"]["code"] == -32602
    assert "zz_lost" in unknown["error"]["message"]
    assert world.cli("gates", "--json").json == []


def test_a_cursor_that_never_moves_ends_with_a_warning_and_not_never(world: World) -> None:
    world.put(c1={"name": "A"})
    world.write_manifest(servers={"f": world.fake(page_size=4, page_loop=True)})
    client = world.proxy()

    assert not client.call("set_item", {"id": "c1", "name": "B"}).get("isError")
    assert '"cursor_repeated"' in client.close().stderr


# --- C012, one server


@promise("C012")
def test_a_question_of_the_server_reaches_the_client_and_its_answer_the_server(world: World) -> None:
    world.put(c1={"name": "A"})
    question = {"id": 1, "method": "elicitation/create", "params": {"message": "sure?", "zz": 1}}
    world.behave(rules=[{"tool": "set_item", "ask": question}])
    client = world.proxy()

    ident = client.ask("tools/call", {"name": "set_item", "arguments": {"id": "c1", "name": "B"}})
    asked = client.wait_for(lambda message: message.get("method") == "elicitation/create", "no question")
    assert asked == {"jsonrpc": "2.0", **question}
    assert client.request("ping")["result"] == {}
    client.send({"jsonrpc": "2.0", "id": 1, "result": {"action": "accept", "content": {"x": 1}}})

    assert "result" in client.wait_for_reply(ident)
    (noted,) = [one["asked"] for one in world.calls() if "asked" in one]
    assert noted["result"]["content"] == {"x": 1}


def test_roots_that_pass_by_are_kept_for_an_undo(world: World) -> None:
    world.put(c1={"name": "A"})
    world.behave(rules=[{"tool": "get_item", "ask": {"id": 0, "method": "roots/list"}}])
    client = world.proxy()

    ident = client.ask("tools/call", {"name": "get_item", "arguments": {"id": "c1"}})
    client.wait_for(lambda message: message.get("method") == "roots/list", "no question")
    client.send({"jsonrpc": "2.0", "id": 0, "result": {"roots": [{"uri": "file:///work"}]}})
    client.wait_for_reply(ident)
    client.close()

    from synartesis.journal import open_history

    with open_history(world.journal) as history:
        (summary,) = history.runs()
    assert json.loads(summary.run.opening)["roots"] == {"roots": [{"uri": "file:///work"}]}
    assert summary.run.agent == "test-client 1.0"


# --- C019, one server


@promise("C019")
@pytest.mark.parametrize(("asked", "answered"), [("2024-11-05", "2025-03-26"), ("2099-01-01", "1999-01-01")])
def test_versions_are_between_client_and_server_alone(world: World, asked: str, answered: str) -> None:
    world.put(c1={"name": "A"})
    world.behave(version=answered, capabilities={"tools": {}, "prompts": {}})
    client = world.start_proxy()

    result = client.initialize(asked)

    assert (result["protocolVersion"], result["capabilities"]) == (answered, {"tools": {}, "prompts": {}})
    assert not client.call("set_item", {"id": "c1", "name": "B"}).get("isError")
    assert world.cli("undo", "--yes").code == 0
    assert world.items["c1"] == {"name": "A"}


# --- C014


#: What no revision that we know has.
ODD = {
    "content": [
        {"type": "hologram", "data": "zz"},
        {"type": "resource_link", "uri": "x://1", "name": "n", "zz": 1},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
    ],
    "_meta": {"k": 1},
    "xNew": {"a": [1]},
}


@promise("C014")
def test_everything_but_a_guarded_call_is_byte_for_byte_what_it_is_without_us(world: World) -> None:
    world.put(c1={"name": "A"})
    descriptor = {"name": "zz", "inputSchema": {}, "icons": [{"src": "i"}], "_meta": {"a": 1}, "annotations": {"zz": 1}}
    world.behave(rules=[{"tool": "get_item", "result": ODD}], extra_tools=[descriptor])
    world.write_manifest(servers={"f": world.fake(keep_input=str(world.folder / "input"))})
    lines = [
        b'{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"com.example/y":1}},"zz":1.10}\r\n',
        b'{"jsonrpc":"2.0", "id":3, "method":"foo/bar"}\n',
        b'{"jsonrpc":"2.0","method":"notifications/foo","params":[]}\n',
        b'{"id":4,"jsonrpc":"2.0","method":"tools/call","params":{"arguments":{"id":"c1"},"name":"get_item","new":null}}\n',
        b'{"jsonrpc":"2.0","id":5,"method":"ping"}\n',
    ]
    client = world.proxy()

    for line in lines:
        client.send(line)
    for ident in (2, 3, 4, 5):
        client.wait_for_reply(ident)

    init = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\n'
    done = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    assert sorted(client.received[1:]) == sorted(direct(world, [init, done, *lines], (2, 3, 4, 5))[1:])
    assert (world.folder / "input").read_bytes().splitlines(keepends=True)[2:] == lines


def test_only_the_instructions_differ_in_the_answer_to_initialize(world: World) -> None:
    world.write_manifest(servers={"f": world.fake(instructions="Be kind.", capabilities={"tools": {}, "zz": {"n": 1}})})
    client = world.proxy()

    (ours,) = [decode(line)["result"] for line in client.received]
    assert ours["capabilities"] == {"tools": {}, "zz": {"n": 1}}
    assert ours["serverInfo"] == {"name": "fake", "version": "1.0"}
    assert ours["instructions"].startswith("Be kind.\n\n")
    assert "undo layer" in ours["instructions"]


@promise("C014")
@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(ODD, id="unknown blocks and keys"),
        pytest.param({"xNew": 1}, id="no content"),
        pytest.param({"content": {"type": "hologram"}}, id="content that is no list"),
        pytest.param({"content": [7, "x", None]}, id="blocks that are no objects"),
        pytest.param(["done"], id="a list"),
        pytest.param("done", id="a string"),
        pytest.param({}, id="nothing"),
    ],
)
def test_a_write_whose_answer_we_do_not_understand_passes_and_is_never_recorded_as_failed(
    world: World, odd: Any
) -> None:
    world.put(c1={"name": "A"})
    world.behave(rules=[{"tool": "set_item", "result": odd}])
    client = world.proxy()

    reply = client.request(
        "tools/call", {"name": "set_item", "arguments": {"id": "c1", "name": "B"}, "_meta": {"com.example/y": 1}}
    )

    assert reply["result"] == odd
    client.close()
    (action,) = world.cli("show", "--json").json["actions"]
    assert action["status"] == "applied"
    assert world.cli("undo", "--yes").code == 0
    assert world.items == {"c1": {"name": "A"}}


# --- what is refused


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param(b'[{"jsonrpc":"2.0","id":1,"method":"tools/call"}]\n', -32600, id="batch"),
        pytest.param(b"{not json\n", -32700, id="not-json"),
        pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"x","params":NaN}\n', -32700, id="nan"),
        pytest.param(b"42\n", -32600, id="a-number"),
        pytest.param(b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":[]}\n', -32602, id="params-a-list"),
        pytest.param(
            b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":7}}\n', -32602, id="name-a-number"
        ),
        pytest.param(
            b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"get_item","name":"del_item",'
            b'"arguments":{"id":"c1"}}}\n',
            -32602,
            id="name-twice",
        ),
    ],
)
def test_what_cannot_be_read_without_doubt_is_answered_and_not_passed_on(world: World, line: bytes, code: int) -> None:
    world.put(c1={"name": "A"})
    client = world.proxy()

    client.send(line)

    reply = client.wait_for(lambda message: isinstance(message, dict) and "error" in message, "no error")
    assert reply["error"]["code"] == code
    assert client.request("ping")["result"] == {}
    assert world.calls() == []


SECOND_LINE = (
    b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"send_note","arguments":{"to":"a","text":"hi"}}}'
)
WITHIN = {
    "a read": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_item","arguments":{"id":\r%b\r}}}\n',
    "a ping": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":\r%b\r}}\n',
    "a notification": b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":\r%b\r}}\n',
    "an answer": b'{"jsonrpc":"2.0","id":1,"result":\r%b\r}\n',
    "the end": b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r%b\r\n',
}


@pytest.mark.parametrize("line", WITHIN.values(), ids=WITHIN)
def test_a_call_does_not_hide_behind_what_only_the_server_takes_for_a_line_end(world: World, line: bytes) -> None:
    world.put(c1={"name": "A"})
    world.write_manifest(servers={"f": world.fake(universal_lines=True)})
    client = world.proxy()

    client.send(line % SECOND_LINE)

    assert client.call("get_item", {"id": "c1"})["structuredContent"]["name"] == "A", "calls are made in order"
    assert world.calls("send_note") == []
    client.send(b'{"jsonrpc":"2.0","id":"ends","method":"ping"}\r\n')
    assert client.wait_for_reply("ends")["result"] == {}, "at its end it is an ordinary line end"


# --- cancelling


def test_a_call_that_is_cancelled_before_it_left_never_leaves_and_is_not_answered(world: World) -> None:
    world.put(c1={"name": "A"})
    gate = world.folder / "go"
    world.behave(rules=[{"tool": "get_item", "pause_before": str(gate)}])
    client = world.proxy()

    client.send(call(9, "set_item", {"id": "c1", "name": "Z"}))
    wait_for(Path(f"{gate}.reached"), client)
    client.notify("notifications/cancelled", {"requestId": 9})
    gate.touch()

    assert client.request("ping")["result"] == {}
    assert client.close().code == 0
    assert answers(client, 9) == []
    assert world.calls("set_item") == []
    (action,) = world.cli("show", "--json").json["actions"]
    assert action["status"] == "failed"


def test_a_call_that_is_cancelled_after_it_left_is_settled_by_its_late_answer(world: World) -> None:
    world.put(c1={"name": "A"})
    gate = world.folder / "go"
    world.behave(rules=[{"tool": "set_item", "pause_after": str(gate)}])
    client = world.proxy()

    client.send(call(9, "set_item", {"id": "c1", "name": "Z"}))
    wait_for(Path(f"{gate}.reached"), client)
    client.notify("notifications/cancelled", {"requestId": 9})
    gate.touch()

    assert client.close().code == 0
    (action,) = world.cli("show", "--json").json["actions"]
    assert action["status"] == "applied"


def wait_for(path: Path, client: Client) -> None:
    """Until a file is there; the proxy answers pings meanwhile."""
    for _ in range(10_000):
        if path.exists():
            return
        client.request("ping")
    raise AssertionError(f"{path} never came")


# --- C040


def test_two_writes_to_one_record_at_the_same_moment_are_made_one_after_the_other(world: World) -> None:
    world.put(c1={"name": "start"}, c2={"name": "start"})
    world.behave(delay_ms=30, concurrent=True)
    client = world.proxy()

    client.send(
        call(1001, "set_item", {"id": "c1", "name": "A"})
        + call(1002, "set_item", {"id": "c1", "name": "B"})
        + call(1003, "set_item", {"id": "c2", "name": "C"})
    )
    for ident, name in ((1001, "A"), (1002, "B"), (1003, "C")):
        assert f'"name":"{name}"' in text_of(client.wait_for_reply(ident)["result"])
    client.close()

    actions = world.cli("show", "--json").json["actions"]
    of_c1 = [action for action in actions if action["args"]["id"] == "c1"]
    assert [action["args"]["name"] for action in of_c1] == ["A", "B"]
    assert of_c1[1]["before"]["value"] == of_c1[0]["after"]["value"]
    assert world.cli("undo", "--yes").code == 0
    assert world.items == {"c1": {"name": "start"}, "c2": {"name": "start"}}


# --- the eras


@pytest.mark.parametrize("era", ["both", "modern"])
def test_a_client_of_the_per_request_era_is_served_in_it_and_so_are_our_own_reads(world: World, era: str) -> None:
    world.put(c1={"name": "A"})
    world.write_manifest(servers={"f": world.fake(era=era)})
    client = world.start_proxy()
    found = client.discover()

    result = client.call("set_item", {"id": "c1", "name": "B"})
    held = client.call("send_note", {"to": "a", "text": "b"})

    assert "undo layer" in found["instructions"]
    assert result["resultType"] == "complete"
    assert (held["isError"], held["resultType"]) == (True, "complete")
    client.close()
    (applied, _) = world.cli("show", "--json").json["actions"]
    assert applied["status"] == "applied"
    assert world.cli("undo", "--yes").code == 0
    assert world.items["c1"]["name"] == "A"


def test_a_probe_that_a_legacy_server_refuses_leaves_the_handshake_to_the_client(world: World) -> None:
    world.put(c1={"name": "A"})
    client = world.start_proxy()
    client.modern = True
    probe = client.request("server/discover")
    client.modern = False

    client.initialize()

    assert "error" in probe
    assert not client.call("set_item", {"id": "c1", "name": "B"}).get("isError")
