"""A request says what the call would meet: the state now, what the rule has to say, and how often such calls were made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from synartesis.domain.calls import ResolvedCall, SendOutcome
from synartesis.domain.canonical import decode_json
from synartesis.domain.records import Approval
from synartesis.domain.status import ApprovalStatus
from synartesis.guard.looking import LOOK_PATIENCE_S
from tests.sim.world import LOST, World, answers

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    gate: always
    note: "c1 is the customer who pays for all of this"
    residue: "the customer gets an e-mail about it"
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
  - match: "f.del_item"
    class: irreversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
  - match: "f.send_note"
    class: irreversible
"""


def asked(world: World) -> Approval:
    (request,) = world.journal.approvals([ApprovalStatus.WAITING])
    return request


def seen(world: World) -> tuple[str, Any]:
    captured = asked(world).seen
    assert captured is not None
    assert captured.read.tool == "get_item"
    answer = decode_json(captured.image.answer or b"null")
    return captured.image.state, answer.get("structuredContent") if answer else None


def test_the_state_is_read_once_for_a_call_that_is_held_before_any_read(world: World) -> None:
    world.rules(RULES)
    told = [world.agent("set_item", id="c1", plan="free") for _ in range(3)]

    assert all("HELD" in (each or "") for each in told)
    assert seen(world) == ("present", world.server.records["c1"])
    assert asked(world).says.splitlines() == [
        "c1 is the customer who pays for all of this",
        "An undo cannot take back: the customer gets an e-mail about it",
    ]
    assert [tool for tool, _ in world.server.calls] == ["get_item"], "an agent that repeats itself makes no more reads"


def test_nothing_there_is_told_as_such(world: World) -> None:
    world.rules(RULES)
    world.agent("del_item", id="nobody")

    assert seen(world)[0] == "absent"


def test_a_read_that_came_before_the_hold_is_not_made_again(world: World) -> None:
    world.agent("set_item", id="nobody", plan="free")

    assert seen(world)[0] == "absent"
    assert [tool for tool, _ in world.server.calls] == ["get_item"]


def test_a_read_that_fails_holds_the_call_all_the_same(world: World) -> None:
    world.rules(RULES)
    world.server.next("get_item", answers(LOST))

    assert "HELD" in (world.agent("del_item", id="c1") or "")

    assert seen(world) == ("unreadable", None)
    assert asked(world).seen[1].why  # type: ignore[index]


def test_a_silent_server_does_not_keep_the_agent_waiting(world: World) -> None:
    patience: list[float | None] = []

    def answers_never(call: ResolvedCall, carry_out: Callable[[], SendOutcome]) -> SendOutcome:
        patience.append(call.patience_s)
        return LOST

    world.rules(RULES)
    world.server.next("get_item", answers_never)

    world.agent("del_item", id="c1")

    assert patience == [LOOK_PATIENCE_S]


def test_without_a_declared_read_nothing_is_read(world: World) -> None:
    world.rules(RULES)
    world.agent("send_note", to="a", text="hi")

    assert asked(world).seen is None
    assert world.server.calls == []


def test_how_many_such_calls_the_client_made_is_counted_up_to_the_request(world: World) -> None:
    world.rules(RULES)
    for number in range(3):
        world.agent("send_note", to="a", text=f"note {number}")
        world.approve()
        assert world.agent("send_note", to="a", text=f"note {number}") is None
    world.new_run()
    world.agent("send_note", to="a", text="one more")

    assert asked(world).made == 3
