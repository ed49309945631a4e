"""One simulated world for crash matrix, seeds and the stateful model: a server, a journal, processes that come and go, agents,
people and undos. Nothing happens by itself: whoever drives it leads every task from door to door, and everything that really
happened is in the chronicle.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from synartesis.domain.calls import Call, Continuation, Replied, ResolvedCall, SendOutcome
from synartesis.domain.names import Tool
from synartesis.domain.records import NewRun, ProcessId
from synartesis.domain.status import ApprovalStatus, RunKind
from synartesis.guard.call import Ports, guard_call
from synartesis.guard.paused import PausedCalls
from synartesis.policy.matching import Policy
from synartesis.policy.reader import read_manifest
from synartesis.undo.execute import undo_run
from synartesis.undo.plan import UndoOptions
from tests.sim import invariants
from tests.sim.chronicle import Answered, Chronicle, Decided, Effect, Read, Reported, Told, state_of
from tests.sim.doors import Behind, Task, Turns
from tests.sim.invariants import Violation
from tests.sim.journals import AnyJournal, Journals
from tests.sim.server import READS, Server

T = TypeVar("T")

RULES = """
version: 1
servers:
  f: {command: simulated}
tools:
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot: &item {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: &back {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
  - match: "f.fix_item"
    class: reversible
    gate: always
    snapshot: *item
    inverse: *back
  - match: "f.put_item"
    class: reversible
    snapshot: *item
    inverse: {tool: "f.put_item", args: {id: "$.id", record: "$snapshot"}}
    inverse_if_absent: {tool: "f.del_item", args: {id: "$.id"}}
  - match: "f.del_item"
    class: reversible
    snapshot: *item
    inverse: {tool: "f.put_item", args: {id: "$.id", record: "$snapshot"}}
  - match: "f.move_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.destination"}, absent_when: ["not found"]}
    verify: {tool: "f.get_item", for_each: ["$.source", "$.destination"], args: {id: "$item"}, absent_when: ["not found"]}
    inverse_if_absent: {tool: "f.move_item", args: {source: "$.destination", destination: "$.source"}}
  - match: "f.create_item"
    class: compensable
    verify: {tool: "f.get_item", args: {id: "$result.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.del_item", args: {id: "$result.id"}}
  - match: "f.make_item"
    class: compensable
    inverse: {tool: "f.del_item", args: {id: "$result.id"}}
  - match: "f.charge"
    class: compensable
    inverse: {tool: "f.refund", args: {amount: "$result.amount"}}
  - match: "f.send_note"
    class: irreversible
"""


@cache
def policy_of(rules: str = RULES) -> Policy:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "synartesis.yaml"
        path.write_text(rules, encoding="utf-8")
        return Policy(read_manifest(path))


def at_once(story: Coroutine[Any, Any, T]) -> T:
    """What a port does behind its door."""
    try:
        story.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise AssertionError("a port of the simulation waited")


@dataclass(eq=False)
class Process:
    """A proxy or a command: what dies together."""

    id: ProcessId
    journal: AnyJournal
    turns: Turns = field(default_factory=Turns)
    paused: PausedCalls = field(default_factory=PausedCalls)
    tasks: list[Task] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    alive: bool = True
    has_server: bool = True
    """Its server runs, which may outlive it."""

    @property
    def server(self) -> ProcessId:
        return ProcessId(SERVERS + self.id.pid, "then")


SERVERS = 10_000
"""Added to the number of a process: that of its server."""


@dataclass(frozen=True)
class UndoTask:
    task: Task
    run: str
    undo_run: str
    options: UndoOptions
    began: int
    process: Process


class Simulation:
    def __init__(self, journals: Callable[[Simulation], Journals], *, rules: str = RULES) -> None:
        self.policy = policy_of(rules)
        self.identity = self.policy.manifest.server("f").identity
        self.time = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
        self.server = Server(made=self._made)
        self.server.records = {
            "c1": {"name": "Ada", "plan": "pro", "notes": ""},
            "c2": {"name": "Grace", "plan": "team", "notes": None},
        }
        self.chronicle = Chronicle()
        self.violations: list[Violation] = []
        self.processes: list[Process] = []
        self.undos: dict[str, UndoTask] = {}
        """By the name of the task."""
        self.runs: list[str] = []
        """Those that were opened, an undo's too."""
        self._passed: Counter[str] = Counter()
        self.tokens: set[str] = set()
        """Values that only a person ever wrote."""
        self.journals = journals(self)
        self._ids = 0
        self._pids = 0
        self._caller: Task | None = None
        self._late: list[tuple[Process, Callable[[], None]]] = []

    def close(self) -> None:
        """Whatever is still under way ends here, without any effect."""
        for process in self.processes:
            for task in process.tasks:
                task.kill()
        if why := self.journals.close():
            self.violations.append(Violation(invariants.WHOLE, why))

    # --- processes and runs

    def start_process(self) -> Process:
        self._pids += 1
        process = Process(ProcessId(self._pids, "then"), self.journals.open())
        self.processes.append(process)
        process.journal.server_started("f", process.server, by=process.id)
        return process

    def is_alive(self, id: ProcessId) -> bool:
        return self.processes[id.pid - 1].alive

    def is_server_alive(self, id: ProcessId) -> bool:
        return self.processes[id.pid - SERVERS - 1].has_server

    def start_run(self, process: Process) -> str:
        new = self._new_run(process, RunKind.AGENT, None)
        at_once(process.journal.open_run(new))
        process.runs.append(new.id)
        self.runs.append(new.id)
        return new.id

    def start_agent(self) -> Process:
        """A proxy whose client has just opened the connection."""
        process = self.start_process()
        self.start_run(process)
        return process

    def kill(self, process: Process, *, server_outlives: bool = False) -> None:
        """`kill -9`. What its server was still doing, it does, at once or when it ends."""
        for task in process.tasks:
            task.kill()
        process.alive = False
        self.journals.kill(process.journal, process.runs)
        if not server_outlives:
            self.end_server(process)

    def end_server(self, process: Process) -> None:
        """It does what it was still doing, and is gone."""
        self._do_late(process)
        process.has_server = False

    def end(self, process: Process) -> None:
        """It says goodbye."""
        assert all(task.over for task in process.tasks)
        self.end_server(process)
        for run in process.runs:
            summary = process.journal.run(run)
            if summary is not None and summary.run.kind is RunKind.AGENT:
                at_once(process.journal.end_run(run))
        process.alive = False
        process.journal.close()

    def leave(self, process: Process) -> None:
        """A command has ended."""
        assert all(task.over for task in process.tasks)
        self.end_server(process)
        process.alive = False
        process.journal.close()

    # --- what agents, persons and commands do

    def call(
        self, process: Process, tool: str, arguments: dict[str, Any], *, continues: Continuation | None = None
    ) -> Task:
        task = self._task(process, "call")
        call = Call(Tool("f", tool), dict(arguments), b"", continues)
        ports = Ports(
            self._journal_of(process, task),
            self._upstream_of(process, task),
            Behind(self, "clock", task),
            self,
            process.turns.seen_by(task),
            lambda request: f"approve {request}",
            paused=process.paused,
        )
        rule = self.policy.rule_for(call.tool)
        task.start(guard_call(call, rule, run=process.runs[-1], identity=self.identity, ports=ports))
        return task

    def undo(self, run: str, **options: Any) -> UndoTask:
        self.journals.flush()
        process = self.start_process()
        task = self._task(process, "undo")
        new = self._new_run(process, RunKind.UNDO, run)
        process.runs.append(new.id)
        undo = UndoTask(task, run, new.id, UndoOptions(**options), self.chronicle.at, process)
        self.undos[task.name] = undo
        journal = self._journal_of(process, task)
        task.start(
            undo_run(
                run,
                history=journal,
                journal=journal,
                upstream=self._upstream_of(process, task),
                clock=Behind(self, "clock", task),
                ids=self,
                policy=self.policy,
                options=undo.options,
                undo_run=new,
            )
        )
        return undo

    def edit(self, thing: str, /, **said: Any) -> None:
        """A person writes past the proxy."""
        before = state_of(self.server)
        self.server.records[thing] = {**self.server.records.get(thing, {}), **said}
        self.server.stamp(self.server.records[thing])
        self._note_person(before, "edit", {"id": thing, **said})

    def delete(self, thing: str) -> None:
        """A person takes it away."""
        before = state_of(self.server)
        self.server.records.pop(thing, None)
        self._note_person(before, "delete", {"id": thing})

    def token(self) -> str:
        """What nobody else would write."""
        token = f"by hand {len(self.tokens) + 1}"
        self.tokens.add(token)
        return token

    def decide(self, *, grant: bool = True, request: str | None = None) -> bool:
        """A person decides one request, or all that wait."""
        journal = self.journals.desk()
        wanted = [one.id for one in journal.approvals([ApprovalStatus.WAITING])] if request is None else [request]
        done = False
        for one in wanted:
            if journal.decide(one, grant=grant, by="ada", reason="") is not None:
                done = True
                self.chronicle.decided.append(Decided(self.chronicle.next(), one, grant, self.time.isoformat()))
        return done

    def close_run(self, run: str) -> None:
        self.journals.desk().close_run(run)

    def pass_time(self, **units: float) -> None:
        self.time += timedelta(**units)

    # --- leading tasks

    def finish(self, task: Task) -> Task:
        """Lead it to its end: every door answers."""
        while not task.over:
            assert task.ready(), f"{task.name} waits at {task.door} for what never comes"
            task.go_on()
        self.ended(task)
        return task

    def until(self, task: Task, door: str) -> Task:
        """Lead it to the first door of that name."""
        while str(task.door) != door:
            assert not task.over, f"{task.name} ended before it came to {door}; it came by {[*map(str, task.trace)]}"
            task.go_on()
        return task

    def ended(self, task: Task) -> None:
        """Whoever led it to its end says so: what came of it goes into the chronicle and is judged."""
        assert task.over
        if task.result is None:
            return
        at = self.chronicle.next()
        undo = self.undos.get(task.name)
        if undo is not None:
            at = self.chronicle.closed_at.get(task.name, at)
            reported = Reported(undo.began, at, task.name, undo.run, undo.options, task.result)
            self.chronicle.reported.append(reported)
            self._judge(invariants.of_report(self, reported))
        elif task.action is not None:
            told = Told(at, task.name, task.action, task.result)
            self.chronicle.told.append(told)
            self._judge(invariants.of_told(self, told))

    def check(self) -> None:
        """Judge the record as it stands."""
        self._judge(invariants.of_rows(self, self.journals.rows()))

    def late(self, carry_out: Callable[[], Any]) -> None:
        """The server does it only when whoever asked has gone."""
        caller = self._caller
        assert caller is not None
        process = next(one for one in self.processes if caller in one.tasks)

        def do() -> None:
            with self._as(caller):
                carry_out()

        self._late.append((process, do))

    def do_late(self) -> None:
        """Servers get round to it now, and those that were left behind end."""
        late, self._late = self._late, []
        for _, do in late:
            do()
        for process in self.processes:
            process.has_server = process.has_server and process.alive

    def calls_of(self, method: str) -> int:
        """How often the journal was called so."""
        return self._passed[method]

    # --- the ports that are the simulation itself

    def new_id(self) -> str:
        self._ids += 1
        return f"{self._ids:012x}"

    async def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)

    # --- below: how

    def _task(self, process: Process, kind: str) -> Task:
        number = sum(len(one.tasks) for one in self.processes) + 1
        task = Task(f"{kind} {number}")
        process.tasks.append(task)
        return task

    def _new_run(self, process: Process, kind: RunKind, undoes: str | None) -> NewRun:
        servers = (("f", self.identity),)
        return NewRun(self.new_id(), kind, "sim", "/synartesis.yaml", "d", servers, process.id, undoes)

    def _journal_of(self, process: Process, task: Task) -> Any:
        def watch(method: str, arguments: tuple[Any, ...], named: dict[str, Any], outcome: Any) -> None:
            self._passed[method] += 1
            match method:
                case "open_run":
                    self.runs.append(arguments[0].id)
                case "open_action":
                    task.action = arguments[0].id
                case "mark_sent":
                    task.sent = arguments[0]
                    self.chronicle.task_of[arguments[0]] = task.name
                    self.chronicle.left_at[arguments[0]] = self.chronicle.at
                case "end_run":
                    self.chronicle.closed_at[task.name] = self.chronicle.next()
                    self._do_late(process)  # an answer counts as lost only once the server that owed it is gone
                case _:
                    pass

        return Behind(process.journal, "journal", task, watch)

    def _upstream_of(self, process: Process, task: Task) -> Any:
        def watch(method: str, arguments: tuple[Any, ...], named: dict[str, Any], outcome: SendOutcome) -> None:
            if task.name in self.undos:
                self.journals.flush()  # a row waits for 30 ms at most, and starting a server and asking it takes longer
            call: ResolvedCall = arguments[0]
            at = self.chronicle.next()
            if call.tool.name in READS:
                state = state_of(self.server)
                self.chronicle.reads.append(Read(at, task.name, call.tool.name, call.arguments, outcome, state))
            else:
                self.chronicle.answered.append(Answered(at, task.sent or "", outcome))

        return Behind(_Pipe(self, task), "upstream", task, watch)

    @contextmanager
    def _as(self, caller: Task) -> Iterator[None]:
        before, self._caller = self._caller, caller
        try:
            yield
        finally:
            self._caller = before

    def _made(self, call: ResolvedCall, carry_out: Callable[[], SendOutcome]) -> SendOutcome:
        """Something is really carried out."""
        if call.tool.name in READS or self._caller is None:
            return carry_out()
        action = self._caller.sent
        row = self.journals.row(action) if action is not None else None
        approval = None if row is None or row.approval is None else self.journals.approval(row.approval)
        before = state_of(self.server)
        outcome = carry_out()
        effect = Effect(
            self.chronicle.next(),
            "call",
            call.tool.name,
            call.arguments,
            before,
            state_of(self.server),
            self._caller.name,
            action,
            row,
            approval,
            refused=not isinstance(outcome, Replied) or outcome.reply.value().get("isError") is True,
        )
        self.chronicle.effects.append(effect)
        self._judge(invariants.of_effect(self, effect))
        return outcome

    def _note_person(self, before: Any, what: str, arguments: dict[str, Any]) -> None:
        effect = Effect(self.chronicle.next(), "person", what, arguments, before, state_of(self.server))
        self.chronicle.effects.append(effect)

    def _do_late(self, process: Process) -> None:
        mine = [do for one, do in self._late if one is process]
        self._late = [(one, do) for one, do in self._late if one is not process]
        for do in mine:
            do()

    def _judge(self, found: Iterator[Violation]) -> None:
        self.violations.extend(found)


class _Pipe:
    """The way to the server, of one task."""

    def __init__(self, simulation: Simulation, task: Task) -> None:
        self._simulation, self._task = simulation, task

    async def call(self, call: ResolvedCall) -> SendOutcome:
        with self._simulation._as(self._task):
            return await self._simulation.server.call(call)
