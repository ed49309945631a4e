"""An answer of megabytes is passed on unread, and recorded for what it is all the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.world import World

TEXT = "x" * 2_000_000


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        pytest.param({"text": TEXT}, "applied", id="a result"),
        pytest.param({"text": TEXT + '"isError":true'}, "applied", id="a result that ends with the words of an error"),
        pytest.param({"error": TEXT}, "rejected", id="an error result"),
        pytest.param({"rpc_error": {"code": -32603, "message": TEXT}}, "rejected", id="a protocol error"),
    ],
)
def test_a_large_answer_to_a_read_is_recorded_for_what_it_is(world: World, rule: dict[str, Any], status: str) -> None:
    world.put(c1={"name": "A"})
    world.behave(rules=[{"tool": "get_item", **rule}])
    client = world.proxy()

    reply = client.request("tools/call", {"name": "get_item", "arguments": {"id": "c1"}})

    assert len(str(reply)) > len(TEXT)
    client.close()
    (action,) = world.cli("show", "--json").json["actions"]
    assert action["status"] == status
