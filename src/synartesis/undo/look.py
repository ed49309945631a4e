"""First look, then act: every resource that an undo will touch is read once, and every step is judged, before anything is
sent. The newest action per resource is held against the world, each older one against the next one's recorded before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from synartesis.domain.calls import Observation, Refused
from synartesis.domain.canonical import Difference
from synartesis.domain.ports import History, Upstream
from synartesis.domain.records import Action
from synartesis.domain.status import MAY_HAVE_HAPPENED, ActionStatus
from synartesis.errors import SynartesisError
from synartesis.guard.capture import capture, observation_of, same_state, state_differences
from synartesis.policy.matching import Policy
from synartesis.undo.again import refused_unseen
from synartesis.undo.around import CannotMerge, Merging, merge_around
from synartesis.undo.carried import carried_on
from synartesis.undo.links import (
    began_with,
    found_by_redo,
    in_effect,
    is_as,
    left_by_redo,
    lost_by_undo,
)
from synartesis.undo.looked import (
    Looked,
    about_to_be_sent,
    drift_hint,
    has_ended,
    in_vain,
    unanswered,
    under_way,
    unknown,
    unverifiable,
    was_sent_in_vain,
)
from synartesis.undo.no_change import CHANGED_NOTHING, may_have_come_late
from synartesis.undo.onlooker import NOBODY, Onlooker
from synartesis.undo.plan import COUNTS_AS_UNDONE, Step, Target, UndoOptions
from synartesis.undo.report import StepDifference, StepKind, Verdict
from synartesis.undo.settle import what_it_asks_for
from synartesis.undo.several import (
    calls_made,
    goes_on,
    is_broken_off,
    not_called_for,
    not_its_doing,
    place_of,
    unanswered_call,
    without,
)
from synartesis.undo.verdict import as_drift, judge
from synartesis.undo.who import Mentions, Who, who_changed_it


class _Chain(msgspec.Struct, frozen=True):
    """One resource on the way back, between two steps on it."""

    world: Observation
    """What it is now; further back, what it will be if all goes well until then."""
    expected: Observation | None = None
    """What it must be where that is not what the next older action left: what a step that stays left there, or what an
    earlier undo was confirmed to have left."""
    recorded: Observation | None = None
    """What the next older action must have left for the record to be unbroken, where `world` does not show that."""
    stays: Step | None = None
    """The next older action, where that cannot be undone: what it left is `expected`."""
    undone: bool = False
    """`expected` is what an earlier undo left. What we did since to the next older action comes after that."""
    until: str = ""
    """The action that found `world`, where that is not what is there now."""


async def look(
    steps: Iterable[Step],
    options: UndoOptions,
    *,
    history: History,
    upstream: Upstream,
    policy: Policy | None = None,
    onlooker: Onlooker = NOBODY,
) -> list[Looked]:
    """Judge every step, newest first. Only reads are sent, one for each resource that would be touched. `policy`: to make an
    inverse that leaves somebody else's changes alone."""
    steps = list(steps)
    touched = {step.target.chain for step in steps if step.is_to_do}
    chains: dict[tuple[str, str] | None, _Chain] = {}
    found: list[Looked] = []
    newer: Newer = {}
    mentions = Mentions()
    for step in steps:
        if step.target.action.status is ActionStatus.RECORDED and not has_ended(step.target.action, history):
            found.append(about_to_be_sent(step))
            continue
        if why := onlooker.why_stop():
            raise SynartesisError(f"{why} while it was looking; nothing was sent", hint="run it again")
        onlooker.looked(len(found), len(steps))
        target = step.target
        if _may_have_moved_it(target) and target.action.undone not in COUNTS_AS_UNDONE and not target.action.pruned:
            mentions.add(target.action, target.arguments())
        first = _undone_before(target, newer)
        if step.is_to_do and _may_have_moved_it(target) and not target.changed_nothing:
            newer |= dict.fromkeys(target.things, step)
        if target.resource is None or target.read is None or target.chain not in touched:
            found.append(_look_unread(step, options, history))
            continue
        if not _may_have_moved_it(target):
            found.append(Looked(step))
            continue
        chain = chains.get(target.chain)
        if chain is None:
            chain = _Chain(await capture(target.read, upstream))
        looked = _judge_step(step, chain, options, history, policy, mentions) if step.is_to_do else Looked(step)
        if step.is_to_do and first is not None:  # it is undone first, and its state is shown by another read
            looked = _judged_later(looked, first, history)
        found.append(looked)
        chains[target.chain] = _further_back(looked, chain, history)
    return [_with_settling(_with_residue(looked, policy), history, policy) for looked in found]


def _undone_before(target: Target, newer: Newer) -> Step | None:
    """The next newer step about the same thing, if another read shows its state. Where the same one does, what that found before
    it is there to compare with, whatever came after."""
    found = (newer.get(thing) for thing in target.things)
    return next((step for step in found if step is not None and step.target.chain != target.chain), None)


Newer: TypeAlias = dict[tuple[str, str], Step]
"""By thing: the last that was looked at of the steps that are undone before."""


def _with_residue(looked: Looked, policy: Policy | None) -> Looked:
    residue = "" if policy is None or not looked.step.is_to_do else policy.rule_for(looked.step.target.tool).residue
    return replace(looked, residue=residue) if residue else looked


def _with_settling(looked: Looked, history: History, policy: Policy | None) -> Looked:
    action = history.action(looked.settle) if looked.settle else None
    return looked if action is None else replace(looked, asks=what_it_asks_for(action, policy, history))


def _judged_later(looked: Looked, first: Step, history: History) -> Looked:
    """What its read shows now holds the work of a newer step that another read judges, so it can be judged only when that is
    undone; what was moved away cannot even be read until then. That it is as the call left it is true either way."""
    if looked.verdict not in (Verdict.DRIFTED, Verdict.ALREADY_UNDONE) and looked.halt != "unreadable":
        return looked
    target = looked.step.target
    reason = f"is checked when #{first.target.action.seq} is undone, which changed the same thing"
    return Looked(looked.step, None, _left_by_us(target, history) or target.after, reason=reason, made=looked.made)


def _may_have_moved_it(target: Target) -> bool:
    return target.action.status is ActionStatus.APPLIED or target.action.status in MAY_HAVE_HAPPENED


def _further_back(looked: Looked, chain: _Chain, history: History) -> _Chain:
    """The chain as the next older step on this resource will find it."""
    target = looked.step.target
    if target.action.undone in COUNTS_AS_UNDONE:
        return replace(
            chain, expected=_confirmed_state(target, history), recorded=target.before, undone=True, stays=None
        )
    if looked.merging is not None:
        return _Chain(world=looked.merging.state)
    if looked.step.is_to_do and target.changed_nothing:
        return chain
    if looked.step.is_to_do and target.before is not None:
        return _Chain(world=found_by_redo(target, history) or target.before, until=began_with(target, history))
    stays = looked.step if looked.step.kind is StepKind.PERMANENT else None
    left = _left_by_us(target, history) or target.after
    return _Chain(chain.world, left, recorded=target.before, stays=stays, until=chain.until)


def _confirmed_state(target: Target, history: History) -> Observation | None:
    """What the undo of this action was confirmed to have left: not quite the state before where the server keeps stamps. Where it
    left more than that, it went around somebody else's changes, which an older step may not overwrite either."""
    for inverse in reversed(in_effect(target.action, history)):
        if inverse.after is not None:
            seen = observation_of(inverse.after, target.rules)
            before = target.before
            trusted = before is None or isinstance(seen, Refused) or is_as(before, seen, target)
            return seen if trusted else before
    return target.before


# --- judging one step


def _judge_step(
    step: Step, chain: _Chain, options: UndoOptions, history: History, policy: Policy | None, mentions: Mentions
) -> Looked:
    target = step.target
    if waits := under_way(step, history):
        return waits
    if target.read is None or target.before is None:
        return _look_unread(step, options, history)
    by_us = _left_by_us(target, history)
    expected = None if _would_be_overwritten(chain, target) else chain.expected
    left = (by_us if chain.undone else None) or expected or by_us or target.after
    verdict, differences = judge(target.before, left, chain.world, target.read.rules)
    carried = carried_on(target, history, until=chain.until) if verdict is Verdict.DRIFTED else None
    if carried is not None:
        left = carried
        verdict, differences = judge(target.before, left, chain.world, target.read.rules)
    verdict = goes_on(verdict, target, left=left, world=chain.world, history=history)
    if verdict is Verdict.UNCHANGED and carried is None and (broken := _broken(target, left, chain, history)):
        verdict, differences = Verdict.DRIFTED, as_drift(broken)
    looked = Looked(step, verdict, left, differences, made=calls_made(target, history))
    if target.changed_nothing and not looked.made and not may_have_come_late(target, chain.world, history):
        return Looked(step, Verdict.ALREADY_UNDONE, left, reason=CHANGED_NOTHING)
    if verdict is Verdict.UNKNOWN:
        return unanswered(looked, history)
    unsettled = target.action.status in MAY_HAVE_HAPPENED
    if verdict is Verdict.ALREADY_UNDONE:
        if unsettled and not has_ended(target.action, history):
            reason = "it was sent and no answer came, its proxy is still running, so its call may still be under way"
            hint = "run it again once its client has ended"
            return replace(looked, verdict=Verdict.UNKNOWN, reason=reason, hint=hint, halt="unknown")
        never = "no answer to it came, and reading shows that it changed nothing: nothing to do"
        if unsettled:
            return replace(looked, reason=never)
        return _as_before(looked, chain.world, history)
    if verdict is Verdict.DRIFTED:
        merging = merge_around(target, left=carried or by_us or target.after, now=chain.world, policy=policy)
        who = who_changed_it(target, differences, history, mentions.of(target))
        return _drifted(looked, merging, chain, options, who, history)
    if verdict is Verdict.UNCHANGED and was_sent_in_vain(looked):
        return in_vain(looked, target.before, chain.world, target.read)
    if target.action.seq in options.unchecked:
        if verdict is not Verdict.UNVERIFIABLE:
            return looked  # it was checked all the same
        merged = ", and so not merged either" if options.merge else ""
        return replace(looked, reason=f"what was there was not checked, as you asked{merged}")
    if unsettled:
        return unknown(looked, "and the thing is not as it was before")
    if verdict is Verdict.UNVERIFIABLE:
        return unverifiable(looked, chain.world)
    return looked


def _as_before(looked: Looked, world: Observation, history: History) -> Looked:
    """Nothing to do; but an undo of ours that cost somebody else's work has not done that work again since."""
    run, lost = lost_by_undo(looked.step.target, world, history)
    if not lost:
        return replace(looked, reason="is as it was before: nothing to do")
    reason = f"is as it was before; but what somebody else had changed is gone since an earlier undo (run {run})"
    return replace(looked, reason=reason, differences=as_drift(lost), hint="mend that by hand")


def _would_be_overwritten(chain: _Chain, target: Target) -> bool:
    """Whether the next older action stays, and changed more of what this one left than a stamp: that is no state from which
    this one can be taken back as if nothing had come after it."""
    if chain.stays is None or chain.expected is None or target.after is None:
        return False
    return not is_as(target.after, chain.expected, target)


def _broken(target: Target, left: Observation | None, chain: _Chain, history: History) -> list[Difference]:
    """What somebody else had changed between this action and the next newer one of ours."""
    if chain.recorded is None or target.after is None or target.read is None:
        return []
    broken = state_differences(target.after, chain.recorded, target.read.rules)
    carried = carried_on(target, history, until=chain.until) if broken else None
    return [] if carried is not None and left is not None and same_state(carried, left, target.read.rules) else broken


def _drifted(
    looked: Looked, merging: Merging | CannotMerge, chain: _Chain, options: UndoOptions, who: Who, history: History
) -> Looked:
    """Undone around what somebody else changed, where that was asked for and can be."""
    target, world, reason = looked.step.target, chain.world, who.words
    if chain.stays is not None and _would_be_overwritten(chain, target):
        stays = chain.stays.target
        reason = f"was changed later by #{stays.action.seq} ({stays.tool}), which cannot be undone"
    if options.merge and isinstance(merging, Merging):
        verdict = Verdict.MERGED if merging.changes_something else Verdict.ALREADY_UNDONE
        nothing = "" if merging.changes_something else "; what the call changed is as before already: nothing to do"
        return Looked(
            looked.step, verdict, world, merging.differences, reason=f"{reason}, which stays{nothing}", merging=merging
        )
    hint = drift_hint(target, looked.differences, who, history)
    if options.merge and isinstance(merging, CannotMerge):
        reason = f"{reason}, and cannot be merged: {merging.why}"
        hint = merging.hint or hint
    return replace(looked, reason=reason, hint=hint, halt="drifted", mergeable=isinstance(merging, Merging))


def _left_by_us(target: Target, history: History) -> Observation | None:
    """What an inverse of ours left that did not restore the state, or that is only a part of it, or what a redo left: nobody
    else's work. An inverse that went around somebody else's changes left those as well."""
    made = in_effect(target.action, history)
    if not made or made[-1].after is None:
        return left_by_redo(target, history)
    left = target.after
    for inverse in made:
        if left is None or inverse.before is None or inverse.after is None:
            return None
        then, seen = (observation_of(image, target.rules) for image in (inverse.before, inverse.after))
        if not is_as(left, then, target):
            return None
        strange = _others_work(inverse, target, then, seen, history)
        left = without(seen, strange) if strange else seen
    return left


def _others_work(
    inverse: Action, target: Target, then: Observation, seen: Observation, history: History
) -> tuple[StepDifference, ...]:
    """What somebody else wrote around a call of an inverse that broke off: what it left is not ours alone then."""
    plans, place = target.inverse or (), place_of(inverse, target)
    if place is None or place >= len(plans) - 1 or not is_broken_off(target, history):
        return ()
    return not_its_doing(plans[place], target, then=then, seen=seen)


def _look_unread(step: Step, options: UndoOptions, history: History) -> Looked:
    """A step without a state to judge by: made all the same where its class allows, and reported as unverified."""
    target, looked = step.target, Looked(step)
    if not step.is_to_do:
        return looked
    if waits := under_way(step, history):
        return waits
    looked = replace(looked, made=calls_made(target, history))
    if unanswered_call(target, history) is not None:
        return unanswered(looked, history)
    others = ", ".join(f"{one.server}.{one.tool}" for one in not_called_for(target, history))
    besides = f"; an earlier undo made {others}, which is not in its inverse of today" if others else ""
    if target.action.seq in options.unchecked:
        return replace(looked, reason=f"not checked, as you asked{besides}")
    if (refused := refused_unseen(target, history)) is not None:
        verdict = Verdict.UNVERIFIABLE
        return replace(looked, verdict=verdict, reason=refused.reason, hint=refused.hint, halt=refused.halt)
    if target.action.status in MAY_HAVE_HAPPENED:
        return unknown(looked, "and no read of it was recorded that could show it")
    if target.blind:
        otherwise = "undo without --replan, or " if options.replan else ""
        hint = f"{otherwise}add --unchecked {target.action.seq}"
        return replace(looked, verdict=Verdict.UNVERIFIABLE, reason=target.blind, hint=hint, halt="unverifiable")
    return replace(looked, reason=f"no read shows its state, so this cannot be checked{besides}")
