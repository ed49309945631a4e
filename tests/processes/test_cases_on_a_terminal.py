"""Cases C044, C048, C050, C051 and C052 as a person sees them: the commands on a terminal of 80 columns, with colours and
questions. (Into a pipe they are in test_cases_approvals.py, test_cases_journal_files.py and test_cases_sql.py.)"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from tests.processes.test_cases_sql import NAMED, held, sql_server
from tests.promises import promise
from tests.support.terminal import Terminal
from tests.support.world import World

NOTE = {"to": "a@x.example", "text": "hi"}
OUR_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
SECRET = "correct-horse-battery"


class Seen(NamedTuple):
    code: int
    screen: str

    @property
    def words(self) -> str:
        """However lines were broken."""
        return " ".join(re.sub(r"\n *\| ", " ", self.screen).split())


def typed(world: World, *words: str, **variables: str) -> Seen:
    """A command on a terminal, to its end."""
    env = {name: value for name, value in world.env.items() if name != "NO_COLOR"}
    env |= {"TERM": "xterm-256color", "COLUMNS": "80", **variables}
    with Terminal([*world.program, *words], env=env, cwd=world.folder) as terminal:
        code = terminal.ended()
    screen = OUR_COLOURS.sub("", terminal.screen)
    assert "\x1b" not in screen
    return Seen(code, screen)


@promise("C044")
def test_what_is_approved_on_a_terminal_is_carried_out_once_and_nothing_else_is(world: World) -> None:
    with world.proxy() as client:
        client.call("send_note", NOTE)
        asked = typed(world, "gates")
        approved = typed(world, "approve")
        another = client.call("send_note", {**NOTE, "text": "hi!"})
        carried_out, once_more = client.call("send_note", NOTE), client.call("send_note", NOTE)

    assert '"text": "hi"' in asked.words
    assert approved.code == 0
    assert "f.send_note" in approved.words
    assert (another["isError"], once_more["isError"]) == (True, True)
    assert carried_out["structuredContent"] == {"sent": 1}
    assert world.calls("send_note") == [NOTE]
    assert "carried out as #3" in typed(world, "show").words


@promise("C048")
def test_what_is_denied_on_a_terminal_stays_denied_and_is_not_asked_again(world: World) -> None:
    with world.proxy() as client:
        client.call("send_note", NOTE)
        denied = typed(world, "deny", "--by", "ada", "--reason", "not to customers")
        answers = [client.call("send_note", NOTE)["content"][0]["text"] for _ in range(3)]

    assert denied.code == 0
    assert all(answer.startswith("DENIED") for answer in answers)
    assert "send_note" not in typed(world, "gates").words
    assert "not to customers" in typed(world, "show").words
    assert world.calls("send_note") == []


@promise("C050")
@pytest.mark.parametrize(
    "words",
    [["check"], ["list"], ["show", "--full"], ["gates", "--full"], ["undo", "--dry-run"], ["doctor"]],
    ids=" ".join,
)
def test_no_command_shows_a_value_of_the_environment_on_a_terminal(world: World, words: list[str]) -> None:
    world.write_manifest(servers={"f": world.fake(extra='env: {API_KEY: "${MY_KEY}"}')})
    world.put(c1={"name": "A"})
    client = world.start_proxy(env={"MY_KEY": SECRET})
    client.initialize()
    client.call("set_item", {"id": "c1", "name": "B"})
    client.call("send_note", NOTE)
    client.close()
    world.behave(dump_environment=True)  # from now on it prints its environment to stderr and dies

    seen = typed(world, *words, MY_KEY=SECRET)

    assert seen.screen
    assert SECRET not in seen.screen


@promise("C051")
def test_a_write_that_begins_like_a_read_is_shown_whole_on_a_terminal(world: World) -> None:
    sql_server(world, NAMED)
    query = "WITH d AS (DELETE FROM orders WHERE id=7 RETURNING *) SELECT * FROM d"
    with world.proxy() as client:
        assert held(client.call("query", {"query": query}))

    seen = typed(world, "gates")

    assert query in seen.words
    assert world.calls("query") == []


@promise("C052")
def test_a_plain_read_leaves_nothing_to_decide_and_a_held_one_says_what_could_not_be_read(world: World) -> None:
    sql_server(world, NAMED)
    with world.proxy() as client:
        assert not held(client.call("query", {"query": "SELECT 1"}))
        nothing = typed(world, "gates")
        assert held(client.call("query", {"query": "SELECT a FROM t WHERE b ??? 1"}))

    assert "query" not in nothing.words
    assert "`SELECT a FROM t WHERE b ??? 1`" in typed(world, "gates").words
