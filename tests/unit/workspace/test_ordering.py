"""A command that waits for a proxy: here the proxy is a thread that says just what it is told to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from synartesis.domain.records import NewOrder, NewRun, ProcessId, Run
from synartesis.domain.status import RunKind
from synartesis.errors import SynartesisError
from synartesis.journal import open_history, open_journal
from synartesis.journal.liveness import this_process
from synartesis.journal.writes import SqliteJournal
from synartesis.undo.onlooker import NOBODY
from synartesis.workspace.ordering import Unanswered, hand_over
from tests.support.waiting import wait_until

RUN = NewRun("0000000000aa", RunKind.AGENT, "test", "/synartesis.yaml", "0" * 64, (), this_process())
ORDER = NewOrder("0000000000f1", RUN.id, "undo", RUN.id, "/synartesis.yaml", b"{}", "ada")
SOON_S = 0.05


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def proxy(path: Path) -> Run:
    with closing(open_journal(path)) as journal:
        return asyncio.run(journal.open_run(RUN))


@contextmanager
def meanwhile(path: Path, act: Callable[[SqliteJournal], None]) -> Iterator[None]:
    """The proxy's side, once it was asked."""

    def work() -> None:
        with closing(open_journal(path)) as journal:
            wait_until(lambda: journal.orders.new_for(RUN.id) == [ORDER.id], "nobody asked")
            act(journal)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def asked(path: Path, proxy: Run, *, silent: Callable[[int], None] = lambda _: None) -> bytes | Unanswered | None:
    with open_history(path) as history:
        return hand_over(
            history,
            ORDER,
            proxy,
            read=bytes,
            onlooker=NOBODY,
            on_silence=silent,
            moves_within_s=SOON_S,
        )


def answer(journal: SqliteJournal, said: bytes) -> None:
    order = journal.orders.find(ORDER.id)
    assert order is not None
    asyncio.run(journal.orders.answer(order, said))


def test_a_proxy_that_gets_no_further_is_waited_for_and_whoever_waits_is_told_which_it_is(
    path: Path, proxy: Run
) -> None:
    told: list[int] = []

    def act(journal: SqliteJournal) -> None:
        asyncio.run(journal.orders.take(ORDER.id))
        asyncio.run(journal.orders.act(ORDER.id))
        wait_until(lambda: bool(told), "nobody was told")
        asyncio.run(journal.orders.tell(ORDER.id, ("undoing", 1, 2)))
        wait_until(lambda: len(told) == 2, "it got further, and then no further again")
        answer(journal, b'{"done":[1.50]}')

    with meanwhile(path, act):
        assert asked(path, proxy, silent=told.append) == b"[1.50]"

    assert told == [this_process().pid] * 2


def test_a_proxy_that_only_looks_and_says_nothing_new_cannot_act_any_more(path: Path, proxy: Run) -> None:
    late: list[bool] = []
    gone = threading.Event()

    def act(journal: SqliteJournal) -> None:
        asyncio.run(journal.orders.take(ORDER.id))
        assert gone.wait(30)
        late.append(asyncio.run(journal.orders.act(ORDER.id)))

    with meanwhile(path, act):
        found = asked(path, proxy)
        gone.set()

    assert isinstance(found, Unanswered)
    assert "began to look at it" in found.why
    assert late == [False]


def test_what_it_declines_and_what_goes_wrong_there_comes_back(path: Path, proxy: Run) -> None:
    def take_and(said: bytes) -> Callable[[SqliteJournal], None]:
        def act(journal: SqliteJournal) -> None:
            asyncio.run(journal.orders.take(ORDER.id))
            answer(journal, said)

        return act

    with meanwhile(path, take_and(b'{"declined":"cannot do it"}')):
        assert asked(path, proxy) == Unanswered(RUN.id, this_process().pid, "cannot do it")
    with (
        meanwhile(path, take_and(b'{"error":["it went wrong","mend it",2]}')),
        pytest.raises(SynartesisError, match="it went wrong") as error,
    ):
        asked(path, proxy)
    assert (error.value.hint, error.value.exit_code) == ("mend it", 2)


def test_a_proxy_that_is_gone_before_it_acts_is_done_without(path: Path, proxy: Run) -> None:
    gone = ProcessId(this_process().pid, "long ago")

    assert asked(path, proxy._replace(process=gone)) is None


def test_nothing_is_left_of_an_order_that_was_answered(path: Path, proxy: Run) -> None:
    def act(journal: SqliteJournal) -> None:
        asyncio.run(journal.orders.take(ORDER.id))
        answer(journal, b'{"done":1}')

    with meanwhile(path, act):
        asked(path, proxy)

    with open_history(path) as history:
        assert history.orders.find(ORDER.id) is None
