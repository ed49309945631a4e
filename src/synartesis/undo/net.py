"""What a run changed, all in all: for each thing, what was there before its first call and what its last call left. Pure, and
from the record alone: what became of it since is for an undo to look at."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from synartesis.domain.calls import Observation, ReadPlan
from synartesis.domain.canonical import Difference, Json, decode_json
from synartesis.domain.names import Tool
from synartesis.domain.paths import covers
from synartesis.domain.records import Action, Image
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus, ToolClass
from synartesis.guard.capture import image_of, parts_of, state_differences
from synartesis.guard.send import resource_of
from synartesis.undo.plan import COUNTS_AS_UNDONE, Target, target_of


class NetChange(msgspec.Struct, frozen=True):
    """One thing that a run changed; or one call that no read shows anything of, and then both states are None."""

    tool: Tool
    """The read that shows it; of a call that nothing shows, the tool itself."""
    arguments: Json
    calls: tuple[int, ...]
    """The numbers of the calls, oldest first."""
    first: Image | None
    last: Image | None
    """None where the outcome of the last call is not known, or what it left was not captured."""
    differences: tuple[Difference, ...] = ()
    """Between first and last, as far as the calls did it; up to the call before, where the last state is not known."""
    unknown: tuple[int, ...] = ()
    """The calls since the last state that was captured: nobody saw what they left."""
    undone: tuple[int, ...] = ()
    """Those of the calls that were undone since."""
    pruned: bool = False
    """What it said, found and left was dropped: `arguments` is None, and the states have no values."""

    between: tuple[Difference, ...] = ()
    """What was changed between two of the calls, and so not by them."""

    @property
    def is_seen(self) -> bool:
        """Whether any read shows it."""
        return self.first is not None and not self.pruned


class _Touch(msgspec.Struct, frozen=True):
    """One call, and one thing that its read shows."""

    action: Action
    read: ReadPlan
    before: Observation
    after: Observation | None


def net_changes(actions: Iterable[Action]) -> list[NetChange]:
    """In the order in which the things were first touched. A call about several things stands with each of them."""
    groups: dict[object, list[_Touch]] = {}
    unseen: dict[object, Action] = {}
    for action in sorted(actions, key=lambda one: one.seq):
        if action.tool_class is ToolClass.READONLY or not _may_have_changed_something(action):
            continue
        touches = [] if action.pruned else _touches(target_of(action))
        if not touches:
            groups[action.id], unseen[action.id] = [], action
        for touch in touches:
            groups.setdefault((action.identity, resource_of(touch.read)), []).append(touch)
    return [_net_change(group) if group else _unseen(unseen[key]) for key, group in groups.items()]


def _may_have_changed_something(action: Action) -> bool:
    return action.status is ActionStatus.APPLIED or action.status in MAY_HAVE_HAPPENED


def _touches(target: Target) -> list[_Touch]:
    read, action = target.read, target.action
    if read is None or target.before is None:
        return []
    if not read.rules.each:
        return [_Touch(action, read, target.before, target.after)]
    rules = replace(read.rules, each=False)
    after = None if target.after is None else parts_of(target.after, read)
    return [
        _Touch(action, ReadPlan(call, rules), before, None if after is None else after[at])
        for at, ((_, call), before) in enumerate(zip(read.calls, parts_of(target.before, read), strict=True))
    ]


def _unseen(action: Action) -> NetChange:
    undone = (action.seq,) if action.undone in COUNTS_AS_UNDONE else ()
    tool = Tool(action.server, action.tool)
    if action.pruned:
        return NetChange(tool, None, (action.seq,), action.before, action.after, undone=undone, pruned=True)
    return NetChange(tool, decode_json(action.arguments), (action.seq,), None, None, undone=undone)


def _net_change(group: list[_Touch]) -> NetChange:
    newest, first = group[-1], group[0].before
    call, rules = newest.read.call, newest.read.rules
    seen = [touch for touch in group if touch.after is not None]
    last = seen[-1].after if seen else None
    found = [] if last is None else state_differences(first, last, rules)
    between = [
        one
        for older, newer in pairwise(group)
        if older.after is not None
        for one in state_differences(older.after, newer.before, rules)
    ]
    if between:
        moved = [one.path for touch in seen for one in state_differences(touch.before, touch.after or first, rules)]
        found = [one for one in found if any(covers(path, one.path) or covers(one.path, path) for path in moved)]
    unknown = tuple(touch.action.seq for touch in group if not seen or touch.action.seq > seen[-1].action.seq)
    return NetChange(
        call.tool,
        call.arguments,
        tuple(touch.action.seq for touch in group),
        image_of(first),
        None if unknown or last is None else image_of(last),
        tuple(found),
        unknown,
        tuple(touch.action.seq for touch in group if touch.action.undone in COUNTS_AS_UNDONE),
        between=tuple(between),
    )
