"""The memory server's shipped policy: every write is judged by the whole graph, and some are undone by several calls. Whatever
is undone and done again, nobody but us is there, and so it all comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synartesis.domain.calls import SendOutcome
from synartesis.policy.matching import Policy
from synartesis.policy.reader import read_manifest
from tests.sim.world import Server, World, error, outcomes, result
from tests.stories.by_turns import Made, Turns, play, some_calls, some_turns

SHIPPED = files("synartesis").joinpath("manifests", "memory.yaml").read_text(encoding="utf-8")
RULES = "version: 1\nservers:\n  f: {command: simulated}\ntools:" + SHIPPED.partition("\ntools:")[2].replace(
    "memory.", "f."
)


@dataclass
class Graph(Server):
    """Entities with observations, and relations between them, as the memory server keeps them."""

    entities: list[dict[str, Any]] = field(default_factory=list)
    relations: list[dict[str, Any]] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The graph's file, read as a set of lines."""
        return sorted(map(repr, [*self.entities, *self.relations]))

    def _read_graph(self, arguments: dict[str, Any]) -> SendOutcome:
        return result({"entities": self.entities, "relations": self.relations})

    def _open_nodes(self, arguments: dict[str, Any]) -> SendOutcome:
        named = [one for one in self.entities if one["name"] in arguments["names"]]
        names = {one["name"] for one in named}
        return result(
            {
                "entities": named,
                "relations": [one for one in self.relations if one["from"] in names or one["to"] in names],
            }
        )

    def _create_entities(self, arguments: dict[str, Any]) -> SendOutcome:
        known = {one["name"] for one in self.entities}
        new = [one for one in arguments["entities"] if one["name"] not in known]
        self.entities += new
        return result({"entities": new})

    def _create_relations(self, arguments: dict[str, Any]) -> SendOutcome:
        known = list(self.relations)
        new = [one for one in arguments["relations"] if one not in known]
        self.relations += new
        return result({"relations": new})

    def _add_observations(self, arguments: dict[str, Any]) -> SendOutcome:
        found = {one["name"]: one for one in self.entities}
        for one in arguments["observations"]:
            if one["entityName"] not in found:
                return error(f"Entity with name {one['entityName']} not found")
        added = []
        for one in arguments["observations"]:
            observations = found[one["entityName"]]["observations"]
            new = [text for text in one["contents"] if text not in observations]
            observations += new
            added.append({"entityName": one["entityName"], "addedObservations": new})
        return result({"results": added})

    def _delete_entities(self, arguments: dict[str, Any]) -> SendOutcome:
        names = arguments["entityNames"]
        self.entities = [one for one in self.entities if one["name"] not in names]
        self.relations = [one for one in self.relations if one["from"] not in names and one["to"] not in names]
        return result({"success": True})

    def _delete_observations(self, arguments: dict[str, Any]) -> SendOutcome:
        for one in arguments["deletions"]:
            for entity in self.entities:
                if entity["name"] == one["entityName"]:
                    kept = [text for text in entity["observations"] if text not in one["observations"]]
                    entity["observations"] = kept
        return result({"success": True})

    def _delete_relations(self, arguments: dict[str, Any]) -> SendOutcome:
        self.relations = [one for one in self.relations if one not in arguments["relations"]]
        return result({"success": True})


def person(name: str, *observations: str) -> dict[str, Any]:
    return {"name": name, "entityType": "person", "observations": list(observations)}


def knows(one: str, other: str) -> dict[str, Any]:
    return {"from": one, "to": other, "relationType": "knows"}


class Quick(World):
    """The policy is read once."""

    def rules(self, text: str) -> None:
        self.policy = shipped()
        self.identity = self.policy.manifest.server("f").identity


@cache
def shipped() -> Policy:
    with TemporaryDirectory() as folder:
        path = Path(folder, "synartesis.yaml")
        path.write_text(RULES, encoding="utf-8")
        return Policy(read_manifest(path))


def ready(folder: Path) -> tuple[World, Graph]:
    world = Quick(folder)
    graph = world.server = Graph(
        entities=[person("Ada", "likes tea"), person("Bob", "sings", "is tall")], relations=[knows("Ada", "Bob")]
    )
    return world, graph


def test_what_was_undone_by_several_calls_and_done_again_is_undone_again(tmp_path: Path) -> None:
    """Taking the first undo back took Ada's observations out and put them in again, in two calls. What stood between the two
    was never what anybody left."""
    world, graph = ready(tmp_path)
    before = graph.lines()
    run = world.run
    world.agent("create_entities", entities=[person("Cy")])
    world.agent("add_observations", observations=[{"entityName": "Ada", "contents": ["plays chess"]}])
    left = graph.lines()

    for _ in range(3):
        undo = world.undo(run).undo_run
        assert graph.lines() == before
        assert world.undo(undo).status == "undone"
        assert graph.lines() == left

    assert list(outcomes(world.undo(run))) == [(2, "restored"), (1, "restored")]


def test_a_person_who_writes_after_it_was_done_again_still_stops_it(tmp_path: Path) -> None:
    world, graph = ready(tmp_path)
    run = world.run
    world.agent("create_entities", entities=[person("Cy")])
    world.agent("add_observations", observations=[{"entityName": "Ada", "contents": ["plays chess"]}])
    world.undo(world.undo(run).undo_run)
    graph.entities.append(person("Grace", "a person wrote this"))

    report = world.undo(run)

    assert report.halted is not None
    assert report.halted.reason == "drifted"


# --- whatever is done and undone by nobody but us

names = st.sampled_from(["Ada", "Bob", "Cy"])
texts = st.lists(st.sampled_from(["sings", "likes tea", "x"]), max_size=2)
people = st.builds(lambda name, said: person(name, *said), names, texts)
ties = st.builds(knows, names, names)


def some(what: st.SearchStrategy[Any], by: Any = str) -> st.SearchStrategy[list[Any]]:
    return st.lists(what, min_size=1, max_size=2, unique_by=by)


calls = st.one_of(
    st.tuples(st.just("create_entities"), st.fixed_dictionaries({"entities": some(people, lambda one: one["name"])})),
    st.tuples(st.just("create_relations"), st.fixed_dictionaries({"relations": some(ties)})),
    st.tuples(
        st.just("add_observations"),
        st.fixed_dictionaries({"observations": some(st.fixed_dictionaries({"entityName": names, "contents": texts}))}),
    ),
    st.tuples(st.just("delete_entities"), st.fixed_dictionaries({"entityNames": some(names)})),
    st.tuples(
        st.just("delete_observations"),
        st.fixed_dictionaries({"deletions": some(st.fixed_dictionaries({"entityName": names, "observations": texts}))}),
    ),
    st.tuples(st.just("delete_relations"), st.fixed_dictionaries({"relations": some(ties)})),
)


@settings(deadline=None)
@given(some_calls(calls), some_turns(calls))
def test_whatever_is_undone_and_done_again_comes_back_to_the_first_lines(first: Made, then: Turns) -> None:
    with TemporaryDirectory() as folder:
        world, graph = ready(Path(folder))
        play(world, first, then, seen=graph.lines)


@pytest.mark.parametrize("by", ["adding", "taking away"])
def test_what_a_person_does_between_two_calls_of_an_inverse_is_told_from_what_the_first_brought_back(
    tmp_path: Path, by: str
) -> None:
    world, graph = ready(tmp_path)
    world.agent("delete_entities", entityNames=["Ada"])

    def meanwhile(call: object, carry_out: Any) -> Any:
        outcome = carry_out()
        if by == "adding":
            graph.entities.append(person("Grace", "a person wrote this"))
        else:
            graph.entities[:] = [one for one in graph.entities if one["name"] != "Bob"]
        return outcome

    world.server.next("create_entities", meanwhile)
    report = world.undo()

    assert report.halted is not None
    assert report.halted.reason == "drifted"
    assert graph.relations == []


@pytest.mark.parametrize("step", [{"to": 2}, {"only": frozenset({2})}], ids=["to", "only"])
def test_the_newest_alone_is_undone_done_again_and_undone_with_the_rest(tmp_path: Path, step: dict[str, Any]) -> None:
    world, graph = ready(tmp_path)
    before, run = graph.lines(), world.run
    world.agent("create_entities", entities=[person("Cy")])
    world.agent("delete_observations", deletions=[{"entityName": "Bob", "observations": ["sings"]}])
    world.undo(world.undo(run, **step).undo_run)

    assert world.undo(run).status == "undone"
    assert graph.lines() == before
