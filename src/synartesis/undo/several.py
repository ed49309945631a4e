"""An inverse of several calls, some of which an earlier undo has made: where it broke off, and whether reading can show what
became of the call that was never answered. Pure but for the record."""

from __future__ import annotations

import copy
from collections.abc import Iterable

from synartesis.domain.calls import Absent, AnswerValue, InversePlan, Observation, Present
from synartesis.domain.canonical import MISSING, Difference, Json, Missing, NotJson, decode_json, same_json
from synartesis.domain.names import Tool
from synartesis.domain.paths import EACH, Path, PathNotFound, get_path
from synartesis.domain.ports import History
from synartesis.domain.records import Action
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus
from synartesis.guard.capture import same_state
from synartesis.guard.inverse import is_call_of
from synartesis.undo.links import in_effect
from synartesis.undo.plan import Target
from synartesis.undo.recover import failed_attempts
from synartesis.undo.report import StepDifference, Verdict
from synartesis.undo.verdict import as_drift, confirm


def calls_made(target: Target, history: History) -> tuple[int, ...]:
    """Which calls of the inverse were made and answered, by their place in it."""
    failed = failed_attempts(target.action, history)
    if failed:
        plans = enumerate(target.inverse or ())
        return tuple(number for number, plan in plans if any(_is_call_of(plan, one) for one in failed))
    return tuple(sorted(_places(in_effect(target.action, history), target)))


def not_called_for(target: Target, history: History) -> list[Action]:
    """Calls that an earlier undo made, and that are not in the inverse as it is planned now."""
    if not target.replanned or failed_attempts(target.action, history):
        return []
    made = in_effect(target.action, history)
    placed = {one.id for one in _places(made, target).values()}
    return [one for one in made if one.id not in placed]


def first_free_step(target: Target, history: History) -> int:
    """Where the steps of a new attempt are counted from: the steps of the failed ones stay claimed. So do those of the inverse
    that was recorded, where another one is planned now: its places say nothing about that one."""
    failed = failed_attempts(target.action, history)
    claimed = [one.undoes_step + 1 for one in failed]
    if target.replanned:
        live = [one for one in history.inverses_of(target.action.id) if one.status in _MADE]
        claimed += [len(target.action.inverse or ()), *(one.undoes_step + 1 for one in live)]
    return max(claimed, default=0)


_MADE = MAY_HAVE_HAPPENED | {ActionStatus.APPLIED}


def _places(made: Iterable[Action], target: Target) -> dict[int, Action]:
    """Which calls of the inverse they are. Steps count the places of the inverse that was recorded, which may hold the same
    call twice; whatever else was planned, then or now, is known by the literal call."""
    plans, recorded = target.inverse or (), len(target.action.inverse or ())
    found: dict[int, Action] = {}
    others: list[Action] = []
    for one in made:
        if not target.replanned and one.undoes_step < min(recorded, len(plans)):
            found[one.undoes_step] = one
        else:
            others.append(one)
    for number, plan in enumerate(plans):
        match = next((one for one in others if number not in found and _is_call_of(plan, one)), None)
        if match is not None:
            found[number] = match
            others.remove(match)
    return found


def _is_call_of(plan: InversePlan, made: Action) -> bool:
    """Of a call whose payloads were pruned nobody knows that it was another one."""
    if made.pruned:
        return True
    return is_call_of(plan, Tool(made.server, made.tool), decode_json(made.arguments))


def place_of(one: Action, target: Target) -> int | None:
    """Which call of the inverse this is; None where it is in none of its places."""
    return next(iter(_places([one], target)), None)


def unanswered_call(target: Target, history: History) -> Action | None:
    """The call of the inverse that left in an earlier undo and was never answered."""
    return next((one for one in history.inverses_of(target.action.id) if one.status in MAY_HAVE_HAPPENED), None)


def is_broken_off(target: Target, history: History) -> bool:
    """Some calls of this inverse were made, or may have been, and others certainly not."""
    plans = target.inverse or ()
    if len(plans) < 2 or failed_attempts(target.action, history):
        return False
    begun = set(calls_made(target, history))
    unanswered = unanswered_call(target, history)
    place = None if unanswered is None else place_of(unanswered, target)
    if place is not None:
        begun.add(place)
    return 0 < len(begun) < len(plans)


def goes_on(
    verdict: Verdict, target: Target, *, left: Observation | None, world: Observation, history: History
) -> Verdict:
    """The verdict for an inverse that may have broken off. That the world is as before does not end it: what the read shows may
    be back while a call that it does not see is still to be made. And where reading cannot tell whether the unanswered call
    took effect, it is not made again."""
    if target.read is None or len(target.inverse or ()) < 2:
        return verdict
    unanswered = unanswered_call(target, history)
    if unanswered is None:
        as_left = left is not None and same_state(left, world, target.read.rules)
        return Verdict.UNCHANGED if as_left and is_broken_off(target, history) else verdict
    if verdict is Verdict.DRIFTED:
        return Verdict.UNKNOWN
    if verdict is Verdict.ALREADY_UNDONE and left is not None and same_state(left, world, target.read.rules):
        return Verdict.UNKNOWN  # the call before it had put the state back already
    if verdict is Verdict.ALREADY_UNDONE:
        return Verdict.UNCHANGED if is_broken_off(target, history) else verdict
    if verdict is Verdict.UNCHANGED and not _would_show(unanswered, target, left):
        return Verdict.UNKNOWN
    return verdict


def not_its_doing(
    plan: InversePlan, target: Target, *, then: Observation, seen: Observation
) -> tuple[StepDifference, ...]:
    """What changed around one call of an inverse of several, and is neither as it was before the undone call nor the server's
    own: somebody else's. Of a call that puts nothing of the snapshot back it is not known what it changes, but that of several
    things it is about one, and brings that back."""
    if target.read is None or target.before is None:
        return ()
    if not target.read.rules.each and (not plan.restores or target.action.captured is not None):
        return ()
    _, found = confirm(
        target.before,
        target.after,
        seen,
        target.read.rules,
        restores=[path for one in target.inverse or () for path in one.restores],
        arguments=target.arguments(),
        kept=target.kept_by_server(),
        defaults=target.put_where_nothing_was(),
        expected=then,
    )
    return as_drift(
        Difference(one.path, one.expected, one.actual)
        for one in found
        if one.kind == "not_restored" and not _is_back(one, seen, target, each=target.read.rules.each)
    )


def _is_back(one: StepDifference, seen: Observation, target: Target, *, each: bool) -> bool:
    """Whether this place is as it was before the undone call. Of a list without order: whether this element is."""
    path = one.path
    if each and isinstance(target.before, Absent) and path:
        thing = _at(seen, path[:1])
        return isinstance(thing, dict) and thing["present"] is False
    if target.before is None:
        return False
    was = _at(target.before, path)
    if EACH in path and isinstance(was, list):
        gone = isinstance(one.actual, Missing)
        return gone != any(same_json(one.expected if gone else one.actual, element) for element in was)
    return same_json(_at(seen, path), was)


def without(seen: Observation, strange: Iterable[StepDifference]) -> Observation | None:
    """The state as it would be without what somebody else did in it. None where that cannot be said."""
    if not isinstance(seen, Present) or seen.value.is_text:
        return None
    value = copy.deepcopy(seen.value.whole)
    for one in strange:
        if not one.path:
            return None
        *above, last = one.path
        place = get_path(value, tuple(above))
        if not isinstance(one.expected, Missing):
            place[last] = one.expected
        elif isinstance(place, dict):
            del place[last]
        else:
            return None
    return Present(AnswerValue(value), b"")  # nobody answered so


def _would_show(unanswered: Action, target: Target, left: Observation | None) -> bool:
    """Whether the state would differ from what it was left as, had the call taken effect: the last one puts all of it back, and
    an earlier one the paths that it restores."""
    plans, place = target.inverse or (), place_of(unanswered, target)
    if place is None:
        return False
    if place >= len(plans) - 1:
        return True
    if target.action.captured is not None or target.before is None or left is None:
        return False
    before = target.before
    return any(not same_json(_at(before, path), _at(left, path)) for path in plans[place].restores)


def _at(seen: Observation, path: Path) -> Json:
    if not isinstance(seen, Present):
        return MISSING
    try:
        return seen.value.at(path)
    except (PathNotFound, NotJson):
        return MISSING
