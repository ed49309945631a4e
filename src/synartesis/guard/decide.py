"""Whether a call may go out: pure judgements, made twice. First when it is opened (gate, approvals), then when the
state before it is known (is there something to restore, and does the rule say how?)."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from synartesis.domain.calls import Absent, Observation, Present, Refused, Unreadable
from synartesis.domain.names import Tool
from synartesis.domain.records import Opened
from synartesis.domain.status import ApprovalStatus, GateMode, ToolClass
from synartesis.guard import wording
from synartesis.guard.inverse import check_before_sending, templates_for
from synartesis.policy.manifest import Rule
from synartesis.policy.template import Unresolvable


class Proceed(msgspec.Struct, frozen=True):
    """`approved`: a person approved this exact call; what would otherwise be asked was answered."""

    approved: bool


class AskFirst(msgspec.Struct, frozen=True):
    """A person has to decide; `why` is a sentence for both the person and the agent."""

    why: str


class Refuse(msgspec.Struct, frozen=True):
    """Nothing is sent and nobody is asked. `text` is for the agent; `denied_by` is the request that was denied."""

    text: str
    why: str
    denied_by: str | None = None


Decision: TypeAlias = Proceed | AskFirst | Refuse


def decide_opened(rule: Rule, tool: Tool, opened: Opened, *, broken: str | None, not_a_read: str | None) -> Decision:
    """`broken`: why the rule cannot work with the tools that the server offers. `not_a_read`: why the SQL in the
    arguments is not surely one read (only where the gate asks for that)."""
    if opened.undone_by is not None:
        return Refuse(wording.being_undone(tool, opened.undone_by), f"being undone by run {opened.undone_by}")
    approval = opened.approval
    if approval is not None and approval.status is ApprovalStatus.DENIED:
        text = wording.denied(tool, by=approval.decided_by, reason=approval.reason, request=approval.id)
        return Refuse(text, f"denied by {approval.decided_by}", denied_by=approval.id)
    if approval is not None and approval.status is ApprovalStatus.RESERVED:
        return Proceed(approved=True)
    if broken is not None:
        return AskFirst(broken)
    match rule.gate:
        case GateMode.ALWAYS:
            return AskFirst(_why_always(rule, tool))
        case GateMode.ON_WRITE if not_a_read is not None:
            return AskFirst(f"It is not surely a read: {not_a_read}")
        case GateMode.ON_WRITE | GateMode.NEVER:
            return Proceed(approved=False)


def decide_captured(rule: Rule, tool: Tool, arguments: dict[str, object], before: Observation | None) -> Decision:
    """What the state before says. Proceed(approved=False): the call can be undone as its class promises."""
    match before:
        case Unreadable(why=why):
            return _read_failed(rule, tool, why)
        case Refused(why=why) if rule.snapshot is not None and rule.snapshot.answers.absent_when:
            return _read_failed(rule, tool, why)
        case Refused(why=why) if not _can_be_undone(rule):
            return Proceed(approved=False)
        case Refused(why=why):
            return AskFirst(f"The read before it was answered with an error, so there is nothing to restore: {why}")
        case Absent() if _can_be_undone(rule) and not rule.inverse_if_absent:
            return AskFirst("There is nothing to restore: it is not there yet, and the rule has no inverse_if_absent.")
        case Present() if _can_be_undone(rule) and not rule.inverse:
            return AskFirst("Something is there already, and the rule only says how to undo a creation.")
        case _:
            pass
    try:
        check_before_sending(templates_for(rule, before), arguments=arguments, before=before)
    except Unresolvable as problem:
        return AskFirst(f"Its undo cannot be prepared: {problem}")
    return Proceed(approved=False)


def _can_be_undone(rule: Rule) -> bool:
    return rule.tool_class in (ToolClass.REVERSIBLE, ToolClass.COMPENSABLE)


def _read_failed(rule: Rule, tool: Tool, why: str) -> Refuse:
    read = rule.snapshot.tool if rule.snapshot is not None else tool
    return Refuse(wording.read_failed(tool, read, why), f"the read before it failed: {why}")


def _why_always(rule: Rule, tool: Tool) -> str:
    if rule.is_default:
        return f"No rule of the manifest mentions {tool}, so it counts as irreversible."
    if rule.tool_class is ToolClass.IRREVERSIBLE:
        return f"It cannot be undone ({rule.tool_class}, {rule.where})."
    return f"The rule asks for approval of every call ({rule.where})."
