"""`--only`: a few steps out of many. Taking one back from under a later change would leave a state that nobody ever had, so
that is refused before anything is read."""

from __future__ import annotations

from collections.abc import Iterable

from synartesis.domain.ports import History
from synartesis.domain.records import Action
from synartesis.errors import SynartesisError
from synartesis.undo.links import later_changes
from synartesis.undo.plan import Step, UndoOptions, is_permanent

MOST_NAMED = 5
"""So many later changes are named for one step; more are counted."""


def refuse_what_was_changed_later(steps: Iterable[Step], options: UndoOptions, history: History, *, redo: bool) -> None:
    """Raises SynartesisError, listing for each step what stands in the way."""
    lines: list[str] = []
    standing: list[Action] = []
    asked: list[Action] = []
    for step in steps:
        action = step.target.action
        if not step.is_to_do or step.target.changed_nothing:
            continue
        later = [one for one in later_changes(action, history) if one.run != action.run or one.seq not in options.only]
        if later:
            lines.append(f"#{action.seq} {step.target.tool}: {_named(later, action.run)}")
            asked.append(action)
            standing += later
    if lines:
        raise SynartesisError(
            "\n".join([f"what was changed again later cannot be {'redone' if redo else 'undone'} alone:", *lines]),
            hint=_hint(asked, standing, options, verb="redo" if redo else "undo"),
        )


def _named(later: list[Action], run: str) -> str:
    named = [_name(one, run) for one in later[:MOST_NAMED]]
    more = len(later) - len(named)
    return "changed later by " + ", ".join([*named, *([f"and {more} more"] if more else [])])


def _name(action: Action, run: str) -> str:
    where = f"#{action.seq}" if action.run == run else f"run {action.run} #{action.seq}"
    about = "" if action.resource is not None else ", whose rule does not say what it is about"
    return f"{where} ({action.server}.{action.tool}{about})"


def _hint(asked: list[Action], standing: list[Action], options: UndoOptions, *, verb: str) -> str:
    run, oldest = asked[0].run, min(one.seq for one in asked)
    if stuck := [one for one in standing if is_permanent(one)]:
        name = _name(stuck[-1], run)
        return (
            f"{name} cannot be undone, whatever is undone first;"
            f" --to {oldest} goes back to #{oldest} in this run, and leaves that as it is"
            f"{_if_it_said_more(stuck[-1])}"
        )
    if others := [one for one in standing if one.run != run]:
        newest = others[-1]
        return f"undo the later run first, such as #{newest.seq} of run {newest.run}"
    together = options.only | {one.seq for one in standing}
    return f"{verb} them together: --only {','.join(map(str, sorted(together)))}"


def _if_it_said_more(action: Action) -> str:
    if action.resource is not None:
        return ""
    return f"; once the rule for {action.server}.{action.tool} has a resource, its later calls stand in the way of that alone"
