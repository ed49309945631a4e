"""Whether a call may go out: pure judgements, made twice. First when it is opened (gate, approvals), then when the
state before it is known (is there something to restore, and does the rule say how?)."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from synartesis.domain.calls import Absent, Observation, Present, Refused, Unreadable
from synartesis.domain.canonical import encode_json
from synartesis.domain.names import Tool
from synartesis.domain.ports import Approver
from synartesis.domain.records import Captured, Opened
from synartesis.domain.status import ApprovalStatus, GateMode, ToolClass
from synartesis.guard import wording
from synartesis.guard.inverse import check_before_sending, templates_for
from synartesis.policy.manifest import ReadRule, Rule
from synartesis.policy.template import Unresolvable


class Proceed(msgspec.Struct, frozen=True):
    """`approved`: a person approved this exact call; what would otherwise be asked was answered."""

    approved: bool


class AskFirst(msgspec.Struct, frozen=True):
    """A person has to decide; `why` is a sentence for both the person and the agent. `seen` is what a read that came before
    has found."""

    why: str
    seen: Captured | None = None


class Refuse(msgspec.Struct, frozen=True):
    """Nothing is sent and nobody is asked. `text` is for the agent; `denied_by` is the request that was denied."""

    text: str
    why: str
    denied_by: str | None = None


Decision: TypeAlias = Proceed | AskFirst | Refuse


def decide_opened(
    rule: Rule,
    tool: Tool,
    opened: Opened,
    *,
    broken: str | None,
    not_a_read: str | None,
    made: int,
    approver: Approver,
) -> Decision:
    """`broken`: why the rule cannot work with the tools that the server offers. `not_a_read`: why the SQL in the
    arguments is not surely one read (only where the gate asks for that). `made`: how many such calls this client has made
    within a day (only where the rule has a limit). `approver` says whether an approval counts."""
    if opened.undone_by is not None:
        return Refuse(wording.being_undone(tool, opened.undone_by), f"being undone by run {opened.undone_by}")
    frozen = approver.still_frozen(opened.frozen)
    if frozen is not None and rule.tool_class is not ToolClass.READONLY:
        return Refuse(wording.frozen(tool, frozen), f"frozen by {frozen.by}")
    approval = opened.approval
    if approval is not None and approval.status is ApprovalStatus.DENIED:
        text = wording.denied(tool, by=approval.decided_by, reason=approval.reason, request=approval.id)
        return Refuse(text, f"denied by {approval.decided_by}", denied_by=approval.id)
    forged = ""
    if approval is not None and approval.status is ApprovalStatus.RESERVED:
        if approver.accepts(approval, opened.action):
            return Proceed(approved=True)
        forged = f" {_FORGED.format(approval.id)}"
    if broken is not None:
        return AskFirst(broken + forged)
    match rule.gate:
        case GateMode.ALWAYS:
            return AskFirst(_why_always(rule, tool) + forged)
        case GateMode.ON_WRITE if not_a_read is not None:
            return AskFirst(f"It is not surely a read: {not_a_read}{forged}")
        case GateMode.ON_WRITE | GateMode.NEVER if rule.limit is not None and made >= rule.limit:
            return AskFirst(f"{_why_limited(rule, made)}{forged}")
        case GateMode.ON_WRITE | GateMode.NEVER:
            return Proceed(approved=False)


def _why_limited(rule: Rule, made: int) -> str:
    times = "one such call" if made == 1 else f"{made} such calls"
    return (
        f"This client has made {times} within 24 hours, and the rule lets {rule.limit} through unasked ({rule.where})."
    )


_FORGED = "Its approval ({}) does not count: the approver has not signed it for this call and this proxy, or it was used before."


def decide_captured(rule: Rule, tool: Tool, arguments: dict[str, object], found: Observation | None) -> Decision:
    """What the snapshot found says. Proceed(approved=False): the call can be undone as its class promises."""
    if rule.snapshot is not None and isinstance(found, Unreadable | Refused):
        asks = "The read before it was answered with an error, so there is nothing to restore"
        return _decide_unread(rule, tool, rule.snapshot, found, asks)
    if _reads_each(rule) and _can_be_undone(rule) and (why := _why_not_each(rule, found)) is not None:
        return AskFirst(why)
    match found:
        case Absent() if _can_be_undone(rule) and not rule.inverse_if_absent:
            return AskFirst("There is nothing to restore: it is not there yet, and the rule has no inverse_if_absent.")
        case Present() if _can_be_undone(rule) and not rule.inverse and not _reads_each(rule):
            return AskFirst("Something is there already, and the rule only says how to undo a creation.")
        case _:
            pass
    try:
        check_before_sending(templates_for(rule, found), arguments=arguments, snapshot=found)
    except Unresolvable as problem:
        return AskFirst(f"Its undo cannot be prepared: {problem}")
    return Proceed(approved=False)


def _reads_each(rule: Rule) -> bool:
    return rule.snapshot is not None and rule.snapshot.for_each is not None


def _why_not_each(rule: Rule, found: Observation | None) -> str | None:
    """Of several things, each needs its way back."""
    things = found.value.whole if isinstance(found, Present) else []
    for thing in things:
        name = (
            thing["item"] if isinstance(thing["item"], str) else encode_json(thing["item"]).decode("utf-8", "replace")
        )
        if not thing["present"] and not rule.inverse_if_absent:
            return f"There is nothing to restore of {name}: it is not there yet, and the rule has no inverse_if_absent."
        if thing["present"] and not rule.inverse:
            return f"{name} is there already, and the rule only says how to undo a creation."
    return None


def decide_verified(rule: Rule, tool: Tool, before: Observation | None) -> Decision:
    """What `verify` found before the call says. That nothing is there is an answer like any other: it only has to be one
    that a later answer can be held against."""
    if rule.verify is not None and isinstance(before, Unreadable | Refused):
        asks = "The read that would show what changed since was answered with an error"
        return _decide_unread(rule, tool, rule.verify, before, asks)
    return Proceed(approved=False)


def _decide_unread(rule: Rule, tool: Tool, read: ReadRule, seen: Unreadable | Refused, asks: str) -> Decision:
    """Of a read that says how it answers absence, any other error is a failure. Of one that does not, a person decides; so of
    one of several places, where absence has to be said because one of them is empty: a folder in the other is no failure."""
    if isinstance(seen, Unreadable) or (read.answers.absent_when and not read.is_of_places):
        return Refuse(wording.read_failed(tool, read.tool, seen.why), f"the read before it failed: {seen.why}")
    return AskFirst(f"{asks}: {seen.why}") if _can_be_undone(rule) else Proceed(approved=False)


def _can_be_undone(rule: Rule) -> bool:
    return rule.tool_class in (ToolClass.REVERSIBLE, ToolClass.COMPENSABLE)


def _why_always(rule: Rule, tool: Tool) -> str:
    if rule.is_default:
        return f"No rule of the manifest mentions {tool}, so it counts as irreversible."
    if rule.tool_class is ToolClass.IRREVERSIBLE:
        return f"It cannot be undone ({rule.tool_class}, {rule.where})."
    return f"The rule asks for approval of every call ({rule.where})."
