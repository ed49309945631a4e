"""Whatever happens, the journal in memory and the one in SQLite tell the same story, step by step."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from operator import methodcaller
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from synartesis.domain.ports import AlreadyClaimed, StaleAction
from synartesis.domain.records import Finding, Image, NewAction, Run
from synartesis.domain.status import ActionStatus, ApprovalStatus, Era, ToolClass, Undone
from synartesis.journal import proof
from synartesis.journal.writes import SqliteJournal
from tests.contract.journals import AFTER, BEFORE, CAPTURED, INVERSE, READ, Bench

MOVES: dict[str, Callable[[Any, str], Any]] = {
    "hold": lambda journal, action: journal.hold(action, why="why"),
    "sent": lambda journal, action: journal.mark_sent(
        action, resource="customer c_001", read=READ, before=BEFORE, inverse=INVERSE, captured=CAPTURED, note="sent"
    ),
    "sent as it was": lambda journal, action: journal.mark_sent(
        action, resource=None, read=None, before=None, inverse=None
    ),
    "applied": lambda journal, action: journal.mark_applied(
        action, reply=b"{}" * 3000, after=AFTER, inverse=INVERSE, note="applied"
    ),
    "applied, and only now it is known to what": lambda journal, action: journal.mark_applied(
        action, reply=None, after=AFTER, inverse=None, resource="customer c_001", read=READ
    ),
    "rejected": lambda journal, action: journal.mark_rejected(action, reply=b"{}", after=Image("absent", b"{}", "no")),
    "failed": lambda journal, action: journal.mark_failed(action, why="failed"),
    "unknown": lambda journal, action: journal.mark_unknown(action, why="lost"),
    "paused": lambda journal, action: journal.mark_paused(action, reply=b"[]"),
}
SAYINGS = ["one", "two"]
"""Few, so that calls meet the same request."""


class Twins(RuleBasedStateMachine):
    """Two benches with one clock and the same dead; every step is taken on both."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self.memory = Bench("memory", Path(self._folder.name))
        self.sqlite = Bench("sqlite", Path(self._folder.name))
        self.sqlite.dead = self.memory.dead
        self.runs: list[Run] = []
        self.actions: list[NewAction] = []

    def teardown(self) -> None:
        try:
            self.compare()
            journal = self.sqlite.journal
            assert isinstance(journal, SqliteJournal)
            assert proof.first_misfit(journal._connection) is None
        finally:
            self.memory.close()
            self.sqlite.close()
            self._folder.cleanup()

    def both(self, step: Callable[[Any], Any]) -> Any:
        """Take a step on both; the outcome, an error's kind included, has to be the same."""
        outcomes = []
        for bench in (self.memory, self.sqlite):
            try:
                outcome = step(bench.journal)
                outcomes.append(bench.do(outcome) if hasattr(outcome, "send") else outcome)
            except (StaleAction, AlreadyClaimed) as error:
                outcomes.append((type(error), error.args))
        assert outcomes[0] == outcomes[1]
        return outcomes[0]

    def pick(self, at: int) -> NewAction:
        return self.actions[-1 - at % len(self.actions)]

    # --- steps

    @rule()
    def open_run(self) -> None:
        new = self.memory.new_run()
        self.runs.append(self.both(lambda journal: journal.open_run(new)))

    @precondition(lambda self: self.runs)
    @rule(at=st.integers(0, 5))
    def open_undo(self, at: int) -> None:
        new = self.memory.new_run(undoes=self.runs[at % len(self.runs)].id)
        self.runs.append(self.both(lambda journal: journal.open_run(new)))

    @precondition(lambda self: self.runs)
    @rule(at=st.integers(0, 5))
    def tell_opening(self, at: int) -> None:
        run = self.runs[at % len(self.runs)].id
        self.both(lambda journal: journal.record_opening(run, Era.PER_REQUEST, b"{}", "someone"))

    @precondition(lambda self: self.runs)
    @rule(at=st.integers(0, 5), says=st.sampled_from(SAYINGS), tool_class=st.sampled_from(ToolClass))
    def open_action(self, at: int, says: str, tool_class: ToolClass) -> None:
        new = self.memory.new_action(self.runs[at % len(self.runs)], says=says, tool_class=tool_class)
        self.both(lambda journal: journal.open_action(new))
        self.actions.append(new)

    @precondition(lambda self: self.runs)
    @rule(at=st.integers(0, 5), status=st.sampled_from([ActionStatus.APPLIED, ActionStatus.UNKNOWN]))
    def record_read(self, at: int, status: ActionStatus) -> None:
        new = self.memory.new_action(self.runs[at % len(self.runs)], tool_class=ToolClass.READONLY)
        self.both(lambda journal: journal.record_read(new, status=status, note="read"))
        self.actions.append(new)

    @precondition(lambda self: self.actions)
    @rule(at=st.integers(0, 5), move=st.sampled_from(sorted(MOVES)))
    def move(self, at: int, move: str) -> None:
        self._move(self.pick(at).id, move)

    def _move(self, action: str, move: str) -> None:
        self.both(lambda journal: MOVES[move](journal, action))

    @precondition(lambda self: self.actions)
    @rule(at=st.integers(0, 3))
    def carry_out(self, at: int) -> None:
        action = self.pick(at).id
        self._move(action, "sent")
        self._move(action, "applied")

    @precondition(lambda self: self.actions)
    @rule(at=st.integers(0, 5), asked=st.integers(0, 5))
    def mark_denied(self, at: int, asked: int) -> None:
        self.both(lambda journal: journal.mark_denied(self.pick(at).id, approval=self.pick(asked).id))

    @precondition(lambda self: self.actions)
    @rule(at=st.integers(0, 8), run=st.integers(0, 5), step=st.integers(0, 1))
    def claim(self, at: int, run: int, step: int) -> None:
        undone = self.both(methodcaller("action", self.pick(at).id))
        if undone is None:
            return  # it left no row, so nobody can mean it
        new = self.memory.new_action(self.runs[run % len(self.runs)], undoes=undone, step=step)
        self.both(lambda journal: journal.claim_inverse(new))
        self.actions.append(new)

    @precondition(lambda self: self.actions)
    @rule(at=st.integers(0, 8), run=st.integers(0, 5), undone=st.sampled_from(Undone))
    def find(self, at: int, run: int, undone: Undone) -> None:
        finding = Finding(self.pick(at).id, self.runs[run % len(self.runs)].id, None, undone, True, b"[1]")
        self.both(lambda journal: journal.record_finding(finding))

    @precondition(lambda self: self.actions)
    @rule(at=st.integers(0, 8), grant=st.booleans())
    def decide(self, at: int, grant: bool) -> None:
        self.both(lambda journal: journal.decide(self.pick(at).id, grant=grant, by="ada", reason="because"))

    @precondition(lambda self: self.runs)
    @rule(at=st.integers(0, 5))
    def end(self, at: int) -> None:
        self.both(lambda journal: journal.end_run(self.runs[at % len(self.runs)].id))

    @precondition(lambda self: self.runs)
    @rule(at=st.integers(0, 5))
    def kill(self, at: int) -> None:
        self.memory.end_process_of(self.runs[at % len(self.runs)])

    @precondition(lambda self: self.runs)
    @rule(at=st.integers(0, 5))
    def close(self, at: int) -> None:
        self.both(lambda journal: journal.close_run(self.runs[at % len(self.runs)].id))

    @rule(minutes=st.sampled_from([-2, 1, 25, 61]))
    def time_goes_by(self, minutes: int) -> None:
        for bench in (self.memory, self.sqlite):
            bench.later(minutes=minutes)

    @rule()
    def compare(self) -> None:
        """Everything that can be read. A rule and not an invariant: reading writes the tail down."""
        self.both(lambda journal: journal.runs())
        for run in self.runs:
            self.both(methodcaller("actions", run.id))
            self.both(methodcaller("live_undo_of", run.id))
        for action in self.actions:
            self.both(methodcaller("findings_of", action.id))
            self.both(methodcaller("inverses_of", action.id))
            self.both(methodcaller("changed_later", action.identity, "customer c_001", action.id))

    @invariant()
    def requests_are_the_same(self) -> None:
        self.both(lambda journal: journal.approvals(list(ApprovalStatus)))


TestTwins = Twins.TestCase
TestTwins.settings = settings(
    max_examples=120,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
