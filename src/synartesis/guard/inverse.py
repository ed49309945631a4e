"""The inverse of a call: chosen by what the read found, resolved to literal calls while the state before is at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from msgspec.structs import replace

from synartesis.domain.calls import Absent, AnswerValue, InversePlan, Observation, Present, ResolvedCall
from synartesis.domain.canonical import MISSING, Json, Missing, NotJson, decode_json, encode_json, same_json
from synartesis.domain.names import Tool
from synartesis.domain.paths import EACH, Path, PathNotFound, get_path, parse_path, render_path
from synartesis.domain.records import InverseCall
from synartesis.policy.manifest import CallTemplate, Rule
from synartesis.policy.references import Reference
from synartesis.policy.template import (
    Context,
    Current,
    Defaulted,
    Unresolvable,
    leaves_marks,
    resolve,
    resolve_elements,
)


def templates_for(rule: Rule, snapshot: Observation | None) -> tuple[CallTemplate, ...]:
    """Which calls undo this one, given what the snapshot found. Empty: nothing does. Of several things, what was made is taken
    away before what was there is put back."""
    if rule.snapshot is None or rule.snapshot.for_each is None:
        return rule.inverse_if_absent if isinstance(snapshot, Absent) else rule.inverse
    there = presence(snapshot)
    absent = tuple(replace(one, serves="absent") for one in rule.inverse_if_absent if False in there)
    present = tuple(replace(one, serves="present") for one in rule.inverse if True in there)
    return absent + present


def presence(snapshot: Observation | None) -> list[bool]:
    """Of each of several things, whether it was there."""
    return [one["present"] for one in snapshot.value.whole] if isinstance(snapshot, Present) else []


def plan_inverse(
    templates: Iterable[CallTemplate],
    *,
    arguments: Json,
    snapshot: Observation | None,
    result: AnswerValue | None,
    judged_apart: bool = False,
) -> tuple[InversePlan, ...]:
    """The literal calls. `judged_apart`: drift is judged by another read than the snapshot, so which of its paths they put
    back is not known, and all of it is expected. Raises Unresolvable, naming the reference that has no value."""
    context = _context(arguments, snapshot, result)
    return tuple(plan for one in templates for plan in _plans(one, context, judged_apart=judged_apart))


def _plans(one: CallTemplate, context: Context, *, judged_apart: bool) -> Iterator[InversePlan]:
    own = _served(one, context)
    if one.for_each is None:
        yield _plan(one, own, (), judged_apart=judged_apart)
        return
    elements = resolve_elements(one.for_each, own)
    for element in reversed(elements):
        context_of_it = replace(own, item=AnswerValue(element))
        yield _plan(one, context_of_it, _place_of(element, one, context, judged_apart), judged_apart=judged_apart)


def _served(one: CallTemplate, context: Context) -> Context:
    """`$snapshot` without those things that the call does not serve."""
    if one.serves == "all" or context.snapshot is None:
        return context
    things = [thing for thing in context.snapshot.whole if thing["present"] is (one.serves == "present")]
    return replace(context, snapshot=AnswerValue(things))


def _place_of(element: Json, one: CallTemplate, context: Context, judged_apart: bool) -> Path:
    """Where the state of one of several things stands in the state of all, which `$current` reads."""
    if one.serves == "all" or judged_apart or context.snapshot is None or one.for_each != Reference("snapshot", ()):
        return ()
    return (next(at for at, thing in enumerate(context.snapshot.whole) if thing is element), "state")


def _plan(one: CallTemplate, context: Context, at: Path, *, judged_apart: bool) -> InversePlan:
    arguments = resolve(one.args, context)
    current: Places = []
    defaults: Places = []
    if leaves_marks(one.args):
        arguments = _without_marks(arguments, (), current, defaults)
    current += [(place, path) for place, path in one.keeps if isinstance(_at(arguments, place[:-1]), dict)]
    restores = ((),) if judged_apart else one.restores
    if at:  # of the one thing that this call is about
        restores = tuple((*at[:1], *path[1:]) if path[:1] == (EACH,) else path for path in restores)
        current = [(place, (*at, *path)) for place, path in current]
    return InversePlan(ResolvedCall(one.tool, arguments), restores, tuple(current), tuple(defaults))


Places: TypeAlias = list[tuple[Path, Path]]
"""(place in the arguments, path in the state)"""


def _without_marks(value: Json, at: Path, current: Places, defaults: Places) -> Json:
    """The value with `{"$current": "path"}` for what is not known yet; the lists get the places of what was marked."""
    if isinstance(value, Current):
        current.append((at, value.path))
        return _placeholder(value.path)
    if isinstance(value, Defaulted):
        defaults.append((at, value.path))
        return _without_marks(value.value, at, current, defaults)
    if isinstance(value, dict):
        return {key: _without_marks(below, (*at, key), current, defaults) for key, below in value.items()}
    if isinstance(value, list):
        return [_without_marks(below, (*at, number), current, defaults) for number, below in enumerate(value)]
    return value


def _placeholder(path: Path) -> Json:
    return {"$current": render_path(path)}


def filled(plan: InversePlan, now: Observation | None) -> ResolvedCall:
    """The call with what is there now in its places. Raises Unresolvable."""
    arguments = plan.call.arguments
    for place, path in plan.current:
        if not _is_asked_for(plan, place, path):
            arguments = _as_it_is(arguments, place, path, now)
            continue
        if not isinstance(now, Present):
            why = "nothing is there" if isinstance(now, Absent) else "the state could not be read"
            raise Unresolvable("$current", why)
        spelled = str(Reference("current", path))
        try:
            arguments = _put(arguments, place, now.value.at(path))
        except (PathNotFound, NotJson):
            raise Unresolvable(spelled, "is not in what is there now") from None
    return replace(plan.call, arguments=arguments)


def _is_asked_for(plan: InversePlan, place: Path, path: Path) -> bool:
    """Whether the rule asks for it with `$current`, and not only has it ignored."""
    return same_json(_at(plan.call.arguments, place), _placeholder(path))


def _as_it_is(arguments: Json, place: Path, path: Path, now: Observation | None) -> Json:
    """With what is ignored as it is now. Where the thing is not there, it comes back as it was."""
    holder = _at(now.value, path[:-1]) if isinstance(now, Present) else MISSING
    return _put(arguments, place, holder.get(path[-1], MISSING)) if isinstance(holder, dict) else arguments


def _at(value: Json | AnswerValue, path: Path) -> Json:
    try:
        return value.at(path) if isinstance(value, AnswerValue) else get_path(value, path)
    except (PathNotFound, NotJson):
        return MISSING


def is_call_of(plan: InversePlan, tool: Tool, arguments: Json) -> bool:
    """Whether a call that was made is the one that is planned, whatever was filled in."""
    if tool != plan.call.tool:
        return False
    for place, path in plan.current:
        if isinstance(_at(arguments, place[:-1]), Missing):
            return False
        if _is_asked_for(plan, place, path) and isinstance(_at(arguments, place), Missing):
            return False
        arguments = _put(arguments, place, _at(plan.call.arguments, place))
    return same_json(arguments, plan.call.arguments)


def _put(value: Json, at: Path, new: Json) -> Json:
    """A copy of the value with another one at this place, whose holder exists; MISSING takes a field away."""
    copy: Any = list(value) if isinstance(value, list) else dict(value)
    if len(at) > 1:
        copy[at[0]] = _put(value[at[0]], at[1:], new)
    elif isinstance(new, Missing):
        copy.pop(at[0], None)
    else:
        copy[at[0]] = new
    return copy


def needs_result(templates: Iterable[CallTemplate]) -> bool:
    return any(reference.source == "result" for one in templates for reference in one.references())


def check_before_sending(templates: Iterable[CallTemplate], *, arguments: Json, snapshot: Observation | None) -> None:
    """Resolve everything that is known before the call, so that a policy that cannot work is noticed in time. Raises
    Unresolvable."""
    context = replace(_context(arguments, snapshot, None), later=frozenset({"result"}))
    for one in templates:
        own = _served(one, context)
        if one.for_each is None:
            resolve(one.args, own)
            continue
        for element in resolve_elements(one.for_each, own):
            resolve(one.args, replace(own, item=AnswerValue(element)))


def _context(arguments: Json, snapshot: Observation | None, result: AnswerValue | None) -> Context:
    return Context(
        arguments=arguments,
        snapshot=snapshot.value if isinstance(snapshot, Present) else None,
        result=result,
    )


# --- how it is kept


def inverse_records(plans: tuple[InversePlan, ...] | None) -> tuple[InverseCall, ...] | None:
    if plans is None:
        return None
    return tuple(
        InverseCall(
            plan.call.tool.server,
            plan.call.tool.name,
            encode_json(plan.call.arguments),
            tuple(render_path(path) for path in plan.restores),
            tuple((render_path(place), render_path(path)) for place, path in plan.current),
            tuple((render_path(place), render_path(path)) for place, path in plan.defaults),
        )
        for plan in plans
    )


def inverse_plans(kept: tuple[InverseCall, ...]) -> tuple[InversePlan, ...]:
    return tuple(
        InversePlan(
            ResolvedCall(Tool(one.server, one.tool), decode_json(one.arguments)),
            tuple(parse_path(path) for path in one.restores),
            tuple((parse_path(place), parse_path(path)) for place, path in one.current),
            tuple((parse_path(place), parse_path(path)) for place, path in one.defaults),
        )
        for one in kept
    )
