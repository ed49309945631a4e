"""The story of one guarded call, from the line that asked for it to the answer that goes back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from typing import Final

import msgspec
from msgspec.structs import replace

from synartesis.domain.calls import (
    AnswerValue,
    Call,
    Continuation,
    InversePlan,
    NotSent,
    Observation,
    ReadPlan,
    Replied,
    ReplyLost,
    ResolvedCall,
    SendOutcome,
)
from synartesis.domain.canonical import encode_json, fingerprint
from synartesis.domain.ports import (
    Approver,
    BeingUndone,
    Clock,
    Frozen,
    Ids,
    Journal,
    StaleAction,
    Turns,
    TurnTimeout,
    Upstream,
)
from synartesis.domain.records import Action, Approval, Asking, NewAction, Opened
from synartesis.domain.status import ActionStatus, GateMode, ToolClass
from synartesis.errors import JournalUnavailable
from synartesis.guard import wording
from synartesis.guard.answer import GuardAnswer, PassOn, Tell
from synartesis.guard.anybody import Anybody
from synartesis.guard.capture import capture, same_state, why_too_large
from synartesis.guard.decide import AskFirst, Refuse, decide_captured, decide_opened, decide_verified
from synartesis.guard.inverse import needs_result, plan_inverse, templates_for
from synartesis.guard.looking import as_seen, look, reads_before
from synartesis.guard.paused import PausedCall, PausedCalls
from synartesis.guard.permit import Permit, permit_for
from synartesis.guard.send import Outgoing, Settled, send, settle, things_of
from synartesis.policy.manifest import Rule
from synartesis.policy.sql import is_read_only
from synartesis.policy.template import Context, Unresolvable, resolve_about, resolve_read

MAX_LOST: Final = 1000
"""Calls whose answer was lost, that are remembered to be known again."""


def _nobody_is_told(request: Approval) -> None: ...


class Ports(msgspec.Struct, frozen=True):
    """All that a guarded call needs of the world."""

    journal: Journal
    upstream: Upstream
    clock: Clock
    ids: Ids
    turns: Turns
    approve_command: Callable[[str], str]
    """The exact command that approves a request, as a person would paste it."""
    approver: Approver = Anybody()
    on_held: Callable[[Approval], None] = _nobody_is_told
    """Tells somebody that a request was made; returns at once."""
    paused: PausedCalls = msgspec.field(default_factory=PausedCalls)
    """The calls that are not done yet."""
    lost: dict[str, Outgoing] = msgspec.field(default_factory=dict)
    """By fingerprint: calls of this client whose answer was lost, as they were sent."""


async def guard_call(
    call: Call, rule: Rule, *, run: str, identity: str, ports: Ports, broken: str | None = None
) -> GuardAnswer:
    """Make one call as its rule allows, and say what became of it.

    `identity` is the server's; `broken` says why the rule cannot work with the tools that the server offers. May be
    cancelled only while the call has not left; it then settles its own row.
    """
    not_a_read = is_read_only(call.arguments, rule.sql, rule.dialect) if rule.gate is GateMode.ON_WRITE else None
    if rule.gate is GateMode.ON_WRITE and not_a_read is None:
        rule = _as_read(rule)
    new = _new_action(call, rule, run=run, identity=identity, action=ports.ids.new_id())
    if call.continues is not None:
        paused = ports.paused.take(new.fingerprint, call.continues.state)
        if paused is not None:
            return await _go_on(call, call.continues, rule, paused, ports)
    try:
        opened = await ports.journal.open_action(new, asker=ports.approver.asker())
    except JournalUnavailable as error:
        return Tell(wording.not_recorded(call.tool, error.message))
    left = False
    async with AsyncExitStack() as turn:
        try:
            approver = ports.approver
            made = 0 if rule.limit is None else await _made_before(opened.action, ports)
            decision = decide_opened(
                rule, call.tool, opened, broken=broken, not_a_read=not_a_read, made=made, approver=approver
            )
            permit = permit_for(opened, decision, approver)
            if rule.limit is not None:
                approver.count(opened.action)
                turn.callback(lambda: None if left else approver.uncount(opened.action))
            if isinstance(decision, Refuse) or (isinstance(decision, AskFirst) and not permit.covers()):
                return await _turn_away(decision, call, rule, opened, ports, may_look=broken is None)
            ready = await _get_ready(call, rule, opened.action, ports, turn=turn, approved=permit.covers)
            if not isinstance(ready, Outgoing):
                return await _turn_away(ready, call, rule, opened, ports)
            if not permit.is_exact and (why := _why_not_again(ports.lost.get(new.fingerprint), ready)):
                return await _turn_away(AskFirst(why), call, rule, opened, ports)
            outcome = await _send(ready, permit, ports)
            left = not isinstance(outcome, NotSent)
        except BaseException as error:
            return await _give_up(error, call, opened.action, ports)
        settled = await settle(ready, outcome, journal=ports.journal, upstream=ports.upstream, clock=ports.clock)
    _note_outcome(settled, ready, opened.action, ports, approved=permit.is_used)
    return _answer(settled, call, opened.action)


async def _made_before(action: Action, ports: Ports) -> int:
    """Counted in the journal, and not less than this process remembers."""
    recorded = await ports.journal.made_before(action.id)
    return max(recorded, ports.approver.made(action))


async def _go_on(call: Call, continuation: Continuation, rule: Rule, paused: PausedCall, ports: Ports) -> GuardAnswer:
    """The client answered the server's questions: the same action, under the same approval, sent once more. What was
    read before it is out of date, so it is read again."""
    action, left = paused.action, False
    async with AsyncExitStack() as turn:
        try:
            if rule.tool_class is not ToolClass.READONLY and (frozen := ports.approver.still_frozen(None)) is not None:
                return Tell(wording.frozen(call.tool, frozen))
            ready = await _get_ready(call, rule, action, ports, turn=turn, approved=lambda: paused.approved)
            if isinstance(ready, Refuse):
                return Tell(ready.text)
            if isinstance(ready, AskFirst):
                return Tell(wording.not_continued(call.tool, ready.why))
            said = f"the client answered: {continuation.answers.decode('utf-8', 'replace') or 'nothing'}"
            ready = replace(ready, note="; ".join(filter(None, (said, ready.note))))
            outcome = await send(ready, journal=ports.journal, upstream=ports.upstream)
            left = True
        except (Frozen, JournalUnavailable, TurnTimeout, StaleAction) as error:
            return Tell(_why_not_continued(error, call))
        finally:
            if not left:
                ports.paused.put_back(paused, continuation.state)
        settled = await settle(ready, outcome, journal=ports.journal, upstream=ports.upstream, clock=ports.clock)
    _note_outcome(settled, ready, action, ports, approved=paused.approved)
    return _answer(settled, call, action)


def _why_not_continued(error: Frozen | JournalUnavailable | TurnTimeout | StaleAction, call: Call) -> str:
    match error:
        case Frozen():
            return wording.frozen(call.tool, error.freeze)
        case JournalUnavailable():
            return wording.not_recorded(call.tool, error.message)
        case TurnTimeout():
            return wording.turn_timed_out(call.tool, error.blocker)
        case BeingUndone():
            return wording.being_undone(call.tool, error.undo_run)
        case StaleAction():
            return wording.not_continued(call.tool, "Its record says that it has ended")


def _note_outcome(settled: Settled, out: Outgoing, action: Action, ports: Ports, *, approved: bool) -> None:
    """What the next call may have to do with this one."""
    if settled.status is ActionStatus.UNKNOWN:
        ports.lost[action.fingerprint] = out
        if len(ports.lost) > MAX_LOST:
            del ports.lost[next(iter(ports.lost))]
        return
    ports.lost.pop(action.fingerprint, None)
    if settled.status is ActionStatus.PAUSED and isinstance(settled.outcome, Replied):
        ports.paused.keep(out, settled.outcome.reply, action, approved=approved)


def _why_not_again(lost: Outgoing | None, ready: Outgoing) -> str | None:
    """A client that lost an answer asks again. Where the state is still what it was before the first call, that one did
    nothing; otherwise, or where nothing reads the state, it may have been carried out, and a second one would be too."""
    if lost is None:
        return None
    before, now, read = lost.before, ready.before, lost.read
    if before is not None and now is not None and read is not None and same_state(before, now, read.rules):
        return None
    return (
        f"The same call was sent before (action {lost.action}), and its answer was lost: it may have been carried out."
    )


# --- before it leaves


async def _get_ready(
    call: Call, rule: Rule, action: Action, ports: Ports, *, turn: AsyncExitStack, approved: Callable[[], bool]
) -> Outgoing | AskFirst | Refuse:
    """Wait for the resource's turn, read the state before, and prepare the inverse. What is approved is not asked
    again: it goes out with a note of what its undo lacks. `approved` is asked only where that matters."""
    out = Outgoing(action.id, ResolvedCall(call.tool, call.arguments, call.frame))
    has_read = rule.snapshot is not None or rule.verify is not None
    if has_read and (why := why_too_large(action.arguments)) is not None:
        return Refuse(wording.too_large(call.tool, why), why)
    try:
        snapshot, verify = reads_before(call, rule)
        out = replace(out, resource=resolve_about(rule.resource, Context(call.arguments)))
    except Unresolvable as problem:
        why = f"The state before it cannot be read: {problem}"
        return AskFirst(why) if not approved() else replace(out, note=_approved_although(why))
    for thing in things_of(out.resource, verify or snapshot):
        await turn.enter_async_context(ports.turns.turn(f"{action.identity} {thing}", of=action.id))
    found = None if snapshot is None else await capture(snapshot, ports.upstream)
    decision = decide_captured(rule, call.tool, call.arguments, found)
    if isinstance(decision, AskFirst) and not approved():
        return replace(decision, seen=as_seen(snapshot, found))
    if isinstance(decision, Refuse):
        return decision
    if rule.verify is None:
        out = replace(out, read=snapshot, before=found)
    else:
        before = None if verify is None else await capture(verify, ports.upstream)
        of_verify = decide_verified(rule, call.tool, before)
        if isinstance(of_verify, AskFirst) and not approved():
            return replace(of_verify, seen=as_seen(verify, before))
        if isinstance(of_verify, Refuse):
            return of_verify
        note = _approved_although(of_verify.why) if isinstance(of_verify, AskFirst) else ""
        captured = None if snapshot is None or found is None else (snapshot, found)
        out = replace(out, read=verify, before=before, read_from=_read_from(call, rule), captured=captured, note=note)
        out = replace(out, decode=rule.decode)
    if isinstance(decision, AskFirst):
        return replace(out, note="; ".join(filter(None, (_approved_although(decision.why), out.note))))
    return _with_inverse(out, call, rule, found)


async def _send(ready: Outgoing, permit: Permit, ports: Ports) -> SendOutcome:
    """Let it leave, under its approval where it needs one."""
    if not permit.spend(ports.approver):
        raise StaleAction(ready.action)
    try:
        return await send(ready, journal=ports.journal, upstream=ports.upstream, allowance=permit.number)
    except (Frozen, StaleAction, JournalUnavailable):  # nothing has left; of any other end nobody can be as sure
        permit.give_back(ports.approver)
        raise


def _approved_although(why: str) -> str:
    return f"approved although: {why}"


def _read_from(call: Call, rule: Rule) -> Callable[[AnswerValue], ReadPlan] | None:
    verify = rule.verify
    if verify is None or not verify.needs_result:
        return None
    return lambda result: resolve_read(verify, Context(call.arguments, result=result))


def _with_inverse(out: Outgoing, call: Call, rule: Rule, found: Observation | None) -> Outgoing:
    templates = templates_for(rule, found)

    def inverse_from(result: AnswerValue | None) -> tuple[InversePlan, ...]:
        return plan_inverse(
            templates,
            arguments=call.arguments,
            snapshot=found,
            result=result,
            judged_apart=rule.verify is not None,
        )

    if not templates:
        return out
    if needs_result(templates):
        return replace(out, inverse_from=inverse_from, decode=rule.decode)
    return replace(out, inverse=inverse_from(None))


def _as_read(rule: Rule) -> Rule:
    """The call was judged to be one read, so it is recorded as one and needs no way back."""
    asks = rule.asks_client
    return Rule(rule.match, ToolClass.READONLY, GateMode.ON_WRITE, limit=rule.limit, asks_client=asks, where=rule.where)


def _new_action(call: Call, rule: Rule, *, run: str, identity: str, action: str) -> NewAction:
    return NewAction(
        id=action,
        run=run,
        server=call.tool.server,
        identity=identity,
        tool=call.tool.name,
        arguments=encode_json(call.arguments),
        tool_class=rule.tool_class,
        fingerprint=fingerprint(identity, call.tool.name, call.arguments),
    )


# --- where it does not leave


async def _turn_away(
    decision: AskFirst | Refuse, call: Call, rule: Rule, opened: Opened, ports: Ports, *, may_look: bool = True
) -> Tell:
    action = opened.action
    match decision:
        case AskFirst(why=why, seen=seen):
            if seen is None and may_look and opened.approval is None:
                seen = await look(call, rule, ports.upstream)
            asking = Asking(ports.approver.asker(), seen, rule.says)
            request = await ports.journal.hold(action.id, why=why, asking=asking)
            if request.attempts == 1:
                ports.on_held(request)
            command = ports.approve_command(request.id)
            told = wording.held(call.tool, why, request=request.id, command=command, attempts=request.attempts)
            return Tell(told, request)
        case Refuse(text=text, denied_by=str(approval)):
            await ports.journal.mark_denied(action.id, approval=approval)
            return Tell(text)
        case Refuse(text=text, why=why):
            await ports.journal.give_up(action.id, why=why)
            return Tell(text)


async def _give_up(error: BaseException, call: Call, action: Action, ports: Ports) -> Tell:
    """Something ended the call before it left. Whatever is not ours to answer is raised again."""
    match error:
        case GeneratorExit():
            raise error  # the interpreter is going down: nothing may be awaited any more
        case JournalUnavailable():
            return Tell(wording.not_recorded(call.tool, error.message))
        case Frozen():
            why, answer = "every write was stopped before it left", wording.frozen(call.tool, error.freeze)
        case TurnTimeout():
            why, answer = f"waited 60 s for action {error.blocker}", wording.turn_timed_out(call.tool, error.blocker)
        case BeingUndone():
            why, answer = f"being undone by run {error.undo_run}", wording.being_undone(call.tool, error.undo_run)
        case StaleAction():
            why, answer = "its approval was gone when it was to be sent", wording.approval_gone(call.tool)
        case _:
            why, answer = f"ended before it was sent ({type(error).__name__})", ""
    with suppress(StaleAction, JournalUnavailable):  # then the row says more already, or still reads "never left"
        await ports.journal.give_up(action.id, why=why)
    if not answer:
        raise error
    return Tell(answer)


# --- after it came back


def _answer(settled: Settled, call: Call, action: Action) -> GuardAnswer:
    match settled.outcome:
        case Replied() if settled.unrecorded is not None:
            return Tell(wording.made_but_not_recorded(call.tool, settled.unrecorded, action=action.id))
        case Replied(reply=reply):
            return PassOn(reply)
        case NotSent(why=why):
            return Tell(wording.not_delivered(call.tool, why))
        case ReplyLost(why=why):
            return Tell(wording.reply_lost(call.tool, why, action=action.id))
