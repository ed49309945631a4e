"""`settle` as a person types it, after a proxy died with a call on its way."""

from __future__ import annotations

from typing import Any

from tests.support.waiting import wait_until
from tests.support.world import Ran, World


def never_answered(world: World, *, did_it: bool = True, tool: str = "set_item", **arguments: Any) -> str:
    """The id of a call whose server died before it could answer."""
    world.put(c1={"name": "Ada"})
    world.behave(rules=[{"tool": tool, "die": "after" if did_it else "before"}])
    client = world.proxy()
    client.call(tool, arguments or {"id": "c1", "name": "A."})
    client.close()
    world.behave()
    return str(world.cli("show", "--json").json["actions"][-1]["id"])


def said(ran: Ran) -> str:
    return " ".join((ran.out + ran.err).split())


def test_undo_stops_names_settle_and_what_it_shows_is_enough_to_decide(world: World) -> None:
    action = never_answered(world)
    stopped = world.cli("undo", "--yes")
    assert stopped.code == 1
    assert f"settle {action} --journal" in stopped.out
    assert f"settle {action} --applied --take-now-as-after --journal" in stopped.out

    shown = world.cli("settle", action[:6])

    assert shown.code == 0
    assert 'before: {"id": "c1", "name": "Ada"}' in said(shown)
    assert 'now: {"id": "c1", "name": "A."}' in said(shown)
    assert 'name before "Ada" now "A."' in said(shown)
    assert world.cli("show", "--json").json["actions"][-1]["status"] == "unknown", "looking decides nothing"

    settled = world.cli("settle", action, "--applied", "--take-now-as-after", "--by", "ada")
    undone = world.cli("undo", "--yes", "--json")

    assert settled.code == 0
    assert "counts as carried out" in settled.out
    assert "settled by ada: it was carried out" in world.cli("show", world.cli("list", "--json").json[-1]["id"]).out
    assert (undone.code, undone.json["steps"][0]["undone"]) == (0, "restored")
    assert world.items == {"c1": {"name": "Ada"}}


def test_not_applied_leaves_nothing_to_undo(world: World) -> None:
    action = never_answered(world, did_it=False)

    settled = world.cli("settle", action, "--not-applied", "--json")

    assert settled.code == 0
    assert (settled.json["status"], settled.json["now"]["value"]["name"]) == ("failed", "Ada")
    assert settled.json["differences"] == []
    assert world.cli("settle", action, "--not-applied").code == 1


def test_a_creation_is_settled_with_what_it_returned_and_undone(world: World) -> None:
    action = never_answered(world, tool="create_item", name="new")
    stopped = world.cli("undo", "--yes")
    assert f"""settle {action} --applied --result '{{"...": "..."}}' --journal""" in stopped.out
    assert "--take-now-as-after" not in stopped.out, "nothing reads what it made"
    refused = world.cli("settle", action, "--applied")
    assert refused.code == 2
    assert world.cli("settle", action, "--applied", "--result", '{"...": "..."}').code == 2
    assert "its undo needs what it returned" in refused.err

    settled = world.cli("settle", action, "--applied", "--result", '{"id": "n1"}')

    assert settled.code == 0, settled
    assert world.cli("undo", "--yes").code == 0
    assert world.items == {"c1": {"name": "Ada"}}


def test_what_cannot_be_meant_is_refused_and_settles_nothing(world: World) -> None:
    action = never_answered(world)

    for typed, message in (
        (["f00"], "no call has an id that starts with 'f00'"),
        ([action, "--applied", "--not-applied"], "not allowed with argument --applied"),
        ([action, "--take-now-as-after"], "add --applied"),
        ([action, "--not-applied", "--take-now-as-after"], "leave them out with --not-applied"),
        ([action, "--applied", "--result", "{"], "is not JSON"),
        ([action, "--applied", "--result", "{}"], "needs no result"),
    ):
        refused = world.cli("settle", *typed)
        assert refused.code == 2, refused
        assert message in said(refused)
    assert world.cli("show", "--json").json["actions"][-1]["status"] == "unknown"


def test_a_call_that_may_still_be_answered_is_not_settled(world: World) -> None:
    world.put(c1={"name": "Ada"})
    world.behave(rules=[{"tool": "set_item", "pause_after": str(world.folder / "pause")}])
    client = world.proxy()
    client.ask("tools/call", {"name": "set_item", "arguments": {"id": "c1", "name": "A."}})
    wait_until((world.folder / "pause.reached").exists, "the server was never reached")
    action = world.cli("show", "--json").json["actions"][-1]

    refused = world.cli("settle", action["id"], "--applied")

    assert (action["status"], refused.code) == ("sent", 1)
    assert "may still be answered: the process that sent it is running" in said(refused)
    (world.folder / "pause").touch()
