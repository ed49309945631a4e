"""Several runs of an agent, undone and done again by turns, with nobody else there: a strategy, and how it is played."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeAlias

from hypothesis import strategies as st

from synartesis.domain.status import RunStatus
from synartesis.errors import SynartesisError
from tests.sim.world import World

Made: TypeAlias = list[tuple[str, dict[str, Any]]]
Turns: TypeAlias = list[tuple[str, Any]]


def some_calls(calls: st.SearchStrategy[tuple[str, dict[str, Any]]]) -> st.SearchStrategy[Made]:
    return st.lists(calls, min_size=1, max_size=4)


def some_turns(calls: st.SearchStrategy[tuple[str, dict[str, Any]]]) -> st.SearchStrategy[Turns]:
    numbers = st.integers(1, 4)
    return st.lists(
        st.one_of(
            st.tuples(st.just("call"), some_calls(calls)),
            st.tuples(st.just("undo"), st.just({})),
            st.tuples(st.just("undo"), st.fixed_dictionaries({"to": numbers})),
            st.tuples(st.just("undo"), st.fixed_dictionaries({"only": st.frozensets(numbers, min_size=1)})),
            st.tuples(st.just("redo"), st.just({})),
        ),
        max_size=8,
    )


def play(world: World, first: Made, then: Turns, *, seen: Callable[[], object]) -> None:
    """Play the turns, each undo and redo to its end, and afterwards undo all, do it again, and undo it once more."""
    before, undos = seen(), list[str]()
    runs = [called(world, first)]
    for turn, how in then:
        if turn == "call":
            world.new_run()
            runs, undos = [*runs, called(world, how)], []
        elif turn == "redo":
            if undos:
                finished(world, undos.pop())
        elif left := [run for run in runs if not is_undone(world, run)]:
            undos += finished(world, left[-1], **how)

    left_by_all = seen()
    undos = [undo for run in reversed(runs) for undo in finished(world, run)]
    assert seen() == before
    for undo in reversed(undos):
        finished(world, undo)
    assert seen() == left_by_all
    for run in reversed(runs):
        assert world.undo(run).status == "undone"
    assert seen() == before


def called(world: World, made: Made) -> str:
    for tool, arguments in made:
        world.agent(tool, **copy.deepcopy(arguments))
    return world.run


def is_undone(world: World, run: str) -> bool:
    summary = world.journal.run(run)
    return summary is not None and summary.status is RunStatus.UNDONE


def finished(world: World, run: str, **options: Any) -> list[str]:
    """The undo run, where there was something to undo."""
    try:
        report = world.undo(run, **options)
    except SynartesisError:  # there is no such call, or a later one stands on it
        return []
    assert report.halted is None, report
    return [] if report.undo_run is None else [report.undo_run]
