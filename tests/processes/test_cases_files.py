"""Text files through real pipes, put back to the byte: cases C025 and C027. The real filesystem server: tests/live."""

from __future__ import annotations

from typing import Any

import pytest

from tests.promises import promise
from tests.support.client import JSON
from tests.support.world import RULES, World

LOOK_LIKE_DATA: dict[str, bytes] = {
    "object": b'{"b": 2,  "a": 1}\n',
    "number": b"123",
    "true": b"true",
    "null": b"null",
    "quoted": b'"q"',
    "list": b"[1]",
    "exponent": b"1e3",
    "long-number": b"19.90000000000000000000000000000000001",
    "python": b"[{'id': 1, 'n': None}]",
}

LOOK_LIKE_NOTHING: dict[str, bytes] = {
    "crlf": b"one\r\ntwo\r\n",
    "bom-and-crlf": b"\xef\xbb\xbfone\r\ntwo\r\n",
    "mixed-ends": b"one\r\ntwo\nthree\rfour",
    "no-last-newline": b"one\ntwo",
    "only-a-newline": b"\n",
    "empty": b"",
}

#: Writes back a part of what was read, in place of the whole.
A_PART = """
  - match: "f.write"
    class: reversible
    snapshot: {tool: "f.read", args: {path: "$.path"}, absent_when: ["ENOENT"]}
    inverse: {tool: "f.write", args: {path: "$.path", content: "$snapshot.a"}}
"""

#: A tool that answers and changes nothing.
PREVIEW: JSON = {"name": "edit", "inputSchema": {"type": "object"}}
PREVIEW_RULE = """
  - match: "f.edit"
    class: reversible
    snapshot: {tool: "f.read", args: {path: "$.path"}, absent_when: ["ENOENT"]}
    inverse: {tool: "f.write", args: {path: "$.path", content: "$snapshot"}}
"""


@promise("C025")
def test_a_file_that_looks_like_data_is_written_back_as_the_text_it_was(world: World) -> None:
    put(world, LOOK_LIKE_DATA)

    world.agent(*(write(name, "overwritten") for name in LOOK_LIKE_DATA))
    written = len(world.calls("write"))
    undone = world.cli("undo", "--yes", "--json")

    assert undone.code == 0, undone
    assert confirmations(undone.json) == ["verified"] * len(LOOK_LIKE_DATA)
    assert files(world) == LOOK_LIKE_DATA
    sent = {call["path"]: call["content"] for call in world.calls("write")[written:]}
    assert sent == {name: content.decode() for name, content in LOOK_LIKE_DATA.items()}


@promise("C025")
def test_a_path_still_reads_into_a_text_that_is_json(world: World) -> None:
    world.write_manifest(A_PART)
    put(world, {"config": b'{"a": "1e3", "b": 2}'})

    world.agent(write("config", "overwritten"))
    [action] = shown(world)

    assert action["inverse"] == [{"server": "f", "tool": "write", "args": {"path": "config", "content": "1e3"}}]


@promise("C025")
def test_a_path_into_a_text_that_only_looks_like_data_is_reported_before_the_write_goes_out(world: World) -> None:
    world.write_manifest(A_PART)
    put(world, {"rows": b"[{'id': 1, 'n': None}]", "prose": b"a: 1", "other": b'{"b": 1}'})
    before = files(world)

    answers = world.agent(write("rows", "x"), write("prose", "x"), write("other", "x"))

    for answer in answers:
        assert "Its undo cannot be prepared" in answer["content"][0]["text"]
        assert "$snapshot.a" in answer["content"][0]["text"]
    assert world.calls("write") == []
    assert files(world) == before


@promise("C027")
def test_line_ends_marks_and_nothing_at_all_come_back_byte_for_byte(world: World) -> None:
    put(world, LOOK_LIKE_NOTHING)

    world.agent(*(write(name, "overwritten\n") for name in LOOK_LIKE_NOTHING))
    undone = world.cli("undo", "--yes", "--json")

    assert undone.code == 0, undone
    assert confirmations(undone.json) == ["verified"] * len(LOOK_LIKE_NOTHING)
    assert files(world) == LOOK_LIKE_NOTHING


@promise("C027")
@pytest.mark.parametrize("content", ["new\n", ""], ids=["a-text", "nothing"])
def test_a_missing_file_ends_missing_and_an_empty_one_empty(world: World, content: str) -> None:
    put(world, {"empty": b""})

    world.agent(write("missing", content), write("empty", "new\n"), write("empty", content))
    assert set(files(world)) == {"empty", "missing"}
    undone = world.cli("undo", "--yes", "--json")

    assert undone.code == 0, undone
    assert files(world) == {"empty": b""}
    assert world.calls("remove") == [{"path": "missing"}]


@promise("C027")
def test_a_missing_file_that_nothing_could_remove_again_is_not_made(world: World) -> None:
    rules = RULES.replace('    inverse_if_absent: {tool: "f.remove", args: {path: "$.path"}}\n', "")
    assert rules != RULES
    world.write_manifest(rules)

    [answer] = world.agent(write("missing", ""))

    assert "nothing to restore" in answer["content"][0]["text"]
    assert files(world) == {}
    assert [row["tool"] for row in world.cli("gates", "--json").json] == ["write"]


@promise("C027")
def test_a_removal_that_leaves_an_empty_husk_is_never_reported_as_restored(world: World) -> None:
    world.agent(write("missing", "new\n"))
    world.behave(rules=[{"tool": "remove", "error": "EBUSY: in use", "times": 1}])

    stopped = world.cli("undo", "--yes", "--json")
    assert stopped.code == 1
    assert confirmations(stopped.json) != ["verified"]

    world.files.joinpath("missing").write_bytes(b"")
    husk = world.cli("undo", "--yes", "--json")
    assert husk.code == 1
    assert husk.json["halted"]["reason"] == "drifted"
    assert files(world) == {"missing": b""}


@promise("C027")
def test_what_is_not_text_is_refused_before_it_is_overwritten(world: World) -> None:
    put(world, {"photo": b"\x89PNG\r\n\xff\0"})

    [answer] = world.agent(write("photo", "x"))

    assert "The read failed" in answer["content"][0]["text"]
    assert world.calls("write") == []
    assert files(world) == {"photo": b"\x89PNG\r\n\xff\0"}


@promise("C027")
def test_a_dry_run_is_a_call_that_changed_nothing_and_its_undo_sends_nothing(world: World) -> None:
    world.write_manifest(RULES + PREVIEW_RULE, servers={"f": world.fake(extra_tools=[PREVIEW])})
    put(world, LOOK_LIKE_NOTHING)

    world.agent(*(("edit", {"path": name, "dryRun": True}) for name in LOOK_LIKE_NOTHING))
    assert len(world.calls("edit")) == len(LOOK_LIKE_NOTHING)
    undone = world.cli("undo", "--yes", "--json")

    assert undone.code == 0, undone
    assert [(step["kind"], step["calls"]) for step in undone.json["steps"]] == [("already_undone", [])] * len(
        LOOK_LIKE_NOTHING
    )
    assert world.calls("write") == []
    assert files(world) == LOOK_LIKE_NOTHING


# --- the files


def put(world: World, contents: dict[str, bytes]) -> None:
    for name, content in contents.items():
        (world.files / name).write_bytes(content)


def files(world: World) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in world.files.iterdir()}


def write(name: str, content: str) -> tuple[str, JSON]:
    return "write", {"path": name, "content": content}


def shown(world: World) -> list[JSON]:
    run = world.cli("list", "--json").json[0]["id"]
    actions: list[JSON] = world.cli("show", run, "--json").json["actions"]
    return actions


def confirmations(report: Any) -> list[str | None]:
    return [step["confirmation"] for step in report["steps"]]
