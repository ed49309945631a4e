"""docs/guide.md is what happens: the story is played in an empty home, with the real server, and held against the page."""

from __future__ import annotations

import re

import pytest

from tests.live import guide
from tests.live.conftest import node_server

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def played() -> guide.Played:
    node_server("@modelcontextprotocol/server-filesystem/dist/index.js")  # or this is skipped, with the reason
    return guide.play()


def as_running_text(transcript: str) -> str:
    """However lines were broken: that depends on how long the name of the home is."""
    return " ".join(re.sub(r"\n *\| ", " ", transcript).split())


def test_the_page_shows_what_happens(played: guide.Played) -> None:
    shown = guide.shown(guide.GUIDE.read_text(encoding="utf-8"))

    assert set(played.scenes) == set(shown)
    for name, seen in played.scenes.items():
        assert as_running_text(seen) == as_running_text(shown[name]), (
            f"{name}: `make guide` writes the page anew; it is now\n{seen}"
        )


def test_both_files_are_damaged_and_come_back_to_the_byte(played: guide.Played) -> None:
    before, damaged = played.hashes["before"], played.hashes["the_agent_does_damage"]

    assert {"plan.md", "todo.md"} == set(before) == set(damaged)
    assert [] == [name for name in before if before[name] == damaged[name]]
    assert before == played.hashes["undo"]


def test_at_most_five_commands_are_typed_and_none_of_them_edits_a_file(played: guide.Played) -> None:
    programs = [command.split()[0] for command in played.typed_in_the_first_hour]

    assert len(programs) <= 5
    assert {"~/synartesis/install.sh", "synartesis"} == set(programs)


def test_the_clients_file_is_byte_for_byte_what_it_was_and_nothing_is_left_but_what_the_page_says(
    played: guide.Played,
) -> None:
    kept = {path for path in played.left if path.startswith(".synartesis/")}
    others = [path for path in played.left if not path.startswith((".synartesis/", "synartesis/", ".npm/", "notes/"))]

    assert played.client_file_before == played.client_file_after
    assert {".synartesis/journal.db", ".synartesis/synartesis.yaml"} <= kept
    assert [".claude.json"] == others
