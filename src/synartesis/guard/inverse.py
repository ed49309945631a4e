"""The inverse of a call: chosen by what the read found, resolved to literal calls while the state before is at hand."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from synartesis.domain.calls import Absent, AnswerValue, InversePlan, Observation, Present, ResolvedCall
from synartesis.domain.canonical import Json, decode_json, encode_json
from synartesis.domain.names import Tool
from synartesis.domain.paths import parse_path, render_path
from synartesis.domain.records import InverseCall
from synartesis.policy.manifest import CallTemplate, Rule
from synartesis.policy.template import Context, references, resolve, restored_paths


def templates_for(rule: Rule, snapshot: Observation | None) -> tuple[CallTemplate, ...]:
    """Which calls undo this one, given what the snapshot found. Empty: nothing does."""
    return rule.inverse_if_absent if isinstance(snapshot, Absent) else rule.inverse


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
    return tuple(
        InversePlan(
            ResolvedCall(one.tool, resolve(one.args, context)), ((),) if judged_apart else restored_paths(one.args)
        )
        for one in templates
    )


def needs_result(templates: Iterable[CallTemplate]) -> bool:
    return any(reference.source == "result" for one in templates for reference in references(one.args))


def check_before_sending(templates: Iterable[CallTemplate], *, arguments: Json, snapshot: Observation | None) -> None:
    """Resolve everything that is known before the call, so that a policy that cannot work is noticed in time. Raises
    Unresolvable."""
    context = replace(_context(arguments, snapshot, None), later=frozenset({"result"}))
    for one in templates:
        resolve(one.args, context)


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
        )
        for plan in plans
    )


def inverse_plans(kept: tuple[InverseCall, ...]) -> tuple[InversePlan, ...]:
    return tuple(
        InversePlan(
            ResolvedCall(Tool(one.server, one.tool), decode_json(one.arguments)),
            tuple(parse_path(path) for path in one.restores),
        )
        for one in kept
    )
