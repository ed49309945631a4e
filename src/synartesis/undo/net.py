"""What a run changed, all in all: for each thing, what was there before its first call and what its last call left. Pure, and
from the record alone: what became of it since is for an undo to look at."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from synartesis.domain.canonical import Difference, Json
from synartesis.domain.names import Tool
from synartesis.domain.records import Action, Image
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus, ToolClass
from synartesis.guard.capture import image_of, observation_of, state_differences
from synartesis.undo.plan import COUNTS_AS_UNDONE, target_of


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
    """Between first and last; up to the call before, where the last state is not known."""
    unknown: tuple[int, ...] = ()
    """The calls since the last state that was captured: nobody saw what they left."""
    undone: tuple[int, ...] = ()
    """Those of the calls that were undone since."""
    pruned: bool = False
    """What it said, found and left was dropped: `arguments` is None, and the states have no values."""

    @property
    def is_seen(self) -> bool:
        """Whether any read shows it."""
        return self.first is not None and not self.pruned


def net_changes(actions: Iterable[Action]) -> list[NetChange]:
    """In the order in which the things were first touched."""
    groups: dict[object, list[Action]] = {}
    for action in sorted(actions, key=lambda one: one.seq):
        if action.tool_class is not ToolClass.READONLY and _may_have_changed_something(action):
            key = action.id if action.pruned or _first_image(action) is None else target_of(action).chain
            groups.setdefault(key, []).append(action)
    return [_net_change(group) for group in groups.values()]


def _may_have_changed_something(action: Action) -> bool:
    return action.status is ActionStatus.APPLIED or action.status in MAY_HAVE_HAPPENED


def _net_change(group: list[Action]) -> NetChange:
    oldest, newest = group[0], group[-1]
    calls = tuple(action.seq for action in group)
    undone = tuple(action.seq for action in group if action.undone in COUNTS_AS_UNDONE)
    if newest.pruned:
        tool = Tool(newest.server, newest.tool)
        return NetChange(tool, None, calls, newest.before, newest.after, undone=undone, pruned=True)
    first, target = _first_image(oldest), target_of(newest)
    if first is None or target.read is None:
        return NetChange(target.tool, target.arguments(), calls, None, None, undone=undone)
    read = target.read.call
    seen = [action for action in group if action.after is not None]
    unknown = tuple(action.seq for action in group if not seen or action.seq > seen[-1].seq)
    found: tuple[Difference, ...] = ()
    if seen and seen[-1].after is not None:
        rules = target.read.rules
        found = tuple(state_differences(observation_of(first, rules), observation_of(seen[-1].after, rules), rules))
    last = None if unknown else newest.after
    return NetChange(read.tool, read.arguments, calls, first, last, found, unknown, undone)


def _first_image(action: Action) -> Image | None:
    """What was there before; of a creation that only its answer told where to read: nothing."""
    before = target_of(action).before if action.read is not None else None
    return None if before is None else image_of(before)
