"""A call whose answer never came: what was there before it, what is there now, and what a person decides it was."""

from __future__ import annotations

import msgspec

from synartesis.domain.calls import AnswerValue, InversePlan, Observation, ReadPlan, Refused, Unreadable
from synartesis.domain.canonical import Json, NotJson, encode_json
from synartesis.domain.ports import History, InverseMade, Journal, StaleAction, Upstream
from synartesis.domain.records import Action
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus
from synartesis.errors import SynartesisError, UsageError
from synartesis.guard.capture import capture, image_of, observation_of, read_plan, read_record, state_differences
from synartesis.guard.inverse import inverse_records, needs_result, plan_inverse, templates_for
from synartesis.guard.send import about_of
from synartesis.policy.manifest import Rule
from synartesis.policy.matching import Policy
from synartesis.policy.template import Context, Unresolvable, resolve_read
from synartesis.undo.links import later_changes
from synartesis.undo.plan import Target, target_of
from synartesis.undo.recover import family_of
from synartesis.undo.report import StepDifference
from synartesis.undo.verdict import as_drift


class Settling(msgspec.Struct, frozen=True):
    """All that there is to know before somebody decides."""

    action: Action
    read: ReadPlan | None = None
    before: Observation | None = None
    now: Observation | None = None
    """None where nothing reads it."""
    inverse: tuple[InversePlan, ...] | None = None
    """What an undo would call, if it was carried out."""
    needs_result: bool = False
    """The inverse can only be made with what the call returned."""
    reply: bytes | None = None
    changed_later: tuple[Action, ...] = ()
    """What has changed the same thing since, and is not undone: what is there now is not what this call left."""

    @property
    def differences(self) -> tuple[StepDifference, ...]:
        """Between before and now."""
        if self.read is None or self.before is None or self.now is None:
            return ()
        return as_drift(state_differences(self.before, self.now, self.read.rules))


class Decision(msgspec.Struct, frozen=True):
    by: str
    applied: bool
    reason: str = ""
    take_now_as_after: bool = False
    """What is there now is what the call left."""


class AsksFor(msgspec.Struct, frozen=True):
    """What has to be told, or can be seen, of a call that was carried out."""

    result: bool = False
    """Its undo needs what it returned."""
    sees: bool = True
    """Something reads what it left, at least once that is known, and nothing of ours has changed it since."""


def what_it_asks_for(action: Action, policy: Policy | None, history: History) -> AsksFor:
    """From the record alone."""
    target = target_of(action)
    rule = None if policy is None else policy.rule_for(target.tool)
    needs_result = _wants_result(target, rule)
    read_by_result = needs_result and rule is not None and rule.verify is not None and rule.verify.needs_result
    sees = target.read is not None or read_by_result
    return AsksFor(needs_result, sees and not _changed_later(action, history))


def refuse_to_settle(action: Action, *, is_alive: bool, history: History) -> None:
    """Raises SynartesisError where there is nothing for a person to decide, or not now."""
    if action.status not in MAY_HAVE_HAPPENED:
        raise SynartesisError(
            f"{_name(action)} has an outcome: {action.status.value}", hint="there is nothing to settle"
        )
    if action.status is not ActionStatus.UNKNOWN and is_alive:
        raise SynartesisError(
            f"{_name(action)} may still be answered: the process that sent it is running",
            hint="end its client first; what then has no answer can be settled",
        )
    outliving = history.outliving(action.id)
    if outliving is not None:
        raise SynartesisError(
            f"{_name(action)} may still be carried out: its server (process {outliving.pid}) has outlived its proxy",
            hint=f"wait until that process has ended, or end it (kill {outliving.pid}); then it can be settled",
        )
    for run in family_of(action.run, history):
        if (undo := history.live_undo_of(run)) is not None:
            raise SynartesisError(
                f"run {run} is being undone right now by {_one_line(undo.agent)} (run {undo.id}), which goes by what is recorded",
                hint="wait until it has ended, then look at the call again",
            )


async def look_at(
    action: Action,
    *,
    upstream: Upstream,
    policy: Policy | None,
    history: History,
    result: Json | None = None,
    has_result: bool = False,
) -> Settling:
    """Read what is there now. `result` is what the call returned, as a person knows it from elsewhere. Raises UsageError where
    it does not help."""
    target = target_of(action)
    if has_result and action.pruned:
        raise UsageError(
            f"{_name(action)} was pruned: it cannot be undone, whatever it returned", hint="leave --result out"
        )
    rule = None if policy is None else policy.rule_for(target.tool)
    wants = _wants_result(target, rule)
    if has_result and (rule is None or not wants):
        raise UsageError(f"the undo of {_name(action)} needs no result", hint="leave --result out")
    read, inverse, reply = target.read, target.inverse, None
    if has_result and rule is not None:
        reply = encode_json({"content": [], "structuredContent": result})
        read, inverse = _with_result(target, rule, AnswerValue(result))
    now = None if read is None else await capture(read, upstream)
    later = _changed_later(action, history)
    return Settling(action, read, target.before, now, inverse, wants and not has_result, reply, later)


def _changed_later(action: Action, history: History) -> tuple[Action, ...]:
    """Calls of which nothing says what they are about count for nothing here: most are about something else."""
    if action.resource is None:
        return ()
    return tuple(later for later in later_changes(action, history) if later.resource is not None)


def _wants_result(target: Target, rule: Rule | None) -> bool:
    if rule is None or target.inverse is not None or target.action.pruned:
        return False
    return needs_result(templates_for(rule, _snapshot(target)))


def _with_result(
    target: Target, rule: Rule, result: AnswerValue
) -> tuple[ReadPlan | None, tuple[InversePlan, ...] | None]:
    """What only the answer tells: the inverse, and what to read."""
    snapshot = _snapshot(target)
    try:
        inverse = plan_inverse(
            templates_for(rule, snapshot),
            arguments=target.arguments(),
            snapshot=snapshot,
            result=result,
            judged_apart=rule.verify is not None,
        )
        if target.read is None and rule.verify is not None and rule.verify.needs_result:
            return resolve_read(rule.verify, Context(target.arguments(), result=result)), inverse
    except (Unresolvable, NotJson) as problem:
        raise UsageError(
            f"--result does not say what the undo of {_name(target.action)} needs: {problem}",
            hint=f"the rule for {target.tool} says which fields it takes from $result",
        ) from None
    return target.read, inverse


def _snapshot(target: Target) -> Observation | None:
    captured = target.action.captured
    return target.before if captured is None else observation_of(captured.image, read_plan(captured.read).rules)


# --- the decision


async def settle_action(settling: Settling, decision: Decision, *, journal: Journal) -> None:
    """Record it. Raises SynartesisError where it cannot be meant, or where somebody else has settled it meanwhile."""
    action = settling.action
    refuse_half_a_decision(settling, decision)
    said = f": {' '.join(decision.reason.split())}" if decision.reason.strip() else ""
    by = _one_line(decision.by)
    try:
        if not decision.applied:
            await journal.mark_failed(action.id, why=f"settled by {by}: it was not carried out{said}")
            return
        new_read = settling.read if action.read is None else None
        await journal.mark_applied(
            action.id,
            reply=settling.reply,
            after=image_of(settling.now) if decision.take_now_as_after and settling.now is not None else None,
            inverse=inverse_records(settling.inverse),
            resource=None if new_read is None else about_of(action.resource, new_read),
            read=None if new_read is None else read_record(new_read),
            note=f"settled by {by}: it was carried out{said}",
        )
    except InverseMade:
        raise SynartesisError(
            f"an undo has taken {_name(action)} for carried out, and sent its inverse: it cannot be settled as not carried out",
            hint=f"see what became of it: synartesis show {action.run}",
        ) from None
    except StaleAction:
        raise SynartesisError(f"{_name(action)} was settled by somebody else just now") from None


def refuse_half_a_decision(settling: Settling, decision: Decision) -> None:
    """Raises SynartesisError where the decision cannot be meant."""
    name = _name(settling.action)
    if not decision.applied:
        if decision.take_now_as_after or settling.reply is not None:
            raise UsageError(
                "--take-now-as-after and --result say what the call did", hint="leave them out with --not-applied"
            )
        return
    if settling.needs_result:
        raise UsageError(
            f"if {name} was carried out, its undo needs what it returned",
            hint="add what the server answered, as JSON: --result '{...}'",
        )
    if decision.take_now_as_after and settling.changed_later:
        later = settling.changed_later[0]
        raise SynartesisError(
            f"what is there now is not what {name} left: {_name(later)} changed it later",
            hint="settle it without --take-now-as-after (an undo will then stop at it unless told --unchecked), or undo the later"
            " call first: undo --as-far-as-possible",
        )
    why = _not_a_state(settling) if decision.take_now_as_after else ""
    if why:
        raise SynartesisError(
            f"what is there now cannot be taken as what {name} left: {why}",
            hint="settle it without --take-now-as-after; an undo will then stop at it unless told --unchecked",
        )


def _not_a_state(settling: Settling) -> str:
    """Why what is there now shows nothing; empty where it does. An error shows something only where the rule has no words for
    absence: otherwise it is a read that failed."""
    match settling.now:
        case None:
            return "no read shows it"
        case Unreadable(why=why):
            return f"it could not be read ({why})"
        case Refused(why=why) if settling.read is not None and settling.read.rules.absent_when:
            return f"it could not be read ({why})"
        case _:
            return ""


def _one_line(name: str) -> str:
    return " ".join(name.split()) or "somebody"


def _name(action: Action) -> str:
    return f"#{action.seq} of run {action.run} ({action.server}.{action.tool})"
