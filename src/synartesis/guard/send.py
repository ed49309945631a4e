"""The one door: the only function that lets a write leave, for agents' calls and for inverses alike, and what its
outcome is settled as. Write before you act."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from synartesis.domain.calls import (
    AnswerValue,
    Decode,
    InversePlan,
    NotSent,
    Observation,
    Present,
    ReadPlan,
    Replied,
    Reply,
    ReplyLost,
    ResolvedCall,
    SendOutcome,
    Undecodable,
    Unreadable,
    answer_text,
)
from synartesis.domain.canonical import Json, NotJson, canonical_json
from synartesis.domain.decoding import decoded_value
from synartesis.domain.ports import Clock, Journal, StaleAction, Upstream
from synartesis.domain.records import Captured
from synartesis.domain.status import ActionStatus
from synartesis.domain.things import about, things_in
from synartesis.errors import JournalUnavailable
from synartesis.guard.capture import (
    capture,
    capture_until_moved,
    image_of,
    is_error,
    is_unfinished,
    read_record,
    same_state,
)
from synartesis.guard.inverse import inverse_records
from synartesis.policy.template import Unresolvable


class Outgoing(msgspec.Struct, frozen=True):
    """A call that may leave, with all that is known before it does."""

    action: str
    call: ResolvedCall
    resource: str | None = None
    """What it is about, where the rule says that. Otherwise its read shows it."""
    read: ReadPlan | None = None
    """The read by which drift is judged; `before` is what it found."""
    before: Observation | None = None
    read_from: Callable[[AnswerValue], ReadPlan] | None = None
    """Resolves that read from the answer, where only the answer says what to read; raises Unresolvable."""
    captured: tuple[ReadPlan, Observation] | None = None
    """The snapshot and what it found, where drift is judged by another read."""
    inverse: tuple[InversePlan, ...] | None = None
    """Known before the answer; None where there is none, or where it needs the answer."""
    inverse_from: Callable[[AnswerValue], tuple[InversePlan, ...]] | None = None
    """Resolves the inverse from the answer; raises Unresolvable."""
    decode: Decode | None = None
    """How the answer becomes `$result`."""
    note: str = ""


class Settled(msgspec.Struct, frozen=True):
    """What became of a call. `unrecorded` is why the journal could not be told; the call was made all the same."""

    status: ActionStatus
    outcome: SendOutcome
    read: ReadPlan | None = None
    """The read that only the answer told."""
    after: Observation | None = None
    note: str = ""
    unrecorded: str | None = None


async def send(out: Outgoing, *, journal: Journal, upstream: Upstream, allowance: int | None = None) -> SendOutcome:
    """Let a write leave; `allowance` is the one of which it is a use. Raises only what `mark_sent` raises: then nothing
    has left."""
    await journal.mark_sent(
        out.action,
        resource=about_of(out.resource, out.read),
        read=read_record(out.read) if out.read is not None else None,
        before=image_of(out.before) if out.before is not None else None,
        inverse=inverse_records(out.inverse),
        captured=None if out.captured is None else Captured(read_record(out.captured[0]), image_of(out.captured[1])),
        note=out.note,
        allowance=allowance,
    )  # from here on a crash means "unknown", never "nothing happened"
    return await upstream.call(out.call)


async def settle(out: Outgoing, outcome: SendOutcome, *, journal: Journal, upstream: Upstream, clock: Clock) -> Settled:
    """Find out what a call that left has become, and record it. Never raises JournalUnavailable: the call *was* made,
    and whoever asked for it has to hear that."""
    settled, inverse = await _judge_outcome(out, outcome, upstream=upstream, clock=clock)
    try:
        await _record(out, settled, inverse, journal)
    except JournalUnavailable as error:
        return replace(settled, unrecorded=error.message)
    except StaleAction:
        return replace(settled, unrecorded="its record was changed by another process while the call was under way")
    return settled


def about_of(resource: str | None, read: ReadPlan | None) -> str | None:
    """What a call is about: what its rule says, and what the read that judges it shows, a line for each thing, so that of two
    calls either may be the same. None stands for the whole server. The server's identity is kept beside it, not in it."""
    return about(things_of(resource, read)) or None


def resource_of(read: ReadPlan | None) -> str | None:
    """The read itself, as one text."""
    if read is None:
        return None
    return f"{read.call.tool.name} {canonical_json(read.call.arguments).decode('utf-8')}"


def things_of(resource: str | None, read: ReadPlan | None) -> list[str]:
    """All that a call is about, by name: what the rule says, and each thing that its read shows. In one order, so that no
    two calls wait for each other."""
    calls = [] if read is None else [call for _, call in read.calls] if read.rules.each else [read.call]
    shown = {resource_of(ReadPlan(call)) or "" for call in calls}
    return sorted(shown if resource is None else {*things_in(resource), *shown})


# --- what an outcome means


async def _judge_outcome(
    out: Outgoing, outcome: SendOutcome, *, upstream: Upstream, clock: Clock
) -> tuple[Settled, tuple[InversePlan, ...] | None]:
    match outcome:
        case NotSent(why=why):
            return Settled(ActionStatus.FAILED, outcome, note=why), None
        case ReplyLost(why=why):
            return Settled(ActionStatus.UNKNOWN, outcome, note=why), None
        case Replied(reply=reply):
            return await _judge_reply(out, reply, upstream=upstream, clock=clock)


async def _judge_reply(
    out: Outgoing, reply: Reply, *, upstream: Upstream, clock: Clock
) -> tuple[Settled, tuple[InversePlan, ...] | None]:
    outcome = Replied(reply)
    value = _value_of(reply)
    if is_unfinished(value):
        return Settled(ActionStatus.PAUSED, outcome), None
    if is_error(reply, value):
        return await _judge_refusal(out, reply, value, upstream=upstream)
    inverse, note = _final_inverse(out, value)
    if value is None:
        note = _joined(note, "the answer cannot be read as JSON")
    if out.read_from is not None:
        read, after = await _see_what_it_made(out, out.read_from, value, upstream=upstream, clock=clock)
        note = note if isinstance(after, Present) else _joined(note, f"what it made could not be read: {after.why}")
        return Settled(ActionStatus.APPLIED, outcome, read, after, note), inverse
    if out.read is None or out.before is None:
        return Settled(ActionStatus.APPLIED, outcome, note=note), inverse
    after = await capture_until_moved(out.read, out.before, upstream=upstream, clock=clock)
    if isinstance(after, Unreadable):
        note = _joined(note, f"the state after it could not be read: {after.why}")
    return Settled(ActionStatus.APPLIED, outcome, after=after, note=note), inverse


async def _see_what_it_made(
    out: Outgoing, read_from: Callable[[AnswerValue], ReadPlan], value: Json, *, upstream: Upstream, clock: Clock
) -> tuple[ReadPlan | None, Observation]:
    try:
        read = read_from(decoded_value(value, out.decode))
    except (Unresolvable, Undecodable) as problem:
        return None, Unreadable(f"the answer does not say what to read: {problem}")
    return read, await capture_until_moved(read, None, upstream=upstream, clock=clock)


async def _judge_refusal(
    out: Outgoing, reply: Reply, value: Json, *, upstream: Upstream
) -> tuple[Settled, tuple[InversePlan, ...] | None]:
    """The server says that it failed. Believed only where the state shows it."""
    outcome = Replied(reply)
    said = answer_text(value) or "an error without words"
    if out.read is None or out.before is None:
        return Settled(ActionStatus.REJECTED, outcome, note=f"refused by the server, not checked: {said}"), None
    after = await capture(out.read, upstream)
    if isinstance(after, Unreadable):
        why = f"the server answered with an error ({said}), and the state after it could not be read: {after.why}"
        return Settled(ActionStatus.UNKNOWN, outcome, after=after, note=why), None
    if same_state(out.before, after, out.read.rules):
        return Settled(ActionStatus.REJECTED, outcome, after=after, note=f"refused by the server: {said}"), None
    inverse, note = _final_inverse(out, value)
    note = _joined(f"the server answered with an error ({said}), but the state moved", note)
    return Settled(ActionStatus.APPLIED, outcome, after=after, note=note), inverse


def _value_of(reply: Reply) -> Json:
    """None where the answer cannot be understood, which is no reason to call the write failed."""
    try:
        return reply.value()
    except NotJson:
        return None


def _final_inverse(out: Outgoing, value: Json) -> tuple[tuple[InversePlan, ...] | None, str]:
    if out.inverse is not None or out.inverse_from is None:
        return out.inverse, ""
    try:
        return out.inverse_from(decoded_value(value, out.decode)), ""
    except (Unresolvable, Undecodable) as problem:
        return None, f"this call cannot be undone: {problem}"


async def _record(out: Outgoing, settled: Settled, inverse: tuple[InversePlan, ...] | None, journal: Journal) -> None:
    action = out.action
    after = image_of(settled.after) if settled.after is not None else None
    reply = settled.outcome.reply.answer if isinstance(settled.outcome, Replied) else None
    match settled.status:
        case ActionStatus.APPLIED:
            await journal.mark_applied(
                action,
                reply=reply,
                after=after,
                inverse=inverse_records(inverse),
                resource=None if settled.read is None else about_of(out.resource, settled.read),
                read=read_record(settled.read) if settled.read is not None else None,
                note=settled.note,
            )
        case ActionStatus.REJECTED:
            await journal.mark_rejected(action, reply=reply or b"null", after=after, note=settled.note)
        case ActionStatus.PAUSED:
            await journal.mark_paused(action, reply=reply or b"null")
        case ActionStatus.FAILED:
            await journal.mark_failed(action, why=settled.note)
        case _:
            await journal.mark_unknown(action, why=settled.note)


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
