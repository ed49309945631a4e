from __future__ import annotations

import asyncio

import pytest

from synartesis.domain.ports import TurnTimeout
from synartesis.relay.turns import ResourceTurns


def test_writers_of_one_resource_go_in_the_order_in_which_they_asked() -> None:
    async def story() -> list[str]:
        turns, told = ResourceTurns(), list[str]()

        async def write(name: str) -> None:
            async with turns.turn("c1", of=name):
                told.append(f"{name} starts")
                await asyncio.sleep(0)
                told.append(f"{name} ends")

        await asyncio.gather(write("a"), write("b"), write("c"))
        return told

    assert asyncio.run(story()) == ["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]


def test_two_resources_do_not_wait_for_each_other() -> None:
    async def story() -> None:
        turns = ResourceTurns()
        async with turns.turn("c1", of="a"), turns.turn("c2", of="b"):
            pass

    asyncio.run(story())


def test_one_who_waits_too_long_is_told_who_has_the_turn_and_the_turn_goes_on() -> None:
    async def story() -> str:
        turns = ResourceTurns(timeout_s=0)
        async with turns.turn("c1", of="slow"):
            with pytest.raises(TurnTimeout) as raised:
                async with turns.turn("c1", of="late"):
                    pass
        async with turns.turn("c1", of="next"):
            return raised.value.blocker

    assert asyncio.run(story()) == "slow"


def test_a_cancelled_one_leaves_the_queue_and_the_next_gets_the_turn() -> None:
    async def story() -> list[str]:
        turns, told = ResourceTurns(), list[str]()
        release = asyncio.Event()

        async def hold() -> None:
            async with turns.turn("c1", of="first"):
                await release.wait()

        async def want(name: str) -> None:
            async with turns.turn("c1", of=name):
                told.append(name)

        first = asyncio.create_task(hold())
        await asyncio.sleep(0)
        second, third = asyncio.create_task(want("second")), asyncio.create_task(want("third"))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.sleep(0)
        release.set()
        await asyncio.gather(first, third)
        return told

    assert asyncio.run(story()) == ["third"]
