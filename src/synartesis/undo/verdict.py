"""Judging the world: before a step (may the inverse be sent?) and after it (is the state back?). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from msgspec.structs import replace

from synartesis.domain.calls import AnswerRules, Observation, Present, Refused, Unreadable
from synartesis.domain.canonical import MISSING, Difference, Json, Missing, NotJson, decode_json, same_json
from synartesis.domain.paths import Path, PathNotFound, covers, get_path
from synartesis.domain.status import Confirmation
from synartesis.guard.capture import same_state, state_differences
from synartesis.undo.report import DifferenceKind, StepDifference, Verdict


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
    version) is named, not held against it. `restores`: what the inverse is known to set; where that is nothing, what it was
    meant to set is not known either, and what moved again may be its failure: that is in doubt, and nothing is verified.
    `kept`: what the rule says is the server's, by asking for its current value; `defaults`: what it puts where nothing was."""
    wanted = before if expected is None else expected
    if isinstance(seen, Unreadable) or isinstance(wanted, Unreadable):
        return Confirmation.UNVERIFIED, ()
    if isinstance(seen, Refused) and not same_state(wanted, seen, rules):
        return Confirmation.UNVERIFIED, ()  # it says neither "gone" nor what it said before: the read failed
    restored, kept, defaults = tuple(restores), tuple(kept), tuple(defaults)

    def kind(one: Difference) -> DifferenceKind:
        if isinstance(one.expected, Missing) and any(
            path == one.path and same_json(value, one.actual) for path, value in defaults
        ):
            return "set_by_rule"
        if after is None or not _has_moved_again(one.path, before, after, seen, restored):
            return "not_restored"
        if any(path and covers(path, one.path) for path in kept):
            return "moved_by_server"
        if _is_named(arguments, one.path):
            return "not_restored"
        return "moved_by_server" if restored else "in_doubt"

    differing = state_differences(wanted, seen, rules)
    found = tuple(StepDifference(one.path, one.expected, one.actual, kind(one)) for one in differing)
    if all(one.kind not in ("not_restored", "in_doubt") for one in found):
        return Confirmation.VERIFIED, found
    if in_doubt(found) and after is not None and _something_came_back(before, after, differing, rules):
        return Confirmation.UNVERIFIED, found
    return Confirmation.MISMATCH, tuple(_not_restored(one) for one in found)


def in_doubt(found: Iterable[StepDifference]) -> bool:
    """Whether all that differs may be the server's own, and some of it is not known to be. `found` as `confirm` returns it."""
    kinds = {one.kind for one in found}
    return "in_doubt" in kinds and "not_restored" not in kinds


def _not_restored(one: StepDifference) -> StepDifference:
    return replace(one, kind="not_restored") if one.kind == "in_doubt" else one


def _has_moved_again(
    path: Path, before: Observation, after: Observation, seen: Observation, restored: tuple[Path, ...]
) -> bool:
    """A place that the inverse is not known to set, that the forward call moved and that has moved again since. Where it still
    holds what the forward call left, it is the agent's change and was not restored."""
    if not path or any(covers(set_path, path) or covers(path, set_path) for set_path in restored):
        return False
    was, left, now = (_at(seen_then, path) for seen_then in (before, after, seen))
    return not same_json(was, left) and not same_json(left, now)


def _something_came_back(
    before: Observation, after: Observation, differing: list[Difference], rules: AnswerRules
) -> bool:
    """Whether anything of what the call moved is as it should be. Where nothing is, the inverse did something else."""
    still = [one.path for one in differing]
    moved = [one.path for one in state_differences(before, after, rules)]
    return any(not any(_meet(path, one) for one in still) for path in moved)


def _meet(moved: Path, differs: Path) -> bool:
    """That a thing is there at all (the root) is something by itself: its fields may differ all the same."""
    return moved == differs or (bool(moved) and (covers(moved, differs) or covers(differs, moved)))


def _is_named(arguments: Json, path: Path) -> bool:
    """Whether the agent's call speaks of this place: by a key, however deep and also in a text that is JSON, or by a text that
    names the field (`{field: "status", value: ...}`)."""
    names = [segment for segment in path if isinstance(segment, str)]
    waiting = [arguments]
    while waiting:
        match waiting.pop():
            case dict(parts):
                if any(name in parts for name in names):
                    return True
                waiting.extend(parts.values())
            case list(parts):
                waiting.extend(parts)
            case str(text) if names and text == names[-1]:
                return True
            case str(text) if text.lstrip()[:1] in ("{", "["):
                with suppress(NotJson):
                    waiting.append(decode_json(text))
            case _:
                pass
    return False


def _at(seen: Observation, path: Path) -> Json:
    if not isinstance(seen, Present):
        return MISSING
    try:
        return get_path(seen.value.parsed(), path)
    except (PathNotFound, NotJson):
        return MISSING
