"""`--replan`: an action under today's manifest. The kept answers are judged anew, the inverse is rebuilt from the state that
was captured then."""

from __future__ import annotations

from collections.abc import Callable

from synartesis.domain.calls import AnswerValue, InversePlan, Observation, ReadPlan, answer_value
from synartesis.domain.canonical import NotJson, decode_json
from synartesis.domain.records import Action, Image
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus
from synartesis.guard.capture import judge_again
from synartesis.guard.inverse import plan_inverse, templates_for
from synartesis.policy.matching import Policy
from synartesis.policy.template import Context, Unresolvable, resolve_read
from synartesis.undo.plan import Target, target_of


def replanner(policy: Policy) -> Callable[[Action], Target]:
    """A `make_target` for `plan_steps` that reads every action under this policy."""
    return lambda action: _replanned(action, policy)


def _replanned(action: Action, policy: Policy) -> Target:
    recorded = target_of(action)
    if action.status is not ActionStatus.APPLIED and action.status not in MAY_HAVE_HAPPENED:
        return recorded
    rule = policy.rule_for(recorded.tool)
    arguments = recorded.arguments()
    try:
        read = resolve_read(rule.snapshot, Context(arguments)) if rule.snapshot is not None else None
    except Unresolvable as error:
        return Target(action, rule.tool_class, None, None, None, None, f"today's rule cannot read it: {error}")
    comparable = read is not None and recorded.read is not None and read.call == recorded.read.call
    before = _again(action.before, read) if comparable else None
    after = _again(action.after, read) if comparable else None
    inverse, problem = _inverse(action, policy, before)
    return Target(action, rule.tool_class, read, before, after, inverse, problem)


def _again(image: Image | None, read: ReadPlan | None) -> Observation | None:
    return None if image is None or read is None else judge_again(image, read.rules)


def _inverse(action: Action, policy: Policy, before: Observation | None) -> tuple[tuple[InversePlan, ...] | None, str]:
    target = target_of(action)
    templates = templates_for(policy.rule_for(target.tool), before)
    if not templates:
        return None, "today's rule has no inverse for what was found there"
    try:
        return plan_inverse(templates, arguments=target.arguments(), before=before, result=_result(action)), ""
    except Unresolvable as problem:
        return None, f"today's rule cannot be resolved: {problem}"


def _result(action: Action) -> AnswerValue | None:
    if action.reply is None:
        return None
    try:
        return answer_value(decode_json(action.reply))
    except NotJson:
        return None
