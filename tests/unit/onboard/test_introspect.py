"""Servers asked side by side: one that is silent or dead costs the others nothing."""

from __future__ import annotations

import asyncio
from typing import Any

from synartesis.errors import ServerUnavailable
from synartesis.onboard.introspect import Offer, introspect, tool_names


class Servers:
    """`slow` starts only once `quick` has been asked; so a start in turn would never end."""

    def __init__(self) -> None:
        self.quick_was_asked = asyncio.Event()

    async def start(self, server: str, *, patience_s: float) -> None:
        if server == "slow":
            await self.quick_was_asked.wait()
        if server == "dead":
            raise ServerUnavailable('server "dead" ended (exit code 3); it said: "boom"', hint="look")

    async def tools(self, server: str) -> list[dict[str, Any]]:
        self.quick_was_asked.set()
        if server == "mute":
            raise ServerUnavailable("it does not list its tools")
        return [{"name": f"{server}_tool"}]


def test_all_are_started_at_once_and_each_answers_for_itself() -> None:
    async def ask() -> list[Offer]:
        return await asyncio.wait_for(introspect(Servers(), ["slow", "dead", "mute", "quick"]), 10)

    assert [
        Offer("slow", [{"name": "slow_tool"}]),
        Offer("dead", None, 'server "dead" ended (exit code 3); it said: "boom"', "look"),
        Offer("mute", None, "it does not list its tools"),
        Offer("quick", [{"name": "quick_tool"}]),
    ] == asyncio.run(ask())


def test_names_come_once_and_what_has_none_is_left_out() -> None:
    assert ["a", "b"] == tool_names([{"name": "a"}, {}, {"name": 7}, {"name": ""}, {"name": "b"}, {"name": "a"}])
