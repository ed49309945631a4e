"""One seed: agents, people and undos in one world, interleaved door by door, with a server and processes that fail. The seed
decides everything, so the same seed is the same story.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from msgspec.structs import replace

from synartesis.domain.calls import ResolvedCall, SendOutcome
from synartesis.domain.ports import TurnTimeout
from synartesis.domain.status import ApprovalStatus
from synartesis.errors import JournalUnavailable
from synartesis.undo.plan import UndoOptions
from tests.sim.doors import A_READ, Cancelled, Task
from tests.sim.matrix import BEHAVIOURS, DOES_IT
from tests.sim.server import ANY_WRITE, LOST, Misbehaviour, answers, error, result
from tests.sim.simulation import Process, Simulation, UndoTask

STEPS: Final = 200
"""How long the world is in disorder."""
AGENTS: Final = 3
CALLS_AT_ONCE: Final = 2
UNDOS: Final = 8
THINGS: Final = ("c1", "c2", "c7", "c9")
FIELDS: Final = ("name", "plan", "notes")


@dataclass(frozen=True)
class Happening:
    """Something that may happen next, and how often it does."""

    weight: float
    do: Callable[[], str]


class Schedule:
    """Leads one simulation by one seed. `told` is the story so far, a line for each thing that happened."""

    def __init__(self, simulation: Simulation, seed: int) -> None:
        self.sim, self._chance = simulation, Random(seed)
        self.told: list[str] = []
        self._agents: list[Process] = []
        self._led: list[Task] = []
        """The tasks that have not ended, in the order in which they began."""
        self._undos: list[UndoTask] = []
        self._value = 0
        self._decided = 0
        """So many holds there had been when nothing waited any more."""
        self._past: list[dict[str, dict[str, Any]]] = []
        """What people remember of the world."""

    def run(self) -> None:
        if self._chance.random() < 0.3:
            self._count_versions()
        for _ in range(STEPS):
            self._step()
            if self.sim.violations:
                return
        self._calm_down()
        self._undo_everything()

    # --- the disorder

    def _step(self) -> None:
        possible = self._possible()
        chosen = self._chance.choices(possible, [one.weight for one in possible])[0]
        self.told.append(chosen.do())
        self._note_the_ended()

    def _possible(self) -> list[Happening]:
        ready = [task for task in self._led if task.ready()]
        found = [Happening(3, lambda task=task: self._go_on(task)) for task in ready]  # type: ignore[misc]
        found += [
            Happening(0.5, self._person_edits),
            Happening(0.1, self._person_puts_back),
            Happening(0.1, self._person_deletes),
            Happening(0.2, self._time_passes),
        ]
        if len(self._agents) < AGENTS:
            found.append(Happening(0.3, self._agent_comes))
        for agent in self._agents:
            if sum(not task.over for task in agent.tasks) < CALLS_AT_ONCE:
                found.append(Happening(1, lambda agent=agent: self._agent_calls(agent)))  # type: ignore[misc]
            if all(task.over for task in agent.tasks):
                found.append(Happening(0.1, lambda agent=agent: self._agent_leaves(agent)))  # type: ignore[misc]
        if self.sim.calls_of("hold") > self._decided:
            found.append(Happening(1, self._person_decides))
        if len(self._undos) < UNDOS and self.sim.runs:
            found.append(Happening(0.3, self._undo_begins))
        if ready:
            found.append(Happening(0.15, lambda: self._killed(self._chance.choice(ready))))
            found.append(Happening(0.15, lambda: self._door_fails(self._chance.choice(ready))))
        if self._led and not ready:
            found.append(Happening(1, self._turn_times_out))
        return found

    def _go_on(self, task: Task) -> str:
        door = task.door
        task.go_on()
        return f"{task.name}: {door}"

    def _agent_comes(self) -> str:
        agent = self.sim.start_agent()
        self._agents.append(agent)
        return f"an agent comes: run {agent.runs[-1]}"

    def _agent_leaves(self, agent: Process) -> str:
        self._agents.remove(agent)
        self.sim.end(agent)
        return f"the agent of run {agent.runs[-1]} leaves"

    def _agent_calls(self, agent: Process) -> str:
        tool, arguments = self._some_call()
        said = self._server_misbehaves() if self._chance.random() < 0.3 else ""
        task = self.sim.call(agent, tool, arguments)
        self._lead(task)
        return f"{task.name} of run {agent.runs[-1]}: {tool} {arguments}{said}"

    def _some_call(self) -> tuple[str, dict[str, Any]]:
        self._value += 1
        thing, value = self._chance.choice(THINGS), f"agent {self._value}"
        field = self._chance.choice(FIELDS[:2])
        match self._chance.randrange(10):
            case 0 | 1 | 2:
                return "set_item", {"id": thing, field: value}
            case 3:
                return "fix_item", {"id": self._chance.choice(THINGS[:2]), field: self._chance.choice(["free", "team"])}
            case 4:
                return "put_item", {"id": thing, "record": {"name": value, "plan": "free"}}
            case 5:
                return "del_item", {"id": thing}
            case 6:
                other = self._chance.choice([one for one in THINGS if one != thing])
                return "move_item", {"source": thing, "destination": other}
            case 7:
                return "create_item", {"name": value}
            case 8:
                return "charge", {"amount": self._value}
            case _:
                return "send_note", {"text": self._chance.choice(["hi", "bye"])}

    def _server_misbehaves(self) -> str:
        """At the next write, whosever it is."""
        name = self._chance.choice([*BEHAVIOURS, "does half of it"])
        behaviour = self._half if name == "does half of it" else BEHAVIOURS[name](self.sim)
        if name == DOES_IT:
            return ""
        self.sim.server.next(ANY_WRITE, behaviour)
        return f"; the server {name}"

    def _half(self, call: ResolvedCall, carry_out: Callable[[], SendOutcome]) -> SendOutcome:
        """It ignores a field."""
        if call.tool.name not in ("set_item", "fix_item") or len(call.arguments) < 3:
            return carry_out()
        some = dict(list(call.arguments.items())[:2])
        return self.sim.server.carry_out(replace(call, arguments=some))

    def _undo_begins(self) -> str:
        run, options = self._chance.choice(self.sim.runs), self._some_options()
        said = self._server_misbehaves() if self._chance.random() < 0.2 else ""
        undo = self.sim.undo(run, **options)
        self._undos.append(undo)
        self._lead(undo.task)
        return f"{undo.task.name}: undo of run {run} {options or ''}, as run {undo.undo_run}{said}"

    def _some_options(self) -> dict[str, Any]:
        seq = self._chance.randrange(1, 4)
        some: list[dict[str, Any]] = [
            {},
            {},
            {},
            {"dry_run": True},
            {"as_far_as_possible": True},
            {"to": seq},
            {"replan": True},
            {"unchecked": frozenset({seq})},
            {"only": frozenset({seq})},
            {"merge": True},
        ]
        known = set(UndoOptions.__struct_fields__)
        return self._chance.choice([one for one in some if set(one) <= known])

    def _person_edits(self) -> str:
        self._remember()
        thing = self._chance.choice(THINGS)
        said = {self._chance.choice(FIELDS): self.sim.token()}
        if thing not in self.sim.server.records:
            said = {"name": self.sim.token(), "plan": "own", "notes": ""}
        self.sim.edit(thing, **said)
        return f"a person writes {thing} {said}"

    def _person_puts_back(self) -> str:
        """As they remember it."""
        self._remember()
        then = self._chance.choice(self._past)
        thing = self._chance.choice(THINGS)
        if thing in then:
            self.sim.edit(thing, **then[thing])
        else:
            self.sim.delete(thing)
        return f"a person puts {thing} back to {then.get(thing)}"

    def _person_deletes(self) -> str:
        self._remember()
        thing = self._chance.choice(THINGS)
        self.sim.delete(thing)
        return f"a person deletes {thing}"

    def _remember(self) -> None:
        self._past.append({name: dict(record) for name, record in self.sim.server.records.items()})

    def _person_decides(self) -> str:
        waiting = self.sim.journals.desk().approvals([ApprovalStatus.WAITING])
        if not waiting:
            self._decided = self.sim.calls_of("hold")
            return "nothing waits for a person any more"
        request, grant = self._chance.choice(waiting), self._chance.random() < 0.8
        self.sim.decide(grant=grant, request=request.id)
        return f"a person says {'yes' if grant else 'no'} to {request.id}"

    def _time_passes(self) -> str:
        minutes = self._chance.choice([1, 20, 61])
        self.sim.pass_time(minutes=minutes)
        return f"{minutes} minutes pass"

    def _killed(self, task: Task) -> str:
        process = next(one for one in self.sim.processes if task in one.tasks)
        doors = ", ".join(f"{one.name} at {one.door}" for one in process.tasks if not one.over)
        self.sim.kill(process, server_outlives=self._chance.random() < 0.3)
        if process in self._agents:
            self._agents.remove(process)
        return f"killed: {doors}"

    def _door_fails(self, task: Task) -> str:
        door = task.door
        assert door is not None
        if door.side == "before" and door.port == "journal":
            task.fail(JournalUnavailable("the disk is full"))
            return f"{task.name}: {door} fails"
        if door.side == "before" and door.about == A_READ:
            name, failure = self._chance.choice(list(self._read_failures().items()))
            self.sim.server.next("get_item", failure)
            return f"{task.name}: {door}: the read is {name}; {self._go_on(task)}"
        if task.action is not None and task.sent is None and door.name not in ("open_action", "mark_sent"):
            task.fail(Cancelled())
            return f"{task.name}: cancelled at {door}"
        return self._go_on(task)

    def _read_failures(self) -> dict[str, Misbehaviour]:
        return {"not answered": answers(LOST), "refused": answers(error("429")), "of an older state": self._lagging()}

    def _lagging(self) -> Misbehaviour:
        then = self._chance.choice(self._past) if self._past else {}

        def misbehave(call: ResolvedCall, carry_out: Callable[[], SendOutcome]) -> SendOutcome:
            thing = call.arguments["id"]
            return result(then[thing]) if thing in then else carry_out()

        return misbehave

    def _turn_times_out(self) -> str:
        task = self._led[0]
        task.fail(TurnTimeout("000000000000"))
        return f"{task.name}: waited for its turn for too long"

    def _count_versions(self) -> None:
        def stamp(record: dict[str, Any]) -> None:
            record["version"] = record.get("version", 0) + 1

        self.sim.server.stamp = stamp
        self.told.append("the server counts versions")

    # --- leading

    def _lead(self, task: Task) -> None:
        self._led.append(task)
        self._note_the_ended()

    def _note_the_ended(self) -> None:
        for task in [one for one in self._led if one.over]:
            self._led.remove(task)
            self.sim.ended(task)
            undo = self.sim.undos.get(task.name)
            if undo is not None and undo.process.alive:
                self.sim.leave(undo.process)
                self.told.append(f"{task.name} ends: {_ending(task)}")
                self.sim.check()

    # --- and at last

    def _calm_down(self) -> None:
        self.told.append("all goes well from here on")
        self.sim.server.behave()
        while self._led:
            ready = [task for task in self._led if task.ready()]
            self.told.append(self._go_on(ready[0]) if ready else self._turn_times_out())
            self._note_the_ended()
        for agent in self._agents:
            self.sim.end(agent)
        self.sim.do_late()
        self.sim.check()

    def _undo_everything(self) -> None:
        """Every run, newest first, twice: the second time there is nothing left to do."""
        for run in [
            run for process in reversed(self.sim.processes) if process not in self._undoing() for run in process.runs
        ]:
            for _ in range(2):
                undo = self.sim.undo(run)
                self.sim.finish(undo.task)
                self.sim.leave(undo.process)
                self.told.append(f"{undo.task.name} of run {run} ends: {_ending(undo.task)}")
        self.sim.check()

    def _undoing(self) -> list[Process]:
        return [undo.process for undo in self.sim.undos.values()]


def _ending(task: Task) -> str:
    if task.result is None:
        return repr(task.error)
    halted = task.result.halted
    return str(task.result.status) if halted is None else f"stopped at #{halted.seq}: {halted.reason}"
