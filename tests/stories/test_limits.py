"""A rule that lets so many calls through in a day, and asks about each one more."""

from __future__ import annotations

from synartesis.domain.status import ApprovalStatus
from tests.sim.world import World

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.get_item"
    class: readonly
    limit: 1
  - match: "f.set_item"
    class: reversible
    limit: 2
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
  - match: "f.send_note"
    class: irreversible
    gate: never
    limit: 1
"""


def test_one_call_more_than_the_limit_is_held_and_says_why(world: World) -> None:
    world.rules(RULES)

    told = [world.agent("set_item", id="c1", plan=plan) for plan in ("free", "pro", "enterprise")]

    assert told[:2] == [None, None]
    assert "HELD" in (told[2] or "")
    assert "has made 2 such calls within 24 hours, and the rule lets 2 through unasked" in (told[2] or "")
    assert world.server.records["c1"]["plan"] == "pro"


def test_a_new_run_does_not_start_counting_anew_and_a_day_later_it_does(world: World) -> None:
    world.rules(RULES)
    world.agent("send_note", to="a", text="one")
    world.new_run()

    assert "HELD" in (world.agent("send_note", to="a", text="two") or "")
    world.pass_time(hours=25)
    assert world.agent("send_note", to="a", text="two") is None


def test_what_was_approved_goes_out_and_counts(world: World) -> None:
    world.rules(RULES)
    world.agent("send_note", to="a", text="one")
    world.agent("send_note", to="a", text="two")
    world.approve()

    assert world.agent("send_note", to="a", text="two") is None
    assert "has made 2 such calls" in (world.agent("send_note", to="a", text="three") or "")
    assert [note["text"] for note in world.server.outbox] == ["one", "two"]


def test_a_call_that_was_held_or_denied_does_not_count(world: World) -> None:
    world.rules(RULES)
    for text in ("one", "two", "three"):
        world.agent("send_note", to="a", text=text)
    for request in world.journal.approvals([ApprovalStatus.WAITING]):
        world.journal.decide(request.id, grant=False, by="ada", reason="")
    world.agent("send_note", to="a", text="two")

    assert "has made one such call" in (world.agent("send_note", to="a", text="four") or "")


def test_each_tool_has_its_own_count(world: World) -> None:
    world.rules(RULES)
    world.agent("send_note", to="a", text="one")

    assert world.agent("set_item", id="c1", plan="free") is None
    assert world.agent("get_item", id="c1") is None
    assert "HELD" in (world.agent("get_item", id="c1") or "")
