"""What really happened, in order: the truth that the journal and the reports are held against. Written by the simulation,
read by the invariants; knows nothing of how the product judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from synartesis.domain.calls import AnswerValue, SendOutcome
from synartesis.domain.records import Action, Approval
from synartesis.guard.answer import GuardAnswer
from synartesis.undo.plan import UndoOptions
from synartesis.undo.report import Report
from tests.sim.server import Server

Leaf: TypeAlias = tuple[str, str]
"""(thing, field); the field "" says whether the thing is there."""
State: TypeAlias = Mapping[Leaf, Any]


class Gone:
    def __repr__(self) -> str:
        return "(nothing)"


GONE = Gone()


def state_of(server: Server) -> State:
    """All that the server holds, leaf by leaf."""
    state: dict[Leaf, Any] = {("account", "balance"): server.account, ("outbox", "notes"): len(server.outbox)}
    for name, record in server.records.items():
        state[(name, "")] = True
        for key, value in record.items():
            state[(name, key)] = value
    return state


def moved(before: State, after: State) -> dict[Leaf, tuple[Any, Any]]:
    """The leaves that differ, with what was and what is there."""
    return {
        leaf: (before.get(leaf, GONE), after.get(leaf, GONE))
        for leaf in {**before, **after}
        if before.get(leaf, GONE) != after.get(leaf, GONE)
    }


@dataclass(frozen=True, slots=True)
class Effect:
    """The server carried a write out, or a person wrote. `row` is what stood on disk of it at that moment."""

    at: int
    by: Literal["call", "person"]
    tool: str
    arguments: Mapping[str, Any]
    before: State
    after: State
    task: str = ""
    action: str | None = None
    row: Action | None = None
    approval: Approval | None = None
    refused: bool = False
    """The server answered it with an error of its own."""

    @property
    def moved(self) -> dict[Leaf, tuple[Any, Any]]:
        return moved(self.before, self.after)


@dataclass(frozen=True, slots=True)
class Read:
    """A read of state was answered. `truth` is what the server really held."""

    at: int
    task: str
    tool: str
    arguments: Mapping[str, Any]
    outcome: SendOutcome
    truth: State


@dataclass(frozen=True, slots=True)
class Answered:
    """What the process saw of a write that it let leave."""

    at: int
    action: str
    outcome: SendOutcome


@dataclass(frozen=True, slots=True)
class Told:
    """What an agent was told of its call."""

    at: int
    task: str
    action: str
    answer: GuardAnswer


@dataclass(frozen=True, slots=True)
class Reported:
    """An undo (or a redo) came to its end and reported."""

    began: int
    at: int
    """When its run was ended: what the agent does from then on is not its business, although it has still to be read."""
    task: str
    run: str
    options: UndoOptions
    report: Report


@dataclass(frozen=True, slots=True)
class Decided:
    at: int
    approval: str
    grant: bool
    when: str


@dataclass
class Chronicle:
    """Every fact carries its place in one order; `at` is the place of the next one."""

    at: int = 0
    effects: list[Effect] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    answered: list[Answered] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    reported: list[Reported] = field(default_factory=list)
    decided: list[Decided] = field(default_factory=list)
    task_of: dict[str, str] = field(default_factory=dict)
    """By action: the task that made it."""
    left_at: dict[str, int] = field(default_factory=dict)
    """By action: when it was marked `sent`, the last time."""
    closed_at: dict[str, int] = field(default_factory=dict)
    """By task: when it ended the run of its own."""
    excused: dict[tuple[str, int], None] = field(default_factory=dict)
    """What no undo layer can know, by its name and by the effect that came of it."""
    excused_at: set[str] = field(default_factory=set)
    """The things that it was about."""

    def next(self) -> int:
        self.at += 1
        return self.at

    def of(self, action: str) -> list[Effect]:
        """What the server carried out of this action."""
        return [effect for effect in self.effects if effect.action == action]

    def last(self, leaf: Leaf, until: int) -> Effect | None:
        """Who moved this leaf last before that moment."""
        return next((one for one in reversed(self.effects) if one.at < until and leaf in one.moved), None)


def leaves_of(thing: str, value: AnswerValue) -> State:
    """A record, as an answer shows it."""
    return {(thing, ""): True, **{(thing, key): part for key, part in dict(value.whole).items()}}


def fields(leaves: Iterable[Leaf], thing: str) -> set[str]:
    return {key for name, key in leaves if name == thing}
