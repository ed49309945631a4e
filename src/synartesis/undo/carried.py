"""What a call left, carried on through what we did to the same thing since, in any run, and took back again. Nobody else's work:
a server that counts versions has moved on with every one of those calls, and each of them was read before and after."""

from __future__ import annotations

from synartesis.domain.calls import Observation
from synartesis.domain.ports import History
from synartesis.domain.records import Action
from synartesis.domain.status import ActionStatus
from synartesis.guard.capture import same_state
from synartesis.undo.links import is_as
from synartesis.undo.plan import COUNTS_AS_UNDONE, Target, target_of


def carried_on(target: Target, history: History, *, until: str = "") -> Observation | None:
    """What is there now of what this action left, or what was there when the action `until` began. None where that is not
    proved: each call has to have found what the one before it had left, so that nobody was in between, and of each nothing
    may be left."""
    state, families = target.after, dict[str, list[Target]]()
    later = history.changed_later(target.action.identity, target.action.resource, target.action.id)
    if target.read is None or state is None or (until and all(one.id != until for one in later)):
        return None
    top_of = {target.action.id: target.action.id}
    for one in later:
        if one.id == until:
            break
        link = target_of(one)
        if link.read is None or link.read.call != target.read.call:
            continue
        if one.status is not ActionStatus.APPLIED or link.before is None or link.after is None:
            return None
        if not same_state(state, link.before, target.read.rules):
            return None
        state = link.after
        top_of[one.id] = top_of.get(one.undoes or "", one.id)
        families.setdefault(top_of[one.id], []).append(link)
    if not _stands(target, families.pop(target.action.id, [])):
        return None
    taken_back = all(_is_taken_back(links, finally_so=not until) for links in families.values())
    return state if taken_back else None


def _stands(target: Target, links: list[Target]) -> bool:
    """Whether the action itself was not undone since, or its redo was seen to leave what it had left: a person may have written
    between that call and the read after it."""
    if not links:
        return True
    after, left = target.after, links[-1].after
    if after is None or left is None or _depth(links[-1].action, links) % 2 == 0:
        return False
    return is_as(after, left, target)


def _is_taken_back(links: list[Target], *, finally_so: bool) -> bool:
    """Whether the last of these links (a call, its inverses, what took them back, ...) was confirmed to leave what the first one
    had found, but for what the server keeps by itself."""
    first, last = links[0], links[-1]
    if first.changed_nothing and len(links) == 1:
        return True
    if finally_so and first.action.undone not in COUNTS_AS_UNDONE:
        return False
    return _depth(last.action, links) % 2 == 1 and _is_as_before(first, last)


def _is_as_before(first: Target, last: Target) -> bool:
    return first.before is not None and last.after is not None and is_as(first.before, last.after, first)


def _depth(action: Action, links: list[Target]) -> int:
    by_id, depth = {one.action.id: one.action for one in links}, 0
    while action.undoes in by_id:
        action, depth = by_id[action.undoes], depth + 1
    return depth
