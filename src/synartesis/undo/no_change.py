"""Calls that changed nothing (a dry run, a value that was there already): there is nothing to undo, whatever somebody else did
since."""

from __future__ import annotations

from synartesis.domain.calls import Absent, Observation
from synartesis.domain.canonical import Json, same_json
from synartesis.domain.ports import History
from synartesis.guard.capture import state_differences
from synartesis.undo.links import later_changes
from synartesis.undo.plan import Target

CHANGED_NOTHING = "the call had changed nothing: nothing to do"


def may_have_come_late(target: Target, now: Observation, history: History) -> bool:
    """Whether what is there now may be the work of this very call, carried out only after it was read: a value that the call
    had asked for, or nothing at all, and no later call of ours that did it."""
    if target.read is None or target.after is None:
        return False
    if isinstance(now, Absent):
        looks_so = not isinstance(target.after, Absent)
    else:
        asked = _values_in(target.arguments())
        found = state_differences(target.after, now, target.read.rules)
        looks_so = any(same_json(one.actual, value) for one in found for value in asked)
    return looks_so and not later_changes(target.action, history)


def _values_in(arguments: Json) -> list[Json]:
    found, waiting = [], [arguments]
    while waiting:
        value = waiting.pop()
        found.append(value)
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return found
