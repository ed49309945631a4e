"""The lines of `list`: one per run, a second where something wants a person. Imports nothing that starts slowly."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from synartesis.domain.records import Run, RunSummary
from synartesis.domain.status import RunKind, RunStatus
from synartesis.present.labels import RUN_STATUS, counted
from synartesis.present.safe_text import fitted, padded, printable
from synartesis.present.style import Style
from synartesis.present.when import day_and_time

_LEFT = 54
"""Columns before the agent."""


def run_lines(runs: Sequence[RunSummary], style: Style, zone: tzinfo | None = None) -> list[str]:
    """A table, in the order given."""
    lines = [style.quiet(f"{'RUN':<12}  {'STARTED':<16}  {'CALLS':>5}  {'STATUS':<13}  AGENT")]
    for row in runs:
        who = who_text(row.run, None if style.full else max(style.width - _LEFT, 26))
        state = _painted(style, row.status, padded(RUN_STATUS[row.status], 13))
        when = day_and_time(row.run.started_at, zone)
        lines.append(f"{printable(row.run.id):<12}  {when:<16}  {row.actions:>5,}  {state}  {who}".rstrip())
        wants = wants_text(row)
        if wants:
            lines.append(f"{'':<12}  {style.warn(wants)}")
    return lines


def who_text(run: Run, width: int | None = None) -> str:
    """Who made a run, in one phrase; the name is cut to fit the width."""
    who = printable(run.agent)
    verb = "redo" if run.redoes else "undo"
    what = f"{verb} of {printable(run.undoes or '?')}" if run.kind is RunKind.UNDO else ""
    if width is not None and who:
        who = fitted(who, max(width - len(what) - 2 * bool(what), 4))
    return ": ".join(filter(None, (who, what))) or "(no client yet)"


def wants_text(row: RunSummary) -> str:
    """What of a run still wants a person; empty where nothing does."""
    wants = []
    if row.held:
        wants.append(f"{counted(row.held, 'call')} {'waits' if row.held == 1 else 'wait'} for approval")
    if row.unknown:
        wants.append(f"{counted(row.unknown, 'outcome')} unknown")
    return " · ".join(wants)


def _painted(style: Style, status: RunStatus, text: str) -> str:
    if status in (RunStatus.PARTIAL, RunStatus.ABANDONED):
        return style.warn(text)
    return style.good(text) if status is RunStatus.ACTIVE else text
