"""The run's proxy is alive and does not do the undo that it is asked for: it is frozen, or it may not. Then a person says whether
the servers are started a second time; and the proxy, however late it is, does nothing any more."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from synartesis.domain.records import NewOrder, Read
from synartesis.domain.status import OrderStatus
from synartesis.journal import open_history
from synartesis.journal.rows import pack_read
from tests.support.approver import PASSPHRASE, Agent, Person, on_a_terminal_of_its_own
from tests.support.client import Client
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until
from tests.support.world import RULES, World


@pytest.fixture
def client(world: World) -> Client:
    """Still there, after its agent renamed c1."""
    return renamed(world)


def renamed(world: World) -> Client:
    world.put(c1={"name": "A"})
    client = world.proxy()
    assert "isError" not in client.call("set_item", {"id": "c1", "name": "B"})
    return client


@contextmanager
def frozen(client: Client) -> Iterator[None]:
    os.kill(client.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(client.process.pid, signal.SIGCONT)


def run_of(world: World) -> str:
    return str(world.cli("list", "--json").json[-1]["id"])


def test_in_a_pipe_it_says_so_and_names_the_option_that_starts_the_servers(world: World, client: Client) -> None:
    run = run_of(world)

    with frozen(client):
        ran = world.cli("undo", run, "--merge")
        assert ran.code == 1
        assert f"the proxy of run {run} (process {client.process.pid}) has the servers of this run" in ran.err
        assert "did not answer within 5 s; nothing was sent" in " ".join(ran.err.split())
        command = next(line for line in ran.err.splitlines() if "--start-servers" in line)
        assert f"undo {run} --merge --start-servers" in command

        again = world.cli("undo", run, "--start-servers")
        assert again.code == 0
        assert world.items["c1"] == {"name": "A"}

    does_nothing_any_more(world, client)


def test_on_a_terminal_it_asks(world: World, client: Client) -> None:
    run = run_of(world)
    with frozen(client):
        for answer, code, name in (("n", 1, "B"), ("y", 0, "A")):
            with Terminal(
                [*world.program, "undo", run], env=world.env | {"COLUMNS": "80"}, cwd=world.folder
            ) as terminal:
                terminal.until("did not answer within 5 s")
                terminal.until("Start the servers a second time? [y/N]")
                terminal.type(f"{answer}\n")
                assert terminal.ended() == code
            assert world.items["c1"] == {"name": name}

    does_nothing_any_more(world, client)


def test_ctrl_c_while_it_is_waited_for_leaves_everything_as_it_is(world: World, client: Client) -> None:
    run = run_of(world)
    with (
        frozen(client),
        Terminal([*world.program, "undo", run], env=world.env | {"COLUMNS": "80"}, cwd=world.folder) as terminal,
    ):
        wait_until(lambda: orders(world) == [("waiting",)], "nobody was asked")
        terminal.type("\x03")
        terminal.until("stopping before the next call")
        terminal.type("\x03")
        terminal.until("interrupted")
        assert terminal.ended() == 1

    assert orders(world) == []
    does_nothing_any_more(world, client)
    assert world.items["c1"] == {"name": "B"}


def test_a_command_that_is_killed_before_it_was_heard_is_not_obeyed(world: World, client: Client) -> None:
    run = run_of(world)
    with frozen(client):
        command = Client.start([*world.program, "undo", run], env=world.env, cwd=world.folder)
        world.clients.append(command)
        wait_until(lambda: orders(world) == [("waiting",)], "nobody was asked")
        command.kill()

    wait_until(lambda: "order_ended" in client.stderr(), "the proxy never took it")
    assert orders(world) == []
    assert world.items["c1"] == {"name": "B"}


def does_nothing_any_more(world: World, client: Client) -> None:
    """It is awake again, and has had its time: another order is taken, and it took no other."""
    before = world.calls("set_item")
    world.cli("undo", run_of(world), "--dry-run")
    wait_until(lambda: client.stderr().count("order_ended") == 1, "it does not take orders any more")
    assert world.calls("set_item") == before


def orders(world: World) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(world.journal, timeout=30)) as journal:
        return journal.execute("SELECT status FROM orders").fetchall()


# --- what it may not do


def test_an_order_that_says_more_than_it_understands_is_not_carried_out(world: World, client: Client) -> None:
    """As a command of a later version would write it: an option that is not known must not be left out."""
    place(world, options=b'{"options":{"backwards":true}}')

    assert b"does not understand what is asked" in answer_of(world)
    assert len(world.calls("set_item")) == 1


def test_an_order_about_somebody_elses_run_is_not_carried_out(world: World, client: Client) -> None:
    client.close()
    second = world.proxy()
    second.call("get_item", {"id": "c1"})
    older = run_of(world)
    newest = world.cli("list", "--json").json[0]["id"]
    place(world, options=b'{"options":{}}', asked_of=newest, about=older)

    assert b"is not one of its own" in answer_of(world)
    assert len(world.calls("set_item")) == 1


def test_servers_that_it_was_not_started_with_are_not_its_to_call(world: World, client: Client) -> None:
    """A manifest that has come to name another server since: with --replan its rules may send calls there."""
    world.write_manifest(servers={"f": world.fake(), "g": world.fake("g")})

    ran = world.cli("undo", run_of(world), "--replan")

    assert ran.code == 1
    assert "was not started with all servers that the manifest names now: g" in " ".join(ran.err.split())
    assert world.cli("undo", run_of(world)).code == 0, "and without --replan nothing goes there"
    assert world.items["c1"] == {"name": "A"}


# --- with an approver


NEW_RULES = RULES.replace('name: "$snapshot.name"}', 'name: "replanned"}', 1)


def test_an_undo_takes_the_approvers_passphrase_and_is_then_done(world: World, person: Person) -> None:
    renamed(world)

    code, seen = person.type_passphrase("undo", run_of(world))

    assert "the proxy of this run is alive" in " ".join(seen.split())
    assert (code, world.items["c1"]) == (0, {"name": "A"})


def test_a_replan_takes_it_once_and_judges_by_the_manifest_that_was_signed(world: World, person: Person) -> None:
    renamed(world)
    world.write_manifest(NEW_RULES)

    code, seen = person.type_passphrase("undo", run_of(world), "--replan")

    assert world.calls("set_item")[1:] == [{"id": "c1", "name": "replanned"}], seen
    assert code == 1, "which is not what it was before, and is said so"


def test_where_nobody_can_type_it_the_way_without_the_proxy_is_named(world: World, person: Person) -> None:
    renamed(world)

    ran = world.cli("undo", run_of(world))

    assert ran.code == 1
    assert "asked for on a terminal, and there is none here" in " ".join(ran.err.split())
    assert f"undo {run_of(world)} --start-servers" in ran.err
    assert world.items["c1"] == {"name": "B"}
    assert world.cli("undo", run_of(world), "--start-servers").code == 0


def test_a_dry_run_takes_none(world: World, person: Person) -> None:
    renamed(world)

    ran = world.cli("undo", run_of(world), "--dry-run")

    assert ran.code == 0, ran
    assert "would be restored" in ran.out


@pytest.mark.parametrize("options", [b'{"options":{}}', b'{"options":{"replan":true}}'])
def test_an_order_that_nobody_signed_is_not_carried_out(world: World, person: Person, options: bytes) -> None:
    """An agent with a shell writes it itself: and what its rows then say would be called, past every gate."""
    renamed(world)

    place(world, options=options)

    assert b"wants the approver's signature" in answer_of(world)
    assert len(world.calls("set_item")) == 1


def test_a_dry_run_makes_no_call_that_the_rules_do_not_name_as_a_read(world: World, person: Person) -> None:
    """An agent with a shell makes a row say that its state is read by what is held."""
    renamed(world)
    note = pack_read(Read("f", "send_note", b'{"to":"a@x.example","text":"hi"}', b"{}"))
    Agent(world).sql("UPDATE actions SET read = :read", read=note)

    place(world, options=b'{"options":{"dry_run":true}}')

    assert b"is not a read by the rules" in answer_of(world)
    assert world.calls("send_note") == []


QUERY = {"name": "query", "inputSchema": {"type": "object"}}
BY_QUERY = """
  - match: "f.set_item"
    class: reversible
    snapshot: {tool: "f.query", args: {sql: "SELECT name FROM items WHERE id = '$.id'"}}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "A"}}
"""
ON_WRITE = """
  - {match: "f.query", class: irreversible, gate: on_write, sql: sql, dialect: sqlite}
"""


@pytest.mark.parametrize("rules", [BY_QUERY + ON_WRITE, BY_QUERY], ids=["judged", "without a rule of its own"])
def test_a_dry_run_has_a_tool_that_runs_any_statement_run_none_but_reads(
    world: World, person: Person, rules: str
) -> None:
    """The rule reads the state with it; an agent with a shell makes a row say that it is read by a statement that writes."""
    world.write_manifest(rules, servers={"f": world.fake(extra_tools=[QUERY])})
    world.behave(rules=[{"tool": "query", "times": 1, "text": "A"}])  # and something else once it is renamed
    renamed(world)
    queries = len(world.calls("query"))
    order = b'{"options":{"dry_run":true}}'

    Agent(world).sql(
        "UPDATE actions SET read = :read", read=pack_read(Read("f", "query", b'{"sql":"DROP TABLE t"}', b"{}"))
    )
    place(world, options=order)
    assert b"is not a read by the rules" in answer_of(world)

    assert len(world.calls("query")) == queries


@pytest.mark.parametrize(
    "forged",
    [
        """options = CAST('{"options":{"as_far_as_possible":true}}' AS BLOB)""",
        "by = 'somebody else'",
        "manifest = manifest || '.other'",
        "id = 'another'",
    ],
)
def test_a_signature_is_good_for_no_other_order(world: World, person: Person, forged: str) -> None:
    client = renamed(world)
    (world.folder / "synartesis.yaml.other").write_bytes(world.manifest.read_bytes())
    agent = Agent(world)

    with frozen(client), on_a_terminal_of_its_own(world, "undo", run_of(world)) as terminal:
        terminal.until("Passphrase of")
        terminal.type(f"{PASSPHRASE}\n")
        wait_until(lambda: orders(world) == [("waiting",)], "nobody was asked")
        agent.sql(f"UPDATE orders SET {forged}")
        agent.sql(
            "UPDATE orders SET asker = (SELECT process FROM runs ORDER BY number LIMIT 1)"
        )  # one that stays alive
    wait_until(lambda: "order_ended" in client.stderr(), "it was never taken")

    assert len(world.calls("set_item")) == 1


def test_a_manifest_that_was_exchanged_after_the_signature_is_not_taken(world: World, person: Person) -> None:
    client = renamed(world)

    with frozen(client), on_a_terminal_of_its_own(world, "undo", run_of(world), "--replan") as terminal:
        terminal.until("Passphrase of")
        terminal.type(f"{PASSPHRASE}\n")
        wait_until(lambda: orders(world) == [("waiting",)], "nobody was asked")
        world.write_manifest(NEW_RULES)
        os.kill(client.process.pid, signal.SIGCONT)
        terminal.until("wants the approver's signature")

    assert len(world.calls("set_item")) == 1


def test_an_order_is_good_once(world: World, person: Person) -> None:
    """The row is put back as it was when it was signed."""
    client = renamed(world)
    agent = Agent(world)
    with frozen(client), on_a_terminal_of_its_own(world, "undo", run_of(world)) as terminal:
        terminal.until("Passphrase of")
        terminal.type(f"{PASSPHRASE}\n")
        wait_until(lambda: orders(world) == [("waiting",)], "nobody was asked")
        signed = agent.sql("SELECT * FROM orders")[0]
        os.kill(client.process.pid, signal.SIGCONT)
        terminal.until("is undone")
    client.call("set_item", {"id": "c1", "name": "C"})

    agent.sql(f"INSERT INTO orders VALUES ({', '.join(f':v{at}' for at in range(len(signed)))})", **numbered(signed))
    agent.sql("UPDATE orders SET asker = (SELECT process FROM runs ORDER BY number LIMIT 1)")

    wait_until(lambda: client.stderr().count("order_ended") == 2, "it was never taken")
    assert world.items["c1"] == {"name": "C"}


def numbered(row: tuple[Any, ...]) -> dict[str, Any]:
    return {f"v{at}": value for at, value in enumerate(row)}


# --- below: how


def place(world: World, *, options: bytes, asked_of: str | None = None, about: str | None = None) -> None:
    """As this process, which stays alive."""
    run = run_of(world)
    order = NewOrder(ORDER, asked_of or run, "undo", about or run, str(world.manifest), options, "an agent")
    with open_history(world.journal) as journal:
        journal.orders.place(order)


def answer_of(world: World) -> bytes:
    with open_history(world.journal) as journal:

        def answered() -> bool:
            order = journal.orders.find(ORDER)
            return order is not None and order.status is OrderStatus.ANSWERED

        wait_until(answered, "it was never answered")
        order = journal.orders.find(ORDER)
        assert order is not None
        journal.orders.drop(ORDER)
        return order.answer


ORDER = "00000000000f"
