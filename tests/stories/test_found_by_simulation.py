"""What the crash matrix, the seeds and the stateful model found once, each told as a story of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from synartesis.domain.status import ActionStatus, Undone
from synartesis.errors import SynartesisError
from synartesis.guard.answer import PassOn
from synartesis.undo.report import Report, StepReport
from tests.sim.doors import Task
from tests.sim.invariants import DONE_BY_ANOTHER, PUT_BACK, ROUND_TRIP, STALE
from tests.sim.journals import in_memory
from tests.sim.matrix import BEHAVIOURS
from tests.sim.server import ANY_WRITE, LOST, answers, does_it_and_answers, error, result
from tests.sim.simulation import Process, Simulation, UndoTask


@pytest.fixture
def sim() -> Iterator[Simulation]:
    sim = Simulation(in_memory)
    yield sim
    sim.check()
    sim.close()
    assert not sim.violations


def made(sim: Simulation, tool: str, **arguments: object) -> tuple[Process, str]:
    """A call all the way through, by an agent whose proxy then ends."""
    agent = sim.start_agent()
    sim.finish(sim.call(agent, tool, arguments))
    sim.end(agent)
    return agent, agent.runs[-1]


def undone(sim: Simulation, run: str, **options: object) -> UndoTask:
    undo = sim.undo(run, **options)
    sim.finish(undo.task)
    sim.leave(undo.process)
    return undo


def report_of(undo: UndoTask) -> Report:
    assert isinstance(undo.task.result, Report)
    return undo.task.result


def only_step(undo: UndoTask) -> StepReport:
    [step] = report_of(undo).steps
    return step


def test_after_a_redo_that_was_killed_before_it_was_proved_the_run_is_not_called_undone(sim: Simulation) -> None:
    _, run = made(sim, "set_item", id="c1", plan="free")
    undo = undone(sim, run)
    redo = sim.undo(undo.undo_run)
    sim.until(redo.task, "before journal.record_finding")
    sim.kill(redo.process)
    assert sim.server.records["c1"]["plan"] == "free"

    again = undone(sim, run)

    assert isinstance(again.task.error, SynartesisError)
    assert f"run {redo.undo_run}" in again.task.error.message
    assert f"synartesis redo {undo.undo_run}" in again.task.error.hint

    finished = undone(sim, undo.undo_run)
    assert report_of(finished).status == "undone"
    assert only_step(undone(sim, run)).outcome is Undone.RESTORED
    assert sim.server.records["c1"]["plan"] == "pro"


def test_a_refusal_that_no_read_could_check_is_called_so_when_the_run_is_undone(sim: Simulation) -> None:
    sim.server.next(ANY_WRITE, does_it_and_answers(error("timeout")))
    _, run = made(sim, "charge", amount=3)
    assert sim.server.account == 3

    assert only_step(undone(sim, run)).reason == "was refused by the server, not checked"


def test_a_refusal_that_was_checked_is_a_refusal(sim: Simulation) -> None:
    sim.server.next(ANY_WRITE, answers(error("locked")))
    _, run = made(sim, "set_item", id="c1", plan="free")

    assert only_step(undone(sim, run)).reason == "was refused by the server"


def test_what_was_offset_unverified_by_an_undo_that_was_killed_stays_unverified(sim: Simulation) -> None:
    _, run = made(sim, "charge", amount=3)
    sim.server.next(ANY_WRITE, answers(result({"amount": 3})))
    undo = sim.undo(run)
    sim.until(undo.task, "behind journal.record_finding")
    sim.kill(undo.process)
    assert sim.server.account == 3, "the server had only said that it did it"

    assert only_step(undone(sim, run)).reason == "undone before [unverified]"


def test_a_call_that_is_opened_while_its_run_is_looked_at_stops_the_undo(sim: Simulation) -> None:
    agent = sim.start_agent()
    sim.finish(sim.call(agent, "set_item", {"id": "c1", "plan": "free"}))
    undo = sim.until(sim.undo(agent.runs[0]).task, "before journal.open_run")
    late = sim.until(sim.call(agent, "set_item", {"id": "c2", "plan": "free"}), "before journal.mark_sent")

    assert isinstance(sim.finish(undo).error, SynartesisError)
    assert isinstance(sim.finish(late).result, PassOn)
    assert sim.server.records["c1"]["plan"] == "free"


def test_a_run_that_goes_on_while_it_is_looked_at_is_not_undone_by_that_plan(sim: Simulation) -> None:
    agent = sim.start_agent()
    sim.finish(sim.call(agent, "set_item", {"id": "c1", "plan": "free"}))
    undo = sim.until(sim.undo(agent.runs[0]).task, "before journal.open_run")
    sim.finish(sim.call(agent, "set_item", {"id": "c2", "plan": "free"}))

    error = sim.finish(undo).error

    assert isinstance(error, SynartesisError)
    assert "went on while the undo looked at it (#2 f.set_item); nothing was undone" in error.message
    assert sim.server.records["c1"]["plan"] == "free"


def test_a_call_that_was_refused_while_the_undo_looked_may_have_been_made_and_is_not_left_out(sim: Simulation) -> None:
    agent = sim.start_agent()
    sim.finish(sim.call(agent, "charge", {"amount": 1}))
    undo = sim.until(sim.undo(agent.runs[0]).task, "before journal.open_run")
    sim.server.next(ANY_WRITE, does_it_and_answers(error("not today")))
    sim.finish(sim.call(agent, "create_item", {"name": "Ada"}))

    stopped = sim.finish(undo).error

    assert isinstance(stopped, SynartesisError)
    assert "went on while the undo looked at it (#2 f.create_item)" in stopped.message


def test_of_two_undos_that_begin_at_the_same_moment_the_second_is_told(sim: Simulation) -> None:
    _, run = made(sim, "charge", amount=3)
    first, second = [sim.until(sim.undo(run).task, "before journal.open_run") for _ in range(2)]
    sim.until(first, "behind journal.mark_sent")

    told = sim.finish(second).error

    assert isinstance(told, SynartesisError)
    assert "is being undone right now" in told.message
    assert report_of(sim.undos[sim.finish(first).name]).status == "undone"
    assert sim.server.account == 0


def test_a_call_that_is_about_to_be_sent_stops_the_undo_of_its_run(sim: Simulation) -> None:
    agent = sim.start_agent()
    sim.finish(sim.call(agent, "set_item", {"id": "c1", "plan": "free"}))
    late = sim.until(sim.call(agent, "set_item", {"id": "c2", "plan": "free"}), "before journal.mark_sent")

    report = report_of(undone(sim, agent.runs[0]))

    assert report.halted is not None
    assert report.halted.seq == 2
    assert "is about to be sent" in report.halted.detail
    sim.finish(late)
    assert report_of(undone(sim, agent.runs[0])).status == "undone"


def test_a_call_that_is_not_answered_yet_stops_the_undo_and_nobody_is_asked_to_settle_it(sim: Simulation) -> None:
    agent = sim.start_agent()
    late = sim.until(sim.call(agent, "set_item", {"id": "c2", "plan": "free"}), "behind journal.mark_sent")

    for unchecked in (frozenset[int](), frozenset({1})):
        undo = undone(sim, agent.runs[0], unchecked=unchecked)
        report = report_of(undo)
        assert report.halted is not None
        assert "is not answered yet" in report.halted.detail
        assert only_step(undo).settle == ""
    sim.finish(late)
    assert report_of(undone(sim, agent.runs[0])).status == "undone"


# --- what no undo layer can know: called by its name, and nothing else is


def test_what_somebody_wrote_between_a_deletion_and_its_read_does_not_come_back_and_is_called_so(
    sim: Simulation,
) -> None:
    one, other = sim.start_agent(), sim.start_agent()
    deletion = sim.until(sim.call(one, "del_item", {"id": "c1"}), "before journal.mark_sent")
    sim.finish(sim.call(other, "put_item", {"id": "c1", "record": {"name": "Eve", "plan": "free"}}))
    sim.finish(deletion)

    assert report_of(undone(sim, one.runs[0])).status == "undone"
    assert sim.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": ""}, "as the deletion had read it"
    assert {why for why, _ in sim.chronicle.excused} == {ROUND_TRIP}


def test_of_two_calls_that_move_the_same_thing_at_once_either_may_be_taken_for_the_one_that_did(
    sim: Simulation,
) -> None:
    one, other = sim.start_agent(), sim.start_agent()
    move = {"source": "c1", "destination": "c9"}
    second = sim.until(sim.call(other, "move_item", move), "before journal.mark_sent")
    sim.server.next(ANY_WRITE, does_it_and_answers(LOST))
    sim.finish(sim.call(one, "move_item", move))
    sim.finish(second)
    sim.end(one)

    assert report_of(undone(sim, other.runs[0])).status == "undone"
    assert "c9" not in sim.server.records
    assert report_of(undone(sim, one.runs[0])).status == "undone"
    assert sim.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": ""}
    sim.check()
    assert {why for why, _ in sim.chronicle.excused} == {ROUND_TRIP, PUT_BACK}


def test_an_inverse_that_somebody_made_by_hand_after_its_answer_was_lost_counts_as_made(sim: Simulation) -> None:
    _, run = made(sim, "set_item", id="c1", plan="free")
    sim.server.next(ANY_WRITE, answers(LOST))
    undone(sim, run)
    sim.edit("c1", plan="pro")

    assert only_step(undone(sim, run)).outcome is Undone.ALREADY
    sim.check()
    assert {why for why, _ in sim.chronicle.excused} == {DONE_BY_ANOTHER}


def test_a_refusal_that_an_older_state_seems_to_confirm_is_taken_for_one(sim: Simulation) -> None:
    before = result(dict(sim.server.records["c1"]))
    sim.server.next(ANY_WRITE, does_it_and_answers(error("timeout")))
    agent = sim.start_agent()
    call = sim.until(sim.call(agent, "del_item", {"id": "c1"}), "behind upstream.call a write")
    sim.server.next("get_item", answers(before), times=4)
    sim.finish(call)
    sim.end(agent)

    sim.check()
    assert [row.status for row in sim.journals.rows()] == [ActionStatus.REJECTED]
    assert only_step(undone(sim, agent.runs[0])).reason == "was refused by the server"
    assert {why for why, _ in sim.chronicle.excused} == {STALE}


def test_a_step_that_was_proved_stays_proved_when_somebody_writes_before_the_next_one_is_looked_at(
    sim: Simulation,
) -> None:
    agent = sim.start_agent()
    for plan in ("free", "team"):
        sim.finish(sim.call(agent, "put_item", {"id": "c9", "record": {"plan": plan}}))
    sim.end(agent)
    undo = sim.undo(agent.runs[0])
    sim.until(undo.task, "behind journal.record_finding")
    sim.delete("c9")
    sim.finish(undo.task)

    assert [step.outcome for step in report_of(undo).steps] == [Undone.RESTORED, Undone.ALREADY]


def left_behind(sim: Simulation, task: Task) -> Process:
    """Killed in the middle of a call that its server will do when it ends."""
    sim.server.next(ANY_WRITE, BEHAVIOURS["does it after the pipe died"](sim))
    sim.until(task, "behind upstream.call a write")
    process = next(one for one in sim.processes if task in one.tasks)
    sim.kill(process, server_outlives=True)
    return process


def test_what_a_server_that_was_left_behind_does_late_is_not_called_never_done(sim: Simulation) -> None:
    agent = sim.start_agent()
    left_behind(sim, sim.call(agent, "set_item", {"id": "c1", "plan": "free"}))

    stopped = report_of(undone(sim, agent.runs[0]))
    sim.end_server(agent)
    late = report_of(undone(sim, agent.runs[0]))

    assert stopped.halted is not None
    assert "still runs" in stopped.halted.detail
    assert late.halted is not None
    assert late.halted.reason == "unknown"


def test_an_inverse_that_a_server_was_left_behind_with_is_not_sent_again(sim: Simulation) -> None:
    agent = sim.start_agent()
    sim.finish(sim.call(agent, "set_item", {"id": "c1", "plan": "free"}))
    sim.end(agent)
    server_of = left_behind(sim, sim.undo(agent.runs[0]).task)

    stopped = report_of(undone(sim, agent.runs[0]))
    sim.end_server(server_of)
    done = report_of(undone(sim, agent.runs[0]))

    assert stopped.halted is not None
    assert "an earlier undo sent its inverse" in stopped.halted.detail
    assert done.status == "undone"
