"""Lines about what can be proved and what is dropped: `verify`, `export`, `prune`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from synartesis.journal.feed import Happening
from synartesis.journal.prune import Old
from synartesis.journal.tables import Misfit
from synartesis.present.labels import counted
from synartesis.present.safe_text import fitted, printable, wrapped
from synartesis.present.style import Style
from synartesis.present.when import day_and_time

_MOST_RUNS = 20
_UNITS = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))


def fits_lines(what: str, first: int, last: int, digest: str, style: Style) -> list[str]:
    """Everything fits, and what to keep so that this can be said again later."""
    if last < first:
        return [f"{printable(what)}: nothing was recorded yet."]
    text = (
        f"{counted(last - first + 1, 'entry', 'entries')}. Each continues the one before it, and what they recorded is what"
        " stands there now."
    )
    return [style.quiet(printable(what)), *wrapped(text, style.width), f"last entry: {last}:{digest}"]


def misfit_lines(
    what: str, first: int, misfit: Misfit, about: Happening | None, style: Style, zone: tzinfo | None = None
) -> list[str]:
    """The first entry that does not fit."""
    name = "something" if misfit.number is None else f"entry {misfit.number}"
    said = wrapped(f"{name} does not fit: {printable(misfit.why)}.", style.width, hanging="  ")
    lines = [style.quiet(printable(what)), *map(style.bad, said)]
    if about is not None:
        call = f" · #{about.seq} {printable(f'{about.server}.{about.tool}')}" if about.action is not None else ""
        by = f" · by {printable(about.who)}" if about.who else ""
        when = day_and_time(about.at, zone)
        text = f"it says: {when} · run {printable(about.run)}{call} · {printable(about.kind)}{by}"
        lines += wrapped(text, style.width, indent="  ", hanging="    | ")
    if misfit.number is not None and misfit.number > first:
        lines.append(f"  The entries before it ({first} to {misfit.number - 1}) fit.")
    return lines


def old_lines(runs: Sequence[Old], payload_bytes: int, style: Style, zone: tzinfo | None = None) -> list[str]:
    """What pruning would drop, and what can then no longer be undone."""
    calls = counted(sum(run.actions for run in runs), "call")
    lines = wrapped(
        f"To drop: what {calls} of {counted(len(runs), 'run')} said, found and answered, {size_text(payload_bytes)}. What was"
        " called and when, what became of it and who decided stays.",
        style.width,
    )
    lost = [run for run in runs if run.undoable]
    if lost:
        text = f"{counted(len(lost), 'run')} with changes that were not undone: they cannot be undone any more."
        lines += ["", *(style.warn(line) for line in wrapped(text, style.width))]
        for run in lost[-_MOST_RUNS:]:
            who = fitted(printable(run.agent) or "(no client)", max(style.width - 42, 20))
            lines.append(f"  {printable(run.id):<12}  {day_and_time(run.started_at, zone)}  {who}")
        if len(lost) > _MOST_RUNS:
            lines.append(f"  … and {len(lost) - _MOST_RUNS:,} older ones; --json names them all")
    return lines


def size_text(size: int) -> str:
    """`4.2 MB`."""
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return counted(size, "byte")
