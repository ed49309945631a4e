"""`undo --only` as a person types it."""

from __future__ import annotations

from tests.support.world import World


def test_one_call_out_of_three_is_undone_and_a_later_change_of_the_same_thing_is_named(world: World) -> None:
    world.put(c1={"name": "Ada"}, c2={"name": "Grace"})
    world.agent(
        ("set_item", {"id": "c1", "name": "A."}),
        ("set_item", {"id": "c2", "name": "G."}),
        ("set_item", {"id": "c1", "name": "A. L."}),
    )

    run = world.cli("list", "--json").json[0]["id"]
    refused, planned = world.cli("undo", run, "--only", "1"), world.cli("undo", "--only", "#2", "--dry-run")

    assert refused.code == 1
    assert "#1 f.set_item: changed later by #3 (f.set_item)" in refused.err
    assert "undo them together: --only 1,3" in refused.err
    assert "3 calls: 2 left alone, 1 to restore." in planned.out
    assert " --only 2 --journal " in planned.out, "the command that does it is spelled in full"
    undone = world.cli("undo", run, "--only", "1,3", "--json")
    assert (undone.code, undone.json["status"]) == (1, "partial")
    assert [(step["seq"], step["undone"]) for step in undone.json["steps"]] == [
        (3, "restored"),
        (2, None),
        (1, "restored"),
    ]
    assert world.items == {"c1": {"name": "Ada"}, "c2": {"name": "G."}}


def test_a_read_that_is_asked_for_is_said_to_have_nothing_to_undo(world: World) -> None:
    world.put(c1={"name": "Ada"})
    world.agent(("set_item", {"id": "c1", "name": "A."}), ("get_item", {"id": "c1"}))
    run = world.cli("list", "--json").json[0]["id"]

    refused = world.cli("undo", run, "--only", "2")

    assert refused.code == 2
    assert "(f.get_item) is a read: it has nothing to undo" in " ".join(refused.err.split())
    [command] = [line for line in refused.err.splitlines() if f" show {run}" in line]
    assert " --journal " in command, "what it names works from any folder"


def test_only_and_to_exclude_each_other(world: World) -> None:
    world.put(c1={"name": "Ada"})
    world.agent(("set_item", {"id": "c1", "name": "A."}))

    refused = world.cli("undo", "--only", "1", "--to", "1", "--yes")

    assert refused.code == 2
    assert "--only and --to exclude each other" in refused.err
