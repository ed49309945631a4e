"""The chain that hangs from an action: its inverses, what took them back, and so on. An action is undone if the last link of
its chain is an inverse that was made."""

from __future__ import annotations

from synartesis.domain.calls import Observation, Present
from synartesis.domain.canonical import Difference
from synartesis.domain.paths import covers
from synartesis.domain.ports import History
from synartesis.domain.records import Action
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus, Confirmation, ToolClass, Undone
from synartesis.guard.capture import observation_of, same_state, state_differences
from synartesis.undo.plan import COUNTS_AS_UNDONE, Target, target_of
from synartesis.undo.verdict import confirm, in_doubt


def in_effect(action: Action, history: History) -> list[Action]:
    """The inverses of an action that were made and not taken back since, oldest first."""
    return [
        inverse
        for inverse in history.inverses_of(action.id)
        if inverse.status is ActionStatus.APPLIED and inverse.undone not in COUNTS_AS_UNDONE
    ]


def is_verified(action: Action, history: History) -> bool:
    """Whether the undo that counts had a read to show for it."""
    said = [one.verified for one in history.findings_of(action.id) if one.undone is action.undone]
    return bool(said) and said[-1]


def unsettled_redo(action: Action, history: History) -> Action | None:
    """A redo that left and of which nothing was found out: it was not answered, or broke off before what it came to was written
    down. Nobody knows whether the action is still undone."""
    for inverse, again in _redos_under_way(action, history):
        if again.status in MAY_HAVE_HAPPENED or inverse.undone is not Undone.MISMATCH:
            return again
    return None


def failed_redo(action: Action, history: History) -> Action | None:
    """A redo that was made, and left something else than the action had: the server gave a new id, for example. The undo of the
    action still stands, and does not reach that."""
    return next((again for _, again in _redos_under_way(action, history)), None)


def _redos_under_way(action: Action, history: History) -> list[tuple[Action, Action]]:
    """The inverses in effect with each redo of them that may have been made: had it been proved, they would not be in effect."""
    return [
        (inverse, again)
        for inverse in in_effect(action, history)
        for again in history.inverses_of(inverse.id)
        if again.status in MAY_HAVE_HAPPENED or again.status is ActionStatus.APPLIED
    ]


def later_changes(action: Action, history: History) -> list[Action]:
    """What may have changed the same thing since, in any run, and is not undone itself, oldest first. An action without a
    resource stands for its whole server. The links of its own chain are not among them, nor is what changed nothing."""
    later = history.changed_later(action.identity, action.resource, action.id)
    known = {one.id for one in later}
    found = []
    for other in later:
        if other.undone in COUNTS_AS_UNDONE:
            continue
        root = root_of(other, history)
        if root.id == action.id or (root is not other and root.id in known):
            continue  # its own chain, or that of a later call, which stands in this list itself
        if target_of(other).changed_nothing:
            continue
        found.append(other)
    return found


def of_its_own_chain(other: Action, action: Action, history: History) -> bool:
    """Whether this call took the action back, or took that back, and so on."""
    return root_of(other, history).id == action.id


def root_of(action: Action, history: History) -> Action:
    while action.undoes is not None:
        above = history.action(action.undoes)
        if above is None:
            break
        action = above
    return action


def left_by_redo(target: Target, history: History) -> Observation | None:
    """What the redo of a redone action was confirmed to have left, where that is what the action left but for what the server
    keeps by itself. None where nothing was redone, or where the redo brought somebody else's change back as well."""
    redos = _redos_of(target.action, history)
    if not redos or redos[-1].after is None or target.after is None:
        return None
    seen = observation_of(redos[-1].after, target.rules)
    return seen if is_as(target.after, seen, target) else None


def found_by_redo(target: Target, history: History) -> Observation | None:
    """The same of what the redo found there: the state before the action, as the world had it when it was done again."""
    redos = _redos_of(target.action, history)
    if not redos or redos[0].before is None or target.before is None:
        return None
    found = observation_of(redos[0].before, target.rules)
    return found if is_as(target.before, found, target) else None


def lost_by_undo(target: Target, now: Observation, history: History) -> tuple[str, tuple[Difference, ...]]:
    """What somebody else had changed when an undo of ours went around it, and what is not there any more since that undo: its
    run, and each place with what stood there and what is there now."""
    made = in_effect(target.action, history)
    if len(made) != 1 or made[0].before is None or target.after is None or target.rules is None:
        return "", ()
    found = observation_of(made[0].before, target.rules)
    if not isinstance(found, Present) or is_as(target.after, found, target):
        return "", ()
    theirs = [one.path for one in state_differences(target.after, found, target.rules)]
    lost = (
        one
        for one in state_differences(found, now, target.rules)
        if any(covers(path, one.path) or covers(one.path, path) for path in theirs)
    )
    return made[0].run, tuple(lost)


def did_something(target: Target, *, left: Observation | None, seen: Observation | None) -> bool:
    """Whether a compensation that is not as before at least changed what the call had left (`left` where that was not read).
    Many cannot do more (a refund leaves its trace), so the rest of the run is undone all the same; an older step on the same
    thing is not."""
    left = left if target.after is None else target.after
    if target.tool_class is not ToolClass.COMPENSABLE or target.read is None or left is None or seen is None:
        return False
    return not same_state(left, seen, target.read.rules)


def began_with(target: Target, history: History) -> str:
    """The id of the call by which this action stands: its own, or of its redo the first."""
    redos = _redos_of(target.action, history)
    return redos[0].id if redos else target.action.id


def is_as(recorded: Observation, seen: Observation, target: Target) -> bool:
    """Whether two states of a thing differ in nothing but what the server keeps by itself, or may keep."""
    if target.read is None or target.before is None:
        return False
    confirmation, found = confirm(
        target.before,
        target.after,
        seen,
        target.read.rules,
        restores=target.restored(),
        arguments=target.arguments(),
        kept=target.kept_by_server(),
        defaults=target.put_where_nothing_was(),
        expected=recorded,
    )
    return confirmation is Confirmation.VERIFIED or in_doubt(found)


def _redos_of(action: Action, history: History) -> list[Action]:
    """The calls that brought this action back last, in the order in which they were made: they took the steps of its last undo
    back, the last step first."""
    if action.undone is not Undone.REDONE:
        return []
    steps: list[Action] = []
    for inverse in reversed(history.inverses_of(action.id)):
        if inverse.undone not in COUNTS_AS_UNDONE:
            continue
        if steps and inverse.undoes_step >= steps[-1].undoes_step:
            break  # of the undo before that one
        steps.append(inverse)
    return [again for inverse in steps for again in in_effect(inverse, history)]
