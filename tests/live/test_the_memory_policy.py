"""The memory server under its shipped policy, as `init` takes it: what was added is taken out again, exactly, and proved."""

from __future__ import annotations

import json
from pathlib import Path

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

    assert "The policy `memory` that ships with Synartesis fits, and was taken" in memory.init.out
    assert check.code == 0, check.out
    assert check.json["findings"] == []


def test_of_two_people_one_was_there_already_and_undo_takes_out_only_the_other(memory: Memory) -> None:
    before = memory.file.read_bytes()

    memory.agent(create(person("Ada", "wrote the first program"), person("Bob", "was never asked")))
    assert len(memory.lines()) == 2
    undone = memory.undo()

    assert undone.code == 0, undone.out
    assert outcomes(undone) == [("create_entities", "verified")]
    assert undone.json["steps"][0]["calls"] == [
        {"server": "brain", "tool": "delete_entities", "args": {"entityNames": ["Ada"]}}
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


DELETIONS = {
    "delete_entities": {"entityNames": ["Bob"]},
    "delete_observations": {"deletions": [{"entityName": "Bob", "observations": ["likes tea"]}]},
    "delete_relations": {"relations": [knows("Bob", "Bob")]},
    "add_observations": {"observations": [{"entityName": "Bob", "contents": ["likes rum"]}]},
}


@pytest.mark.parametrize(("tool", "arguments"), DELETIONS.items(), ids=DELETIONS.keys())
def test_what_cannot_be_undone_exactly_is_held(memory: Memory, tool: str, arguments: dict[str, object]) -> None:
    before = memory.file.read_bytes()

    [answer] = memory.agent((tool, arguments))

    assert answer["isError"] is True
    assert "synartesis" in told(answer)
    assert [row["tool"] for row in memory.cli("gates", "--json").json] == [tool]
    assert memory.file.read_bytes() == before


def test_a_relation_that_was_there_before_its_name_is_not_said_to_be_restored(memory: Memory) -> None:
    """Where the policy runs out: the server deletes it with the entity."""
    memory.agent(relate(knows("Ada", "Bob")))
    memory.agent(create(person("Ada")))

    undone = memory.undo()

    assert undone.code == 1
    assert outcomes(undone) == [("create_entities", "mismatch")]
    assert "relations" in undone.out


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
