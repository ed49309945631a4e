"""A call that is not done when it is answered: the server asks for input first, or answers with a task."""

from __future__ import annotations

from typing import Any

import pytest

from synartesis.domain.calls import Call, Continuation, Replied, Reply, SendOutcome
from synartesis.domain.canonical import encode_json
from synartesis.domain.names import Tool
from synartesis.guard.answer import PassOn, Tell
from synartesis.guard.paused import Ended, end_task
from tests.sim.world import LOST, RULES, World, answers, drive, error, protocol_error, result

ASKS = {"resultType": "input_required", "inputRequests": {"q": {"method": "elicitation/create"}}}
GAVE = b'{"q":{"action":"accept","content":{"sure":true}}}'


def asks(state: str | None = "s1", **more: Any) -> SendOutcome:
    return Replied(Reply(encode_json(ASKS | ({} if state is None else {"requestState": state}) | more)))


def go_on(world: World, tool: str, state: str | None, /, **arguments: Any) -> PassOn | Tell:
    return drive(world.story_of(Call(Tool("f", tool), arguments, continues=Continuation(state, GAVE))))


# --- questions first


def test_a_call_that_goes_on_is_one_action_and_its_state_is_read_again(world: World) -> None:
    world.server.next("set_item", answers(asks()))
    assert world.agent("set_item", id="c1", plan="free") is None
    assert world.statuses() == ["paused"]
    world.edit("c1", plan="a person's")

    assert isinstance(go_on(world, "set_item", "s1", id="c1", plan="free"), PassOn)

    [action] = world.actions()
    assert action.status == "applied"
    assert action.before is not None
    assert b"a person's" in (action.before.answer or b"")
    assert '{"q":{"action":"accept","content":{"sure":true}}}' in action.note
    assert world.undo().status == "undone"
    assert world.server.records["c1"]["plan"] == "a person's"


def test_there_may_be_many_rounds(world: World) -> None:
    world.server.next("set_item", answers(asks("s1")))
    world.server.next("set_item", answers(asks("s2")))
    world.agent("set_item", id="c1", plan="free")
    go_on(world, "set_item", "s1", id="c1", plan="free")
    assert world.statuses() == ["paused"]

    go_on(world, "set_item", "s2", id="c1", plan="free")

    assert world.statuses() == ["applied"]
    assert world.server.records["c1"]["plan"] == "free"


def test_an_approved_call_goes_on_under_the_same_approval_and_only_that_call(world: World) -> None:
    world.agent("send_note", text="hi")
    world.approve()
    world.server.next("send_note", answers(asks(None)))
    assert world.agent("send_note", text="hi") is None

    assert isinstance(go_on(world, "send_note", None, text="hi"), PassOn)

    assert world.server.outbox == [{"text": "hi"}]
    assert world.statuses() == ["held", "applied"]
    assert isinstance(go_on(world, "send_note", None, text="hi"), Tell)
    assert world.server.outbox == [{"text": "hi"}]


@pytest.mark.parametrize(
    ("state", "arguments"),
    [
        pytest.param("s1 ", {"text": "hi"}, id="another state"),
        pytest.param(None, {"text": "hi"}, id="no state"),
        pytest.param("s1", {"text": "hi!"}, id="other arguments"),
    ],
)
def test_what_is_not_the_same_call_needs_an_approval_of_its_own(
    world: World, state: str | None, arguments: dict[str, Any]
) -> None:
    world.agent("send_note", text="hi")
    world.approve()
    world.server.next("send_note", answers(asks("s1")))
    world.agent("send_note", text="hi")

    told = go_on(world, "send_note", state, **arguments)

    assert isinstance(told, Tell)
    assert "HELD" in told.text
    assert world.server.outbox == []


def test_a_call_that_cannot_go_on_now_can_go_on_later(world: World) -> None:
    world.server.next("set_item", answers(asks()))
    world.agent("set_item", id="c1", plan="free")
    world.server.next("get_item", answers(LOST))
    told = go_on(world, "set_item", "s1", id="c1", plan="free")
    assert isinstance(told, Tell)
    assert "The read failed" in told.text
    assert world.server.writes() == []

    go_on(world, "set_item", "s1", id="c1", plan="free")

    assert world.statuses() == ["applied"]


def test_a_call_that_goes_on_where_nothing_is_left_to_restore_is_not_sent(world: World) -> None:
    world.server.next("set_item", answers(asks()))
    world.agent("set_item", id="c1", plan="free")
    del world.server.records["c1"]

    told = go_on(world, "set_item", "s1", id="c1", plan="free")

    assert isinstance(told, Tell)
    assert "NOT CONTINUED" in told.text
    assert "nothing to restore" in told.text
    assert world.server.writes() == []
    assert world.statuses() == ["paused"]


def test_a_call_that_is_refused_in_its_last_round_is_rejected(world: World) -> None:
    world.server.next("set_item", answers(asks()))
    world.agent("set_item", id="c1", plan="free")
    world.server.next("set_item", answers(error("the user said no")))

    go_on(world, "set_item", "s1", id="c1", plan="free")

    assert world.statuses() == ["rejected"]


def test_a_call_that_is_lost_in_its_last_round_is_unknown(world: World) -> None:
    world.server.next("set_item", answers(asks()))
    world.agent("set_item", id="c1", plan="free")
    world.server.next("set_item", answers(LOST))

    told = go_on(world, "set_item", "s1", id="c1", plan="free")

    assert isinstance(told, Tell)
    assert world.statuses() == ["unknown"]


# --- tasks

OLD_TASK = {"task": {"taskId": "t1", "status": "working"}}
NEW_TASK = {"resultType": "task", "taskId": "t1", "status": "working"}


def end(world: World, reply: SendOutcome, ended: Ended = "completed") -> None:
    assert isinstance(reply, Replied)
    task = world.paused.take_task("f", "t1")
    assert task is not None
    ports = world.ports()
    drive(
        end_task(
            task,
            reply.reply,
            ended,
            journal=ports.journal,
            upstream=ports.upstream,
            clock=ports.clock,
            turns=ports.turns,
        )
    )


@pytest.mark.parametrize("task", [OLD_TASK, NEW_TASK], ids=["2025-11-25", "2026-07-28"])
def test_a_task_is_applied_when_it_ends_and_its_state_is_read_then(world: World, task: dict[str, Any]) -> None:
    world.server.next("set_item", answers(Replied(Reply(encode_json(task)))))
    world.agent("set_item", id="c1", plan="free")
    assert world.statuses() == ["paused"]
    world.edit("c1", plan="free")

    end(world, result({"ok": True}))

    [action] = world.actions()
    assert action.status == "applied"
    assert action.after is not None
    assert b'"free"' in (action.after.answer or b"")
    assert world.undo().status == "undone"
    assert world.server.records["c1"]["plan"] == "pro"


def test_an_inverse_that_needs_the_result_of_a_task_has_it(world: World) -> None:
    world.server.next("create_item", answers(Replied(Reply(encode_json(OLD_TASK)))))
    world.agent("create_item", name="new")
    world.server.records["n1"] = {"name": "new", "plan": "free"}

    end(world, result({"id": "n1"}))

    assert world.undo().status == "undone"
    assert "n1" not in world.server.records


@pytest.mark.parametrize("ended", ["failed", "cancelled"])
def test_a_task_that_failed_and_moved_nothing_is_rejected(world: World, ended: Ended) -> None:
    world.server.next("set_item", answers(Replied(Reply(encode_json(OLD_TASK)))))
    world.agent("set_item", id="c1", plan="free")

    end(world, protocol_error(-1, "no"), ended)

    assert world.statuses() == ["rejected"]


@pytest.mark.parametrize("ended", ["failed", "cancelled"])
def test_a_task_that_failed_and_moved_something_is_applied(world: World, ended: Ended) -> None:
    world.server.next("set_item", answers(Replied(Reply(encode_json(OLD_TASK)))))
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", plan="free")

    end(world, protocol_error(-1, "no"), ended)

    [action] = world.actions()
    assert action.status == "applied"
    assert "but the state moved" in action.note


def test_a_cancelled_task_that_nothing_reads_is_unknown(world: World) -> None:
    world.rules(RULES.replace("class: irreversible\n", "class: irreversible\n    gate: never\n"))
    world.server.next("send_note", answers(Replied(Reply(encode_json(OLD_TASK)))))
    world.agent("send_note", text="hi")

    end(world, protocol_error(-1, "cancelled"), "cancelled")

    assert world.statuses() == ["unknown"]
