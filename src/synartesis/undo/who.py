"""Who changed something since: said of a run or a call only where a state that was recorded of it is what is there now, and of
somebody else only where every later call is known and none explains it. Pure but for the record."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from synartesis.domain.calls import Absent, Observation, Present, ReadPlan
from synartesis.domain.canonical import Json, Missing, NotJson, canonical_json, decode_json, same_json
from synartesis.domain.paths import Path, PathNotFound, get_path
from synartesis.domain.ports import History
from synartesis.domain.records import Action
from synartesis.domain.status import MAY_HAVE_HAPPENED
from synartesis.guard.send import resource_of
from synartesis.undo.links import of_its_own_chain, root_of
from synartesis.undo.plan import COUNTS_AS_UNDONE, Target, target_of
from synartesis.undo.report import StepDifference

MOST_NAMED = 3


class Who(msgspec.Struct, frozen=True):
    words: str
    runs: tuple[str, ...] = ()
    """Other runs that left what is there now."""


def who_changed_it(
    target: Target, found: Iterable[StepDifference], history: History, beside: Iterable[Action] = ()
) -> Who:
    """`found`: what is there now and is not what the call left. `beside`: later calls that may have changed it
    although no rule says that they are about it."""
    action = target.action
    later = history.changed_later(action.identity, "\n".join(thing for _, thing in target.things), action.id)
    known = {one.id: target_of(one) for one in later}
    explained: dict[str, Action] = {}
    unexplained = False
    for one in found:
        doing = [each for each in later if _made_it_so(known[each.id], target, one.path, one.actual)]
        if doing:
            root = root_of(doing[-1], history)  # what was done again is the work of whoever did it first
            by = root if root.id in known else doing[-1]
            explained[by.id] = by
            continue
        unexplained = True
    names = [_name(one, action) for one in explained.values()]
    runs = tuple(dict.fromkeys(one.run for one in explained.values() if one.run != action.run))
    if not unexplained and names:
        return Who(f"was changed later by {_listed(names)}", runs)
    silent = [one for one in later if not _tells(known[one.id], target) and not of_its_own_chain(one, action, history)]
    silent += [one for one in beside if one.id not in known]
    silent = [one for one in silent if one.undone not in COUNTS_AS_UNDONE]
    if silent:
        names += [_name(one, action) for one in silent]
        return Who(f"was changed since; {_listed(names)} may have done it", runs)
    return Who("was changed since by somebody else" + (f", and later by {_listed(names)}" if names else ""), runs)


def _listed(names: list[str]) -> str:
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return ", ".join([*names[:MOST_NAMED], *more])


def _name(one: Action, action: Action) -> str:
    return f"#{one.seq} {one.server}.{one.tool}" if one.run == action.run else f"run {one.run} #{one.seq}"


def _tells(other: Target, target: Target) -> bool:
    """Whether the states that were kept of a call show what it did to all that the target is about, as far as both are."""
    if other.read is None or other.action.status in MAY_HAVE_HAPPENED:
        return False
    if not isinstance(other.after, Present | Absent) or (
        other.action.before is not None and not isinstance(other.before, Present | Absent)
    ):
        return False
    shared = {thing for _, thing in other.things} & {thing for _, thing in target.things}
    return bool(shared) and bool({*_places(other)} & {*_places(target)})


def _made_it_so(other: Target, target: Target, path: Path, value: Json) -> bool:
    """Whether the call moved this place to that value."""
    if target.read is None or other.after is None:
        return False
    places, place = _places(target), 0
    if target.read.rules.each:
        if not path or not isinstance(path[0], int):
            return False
        place, path = path[0], path[1:]
    else:
        path = ("state", *path)
    if places[place] not in _places(other):
        return False
    was, left = (_at(other, seen, places[place]) for seen in (other.before, other.after))
    return _is(left, path, value) and not _is(was, path, value)


def _is(seen: Json, path: Path, value: Json) -> bool:
    """Whether this stands there. None: what was there is not known."""
    if seen is None:
        return False
    try:
        found = get_path(seen, path[:1])
        if len(path) > 1 and isinstance(found, str):
            found = decode_json(found)
        return same_json(get_path(found, path[1:]), value)
    except (PathNotFound, NotJson):
        return isinstance(value, Missing)


def _places(target: Target) -> list[str]:
    """The reads that show it, each as one text: of several things, that of each."""
    if target.read is None:
        return []
    return [resource_of(ReadPlan(call)) or "" for _, call in target.read.calls] or [resource_of(target.read) or ""]


def _at(other: Target, seen: Observation | None, place: str) -> Json:
    """What its read found there, as `{state, present}`; None where that is not known."""
    match seen:
        case Absent():
            return {"present": False}
        case Present(value=value) if other.read is not None and other.read.rules.each:
            return value.whole[_places(other).index(place)]
        case Present(value=value):
            return {"state": value.whole, "present": True}
        case _:
            return None


class Mentions:
    """By what stands in their arguments: calls that may be about a thing although no rule says so."""

    def __init__(self) -> None:
        self._by_value: dict[str, dict[str, Action]] = {}

    def add(self, action: Action, arguments: Json) -> None:
        for value in arguments.values():
            self._by_value.setdefault(_key(value), {})[action.id] = action

    def of(self, target: Target) -> list[Action]:
        """Those that name all that one of its reads asks for, newest first."""
        reads = [] if target.read is None else [call for _, call in target.read.calls] or [target.read.call]
        found: dict[str, Action] = {}
        for read in reads:
            named = [self._by_value.get(_key(value), {}) for value in read.arguments.values()]
            if named:
                found |= {id: one for id, one in named[0].items() if all(id in others for others in named)}
        own = target.action
        return [one for one in found.values() if one.id != own.id and one.identity == own.identity]


def _key(value: Json) -> str:
    return f"={value}" if isinstance(value, str) else canonical_json(value).decode("utf-8", "surrogatepass")
