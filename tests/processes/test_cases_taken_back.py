"""Cases C025, C027, C030, C032, C036, C038 and C040 once more, under `redo`, `--only` and `--merge`, through real pipes: what
is true of an undo is true of them."""

from __future__ import annotations

import pytest

from tests.promises import promise
from tests.support.client import JSON, encode
from tests.support.world import RULES, World

FILES: dict[str, bytes] = {
    "object": b'{"b": 2,  "a": 1}\n',
    "number": b"123",
    "null": b"null",
    "long-number": b"19.90000000000000000000000000000000001",
    "python": b"[{'id': 1, 'n': None}]",
    "crlf": b"one\r\ntwo\r\n",
    "bom-and-crlf": b"\xef\xbb\xbfone\r\ntwo\r\n",
    "mixed-ends": b"one\r\ntwo\nthree\rfour",
    "only-a-newline": b"\n",
    "empty": b"",
}

REMOVABLE = """  - match: "f.remove"
    class: reversible
    snapshot:
      tool: "f.read"
      args: {path: "$.path"}
      absent_when: ["ENOENT"]
    inverse: {tool: "f.write", args: {path: "$.path", content: "$snapshot"}}
"""


def write(path: str, content: str) -> tuple[str, JSON]:
    return "write", {"path": path, "content": content}


def put(world: World, contents: dict[str, bytes]) -> None:
    for name, content in contents.items():
        (world.files / name).write_bytes(content)


def files(world: World) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in world.files.iterdir()}


def undone(world: World, *options: str) -> str:
    """Undo the newest run of an agent; returns the undo run."""
    run = next(row["id"] for row in world.cli("list", "--json").json if row["kind"] == "agent")
    ran = world.cli("undo", run, "--json", *options)
    assert ran.json["status"] in ("undone", "partial"), ran
    return str(ran.json["undo_run"])


def redone(world: World) -> None:
    ran = world.cli("redo", "--yes", "--json")
    assert (ran.code, ran.json["status"]) == (0, "undone"), ran


# --- C025 and C027: to the byte


@promise("C025")
@promise("C027")
def test_files_go_back_and_forth_to_the_byte_empty_and_missing_ones_too(world: World) -> None:
    world.write_manifest(RULES + REMOVABLE)
    put(world, FILES)
    world.agent(*(write(name, f"over\r\n{name}") for name in FILES), write("new", ""))
    left = files(world)
    assert left["new"] == b""

    for _ in range(2):
        undone(world)
        assert files(world) == FILES
        redone(world)
        assert files(world) == left


@promise("C025")
@promise("C027")
@pytest.mark.parametrize("seq", [1, 4, len(FILES)])
def test_one_file_out_of_many_goes_back_to_the_byte(world: World, seq: int) -> None:
    put(world, FILES)
    world.agent(*(write(name, "over") for name in FILES))
    name = list(FILES)[seq - 1]

    undone(world, "--only", str(seq))

    assert files(world) == {**dict.fromkeys(FILES, b"over"), name: FILES[name]}


TEXTS = {
    "json": (
        b'{\n  "a": 1.10,\n  "b": 2,\n  "c": null\n}\n',
        b'{\n  "a": 5,\n  "b": 2,\n  "c": null\n}\n',
        b'{\n  "a": 5,\n  "b": 2,\n  "c": "by hand"\n}\n',
        b'{\n  "a": 1.10,\n  "b": 2,\n  "c": "by hand"\n}\n',
    ),
    "crlf": (b"1\r\n2\r\n3\r\n", b"one\r\n2\r\n3\r\n", b"one\r\n2\r\nthree\r\n", b"1\r\n2\r\nthree\r\n"),
    "bom": (b"\xef\xbb\xbf1\n2\n3", b"\xef\xbb\xbfone\n2\n3", b"\xef\xbb\xbfone\n2\n3\n4", b"\xef\xbb\xbf1\n2\n3\n4"),
}


@promise("C025")
@promise("C027")
@pytest.mark.parametrize("name", ["json", "crlf", "bom"])
def test_a_text_is_merged_to_the_byte(world: World, name: str) -> None:
    before, after, edited, merged = TEXTS[name]
    put(world, {name: before})
    world.agent(write(name, after.decode()))
    put(world, {name: edited})

    ran = world.cli("undo", "--yes", "--merge", "--json")

    assert (ran.code, ran.json["steps"][0]["verdict"]) == (0, "merged")
    assert files(world)[name] == merged


# --- C030: "could not read it" is not "it is not there"


@promise("C030")
@pytest.mark.parametrize("verb", ["redo", "merge"])
def test_a_read_that_fails_stops_it_before_anything_is_sent_and_it_can_be_repeated(world: World, verb: str) -> None:
    world.put(c1={"name": "A", "tag": "x"})
    world.agent(("set_item", {"id": "c1", "name": "B"}))
    if verb == "redo":
        undone(world)
    else:
        world.edit("c1", tag="by hand")
    words = ["redo", "--yes"] if verb == "redo" else ["undo", "--yes", "--merge"]
    made = world.calls("set_item")
    world.behave(rules=[{"tool": "get_item", "error": "429 Too Many Requests"}])

    stopped = world.cli(*words, "--json")

    assert (stopped.code, stopped.json["halted"]["reason"]) == (1, "unreadable")
    assert "429 Too Many Requests" in stopped.json["halted"]["detail"]
    assert world.calls("set_item") == made
    world.behave()
    assert world.cli(*words).code == 0
    assert world.items["c1"] == ({"name": "B", "tag": "x"} if verb == "redo" else {"name": "A", "tag": "by hand"})


# --- C032: null, absent and empty are three states

WITH_OWNER = """
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", owner: "$snapshot.owner"}}
"""


@promise("C032")
def test_null_and_empty_go_back_and_forth_as_what_they_were(world: World) -> None:
    world.write_manifest(WITH_OWNER)
    world.put(c2={"name": "B", "owner": None}, c3={"name": "C", "owner": ""})
    before = world.items
    world.agent(("set_item", {"id": "c2", "owner": ""}), ("set_item", {"id": "c3", "owner": None}))
    left = world.items

    undone(world)
    assert world.items == before
    redone(world)
    assert world.items == left


@promise("C032")
@pytest.mark.parametrize(("owner", "hand"), [(None, ""), ("", None)])
def test_what_somebody_else_set_to_null_or_empty_is_merged_as_that(
    world: World, owner: str | None, hand: str | None
) -> None:
    world.write_manifest(WITH_OWNER)
    world.put(c1={"name": "A", "owner": owner})
    world.agent(("set_item", {"id": "c1", "name": "B"}))
    world.edit("c1", owner=hand)

    undone(world, "--merge")

    assert world.items == {"c1": {"name": "A", "owner": hand}}


# --- C036: numbers that must not move

NUMBERS = """
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse:
      tool: "f.set_item"
      args: {id: "$.id", price: "$snapshot.price", big: "$snapshot.big", far: "$snapshot.far", zero: "$snapshot.zero"}
"""
ITEM = '{"c1":{"price":1.10,"big":123456789012345678901234567890,"far":1E+400,"zero":-0.0}}'
EDITED = '{"c1":{"price":2.50,"big":9007199254740993,"far":1E+400,"zero":1E+5}}'
PATCH = '{"name":"set_item","arguments":{"id":"c1","price":2.50}}'


def agent_sets_the_price(world: World) -> None:
    world.write_manifest(NUMBERS)
    world.put_text(ITEM)
    with world.proxy() as client:
        client.send(f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{PATCH}}}\n'.encode())
        client.wait_for_reply(1)
        client.close()


@promise("C036")
def test_every_digit_goes_back_and_forth(world: World) -> None:
    agent_sets_the_price(world)
    left = world.state.read_text(encoding="utf-8")
    assert '"price":2.50,"big":123456789012345678901234567890' in left

    undone(world)
    assert ITEM[1:-1] in world.state.read_text(encoding="utf-8")
    redone(world)
    assert world.state.read_text(encoding="utf-8") == left


@promise("C036")
def test_every_digit_is_merged(world: World) -> None:
    agent_sets_the_price(world)
    world.put_text(EDITED)

    undone(world, "--merge")

    assert '"price":1.10,"big":9007199254740993,"far":1E+400,"zero":1E+5' in world.state.read_text(encoding="utf-8")


# --- C038: state that changes by itself

DRIFTING = """
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot:
      tool: "f.get_item"
      args: {id: "$.id"}
      absent_when: ["not found"]
      ignore: ["fetched_at", "views", "etag"]
      unordered: ["labels"]
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name"}}
"""


@promise("C038")
def test_fields_declared_as_moving_are_in_the_way_of_neither(world: World) -> None:
    world.write_manifest(DRIFTING)
    world.behave(drifting=True)
    world.put(c1={"name": "A", "labels": ["a", "b", "c"], "tag": "x"})
    world.agent(("set_item", {"id": "c1", "name": "B"}))

    undone(world)
    redone(world)
    assert world.items["c1"]["name"] == "B"
    world.edit("c1", tag="by hand")
    ran = world.cli("undo", "--yes", "--merge", "--json")

    assert (ran.code, ran.json["status"]) == (0, "undone")
    assert world.items["c1"] == {"name": "A", "labels": ["a", "b", "c"], "tag": "by hand"}


@promise("C038")
@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b", "c", "d"]], ids=["removed", "added"])
def test_a_label_that_somebody_else_added_or_removed_stays(world: World, labels: list[str]) -> None:
    world.write_manifest(DRIFTING)
    world.behave(drifting=True)
    world.put(c1={"name": "A", "labels": ["a", "b", "c"]})
    world.agent(("set_item", {"id": "c1", "name": "B"}))
    world.edit("c1", labels=labels)

    assert world.cli("undo", "--yes").code == 1
    undone(world, "--merge")

    assert world.items["c1"] == {"name": "A", "labels": labels}


# --- C040: writes that arrive together


@promise("C040")
def test_writes_that_arrived_together_go_back_and_forth_and_one_by_one(world: World) -> None:
    world.put(c1={"name": "start"}, c2={"name": "start"})
    world.behave(concurrent=True, delay_ms=50)
    before = world.items
    client = world.proxy()
    calls = [("c1", "A"), ("c1", "B"), ("c2", "C")]
    client.send(
        b"".join(
            encode(client.frame(number, "tools/call", {"name": "set_item", "arguments": {"id": ident, "name": name}}))
            for number, (ident, name) in enumerate(calls, start=101)
        )
    )
    for number in range(101, 104):
        client.wait_for_reply(number)
    client.close()
    world.behave()
    left = world.items

    undone(world)
    assert world.items == before
    redone(world)
    assert world.items == left
    [seq_of_c2] = [
        action["seq"]
        for action in world.cli("show", world.cli("list", "--json").json[-1]["id"], "--json").json["actions"]
        if action["args"]["id"] == "c2"
    ]
    undone(world, "--only", str(seq_of_c2))
    assert world.items == {"c1": left["c1"], "c2": before["c2"]}
