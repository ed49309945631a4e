"""The lines of `undo`: what it will do, or what it did and proved. Totals never round up: what was not proved says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import assert_never

from synartesis.domain.canonical import Json
from synartesis.domain.paths import Path
from synartesis.domain.status import Confirmation, Undone
from synartesis.present.diff import MAX_DIFFERENCES, difference_lines, path_text
from synartesis.present.labels import counted
from synartesis.present.safe_text import SHORT, cells, printable, shortened, wrapped
from synartesis.present.style import Style
from synartesis.present.values import one_line, value_lines
from synartesis.undo.report import Report, StepDifference, StepKind, StepReport

Spell = Callable[[Sequence[str]], str]

_INDENT = "      "


def plan_lines(report: Report, style: Style) -> list[str]:
    """What an undo would do, before anything is sent."""
    lines = [style.strong(f"undo of run {printable(report.run)}: the plan, newest call first"), ""]
    for step in report.steps:
        lines += _step_lines(step, style, future=True)
    return [*lines, "", _totals(report, future=True)]


def report_lines(report: Report, spell: Spell, style: Style) -> list[str]:
    """What an undo did (or, in a dry run, would do), and what to do next."""
    if report.dry_run:
        return [*plan_lines(report, style), *_halt_lines(report, style), *_next_lines(report, spell, style)]
    lines = [style.strong(f"undo of run {printable(report.run)}, newest call first"), ""]
    for step in report.steps:
        lines += _step_lines(step, style, future=False)
    lines += ["", _totals(report, future=False)]
    return [*lines, *_halt_lines(report, style), *_next_lines(report, spell, style)]


# --- one step


def _step_lines(step: StepReport, style: Style, *, future: bool) -> list[str]:
    word, paint = _word(step, style, future=future)
    title = f"#{step.seq}".ljust(4) + "  " + printable(str(step.tool))
    room = style.width - cells(title) - 2
    lines = [f"{title}  {paint(word)}"] if cells(word) <= room else [title, _INDENT + paint(word)]
    if step.reason:
        lines += _said(step.reason, style)
    if step.hint and step.kind is not StepKind.BLOCKED:  # a stop's hint follows below, once
        lines += _said(step.hint, style)
    if future or style.full:
        for call in step.calls:
            name = printable(str(call.tool))
            lines += value_lines(call.arguments, style, indent=_INDENT, label=f"call: {name}")
    return lines + _difference_lines(step, style)


def _word(step: StepReport, style: Style, *, future: bool) -> tuple[str, Callable[[str], str]]:
    """What became of a step in a few words, and how they are painted."""
    unproved = " [unverified]" if step.confirmation is Confirmation.UNVERIFIED else ""
    match step.outcome:
        case Undone.RESTORED:
            return f"restored{unproved}", style.good
        case Undone.COMPENSATED:
            return f"compensated{unproved}", style.good
        case Undone.ALREADY:
            return "is as before already: nothing to do", style.quiet
        case Undone.MISMATCH:
            return "SENT, BUT NOT RESTORED", style.bad
        case Undone.REDONE:
            return "done again", style.good
        case None:
            return _word_of_kind(step, style, future=future)
        case _:
            assert_never(step.outcome)


def _word_of_kind(step: StepReport, style: Style, *, future: bool) -> tuple[str, Callable[[str], str]]:
    unproved = " [unverified]" if step.confirmation is Confirmation.UNVERIFIED else ""
    match step.kind:
        case StepKind.RESTORE:
            return (f"would be restored{unproved}", style.strong) if future else ("not undone", style.warn)
        case StepKind.COMPENSATE:
            return (f"would be compensated{unproved}", style.strong) if future else ("not undone", style.warn)
        case StepKind.SKIP:
            return "nothing to undo", style.quiet
        case StepKind.ALREADY_UNDONE:
            return "is as before already: nothing to do", style.quiet
        case StepKind.PERMANENT:
            return "permanent: cannot be undone", style.warn
        case StepKind.KEPT:
            return "left alone", style.quiet
        case StepKind.BLOCKED:
            return ("would stop here", style.bad) if future else ("STOPPED HERE", style.bad)
        case _:
            assert_never(step.kind)


def _difference_lines(step: StepReport, style: Style) -> list[str]:
    lines: list[str] = []
    drift = [found for found in step.differences if found.kind == "drift"]
    if drift:
        lines.append(f"{_INDENT}changed by somebody else since:")
        lines += difference_lines(_triples(drift), style, indent=_INDENT + "  ")
    not_restored = [found for found in step.differences if found.kind == "not_restored"]
    if not_restored:
        lines.append(f"{_INDENT}differs from the state before:")
        lines += difference_lines(_triples(not_restored), style, indent=_INDENT + "  ")
    moved = [found for found in step.differences if found.kind == "moved_by_server"]
    limit = None if style.full else SHORT
    for found in moved if style.full else moved[:MAX_DIFFERENCES]:
        text = f"moved by the server: {path_text(found.path)} is {one_line(found.actual, limit)}"
        lines += _said_safe(f"{text}, was {one_line(found.expected, limit)}", style)
    return lines


def _triples(found: Iterable[StepDifference]) -> list[tuple[Path, Json, Json]]:
    return [(each.path, each.expected, each.actual) for each in found]


# --- all of them


def _totals(report: Report, *, future: bool) -> str:
    """Every step is counted once, under the weakest word that is true of it."""
    counts: dict[str, int] = {}
    for step in report.steps:
        word = _total_word(step, future=future)
        counts[word] = counts.get(word, 0) + 1
    if not counts:
        return "This run made no calls: there is nothing to undo."
    return (
        f"{counted(len(report.steps), 'call')}: "
        + ", ".join(f"{number:,} {word}" for word, number in counts.items())
        + "."
    )


def _total_word(step: StepReport, *, future: bool) -> str:
    unproved = " [unverified]" if step.confirmation is Confirmation.UNVERIFIED else ""
    match step.outcome:
        case Undone.RESTORED | Undone.COMPENSATED:
            return f"{step.outcome.value}{unproved}"
        case Undone.MISMATCH:
            return "sent but not restored"
        case Undone.ALREADY:
            return "as before already"
        case Undone.REDONE:
            return "done again"
        case None:
            pass
    match step.kind:
        case StepKind.RESTORE:
            return f"to restore{unproved}" if future else "not undone"
        case StepKind.COMPENSATE:
            return f"to compensate{unproved}" if future else "not undone"
        case StepKind.SKIP:
            return "with nothing to undo"
        case StepKind.ALREADY_UNDONE:
            return "as before already"
        case StepKind.PERMANENT:
            return "permanent"
        case StepKind.KEPT:
            return "left alone"
        case StepKind.BLOCKED:
            return "where it would stop" if future else "where it stopped"


def _halt_lines(report: Report, style: Style) -> list[str]:
    halt = report.halted
    if halt is None:
        return []
    nothing = "" if report.undo_run else " Nothing was sent."
    verb = "It would stop" if report.dry_run else "Stopped"
    lines = ["", *_left(f"{verb} at #{halt.seq} ({printable(halt.reason)}).{nothing}", style, style.bad)]
    step = next((step for step in report.steps if step.seq == halt.seq), None)
    if halt.detail and (step is None or halt.detail != step.reason):
        lines += _left(_safe(halt.detail, style), style)
    if halt.hint:
        lines += _left(_safe(halt.hint, style), style)
    return lines


def _next_lines(report: Report, spell: Spell, style: Style) -> list[str]:
    """The headline, and literal commands for what may be wanted now."""
    run = printable(report.run)
    match report.status:
        case "undone":
            if report.dry_run:
                return ["", "Nothing was sent. To do it:", f"  {spell(['undo', report.run])}"]
            return ["", style.good(f"Run {run} is undone.")]
        case "partial":
            left = "the rest cannot be undone, or was left alone."
            if report.dry_run:
                return [
                    "",
                    f"Nothing was sent. Only a part would be undone; {left}",
                    f"  {spell(['undo', report.run])}",
                ]
            return ["", style.warn(f"Run {run} is partly undone; {left}")]
        case "stopped":
            return _after_stop(report, spell)


def _after_stop(report: Report, spell: Spell) -> list[str]:
    halt = report.halted
    if halt is None:
        return []
    newer = [step for step in report.steps if step.seq > halt.seq and step.outcome is None and _can_act(step)]
    lines: list[str] = []
    if newer:
        lines += [
            "",
            f"To undo what is newer than #{halt.seq} ({counted(len(newer), 'call')}) and stop there:",
            f"  {spell(['undo', report.run, '--as-far-as-possible'])}",
        ]
    if halt.reason in ("unreadable", "unverifiable"):
        lines += [
            "",
            f"To undo #{halt.seq} without being able to see whether somebody changed it since:",
            f"  {spell(['undo', report.run, '--unchecked', str(halt.seq)])}",
        ]
    lines += ["", "When it is mended, the same command goes on where this one stopped."]
    return lines


def _can_act(step: StepReport) -> bool:
    return step.kind in (StepKind.RESTORE, StepKind.COMPENSATE)


def _said(text: str, style: Style) -> list[str]:
    return _said_safe(_safe(text, style), style)


def _said_safe(text: str, style: Style) -> list[str]:
    return wrapped(text, style.width, indent=_INDENT, hanging=_INDENT)


def _safe(text: str, style: Style) -> str:
    return shortened(text, None if style.full else SHORT * 4)


def _left(text: str, style: Style, paint: Callable[[str], str] = str) -> list[str]:
    return [paint(line) for line in wrapped(text, style.width)]
