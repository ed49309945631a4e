"""Orders: either the proxy does it, or whoever asked, and never both."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import pytest

from synartesis.domain.records import NewOrder, NewRun, ProcessId
from synartesis.domain.status import ORDER_MOVES, OrderStatus, RunKind
from synartesis.journal import open_beside, open_history, open_journal
from synartesis.journal.liveness import this_process
from synartesis.journal.orders import ProxyOrders
from synartesis.journal.reads import SqliteHistory
from synartesis.journal.writes import SqliteJournal

RUN = NewRun("0000000000aa", RunKind.AGENT, "test", "/synartesis.yaml", "0" * 64, (), this_process())
ORDER = NewOrder("0000000000f1", RUN.id, "undo", RUN.id, "/synartesis.yaml", b"{}", "ada \ud800")

Move: TypeAlias = Callable[[ProxyOrders], bool]


def moved(orders: ProxyOrders, to: OrderStatus) -> bool:
    """Try to bring it there, by the method that does."""
    match to:
        case OrderStatus.TAKEN:
            return asyncio.run(orders.take(ORDER.id)) is not None
        case OrderStatus.PLANNED:
            return asyncio.run(orders.show_plan(ORDER.id, b"plan"))
        case OrderStatus.AGREED:
            return orders.agree(ORDER.id)
        case OrderStatus.ACTING:
            return asyncio.run(orders.act(ORDER.id))
        case OrderStatus.WITHDRAWN:
            return orders.withdraw(ORDER.id)
        case OrderStatus.ANSWERED:
            order = orders.find(ORDER.id)
            assert order is not None
            asyncio.run(orders.answer(order, b"answer"))
            return order.status is not OrderStatus.ANSWERED and status_of(orders) is OrderStatus.ANSWERED
        case OrderStatus.WAITING:
            return False


def status_of(orders: ProxyOrders) -> OrderStatus | None:
    standing = orders.standing(ORDER.id)
    return None if standing is None else standing[0]


def ways_to(status: OrderStatus) -> list[OrderStatus]:
    """The moves by which an order comes there."""
    return {
        OrderStatus.WAITING: [],
        OrderStatus.TAKEN: [OrderStatus.TAKEN],
        OrderStatus.PLANNED: [OrderStatus.TAKEN, OrderStatus.PLANNED],
        OrderStatus.AGREED: [OrderStatus.TAKEN, OrderStatus.PLANNED, OrderStatus.AGREED],
        OrderStatus.ACTING: [OrderStatus.TAKEN, OrderStatus.ACTING],
        OrderStatus.ANSWERED: [OrderStatus.TAKEN, OrderStatus.ACTING, OrderStatus.ANSWERED],
        OrderStatus.WITHDRAWN: [OrderStatus.WITHDRAWN],
    }[status]


@pytest.fixture
def journal(tmp_path: Path) -> SqliteJournal:
    journal = open_journal(tmp_path / "journal.db")
    asyncio.run(journal.open_run(RUN))
    return journal


@pytest.mark.parametrize("to", [status for status in OrderStatus if status is not OrderStatus.WAITING])
@pytest.mark.parametrize("was", list(OrderStatus))
def test_an_order_moves_as_the_table_says_and_in_no_other_way(
    journal: SqliteJournal, was: OrderStatus, to: OrderStatus
) -> None:
    with closing(journal):
        orders = journal.orders
        orders.place(ORDER)
        for step in ways_to(was):
            assert moved(orders, step)
        assert status_of(orders) is was

        assert moved(orders, to) is (to in ORDER_MOVES[was])
        assert status_of(orders) is (to if to in ORDER_MOVES[was] else was)


def test_what_was_acted_on_can_be_withdrawn_by_nobody() -> None:
    assert OrderStatus.WITHDRAWN not in ORDER_MOVES[OrderStatus.ACTING]
    assert not ORDER_MOVES[OrderStatus.WITHDRAWN]


def test_an_order_is_read_as_it_was_placed(journal: SqliteJournal) -> None:
    with closing(journal):
        journal.orders.place(ORDER)
        found = journal.orders.find(ORDER.id)

        assert found is not None
        assert found.new == ORDER._replace(by="ada \\ud800")
        assert (found.asker, found.taker, found.stops) == (this_process(), None, False)


def test_it_is_noticed_once_and_only_by_the_proxy_that_is_meant(journal: SqliteJournal, tmp_path: Path) -> None:
    other = RUN._replace(id="0000000000bb")
    asyncio.run(journal.open_run(other))
    with closing(journal), open_history(tmp_path / "journal.db") as command:
        assert journal.orders.new_for(RUN.id) == []

        command.orders.place(ORDER)

        assert journal.orders.new_for(RUN.id) == [ORDER.id]
        assert journal.orders.new_for(RUN.id) is None, "nobody has written since"
        with closing(open_beside(journal)) as another:
            assert another.orders.new_for(other.id) == []


def test_what_nobody_will_fetch_any_more_goes_with_the_next_order(tmp_path: Path) -> None:
    gone = {ProcessId(1, "long ago"), ProcessId(2, "long ago")}
    path = tmp_path / "journal.db"
    with closing(open_journal(path)) as journal:
        asyncio.run(journal.open_run(RUN))
        for number, asker in enumerate([*sorted(gone), this_process()]):
            with open_history(path) as command:
                place_as(command, asker, ORDER._replace(id=f"order {number}"))

        left = journal._connection.execute("SELECT id FROM orders").fetchall()

    assert left == [("order 2",)]


def place_as(command: SqliteHistory, asker: ProcessId, order: NewOrder) -> None:
    command._ledger.process = asker
    command.orders.place(order)


def test_a_journal_that_was_opened_once_more_keeps_its_locks(tmp_path: Path) -> None:
    """Closing any descriptor of a file ends all locks that a process has on it. Without them, whoever comes and goes takes the
    write-ahead file away, and what this process writes afterwards is seen by nobody."""
    path = tmp_path / "journal.db"
    with closing(open_journal(path)) as journal:
        asyncio.run(journal.open_run(RUN))
        with closing(open_beside(journal)) as beside:
            beside.orders.place(ORDER)
            beside.orders.drop(ORDER.id)

        come_and_go(path)
        asyncio.run(journal.open_run(RUN._replace(id="0000000000bb")))

        assert come_and_go(path) == "0000000000bb 0000000000aa"


def come_and_go(path: Path) -> str:
    """Another process that opens the journal, looks, and closes it as the last one would. Returns the runs that it saw."""
    script = (
        "import sys; from pathlib import Path; from contextlib import closing; from synartesis.journal import open_journal\n"
        "with closing(open_journal(Path(sys.argv[1]))) as it: print(*(row.run.id for row in it.runs()))"
    )
    source = str(Path(__file__).parents[3] / "src")
    done = subprocess.run(
        [sys.executable, "-c", script, path],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": source},
    )
    return done.stdout.strip()
