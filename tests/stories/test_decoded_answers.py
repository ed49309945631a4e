"""`decode`: servers whose answers are not plain values, written over and undone; and what is compared of such an answer."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.calls import Replied, Reply, SendOutcome
from synartesis.domain.canonical import encode_json
from tests.sim.world import Server, World, outcomes

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"], decode: DECODE}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: {$from: "$snapshot.plan", $default: none}}}
"""


def texts(*texts: str, **more: Any) -> SendOutcome:
    return Replied(Reply(encode_json({"content": [{"type": "text", "text": text} for text in texts], **more})))


ANSWERS: dict[str, tuple[str, Callable[[dict[str, Any]], SendOutcome]]] = {
    "json": ("json", lambda record: texts(json.dumps(record), structuredContent={"length": 1})),
    "json in a text": (
        "{json_in: result}",
        lambda record: texts("ok", structuredContent={"result": json.dumps(record)}),
    ),
    "json after prose": ("json_after_prose", lambda record: texts(f"Read at 12:00 [cached]:\n{json.dumps(record)}")),
    "python": ("python_literal", lambda record: texts(repr(record))),
    "a pattern": (
        r"{pattern: '^(?P<name>.*)\n(plan: (?P<plan>.*)\n)?'}",
        lambda record: texts(
            f"{record['name']}\n{'plan: ' + record['plan'] if 'plan' in record else ''}\n{record['notes']}"
        ),
    ),
}


@dataclass
class Odd(Server):
    answer: Callable[[dict[str, Any]], SendOutcome] = lambda record: texts("")

    def _get_item(self, arguments: dict[str, Any]) -> SendOutcome:
        record = self.records.get(arguments["id"])
        return super()._get_item(arguments) if record is None else self.answer(record)


def world_of(folder: Path, decode: str, answer: Callable[[dict[str, Any]], SendOutcome]) -> World:
    world = World(folder, RULES.replace("DECODE", decode))
    world.server = Odd(answer=answer)
    world.server.answer = answer
    world.server.records = {"c1": {"name": "Ada", "plan": "pro", "notes": ""}}
    return world


@pytest.fixture(params=list(ANSWERS.values()), ids=list(ANSWERS))
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return world_of(tmp_path, *request.param)


def test_two_edits_are_undone_to_the_start(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    assert world.agent("set_item", id="c1", plan="free") is None
    assert world.agent("set_item", id="c1", name="Eve") is None

    report = world.undo()

    assert list(outcomes(report)) == [(2, "restored"), (1, "restored")]
    assert world.server.records == before


def test_what_a_person_wrote_since_is_drift_wherever_in_the_answer_it_stands(world: World) -> None:
    world.agent("set_item", id="c1", plan="free")
    world.edit("c1", notes="by hand")
    after = copy.deepcopy(world.server.records)

    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert "by hand" in str(report.steps[0].differences)
    assert world.server.records == after


def test_how_the_answer_was_read_is_kept_with_it(world: World) -> None:
    """An undo under another manifest reads as the call did."""
    before = copy.deepcopy(world.server.records)
    run = world.run
    world.agent("set_item", id="c1", plan="free")
    world.rules(RULES.replace(", decode: DECODE", ""))

    assert world.undo(run).status == "undone"
    assert world.server.records == before


def test_under_a_corrected_manifest_the_kept_answers_are_read_anew(world: World) -> None:
    before = copy.deepcopy(world.server.records)
    run = world.run
    right = world.path.read_text(encoding="utf-8")
    world.rules(
        RULES.replace("decode: DECODE", "decode: text")
        .replace('name: "$snapshot.name", ', "")
        .replace('from: "$snapshot.plan"', 'from: "$.nothing"')
    )
    assert world.agent("set_item", id="c1", plan="free") is None
    world.rules(right)

    assert world.undo(run, replan=True).status == "undone"
    assert world.server.records == before


def test_prose_that_is_not_part_of_the_value_is_no_drift(tmp_path: Path) -> None:
    times = iter(range(100))
    world = world_of(
        tmp_path, "json_after_prose", lambda record: texts(f"Read {next(times)} s ago:\n{json.dumps(record)}")
    )
    world.agent("set_item", id="c1", plan="free")

    assert world.undo().status == "undone"


def test_an_answer_of_another_form_is_a_failed_read_and_nothing_is_sent(tmp_path: Path) -> None:
    world = world_of(tmp_path, "json", lambda record: texts("Service is being restarted."))

    told = world.agent("set_item", id="c1", plan="free")

    assert told is not None
    assert "REFUSED" in told
    assert "does not have the form that the rule declares: its text is not JSON" in told
    assert world.server.writes() == []
    assert world.statuses() == ["failed"]


def test_at_undo_an_answer_of_another_form_stops_and_can_be_gone_on_with(world: World) -> None:
    assert isinstance(world.server, Odd)
    run, answer = world.run, world.server.answer
    before = copy.deepcopy(world.server.records)
    world.agent("set_item", id="c1", plan="free")
    world.server.answer = lambda record: texts("Service is being restarted.", structuredContent={"a": 1})

    stopped = world.undo(run)
    world.server.answer = answer

    assert stopped.halted is not None
    assert stopped.halted.reason in ("unreadable", "drifted")
    assert world.undo(run).status == "undone"
    assert world.server.records == before


def test_what_says_in_its_decoded_value_that_it_is_a_part_is_refused(tmp_path: Path) -> None:
    world = world_of(tmp_path, "json", lambda record: texts(json.dumps({**record, "has_more": True})))

    assert "only a part" in (world.agent("set_item", id="c1", plan="free") or "")


# --- what the call itself answers


CREATES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.create_item"
    class: compensable
    decode: {pattern: 'id (?P<id>\\S+)'}
    verify: {tool: "f.get_item", args: {id: "$result.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.del_item", args: {id: "$result.id"}}
"""


class Talkative(Server):
    says = "Created with id {id}"

    def _create_item(self, arguments: dict[str, Any]) -> SendOutcome:
        self.records["n1"] = dict(arguments)
        return texts(self.says.format(id="n1"))


@pytest.fixture
def creates(tmp_path: Path) -> World:
    world = World(tmp_path, CREATES)
    world.server = Talkative()
    return world


def test_what_was_created_is_found_in_a_sentence(creates: World) -> None:
    assert creates.agent("create_item", name="Ada") is None
    [action] = creates.actions()

    report = creates.undo()

    assert action.inverse is not None
    assert action.inverse[0].arguments == b'{"id":"n1"}'
    assert list(outcomes(report)) == [(1, "compensated")]
    assert creates.server.records == {}


def test_a_sentence_without_it_is_noted_and_never_guessed_at(creates: World) -> None:
    assert isinstance(creates.server, Talkative)
    creates.server.says = "Created."
    assert creates.agent("create_item", name="Ada") is None
    [action] = creates.actions()

    report = creates.undo()

    assert action.status == "applied"
    assert "this call cannot be undone: the text does not match the pattern" in action.note
    assert list(outcomes(report)) == [(1, "permanent")]
