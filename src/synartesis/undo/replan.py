"""`--replan`: an action under today's manifest. The kept answers are judged anew, the inverse is rebuilt from the state that
was captured then."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from synartesis.domain.calls import AnswerValue, InversePlan, Observation, ReadPlan, Undecodable
from synartesis.domain.canonical import NotJson, decode_json
from synartesis.domain.decoding import decoded_value
from synartesis.domain.records import Action, Captured
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus
from synartesis.guard.capture import judge_again, read_plan
from synartesis.guard.inverse import inverse_records, plan_inverse, templates_for
from synartesis.policy.manifest import Rule
from synartesis.policy.matching import Policy
from synartesis.policy.template import Context, Unresolvable, resolve_read
from synartesis.undo.plan import Target, before_a_creation, exact_where_written, target_of, why_blind


def replanner(policy: Policy) -> Callable[[Action], Target]:
    """A `make_target` for `plan_steps` that reads every action under this policy."""
    return lambda action: _replanned(action, policy)


def _replanned(action: Action, policy: Policy) -> Target:
    recorded = target_of(action)
    happened = action.status is ActionStatus.APPLIED or action.status in MAY_HAVE_HAPPENED
    if action.pruned or not happened:
        return recorded
    rule = policy.rule_for(recorded.tool)
    context = Context(recorded.arguments(), result=_result(action, rule))
    judging = rule.verify or rule.snapshot
    try:
        read = resolve_read(judging, context) if judging is not None else None
        snapshot = resolve_read(rule.snapshot, context) if rule.snapshot is not None else None
    except Unresolvable as error:
        return Target(action, rule.tool_class, None, None, None, None, problem=f"today's rule cannot read it: {error}")
    inverse, problem = _inverse(rule, context, _kept(action, snapshot))
    target = replace(recorded, tool_class=rule.tool_class, inverse=inverse, problem=problem)
    target = replace(target, replanned=_calls(inverse) != _calls(recorded.inverse))
    if read is None:  # what was recorded still shows what somebody else did since
        return target
    before, after, blind = _judged_again(action, read)
    read = exact_where_written(read, before, inverse)
    return replace(target, read=read, before=before, after=after, blind=blind)


def _calls(inverse: tuple[InversePlan, ...] | None) -> list[tuple[str, str, bytes]]:
    return [(one.server, one.tool, one.arguments) for one in inverse_records(inverse) or ()]


def _judged_again(action: Action, read: ReadPlan) -> tuple[Observation | None, Observation | None, str]:
    """The states before and after, as today's rule understands the answers that were kept."""
    if action.read is None or read_plan(action.read).call != read.call:
        return None, None, _READ_OTHERWISE
    after = None if action.after is None else judge_again(action.after, read.rules)
    if action.before is None:
        before = before_a_creation(after, read.rules)
        return before, after, why_blind(before, after)
    return judge_again(action.before, read.rules), after, ""


_READ_OTHERWISE = (
    "the manifest of today reads the state in another way than it was captured by, so they cannot be compared"
)


def _kept(action: Action, snapshot: ReadPlan | None) -> Observation | None:
    """What today's snapshot found then: whichever read was made of the same thing in the same way."""
    kept = [] if action.captured is None else [action.captured]
    if action.read is not None and action.before is not None:
        kept.append(Captured(action.read, action.before))
    for one in kept:
        if snapshot is not None and read_plan(one.read).call == snapshot.call:
            return judge_again(one.image, snapshot.rules)
    return None


def _inverse(rule: Rule, context: Context, snapshot: Observation | None) -> tuple[tuple[InversePlan, ...] | None, str]:
    templates = templates_for(rule, snapshot)
    if not templates:
        return None, "today's rule has no inverse for what was found there"
    try:
        inverse = plan_inverse(
            templates,
            arguments=context.arguments,
            snapshot=snapshot,
            result=context.result,
            judged_apart=rule.verify is not None,
        )
    except Unresolvable as problem:
        return None, f"today's rule cannot be resolved: {problem}"
    return inverse, ""


def _result(action: Action, rule: Rule) -> AnswerValue | None:
    if action.reply is None:
        return None
    try:
        return decoded_value(decode_json(action.reply), rule.decode)
    except (NotJson, Undecodable):
        return None
