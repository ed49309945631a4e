"""The shapes that scripts build on: exact values, one JSON value on stdout, nothing else."""

from __future__ import annotations

import json
from decimal import Decimal

from synartesis.domain.canonical import decode_json
from synartesis.domain.records import Image
from synartesis.domain.status import ToolClass
from tests.cli.desk import Desk, Scribe, present

EXACT = decode_json(
    b'{"id": 1917043659912705296, "price": 19.90, "huge": 1e400, "none": null, "text": "a\\u202eb\\u001b"}'
)


async def a_run(write: Scribe) -> None:
    await write.run("eve\x1b[2K")
    write.read("get_customer", {"id": "c_001"})
    await write.applied(
        "update_customer",
        EXACT,
        tool_class=ToolClass.REVERSIBLE,
        before=present(EXACT),
        after=Image("absent", b"{}", "gone"),
        inverse=("update_customer", {"id": 1917043659912705296, "price": Decimal("19.90")}),
        note="noted",
    )
    await write.held("send_email", {"to": "a"}, times=2)
    await write.ended()


def test_list_gives_each_run_with_its_counts(desk: Desk) -> None:
    desk.record(a_run)

    [run] = desk.run("list", "--json").json

    assert run["id"] == "a00000000001"
    assert (run["kind"], run["undoes"], run["status"]) == ("agent", None, "complete")
    assert (run["actions"], run["held"], run["unknown"]) == (3, 1, 0)
    assert run["agent"] == "eve\x1b[2K"
    assert run["started_at"].startswith("2026-03-04T14:03:0")
    assert run["started_at"].endswith(("Z", "+00:00"))
    assert run["ended_at"] > run["started_at"]


def test_show_gives_every_value_exactly(desk: Desk) -> None:
    desk.record(a_run)

    ran = desk.run("show", "--json")

    read, update, mail = ran.json["actions"]
    assert "1917043659912705296" in ran.out
    assert "19.90" in ran.out
    assert update["args"]["id"] == 1917043659912705296
    assert update["args"]["price"].as_tuple() == Decimal("19.90").as_tuple()
    assert update["args"]["huge"] == Decimal("1e400")
    assert update["before"] == {"state": "present", "value": update["args"]}
    assert update["after"] == {"state": "absent"}
    assert update["inverse"][0]["server"] == "crm"
    assert update["inverse"][0]["args"]["price"].as_tuple() == Decimal("19.90").as_tuple()
    assert (update["class"], update["status"], update["undone"], update["note"]) == (
        "reversible",
        "applied",
        None,
        "noted",
    )
    assert (read["before"], read["reply"], read["inverse"]) == (None, None, None)
    assert (mail["status"], mail["approval"]) == ("held", mail["id"])


def test_json_is_as_safe_on_a_terminal_as_words_and_keeps_the_value(desk: Desk) -> None:
    desk.record(a_run)

    outputs = [desk.run(*words).out for words in (["list", "--json"], ["show", "--json"], ["gates", "--json"])]

    assert all(char == "\n" or " " <= char <= "~" for out in outputs for char in out)
    assert json.loads(outputs[1])["actions"][1]["args"]["text"] == "a\u202eb\x1b"


def test_requests_and_decisions_have_one_shape(desk: Desk) -> None:
    desk.record(a_run)

    [asked] = desk.run("gates", "--json").json
    [decided] = desk.run("deny", "--json", "--by", "Grace", "--reason", "no").json

    assert set(asked) >= {"id", "run", "seq", "server", "tool", "args", "why", "requested_at", "earlier"}
    assert asked["attempts"] == 2
    assert (decided["id"], decided["decided"], decided["by"], decided["reason"]) == (
        asked["id"],
        "denied",
        "Grace",
        "no",
    )
    assert desk.run("gates", "--json").json == []


def test_a_denied_request_can_be_approved_within_the_hour(desk: Desk) -> None:
    desk.record(a_run)
    desk.run("deny", "--by", "Grace")
    [request] = [action["id"] for action in desk.run("show", "--json").json["actions"] if action["status"] == "held"]

    approved, again = desk.run("approve", request, "--by", "Ada"), desk.run("approve", request)

    assert approved.code == 0
    assert again.code == 1
    assert "was not approved: approved, not used yet by Ada" in again.said


def test_all_decides_exactly_the_requests_that_it_prints(desk: Desk) -> None:
    async def story(write: Scribe) -> None:
        await write.run()
        for to in "abc":
            await write.held("send_email", {"to": to})

    desk.record(story)
    waiting = {request["id"] for request in desk.run("gates", "--json").json}

    decided = desk.run("approve", "--all", "--json").json

    assert {request["id"] for request in decided} == waiting
    assert desk.run("approve", "--all").code == 1


def test_show_says_what_a_dead_process_left_open(desk: Desk) -> None:
    async def story(write: Scribe) -> None:
        await write.run()
        await write.sent("update_customer", {"id": "c_001"}, present({"id": "c_001"}))

    desk.record(story)

    assert [action["status"] for action in desk.run("show", "--json").json["actions"]] == ["unknown"]
    assert "1 outcome unknown" in desk.run("show").out
    assert desk.run("close", "--json").json["status"] == "complete"
    assert desk.run("close").code == 1
