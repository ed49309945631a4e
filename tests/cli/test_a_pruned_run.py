"""What is left of a pruned run is its history: every command says that, and none stumbles over what is gone."""

from __future__ import annotations

import pytest

from synartesis.domain.records import Image
from synartesis.domain.status import RunKind, ToolClass
from tests.cli.desk import Desk, Scribe, present

ADA = {"id": "c_001", "plan": "pro"}
RUN, UNDO = "a00000000001", "d00000000008"


async def a_run_of_every_kind(write: Scribe) -> None:
    """Changed, created, sent for good, answered never, refused before; and an undo of it, which failed at one call."""
    run = await write.run()
    changed = await write.applied(
        "update_customer",
        {"id": "c_001", "plan": "free"},
        before=present(ADA),
        after=present(ADA | {"plan": "free"}),
        inverse=("update_customer", ADA),
    )
    await write.applied("create_customer", {"name": "Bob"}, tool_class=ToolClass.COMPENSABLE)
    await write.applied("send_email", {"to": "ada"}, tool_class=ToolClass.IRREVERSIBLE)
    await write.sent("update_customer", {"id": "c_001", "plan": "team"}, present(ADA))
    await write.rejected(
        "update_customer", {"id": "c_002"}, says="no", before=Image("absent", b"{}", "no"), after=Image("absent", b"{}")
    )
    write.read("list_customers", {})
    await write.ended()
    await write.run("ada", kind=RunKind.UNDO, undoes=run)
    await write.applied(
        "update_customer", ADA, before=present(ADA), after=present(ADA | {"plan": "x"}), undoes=changed.id
    )
    await write.ended()


@pytest.fixture
def pruned(desk: Desk) -> Desk:
    desk.record(a_run_of_every_kind)
    assert desk.run("prune", "--older-than", "0h", "--yes").code == 0
    return desk


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["show", RUN],
        ["show", RUN, "--full"],
        ["diff"],
        ["diff", RUN],
        ["diff", RUN, "--full"],
        ["diff", UNDO],
        ["undo", RUN, "--dry-run"],
        ["undo", RUN],
        ["undo", RUN, "--replan", "--dry-run"],
        ["undo", RUN, "--only", "1"],
        ["undo", RUN, "--to", "2"],
        ["undo", RUN, "--unchecked", "4"],
        ["undo", RUN, "--as-far-as-possible"],
        ["redo", UNDO],
        ["redo", UNDO, "--dry-run"],
        ["settle", "c00000000005"],
        ["settle", "c00000000005", "--applied", "--result", "{}"],
        ["export", RUN],
        ["gates"],
        ["watch"],
        ["verify"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("as_json", [False, True])
def test_no_command_stumbles_over_what_was_pruned(pruned: Desk, words: list[str], as_json: bool) -> None:
    ran = pruned.run(*words, *(["--json"] if as_json and words[0] != "export" else []))

    assert ran.code in (0, 1, 2 if "--result" in words else 0)
    assert "should not" not in ran.said
    if words[0] in ("show", "diff", "undo", "redo", "settle"):
        assert "pruned" in ran.said


def test_what_diff_and_settle_say_of_a_pruned_run(pruned: Desk) -> None:
    pruned.transcript.clear()

    pruned.run("diff")
    pruned.run("settle", "c00000000005")

    pruned.matches_golden("diff of a pruned run")
