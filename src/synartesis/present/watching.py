"""The lines of `watch`: who is here, what waits, and what happens, each event in a line of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import NamedTuple

from synartesis.domain.records import Approval, Freeze, Run, RunSummary
from synartesis.domain.status import ActionStatus, ToolClass, Undone
from synartesis.journal.feed import Happening
from synartesis.present.freezes import freeze_lines
from synartesis.present.labels import ACTION_STATUS, UNDONE, counted
from synartesis.present.lines import who_text
from synartesis.present.requests import gate_lines
from synartesis.present.safe_text import SHORT, cells, fitted, printable, shortened, wrapped
from synartesis.present.style import Style
from synartesis.present.when import day_and_time, time_of_day

Spell = Callable[[Sequence[str]], str]

_UNSEEN = "An agent that works while its count stands still works past the proxy."
_SHORT_ID = 6
"""Enough of an id to tell the runs of a day apart."""


class Active(NamedTuple):
    """A run whose process is there."""

    row: RunSummary
    last_call: str | None
    manifest_changed: bool
    """Its manifest is not what it was when the run started."""


class Watched(NamedTuple):
    """What there is to see at one moment."""

    journal: str
    active: tuple[Active, ...]
    waiting: tuple[Approval, ...]
    frozen: Freeze | None = None


def overview_lines(seen: Watched, spell: Spell, style: Style, zone: tzinfo | None = None) -> list[str]:
    """Who is here and what waits."""
    lines = [style.quiet(f"journal {printable(seen.journal)}"), ""]
    if seen.frozen is not None:
        lines += [*freeze_lines(seen.frozen, spell, style, zone), ""]
    if not seen.active:
        lines.append("No agent is connected. One appears here once its client has started the proxy.")
    else:
        number = len(seen.active)
        lines.append(f"{counted(number, 'agent')} {'is' if number == 1 else 'are'} connected.")
    for active in seen.active:
        lines += _active_lines(active, style, zone)
    if seen.active:
        lines += [style.quiet(line) for line in wrapped(_UNSEEN, style.width)]
    return [*lines, "", *gate_lines(seen.waiting, spell, style, zone)]


def happening_lines(
    event: Happening, spell: Spell, style: Style, zone: tzinfo | None = None, *, commands: bool = True
) -> list[str]:
    """One event; none where it is only a step on the way to another one. `commands`: with those that decide it."""
    text = _text(event, style)
    if not text:
        return []
    lead = f"{time_of_day(event.at, zone)}  {printable(event.run)[:_SHORT_ID]}  "
    blank = " " * len(lead)
    lines = wrapped(lead + text, style.width, hanging=blank + "| ")
    if event.note and event.kind in _WITH_NOTE:
        said = f"{'because' if event.kind == 'refused' else 'why'}: {shortened(event.note, SHORT)}"
        lines += wrapped(said, style.width, indent=blank, hanging=blank + "| ")
    if commands and event.kind == "asked" and event.action is not None:
        lines.append(f"{blank}approve: {spell(['approve', event.action])}")
        lines.append(f"{blank}deny:    {spell(['deny', event.action])}")
    return lines


def stale_lines(active: Active, style: Style) -> list[str]:
    """Said once, when it is noticed."""
    who = who_text(active.row.run, 40)
    text = (
        f"{who} (run {printable(active.row.run.id)[:_SHORT_ID]}) runs the manifest as it was when it started:"
        f" {printable(active.row.run.manifest)} was changed since. Restart that client."
    )
    return [style.warn(line) for line in wrapped(text, style.width, hanging="  ", keep_words=True)]


def gone_line(run: Run, style: Style) -> str:
    """A proxy that was killed says no goodbye."""
    return style.warn(f"{who_text(run, 40)} (run {printable(run.id)[:_SHORT_ID]}) broke off: its proxy is gone")


def status_text(seen: Watched, style: Style) -> str:
    """The one line that is redrawn in place; fits the width with a column to spare."""
    frozen = "FROZEN" if seen.frozen is not None else ""
    number = len(seen.waiting)
    waiting = f"{counted(number, 'call')} {'waits' if number == 1 else 'wait'} for you" if number else ""
    calls = counted(sum(active.row.actions for active in seen.active), "call")
    together = f"{counted(len(seen.active), 'agent')}: {calls}" if seen.active else "no agent connected"
    if any(active.manifest_changed for active in seen.active):
        together += ", older manifest"
    each = " · ".join(map(_active_text, seen.active)) or together
    end = "Ctrl-C ends this"
    for parts in ((waiting, each, end), (waiting, together, end), (waiting, together), (waiting or together,)):
        text = " · ".join(filter(None, (frozen, *parts)))
        if cells(text) < style.width:
            return text
    return fitted(waiting or together, style.width - 1)


# --- below: how

_WITH_NOTE = ("held", "asked", "refused", "unknown", "failed")


def _active_lines(active: Active, style: Style, zone: tzinfo | None) -> list[str]:
    run = active.row.run
    since = day_and_time(run.started_at, zone)
    last = f", the last at {time_of_day(active.last_call, zone)}" if active.last_call else ""
    counts = f"{counted(active.row.actions, 'call')}{last}"
    lines = [f"  {printable(run.id)[:_SHORT_ID]}  {who_text(run, 30)} · since {since} · {counts}"]
    if active.manifest_changed:
        text = f"runs an older manifest: {printable(run.manifest)} was changed since; restart the client"
        lines += [style.warn(line) for line in wrapped(text, style.width, indent="          ", keep_words=True)]
    return lines


def _active_text(active: Active) -> str:
    old = ", older manifest" if active.manifest_changed else ""
    return f"{who_text(active.row.run, 24)}: {counted(active.row.actions, 'call')}{old}"


def _text(event: Happening, style: Style) -> str:
    match event.kind:
        case "run-opened":
            doing = f"undoes run {printable(event.undoes)}" if event.undoes else "is connected"
            return f"{printable(event.who or event.agent) or 'a client'} {doing}"
        case "run-started":
            return (
                f"{printable(event.agent) or 'somebody'} undoes run {printable(event.undoes)}" if event.undoes else ""
            )
        case "run-ended":
            return f"{printable(event.agent) or 'a client'} {'is done' if event.undoes else 'has left'}"
        case "run-closed":
            return "closed: its proxy had died"
        case "granted" | "refused":
            word, paint = ("approved", style.good) if event.kind == "granted" else ("denied", style.warn)
            by = f" by {printable(event.who)}" if event.who else ""
            return f"{_call(event)}  {paint(word)}{by}"
        case "asked":
            return f"{_call(event)}  {style.warn(ACTION_STATUS[ActionStatus.HELD])}"
        case "finding":
            undone = Undone(event.undone) if event.undone else None
            return f"{_call(event)}  undo: {UNDONE[undone]}" if undone is not None else ""
        case kind if kind in _OUTCOMES:
            return f"{_call(event)}  {_outcome(event, ActionStatus(kind), style)}"
        case _:
            return ""


_OUTCOMES = frozenset(
    {
        ActionStatus.APPLIED,
        ActionStatus.REJECTED,
        ActionStatus.FAILED,
        ActionStatus.UNKNOWN,
        ActionStatus.PAUSED,
        ActionStatus.DENIED,
    }
)
"""A call that is only written down or sent has an outcome soon; one that is held has asked."""


def _call(event: Happening) -> str:
    return f"#{event.seq}  {printable(f'{event.server}.{event.tool}')}"


def _outcome(event: Happening, status: ActionStatus, style: Style) -> str:
    text = ACTION_STATUS[status]
    if status is ActionStatus.APPLIED:
        return "read" if event.tool_class == ToolClass.READONLY else style.good(text)
    return style.warn(text) if status in (ActionStatus.UNKNOWN, ActionStatus.PAUSED) else text
