"""The words for what became of a step of an undo, or would become of it: one place, so that a plan and a report say the same in
two tenses. Never more than was proved."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from synartesis.domain.status import Confirmation, ToolClass, Undone
from synartesis.present.safe_text import SHORT, shortened
from synartesis.present.style import Style
from synartesis.undo.report import StepKind, StepReport, Verdict

_AROUND = " around other changes"
"""How a merge is called: the state before is back but for what somebody else changed."""

_ACTS = (StepKind.RESTORE, StepKind.COMPENSATE)
_SENT_BEFORE = "SENT BEFORE, BUT NOT RESTORED"


def step_word(
    step: StepReport, style: Style, *, future: bool, stops_here: bool, redo: bool, sends: bool
) -> tuple[str, Callable[[str], str]]:
    """What became of a step in a few words, and how they are painted. `sends`: the plan reaches it."""
    unproved = " [unverified]" if step.confirmation is Confirmation.UNVERIFIED else ""
    around = _AROUND if step.verdict is Verdict.MERGED else ""
    match step.outcome:
        case Undone.RESTORED:
            return f"{'done again' if redo else 'restored'}{unproved}{around}", style.good
        case Undone.COMPENSATED:
            return f"compensated{unproved}", style.good
        case Undone.ALREADY:
            return _safe(step.reason, style) or "is as it was before", style.quiet
        case Undone.MISMATCH:
            return ("SENT, BUT NOT AS BEFORE" if _offsets(step) else "SENT, BUT NOT RESTORED"), style.bad
        case Undone.REDONE:
            return "done again", style.good
        case None:
            pass
        case _:
            assert_never(step.outcome)
    if step.sent_before and not (future and step.calls):
        return f"{_SENT_BEFORE}{'; would stop here' if future and stops_here else ''}", style.bad
    if stops_here:
        return ("would stop here", style.bad) if future else ("STOPPED HERE", style.bad)
    if step.confirmation is not None and not future:
        return "SENT, NOT PROVED", style.bad
    if future and not sends and step.kind in _ACTS:
        return f"would not be {'taken back' if redo else 'undone'}", style.warn
    return _of_kind(step, style, future=future, redo=redo)


def _of_kind(step: StepReport, style: Style, *, future: bool, redo: bool) -> tuple[str, Callable[[str], str]]:
    undone = "taken back" if redo else "undone"
    match step.kind:
        case StepKind.RESTORE | StepKind.COMPENSATE if step.unproved and future:
            return "would be compensated [unverified]", style.strong
        case StepKind.RESTORE:
            would = ("would be done again" if redo else "would be restored") + (
                _AROUND if step.verdict is Verdict.MERGED else ""
            )
            return (would, style.strong) if future else (f"not {undone}", style.warn)
        case StepKind.COMPENSATE:
            return ("would be compensated", style.strong) if future else (f"not {undone}", style.warn)
        case StepKind.SKIP if step.unproved:
            return f"nothing to {'redo' if redo else 'undo'}, if what its server says is true", style.warn
        case StepKind.SKIP:
            return f"nothing to {'redo' if redo else 'undo'}", style.quiet
        case StepKind.ALREADY_UNDONE:
            return _safe(step.reason, style) or "is as it was before", style.quiet
        case StepKind.PERMANENT:
            return ("cannot be redone" if redo else "permanent: cannot be undone"), style.warn
        case StepKind.KEPT:
            return "left alone", style.quiet
        case StepKind.BLOCKED:
            return ("would stop here too" if future else f"not {undone}: it would stop here too"), style.bad
        case _:
            assert_never(step.kind)


def total_word(step: StepReport, *, future: bool, stops_here: bool, redo: bool, sends: bool) -> str:
    unproved = " [unverified]" if step.confirmation is Confirmation.UNVERIFIED else ""
    undone = "taken back" if redo else "undone"
    around = _AROUND if step.verdict is Verdict.MERGED else ""
    match step.outcome:
        case Undone.RESTORED if redo:
            return f"done again{unproved}{around}"
        case Undone.RESTORED | Undone.COMPENSATED:
            return f"{step.outcome.value}{unproved}{around}"
        case Undone.MISMATCH:
            return "sent but not as before" if _offsets(step) else "sent but not restored"
        case Undone.ALREADY:
            return "as before"
        case Undone.REDONE:
            return "done again"
        case None:
            pass
    if step.sent_before and not (future and step.calls):
        return "sent before but not restored"
    if stops_here:
        return "where it would stop" if future else "where it stopped"
    if step.confirmation is not None and not future:
        return "sent but not proved"
    if future and not sends and step.kind in _ACTS:
        return f"that would not be {undone}"
    match step.kind:
        case StepKind.RESTORE | StepKind.COMPENSATE if step.unproved and future:
            return "to compensate [unverified]"
        case StepKind.RESTORE:
            return f"{'to do again' if redo else 'to restore'}{around}" if future else f"not {undone}"
        case StepKind.COMPENSATE:
            return "to compensate" if future else f"not {undone}"
        case StepKind.SKIP:
            nothing = f"with nothing to {'redo' if redo else 'undo'}"
            return "refused by the server, not checked" if step.unproved else nothing
        case StepKind.ALREADY_UNDONE if step.unproved:
            return f"{undone} before [unverified]"
        case StepKind.ALREADY_UNDONE:
            return f"{undone} before" if step.verdict is None else "as before"
        case StepKind.PERMANENT:
            return "that cannot be redone" if redo else "permanent"
        case StepKind.KEPT:
            return "left alone"
        case StepKind.BLOCKED:
            return "blocked as well"


def _offsets(step: StepReport) -> bool:
    return step.tool_class is ToolClass.COMPENSABLE


def _safe(text: str, style: Style) -> str:
    return shortened(text, None if style.full else SHORT * 4)
