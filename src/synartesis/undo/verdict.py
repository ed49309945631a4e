"""Judging the world: before a step (may the inverse be sent?) and after it (is the state back?). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from synartesis.domain.calls import AnswerRules, Observation, Present, Refused, Unreadable
from synartesis.domain.canonical import MISSING, Difference, Json, Missing, NotJson, same_json
from synartesis.domain.paths import Path, PathNotFound, covers, get_path
from synartesis.domain.status import Confirmation
from synartesis.guard.capture import same_state, state_differences
from synartesis.undo.report import StepDifference, Verdict


def judge(
    before: Observation, left: Observation | None, now: Observation, rules: AnswerRules
) -> tuple[Verdict, tuple[StepDifference, ...]]:
    """`left` is what the action (or the step before this one) left behind; None where it was never captured."""
    if isinstance(now, Unreadable):
        return Verdict.UNVERIFIABLE, ()
    if not isinstance(before, Unreadable) and same_state(before, now, rules):
        return Verdict.ALREADY_UNDONE, ()
    if left is None or isinstance(left, Unreadable):
        return Verdict.UNVERIFIABLE, ()
    found = state_differences(left, now, rules)
    if not found:
        return Verdict.UNCHANGED, ()
    if isinstance(now, Refused):
        return Verdict.UNVERIFIABLE, ()  # an error that says neither "gone" nor what it said before shows nothing
    return Verdict.DRIFTED, as_drift(found)


def as_drift(found: Iterable[Difference]) -> tuple[StepDifference, ...]:
    return tuple(StepDifference(one.path, one.expected, one.actual, "drift") for one in found)


def confirm(
    before: Observation,
    after: Observation | None,
    seen: Observation,
    rules: AnswerRules,
    *,
    restores: Iterable[Path],
    arguments: Json,
    kept: Iterable[Path] = (),
    defaults: Iterable[tuple[Path, Json]] = (),
    expected: Observation | None = None,
) -> tuple[Confirmation, tuple[StepDifference, ...]]:
    """Is `seen` the state before (or the one that is `expected` instead)? What the server keeps by itself (a stamp, a
    version) is named, not held against it. `kept`: what the rule says is the server's, by asking for its current value;
    `defaults`: what it puts where nothing was."""
    wanted = before if expected is None else expected
    if isinstance(seen, Unreadable) or isinstance(wanted, Unreadable):
        return Confirmation.UNVERIFIED, ()
    if isinstance(seen, Refused) and not same_state(wanted, seen, rules):
        return Confirmation.UNVERIFIED, ()  # it says neither "gone" nor what it said before: the read failed
    restored, kept, defaults = tuple(restores), tuple(kept), tuple(defaults)

    def kind(one: Difference) -> Literal["moved_by_server", "set_by_rule", "not_restored"]:
        if isinstance(one.expected, Missing) and any(
            path == one.path and same_json(value, one.actual) for path, value in defaults
        ):
            return "set_by_rule"
        moved = _moved_by_server(one.path, before, after, seen, restored, kept, arguments)
        return "moved_by_server" if moved else "not_restored"

    found = tuple(
        StepDifference(one.path, one.expected, one.actual, kind(one)) for one in state_differences(wanted, seen, rules)
    )
    if all(one.kind != "not_restored" for one in found):
        return Confirmation.VERIFIED, found
    return Confirmation.MISMATCH, found


def _moved_by_server(
    path: Path,
    before: Observation,
    after: Observation | None,
    seen: Observation,
    restored: tuple[Path, ...],
    kept: tuple[Path, ...],
    arguments: Json,
) -> bool:
    """A place that the inverse does not set, that the agent did not name (but as the version that it knew), that the forward
    call moved and that has moved again since. Where it still holds what the forward call left, it is the agent's change and
    was not restored."""
    if not path or after is None:
        return False
    if any(covers(set_path, path) or covers(path, set_path) for set_path in restored):
        return False
    is_version = any(one and covers(one, path) for one in kept)
    if (
        not is_version
        and isinstance(arguments, dict)
        and any(segment in arguments for segment in path if isinstance(segment, str))
    ):
        return False
    was, left, now = (_at(seen_then, path) for seen_then in (before, after, seen))
    return not same_json(was, left) and not same_json(left, now)


def _at(seen: Observation, path: Path) -> Json:
    if not isinstance(seen, Present):
        return MISSING
    try:
        return get_path(seen.value.parsed(), path)
    except (PathNotFound, NotJson):
        return MISSING
