"""What an earlier undo has made, as the record tells it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from synartesis.domain.records import Action
from synartesis.undo.plan import target_of
from synartesis.undo.recover import Record
from synartesis.undo.several import calls_made
from tests.sim.world import World, result


class PrunedUndo:
    """A journal in which the undo runs were pruned, and the run itself was not: it went on for longer."""

    def __init__(self, world: World) -> None:
        self._journal = world.journal

    def inverses_of(self, action: str) -> list[Action]:
        gone: dict[str, Any] = {"arguments": b"", "read": None, "inverse": None, "pruned": True}
        return [inverse._replace(**gone) for inverse in self._journal.inverses_of(action)]


def test_an_attempt_that_failed_and_was_pruned_may_have_been_any_call(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.server.records = {"c1": {"name": "Ada", "plan": "pro"}}
    world.agent("set_item", id="c1", plan="free")
    world.server.next("set_item", lambda call, carry_out: result({}))
    assert ["mismatch"] == [step.outcome for step in world.undo().steps]
    [action] = [one for one in world.actions() if one.tool == "set_item"]

    assert calls_made(target_of(action), cast(Record, PrunedUndo(world))) == (0,)
