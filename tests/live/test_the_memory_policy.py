"""The memory server under its shipped policy, as `init` takes it: what was added is taken out again, exactly, and proved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.live.servers import Guarded, create, knows, outcomes, person, relate, told
from tests.support.world import World

pytestmark = pytest.mark.live


class Memory(Guarded):
    @property
    def file(self) -> Path:
        return Path(self.env["MEMORY_FILE_PATH"])

    def lines(self) -> set[str]:
        return set(self.file.read_text(encoding="utf-8").splitlines())

    def by_hand(self, *people: dict[str, object]) -> None:
        """What somebody else writes into the graph."""
        more = [json.dumps({"type": "entity", **one}, separators=(",", ":")) for one in people]
        self.file.write_text("\n".join([*sorted(self.lines()), *more]), encoding="utf-8")


@pytest.fixture
def memory(world: World, memory_server: list[str]) -> Memory:
    file = world.folder / "memory.jsonl"
    file.write_text('{"type":"entity","name":"Bob","entityType":"person","observations":["likes tea"]}', "utf-8")
    return Memory.by_init(world, "brain", memory_server, "--env", "MEMORY_FILE_PATH", MEMORY_FILE_PATH=str(file))


def test_init_takes_the_policy_and_check_finds_nothing_wrong_with_it(memory: Memory) -> None:
    check = memory.cli("check", "--json")

    assert "The policy `memory`, which ships with Synartesis, fits and was taken" in memory.init.out
    assert check.code == 0, check.out
    assert [one for one in check.json["findings"] if "approver" not in one["text"]] == []


def test_of_two_people_one_was_there_already_and_undo_takes_out_only_the_other(memory: Memory) -> None:
    before = memory.file.read_bytes()

    memory.agent(create(person("Ada", "wrote the first program"), person("Bob", "was never asked")))
    assert len(memory.lines()) == 2
    undone = memory.undo()

    assert undone.code == 0, undone.out
    assert outcomes(undone) == [("create_entities", "verified")]
    assert undone.json["steps"][0]["calls"] == [
        {"server": "brain", "tool": "delete_entities", "args": {"entityNames": ["Ada"]}},
        {"server": "brain", "tool": "create_relations", "args": {"relations": []}},
    ]
    assert memory.file.read_bytes() == before


def test_nobody_new_and_undo_finds_the_graph_as_it_was(memory: Memory) -> None:
    before = memory.file.read_bytes()

    memory.agent(create(person("Bob")))
    undone = memory.undo()

    assert undone.code == 0, undone.out
    assert [step["kind"] for step in undone.json["steps"]] == ["already_undone"]
    assert memory.file.read_bytes() == before


def test_a_whole_session_comes_undone_newest_first(memory: Memory) -> None:
    before = memory.file.read_bytes()

    memory.agent(
        create(person("Ada"), person("Charles")),
        relate(knows("Ada", "Charles"), knows("Ada", "Bob")),
        create(person("Mary")),
        relate(knows("Ada", "Bob"), knows("Mary", "Ada")),
    )
    assert len(memory.lines()) == 7
    undone = memory.undo()

    assert undone.code == 0, undone.out
    assert {confirmation for _, confirmation in outcomes(undone)} == {"verified"}
    assert memory.file.read_bytes() == before


def test_where_somebody_else_wrote_since_undo_stops_and_sends_nothing(memory: Memory) -> None:
    memory.agent(create(person("Ada")))
    memory.by_hand(person("Grace", "a person wrote this"))
    edited = memory.file.read_bytes()

    stopped = memory.undo()

    assert stopped.code == 1
    assert stopped.json["status"] == "stopped"
    assert "a person wrote this" in stopped.out
    assert memory.file.read_bytes() == edited


GRAPH = [
    {"type": "entity", "name": "Bob", "entityType": "person", "observations": ["likes tea", "is tall", "sings"]},
    {"type": "entity", "name": "Grace", "entityType": "person", "observations": ["found a moth"]},
    {"type": "entity", "name": "London", "entityType": "city", "observations": []},
    {"type": "relation", "from": "Bob", "to": "Grace", "relationType": "knows"},
    {"type": "relation", "from": "Grace", "to": "Bob", "relationType": "knows"},
    {"type": "relation", "from": "Bob", "to": "London", "relationType": "lives in"},
    {"type": "relation", "from": "Grace", "to": "Ghost", "relationType": "knows"},
]
WRITES: dict[str, dict[str, Any]] = {
    "create_entities": {
        "entities": [person("Ada", "wrote the first program"), person("Ghost"), person("Bob", "never asked")]
    },
    "create_relations": {"relations": [knows("Bob", "Grace"), knows("Ada", "Bob"), knows("Bob", "Nobody")]},
    "add_observations": {
        "observations": [
            {"entityName": "Bob", "contents": ["likes rum", "likes tea", "likes rum"]},
            {"entityName": "London", "contents": ["is large"]},
        ]
    },
    "delete_entities": {"entityNames": ["Bob", "Ghost", "Nobody"]},
    "delete_observations": {
        "deletions": [
            {"entityName": "Bob", "observations": ["is tall", "was never said"]},
            {"entityName": "Grace", "observations": ["found a moth"]},
            {"entityName": "Nobody", "observations": ["is tall"]},
        ]
    },
    "delete_relations": {"relations": [knows("Bob", "Grace"), knows("Grace", "Ghost"), knows("Ada", "Bob")]},
}


@pytest.fixture
def graph(memory: Memory) -> Memory:
    lines = [json.dumps(one, separators=(",", ":")) for one in GRAPH]
    memory.file.write_text("\n".join(lines), encoding="utf-8")
    return memory


@pytest.mark.parametrize(("tool", "arguments"), WRITES.items(), ids=WRITES.keys())
def test_each_of_the_six_writing_tools_is_undone_exactly(
    graph: Memory, tool: str, arguments: dict[str, object]
) -> None:
    before = graph.lines()

    [answer] = graph.agent((tool, arguments))
    assert "isError" not in answer, told(answer)
    assert graph.lines() != before
    undone = graph.undo()

    assert undone.code == 0, undone.out
    assert outcomes(undone) == [(tool, "verified")]
    assert graph.lines() == before


@pytest.mark.parametrize(("tool", "arguments"), WRITES.items(), ids=WRITES.keys())
def test_an_undo_of_each_is_taken_back_exactly(graph: Memory, tool: str, arguments: dict[str, object]) -> None:
    graph.agent((tool, arguments))
    left = graph.lines()
    assert graph.undo().code == 0

    redone = graph.cli("redo", "--yes", "--json")

    assert redone.code == 0, redone.out
    assert graph.lines() == left


def test_a_session_of_all_six_comes_undone_newest_first(graph: Memory) -> None:
    before = graph.lines()

    answers = graph.agent(*WRITES.items(), *reversed(WRITES.items()))
    assert ["isError" in answer for answer in answers].count(True) <= 1  # observations of one who is gone
    undone = graph.undo()

    assert undone.code == 0, undone.out
    assert graph.lines() == before


def test_a_relation_that_was_there_before_its_name_stays(memory: Memory) -> None:
    """The server deletes it with the entity; the undo adds it again."""
    memory.agent(relate(knows("Ada", "Bob")))
    before = memory.lines()
    memory.agent(create(person("Ada")))

    undone = memory.undo()

    assert undone.code == 0, undone.out
    assert outcomes(undone) == [("create_entities", "verified")]
    assert memory.lines() == before


def test_a_policy_whose_inverse_is_wrong_is_found_out(memory: Memory) -> None:
    """The same policy, deleting what the agent asked for instead of what the server added."""
    policy = memory.world.manifest.read_text("utf-8")
    broken = policy.replace("$result.entities[].name", "$.entities[].name")
    assert broken != policy
    memory.world.manifest.write_text(broken, encoding="utf-8")

    memory.agent(create(person("Ada"), person("Bob")))
    undone = memory.undo()

    assert undone.code == 1
    assert outcomes(undone) == [("create_entities", "mismatch")]
