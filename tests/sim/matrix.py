"""The crash matrix: every door of a call and of an undo x what the server did x what happens there x class and gate x what
happens next. The doors come from the recorded trace, so a new door enlarges the matrix by itself.

`python -m tests.sim.matrix` writes docs/crash-matrix.md anew; `--sqlite` plays it on the real journal instead.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from synartesis.domain.calls import Continuation
from synartesis.domain.status import ApprovalStatus
from synartesis.errors import JournalUnavailable
from synartesis.undo.report import Report
from tests.sim.doors import A_READ, A_WRITE, Cancelled, Door, Task
from tests.sim.invariants import Violation
from tests.sim.journals import Journals
from tests.sim.server import (
    ANY_WRITE,
    LOST,
    NEVER_ARRIVED,
    Misbehaviour,
    answers,
    asks_for_input,
    does_it_and_answers,
    error,
    protocol_error,
    result,
)
from tests.sim.simulation import Process, Simulation, UndoTask

MakeJournals: TypeAlias = Callable[[Simulation], Journals]
Phase: TypeAlias = Literal["asking", "asking in vain", "calling", "going on", "undoing", "redoing"]
Next: TypeAlias = Literal["nothing", "recover", "repeat", "undo", "undo twice"]
NEXTS: Final[tuple[Next, ...]] = ("nothing", "recover", "repeat", "undo", "undo twice")


class Scene(NamedTuple):
    """One call, and what a person may edit of it."""

    name: str
    tool: str
    arguments: dict[str, Any]
    thing: str = "c1"
    held: bool = False
    redo: bool = True


SCENES: Final = (
    Scene("reversible", "set_item", {"id": "c1", "plan": "free"}),
    Scene("reversible: a deletion", "del_item", {"id": "c2"}, "c2"),
    Scene("reversible: a creation", "put_item", {"id": "c7", "record": {"name": "new", "plan": "free"}}, "c7"),
    Scene("reversible, judged by verify", "move_item", {"source": "c1", "destination": "c9"}),
    Scene("reversible, held", "fix_item", {"id": "c1", "plan": "free"}, held=True),
    Scene("compensable, judged by verify", "create_item", {"name": "new"}, "new"),
    Scene("compensable, unread", "charge", {"amount": 3}),
    Scene("irreversible, held", "send_note", {"text": "hi"}, held=True, redo=False),
)

DOES_IT: Final = "does it"
Behaviour: TypeAlias = Callable[[Simulation], Misbehaviour]


def _does_it_late(sim: Simulation) -> Misbehaviour:
    def misbehave(call: Any, carry_out: Callable[[], Any]) -> Any:
        sim.late(carry_out)
        return LOST

    return misbehave


BEHAVIOURS: Final[dict[str, Behaviour]] = {
    DOES_IT: lambda sim: lambda call, carry_out: carry_out(),
    "refuses": lambda sim: answers(error("locked")),
    "refuses as a protocol error": lambda sim: answers(protocol_error(-32603, "internal")),
    "never gets it": lambda sim: answers(NEVER_ARRIVED),
    "does it, the pipe dies before the answer": lambda sim: does_it_and_answers(LOST),
    "does it after the pipe died": _does_it_late,
    "does nothing, the pipe dies": lambda sim: answers(LOST),
    "does it and says that it failed": lambda sim: does_it_and_answers(error("timeout while saving")),
    "does nothing and says that it did": lambda sim: answers(result({"id": "nothing", "amount": 0})),
    "asks for input": lambda sim: answers(asks_for_input("s1")),
}

# --- what happens at a door


class Stage(NamedTuple):
    """Where a cell has come to."""

    sim: Simulation
    scene: Scene
    run: str
    process: Process
    task: Task
    target: str
    """The run that is being walked, where one is."""


Event: TypeAlias = Callable[[Stage], None]
"""Something happens while the task stands at a door. What leaves it there is followed by going on."""


def _killed(stage: Stage) -> None:
    stage.sim.kill(stage.process)


def _journal_fails(stage: Stage) -> None:
    stage.task.fail(JournalUnavailable("the disk is full"))


def _cancelled(stage: Stage) -> None:
    stage.task.fail(Cancelled())


def _read_unanswered(stage: Stage) -> None:
    stage.sim.server.next("get_item", answers(LOST))


def _read_refused(stage: Stage) -> None:
    stage.sim.server.next("get_item", answers(error("429 Too Many Requests")))


def _person_writes(stage: Stage) -> None:
    thing = _thing(stage)
    if thing is not None:
        stage.sim.edit(thing, name=stage.sim.token())


def _person_takes_it_away(stage: Stage) -> None:
    thing = _thing(stage)
    if thing is not None:
        stage.sim.delete(thing)


def _person_says_no(stage: Stage) -> None:
    for approval in stage.sim.journals.desk().approvals([ApprovalStatus.GRANTED]):
        stage.sim.decide(grant=False, request=approval.id)


def _another_undo(stage: Stage) -> None:
    stage.sim.finish(stage.sim.undo(stage.target).task)


def _thing(stage: Stage) -> str | None:
    """The record that the call is about, if it is there now. A creation gives it a name of its own."""
    records, wanted = stage.sim.server.records, stage.scene.thing
    if wanted == "new":
        wanted = next((name for name in records if name.startswith("n")), "")
    return wanted if wanted in records else None


EVENTS: Final[dict[str, Event]] = {
    "killed": _killed,
    "the journal fails": _journal_fails,
    "cancelled": _cancelled,
    "the read is not answered": _read_unanswered,
    "the read is refused": _read_refused,
    "a person writes": _person_writes,
    "a person takes it away": _person_takes_it_away,
    "a person says no": _person_says_no,
    "another undo": _another_undo,
}


_LEADS_ON: Final = ("killed", "the journal fails", "cancelled")
"""Events after which the task does not stand at that door any more."""


def _can_happen(event: str, door: Door, phase: Phase, scene: Scene) -> bool:
    match event:
        case "the journal fails":
            return door.port == "journal" and door.side == "before"
        case "the read is not answered" | "the read is refused":
            return door.port == "upstream" and door.side == "before" and door.about == A_READ
        case "cancelled":
            return phase in ("asking", "asking in vain", "calling")
        case "a person says no":
            return scene.held and phase == "calling"
        case "another undo":
            return phase in ("undoing", "redoing")
        case _:
            return True


# --- one cell


class Cell(NamedTuple):
    scene: Scene
    phase: Phase
    behaviour: str = DOES_IT
    at: int | None = None
    """At which door of the trace; None: nothing happens at any."""
    event: str = "killed"
    next: Next = "nothing"
    killed_at: int | None = None
    """Where something else happened before: at which door the process is killed then."""

    def __str__(self) -> str:
        where = "" if self.at is None else f", {self.event} at door {self.at}"
        where += "" if self.killed_at is None else f", killed at door {self.killed_at}"
        return f"{self.scene.name}, {self.phase}: the server {self.behaviour}{where}, then {self.next}"


class Outcome(NamedTuple):
    door: Door | None
    trace: list[Door]
    says: str
    """What the row says when it is over, before anything else happens."""
    came_to: str
    """What the next step came to."""
    violations: list[Violation]
    excused: list[str]


def play(cell: Cell, journals: MakeJournals) -> Outcome:
    sim = Simulation(journals)
    try:
        return _play(cell, sim)
    finally:
        sim.close()


def _play(cell: Cell, sim: Simulation) -> Outcome:
    stage = _set_up(cell, sim)
    door = _lead(cell, stage)
    sim.ended(stage.task)
    sim.server.behave()
    if stage.process.alive and cell.phase not in ("undoing", "redoing"):
        sim.end(stage.process)
    elif stage.process.alive:
        sim.leave(stage.process)
    sim.do_late()
    sim.check()
    says = _says(stage, cell.phase)
    came_to = _go_on(cell, stage)
    sim.check()
    return Outcome(door, stage.task.trace, says, came_to, sim.violations, [why for why, _ in sim.chronicle.excused])


def _set_up(cell: Cell, sim: Simulation) -> Stage:
    scene, agent = cell.scene, sim.start_agent()
    run = agent.runs[-1]

    def misbehave() -> None:
        sim.server.next(ANY_WRITE, BEHAVIOURS[cell.behaviour](sim))

    if scene.held and cell.phase != "asking":
        sim.finish(sim.call(agent, scene.tool, scene.arguments))
        sim.decide(grant=cell.phase != "asking in vain")
    if cell.phase in ("asking", "asking in vain", "calling"):
        misbehave()
        return Stage(sim, scene, run, agent, sim.call(agent, scene.tool, scene.arguments), run)
    if cell.phase == "going on":
        sim.server.next(ANY_WRITE, answers(asks_for_input("s0")))
        sim.finish(sim.call(agent, scene.tool, scene.arguments))
        misbehave()
        answer = Continuation("s0", b"{}")
        return Stage(sim, scene, run, agent, sim.call(agent, scene.tool, scene.arguments, continues=answer), run)
    sim.finish(sim.call(agent, scene.tool, scene.arguments))
    sim.end(agent)
    target = run
    if cell.phase == "redoing":
        undone = sim.undo(run)
        sim.finish(undone.task)
        sim.leave(undone.process)
        target = undone.undo_run
    misbehave()
    undo = sim.undo(target)
    return Stage(sim, scene, run, undo.process, undo.task, target)


def _lead(cell: Cell, stage: Stage) -> Door | None:
    """Lead the task to its end; at one door something happens."""
    task, at, happened = stage.task, 0, None
    while not task.over:
        if at == cell.at:
            happened = task.door
            EVENTS[cell.event](stage)
        if at == cell.killed_at:
            happened = task.door
            _killed(stage)
        elif at != cell.at or cell.event not in _LEADS_ON:
            assert task.ready(), f"{cell} waits at {task.door}"
            task.go_on()
        at += 1
    return happened


def _says(stage: Stage, phase: Phase) -> str:
    rows = [row for row in stage.sim.journals.rows() if (row.undoes is not None) == (phase in ("undoing", "redoing"))]
    if phase == "redoing":
        rows = [row for row in rows if stage.sim.undos and row.run == _undo_run(stage)]
    return str(rows[-1].status) if rows else "(no row)"


def _undo_run(stage: Stage) -> str:
    return stage.sim.undos[stage.task.name].undo_run


def _go_on(cell: Cell, stage: Stage) -> str:
    sim, scene = stage.sim, stage.scene
    match cell.next:
        case "nothing":
            return ""
        case "recover":
            for process in sim.processes:
                for run in process.runs:
                    sim.close_run(run)
            sim.check()
            return _came_to(_whole(sim, stage.target, dry_run=True))
        case "repeat" if cell.phase in ("undoing", "redoing"):
            return _came_to(_whole(sim, stage.target, as_far_as_possible=True))
        case "repeat":
            again = sim.start_agent()
            sim.finish(sim.call(again, scene.tool, scene.arguments))
            if scene.held and sim.decide():
                sim.finish(sim.call(again, scene.tool, scene.arguments))
            sim.end(again)
            _whole(sim, again.runs[-1])
            return _came_to(_whole(sim, stage.run))
        case "undo":
            return _came_to(_whole(sim, stage.run))
        case "undo twice":
            _whole(sim, stage.run)
            return _came_to(_whole(sim, stage.run))


def _whole(sim: Simulation, run: str, **options: Any) -> UndoTask:
    undo = sim.undo(run, **options)
    sim.finish(undo.task)
    sim.leave(undo.process)
    return undo


def _came_to(undo: UndoTask) -> str:
    report = undo.task.result
    if not isinstance(report, Report):
        return "told to wait or to finish something first"
    return report.status if report.halted is None else f"stopped: {report.halted.reason}"


# --- all of them


def cells(journals: MakeJournals, scenes: Iterable[Scene] = SCENES) -> Iterator[Cell]:
    for scene in scenes:
        for phase in _phases(scene):
            yield from _cells_of(scene, phase, journals)


def _phases(scene: Scene) -> Iterator[Phase]:
    if scene.held:
        yield "asking"
        yield "asking in vain"
    yield "calling"
    yield "going on"
    yield "undoing"
    if scene.redo:
        yield "redoing"


def _cells_of(scene: Scene, phase: Phase, journals: MakeJournals) -> Iterator[Cell]:
    for behaviour in BEHAVIOURS:
        trace = play(Cell(scene, phase, behaviour), journals).trace
        leaves = _leaves_at(trace)
        if behaviour != DOES_IT and leaves is None:
            continue  # nothing leaves in this phase: the server has no say
        for then in NEXTS:
            yield Cell(scene, phase, behaviour, next=then)
            for at in range(len(trace)):
                if behaviour == DOES_IT or (leaves is not None and at > leaves):
                    yield Cell(scene, phase, behaviour, at, "killed", then)
        if behaviour == DOES_IT:
            yield from _events_of(scene, phase, trace, journals)


def _events_of(scene: Scene, phase: Phase, trace: list[Door], journals: MakeJournals) -> Iterator[Cell]:
    """Where what happens leads to doors that are not in the trace, the process is killed at those too."""
    for at, door in enumerate(trace):
        for event in EVENTS:
            if event == "killed" or not _can_happen(event, door, phase, scene):
                continue
            if event == "cancelled" and at >= (_leaves_at(trace) or len(trace)) - 1:
                continue
            cell = Cell(scene, phase, DOES_IT, at, event)
            further = play(cell, journals).trace
            new = [] if further == trace else [n for n, one in enumerate(further) if n > at and one not in trace]
            for then in NEXTS:
                yield cell._replace(next=then)
                yield from (cell._replace(next=then, killed_at=killed_at) for killed_at in new)


def _leaves_at(trace: list[Door]) -> int | None:
    """Where the write leaves."""
    for at, door in enumerate(trace):
        if door.side == "before" and door.about == A_WRITE:
            return at
    return None


# --- the page


class Result(NamedTuple):
    """What is kept of a cell that was played."""

    cell: Cell
    door: str
    says: str
    came_to: str
    violations: tuple[Violation, ...]
    excused: tuple[str, ...]


def play_all(journals: MakeJournals, scenes: Iterable[Scene] = SCENES) -> Iterator[Result]:
    for cell in cells(journals, scenes):
        outcome = play(cell, journals)
        door = "" if outcome.door is None else str(outcome.door)
        violations = tuple(dict.fromkeys(outcome.violations))
        yield Result(cell, door, outcome.says, outcome.came_to, violations, tuple(outcome.excused))


def page(results: Iterable[Result]) -> str:
    """docs/crash-matrix.md."""
    results = list(results)
    lines = [
        *_HEAD.format(cells=len(results), violations=sum(bool(one.violations) for one in results)).splitlines(),
        "",
    ]
    lines += [*_by_scene(results), "", *_by_behaviour(results), "", *_by_event(results), ""]
    for phase, title in _TITLES.items():
        lines += [f"## {title}", "", *_by_door([one for one in results if one.cell.phase == phase]), ""]
    return "\n".join([*lines, *_excuses(results)]) + "\n"


_HEAD: Final = """\
# Crash matrix

Written by `python -m tests.sim.matrix`, and compared by tests/sim/test_crash_matrix.py: do not edit it by hand.

A *door* is an await of a port: the journal, the server, the clock, another call's turn. At every door of a call, of an undo
and of a redo, before and behind it, something happens: the process is killed, the journal fails, the client takes its call
back, a read fails, a person writes, takes the thing away or takes an approval back, another undo of the same run begins and
ends. Wherever a write has left, each of this is played with everything that the server may have made of it. Then nothing more
happens, or the record is closed and looked at, or the call is repeated, or the run is undone, once or twice. After every cell
the invariants of tests/sim/invariants.py hold.

**{cells} cells, {violations} violations.**"""

_TITLES: Final[dict[Phase, str]] = {
    "asking": "A call that is held",
    "asking in vain": "A call that was denied",
    "calling": "A call",
    "going on": "A call that goes on after the server asked for input",
    "undoing": "An undo",
    "redoing": "A redo",
}


def _by_scene(results: list[Result]) -> list[str]:
    def row(scene: Scene) -> list[str]:
        mine = [one.cell.phase for one in results if one.cell.scene is scene]
        return [scene.name, *(str(mine.count(phase) or "") for phase in _TITLES)]

    return _table(["cells", *_TITLES], [row(scene) for scene in SCENES])


def _by_behaviour(results: list[Result]) -> list[str]:
    plain = [one for one in results if one.cell.at is None]

    def row(behaviour: str) -> list[str]:
        mine = [one for one in plain if one.cell.behaviour == behaviour]
        said = _counted(one.says for one in mine if one.cell.phase == "calling" and one.cell.next == "nothing")
        came = _counted(one.came_to for one in mine if one.cell.phase == "calling" and one.cell.next == "undo")
        return [behaviour, str(sum(one.cell.behaviour == behaviour for one in results)), said, came]

    head = ["the server", "cells", "the call's row says", "undo comes to"]
    return _table(head, [row(behaviour) for behaviour in BEHAVIOURS])


def _by_event(results: list[Result]) -> list[str]:
    def row(event: str) -> list[str]:
        mine = [
            one
            for one in results
            if one.cell.at is not None and event == ("killed" if one.cell.killed_at is not None else one.cell.event)
        ]
        return [event, str(len(mine)), _counted(one.came_to for one in mine if one.cell.next == "undo")]

    return _table(["at a door", "cells", "undo comes to"], [row(event) for event in EVENTS])


def _by_door(results: list[Result]) -> list[str]:
    doors = dict.fromkeys(one.door for one in results if one.door)

    def row(door: str) -> list[str]:
        mine = [one for one in results if one.door == door]
        killed = [one for one in mine if one.cell.event == "killed" or one.cell.killed_at is not None]
        says = _counted(one.says for one in killed if one.cell.next == "nothing")
        came = _counted(one.came_to for one in killed if one.cell.next == "undo")
        return [door, str(len(mine)), says, came]

    return _table(["door", "cells", "killed there, the row says", "and undo comes to"], [row(door) for door in doors])


def _excuses(results: list[Result]) -> list[str]:
    """What cannot be known, and how often it came up."""
    rows = [[why, str(count)] for why, count in sorted(Counter(w for one in results for w in one.excused).items())]
    return [*_WHAT_NOBODY_KNOWS.splitlines(), "", *_table(["what nobody could know", "times"], rows)]


_WHAT_NOBODY_KNOWS: Final = """\
## What is excused

An undo layer sees what reads show. Where a cell runs into one of these, the invariant is not held against it, and it is
counted here: somebody else wrote between a read and the write that follows it (a read is not atomic with a write); the server
said that it failed, did it all the same, and no read of the rule could show that; an answer was lost, and before anybody
looked somebody else had made the thing what it was before, so that reading shows that it never happened."""


def _counted(words: Iterable[str]) -> str:
    found = Counter(words)
    return " · ".join(f"{word} {count}" for word, count in sorted(found.items(), key=lambda one: (-one[1], one[0])))


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [_row(head), _row(["---"] * len(head)), *map(_row, rows)]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


PAGE: Final = Path(__file__).parents[2] / "docs" / "crash-matrix.md"


def main() -> int:
    from tests.sim.journals import in_memory, in_sqlite

    parser = argparse.ArgumentParser(prog="python -m tests.sim.matrix", description=__doc__)
    parser.add_argument("--sqlite", action="store_true", help="on the real journal, and write no page")
    asked = parser.parse_args()
    with in_sqlite() as sqlite:
        results = list(play_all(sqlite if asked.sqlite else in_memory))
    for one in results:
        for violation in one.violations:
            print(f"{one.cell} ({one.door})\n    {violation}")
    if not asked.sqlite:
        PAGE.write_text(page(results), encoding="utf-8")
    print(f"{len(results)} cells, {sum(bool(one.violations) for one in results)} with violations")
    return 1 if any(one.violations for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
