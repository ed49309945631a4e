"""An inverse of several calls, some of which an earlier undo has made: where it broke off, and whether reading can show what
became of the call that was never answered. Pure but for the record."""

from __future__ import annotations

from synartesis.domain.calls import Observation, Present
from synartesis.domain.canonical import MISSING, Json, NotJson, same_json
from synartesis.domain.paths import Path, PathNotFound
from synartesis.domain.ports import History
from synartesis.domain.records import Action
from synartesis.domain.status import MAY_HAVE_HAPPENED
from synartesis.guard.capture import same_state
from synartesis.undo.plan import Target
from synartesis.undo.recover import failed_attempts, made_already
from synartesis.undo.report import Verdict


def calls_made(target: Target, history: History) -> tuple[int, ...]:
    """Which calls of the inverse were made and answered, by their place in it."""
    plans = enumerate(target.inverse or ())
    return tuple(number for number, plan in plans if made_already(plan, number, target.action, history))


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
    if unanswered is not None:
        begun.add(unanswered.undoes_step)
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


def _would_show(unanswered: Action, target: Target, left: Observation | None) -> bool:
    """Whether the state would differ from what it was left as, had the call taken effect: the last one puts all of it back, and
    an earlier one the paths that it restores."""
    plans = target.inverse or ()
    if unanswered.undoes_step >= len(plans) - 1:
        return True
    if target.action.captured is not None or target.before is None or left is None:
        return False
    before = target.before
    return any(not same_json(_at(before, path), _at(left, path)) for path in plans[unanswered.undoes_step].restores)


def _at(seen: Observation, path: Path) -> Json:
    if not isinstance(seen, Present):
        return MISSING
    try:
        return seen.value.at(path)
    except (PathNotFound, NotJson):
        return MISSING
