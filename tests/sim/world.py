"""A simulated world: one server with records, a journal, an agent, and people. No event loop: every door answers at once,
unless the test says what goes wrong behind it.

world.agent("set_item", id="c1", plan="free")     a call as the guard makes it; returns what the agent is told
world.edit("c1", notes="by hand")                 a person writes to the server, past the proxy
world.undo()                                      the newest agent's run, as the command does it
world.server.fail_next("get_item", ...)           what the server does wrong next
"""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from synartesis.domain.calls import Call
from synartesis.domain.names import Tool
from synartesis.domain.records import Action, NewRun, ProcessId
from synartesis.domain.status import ApprovalStatus, RunKind
from synartesis.guard.answer import PassOn, Tell
from synartesis.guard.call import Ports, guard_call
from synartesis.guard.paused import PausedCalls
from synartesis.guard.send import Outgoing
from synartesis.journal.memory import MemoryJournal
from synartesis.policy.matching import Policy
from synartesis.policy.reader import read_manifest
from synartesis.undo.execute import undo_run
from synartesis.undo.plan import UndoOptions
from synartesis.undo.report import Report
from tests.sim.server import (
    LOST,
    NEVER_ARRIVED,
    Misbehaviour,
    Server,
    answers,
    does_it_and_answers,
    error,
    protocol_error,
    result,
)

__all__ = [
    "LOST",
    "NEVER_ARRIVED",
    "Misbehaviour",
    "Server",
    "World",
    "answers",
    "does_it_and_answers",
    "drive",
    "error",
    "outcomes",
    "protocol_error",
    "result",
]

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
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.set_item", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
  - match: "f.del_item"
    class: reversible
    snapshot: {tool: "f.get_item", args: {id: "$.id"}, absent_when: ["not found"]}
    inverse: {tool: "f.restore_item", args: {id: "$.id", record: "$snapshot"}}
  - match: "f.create_item"
    class: compensable
    inverse: {tool: "f.del_item", args: {id: "$result.id"}}
  - match: "f.send_note"
    class: irreversible
"""


def drive(story: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine whose doors all answer at once. One that waits for the world is a mistake of the test."""
    try:
        story.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    story.close()
    raise AssertionError("the story waited at a door that nobody answers")


class World:
    """One journal, one server, any number of agents' runs, one after the other."""

    def __init__(self, folder: Path, rules: str = RULES) -> None:
        self.server = Server()
        self.time = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
        self.journal = MemoryJournal(now=lambda: self.time)
        self.path = folder / "synartesis.yaml"
        self.slept_s: list[float] = []
        self.turns: list[str] = []
        """The resources whose turn was taken, in order."""
        self.paused = PausedCalls()
        self.lost: dict[str, Outgoing] = {}
        self._ids = (f"{number:012x}" for number in itertools.count(1))
        self.rules(rules)
        self.run = self.new_run()

    def rules(self, text: str) -> None:
        """Another manifest from now on."""
        self.path.write_text(text, encoding="utf-8")
        self.policy = Policy(read_manifest(self.path))
        self.identity = self.policy.manifest.server("f").identity

    def reword(self, old: str, new: str) -> None:
        """The manifest with one passage written otherwise."""
        text = self.path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        self.rules(text.replace(old, new))

    def new_run(self, kind: RunKind = RunKind.AGENT, undoes: str | None = None) -> str:
        new = self._new_run(kind, undoes)
        drive(self.journal.open_run(new))
        self.run = new.id
        return new.id

    # --- what agents and people do

    def agent(self, tool: str, /, **arguments: Any) -> str | None:
        """Make one call. None: it went through and the server's answer was passed on; otherwise what the agent is told."""
        answer = drive(self.story(tool, **arguments))
        return answer.text if isinstance(answer, Tell) else None

    def story(self, tool: str, /, **arguments: Any) -> Coroutine[Any, Any, PassOn | Tell]:
        return self.story_of(Call(Tool("f", tool), arguments))

    def story_of(self, call: Call) -> Coroutine[Any, Any, PassOn | Tell]:
        rule = self.policy.rule_for(call.tool)
        return guard_call(call, rule, run=self.run, identity=self.identity, ports=self.ports())

    def edit(self, name: str, /, **fields: Any) -> None:
        """A person writes to the record, past the proxy."""
        self.server.records[name] = {**self.server.records[name], **fields}

    def approve(self) -> None:
        for request in self.journal.approvals([ApprovalStatus.WAITING]):
            assert self.journal.decide(request.id, grant=True, by="ada", reason="") is not None

    def undo(self, run: str | None = None, **options: Any) -> Report:
        run = run or self.run
        return drive(
            undo_run(
                run,
                history=self.journal,
                journal=self.journal,
                upstream=self.server,
                clock=self,
                ids=self,
                policy=self.policy,
                options=UndoOptions(**options),
                undo_run=self._new_run(RunKind.UNDO, run),
            )
        )

    def pass_time(self, **units: float) -> None:
        self.time += timedelta(**units)

    # --- what can be seen

    def actions(self) -> list[Action]:
        return self.journal.actions(self.run)

    def statuses(self) -> list[str]:
        return [action.status.value for action in self.actions()]

    # --- the ports

    def ports(self) -> Ports:
        command = "synartesis approve {}".format
        return Ports(self.journal, self.server, self, self, self, command, paused=self.paused, lost=self.lost)

    async def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)

    def new_id(self) -> str:
        return next(self._ids)

    @asynccontextmanager
    async def turn(self, resource: str, *, of: str) -> AsyncIterator[None]:
        self.turns.append(resource)
        yield

    def _new_run(self, kind: RunKind, undoes: str | None) -> NewRun:
        return NewRun(
            id=self.new_id(),
            kind=kind,
            agent="sim",
            manifest=str(self.path),
            manifest_digest="d",
            servers=(("f", self.identity),),
            process=ProcessId(1, ""),
            undoes=undoes,
        )


def outcomes(report: Report) -> Iterator[tuple[int, str]]:
    """(seq, what was done) of every step, newest first; for asserting on whole reports."""
    for step in report.steps:
        yield step.seq, step.outcome.value if step.outcome is not None else step.kind.value
