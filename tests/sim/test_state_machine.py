"""Agents, people, approvals, crashes, restarts and undos in any order that Hypothesis can think of, and the invariants of
the simulation after every step. What fails is shrunk to the shortest story that still does."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.sim.doors import Task
from tests.sim.journals import in_memory
from tests.sim.matrix import BEHAVIOURS, DOES_IT
from tests.sim.server import ANY_WRITE
from tests.sim.simulation import Process, Simulation

EXAMPLES = int(os.environ.get("SIM_EXAMPLES", "300"))
"""`make campaign` asks for more, and for others each time."""

things = st.sampled_from(["c1", "c2", "c7"])
fields = st.sampled_from(["name", "plan"])
behaviours = st.sampled_from([DOES_IT] * len(BEHAVIOURS) + list(BEHAVIOURS))
"""Half of the time it does what it is told."""
doors = st.integers(0, 24)
seqs = st.integers(1, 3)
undo_options: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.just({"dry_run": True}),
    st.just({"as_far_as_possible": True}),
    st.just({"replan": True}),
    st.just({"merge": True}),
    seqs.map(lambda seq: {"to": seq}),
    seqs.map(lambda seq: {"only": frozenset({seq})}),
    seqs.map(lambda seq: {"only": frozenset({seq}), "merge": True}),
    seqs.map(lambda seq: {"unchecked": frozenset({seq})}),
)


class Lives(RuleBasedStateMachine):
    """One agent at a time, and any number of runs behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.sim = Simulation(in_memory)
        self.agent: Process | None = None
        self.standing: list[Task] = []
        """Tasks that stand at a door while others go on."""
        self.value = 0

    @initialize()
    def somebody_comes(self) -> None:
        self.agent = self.sim.start_agent()

    def teardown(self) -> None:
        """In the end everything that can be is undone, newest run first, and undone again."""
        try:
            for task in list(self.standing):
                self._to_its_end(task)
            if self.agent is not None:
                self.sim.end(self.agent)
            self.sim.do_late()
            self.sim.server.behave()
            for run in reversed(self._agents_runs()):
                for _ in range(2):
                    self._to_its_end(self.sim.undo(run).task)
            self.sim.check()
        finally:
            self.sim.close()
        assert self.sim.violations == []

    # --- what agents do

    @precondition(lambda self: self.agent is None)
    @rule()
    def agent_comes(self) -> None:
        self.agent = self.sim.start_agent()

    @precondition(lambda self: self._is_idle())
    @rule()
    def agent_leaves(self) -> None:
        assert self.agent is not None
        self.sim.end(self.agent)
        self.agent = None

    @precondition(lambda self: self.agent)
    @rule(thing=things, field=fields, behaviour=behaviours)
    def set_item(self, thing: str, field: str, behaviour: str) -> None:
        self._to_its_end(self._call("set_item", {"id": thing, field: self._new()}, behaviour))

    @precondition(lambda self: self.agent)
    @rule(field=fields, behaviour=behaviours)
    def fix_item(self, field: str, behaviour: str) -> None:
        """Held until somebody says yes; always the same call, so that it can be repeated."""
        self._to_its_end(self._call("fix_item", {"id": "c1", field: "fixed"}, behaviour))

    @precondition(lambda self: self.agent)
    @rule(thing=things, behaviour=behaviours)
    def put_item(self, thing: str, behaviour: str) -> None:
        record = {"name": self._new(), "plan": "free"}
        self._to_its_end(self._call("put_item", {"id": thing, "record": record}, behaviour))

    @precondition(lambda self: self.agent)
    @rule(thing=things, behaviour=behaviours)
    def del_item(self, thing: str, behaviour: str) -> None:
        self._to_its_end(self._call("del_item", {"id": thing}, behaviour))

    @precondition(lambda self: self.agent)
    @rule(source=things, destination=things, behaviour=behaviours)
    def move_item(self, source: str, destination: str, behaviour: str) -> None:
        if source != destination:
            self._to_its_end(self._call("move_item", {"source": source, "destination": destination}, behaviour))

    @precondition(lambda self: self.agent)
    @rule(tool=st.sampled_from(["create_item", "make_item"]), behaviour=behaviours)
    def create(self, tool: str, behaviour: str) -> None:
        self._to_its_end(self._call(tool, {"name": self._new()}, behaviour))

    @precondition(lambda self: self.agent)
    @rule(behaviour=behaviours)
    def charge(self, behaviour: str) -> None:
        self.value += 1
        self._to_its_end(self._call("charge", {"amount": self.value}, behaviour))

    @precondition(lambda self: self.agent)
    @rule(behaviour=behaviours)
    def send_note(self, behaviour: str) -> None:
        self._to_its_end(self._call("send_note", {"text": "hi"}, behaviour))

    @precondition(lambda self: self.agent and len(self.standing) < 3)
    @rule(thing=things, field=fields, behaviour=behaviours, door=doors)
    def set_item_and_stop_at_a_door(self, thing: str, field: str, behaviour: str, door: int) -> None:
        self._lead(self._call("set_item", {"id": thing, field: self._new()}, behaviour), door)

    # --- what people do

    @rule(thing=things, field=st.sampled_from(["name", "plan", "notes"]))
    def person_edits(self, thing: str, field: str) -> None:
        self.sim.edit(thing, **{field: self.sim.token()})

    @rule(thing=things)
    def person_deletes(self, thing: str) -> None:
        self.sim.delete(thing)

    @rule(grant=st.sampled_from([True, True, False]))
    def person_decides(self, grant: bool) -> None:
        self.sim.decide(grant=grant)

    @rule(minutes=st.sampled_from([1, 61]))
    def time_passes(self, minutes: int) -> None:
        self.sim.pass_time(minutes=minutes)

    @precondition(lambda self: self.sim.processes)
    @rule(at=st.integers(0, 5), options=undo_options, behaviour=behaviours)
    def undo(self, at: int, options: dict[str, Any], behaviour: str) -> None:
        """Of an agent's run; of an undo's run it is a redo."""
        self._misbehave(behaviour)
        self._to_its_end(self.sim.undo(self._run(at), **options).task)

    @precondition(lambda self: self.sim.processes and len(self.standing) < 3)
    @rule(at=st.integers(0, 5), options=undo_options, behaviour=behaviours, door=doors)
    def undo_and_stop_at_a_door(self, at: int, options: dict[str, Any], behaviour: str, door: int) -> None:
        self._misbehave(behaviour)
        self._lead(self.sim.undo(self._run(at), **options).task, door)

    # --- what happens to those that stand at a door

    @precondition(lambda self: self.standing)
    @rule(at=st.integers(0, 2), door=doors)
    def go_on(self, at: int, door: int) -> None:
        task = self.standing[at % len(self.standing)]
        self.standing.remove(task)
        self._lead(task, door)

    @precondition(lambda self: self.standing)
    @rule(at=st.integers(0, 2), server_outlives=st.booleans())
    def kill(self, at: int, server_outlives: bool) -> None:
        task = self.standing[at % len(self.standing)]
        process = next(one for one in self.sim.processes if task in one.tasks)
        self.sim.kill(process, server_outlives=server_outlives)
        self.standing = [one for one in self.standing if not one.over]
        if process is self.agent:
            self.agent = None

    @precondition(lambda self: self._left_behind())
    @rule(at=st.integers(0, 2))
    def a_server_that_was_left_behind_ends(self, at: int) -> None:
        servers = self._left_behind()
        self.sim.end_server(servers[at % len(servers)])

    # --- what must be true

    @invariant()
    def nothing_is_wrong(self) -> None:
        self.sim.check()
        assert self.sim.violations == []

    # --- below: how

    def _call(self, tool: str, arguments: dict[str, Any], behaviour: str) -> Task:
        assert self.agent is not None
        self._misbehave(behaviour)
        return self.sim.call(self.agent, tool, arguments)

    def _misbehave(self, behaviour: str) -> None:
        self.sim.server.behave()
        if behaviour != DOES_IT:
            self.sim.server.next(ANY_WRITE, BEHAVIOURS[behaviour](self.sim))

    def _lead(self, task: Task, doors: int) -> None:
        """As many doors on as it can go; there it stands."""
        for _ in range(doors):
            if task.over or not task.ready():
                break
            task.go_on()
        if task.over:
            self._ended(task)
        else:
            self.standing.append(task)

    def _to_its_end(self, task: Task) -> None:
        """Whoever stands in its way goes on first."""
        while not task.over:
            if task.ready():
                task.go_on()
            else:
                other = next(one for one in self.standing if one is not task and one.ready())
                other.go_on()
                if other.over:
                    self._ended(other)
        self._ended(task)

    def _ended(self, task: Task) -> None:
        if task in self.standing:
            self.standing.remove(task)
        self.sim.ended(task)
        undo = self.sim.undos.get(task.name)
        if undo is not None and undo.process.alive:
            self.sim.leave(undo.process)

    def _is_idle(self) -> bool:
        return self.agent is not None and all(task.over for task in self.agent.tasks)

    def _left_behind(self) -> list[Process]:
        return [process for process in self.sim.processes if process.has_server and not process.alive]

    def _agents_runs(self) -> list[str]:
        undoing = [undo.process for undo in self.sim.undos.values()]
        return [run for process in self.sim.processes if process not in undoing for run in process.runs]

    def _run(self, at: int) -> str:
        """The newest first; those that were never opened have no row, and the command would say so."""
        known = [run.run.id for run in self.sim.journals.desk().runs()]
        return known[at % len(known)]

    def _new(self) -> str:
        self.value += 1
        return f"agent {self.value}"


TestLives = Lives.TestCase
TestLives.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=30,
    derandomize=EXAMPLES == 300,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
