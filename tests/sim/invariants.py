"""What must be true whatever happens. Each invariant is a function that yields what is wrong, judged by the truth in the
chronicle and not by the product's own judgement; `INVARIANTS` names them all.

What no undo layer can know is excused, by name, and counted: a read is not atomic with a write (product.md, section 9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from synartesis.domain.calls import Replied, Reply, answer_value
from synartesis.domain.canonical import decode_json, encode_json
from synartesis.domain.names import Tool
from synartesis.domain.records import Action, Image
from synartesis.domain.status import ActionStatus, ApprovalStatus, Confirmation, GateMode, ToolClass, Undone
from synartesis.guard.answer import PassOn, Tell
from synartesis.undo.no_change import CHANGED_NOTHING
from synartesis.undo.report import StepKind, StepReport
from tests.sim.chronicle import GONE, Effect, Leaf, Read, Reported, State, Told

if TYPE_CHECKING:
    from tests.sim.simulation import Simulation

KEPT_BY_SERVER: Final = ("version", "updated_at")
"""Fields that the server moves by itself."""
AT_MOST_S: Final = 3600
"""How long an approval holds."""
SENT_OR_LATER: Final = frozenset(
    {
        ActionStatus.SENT,
        ActionStatus.PAUSED,
        ActionStatus.APPLIED,
        ActionStatus.REJECTED,
        ActionStatus.UNKNOWN,
    }
)
DONE: Final = (Undone.RESTORED, Undone.COMPENSATED, Undone.ALREADY)

ROUND_TRIP: Final = "somebody else wrote within the round trip of a write"
STALE: Final = "the server's read showed an older state"
UNCHECKED: Final = "a step that was to be done unchecked"
NOT_CHECKED: Final = "a refusal that no read can check"
PUT_BACK: Final = "somebody put it back before anybody looked"
DONE_BY_ANOTHER: Final = "somebody else did just that before anybody looked"


class Violation(NamedTuple):
    invariant: str
    what: str

    def __str__(self) -> str:
        return f"{self.invariant}: {self.what}"


# --- judged when the server does something


def written_down_first(sim: Simulation, effect: Effect) -> Iterator[str]:
    """The world changes only if a row says `sent` or later, with its state before where the class promises one."""
    row = effect.row
    if row is None:
        yield f"{effect.tool} was carried out and no row says so"
        return
    if row.status not in SENT_OR_LATER:
        yield f"{effect.tool} was carried out while its row said {row.status}"
    about = row if row.undoes is None else sim.journals.row(row.undoes)
    rule = sim.policy.rule_for(Tool(row.server, row.tool))
    promises = rule.snapshot is not None if row.undoes is None else about is not None and about.read is not None
    if promises and row.before is None and "approved although" not in row.note:
        yield f"{effect.tool} was carried out without a state before it on disk"


def approved_once(sim: Simulation, effect: Effect) -> Iterator[str]:
    """What needs a person's yes happens only with one: given for exactly this, within the hour, and used at most once."""
    row = effect.row
    if row is None or row.undoes is not None:
        return
    rule = sim.policy.rule_for(Tool(row.server, row.tool))
    approval = effect.approval
    if approval is None:
        if rule.gate is GateMode.ALWAYS:
            yield f"{effect.tool} was carried out and nobody had approved it"
        return
    if (approval.status, approval.spent_by) != (ApprovalStatus.USED, row.id):
        yield f"{effect.tool} was carried out under an approval that was {approval.status} by {approval.spent_by}"
    if approval.fingerprint != row.fingerprint:
        yield f"{effect.tool} was carried out under an approval of something else"
    decisions = [one for one in sim.chronicle.decided if one.approval == approval.id]
    if not decisions or not decisions[-1].grant:
        yield f"{effect.tool} was carried out, and nobody had said yes to {approval.id}"
    others = [
        one.action
        for one in sim.chronicle.effects
        if one is not effect and one.approval is not None and one.approval.id == approval.id
    ]
    if others:
        yield f"the approval {approval.id} was used for {row.id} and before that for {others}"


def inverse_once(sim: Simulation, effect: Effect) -> Iterator[str]:
    """No inverse takes effect twice, unless it was itself taken back in between."""
    row = effect.row
    if row is None or row.undoes is None:
        return
    target = sim.journals.row(row.undoes)
    for earlier in _inverses(sim, row.undoes, before=effect.at):
        if (earlier.tool, earlier.arguments) != (effect.tool, effect.arguments) or earlier.action is None:
            continue
        if earlier.refused or _was_taken_back(sim, earlier, before=effect.at):
            continue
        if target is not None and target.read is None and _was_refused(sim, earlier.action):
            undo = sim.undos.get(effect.task)
            if undo is not None and target.seq in undo.options.unchecked:
                _excuse(sim, NOT_CHECKED, earlier)
                continue
        if _was_settled(sim, earlier) and _put_back(sim, earlier):
            _excuse(sim, PUT_BACK, earlier)
            continue
        yield f"{effect.tool} {dict(effect.arguments)} undid {row.undoes} a second time"


def replaces_only_what_was_left(sim: Simulation, effect: Effect) -> Iterator[str]:
    """An undo replaces a value only where it still is what the undone call left there."""
    for leaf, now, _ in _not_left_by_target(sim, effect):
        yield f"{effect.tool} replaced {leaf} {now!r}, which the call that it undoes had not left there"


def keeps_what_people_wrote(sim: Simulation, effect: Effect) -> Iterator[str]:
    """No value that a person wrote vanishes in an undo."""
    lost = (_tokens(sim, effect.before) - _tokens(sim, effect.after)) if _undoes(effect) is not None else set()
    for leaf, now, _ in _not_left_by_target(sim, effect) if lost else ():
        yield from (f"{effect.tool} at {leaf}: {token!r} is lost" for token in lost if now == token)


def _tokens(sim: Simulation, state: State) -> set[str]:
    return {value for value in state.values() if isinstance(value, str) and value in sim.tokens}


# --- judged when an agent is told something


def told_the_truth(sim: Simulation, told: Told) -> Iterator[str]:
    """An agent is told that nothing was sent only where nothing happened, and to repeat nothing that may have."""
    done = [one for one in sim.chronicle.of(told.action) if one.task == told.task]
    match told.answer:
        case Tell(text=text) if done:
            if "nothing was sent" in text or "nothing was changed" in text or "not be repeated" not in _lower(text):
                yield f"{told.action} was carried out, and its agent was told: {text}"
        case PassOn() if not any(one.action == told.action for one in sim.chronicle.answered):
            yield f"{told.action} was never answered, and its agent was given an answer"
        case _:
            pass


def _lower(text: str) -> str:
    return text.lower().replace("do not repeat", "not be repeated")


# --- judged by the record, at any time


def the_record_is_true(sim: Simulation, rows: list[Action]) -> Iterator[str]:
    """`applied` only if the server answered (or a read settled it), `failed` and `rejected` only if nothing happened."""
    for row in rows:
        if row.tool_class is ToolClass.READONLY:
            continue
        done = [effect for effect in sim.chronicle.of(row.id) if effect.moved]
        said = [one.outcome for one in sim.chronicle.answered if one.action == row.id]
        match row.status:
            case ActionStatus.APPLIED if "settled by reading" in row.note and (other := _done_by_another(sim, row)):
                _excuse(sim, DONE_BY_ANOTHER, other)
            case ActionStatus.APPLIED:
                if not any(isinstance(outcome, Replied) for outcome in said) and not done:
                    yield f"{row.tool} {row.id} is applied, and the server never answered"
            case ActionStatus.FAILED if done and "settled by reading" in row.note and _put_back(sim, done[-1]):
                _excuse(sim, PUT_BACK, done[-1])
            case ActionStatus.REJECTED if done and _put_back(sim, done[-1]):
                _excuse(sim, ROUND_TRIP, done[-1])
            case ActionStatus.REJECTED if done and _saw_an_older_state(sim, row, since=done[-1]):
                _excuse(sim, STALE, done[-1])
            case ActionStatus.REJECTED if done and row.read is None:
                _excuse(sim, NOT_CHECKED, done[-1])
            case ActionStatus.SENT | ActionStatus.UNKNOWN | ActionStatus.PAUSED:
                pass
            case _ if done:
                yield f"{row.tool} {row.id} is {row.status}, and it happened"
            case _:
                pass


# --- judged when an undo reports


def a_dry_run_sends_nothing(sim: Simulation, reported: Reported) -> Iterator[str]:
    """A dry run only looks."""
    if reported.options.dry_run and (sent := _by_task(sim, reported)):
        yield f"a dry run sent {[one.tool for one in sent]}"


def claims_only_what_was_confirmed(sim: Simulation, reported: Reported) -> Iterator[str]:
    """A step is called restored or already as before only where a read of this undo shows it, sent only where it was, and
    skipped only where nothing happened."""
    for step in () if reported.options.dry_run else reported.report.steps:
        row = sim.journals.row(step.action)
        if row is None:
            continue
        yield from (f"#{step.seq} {step.tool}: {what}" for what in _unproved(sim, reported, step, row))


def never_rounds_up(sim: Simulation, reported: Reported) -> Iterator[str]:
    """A run is called undone only where nothing of it is left as the agent left it."""
    report = reported.report
    if report.status != "undone":
        return
    bad = (StepKind.PERMANENT, StepKind.KEPT, StepKind.BLOCKED)
    for step in report.steps:
        if step.kind in bad or step.outcome is Undone.MISMATCH:
            yield f"undone, although #{step.seq} is {step.outcome or step.kind}"
    told = {step.action for step in report.steps}
    for row in () if reported.options.dry_run else _writes_of(sim, reported.run):
        done = [effect for effect in sim.chronicle.of(row.id) if effect.moved and effect.at <= reported.at]
        if row.id not in told and done:
            yield f"undone, and #{row.seq} {row.tool}, which happened, is not in the report"


def undone_is_as_it_was(sim: Simulation, reported: Reported) -> Iterator[str]:
    """An undone run that nobody interfered with leaves the world as it was, up to what the report names."""
    if reported.report.status != "undone" or reported.options.dry_run or reported.report.redo:
        return
    writes = _writes_of(sim, reported.run)
    family = {row.id for row in writes} | _descendants(sim, {row.id for row in writes})
    tasks = {sim.chronicle.task_of.get(action) for action in family}
    tasks |= {one.task for one in sim.chronicle.reported if one.run == reported.run}
    judged_by = [read for read in sim.chronicle.reads if read.task in tasks]
    named = _named(sim, reported)
    effects = [effect for effect in sim.chronicle.effects if effect.at <= reported.at]
    for leaf in {leaf for effect in effects if effect.action in family for leaf in effect.moved}:
        touching = [effect for effect in effects if leaf in effect.moved]
        if leaf[0] in sim.chronicle.excused_at:
            continue
        first = next(effect for effect in touching if effect.action in family)
        if any(effect.action not in family for effect in touching if effect.at > first.at):
            continue
        # A call that left this leaf alone may all the same have kept a state of it that was gone when the call came.
        ours = [effect for effect in effects if effect.action in family and _is_about(effect, leaf[0])]
        if any(_read_before_others_wrote(sim, effect, leaf) or _put_back(sim, effect) for effect in ours):
            _excuse(sim, ROUND_TRIP, first)
            continue
        if any(not _is_truthful(read) for read in judged_by if read.arguments["id"] == leaf[0]):
            _excuse(sim, STALE, first)
            continue
        was, now = first.before.get(leaf, GONE), touching[-1].after.get(leaf, GONE)
        if was != now and leaf not in named:
            yield f"undone, and {leaf} is {now!r}, not {was!r}"


def a_second_undo_does_nothing(sim: Simulation, reported: Reported) -> Iterator[str]:
    """Undoing what is undone sends nothing."""
    earlier = [one for one in sim.chronicle.reported if one.run == reported.run and one.at < reported.began]
    if not earlier or earlier[-1].report.status != "undone" or earlier[-1].options.dry_run:
        return
    actions = {row.id for row in _writes_of(sim, reported.run)}
    if any(_was_taken_back(sim, one, before=reported.at) for one in sim.chronicle.effects if _undoes(one) in actions):
        return
    if any(row.undoes in actions and row.undone in DONE for row in sim.journals.rows()):
        return  # it was done again in between, also where its inverse had nothing to do
    told = {step.action for step in earlier[-1].report.steps}
    if sent := [one for one in _by_task(sim, reported) if _undoes(one) in told]:
        yield f"it was undone, and undone again: {[one.tool for one in sent]}"


# --- all of them

OF_EFFECTS: Final[tuple[Callable[[Any, Effect], Iterator[str]], ...]] = (
    written_down_first,
    approved_once,
    inverse_once,
    replaces_only_what_was_left,
    keeps_what_people_wrote,
)
OF_TOLD: Final = (told_the_truth,)
OF_ROWS: Final = (the_record_is_true,)
OF_REPORTS: Final[tuple[Callable[[Any, Reported], Iterator[str]], ...]] = (
    a_dry_run_sends_nothing,
    claims_only_what_was_confirmed,
    never_rounds_up,
    undone_is_as_it_was,
    a_second_undo_does_nothing,
)
WHOLE: Final = "the_history_is_whole"
"""That every entry fits is judged by the product's own `verify`, when all is over."""
INVARIANTS: Final = (*(one.__name__ for one in (*OF_EFFECTS, *OF_TOLD, *OF_ROWS, *OF_REPORTS)), WHOLE)


def of_effect(sim: Simulation, effect: Effect) -> Iterator[Violation]:
    for invariant in OF_EFFECTS:
        yield from (Violation(invariant.__name__, what) for what in invariant(sim, effect))


def of_told(sim: Simulation, told: Told) -> Iterator[Violation]:
    for invariant in OF_TOLD:
        yield from (Violation(invariant.__name__, what) for what in invariant(sim, told))


def of_rows(sim: Simulation, rows: list[Action]) -> Iterator[Violation]:
    for invariant in OF_ROWS:
        yield from (Violation(invariant.__name__, what) for what in invariant(sim, rows))


def of_report(sim: Simulation, reported: Reported) -> Iterator[Violation]:
    for invariant in OF_REPORTS:
        yield from (Violation(invariant.__name__, what) for what in invariant(sim, reported))


# --- below: what an undo may replace


def _not_left_by_target(sim: Simulation, effect: Effect) -> Iterator[tuple[Leaf, Any, Any]]:
    """The leaves that an inverse moved although they were not what the undone call had left, and nothing excuses it.
    Calls that no read shows are reported as not verified, so nothing is promised of them."""
    row = effect.row
    target = None if row is None or row.undoes is None else sim.journals.row(row.undoes)
    if row is None or target is None or target.read is None:
        return
    left = next(iter(reversed(sim.chronicle.of(target.id))), None)
    family = {target.id} | {one.action for one in _inverses(sim, target.id, before=effect.at)}
    shown = _places(target)
    for leaf, (now, then) in effect.moved.items():
        if leaf[0] not in shown:
            continue  # nothing was ever said of what no read of the rule shows
        if now is GONE and effect.before.get((leaf[0], ""), GONE) is GONE and leaf[1]:
            continue  # it comes with the thing, where nothing was
        if leaf[1] in KEPT_BY_SERVER or (left is not None and leaf in left.moved and left.moved[leaf][1] == now):
            continue
        last = sim.chronicle.last(leaf, effect.at)
        if last is not None and last.action in family:
            continue
        excuse = _excuse_for(sim, effect, target, left, leaf)
        if excuse is None:
            yield leaf, now, then
        else:
            _excuse(sim, excuse, effect)
            sim.chronicle.excused_at.add(leaf[0])


def _excuse_for(sim: Simulation, effect: Effect, target: Action, left: Effect | None, leaf: Leaf) -> str | None:
    looked = _last_read(sim, effect.task, target, before=effect.at, thing=leaf[0])
    if looked is None:
        return None
    did_nothing = left is None or not left.moved
    if did_nothing and "settled by reading" in target.note and _done_by_another(sim, target) is not None:
        return DONE_BY_ANOTHER
    if _moved_by_others(sim, leaf, looked.at, effect):
        return ROUND_TRIP
    if not _is_truthful(looked):
        return STALE
    undo = sim.undos.get(effect.task)
    if (
        undo is not None
        and target.seq in undo.options.unchecked
        and (target.after is None or target.after.state == "unreadable")
    ):
        return UNCHECKED
    reads = _reads(sim, sim.chronicle.task_of.get(target.id, ""), target)
    if not reads:
        return None
    beside = {place for place in _places(target) if place != leaf[0]}  # what moves both is taken back in both
    since = min(reads[0].at, reads[0].at if left is None else left.at)  # what a call makes can only be read after it
    until = reads[-1].at
    others = [e for e in sim.chronicle.effects if since < e.at <= until and e is not left]
    others = [e for e in others if leaf in e.moved or any(place in beside for place, _ in e.moved)]
    if others:
        return ROUND_TRIP
    return STALE if any(not _is_truthful(one) for one in (reads[0], reads[-1])) else None


def _read_before_others_wrote(sim: Simulation, effect: Effect, leaf: Leaf) -> bool:
    """Somebody wrote after the call had read the state before it, and before it took effect: it is not in that state."""
    row = sim.journals.row(effect.action) if effect.action is not None else None
    thing = None if row is None or leaf[0] not in _places(row) else leaf[0]
    looked = None if row is None else _last_read(sim, effect.task, row, before=effect.at, thing=thing)
    return looked is not None and _moved_by_others(sim, leaf, looked.at, effect)


def _is_about(effect: Effect, thing: str) -> bool:
    return thing in effect.arguments.values() or any(at == thing for at, _ in effect.moved)


def _saw_an_older_state(sim: Simulation, row: Action, *, since: Effect) -> bool:
    """Whether the read by which this call was judged afterwards was a lie."""
    reads = _reads(sim, since.task, row)
    return any(one.at > since.at and not _is_truthful(one) for one in reads)


def _moved_by_others(sim: Simulation, leaf: Leaf, since: int, effect: Effect) -> bool:
    return any(since < one.at < effect.at and leaf in one.moved for one in sim.chronicle.effects)


def _places(row: Action) -> tuple[str, ...]:
    """The things that the read shows by which this action is judged."""
    if row.read is None:
        return ()
    arguments = decode_json(row.read.arguments)
    return tuple(str(one["id"]) for one in [each["args"] for each in arguments.get("for_each", ())] or [arguments])


def _reads(sim: Simulation, task: str, target: Action, thing: str | None = None) -> list[Read]:
    """The reads by which the target's state is judged, or one thing of it, as one task made them."""
    places = _places(target) if thing is None else (thing,)
    return [
        one
        for one in sim.chronicle.reads
        if one.task == task
        and target.read is not None
        and one.tool == target.read.tool
        and one.arguments.get("id") in places
    ]


def _last_read(sim: Simulation, task: str, target: Action, *, before: int, thing: str | None = None) -> Read | None:
    return next((one for one in reversed(_reads(sim, task, target, thing)) if one.at < before), None)


def _is_truthful(read: Read) -> bool:
    if not isinstance(read.outcome, Replied):
        return True
    thing = str(read.arguments["id"])
    return _shown(read.outcome.reply, thing) == _of(read.truth, thing)


def _shown(reply: Reply, thing: str) -> State:
    value = reply.value()
    if reply.is_protocol_error or value.get("isError") is True:
        return {}
    return _leaves(thing, answer_value(value).whole)


def _leaves(thing: str, record: Any) -> State:
    return {(thing, ""): True, **{(thing, key): value for key, value in record.items()}}


def _of(state: State, thing: str) -> State:
    return {leaf: value for leaf, value in state.items() if leaf[0] == thing}


# --- below: what a report may claim


def _unproved(sim: Simulation, reported: Reported, step: StepReport, row: Action) -> Iterator[str]:
    match step.outcome:
        case Undone.ALREADY if step.reason == CHANGED_NOTHING:
            done = [effect for effect in sim.chronicle.of(row.id) if effect.moved]
            yield from _did_happen(sim, row, done, step.reason)
        case Undone.RESTORED | Undone.ALREADY:
            yield from _not_shown(sim, reported, step, row)
        case Undone.COMPENSATED if step.confirmation is Confirmation.VERIFIED:
            yield from _not_shown(sim, reported, step, row)
        case Undone.COMPENSATED:
            if not _answered_inverse(sim, row.id):
                yield "compensated, and its inverse was never answered"
        case None if step.kind is StepKind.SKIP:
            since_it_looked = reported.began if reported.report.halted is not None else reported.at
            done = [effect for effect in sim.chronicle.of(row.id) if effect.moved and effect.at <= since_it_looked]
            if "not checked" not in step.reason:
                yield from _did_happen(sim, row, done, step.reason)
        case None if step.reason.startswith("undone before") and row.undone not in (*DONE, Undone.REDONE):
            yield "undone before, and no finding says so"
        case _:
            pass


def _did_happen(sim: Simulation, row: Action, done: list[Effect], said: str) -> Iterator[str]:
    """What is passed over has moved nothing, as far as a read could have shown it."""
    if not done or _put_back(sim, done[-1]):
        return
    if _saw_an_older_state(sim, row, since=done[-1]):
        _excuse(sim, STALE, done[-1])
        return
    yield f"skipped ({said}), and it happened"


def _not_shown(sim: Simulation, reported: Reported, step: StepReport, row: Action) -> Iterator[str]:
    """Something that was read after the inverse, and before the next thing was sent, has to be the state before."""
    if step.confirmation is not Confirmation.VERIFIED:
        yield f"{step.outcome}, and not confirmed"
    sent = _by_task(sim, reported)
    mine = [one.at for one in sent if one.row is not None and one.row.undoes == row.id]
    since = mine[-1] if mine else reported.began
    until = next((one.at for one in sent if mine and one.at > since), reported.at)
    kept = _merged_around(sim, reported, row)
    named = _named(sim, reported)
    for thing in _places(row) or (None,):
        reads = [one for one in _reads(sim, reported.task, row, thing) if since < one.at < until]
        if not reads:
            yield f"{step.outcome}, and nothing was read after it"
            continue
        # One is enough: the last may be that of the next step, after somebody wrote.
        wrong = [_unlike_before(row, read, lambda leaf: leaf in named or kept(leaf)) for read in reads]
        if all(wrong):
            yield f"{step.outcome}, and {wrong[-1]}"


def _merged_around(sim: Simulation, reported: Reported, row: Action) -> Callable[[Leaf], bool]:
    """Which leaves a merging undo leaves to whoever wrote them: those that the call had not touched."""
    touched = {leaf for effect in sim.chronicle.of(row.id) for leaf in effect.moved}
    return lambda leaf: reported.options.merge and leaf not in touched


def _unlike_before(row: Action, read: Read, excepted: Callable[[Leaf], bool]) -> str:
    thing = str(read.arguments["id"])
    if not isinstance(read.outcome, Replied):
        return "the read was not answered"
    before, shown = _kept(row.before, thing), _shown(read.outcome.reply, thing)
    for leaf in {**before, **shown}:
        was, now = before.get(leaf, GONE), shown.get(leaf, GONE)
        if was != now and not excepted(leaf):
            return f"{leaf} was read as {now!r}, not {was!r}"
    return ""


def _kept(image: Image | None, thing: str) -> State:
    """The state that was kept of a thing. None: only the answer said what to read, so nothing was there before."""
    if image is None or image.answer is None:
        return {}
    of_several = decode_json(image.answer).get("for_each", ())
    for one in of_several:
        if one["item"] == thing:
            refused = "error" in one
            return _shown(Reply(encode_json(one["error" if refused else "result"]), refused), thing)
    return _shown(Reply(image.answer, image.is_protocol_error), thing)


def _named(sim: Simulation, reported: Reported) -> set[Leaf]:
    """The leaves of which the report (or that of an earlier undo) says that they are not as before."""
    named: set[Leaf] = set()
    for one in sim.chronicle.reported:
        if one.run != reported.run or one.options.dry_run:
            continue
        for step in one.report.steps:
            row = sim.journals.row(step.action)
            if row is None:
                continue
            moved = [one.path for one in step.differences if one.path and one.kind == "moved_by_server"]
            if row.read is not None and b"for_each" in row.read.arguments:
                named |= {(_places(row)[int(str(at[0]))], str(at[2])) for at in moved if len(at) > 2}
            elif row.read is not None:
                named |= {(_places(row)[0], str(at[0])) for at in moved}
            if step.confirmation is Confirmation.UNVERIFIED or step.unproved:
                named |= {leaf for effect in sim.chronicle.of(row.id) for leaf in effect.moved}
    return named


def _answered_inverse(sim: Simulation, action: str) -> bool:
    ids = {row.id for row in sim.journals.rows() if row.undoes == action}
    return any(one.action in ids and isinstance(one.outcome, Replied) for one in sim.chronicle.answered)


# --- below: who is whose


def _inverses(sim: Simulation, action: str, *, before: int) -> list[Effect]:
    """What was carried out to undo this action."""
    return [
        effect
        for effect in sim.chronicle.effects
        if effect.at < before and effect.row is not None and effect.row.undoes == action
    ]


def _descendants(sim: Simulation, actions: set[str]) -> set[str]:
    found: set[str] = set()
    for effect in sim.chronicle.effects:
        if effect.row is not None and effect.action is not None and effect.row.undoes in actions | found:
            found.add(effect.action)
    return found


def _writes_of(sim: Simulation, run: str) -> list[Action]:
    return [row for row in sim.journals.rows() if row.run == run and row.tool_class is not ToolClass.READONLY]


def _by_task(sim: Simulation, reported: Reported) -> list[Effect]:
    return [effect for effect in sim.chronicle.effects if effect.task == reported.task]


def _was_refused(sim: Simulation, action: str) -> bool:
    said = [one.outcome for one in sim.chronicle.answered if one.action == action]
    return bool(said) and isinstance(said[-1], Replied) and _is_error(said[-1].reply)


def _is_error(reply: Reply) -> bool:
    return reply.is_protocol_error or reply.value().get("isError") is True


def _was_settled(sim: Simulation, effect: Effect) -> bool:
    """By reading, because no answer to it came."""
    row = None if effect.action is None else sim.journals.row(effect.action)
    return row is not None and "settled by reading" in row.note


def _put_back(sim: Simulation, done: Effect) -> bool:
    """What the read shows of it was made as before with somebody else's help, so that reading shows that it never
    happened."""
    row = None if done.action is None else sim.journals.row(done.action)
    if row is None or row.read is None:
        return False
    family = {row.id} | _descendants(sim, {row.id})
    others = [one for one in sim.chronicle.effects if one.action not in family]
    return any(_is_as_before(row, one.after) for one in others if one.at > done.at)


def _is_as_before(row: Action, state: State) -> bool:
    return all(_of(state, thing) == _kept(row.before, thing) for thing in _places(row))


def _done_by_another(sim: Simulation, inverse: Action) -> Effect | None:
    """Who made the thing what this inverse was to make it, once it had been looked at last before that left: reading cannot
    tell whose work it is."""
    target = None if inverse.undoes is None else sim.journals.row(inverse.undoes)
    if target is None or target.read is None:
        return None
    left = sim.chronicle.left_at[inverse.id]
    looked = _last_read(sim, sim.chronicle.task_of[inverse.id], target, before=left + 1)
    since = left if looked is None else looked.at
    others = (one for one in sim.chronicle.effects if one.at > since and one.action != inverse.id)
    return next((one for one in others if _is_as_before(target, one.after)), None)


def _undoes(effect: Effect) -> str | None:
    return None if effect.row is None else effect.row.undoes


def _was_taken_back(sim: Simulation, effect: Effect, *, before: int) -> bool:
    """The inverse was itself undone: by a call, or because it was found to be so already."""
    row = None if effect.action is None else sim.journals.row(effect.action)
    if row is None:
        return False
    return row.undone in DONE or bool(_inverses(sim, row.id, before=before))


def _excuse(sim: Simulation, why: str, effect: Effect) -> None:
    sim.chronicle.excused.setdefault((why, effect.at))
