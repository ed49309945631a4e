"""The shipped policy for the filesystem server: the whole loop through the installed command, hashes compared."""

from __future__ import annotations

import json

import pytest

from synartesis.domain.names import Tool
from synartesis.domain.status import ToolClass
from synartesis.policy.matching import Policy
from synartesis.policy.reader import read_manifest
from tests.live.folder import POLICY, Folder, steps, text
from tests.promises import promise
from tests.support.client import Client
from tests.support.world import ROOT

pytestmark = pytest.mark.live

MOVED_BACK = ("move_file", "restore", "verified")
WRITTEN_BACK = ("write_file", "restore", "verified")


# --- what it is written for


def test_every_read_that_the_server_offers_is_readonly_and_every_writer_has_a_rule(folder: Folder) -> None:
    policy = Policy(read_manifest(POLICY))
    with folder.world.proxy() as client:
        tools = client.request("tools/list")["result"]["tools"]

    rules = {tool["name"]: policy.rule_for(Tool("filesystem", tool["name"])) for tool in tools}
    reads = {tool["name"] for tool in tools if tool["annotations"]["readOnlyHint"]}

    assert {name for name, rule in rules.items() if rule.tool_class is ToolClass.READONLY} == reads
    assert set(rules) - reads == {"write_file", "edit_file", "move_file", "create_directory"}
    assert not any(rule.is_default for rule in rules.values())


def test_it_names_the_version_that_it_is_proved_with() -> None:
    pinned = json.loads((ROOT / "tests/live/package.json").read_text())["dependencies"]
    version = pinned["@modelcontextprotocol/server-filesystem"]

    first_line, *_ = POLICY.read_text(encoding="utf-8").splitlines()
    assert first_line.endswith(f"proved with @modelcontextprotocol/server-filesystem {version} (npm).")
    assert read_manifest(POLICY).servers[0].args[1] == f"@modelcontextprotocol/server-filesystem@{version}"


def test_check_finds_that_every_rule_can_work_with_the_real_tools(folder: Folder) -> None:
    checked = folder.world.cli("check")

    assert checked.code == 0, checked
    assert "filesystem: 14 tools" in checked.out


# --- what comes back


def test_what_was_overwritten_edited_and_moved_comes_back_byte_for_byte(folder: Folder) -> None:
    folder.put(**{"plan.md": b"# Plan\r\n", "notes.txt": "naïve – ☃\n".encode(), "photo.png": bytes(range(256))})
    folder["album"].mkdir()
    folder["album/list.txt"].write_bytes(b"one\n")
    before = folder.hashes()

    folder.agent(
        folder.write("plan.md", "all wrong"),
        folder.edit("notes.txt", "naïve", "clever"),
        folder.move("photo.png", "album/photo of you.png"),
        folder.write("plan.md", "wrong again"),
    )
    assert set(folder.hashes().items()) - set(before.items())
    undone = folder.undo()

    assert undone.code == 0, undone
    assert steps(undone) == [WRITTEN_BACK, MOVED_BACK, ("edit_file", "restore", "verified"), WRITTEN_BACK]
    assert folder.hashes() == before


def test_a_folder_is_moved_once_it_is_approved_and_comes_back_with_what_is_in_it(folder: Folder) -> None:
    folder["album"].mkdir()
    folder["album/list.txt"].write_bytes(b"one\n")
    before = folder.hashes()
    move = folder.move("album", "archive")

    [held] = folder.agent(move)
    assert "EISDIR: illegal operation on a directory" in text(held)
    assert folder.hashes() == before
    folder.world.cli("approve", "--all")
    folder.agent(move)
    assert folder.hashes() == {name.replace("album", "archive"): what for name, what in before.items()}

    assert steps(folder.undo()) == [MOVED_BACK]
    assert folder.hashes() == before


MOVES = {
    "twice": [("a", "c"), ("c", "d")],
    "there and back": [("a", "c"), ("c", "a")],
    "set aside and replaced": [("a", "c"), ("b", "a")],
    "in a circle": [("a", "c"), ("b", "a"), ("c", "b")],
}


@pytest.mark.parametrize("moves", MOVES.values(), ids=MOVES)
def test_files_that_were_moved_more_than_once_come_back(folder: Folder, moves: list[tuple[str, str]]) -> None:
    folder.put(a=b"a\xff", b=b"b\xff")
    before = folder.hashes()

    folder.agent(*(folder.move(source, destination) for source, destination in moves))
    undone = folder.undo()

    assert undone.code == 0, undone
    assert steps(undone) == [MOVED_BACK] * len(moves)
    assert folder.hashes() == before


def test_a_file_that_was_moved_and_then_written_to_comes_back_in_one_go(folder: Folder) -> None:
    folder.put(draft=b"the draft\n")
    before = folder.hashes()

    folder.agent(folder.move("draft", "final"), folder.write("final", "all wrong"), folder.edit("final", "all", "so"))
    undone = folder.undo()

    assert undone.code == 0, undone
    assert steps(undone) == [("edit_file", "restore", "verified"), WRITTEN_BACK, MOVED_BACK]
    assert folder.hashes() == before


CONTENTS: dict[str, bytes] = {
    "crlf": b"one\r\ntwo\r\n",
    "bom-and-crlf": b"\xef\xbb\xbfone\r\ntwo\r\n",
    "mixed-ends": b"one\r\ntwo\nthree\rfour",
    "no-last-newline": b"one\ntwo",
    "only-a-newline": b"\n",
    "empty": b"",
    "nul": b"a\0b\n",
    "another-script": "пять ☃ \U0001f9ea e\u0301\n".encode(),
    "spells-an-escape": rb"if c == '\ufffd': print('\u0000')" + b"\n",
    "object": b'{"b": 2,  "a": 1}\n',
    "number": b"123",
    "true": b"true",
    "null": b"null",
    "quoted": b'"q"',
    "list": b"[1]",
    "exponent": b"1e3",
    "python": b"[{'id': 1, 'n': None}]",
    "large": b"x" * 3_000_000 + b"\r\n",
}


@promise("C025")
@promise("C027")
def test_whatever_text_a_file_holds_it_comes_back_with_the_same_hash(folder: Folder) -> None:
    folder.put(**CONTENTS)
    before = folder.hashes()

    folder.agent(*(folder.write(name, "overwritten") for name in CONTENTS))
    assert len(set(folder.hashes().values())) == 1
    undone = folder.undo()

    assert undone.code == 0, undone
    assert steps(undone) == [WRITTEN_BACK] * len(CONTENTS)
    assert folder.hashes() == before


@promise("C027")
def test_an_edit_that_turns_the_line_ends_is_undone_to_the_byte(folder: Folder) -> None:
    folder.put(letter=b"\xef\xbb\xbfDear Ada,\r\nno.\nYours\r")
    before = folder.hashes()

    folder.agent(folder.edit("letter", "no.", "yes."))
    assert folder["letter"].read_bytes() == "\ufeffDear Ada,\nyes.\nYours\r".encode()

    assert steps(folder.undo()) == [("edit_file", "restore", "verified")]
    assert folder.hashes() == before


@promise("C027")
def test_a_dry_run_of_an_edit_changes_nothing_and_its_undo_sends_nothing(folder: Folder) -> None:
    folder.put(letter=b"Dear Ada,\r\n")
    before = folder.hashes()

    [result] = folder.agent(folder.edit("letter", "Ada", "Grace", dryRun=True))
    assert "+Dear Grace" in text(result)
    undone = folder.undo()

    assert steps(undone) == [("edit_file", "already_undone", "verified")]
    assert undone.json["steps"][0]["calls"] == []
    assert folder.hashes() == before


def test_a_dry_run_of_an_edit_stops_nothing_when_a_person_edits_the_file_afterwards(folder: Folder) -> None:
    folder.put(letter=b"Dear Ada,\n", other=b"first\n")
    folder.agent(folder.write("other", "second\n"), folder.edit("letter", "Ada", "Grace", dryRun=True))
    folder["letter"].write_bytes(b"Dear Zoe,\n")

    undone = folder.undo()

    assert undone.code == 0, undone.out
    assert steps(undone) == [("edit_file", "already_undone", "verified"), WRITTEN_BACK]
    assert folder["letter"].read_bytes() == b"Dear Zoe,\n"
    assert folder["other"].read_bytes() == b"first\n"


def test_a_folder_that_was_made_later_is_in_the_way_of_nothing_else(folder: Folder) -> None:
    folder.put(letter=b"Dear Ada,\n")
    folder.agent(folder.write("letter", "x"))
    [run] = [row["id"] for row in folder.world.cli("list", "--json").json]
    creation = ("create_directory", {"path": str(folder["new"])})
    folder.agent(creation)
    folder.world.cli("approve", "--all")
    folder.agent(creation)
    assert folder["new"].is_dir()

    undone = folder.world.cli("undo", run, "--only", "1", "--yes")

    assert undone.code == 0, undone.out
    assert folder["letter"].read_bytes() == b"Dear Ada,\n"


# --- what is held, and what is refused


@promise("C027")
def test_what_would_make_something_new_is_held_and_nothing_is_made(folder: Folder) -> None:
    [file, directory] = folder.agent(
        folder.write("new.txt", "hello"), ("create_directory", {"path": str(folder["new"])})
    )

    assert "nothing to restore" in text(file)
    assert "It cannot be undone" in text(directory)
    assert [row["tool"] for row in folder.world.cli("gates", "--json").json] == ["write_file", "create_directory"]
    assert folder.hashes() == {}


def test_a_move_onto_an_existing_file_is_held_and_both_stay(folder: Folder) -> None:
    folder.put(draft=b"the draft\n", final=b"the final\n")
    before = folder.hashes()

    [result] = folder.agent(folder.move("draft", "final"))

    assert "Something is there already" in text(result)
    assert [row["tool"] for row in folder.world.cli("gates", "--json").json] == ["move_file"]
    assert folder.hashes() == before


@promise("C027")
def test_an_approved_creation_stays_and_is_never_reported_as_undone(folder: Folder) -> None:
    creation = folder.write("new.txt", "")
    folder.agent(creation)
    folder.world.cli("approve", "--all")

    folder.agent(creation, folder.write("new.txt", "more"))
    undone = folder.undo()

    assert undone.code == 1
    assert undone.json["status"] == "partial"
    assert steps(undone) == [WRITTEN_BACK, ("write_file", "permanent", None)]
    assert folder["new.txt"].read_bytes() == b""


FAILED_READS = {
    "binary": "U+FFFD",
    "folder": "EISDIR: illegal operation on a directory",
    "dangling": "Parent directory does not exist",
    "text/below": "ENOTDIR: not a directory",
    "/etc/hostname": "Access denied - path outside allowed directories",
}


@pytest.mark.parametrize("name", FAILED_READS)
def test_what_cannot_be_read_as_it_is_is_refused_before_the_write_and_nobody_is_asked(
    folder: Folder, name: str
) -> None:
    folder.put(binary=b"\x89PNG\r\n\xff\0", text=b"text\n")
    folder["folder"].mkdir()
    folder["dangling"].symlink_to(folder["nowhere"])
    before = folder.hashes()

    [written, edited] = folder.agent(folder.write(name, "x"), folder.edit(name, "", "x"))

    for told in (text(written), text(edited)):
        assert told.startswith("REFUSED")
        assert FAILED_READS[name] in told
    assert [action["status"] for action in folder.actions()] == ["failed", "failed"]
    assert folder.world.cli("gates", "--json").json == []
    assert folder.hashes() == before


def test_an_edit_of_a_file_that_is_not_there_is_told_at_once_and_nobody_is_asked(folder: Folder) -> None:
    [result] = folder.agent(folder.edit("none", "a", "b"))

    assert "ENOENT: no such file or directory" in text(result)
    assert folder.world.cli("gates", "--json").json == []


def test_what_the_server_refuses_by_itself_leaves_nothing_to_undo(folder: Folder) -> None:
    folder.put(letter=b"Dear Ada\n")

    [edited, moved] = folder.agent(folder.edit("letter", "Grace", "Alan"), folder.move("letter", "none/letter"))

    assert text(edited).startswith("Could not find exact match for edit")
    assert text(moved).startswith("ENOENT")
    assert [action["status"] for action in folder.actions()] == ["rejected", "rejected"]
    assert folder.hashes().keys() == {"letter"}


def test_a_move_of_what_is_not_there_is_refused_by_the_server_and_nobody_is_asked(folder: Folder) -> None:
    [result] = folder.agent(folder.move("none", "somewhere"))

    assert "ENOENT: no such file or directory" in text(result)
    assert [action["status"] for action in folder.actions()] == ["rejected"]
    assert folder.world.cli("gates", "--json").json == []


# --- what somebody else wrote


def test_an_undo_stops_at_a_file_that_a_person_edited_and_sends_nothing(folder: Folder) -> None:
    folder.put(plan=b"the plan\n", letter=b"Dear Ada\n")
    folder.agent(folder.write("plan", "all wrong"), folder.write("letter", "all wrong"))
    folder.put(plan=b"a person wrote this\n")
    before = folder.hashes()

    undone = folder.undo()

    assert undone.code == 1
    assert undone.json["halted"]["reason"] == "drifted"
    [step] = [step for step in undone.json["steps"] if step["kind"] == "blocked"]
    assert step["differences"][0]["path"] == "content"
    assert step["differences"][0]["expected"] == "all wrong"
    assert step["differences"][0]["actual"] == "a person wrote this\n"
    assert folder.hashes() == before


@pytest.mark.parametrize("content", [b"\xff\xd8\xff\1", b"a person's own file, and no photo at all"])
def test_what_a_person_has_where_a_file_was_moved_to_is_not_carried_off(folder: Folder, content: bytes) -> None:
    folder.put(photo=b"\xff\xd8\xff\0")
    folder.agent(folder.move("photo", "moved"))
    folder.put(moved=content)
    before = folder.hashes()

    undone = folder.undo()

    assert undone.code == 1
    assert undone.json["halted"]["reason"] == "drifted"
    assert folder.hashes() == before


def test_a_file_that_stands_where_a_folder_was_moved_to_is_not_carried_off(folder: Folder) -> None:
    folder["album"].mkdir()
    move = folder.move("album", "archive")
    folder.agent(move)
    folder.world.cli("approve", "--all")
    folder.agent(move)
    folder["archive"].rename(folder["elsewhere"])
    folder.put(archive=b"a person wrote this\n")
    before = folder.hashes()

    undone = folder.undo()

    assert undone.code == 1
    assert folder.hashes() == before


def test_a_moved_file_that_a_person_deleted_is_never_called_as_it_was_before(folder: Folder) -> None:
    folder.put(photo=b"\xff\xd8\xff\0")
    folder.agent(folder.move("photo", "moved"))
    folder["moved"].unlink()

    undone = folder.undo()

    assert undone.code == 1
    assert undone.json["halted"]["reason"] == "drifted"
    assert folder.hashes() == {}


def test_a_moved_file_that_a_person_moved_back_is_as_it_was_before(folder: Folder) -> None:
    folder.put(photo=b"\xff\xd8\xff\0")
    folder.agent(folder.move("photo", "moved"))
    folder["moved"].rename(folder["photo"])

    undone = folder.undo()

    assert undone.code == 0
    assert steps(undone) == [("move_file", "already_undone", "verified")]


def test_a_file_is_not_moved_back_over_what_a_person_put_in_its_place(folder: Folder) -> None:
    folder.put(photo=b"\xff\xd8\xff\0")
    folder.agent(folder.move("photo", "moved"))
    folder.put(photo=b"a new one")
    before = folder.hashes()

    undone = folder.undo()

    assert undone.code == 1
    assert undone.json["halted"]["reason"] == "drifted"
    assert folder.hashes() == before


def test_a_file_that_was_written_and_then_moved_is_undone_in_one_go(folder: Folder) -> None:
    folder.put(draft=b"the draft\n")
    before = folder.hashes()
    folder.agent(folder.edit("draft", "the", "a"), folder.write("draft", "all wrong"), folder.move("draft", "final"))

    undone = folder.undo()

    assert undone.code == 0, undone
    assert steps(undone) == [MOVED_BACK, WRITTEN_BACK, ("edit_file", "restore", "verified")]
    assert folder.hashes() == before


def test_a_file_that_was_moved_away_written_and_moved_back_is_undone_in_one_go(folder: Folder) -> None:
    folder.put(draft=b"the draft\n")
    before = folder.hashes()
    folder.agent(folder.move("draft", "final"), folder.write("final", "all wrong"), folder.move("final", "draft"))

    undone = folder.undo()

    assert undone.code == 0, undone
    assert steps(undone) == [MOVED_BACK, WRITTEN_BACK, MOVED_BACK]
    assert folder.hashes() == before


def test_what_a_person_wrote_to_a_file_that_was_written_and_moved_is_kept(folder: Folder) -> None:
    folder.put(draft=b"the draft\n")
    folder.agent(folder.write("draft", "all wrong"), folder.move("draft", "final"))
    folder.put(final=b"a person wrote this\n")
    before = folder.hashes()

    undone = folder.undo()

    assert undone.code == 1
    assert undone.json["halted"]["reason"] == "drifted"
    assert folder.hashes() == before


def test_an_undo_that_is_repeated_does_nothing_more(folder: Folder) -> None:
    folder.put(plan=b"the plan\n", photo=b"\xff\0")
    folder.agent(folder.write("plan", "all wrong"), folder.move("photo", "moved"))
    run = folder.world.cli("list", "--json").json[0]["id"]
    assert folder.undo().code == 0
    folder.put(plan=b"a person wrote this afterwards\n")
    before = folder.hashes()

    again = folder.undo(run)

    assert again.code == 0
    assert again.json["undo_run"] is None
    assert folder.hashes() == before


# --- the server's own ways


def test_an_undo_names_the_roots_again_that_the_client_had_named(folder: Folder) -> None:
    elsewhere = folder.world.folder / "elsewhere"
    elsewhere.mkdir()
    plan = elsewhere / "plan"
    plan.write_bytes(b"the plan\n")

    with folder.world.start_proxy() as client:
        client.initialize(capabilities={"roots": {}})
        answer_roots(client, elsewhere.resolve().as_uri())
        client.call("write_file", {"path": str(plan), "content": "all wrong"})
        assert plan.read_bytes() == b"all wrong"
        assert client.close().code == 0

    undone = folder.undo()
    assert undone.code == 0, undone
    assert plan.read_bytes() == b"the plan\n"


def answer_roots(client: Client, uri: str) -> None:
    """Answer the server's question, and wait until the server has taken the answer in."""
    asked = client.wait_for(
        lambda message: isinstance(message, dict) and message.get("method") == "roots/list", "no roots/list"
    )
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": uri}]}})
    while uri.removeprefix("file://") not in text(client.call("list_allowed_directories")):
        pass


def test_a_name_that_the_disk_spells_otherwise_comes_back_as_the_agent_spelled_it_and_the_undo_says_so(
    folder: Folder,
) -> None:
    folder["e\u0301"].write_bytes(b"x")
    if [path.name for path in folder.path.iterdir()] != ["e\u0301"]:
        pytest.skip("this disk spells names in a way of its own")
    folder.agent(folder.move("\u00e9", "moved"))

    undone = folder.undo()

    assert undone.json["halted"]["reason"] == "mismatch"
    assert [one["path"] for one in undone.json["steps"][0]["differences"]] == ["[0].state.content[0].resource.uri"]
    assert folder.hashes().keys() == {"\u00e9"}
