"""`--only`: a few steps out of many. Taking one back from under a later change would leave a state that nobody ever had, so
that is refused before anything is read."""

from __future__ import annotations

from collections.abc import Iterable

from synartesis.domain.ports import History
from synartesis.domain.records import Action
from synartesis.errors import SynartesisError
from synartesis.undo.links import later_changes
from synartesis.undo.plan import Step, UndoOptions

MOST_NAMED = 5
"""So many later changes are named for one step; more are counted."""


def refuse_what_was_changed_later(steps: Iterable[Step], options: UndoOptions, history: History, *, redo: bool) -> None:
    """Raises SynartesisError, listing for each step what stands in the way."""
    lines: list[str] = []
    with_it: set[int] = set()
    others: list[Action] = []
    for step in steps:
        action = step.target.action
        if not step.is_to_do or step.target.changed_nothing:
            continue
        later = [one for one in later_changes(action, history) if one.run != action.run or one.seq not in options.only]
        if later:
            lines.append(f"#{action.seq} {step.target.tool}: {_named(later, action.run)}")
            with_it |= {one.seq for one in later if one.run == action.run}
            others += [one for one in later if one.run != action.run]
    if lines:
        raise SynartesisError(
            "\n".join([f"what was changed again later cannot be {'redone' if redo else 'undone'} alone:", *lines]),
            hint=_hint(options.only | with_it, others, verb="redo" if redo else "undo"),
        )


def _named(later: list[Action], run: str) -> str:
    named = [_name(one, run) for one in later[:MOST_NAMED]]
    more = len(later) - len(named)
    return "changed later by " + ", ".join([*named, *([f"and {more} more"] if more else [])])


def _name(action: Action, run: str) -> str:
    where = f"#{action.seq}" if action.run == run else f"run {action.run} #{action.seq}"
    about = "" if action.resource is not None else ", whose rule does not say what it is about"
    return f"{where} ({action.server}.{action.tool}{about})"


def _hint(together: frozenset[int] | set[int], others: list[Action], *, verb: str) -> str:
    if others:
        newest = others[-1]
        return f"undo the later run first, such as #{newest.seq} of run {newest.run}"
    return f"{verb} them together: --only {','.join(map(str, sorted(together)))}"
