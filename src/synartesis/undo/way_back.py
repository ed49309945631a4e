"""How an inverse could itself be taken back: by the rule of the tool that it calls, resolved while the state that it is about
to replace is at hand, so that a redo finds literal calls in the journal like any undo does."""

from __future__ import annotations

from msgspec.structs import replace

from synartesis.domain.calls import AnswerValue, InversePlan, Observation, ReadPlan, ResolvedCall, SendOutcome
from synartesis.domain.ports import Upstream
from synartesis.guard.capture import capture, image_of, judge_again
from synartesis.guard.inverse import needs_result, plan_inverse, templates_for
from synartesis.guard.send import Outgoing
from synartesis.policy.manifest import Rule
from synartesis.policy.matching import Policy
from synartesis.policy.template import Context, Unresolvable, resolve_about, resolve_read


class Asked:
    """Implements Upstream; knows whether anything was asked."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self.was_asked = False

    async def call(self, call: ResolvedCall) -> SendOutcome:
        self.was_asked = True
        return await self._upstream.call(call)


async def outgoing(
    action: str,
    call: ResolvedCall,
    *,
    about: str | None,
    read: ReadPlan | None,
    now: Observation | None,
    policy: Policy | None,
    upstream: Upstream,
) -> Outgoing:
    """An inverse, ready to be sent. `read` is that of the action which it undoes, and `now` what it found: they also judge
    the inverse, which is about the same. Where there is none, the reads of the called tool's own rule do."""
    out = Outgoing(action, call, resource=about, read=read if now is not None else None, before=now)
    if policy is None:
        return out
    rule = policy.rule_for(call.tool)
    try:
        return await _with_way_back(out, rule, upstream)
    except Unresolvable as problem:
        return replace(out, note=_cannot(f"the rule for {call.tool} cannot be resolved: {problem}"))


async def _with_way_back(out: Outgoing, rule: Rule, upstream: Upstream) -> Outgoing:
    """Raises Unresolvable."""
    arguments = out.call.arguments
    snapshot = None if rule.snapshot is None else resolve_read(rule.snapshot, Context(arguments))
    found = None if snapshot is None else await _found(snapshot, out, upstream)
    if out.resource is None:
        out = replace(out, resource=resolve_about(rule.resource, Context(arguments)))
    if out.read is None:
        out = await _judged_by_its_own_rule(out, rule, snapshot, found, upstream)
    if snapshot is not None and found is not None and (out.read is None or out.read.call != snapshot.call):
        out = replace(out, captured=(snapshot, found))
    templates = templates_for(rule, found)
    if not templates:
        why = (
            f"no rule mentions {out.call.tool}"
            if rule.is_default
            else f"the rule for {out.call.tool} has no inverse for it"
        )
        return replace(out, note=_cannot(why))
    judged_apart = out.read is not None and snapshot is not None and out.read.call != snapshot.call

    def inverse_from(result: AnswerValue | None) -> tuple[InversePlan, ...]:
        return plan_inverse(templates, arguments=arguments, snapshot=found, result=result, judged_apart=judged_apart)

    if needs_result(templates):
        return replace(out, inverse_from=inverse_from, decode=rule.decode)
    return replace(out, inverse=inverse_from(None))


async def _found(snapshot: ReadPlan, out: Outgoing, upstream: Upstream) -> Observation:
    """The same read is not made twice: what it found is judged by the rules of this one."""
    if out.read is not None and out.before is not None and out.read.call == snapshot.call:
        return judge_again(image_of(out.before), snapshot.rules)
    return await capture(snapshot, upstream)


async def _judged_by_its_own_rule(
    out: Outgoing, rule: Rule, snapshot: ReadPlan | None, found: Observation | None, upstream: Upstream
) -> Outgoing:
    verify = rule.verify
    if verify is None:
        return replace(out, read=snapshot, before=found)
    if verify.needs_result:
        read_from = lambda result: resolve_read(verify, Context(out.call.arguments, result=result))  # noqa: E731
        return replace(out, read_from=read_from, decode=rule.decode)
    read = resolve_read(verify, Context(out.call.arguments))
    return replace(out, read=read, before=await capture(read, upstream))


def _cannot(why: str) -> str:
    return f"this cannot be redone: {why}"
