"""A read of ours that is never answered: it could not be read, and whoever waits behind it hears of that."""

from __future__ import annotations

import asyncio

from synartesis.domain.calls import ReplyLost, ResolvedCall, SendOutcome
from synartesis.domain.names import Tool
from synartesis.policy.reader import read_manifest
from synartesis.relay.connect import connect
from synartesis.relay.log import Log
from tests.support.world import World


def test_a_read_that_is_never_answered_is_given_up_and_the_next_call_goes_on(world: World) -> None:
    world.items["c1"] = {"name": "Ada"}
    world.behave(rules=[{"tool": "get_item", "times": 1, "silent": True}])

    async def read_twice() -> list[SendOutcome]:
        manifest = read_manifest(world.manifest)
        async with connect(manifest, era=None, opening=b"", log=Log("error")) as servers:
            read = ResolvedCall(Tool("f", "get_item"), {"id": "c1"}, patience_s=0.3)
            return [await servers.call(read), await servers.call(read)]

    first, second = asyncio.run(read_twice())

    assert isinstance(first, ReplyLost)
    assert "did not answer within 0.3 s" in first.why
    assert not isinstance(second, ReplyLost)
