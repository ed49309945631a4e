"""`--merge`: an undo around what somebody else changed. Decides whether one step can be undone so, with which literal call, and
what will then be there. Pure.

It is possible only where it is known what the inverse does to every place that anybody touched: what the agent changed has to
reach it through `$snapshot`, so that it can be given the merged value; what somebody else changed has to reach it as well, or be
something that the very same call was seen to leave alone.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from synartesis.domain.calls import AnswerRules, AnswerValue, InversePlan, Observation, Present, Unreadable
from synartesis.domain.canonical import (
    MISSING,
    Difference,
    Json,
    Missing,
    NotJson,
    canonical_json,
    differences,
    encode_json,
    same_json,
)
from synartesis.domain.paths import EACH, Path, PathNotFound, get_path, render_path
from synartesis.domain.status import ToolClass
from synartesis.guard.inverse import needs_result, plan_inverse, templates_for
from synartesis.policy.manifest import CallTemplate
from synartesis.policy.matching import Policy
from synartesis.policy.template import Unresolvable
from synartesis.undo.merge import Overlap, merge
from synartesis.undo.plan import Target
from synartesis.undo.reach import Reach, outside_of_lists
from synartesis.undo.report import StepDifference


class Merging(msgspec.Struct, frozen=True):
    """How one step is undone around other changes."""

    state: Observation
    """What will be there."""
    inverse: tuple[InversePlan, ...]
    differences: tuple[StepDifference, ...]
    """What goes back, and what stays."""
    by_value: bool = False
    """The state is text that is JSON, of which only the value is merged: how a server spells it is its own affair."""

    @property
    def changes_something(self) -> bool:
        return any(one.kind == "goes_back" for one in self.differences)

    def comparable(self, seen: Observation) -> Observation:
        """As it can be compared with another one: where only the value counts, in the one spelling of that value."""
        if not self.by_value or not isinstance(seen, Present) or not seen.value.is_text:
            return seen
        try:
            text = canonical_json(seen.value.parsed())
        except NotJson:
            return seen
        return Present(AnswerValue(text.decode(), is_text=True), text)


class CannotMerge(msgspec.Struct, frozen=True):
    why: str
    hint: str = ""
    """What would make it possible, where that is known."""


class _Sides(msgspec.Struct, frozen=True):
    """The three states in a form that can be merged."""

    before: Json
    after: Json
    now: Json
    is_text: bool
    was_parsed: bool = False
    """They are values that were parsed from text which is JSON."""


def merge_around(
    target: Target, *, left: Observation | None, now: Observation, policy: Policy | None
) -> Merging | CannotMerge:
    """`left` is what the action left. Nothing is decided of what the world is at the moment of the call: whoever sends the
    inverse has to look again."""
    try:
        return _merging(target, left, now, policy)
    except _Refused as refused:
        return CannotMerge(*refused.args)


class _Refused(Exception):
    """It cannot be merged: why, and what would help."""


def _merging(target: Target, left: Observation | None, now: Observation, policy: Policy | None) -> Merging:
    reach, templates = _reach(target, policy)
    sides = _sides(target.before, left, now, whole=reach.restores(()))
    rules = target.read.rules if target.read is not None else None
    if rules is None or (rules.decode is not None and rules.decode.how == "pattern"):
        raise _Refused("its state is read in a form that cannot be merged")
    sides = _with_absence(sides, target.put_where_nothing_was())
    agents = _changed(sides.before, sides.after, rules)
    others = _changed(sides.after, sides.now, rules)
    moved_again = {one.path for one in others}
    for one in agents:
        _check_the_agents(one, reach, sides, moved_again)
    handed_back = {path for path in moved_again if reach.hands_back(path)}
    merged = merge(
        sides.before, sides.after, sides.now, ignore=(*rules.ignore, *handed_back), unordered=rules.unordered
    )
    if isinstance(merged, Overlap):
        raise _Refused(str(merged))
    goes_back = [one for one in _changed(merged, sides.now, rules) if not reach.hands_back(one.path)]
    stays = [one for one in others if one.path not in handed_back and _stays(one, merged)]
    if not goes_back:  # nothing will be sent
        return Merging(now, (), tuple(StepDifference(*one, kind="kept") for one in stays), sides.was_parsed)
    for one in others:
        if one.path not in handed_back:
            _check_the_others(one, reach, sides, {changed.path for changed in agents})
    state = _state(merged, sides)
    return Merging(
        state,
        _inverse_for(state, target, templates),
        (
            *(StepDifference(*one, kind="goes_back") for one in goes_back),
            *(StepDifference(*one, kind="kept") for one in stays if not reach.defaults_at(one.path)),
        ),
        sides.was_parsed,
    )


# --- what is needed to merge at all


def _reach(target: Target, policy: Policy | None) -> tuple[Reach, tuple[CallTemplate, ...]]:
    """The inverse, and the rule by which it was made: today's, if it makes the same call from the same state."""
    if target.tool_class is not ToolClass.REVERSIBLE:
        raise _Refused("only what is reversible can be merged")
    if target.inverse is None or len(target.inverse) != 1:
        raise _Refused("its inverse is not a single call")
    if target.action.captured is not None:
        raise _Refused("its state is judged by another read than its inverse is made from")
    if policy is None:
        raise _Refused("there is no policy to make its inverse by")
    rule = policy.rule_for(target.tool)
    templates = templates_for(rule, target.before)
    if needs_result(templates):
        raise _Refused("its inverse is made from what the call returned")
    if rule.verify is not None:
        raise _Refused("its state is judged by another read than its inverse is made from")
    try:
        made = plan_inverse(templates, arguments=target.arguments(), snapshot=target.before, result=None)
    except Unresolvable:
        made = ()
    if not _same_calls(made, target.inverse):
        raise _Refused(
            f"the rule for {target.tool} is not the one by which its inverse was made; --replan takes today's"
        )
    template = next(one for one in templates if one.tool == made[0].call.tool)
    return Reach(target.inverse[0], template, target.tool, target.arguments()), templates


def _same_calls(a: Iterable[InversePlan], b: Iterable[InversePlan]) -> bool:
    ours, theirs = list(a), list(b)
    return len(ours) == len(theirs) and all(
        one.call.tool == other.call.tool and same_json(one.call.arguments, other.call.arguments)
        for one, other in zip(ours, theirs, strict=True)
    )


def _sides(before: Observation | None, left: Observation | None, now: Observation, *, whole: bool) -> _Sides:
    """`whole`: the inverse writes the exact text, so that is what is merged."""
    if left is None or isinstance(left, Unreadable):
        raise _Refused("what the call left was never captured")
    if not (isinstance(before, Present) and isinstance(left, Present) and isinstance(now, Present)):
        raise _Refused("it was not there all the time")
    three = [before.value, left.value, now.value]
    are_text = {value.is_text for value in three}
    if len(are_text) > 1:
        raise _Refused("the server answers in another form now")
    is_text = are_text == {True}
    try:
        ours, base, theirs = (value.parsed() if is_text and not whole else value.whole for value in three)
        return _Sides(ours, base, theirs, is_text, was_parsed=is_text and not whole)
    except NotJson:
        raise _Refused("it is text, of which the inverse writes only parts") from None


def _state(merged: Json, sides: _Sides) -> Present:
    """As a server would answer it."""
    if not sides.is_text:
        return Present(AnswerValue(merged), encode_json({"content": [], "structuredContent": merged}))
    text = encode_json(merged).decode() if sides.was_parsed else merged
    return Present(AnswerValue(text, is_text=True), encode_json({"content": [{"type": "text", "text": text}]}))


def _with_absence(sides: _Sides, defaults: Iterable[tuple[Path, Json]]) -> _Sides:
    """With nothing where the rule's stand-in for nothing is: the inverse writes it where nothing had been, so that is no change
    of anybody's."""
    now = sides.now
    for path, value in defaults:
        if _at(sides.before, path) is MISSING and same_json(_at(now, path), value):
            now = _without(now, path)
    return replace(sides, now=now)


def _at(value: Json, path: Path) -> Json:
    try:
        return get_path(value, path)
    except PathNotFound:
        return MISSING


def _without(value: Json, path: Path) -> Json:
    if not isinstance(value, dict):
        return value
    if len(path) == 1:
        return {key: below for key, below in value.items() if key != path[0]}
    return {key: _without(below, path[1:]) if key == path[0] else below for key, below in value.items()}


# --- what the inverse does to each place


def _changed(a: Json, b: Json, rules: AnswerRules) -> list[Difference]:
    return differences(a, b, ignore=rules.ignore, unordered=rules.unordered)


def _check_the_agents(one: Difference, reach: Reach, sides: _Sides, moved_again: set[Path]) -> None:
    """What the call changed has to reach the inverse, or be as before already. What the inverse hands back as it is then (a
    version) is the server's, unless it is what the call had asked for."""
    if reach.restores(one.path) or (EACH not in one.path and same_json(_at(sides.now, one.path), one.expected)):
        return
    if reach.hands_back(one.path):
        if reach.was_set_to(one.path, one.actual):
            raise _Refused(f"the call set {_spelt(one.path)}, and its inverse hands that back as it is now")
        return
    again = " and somebody else has since," if one.path in moved_again else ""
    raise _Refused(f"the call changed {_spelt(one.path)} too,{again} and its inverse does not set that from $snapshot")


def _check_the_others(one: Difference, reach: Reach, sides: _Sides, moved: set[Path]) -> None:
    """What somebody else changed has to reach the inverse, or be left alone by it."""
    if reach.restores(one.path):
        return
    if why := reach.why_in_doubt(one.path, sides.before, sides.after, moved):
        tool, place, named = reach.inverse.call.tool, _spelt(one.path), _spelt(outside_of_lists(one.path))
        raise _Refused(
            f"nothing shows that {tool} leaves {place} alone, which somebody else changed: {why}",
            f"put it back by hand; or, where {tool} can set {named}, have the inverse in the rule for {reach.tool} set it "
            "from $snapshot, and undo again with --merge --replan: it is then given what is there now",
        )


# --- the merged call


def _inverse_for(state: Present, target: Target, templates: tuple[CallTemplate, ...]) -> tuple[InversePlan, ...]:
    try:
        return plan_inverse(templates, arguments=target.arguments(), snapshot=state, result=None)
    except Unresolvable as problem:
        raise _Refused(f"its inverse cannot be made from the merged value: {problem}") from None


def _stays(one: Difference, merged: Json) -> bool:
    """Whether it is wholly as somebody else left it; of a text that was merged it is only a part."""
    if EACH in one.path:
        return True
    try:
        return same_json(get_path(merged, one.path), one.actual)
    except PathNotFound:
        return isinstance(one.actual, Missing)


def _spelt(path: Path) -> str:
    return render_path(path) or "the whole value"
