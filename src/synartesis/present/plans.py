"""The lines of `undo`: what it will do, or what it did and proved. Totals never round up: what was not proved says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from synartesis.domain.status import Confirmation, Undone
from synartesis.present.diff import MAX_DIFFERENCES, change_lines, difference_lines, path_text
from synartesis.present.labels import counted
from synartesis.present.plan_words import step_word, total_word
from synartesis.present.safe_text import SHORT, cells, padded, printable, shortened, wrapped
from synartesis.present.settling import ANY_RESULT
from synartesis.present.style import Style
from synartesis.present.values import one_line, value_lines
from synartesis.undo.report import Report, StepKind, StepReport, Verdict

Spell = Callable[[Sequence[str]], str]

MAX_STEPS, FIRST_STEPS, LAST_STEPS = 60, 20, 10
"""Of a run with more steps than that, so many are shown at either end, and of those between them what is out of the ordinary."""

_INDENT = "      "


_MAY_BE_FORCED = {
    "unreadable": "To undo #{seq} although nobody can see whether it was changed since:",
    "unverifiable": "To undo #{seq} although nobody can see whether it was changed since:",
    "refused": "To make that call of #{seq} although nobody can see whether it was made already:",
}
"""Stops that a person may overrule, by the word for them in the report."""


def plan_lines(report: Report, style: Style) -> list[str]:
    """What an undo (or a redo) would do, before anything is sent."""
    title = style.strong(f"{_title_of(report)}: the plan, newest call first")
    return [title, "", *_all_steps(report, style, future=True), "", *_totals(report, style, future=True)]


def report_lines(report: Report, spell: Spell, style: Style, *, options: Sequence[str] = ()) -> list[str]:
    """What an undo did (or, in a dry run, would do), and what to do next. `options` are those that the undo was called with,
    for the commands that repeat it."""
    if report.dry_run:
        lines = plan_lines(report, style)
    else:
        title = style.strong(f"{_title_of(report)}, newest call first")
        lines = [title, "", *_all_steps(report, style, future=False), "", *_totals(report, style, future=False)]
    undo = ["redo" if report.redo else "undo", report.run, *options]

    def repeat(more: Sequence[str]) -> str:
        return spell([*undo, *more])

    return [
        *lines,
        *_halt_lines(report, style),
        *_next_lines(report, repeat, spell, style),
        *_refused_lines(report, style),
    ]


def _title_of(report: Report) -> str:
    return (
        f"redo: undo run {printable(report.run)} taken back" if report.redo else f"undo of run {printable(report.run)}"
    )


def _all_steps(report: Report, style: Style, *, future: bool) -> list[str]:
    widest = max((cells(_title(step)) for step in report.steps), default=0)
    column = min(widest, style.width // 2)
    lines: list[str] = []
    for steps in _in_sight(report, style):
        if len(steps) == 1:
            lines += _step_lines(steps[0], report, style, future=future, column=column)
        else:
            lines += _hidden_lines(steps, report, style, future=future)
    return lines


def _in_sight(report: Report, style: Style) -> list[list[StepReport]]:
    """The steps, those together that are not shown one by one: what was left alone because it was asked so; in a long run, what
    went as it should, but for the first and the last few. Whatever stops, stays or differs is always in sight."""
    steps = report.steps
    if style.full:
        return [[step] for step in steps]
    groups: list[list[StepReport]] = []
    was_hidden = False
    for at, step in enumerate(steps):
        near_an_end = at < FIRST_STEPS or at >= len(steps) - LAST_STEPS or len(steps) <= MAX_STEPS
        stops_here = report.halted is not None and report.halted.seq == step.seq
        is_hidden = _is_uneventful(step) and not stops_here and (not near_an_end or step.kind is StepKind.KEPT)
        if is_hidden and was_hidden:
            groups[-1].append(step)
        else:
            groups.append([step])
        was_hidden = is_hidden
    return groups


def _would_be_sent(step: StepReport, report: Report) -> bool:
    """Whether this plan reaches it: where any step stops, nothing is sent, but for what is newer where that was asked for."""
    return report.halted is None or (report.as_far and step.seq > report.halted.seq)


def _is_uneventful(step: StepReport) -> bool:
    """Whether nobody has to read about it: as planned, proved, and nothing else to be said of it but for a server's stamps."""
    if any(one.kind != "moved_by_server" for one in step.differences) or step.unproved:
        return False
    if step.confirmation in (Confirmation.UNVERIFIED, Confirmation.MISMATCH):
        return False
    return step.kind in (StepKind.RESTORE, StepKind.COMPENSATE, StepKind.SKIP, StepKind.ALREADY_UNDONE, StepKind.KEPT)


def _hidden_lines(steps: Sequence[StepReport], report: Report, style: Style, *, future: bool) -> list[str]:
    counts: dict[str, int] = {}
    for step in steps:
        word = total_word(step, future=future, stops_here=False, redo=report.redo, sends=_would_be_sent(step, report))
        counts[word] = counts.get(word, 0) + 1
    said = ", ".join(f"{number:,} {word}" for word, number in counts.items())
    moved = sum(bool(step.differences) for step in steps)
    but = f" ({moved:,} but for what the server moved)" if moved else ""
    text = f"… #{steps[0].seq} to #{steps[-1].seq}: {said}{but}; --full shows each …"
    return wrapped(text, style.width, hanging="  ") + _residue_lines(steps, style)


def _residue_lines(steps: Sequence[StepReport], style: Style) -> list[str]:
    """What cannot be taken back is said of each step, in sight or not; once where several say the same."""
    seqs: dict[str, list[int]] = {}
    for step in steps:
        if step.residue:
            seqs.setdefault(step.residue, []).append(step.seq)
    lines: list[str] = []
    for residue, of in seqs.items():
        which = f"#{of[0]}" if len(of) == 1 else f"{len(of):,} of these, #{of[0]} to #{of[-1]}"
        lines += _said(f"what cannot be taken back ({which}): {residue}", style)
    return lines


# --- one step


def _title(step: StepReport) -> str:
    return f"#{step.seq}".ljust(4) + "  " + printable(str(step.tool))


def _step_lines(step: StepReport, report: Report, style: Style, *, future: bool, column: int) -> list[str]:
    stops_here = report.halted is not None and report.halted.seq == step.seq
    sends = future and _would_be_sent(step, report)
    word, paint = step_word(step, style, future=future, stops_here=stops_here, redo=report.redo, sends=sends)
    tells_reason = not step.reason or word.endswith(_safe(step.reason, style))
    if step.undid is not None:
        word += f" ({'was to undo' if step.kind is StepKind.SKIP else 'had undone'} #{step.undid})"
    title = padded(_title(step), column)
    fits = cells(f"{title}  {word}") <= style.width
    lines = (
        [f"{title}  {paint(word)}"] if fits else [title.rstrip(), *(paint(line) for line in _said_safe(word, style))]
    )
    if not tells_reason:
        lines += _said(step.reason, style)
    is_said_below = stops_here or (report.halted is not None and step.hint == report.halted.hint)
    if step.hint and not is_said_below and step.verdict is not Verdict.DRIFTED:  # against drift, one hint is enough
        lines += wrapped(_safe(step.hint, style), style.width, indent=_INDENT, hanging=_INDENT)
    if sends or style.full:
        for call in step.calls:
            name = printable(str(call.tool))
            lines += value_lines(call.arguments, style, indent=_INDENT, label=f"call: {name}", compact=True)
    if step.residue:
        lines += _said(f"what cannot be taken back: {step.residue}", style)
    return lines + _difference_lines(step, style, future=future, redo=report.redo)


def _difference_lines(step: StepReport, style: Style, *, future: bool, redo: bool) -> list[str]:
    lines: list[str] = []
    for kind, title in (
        ("drift", "differs from what is expected:"),
        ("not_restored", "differs from the state before:"),
    ):
        found = [one for one in step.differences if one.kind == kind]
        if found:
            triples = [(one.path, one.expected, one.actual) for one in found]
            lines += [_INDENT + title, *difference_lines(triples, style, indent=_INDENT + "  ")]
    lines += _merge_lines(step, style, future=future, redo=redo)
    moved = [one for one in step.differences if one.kind in _WHOSE]
    limit = None if style.full else SHORT
    for one in moved if style.full else moved[:MAX_DIFFERENCES]:
        text = f"{_WHOSE[one.kind]}: {path_text(one.path)} is {one_line(one.actual, limit)}"
        lines += _said_safe(f"{text}, was {one_line(one.expected, limit)}", style)
    return lines


_WHOSE = {
    "moved_by_server": "moved by the server",
    "in_doubt": "moved again, perhaps by the server",
    "set_by_rule": "set as the rule says",
}


def _merge_lines(step: StepReport, style: Style, *, future: bool, redo: bool) -> list[str]:
    """What goes back and what stays, as a diff: from what is there now to what will be."""
    future = future or step.outcome is None
    back = [one for one in step.differences if one.kind == "goes_back"]
    kept = [one for one in step.differences if one.kind == "kept"]
    lines: list[str] = []
    if back:
        goes, went = ("is done again:", "was done again:") if redo else ("goes back:", "went back:")
        lines.append(_INDENT + (goes if future else went))
        for one in back if style.full else back[:MAX_DIFFERENCES]:
            lines += change_lines(one.path, one.actual, one.expected, style, indent=_INDENT + "  ")
    if kept:
        lines.append(_INDENT + ("stays as it is now:" if future else "stayed as it was found:"))
        for one in kept if style.full else kept[:MAX_DIFFERENCES]:
            text = f"{path_text(one.path)}: {one_line(one.actual, None if style.full else SHORT)}"
            lines += wrapped(text, style.width, indent=_INDENT + "  ", hanging=_INDENT + "    | ")
    hidden = 0 if style.full else max(len(back) - MAX_DIFFERENCES, 0) + max(len(kept) - MAX_DIFFERENCES, 0)
    return lines + ([f"{_INDENT}  … {hidden:,} more; --full shows them …"] if hidden else [])


# --- all of them


def _totals(report: Report, style: Style, *, future: bool) -> list[str]:
    """Every step is counted once, under the weakest word that is true of it."""
    counts: dict[str, int] = {}
    for step in report.steps:
        stops_here = report.halted is not None and report.halted.seq == step.seq
        word = total_word(
            step, future=future, stops_here=stops_here, redo=report.redo, sends=_would_be_sent(step, report)
        )
        counts[word] = counts.get(word, 0) + 1
    if not counts:
        return [f"This run made no calls: there is nothing to {'redo' if report.redo else 'undo'}."]
    said = ", ".join(f"{number:,} {word}" for word, number in counts.items())
    return wrapped(f"{counted(len(report.steps), 'call')}: {said}.", style.width, hanging="  ")


def _halt_lines(report: Report, style: Style) -> list[str]:
    halt = report.halted
    if halt is None:
        return []
    nothing = " Nothing was sent." if report.dry_run or _sent_nothing(report) else ""
    verb = "It would stop" if report.dry_run else "Stopped"
    lines = ["", *_left(f"{verb} at #{halt.seq} ({printable(halt.reason)}).{nothing}", style, style.bad)]
    step = next((step for step in report.steps if step.seq == halt.seq), None)
    if halt.detail and (step is None or halt.detail != step.reason):
        lines += wrapped(_safe(_capital(halt.detail), style), style.width, hanging="| ")
    if halt.hint:
        lines += _left(_safe(_capital(halt.hint), style), style)
    return lines


def _sent_nothing(report: Report) -> bool:
    """Surely: a step that stopped before its call was sent, and none before it that sent any."""
    if report.undo_run is None:
        return True
    if any(
        step.outcome not in (None, Undone.ALREADY) or step.confirmation is Confirmation.UNVERIFIED
        for step in report.steps
    ):
        return False
    halt = report.halted
    step = next((one for one in report.steps if halt is not None and one.seq == halt.seq), None)
    if halt is None or step is None or step.confirmation is not None:
        return False
    only_call = len(step.calls) < 2  # of several, the first may have been sent
    return halt.reason == "interrupted" or (only_call and halt.reason in ("drifted", "unknown", "unreadable"))


def _next_lines(report: Report, undo: Spell, spell: Spell, style: Style) -> list[str]:
    """The headline, and literal commands for what may be wanted now."""
    run = f"{'undo run' if report.redo else 'run'} {printable(report.run)}"
    undone = "taken back" if report.redo else "undone"
    match report.status:
        case "undone":
            if report.dry_run and not any(map(_would_act, report.steps)):
                return ["", "Nothing was sent, and there is nothing to do."] if report.steps else []
            if report.dry_run:
                to = "do it" if any(map(_can_act, report.steps)) else "have it recorded that it is so"
                return ["", f"Nothing was sent. To {to}:", f"  {undo([])}"]
            return ["", style.good(f"{_capital(run)} is {undone}.")] if report.steps else []
        case "partial":
            left = _what_is_left(report)
            if report.dry_run and any(map(_would_act, report.steps)):
                said = f"Nothing was sent. Only a part would be {undone}: {left}."
                return ["", *wrapped(said, style.width, keep_words=True), f"  {undo([])}"]
            if report.dry_run:
                said = f"Nothing was sent, and nothing of {run} would be {undone}: {left}."
            elif any(map(_is_undone, report.steps)):
                said = f"{_capital(run)} is partly {undone}: {left}."
            else:
                said = f"Nothing of {run} was {undone}: {left}."
            return ["", *_left(said, style, style.warn)]
        case "stopped":
            return _after_stop(report, undo, spell)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _what_is_left(report: Report) -> str:
    """Why that was not all: `2 calls were left alone, 1 cannot be undone`."""
    kinds = [step.kind for step in report.steps if step.outcome is None]
    alone, permanent = kinds.count(StepKind.KEPT), kinds.count(StepKind.PERMANENT)
    parts = []
    if alone:
        parts.append(f"{counted(alone, 'call')} {_was(alone, report)} left alone")
    if permanent:
        what = f"{permanent:,}" if alone else counted(permanent, "call")
        parts.append(f"{what} cannot be {'redone' if report.redo else 'undone'}")
    offset = sum(step.outcome is Undone.MISMATCH for step in report.steps)
    if offset:
        what = f"{offset:,}" if parts else counted(offset, "call")
        parts.append(f"{what} {'is' if offset == 1 else 'are'} not as before, although the inverse was sent")
    return ", ".join(parts)


def _was(count: int, report: Report) -> str:
    if report.dry_run:
        return "would be"
    return "was" if count == 1 else "were"


def _is_undone(step: StepReport) -> bool:
    """It is as before now, whoever saw to that; or an inverse of it was sent at least."""
    return step.outcome is not None or step.kind is StepKind.ALREADY_UNDONE


def _would_act(step: StepReport) -> bool:
    """Or at least have something to record. With an outcome, an earlier undo has done all that there is to do."""
    return step.outcome is None and (_can_act(step) or step.verdict is Verdict.ALREADY_UNDONE)


def _refused_lines(report: Report, style: Style) -> list[str]:
    """A refusal that nothing could check is the server's word, and some servers refuse what they have done (a timeout)."""
    count = sum(step.kind is StepKind.SKIP and step.unproved for step in report.steps)
    if not count:
        return []
    of_it = "call of it was" if count == 1 else "calls of it were"
    text = (
        f"{count:,} {of_it} refused by the server, and nothing could check whether that was carried out all the same."
    )
    return _left(text, style, style.warn)


def _after_stop(report: Report, undo: Spell, spell: Spell) -> list[str]:
    halt = report.halted
    if halt is None:
        return []
    newer = [step for step in report.steps if step.seq > halt.seq and step.outcome is None and _can_act(step)]
    lines: list[str] = []
    if newer:
        verb = "redo" if report.redo else "undo"
        lines += [
            "",
            f"To {verb} what is newer than #{halt.seq} ({counted(len(newer), 'call')}) and stop there:",
            f"  {undo(['--as-far-as-possible'])}",
        ]
    step = next((one for one in report.steps if one.seq == halt.seq), None)
    if step is not None and step.mergeable:
        lines += [
            "",
            f"Only other places of it were changed. To keep those changes, and {'do again' if report.redo else 'put back'} only",
            f"what the agent {'had changed' if report.redo else 'changed'}, as the plan of this shows it:",
            f"  {undo(['--merge', '--dry-run'])}",
        ]
    if halt.reason in _MAY_BE_FORCED and (halt.reason != "refused" or (step is not None and step.unproved)):
        lines += [
            "",
            _MAY_BE_FORCED[halt.reason].format(seq=halt.seq),
            f"  {undo(['--unchecked', str(halt.seq)])}",
        ]
    if step is not None and step.settle:
        lines += _settle_lines(step, spell)
    if halt.reason == "refused" and step is not None and step.unproved:
        return lines  # nothing that is mended would show whether it was made: the same command stops here again
    mended = "" if halt.reason == "interrupted" else "When it is mended, the same"
    lines += ["", f"{mended or 'The same'} command goes on where this one stopped."]
    return lines


def _settle_lines(step: StepReport, spell: Spell) -> list[str]:
    """Only what is accepted as pasted; what the server returned is not ours to make up, and is refused until it is filled in."""
    settle = ["settle", step.settle]
    applied = [*settle, "--applied"]
    applied += ["--result", ANY_RESULT] if step.settle_needs_result else []
    applied += ["--take-now-as-after"] if step.settle_sees else []
    needs = (
        ["(its undo needs what the server returned: put that in the place of the dots)"]
        if step.settle_needs_result
        else []
    )
    return [
        "",
        "To see what was there before and what is there now:",
        f"  {spell(settle)}",
        "Then one of (it holds at once, and cannot be taken back):",
        f"  {spell([*settle, '--not-applied'])}",
        f"  {spell(applied)}",
        *needs,
    ]


def _can_act(step: StepReport) -> bool:
    return step.kind in (StepKind.RESTORE, StepKind.COMPENSATE)


def _said(text: str, style: Style) -> list[str]:
    return _said_safe(_safe(text, style), style)


def _said_safe(text: str, style: Style) -> list[str]:
    """Reasons quote servers: each further line is marked, or their text could start a line that looks like ours."""
    return wrapped(text, style.width, indent=_INDENT, hanging=_INDENT + "| ")


def _safe(text: str, style: Style) -> str:
    return shortened(text, None if style.full else SHORT * 4)


def _left(text: str, style: Style, paint: Callable[[str], str] = str) -> list[str]:
    return [paint(line) for line in wrapped(text, style.width)]
