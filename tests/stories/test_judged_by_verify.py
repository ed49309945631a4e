"""`verify`: drift is judged by another read than the snapshot, or by one that only the call's own answer makes possible."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from synartesis.domain.calls import ResolvedCall, SendOutcome
from synartesis.domain.records import Image
from synartesis.domain.status import Undone
from synartesis.undo.report import Verdict
from tests.sim.world import LOST, World, answers, does_it_and_answers, error, outcomes, result

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
  - match: "f.move_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.destination"}, absent_when: ["not found"]}
    verify: {tool: "f.get_item", args: {id: "$.source"}, absent_when: ["not found"]}
    inverse_if_absent: {tool: "f.move_item", args: {source: "$.destination", destination: "$.source"}}
  - match: "f.create_item"
    class: compensable
    verify: {tool: "f.get_item", args: {id: "$result.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.del_item", args: {id: "$result.id"}}
"""
MOVE = {"source": "c1", "destination": "c9"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, RULES)
    world.server.records = {
        "c1": {"name": "Ada", "plan": "pro"},
        "c2": {"name": "Grace", "plan": "enterprise"},
    }
    return world


def edited(world: World, old: str, new: str) -> None:
    """The same manifest with one change, from now on."""
    text = world.path.read_text(encoding="utf-8")
    assert old in text
    world.rules(text.replace(old, new))


# --- a read that is made before the call as well


def test_the_snapshot_is_read_first_and_the_other_read_is_before_and_after(world: World) -> None:
    ada = dict(world.server.records["c1"])

    assert world.agent("move_item", **MOVE) is None

    assert world.server.calls == [
        ("get_item", {"id": "c9"}),
        ("get_item", {"id": "c1"}),
        ("move_item", MOVE),
        ("get_item", {"id": "c1"}),
    ]
    [action] = world.actions()
    assert action.read is not None
    assert (action.read.tool, action.read.arguments) == ("get_item", b'{"id":"c1"}')
    assert action.before is not None
    assert action.after is not None
    assert (action.before.state, action.after.state) == ("present", "absent")
    assert ada["name"] in (action.before.answer or b"").decode()
    assert action.captured is not None
    assert (action.captured.read.arguments, action.captured.image.state) == (b'{"id":"c9"}', "absent")


def test_the_other_read_is_what_the_call_is_about_and_whose_turn_it_takes(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("move_item", **MOVE)

    [written, moved] = world.actions()
    assert written.resource == moved.resource
    assert world.turns == [f"{world.identity} {moved.resource}"] * 2


def test_a_moved_thing_that_a_person_deleted_is_never_as_it_was_before(world: World) -> None:
    world.agent("move_item", **MOVE)
    del world.server.records["c9"]

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "refused"
    assert "item not found: c9" in report.halted.detail
    assert list(outcomes(report)) == [(1, "blocked")]


def test_a_moved_thing_that_a_person_moved_back_is_as_it_was_before(world: World) -> None:
    world.agent("move_item", **MOVE)
    world.server.records["c1"] = world.server.records.pop("c9")
    world.server.calls.clear()

    assert list(outcomes(world.undo())) == [(1, "already")]
    assert world.server.writes() == []


def test_what_a_person_put_where_the_moved_thing_was_is_drift_and_nothing_is_sent(world: World) -> None:
    world.agent("move_item", **MOVE)
    world.server.records["c1"] = {"name": "by hand", "plan": "pro"}
    after = copy.deepcopy(world.server.records)
    world.server.calls.clear()

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.writes() == []
    assert world.server.records == after


ORDERS = {
    "write, then move": [("set_item", {"id": "c1", "plan": "free"}), ("move_item", MOVE)],
    "move, then write": [("move_item", MOVE), ("set_item", {"id": "c9", "plan": "free"})],
    "write, move, write": [
        ("set_item", {"id": "c1", "plan": "free"}),
        ("move_item", MOVE),
        ("set_item", {"id": "c9", "plan": "team"}),
    ],
    "move twice": [("move_item", MOVE), ("move_item", {"source": "c9", "destination": "c3"})],
}


@pytest.mark.parametrize("calls", ORDERS.values(), ids=ORDERS)
def test_writes_and_moves_of_one_thing_are_undone_in_one_go(
    world: World, calls: list[tuple[str, dict[str, str]]]
) -> None:
    before = copy.deepcopy(world.server.records)
    for tool, arguments in calls:
        assert world.agent(tool, **arguments) is None

    report = world.undo()

    assert report.status == "undone"
    assert [outcome for _, outcome in outcomes(report)] == ["restored"] * len(calls)
    assert world.server.records == before


def test_the_snapshot_still_decides_whether_something_is_there(world: World) -> None:
    told = world.agent("move_item", source="c1", destination="c2")

    assert told is not None
    assert "Something is there already" in told
    assert world.server.calls == [("get_item", {"id": "c2"})]
    assert world.statuses() == ["held"]


def test_that_the_other_read_finds_nothing_is_an_answer_and_nobody_is_asked(world: World) -> None:
    assert world.agent("move_item", source="none", destination="c9") is None

    assert world.statuses() == ["rejected"]


FAILED_READS = {"refused": error("429 Too Many Requests"), "lost": LOST, "more-pages": result({"nextCursor": "2"})}


@pytest.mark.parametrize("seen", FAILED_READS.values(), ids=FAILED_READS)
def test_a_call_whose_other_read_fails_is_refused_and_not_sent(world: World, seen: SendOutcome) -> None:
    world.server.next("get_item", lambda call, carry_out: carry_out())
    world.server.next("get_item", answers(seen))

    told = world.agent("move_item", **MOVE)

    assert told is not None
    assert "could not be read with f.get_item" in told
    assert world.server.writes() == []
    assert world.statuses() == ["failed"]


def test_an_error_of_a_read_that_declares_no_absence_holds_the_call_and_an_approved_one_can_still_be_undone(
    world: World,
) -> None:
    edited(world, 'args: {id: "$.source"}, absent_when: ["not found"]', 'args: {id: "$.source"}')
    cannot_be_read = error("it is a folder")
    for _ in range(2):
        world.server.next("get_item", lambda call, carry_out: carry_out())
        world.server.next("get_item", answers(cannot_be_read))
    told = world.agent("move_item", **MOVE)
    assert told is not None
    assert "it is a folder" in told
    world.approve()

    assert world.agent("move_item", **MOVE) is None
    assert "approved although" in world.actions()[-1].note
    for _ in range(2):
        world.server.next("get_item", lambda call, carry_out: carry_out())  # still gone, both times that undo looks
    world.server.next("get_item", answers(cannot_be_read))
    report = world.undo()

    assert list(outcomes(report)) == [(2, "restored"), (1, "skip")]
    assert "c1" in world.server.records


def test_a_rule_without_a_snapshot_can_be_judged_all_the_same(world: World) -> None:
    text = world.path.read_text(encoding="utf-8")
    text = text.replace(
        '    snapshot: {tool: "f.get_item", args: {id: "$.destination"}, absent_when: ["not found"]}\n', ""
    )
    world.rules(text.replace("inverse_if_absent:", "inverse:"))
    world.agent("move_item", **MOVE)
    assert world.actions()[0].captured is None

    world.server.records["c1"] = {"name": "by hand"}
    assert [step.verdict for step in world.undo().steps] == [Verdict.DRIFTED]
    del world.server.records["c1"]
    assert world.undo().status == "undone"


# --- what the paths of the snapshot say nothing about


APART = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    verify: {tool: "f.peek_item", args: {id: "$.id"}, ignore: []}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
"""


def test_a_stamp_in_another_read_than_the_snapshot_is_excused_only_where_the_rule_says_so(world: World) -> None:
    clock = itertools.count(1)
    world.server.stamp = lambda record: record.update(version=next(clock))
    world.server.records["c1"]["version"] = 0
    world.rules(APART)
    world.agent("set_item", id="c1", plan="free")

    report = world.undo()

    [step] = report.steps
    assert step.outcome is Undone.MISMATCH
    assert [(one.path, one.kind) for one in step.differences] == [(("version",), "not_restored")]

    world.new_run()
    edited(world, "ignore: []", "ignore: [version]")
    world.agent("set_item", id="c1", plan="team")
    assert world.undo().status == "undone"


def test_replan_rebuilds_the_inverse_from_the_snapshot_and_judges_by_the_other_read(world: World) -> None:
    world.rules(APART)
    edited(world, 'plan: "$snapshot.plan"', 'plan: "$.plan"')
    world.agent("set_item", id="c1", plan="free")
    edited(world, 'plan: "$.plan"', 'plan: "$snapshot.plan"')

    assert world.undo(replan=True).status == "undone"
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro"}


@pytest.mark.parametrize(
    ("before", "today"),
    [(APART, APART.replace("    verify:", "    # verify:")), (APART.replace("    verify:", "    # verify:"), APART)],
    ids=["without it today", "only today"],
)
def test_replan_never_compares_what_two_different_reads_found(world: World, before: str, today: str) -> None:
    world.rules(before)
    world.agent("set_item", id="c1", plan="free")
    world.rules(today)
    world.server.calls.clear()

    report = world.undo(replan=True)

    assert report.halted is not None
    assert report.halted.reason == "unverifiable"
    assert "without --replan" in report.halted.hint
    assert world.server.writes() == []
    assert world.undo(replan=True, unchecked=frozenset({1})).steps[0].outcome is not None
    assert world.server.records["c1"]["plan"] == "pro"


# --- a read that only the answer makes possible


def test_a_creation_is_read_only_after_it_and_taken_back_with_proof(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    assert world.agent("create_item", name="new") is None
    [name] = set(world.server.records) - set(before)

    assert world.server.calls == [("create_item", {"name": "new"}), ("get_item", {"id": name})]
    [action] = world.actions()
    assert action.resource == f'get_item {{"id":"{name}"}}'
    assert action.read is not None
    assert (action.before, action.captured) == (None, None)
    assert isinstance(action.after, Image)
    assert world.turns == []

    report = world.undo()

    [step] = report.steps
    assert (step.outcome, step.confirmation) == (Undone.COMPENSATED, "verified")
    assert world.server.records == before


def created(world: World, **fields: str) -> str:
    before = set(world.server.records)
    assert world.agent("create_item", name="new", **fields) is None
    [name] = set(world.server.records) - before
    world.server.calls.clear()
    return name


def test_a_persons_later_work_in_what_was_created_stops_the_undo_and_stays(world: World) -> None:
    name = created(world)
    world.edit(name, notes="a person worked here")

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.writes() == []
    assert world.server.records[name] == {"name": "new", "notes": "a person worked here"}


def test_the_agents_own_later_work_in_it_is_undone_with_it(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    name = created(world, plan="none")
    world.agent("set_item", id=name, plan="free")
    world.agent("move_item", source=name, destination="c9")

    report = world.undo()

    assert [outcome for _, outcome in outcomes(report)] == ["restored", "restored", "compensated"]
    assert [step.confirmation for step in report.steps] == ["verified"] * 3
    assert world.server.records == before


def test_what_a_person_deleted_already_is_as_before(world: World) -> None:
    del world.server.records[created(world)]

    assert list(outcomes(world.undo())) == [(1, "already")]
    assert world.server.writes() == []


def test_a_deletion_that_the_server_only_says_it_made_is_a_mismatch(world: World) -> None:
    created(world)
    world.server.next("del_item", answers(result({"deleted": True})))

    report = world.undo()

    assert [step.outcome for step in report.steps] == [Undone.MISMATCH]


def test_an_error_that_the_rule_does_not_call_absence_proves_nothing(world: World) -> None:
    edited(world, '$result.id"}, absent_when: ["not found"]', '$result.id"}')
    created(world)

    report = world.undo()

    [step] = report.steps
    assert (step.outcome, step.confirmation) == (Undone.COMPENSATED, "unverified")
    assert "item not found" in step.reason


def test_a_read_that_fails_after_the_deletion_is_proved_by_the_repeat(world: World) -> None:
    created(world)
    run = world.run

    def then_the_next_read_fails(call: ResolvedCall, carry_out: Callable[[], SendOutcome]) -> SendOutcome:
        world.server.next("get_item", answers(error("429 Too Many Requests")))
        return carry_out()

    world.server.next("del_item", then_the_next_read_fails)

    first = world.undo(run)
    assert first.halted is not None
    assert first.halted.reason == "unreadable"
    assert "429" in first.halted.detail
    world.server.calls.clear()

    assert list(outcomes(world.undo(run))) == [(1, "already")]
    assert world.server.writes() == []


def test_what_was_made_is_looked_for_a_moment_long(world: World) -> None:
    missing = answers(error("item not found: n1"))
    world.server.next("get_item", missing, times=2)

    name = created(world)

    assert world.slept_s == [0.05, 0.1]
    assert name in (world.actions()[0].resource or "")
    assert world.undo().status == "undone"


UNSEEN = {"nothing": error("item not found: n1"), "an error": error("no such table"), "no answer": LOST}


@pytest.mark.parametrize("seen", UNSEEN.values(), ids=UNSEEN)
def test_a_read_that_never_found_what_was_made_cannot_prove_that_it_is_gone(world: World, seen: SendOutcome) -> None:
    world.server.next("get_item", answers(seen), times=4)
    name = created(world)
    assert "what it made could not be read" in world.actions()[0].note
    world.server.next("get_item", answers(seen), times=9)

    report = world.undo()

    [step] = report.steps
    assert (step.verdict, step.outcome) == (Verdict.UNVERIFIABLE, None)
    assert report.halted is not None
    assert "--unchecked 1" in report.halted.hint
    assert name in world.server.records

    report = world.undo(unchecked=frozenset({1}))
    assert [(step.outcome, step.confirmation) for step in report.steps] == [(Undone.COMPENSATED, "unverified")]
    assert name not in world.server.records


def test_an_answer_that_does_not_say_what_to_read_stops_the_undo(world: World) -> None:
    edited(
        world,
        'verify: {tool: "f.get_item", args: {id: "$result.id"}',
        'verify: {tool: f.get_item, args: {id: "$result.key"}',
    )
    name = created(world)
    assert "$result.key" in world.actions()[0].note

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "unverifiable"
    assert "$result.key" in report.halted.detail
    assert name in world.server.records


def test_a_creation_that_the_server_refuses_is_not_read_and_nothing_is_to_be_undone(world: World) -> None:
    world.server.next("create_item", answers(error("name is taken")))

    assert world.agent("create_item", name="new") is None

    assert world.statuses() == ["rejected"]
    assert list(outcomes(world.undo())) == [(1, "skip")]


def test_a_creation_whose_answer_was_lost_is_unknown_and_stops(world: World) -> None:
    world.server.next("create_item", does_it_and_answers(LOST))
    world.agent("create_item", name="new")

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "unknown"


def test_replan_reads_what_was_made_by_the_kept_answer(world: World) -> None:
    edited(
        world,
        'inverse: {tool: "f.del_item", args: {id: "$result.id"}}',
        'inverse: {tool: "f.del_item", args: {id: "x"}}',
    )
    name = created(world)
    edited(world, 'args: {id: "x"}', 'args: {id: "$result.id"}')

    report = world.undo(replan=True)

    assert [(step.outcome, step.confirmation) for step in report.steps] == [(Undone.COMPENSATED, "verified")]
    assert name not in world.server.records
