"""`redo` as a person types it, over a real server: back to what the agent left, and forth again."""

from __future__ import annotations

from tests.support.client import JSON
from tests.support.world import RULES, World

RESTORABLE = """  - match: "f.restore_item"
    class: compensable
    snapshot:
      tool: "f.get_item"
      args: {id: "$.id"}
      absent_when: ["not found"]
    inverse_if_absent: {tool: "f.del_item", args: {id: "$.id"}}
"""


CREATED = ("write", {"path": "new.txt", "content": "made"})
"""The undo of this calls `remove`, for which there is no rule."""


def undone(world: World, *more: tuple[str, JSON]) -> str:
    """A run that renamed, deleted and overwrote, and was undone. Returns the undo run."""
    world.write_manifest(RULES + RESTORABLE)
    world.put(c1={"name": "Ada"}, c2={"name": "Grace"})
    (world.files / "notes.txt").write_bytes(b'{"b": 2,  "a": 1}\n')
    world.agent(
        ("set_item", {"id": "c1", "name": "A."}),
        ("del_item", {"id": "c2"}),
        ("write", {"path": "notes.txt", "content": "gone"}),
        *more,
    )
    undo = world.cli("undo", "--yes", "--json")
    assert undo.code == 0, undo
    return str(undo.json["undo_run"])


def test_redo_brings_back_what_the_agent_left_and_undo_ends_where_it_ended_before(world: World) -> None:
    undo = undone(world)
    first = (world.state.read_bytes(), (world.files / "notes.txt").read_bytes())

    redo = world.cli("redo", "--yes")

    assert redo.code == 0, redo
    assert f"redo: undo run {undo} taken back, newest call first" in redo.out
    assert f"Undo run {undo} is taken back." in redo.out
    assert "done again" in redo.out
    assert f": redo of {undo}" in world.cli("list").out.splitlines()[1]
    assert f": redo of {undo}" in world.cli("show").out
    assert world.items == {"c1": {"name": "A."}}
    assert (world.files / "notes.txt").read_bytes() == b"gone"
    assert "undone" not in world.cli("list").out.splitlines()[-1]

    again = world.cli("undo", "--yes")

    assert again.code == 0, again
    assert (world.state.read_bytes(), (world.files / "notes.txt").read_bytes()) == first


def test_what_has_no_rule_is_named_by_the_dry_run_and_left(world: World) -> None:
    undone(world, CREATED)

    plan, redo = world.cli("redo", "--dry-run"), world.cli("redo", "--yes", "--json")

    said = " ".join(plan.out.split())
    assert "f.remove cannot be redone (had undone #4) this cannot be redone: no rule mentions f.remove" in said
    assert "Nothing was sent. Only a part would be taken back" in said
    assert (redo.code, redo.json["status"]) == (1, "partial")
    assert [(step["undid"], step["kind"]) for step in redo.json["steps"]][-1] == (4, "permanent")


def test_a_redo_stops_at_a_persons_edit_before_anything_is_sent(world: World) -> None:
    undone(world)
    world.edit("c2", name="by hand")
    before = len(world.calls())

    stopped = world.cli("redo", "--yes")

    assert stopped.code == 1
    assert "Nothing was sent." in stopped.out
    assert '"by hand"' in stopped.out
    assert {call["tool"] for call in world.calls()[before:]} <= {"get_item", "read"}
    assert world.items["c2"] == {"name": "by hand"}


def test_a_repeated_redo_takes_no_older_undo_back(world: World) -> None:
    older = undone(world)
    world.agent(("set_item", {"id": "c1", "name": "B."}))
    assert world.cli("undo", "--yes").code == 0
    assert world.cli("redo", "--yes").code == 0
    before = world.items

    again = world.cli("redo", "--yes")

    assert again.code == 1
    assert "is taken back already" in again.err
    assert f"synartesis redo {older} --journal" in " ".join(again.err.split())
    assert world.items == before


def test_an_undo_that_was_taken_back_is_not_called_taken_back_once_its_run_was_undone_again(world: World) -> None:
    first = undone(world)
    assert world.cli("redo", first).code == 0
    second = world.cli("undo", "--yes", "--json").json["undo_run"]

    again = world.cli("redo", first, "--only", "1")

    assert again.code == 1
    assert f"undo run {first} was taken back before" in again.err
    assert f"redo {second} --journal" in again.err
    assert world.items == {"c1": {"name": "Ada"}, "c2": {"name": "Grace"}}


def test_a_repeated_undo_says_that_it_is_about_an_older_run(world: World) -> None:
    world.put(c1={"name": "Ada"}, c2={"name": "Grace"})
    world.agent(("set_item", {"id": "c1", "name": "A."}))
    world.agent(("set_item", {"id": "c2", "name": "G."}))
    newer, older = (row["id"] for row in world.cli("list", "--json").json)

    first, second = world.cli("undo", "--yes"), world.cli("undo", "--yes")

    assert (first.code, first.err) == (0, "")
    assert f"run {newer}, which is newer, is undone already: this is about run {older}" in second.err


def test_each_of_the_two_names_the_other_where_that_is_meant(world: World) -> None:
    undo = undone(world)
    agent = world.cli("list", "--json").json[-1]["id"]
    redo = world.cli("redo", undo, "--json").json["undo_run"]

    for typed, meant in (
        (["undo", undo], f"redo {undo}"),
        (["redo", agent], f"redo {undo}"),
        (["redo", redo], f"undo {agent}"),
        (["undo", redo], f"undo {agent}"),
    ):
        refused = world.cli(*typed)
        assert refused.code == 2
        assert f"{meant} --journal" in refused.err
