"""`--merge`: an undo around what somebody else changed. Decides whether one step can be undone so, with which literal call, and
what will then be there. Pure.

It is possible only where it is known what the inverse does to every place that anybody touched: what the agent changed has to
reach it through `$snapshot`, so that it can be given the merged value; what somebody else changed has to reach it as well, or be
something that the tool was seen to leave alone.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from synartesis.domain.calls import AnswerValue, InversePlan, Observation, Present, Unreadable
from synartesis.domain.canonical import Difference, Json, Missing, NotJson, differences, encode_json, same_json
from synartesis.domain.paths import EACH, Path, PathNotFound, Segment, covers, get_path, render_path
from synartesis.domain.status import ToolClass
from synartesis.guard.inverse import needs_result, plan_inverse, templates_for
from synartesis.policy.manifest import CallTemplate
from synartesis.policy.matching import Policy
from synartesis.policy.template import Unresolvable
from synartesis.undo.merge import Overlap, merge
from synartesis.undo.plan import Target
from synartesis.undo.report import StepDifference


class Merging(msgspec.Struct, frozen=True):
    """How one step is undone around other changes."""

    state: Observation
    """What will be there."""
    inverse: tuple[InversePlan, ...]
    differences: tuple[StepDifference, ...]
    """What goes back, and what stays."""

    @property
    def changes_something(self) -> bool:
        return any(one.kind == "goes_back" for one in self.differences)


class CannotMerge(msgspec.Struct, frozen=True):
    why: str


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
        return CannotMerge(str(refused))


class _Refused(Exception):
    """It cannot be merged; the words say why."""


def _merging(target: Target, left: Observation | None, now: Observation, policy: Policy | None) -> Merging:
    inverse = _the_only_call(target)
    templates = _templates(target, policy)
    whole = any(not path for path in inverse.restores)
    sides = _sides(target.before, left, now, whole=whole)
    rules = target.read.rules if target.read is not None else None
    if rules is None or (rules.decode is not None and rules.decode.how == "pattern"):
        raise _Refused("its state is read in a form that cannot be merged")
    agents = _changed(sides.before, sides.after, rules.ignore, rules.unordered)
    others = _changed(sides.after, sides.now, rules.ignore, rules.unordered)
    kept_by_server = _check_the_agents(target, inverse, agents, others)
    kept_by_server |= {one.path for one in others if _is_handed_back(one.path, inverse)}
    others = [one for one in others if one.path not in kept_by_server]
    _check_the_others(target, inverse, others, sides, {one.path[0] for one in agents if one.path})
    merged = merge(
        sides.before,
        sides.after,
        sides.now,
        ignore=(*rules.ignore, *kept_by_server),
        unordered=rules.unordered,
    )
    if isinstance(merged, Overlap):
        raise _Refused(str(merged))
    state = _state(merged, sides)
    goes_back = _changed(merged, sides.now, rules.ignore, rules.unordered)
    return Merging(
        state,
        _inverse_for(state, target, templates),
        (
            *(StepDifference(*one, kind="goes_back") for one in goes_back),
            *(StepDifference(*one, kind="kept") for one in others if _stays(one, merged)),
        ),
    )


# --- what is needed to merge at all


def _the_only_call(target: Target) -> InversePlan:
    if target.tool_class is not ToolClass.REVERSIBLE:
        raise _Refused("only what is reversible can be merged")
    if target.inverse is None or len(target.inverse) != 1:
        raise _Refused("its inverse is not a single call")
    if target.action.captured is not None:
        raise _Refused("its state is judged by another read than its inverse is made from")
    return target.inverse[0]


def _templates(target: Target, policy: Policy | None) -> tuple[CallTemplate, ...]:
    """The rule by which the recorded inverse was made: today's, if it makes the same call from the same state."""
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
    if not _same_calls(made, target.inverse or ()):
        raise _Refused(
            f"the rule for {target.tool} is not the one by which its inverse was made; --replan takes today's"
        )
    return templates


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


# --- what the inverse does to each place


def _changed(a: Json, b: Json, ignore: tuple[Path, ...], unordered: tuple[Path, ...]) -> list[Difference]:
    return differences(a, b, ignore=ignore, unordered=unordered)


def _check_the_agents(
    target: Target, inverse: InversePlan, agents: list[Difference], others: list[Difference]
) -> set[Path]:
    """Everything that the call changed has to reach the inverse. What the inverse hands back as it is then (a version), and what
    the call did not name and has moved again since, is kept by the server: those paths are returned."""
    arguments = target.arguments()
    moved_again = {one.path for one in others}
    kept_by_server: set[Path] = set()
    for one in agents:
        if _is_restored(one.path, inverse):
            continue
        if _is_handed_back(one.path, inverse):
            kept_by_server.add(one.path)
            continue
        if one.path not in moved_again or _names(arguments, one.path):
            raise _Refused(f"the call changed {_spelt(one.path)} too, and its inverse does not set that from $snapshot")
        kept_by_server.add(one.path)
    return kept_by_server


def _check_the_others(
    target: Target, inverse: InversePlan, others: list[Difference], sides: _Sides, moved: set[Segment]
) -> None:
    """What somebody else changed has to reach the inverse, or be left alone by it. `moved`: the keys under which the agent's call
    changed something."""
    for one in others:
        if _is_restored(one.path, inverse):
            continue
        if _names(inverse.call.arguments, one.path):
            raise _Refused(f"its inverse sets {_spelt(one.path)}, which somebody else changed")
        if not _was_left_alone(one.path, target, inverse, sides, moved):
            raise _Refused(
                f"nothing shows that {inverse.call.tool} leaves {_spelt(one.path)} alone, which somebody else changed"
            )


def _is_restored(path: Path, inverse: InversePlan) -> bool:
    return any(covers(restored, path) for restored in inverse.restores)


def _is_handed_back(path: Path, inverse: InversePlan) -> bool:
    """Whether the inverse asks for it with `$current`: whatever is there when it is sent."""
    return any(covers(taken, path) for _, taken in inverse.current)


def _was_left_alone(path: Path, target: Target, inverse: InversePlan, sides: _Sides, moved: set[Segment]) -> bool:
    """The agent's own call to the same tool did not name this place, and it stayed as it was: a patch. For a place that is new,
    any other that stayed so will do."""
    before, after, arguments = sides.before, sides.after, target.arguments()
    if inverse.call.tool != target.tool or not (isinstance(before, dict) and isinstance(after, dict) and path):
        return False
    stayed = {key for key in before if key in after and key not in moved and not _names(arguments, (key,))}
    return path[0] in stayed if path[0] in before else bool(stayed)


def _names(arguments: Json, path: Path) -> bool:
    """Whether any argument, however deep, bears the name of this place or of one above it."""
    names = {segment for segment in path if isinstance(segment, str)}
    waiting = [arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if names & value.keys():
                return True
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return False


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
