"""`--merge`: what somebody else changed stays, what the agent changed goes back, and in doubt nothing is sent."""

from __future__ import annotations

import copy
import itertools
import json
from typing import Any

import pytest

from synartesis.domain.calls import Replied, Reply, SendOutcome
from synartesis.domain.canonical import encode_json
from synartesis.domain.status import Confirmation, Undone
from synartesis.undo.report import Report, StepKind, Verdict
from tests.sim.world import LOST, Server, World, answers, does_it_and_answers, outcomes, result

FULL = 'args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}'


READ = (
    'snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}\n    inverse: {tool: "f.set_item"'
)


def changes(report: Report, seq: int, kind: str) -> list[tuple[Any, Any, Any]]:
    [step] = [one for one in report.steps if one.seq == seq]
    return [(one.path, one.actual, one.expected) for one in step.differences if one.kind == kind]


def edited(world: World, thing: str = "c1", /, **fields: str) -> None:
    """A call of the agent that names what its inverse will name: it shows what such a call leaves alone."""
    record = world.server.records[thing]
    world.agent("set_item", **{"id": thing, "name": record["name"], "plan": record["plan"], **fields})


def test_another_field_stays_and_the_agents_goes_back(world: World) -> None:
    edited(world, plan="free")
    world.edit("c1", notes="by hand")

    report = world.undo(merge=True)

    assert report.status == "undone"
    [step] = report.steps
    assert (step.outcome, step.confirmation, step.verdict) == (Undone.RESTORED, Confirmation.VERIFIED, Verdict.MERGED)
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "by hand"}


def test_a_field_that_the_inverse_sets_as_well_gets_the_other_persons_value(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", name="Ada, by hand")
    world.server.calls.clear()

    assert world.undo(merge=True).status == "undone"

    assert world.server.writes() == [("set_item", {"id": "c1", "name": "Ada, by hand", "plan": "pro"})]
    assert world.server.records["c1"] == {"name": "Ada, by hand", "plan": "pro", "notes": ""}


def test_the_plan_shows_what_goes_back_and_what_stays_before_anything_is_sent(world: World) -> None:
    edited(world, plan="free")
    world.edit("c1", notes="by hand")
    world.server.calls.clear()

    plan = world.undo(merge=True, dry_run=True)

    assert plan.status == "undone"
    assert changes(plan, 1, "goes_back") == [(("plan",), "free", "pro")]
    assert changes(plan, 1, "kept") == [(("notes",), "by hand", "")]
    assert plan.steps[0].calls[0].arguments == {"id": "c1", "name": "Ada", "plan": "pro"}
    assert world.server.writes() == []


def test_without_merge_it_stops_and_says_that_it_could(world: World) -> None:
    edited(world, plan="free")
    world.edit("c1", notes="by hand")

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert report.steps[0].mergeable


def test_the_same_field_is_drift_however_it_is_asked(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", plan="team", notes="by hand")
    before = copy.deepcopy(world.server.records)
    world.server.calls.clear()

    report = world.undo(merge=True)

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert "cannot be merged: plan was changed by somebody else as well" in report.halted.detail
    assert not report.steps[0].mergeable
    assert world.server.writes() == []
    assert world.server.records == before


def test_older_steps_on_the_same_thing_are_merged_too(world: World) -> None:
    edited(world, plan="free")
    edited(world, name="A.")
    edited(world, plan="team")
    world.edit("c1", notes="by hand")

    report = world.undo(merge=True)

    assert list(outcomes(report)) == [(3, "restored"), (2, "restored"), (1, "restored")]
    assert {step.verdict for step in report.steps} == {Verdict.MERGED}
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "by hand"}


def test_an_edit_between_two_calls_of_the_agent_stays(world: World) -> None:
    edited(world, plan="free")
    world.edit("c1", notes="in between")
    edited(world, name="A.")

    report = world.undo(merge=True)

    assert report.status == "undone"
    assert [step.verdict for step in report.steps] == [Verdict.UNCHANGED, Verdict.MERGED]
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "in between"}


def test_what_was_put_back_by_hand_beside_another_edit_needs_nothing(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", plan="pro", notes="by hand")
    world.server.calls.clear()

    report = world.undo(merge=True)

    assert list(outcomes(report)) == [(1, "already")]
    assert world.server.writes() == []


def test_things_that_nobody_else_touched_are_undone_as_ever(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    edited(world, plan="free")
    world.agent("del_item", id="c2")
    world.edit("c1", notes="by hand")

    report = world.undo(merge=True)

    assert [step.verdict for step in report.steps] == [Verdict.UNCHANGED, Verdict.MERGED]
    assert world.server.records == {**before, "c1": {**before["c1"], "notes": "by hand"}}


# --- where it is not known what the inverse would do


NOT_MERGED = {
    "a field that the inverse does not set": (
        FULL,
        'args: {id: "$.id", name: "$snapshot.name"}',
        {"plan": "free", "name": "A."},
        {"notes": "by hand"},
        "the call changed plan too, and its inverse does not set that from $snapshot",
    ),
    "a field that it sets from elsewhere": (
        FULL,
        'args: {id: "$.id", name: "$snapshot.name", plan: "pro"}',
        {"plan": "free"},
        {"notes": "by hand"},
        "the call changed plan too",
    ),
    "somebody's field, set from elsewhere": (
        FULL,
        'args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan", notes: "undone"}',
        {"plan": "free"},
        {"notes": "by hand"},
        "nothing shows that f.set_item leaves notes alone, which somebody else changed: it has an argument of that name",
    ),
    "a tool that is told what the agent's call was not": (
        FULL,
        FULL,
        {"plan": "free"},
        {"notes": "by hand"},
        "leaves notes alone, which somebody else changed: the agent's call did not name name, as this one does",
    ),
    "a place that was not there when the agent called": (
        FULL,
        'args: {id: "$.id", plan: "$snapshot.plan"}',
        {"plan": "free"},
        {"tag": "vip"},
        "nothing shows that f.set_item leaves tag alone, which somebody else changed: it was not there when the agent called",
    ),
    "a field that is only spoken of": (
        FULL,
        'args: {id: "$.id", comment: "the plan was $snapshot.plan"}',
        {"plan": "free"},
        {"notes": "by hand"},
        "the call changed plan too, and its inverse does not set that from $snapshot",
    ),
    "a tool that may replace the whole": (
        f'tool: "f.set_item", {FULL}',
        f'tool: "f.restore_item", {FULL}',
        {"plan": "free"},
        {"notes": "by hand"},
        "nothing shows that f.restore_item leaves notes alone",
    ),
}


@pytest.mark.parametrize(("old", "new", "call", "edit", "why"), NOT_MERGED.values(), ids=NOT_MERGED)
def test_in_doubt_it_is_drift(
    world: World, old: str, new: str, call: dict[str, str], edit: dict[str, str], why: str
) -> None:
    world.reword(old, new)
    world.agent("set_item", id="c1", **call)
    world.edit("c1", **edit)
    world.server.calls.clear()

    report = world.undo(merge=True)

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert why in report.halted.detail
    assert world.server.writes() == []


LABELS = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", label_names: "$snapshot.labels[].name"}}
"""


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("", "the agent's call named how, which this one does not"),
        (', how: "replace"', "the agent's call had another how"),
        (', how: "$.how"', None),
    ],
)
def test_what_a_call_leaves_alone_is_known_only_of_one_in_the_same_mode(
    world: World, told: str, why: str | None
) -> None:
    world.reword(READ, READ.replace("absent_when", "ignore: [how], absent_when"))
    world.reword(FULL, FULL[:-1].replace('name: "$snapshot.name", ', "") + told + "}")
    world.agent("set_item", id="c1", plan="free", how="patch")
    world.edit("c1", notes="by hand")

    report = world.undo(merge=True)

    assert report.status == ("stopped" if why else "undone")
    assert not why or why in str(report.halted)


def test_a_list_that_the_inverse_writes_from_parts_of_it_is_not_left_alone(world: World) -> None:
    world.rules(LABELS)
    world.server.records["c1"] = {"name": "Ada", "labels": [{"name": "vip", "color": "grey"}], "label_names": ["vip"]}
    world.agent("set_item", id="c1", name="A.", label_names=["vip"])
    world.edit("c1", labels=[{"name": "vip", "color": "red"}])

    report = world.undo(merge=True)

    assert report.halted is not None
    assert "it is given parts of labels, and may write it anew" in report.halted.detail
    assert "can set labels, have the inverse" in report.halted.hint


def recomputes(world: World) -> None:
    """Every call sets a price, by the plan."""
    world.rules(TEXT.replace("body", "plan"))
    prices = {"pro": 20, "free": 0}
    world.server.stamp = lambda record: record.update(price=prices[record["plan"]])
    world.server.records["c1"] = {"plan": "pro", "price": 20}


@pytest.mark.parametrize("edit", [{"price": 15}, {"price": 20}], ids=["to another value", "back"])
def test_what_the_call_moved_besides_and_a_person_has_set_since_is_not_left_to_the_server(
    world: World, edit: dict[str, int]
) -> None:
    recomputes(world)
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", **edit)

    assert not world.undo().steps[0].mergeable
    report = world.undo(merge=True)

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert "price" in report.halted.detail
    assert world.server.records["c1"] == {"plan": "free", **edit}


HANDED_BACK = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", meta: "$current.meta"}}
"""


@pytest.mark.parametrize("also", [{}, {"meta": {"owner": "bob", "v": 1}}], ids=["left", "changed again"])
def test_what_the_call_had_set_is_not_handed_back_as_it_is(world: World, also: dict[str, Any]) -> None:
    world.rules(HANDED_BACK)
    world.server.records["c1"] = {"name": "Ada", "meta": {"owner": "ann", "v": 1}, "plan": "pro"}
    world.agent("set_item", id="c1", name="X", meta={"owner": "eve", "v": 1})
    world.edit("c1", plan="gold", **also)
    world.server.calls.clear()

    report = world.undo(merge=True)

    assert report.halted is not None
    assert "the call set meta.owner, and its inverse hands that back as it is now" in report.halted.detail
    assert world.server.writes() == []


def test_what_the_call_moved_besides_and_its_inverse_hands_back_as_it_is_did_not_go_back(world: World) -> None:
    world.rules(HANDED_BACK)
    world.server.records["c1"] = {"name": "Ada", "meta": {"by": "ann"}, "plan": "pro"}
    world.server.stamp = lambda record: record.update(meta={"by": "eve"})
    world.agent("set_item", id="c1", name="X", meta={})
    world.edit("c1", plan="gold")

    [step] = world.undo(merge=True).steps

    assert step.outcome is Undone.MISMATCH
    assert [one.path for one in step.differences if one.kind == "not_restored"] == [("meta", "by")]
    assert world.server.records["c1"]["plan"] == "gold"


def test_the_rule_can_be_taught_to_keep_what_is_in_doubt(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", notes="by hand", tag="vip")
    assert "with --merge --replan" in str(world.undo(merge=True).halted)

    world.reword(FULL, f'{FULL[:-1]}, notes: "$snapshot.notes", tag: "$snapshot.tag?"}}')

    assert world.undo(merge=True, replan=True).status == "undone"
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "by hand", "tag": "vip"}


def test_a_call_that_named_every_field_does_not_show_that_others_are_left_alone(world: World) -> None:
    world.agent("set_item", id="c1", name="A.", plan="free", notes="n")
    world.edit("c1", tag="vip")

    report = world.undo(merge=True)

    assert report.halted is not None
    assert "cannot be merged" in report.halted.detail


@pytest.mark.parametrize("tool", ["del_item", "create_item"])
def test_what_was_removed_or_made_is_not_merged(world: World, tool: str) -> None:
    world.reword(
        'inverse: {tool: "f.del_item", args: {id: "$result.id"}}',
        """verify: {tool: "f.get_item", args: {id: "$result.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.del_item", args: {id: "$result.id"}}""",
    )
    if tool == "del_item":
        world.agent("del_item", id="c1")
        world.server.records["c1"] = {"name": "by hand"}
    else:
        world.agent("create_item", name="new")
        [name] = set(world.server.records) - {"c1", "c2"}
        world.edit(name, notes="by hand")
    before = copy.deepcopy(world.server.records)

    report = world.undo(merge=True)

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.records == before


def test_with_another_rule_than_the_one_it_was_recorded_by_only_replan_merges(world: World) -> None:
    world.reword(FULL, 'args: {id: "$.id", name: "$snapshot.name"}')
    edited(world, plan="free")
    world.reword('args: {id: "$.id", name: "$snapshot.name"}', FULL)
    world.edit("c1", notes="by hand")

    report = world.undo(merge=True)
    assert report.halted is not None
    assert "--replan takes today's" in report.halted.detail

    assert world.undo(merge=True, replan=True).status == "undone"
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "by hand"}


def test_an_inverse_that_overwrites_what_it_was_not_told_of_is_never_called_restored(world: World) -> None:
    edited(world, plan="free")
    world.edit("c1", notes="by hand")

    def forgets(call: object, carry_out: Any) -> Any:
        carry_out()
        world.server.records["c1"]["notes"] = ""
        return result(world.server.records["c1"])

    world.server.next("set_item", forgets)

    report = world.undo(merge=True)

    [step] = report.steps
    assert step.outcome is Undone.MISMATCH
    assert [(one.path, one.kind) for one in step.differences] == [
        (("notes",), "not_restored"),
        (("plan",), "goes_back"),
    ], "that the notes stayed is not said"


def test_what_an_undo_cost_is_said_again_when_it_is_repeated(world: World) -> None:
    edited(world, plan="free")
    run = world.run
    world.edit("c1", notes="by hand")

    def forgets(call: object, carry_out: Any) -> Any:
        carry_out()
        world.server.records["c1"]["notes"] = ""
        return result(world.server.records["c1"])

    world.server.next("set_item", forgets)
    first = world.undo(run, merge=True)

    [step] = world.undo(run, merge=True).steps

    assert step.outcome is Undone.ALREADY
    assert f"gone since an earlier undo (run {first.undo_run})" in step.reason
    assert [(one.path, one.expected, one.actual) for one in step.differences] == [(("notes",), "by hand", "")]


# --- what the server keeps by itself


def stamped(world: World) -> None:
    clock = itertools.count(1)
    world.server.stamp = lambda record: record.update(version=next(clock))
    world.server.records["c1"]["version"] = 0


def test_a_stamp_that_the_rule_names_is_in_nobodys_way(world: World) -> None:
    stamped(world)
    world.reword(READ, READ.replace("absent_when", "ignore: [version], absent_when"))
    edited(world, plan="free")
    edited(world, plan="team")
    world.edit("c1", notes="by hand")
    world.server.stamp(world.server.records["c1"])

    report = world.undo(merge=True)

    assert report.status == "undone"
    assert {**world.server.records["c1"], "version": 0} == {
        "name": "Ada",
        "plan": "pro",
        "notes": "by hand",
        "version": 0,
    }


@pytest.mark.parametrize("moved_again", [True, False])
def test_a_stamp_that_it_does_not_name_might_be_the_agents_change_or_somebody_elses(
    world: World, moved_again: bool
) -> None:
    stamped(world)
    edited(world, plan="free")
    world.edit("c1", notes="by hand")
    if moved_again:
        world.server.stamp(world.server.records["c1"])

    report = world.undo(merge=True)

    assert report.halted is not None
    assert "the call changed version too" in report.halted.detail
    assert ("somebody else has since" in report.halted.detail) is moved_again
    assert "belong under ignore:" in report.halted.hint


# --- the moment between the plan and the call, crashes, and what comes after


def test_who_edits_after_the_plan_was_made_stops_it(world: World) -> None:
    edited(world, plan="free")
    edited(world, "c2", plan="free")
    world.edit("c1", notes="by hand")

    def meanwhile(call: object, carry_out: Any) -> Any:
        world.edit("c1", notes="again")
        return carry_out()

    world.server.next("set_item", meanwhile)

    report = world.undo(merge=True)

    assert list(outcomes(report)) == [(2, "restored"), (1, "blocked")]
    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert world.server.records["c1"] == {"name": "Ada", "plan": "free", "notes": "again"}


@pytest.mark.parametrize("did_it", [True, False], ids=["it arrived", "it never arrived"])
def test_a_lost_answer_is_settled_by_the_repeat(world: World, did_it: bool) -> None:
    edited(world, plan="free")
    run = world.run
    world.edit("c1", notes="by hand")
    world.server.next("set_item", does_it_and_answers(LOST) if did_it else answers(LOST))
    first = world.undo(run, merge=True)
    assert first.halted is not None
    assert first.halted.reason == "lost"
    world.server.calls.clear()

    again = world.undo(run, merge=True)

    assert again.status == "undone"
    assert [tool for tool, _ in world.server.writes()] == ([] if did_it else ["set_item"])
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "by hand"}


def test_a_merge_that_broke_off_never_has_its_older_steps_overwrite_what_it_kept(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="team")
    run = world.run
    world.edit("c1", name="Ada, by hand")
    assert list(outcomes(world.undo(run, merge=True, to=2))) == [(2, "restored"), (1, "kept")]

    plain = world.undo(run)

    assert plain.halted is not None
    assert (plain.halted.seq, plain.halted.reason) == (1, "drifted")
    assert world.undo(run, merge=True).status == "undone"
    assert world.server.records["c1"] == {"name": "Ada, by hand", "plan": "pro", "notes": ""}


@pytest.mark.parametrize("did", ["nothing", "a part of it"])
def test_after_a_merge_that_did_not_come_about_a_plain_undo_does_not_take_the_edit_for_ours(
    world: World, did: str
) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="team")
    run = world.run
    world.edit("c1", name="Ada, by hand")

    def half(call: Any, carry_out: Any) -> Any:
        if did == "a part of it":
            world.server.records["c1"]["plan"] = "neither"
        return answers(result({"ok": True}))(call, carry_out)

    world.server.next("set_item", half)
    merged = world.undo(run, merge=True)
    assert merged.halted is not None
    assert merged.halted.reason == "mismatch"

    plain = world.undo(run)

    assert plain.halted is not None
    assert plain.halted.reason == "drifted"
    assert world.server.records["c1"]["name"] == "Ada, by hand"


def test_a_merge_can_be_redone_and_undone_again_to_the_same_end(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.agent("set_item", id="c1", plan="team")
    run = world.run
    world.edit("c1", name="Ada, by hand")
    with_the_edit = copy.deepcopy(world.server.records)
    undo = world.undo(run, merge=True).undo_run
    assert undo is not None
    first = copy.deepcopy(world.server.records)

    assert world.undo(undo).status == "undone"
    assert world.server.records == with_the_edit
    plain = world.undo(run)
    assert plain.halted is not None
    assert plain.halted.reason == "drifted"

    assert world.undo(run, merge=True).status == "undone"
    assert world.server.records == first


def test_once_merged_it_is_undone(world: World) -> None:
    edited(world, plan="free")
    run = world.run
    world.edit("c1", notes="by hand")
    world.undo(run, merge=True)
    world.server.calls.clear()

    report = world.undo(run)

    assert [step.kind for step in report.steps] == [StepKind.ALREADY_UNDONE]
    assert world.server.writes() == []


# --- text


TEXT = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.set_item", args: {id: "$.id", body: "$snapshot.body"}}
"""


def test_a_text_is_merged_line_by_line(world: World) -> None:
    world.rules(TEXT)
    world.server.records["c1"] = {"body": "one\ntwo\nthree\nfour\n"}
    world.agent("set_item", id="c1", body="one\nTWO\nthree\nfour\n")
    world.edit("c1", body="one\nTWO\nthree\nfour, by hand\n")

    report = world.undo(merge=True)

    assert report.status == "undone"
    assert world.server.records["c1"]["body"] == "one\ntwo\nthree\nfour, by hand\n"


def test_a_line_that_a_person_took_out_of_several_equal_ones_is_not_taken_out_twice(world: World) -> None:
    world.rules(TEXT)
    world.server.records["c1"] = {"body": "title\n- item\n- item\nend\n"}
    world.agent("set_item", id="c1", body="title\n- item\n- item\n- item\nend\n")
    world.edit("c1", body="Shopping for Sunday\n- item\n- item\nend\n")

    report = world.undo(merge=True)

    assert report.halted is not None
    assert "body was changed by somebody else as well" in report.halted.detail
    assert world.server.records["c1"]["body"] == "Shopping for Sunday\n- item\n- item\nend\n"


class SpeaksText(Server):
    """A server that has no structured content: JSON, spelt as some languages do."""

    def _get_item(self, arguments: dict[str, Any]) -> SendOutcome:
        text = json.dumps(self.records[arguments["id"]], indent=1, sort_keys=True)
        return Replied(Reply(encode_json({"content": [{"type": "text", "text": text}]})))


def answers_as_text(world: World) -> None:
    records = world.server.records
    world.server = SpeaksText()
    world.server.records = records


def test_a_record_that_is_answered_as_text_is_compared_by_its_value(world: World) -> None:
    answers_as_text(world)
    edited(world, plan="free")
    edited(world, plan="team")
    run = world.run
    world.edit("c1", notes="by hand")

    report = world.undo(run, merge=True)

    assert list(outcomes(report)) == [(2, "restored"), (1, "restored")]
    assert world.server.records["c1"] == {"name": "Ada", "plan": "pro", "notes": "by hand"}
    assert world.undo(run, merge=True).steps[0].kind is StepKind.ALREADY_UNDONE


def test_one_that_did_not_come_back_is_not_restored_however_it_is_spelt(world: World) -> None:
    answers_as_text(world)
    edited(world, plan="free")
    world.edit("c1", notes="by hand")
    world.server.next("set_item", answers(result({"ok": True})))

    [step] = world.undo(merge=True).steps

    assert step.outcome is Undone.MISMATCH
    assert [(one.path, one.kind) for one in step.differences] == [
        (("plan",), "not_restored"),
        (("notes",), "kept"),
    ], "that the plan went back is not said"


NULL = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}}
    inverse: {tool: "f.set_item", args: {id: "$.id", plan: "$snapshot.plan", owner: {$from: "$snapshot.owner", $default: null}}}
"""


def test_what_the_rule_puts_where_nothing_was_is_nobodys_and_does_not_stay_absent(world: World) -> None:
    world.rules(NULL)
    world.server.records["c1"] = {"plan": "pro", "notes": ""}
    world.agent("set_item", id="c1", plan="free", owner="eve")
    run = world.run
    world.edit("c1", notes="by hand")
    del world.server.records["c1"]["owner"]

    undo = world.undo(run, merge=True)

    assert [(one.path, one.kind) for one in undo.steps[0].differences] == [
        (("owner",), "set_by_rule"),
        (("plan",), "goes_back"),
        (("notes",), "kept"),
    ]
    assert undo.undo_run is not None
    assert world.undo(undo.undo_run).status == "undone"
    assert world.server.records["c1"]["owner"] is None
    assert world.undo(run, merge=True).status == "undone", "our own null is nobody else's change"


def test_the_same_line_is_drift(world: World) -> None:
    world.rules(TEXT)
    world.server.records["c1"] = {"body": "one\ntwo\n"}
    world.agent("set_item", id="c1", body="one\nTWO\n")
    world.edit("c1", body="one\nTWO!\n")

    report = world.undo(merge=True)

    assert report.halted is not None
    assert "body was changed by somebody else as well" in report.halted.detail
    assert world.server.records["c1"]["body"] == "one\nTWO!\n"
