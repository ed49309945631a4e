"""The toy CRM through real pipes: what the demo, and everybody who reads it as an example, relies on."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.support.client import Client
from tests.support.world import ROOT

ENV = {"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "crm.json"


@pytest.fixture
def crm(state: Path) -> Iterator[Client]:
    with Client.start([sys.executable, "-m", "synartesis.demo.toy_crm", "--state", state], env=ENV) as client:
        yield client


def customers(state: Path) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(state.read_bytes())["customers"]
    return found


def test_it_opens_with_ada_grace_and_alan(crm: Client) -> None:
    crm.initialize()

    found = crm.call("list_customers")["structuredContent"]["customers"]

    assert [(c["id"], c["name"], c["plan"]) for c in found] == [
        ("c_001", "Ada Lovelace", "pro"),
        ("c_002", "Grace Hopper", "enterprise"),
        ("c_003", "Alan Turing", "free"),
    ]
    assert all(set(c) == {"id", "name", "email", "plan", "notes"} for c in found)


def test_an_update_changes_only_the_fields_it_names(crm: Client, state: Path) -> None:
    crm.initialize()
    before = customers(state)["c_001"]

    result = crm.call("update_customer", {"id": "c_001", "plan": "free"})

    assert result["structuredContent"] == {"id": "c_001", **before, "plan": "free"}
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert customers(state)["c_001"] == before | {"plan": "free"}


def test_what_is_put_back_leaves_the_very_same_bytes(crm: Client, state: Path) -> None:
    crm.initialize()
    grace = crm.call("get_customer", {"id": "c_002"})["structuredContent"]
    before = state.read_bytes()

    crm.call("delete_customer", {"id": "c_002"})
    created = crm.call("create_customer", {"name": "Kurt Gödel", "email": "kurt@example.com"})["structuredContent"]
    crm.call("update_customer", {"id": "c_001", "notes": "another"})
    assert state.read_bytes() != before
    crm.call("update_customer", {"id": "c_001", "notes": "Prefers letters."})
    crm.call("delete_customer", {"id": created["id"]})
    crm.call("restore_customer", grace)

    assert state.read_bytes() == before


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        pytest.param("get_customer", {"id": "c_009"}, "no customer c_009", id="nobody there to read"),
        pytest.param(
            "update_customer", {"id": "c_009", "plan": "pro"}, "no customer c_009", id="nobody there to update"
        ),
        pytest.param("delete_customer", {"id": "c_009"}, "no customer c_009", id="nobody there to delete"),
        pytest.param("delete_customer", {}, "id is missing", id="a required argument is missing"),
        pytest.param("update_customer", {"id": "c_001", "age": "9"}, "age is not known here", id="an unknown field"),
        pytest.param("update_customer", {"id": "c_001", "plan": "gold"}, "plan must be one of", id="an unknown plan"),
        pytest.param("update_customer", {"id": "c_001", "notes": None}, "notes must be text", id="not a text"),
        pytest.param(
            "restore_customer",
            {"id": "c_001", "name": "", "email": "", "plan": "pro", "notes": ""},
            "there is a customer c_001 already",
            id="somebody is there",
        ),
    ],
)
def test_a_refusal_is_an_error_result_and_changes_nothing(
    crm: Client, state: Path, tool: str, arguments: dict[str, Any], said: str
) -> None:
    crm.initialize()
    before = state.read_bytes()

    result = crm.call(tool, arguments)

    assert result["isError"] is True
    assert said in result["content"][0]["text"]
    assert state.read_bytes() == before


def test_a_tool_it_does_not_have_is_an_error_of_the_protocol(crm: Client) -> None:
    crm.initialize()

    assert crm.request("tools/call", {"name": "drop_customers"})["error"]["code"] == -32602


def test_each_email_lands_in_the_outbox_once(crm: Client, state: Path) -> None:
    crm.initialize()

    crm.call("send_email", {"to": "ada@example.com", "subject": "Hello", "body": "World"})

    assert json.loads(state.read_bytes())["outbox"] == [{"to": "ada@example.com", "subject": "Hello", "body": "World"}]


def test_an_edit_by_hand_is_seen_at_once(crm: Client, state: Path) -> None:
    crm.initialize()
    data = json.loads(state.read_bytes())
    data["customers"]["c_001"]["notes"] = "a human wrote this"
    state.write_text(json.dumps(data), encoding="utf-8")

    assert crm.call("get_customer", {"id": "c_001"})["structuredContent"]["notes"] == "a human wrote this"


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_handshake_takes_every_revision_that_has_one(crm: Client, version: str) -> None:
    assert crm.initialize(version)["protocolVersion"] == version


def test_without_a_handshake_every_answer_is_whole_in_itself(crm: Client) -> None:
    found = crm.discover()
    listed = crm.request("tools/list")["result"]
    read = crm.call("get_customer", {"id": "c_001"})

    assert found["supportedVersions"] == ["2026-07-28"]
    for result in (found, listed, read):
        assert result["resultType"] == "complete"
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "toy-crm"
    for cacheable in (found, listed):
        assert cacheable["cacheScope"] == "public"
        assert cacheable["ttlMs"] > 0


def test_an_envelope_that_is_not_complete_is_refused(crm: Client) -> None:
    version = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    crm.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": version}})
    version = {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    crm.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": version}})

    assert crm.wait_for_reply(1)["error"]["code"] == -32602
    assert crm.wait_for_reply(2)["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param(b"{not json\n", -32700, id="not JSON"),
        pytest.param(b"[]\n", -32600, id="not an object"),
        pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}\n', -32602, id="params in a list"),
        pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"foo/bar"}\n', -32601, id="an unknown method"),
    ],
)
def test_a_line_that_is_no_request_is_answered_and_the_next_one_works(crm: Client, line: bytes, code: int) -> None:
    crm.send(line)
    crm.send({"jsonrpc": "2.0", "id": "next", "method": "ping"})

    assert crm.wait_for_reply("next")["result"] == {}
    assert [message["error"]["code"] for message in crm.messages() if "error" in message] == [code]


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])
@pytest.mark.anyio
async def test_the_reference_client_reads_and_writes_in_either_era(state: Path, mode: str) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "synartesis.demo.toy_crm", "--state", str(state)], env=ENV
    )
    async with mcp.Client(stdio_client(server), mode=mode) as client:
        tools = (await client.list_tools()).tools
        result = await client.call_tool("update_customer", {"id": "c_003", "plan": "pro"})
        refused = await client.call_tool("get_customer", {"id": "c_009"})

    assert [tool.name for tool in tools if tool.annotations and tool.annotations.read_only_hint] == [
        "get_customer",
        "list_customers",
    ]
    assert result.structured_content is not None
    assert result.structured_content["plan"] == "pro"
    assert refused.is_error
    assert customers(state)["c_003"]["plan"] == "pro"
