"""The reads that a rule declares, made before a call: to restore by, or only for whoever decides about it."""

from __future__ import annotations

from typing import Final

from synartesis.domain.calls import Call, Observation, ReadPlan
from synartesis.domain.ports import Upstream
from synartesis.domain.records import Captured
from synartesis.guard.capture import capture, image_of, read_record
from synartesis.policy.manifest import Rule
from synartesis.policy.template import Context, Unresolvable, resolve_read

LOOK_PATIENCE_S: Final = 5.0
"""How long the answer to an agent waits for what is only to be shown."""


def reads_before(call: Call, rule: Rule) -> tuple[ReadPlan | None, ReadPlan | None]:
    """What is read before the call: the snapshot, and `verify` where that does not need the answer. Raises
    Unresolvable."""
    snapshot, verify = rule.snapshot, rule.verify
    context = Context(call.arguments)
    return (
        None if snapshot is None else resolve_read(snapshot, context),
        None if verify is None or verify.needs_result else resolve_read(verify, context),
    )


async def look(call: Call, rule: Rule, upstream: Upstream) -> Captured | None:
    """What is there now, for whoever decides. None where the rule declares no read."""
    try:
        plan = next((plan for plan in reads_before(call, rule) if plan is not None), None)
    except Unresolvable:
        return None
    return None if plan is None else as_seen(plan, await capture(plan, upstream, patience_s=LOOK_PATIENCE_S))


def as_seen(plan: ReadPlan | None, found: Observation | None) -> Captured | None:
    return None if plan is None or found is None else Captured(read_record(plan), image_of(found))
