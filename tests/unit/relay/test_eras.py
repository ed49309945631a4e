from __future__ import annotations

import json

from synartesis.domain.status import Era
from synartesis.relay.eras import Opening

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "3"},
    "io.modelcontextprotocol/logLevel": "debug",
    "progressToken": 4,
}
MODERN = json.dumps({"name": "x", "_meta": META}).encode()


def test_a_probe_decides_nothing() -> None:
    opening = Opening()

    assert not opening.note_request("server/discover", MODERN)
    assert opening.era is None


def test_the_first_modern_request_decides_and_our_reads_carry_what_it_said() -> None:
    opening = Opening()

    assert opening.note_request("tools/list", MODERN)

    assert opening.era is Era.PER_REQUEST
    assert json.loads(opening.own_params({"name": b'"get"'})) == {
        "name": "get",
        "_meta": {name: value for name, value in META.items() if name.endswith(("Version", "Capabilities", "Info"))},
    }


def test_after_a_handshake_nothing_is_put_into_our_reads() -> None:
    opening = Opening()
    opening.decide_handshake(b'{"protocolVersion":"2025-06-18"}')

    assert not opening.note_request("tools/list", MODERN)
    assert opening.own_params({"cursor": b'"2"'}) == b'{"cursor":"2"}'


def test_what_was_recorded_opens_a_server_again_in_the_same_words() -> None:
    params = b'{"protocolVersion":"2024-11-05","capabilities":{"roots":{}},"clientInfo":{"name":"a","version":"1"},"zz":1.10}'
    opening = Opening()
    opening.decide_handshake(params)
    opening.note_roots(b'{"roots":[{"uri":"file:///w"}]}')

    again = Opening.from_json(Era.HANDSHAKE, opening.to_json())

    assert again.params == params
    assert again.roots == b'{"roots":[{"uri":"file:///w"}]}'
    assert again.agent() == "a 1"


def test_a_modern_opening_comes_back_with_its_envelope() -> None:
    opening = Opening()
    opening.note_request("tools/list", MODERN)

    again = Opening.from_json(Era.PER_REQUEST, opening.to_json())

    assert again.own_params({}) == opening.own_params({})
    assert json.loads(opening.to_json())["protocolVersion"] == "2026-07-28"
    assert again.agent() == "agent 3"


def test_where_nothing_was_recorded_we_open_in_our_own_name() -> None:
    opening = Opening.from_json(None, b"")

    assert opening.era is Era.HANDSHAKE
    assert json.loads(opening.params)["clientInfo"]["name"] == "synartesis"
