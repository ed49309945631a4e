"""One call, as the guard makes it: what leaves, what is recorded, what the agent is told."""

from __future__ import annotations

import pytest

from synartesis.domain.calls import MAX_STATE_BYTES
from synartesis.domain.records import Image
from tests.sim.world import (
    LOST,
    NEVER_ARRIVED,
    World,
    answers,
    does_it_and_answers,
    error,
    protocol_error,
    result,
)


def test_a_write_is_made_once_between_two_reads_and_its_undo_is_literal(world: World) -> None:
    assert world.agent("set_item", id="c1", plan="free") is None

    assert [name for name, _ in world.server.calls] == ["get_item", "set_item", "get_item"]
    [action] = world.actions()
    assert action.status == "applied"
    assert action.inverse is not None
    assert action.inverse[0].arguments == b'{"id":"c1","name":"Ada","plan":"pro"}'
    assert action.inverse[0].restores == ("name", "plan")


def test_a_tool_that_no_rule_mentions_is_held(world: World) -> None:
    told = world.agent("drop_everything", id="c1")

    assert told is not None
    assert "No rule of the manifest mentions f.drop_everything" in told
    assert "synartesis approve" in told
    assert world.server.calls == []
    assert world.statuses() == ["held"]


def test_a_write_whose_state_before_is_too_large_to_be_kept_is_refused_and_not_sent(world: World) -> None:
    world.server.next("get_item", answers(result({"name": "a" * MAX_STATE_BYTES, "plan": "pro"})))

    told = world.agent("set_item", id="c1", plan="free")

    assert told is not None
    assert "states of up to 64 MiB are kept and put back" in told
    assert world.server.calls == []
    assert world.statuses() == ["failed"]


def test_a_write_that_leaves_a_state_too_large_to_be_kept_is_refused_before_anything_is_sent(world: World) -> None:
    told = world.agent("set_item", id="c1", plan="a" * MAX_STATE_BYTES)

    assert told is not None
    assert "It has 64.0 MiB of arguments" in told
    assert world.server.calls == []
    assert world.statuses() == ["failed"]


def test_a_state_after_a_write_that_is_too_large_to_be_kept_is_noted(world: World) -> None:
    world.server.next("get_item", answers(result({"name": "Ada", "plan": "pro"})))
    world.server.next("set_item", does_it_and_answers(result({"ok": True})))
    world.server.next("get_item", answers(result({"name": "a" * MAX_STATE_BYTES, "plan": "pro"})))

    assert world.agent("set_item", id="c1", plan="free") is None

    [action] = world.actions()
    assert action.status == "applied"
    assert action.after is not None
    assert (action.after.state, action.after.answer) == ("unreadable", None)
    assert "states of up to 64 MiB" in action.note


FAILED_READS = {
    "rate-limit": error("429 Too Many Requests, retry in 2s"),
    "permission": error("EACCES: permission denied"),
    "timeout": error("timeout"),
    "protocol-error": protocol_error(-32603, "internal error"),
    "lost": LOST,
    "not-delivered": NEVER_ARRIVED,
    "more-pages": result({"name": "Ada", "plan": "pro", "nextCursor": "2"}),
    "binary-as-text": result({"name": "\ufffd\ufffd", "plan": "pro"}),
    "binary-as-text-inside-json": result({"name": '{"body":"\\uFFFD"}', "plan": "pro"}),
}


@pytest.mark.parametrize("seen", FAILED_READS.values(), ids=FAILED_READS)
def test_a_write_whose_state_before_cannot_be_read_is_refused_and_not_sent(world: World, seen: object) -> None:
    world.server.next("get_item", answers(seen))  # type: ignore[arg-type]

    told = world.agent("set_item", id="c1", plan="free")

    assert told is not None
    assert "The read failed" in told
    assert world.server.writes() == []
    assert world.statuses() == ["failed"]


def test_a_text_that_spells_the_escape_of_the_replacement_character_is_a_faithful_text(world: World) -> None:
    world.edit("c1", name=r"if c == '\ufffd': \uFFFD")

    assert world.agent("set_item", id="c1", name="x") is None

    assert world.undo().status == "undone"
    assert world.server.records["c1"]["name"] == r"if c == '\ufffd': \uFFFD"


def test_only_the_declared_words_mean_absence_and_then_the_call_is_held(world: World) -> None:
    told = world.agent("set_item", id="c9", plan="free")

    assert told is not None
    assert "nothing to restore" in told
    assert world.statuses() == ["held"]
    assert world.server.writes() == []


def test_a_record_that_holds_the_words_of_absence_is_present(world: World) -> None:
    world.edit("c1", name="item not found")

    assert world.agent("set_item", id="c1", name="x") is None

    assert world.server.records["c1"]["name"] == "x"


def test_a_field_that_the_state_lacks_is_noticed_before_the_write(world: World) -> None:
    del world.server.records["c1"]["plan"]

    told = world.agent("set_item", id="c1", plan="free")

    assert told is not None
    assert "$snapshot.plan" in told
    assert world.server.writes() == []
    assert world.statuses() == ["held"]


def test_what_was_approved_goes_out_although_it_cannot_be_undone_and_the_record_says_so(world: World) -> None:
    world.agent("set_item", id="c9", plan="free")
    world.approve()
    world.server.next("set_item", answers(result({"created": True})))

    assert world.agent("set_item", id="c9", plan="free") is None

    done = world.actions()[-1]
    assert done.status == "applied"
    assert done.inverse is None
    assert "approved although" in done.note


def test_a_refusal_that_changed_nothing_is_rejected(world: World) -> None:
    world.server.next("set_item", answers(error("plan not allowed")))

    assert world.agent("set_item", id="c1", plan="free") is None

    assert world.statuses() == ["rejected"]


def test_a_refusal_after_which_the_state_moved_counts_as_applied(world: World) -> None:
    world.server.next("set_item", does_it_and_answers(error("timeout while saving")))

    world.agent("set_item", id="c1", plan="free")

    [action] = world.actions()
    assert action.status == "applied"
    assert "the state moved" in action.note
    assert action.inverse is not None


def test_a_lost_answer_leaves_unknown_and_the_agent_is_told_not_to_repeat(world: World) -> None:
    world.server.next("set_item", does_it_and_answers(LOST))

    told = world.agent("set_item", id="c1", plan="free")

    assert told is not None
    assert "Do NOT repeat" in told
    [action] = world.actions()
    assert action.status == "unknown"
    assert isinstance(action.before, Image)
    assert action.before.state == "present"


def test_a_call_that_never_arrived_is_failed(world: World) -> None:
    world.server.next("set_item", answers(NEVER_ARRIVED))

    assert "nothing was changed" in (world.agent("set_item", id="c1", plan="free") or "")

    assert world.statuses() == ["failed"]


def test_an_answer_that_nobody_understands_is_still_an_applied_write(world: World) -> None:
    odd = result({"x": 1})
    world.server.next("set_item", does_it_and_answers(odd))

    assert world.agent("set_item", id="c1", plan="free") is None

    assert world.statuses() == ["applied"]


def test_the_state_after_is_read_again_while_nothing_has_moved_and_no_longer(world: World) -> None:
    lagging = result(dict(world.server.records["c1"]))
    world.server.next("get_item", lambda call, do: do())
    world.server.next("get_item", answers(lagging), times=2)

    world.agent("set_item", id="c1", plan="free")

    assert world.slept_s == [0.05, 0.1]
    [action] = world.actions()
    assert action.after is not None
    assert b"free" in (action.after.answer or b"")


def test_a_call_cancelled_while_its_state_is_read_has_never_left(world: World) -> None:
    class Cancelled(BaseException):
        pass

    def cancel(*_: object) -> object:
        raise Cancelled

    world.server.next("get_item", cancel)  # type: ignore[arg-type]

    with pytest.raises(Cancelled):
        world.agent("set_item", id="c1", plan="free")

    assert world.statuses() == ["failed"]
    assert world.server.writes() == []


def test_the_same_call_after_a_lost_answer_is_asked_about_where_the_first_may_have_been_made(world: World) -> None:
    world.server.next("set_item", does_it_and_answers(LOST))
    world.agent("set_item", id="c1", plan="free")

    told = world.agent("set_item", id="c1", plan="free")

    assert told is not None
    assert "HELD" in told
    assert "its answer was lost" in told
    assert len(world.server.writes()) == 1
    assert world.agent("set_item", id="c1", plan="trial") is None  # another call
    world.approve()
    assert world.agent("set_item", id="c1", plan="free") is None
    assert world.agent("set_item", id="c1", plan="free") is None  # its outcome is known now


def test_the_same_call_after_a_lost_answer_is_made_where_the_first_did_nothing(world: World) -> None:
    world.server.next("set_item", answers(LOST))
    world.agent("set_item", id="c1", plan="free")

    assert world.agent("set_item", id="c1", plan="free") is None

    assert world.statuses() == ["unknown", "applied"]
    assert world.server.records["c1"]["plan"] == "free"


def test_a_creation_whose_answer_was_lost_is_not_made_twice_unasked(world: World) -> None:
    world.server.next("create_item", does_it_and_answers(LOST))
    world.agent("create_item", name="new")

    told = world.agent("create_item", name="new")

    assert told is not None
    assert "HELD" in told
    assert len(world.server.writes()) == 1
