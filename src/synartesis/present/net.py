"""The lines of `diff`: what a run changed, thing by thing."""

from __future__ import annotations

from collections.abc import Sequence

from synartesis.domain.canonical import Difference
from synartesis.domain.records import RunSummary
from synartesis.present.diff import MAX_DIFFERENCES, path_text
from synartesis.present.labels import RUN_STATUS, counted
from synartesis.present.lines import who_text
from synartesis.present.safe_text import SHORT, printable, shortened, wrapped
from synartesis.present.style import Style
from synartesis.present.values import image_value, one_line, value_lines
from synartesis.undo.net import NetChange

_INDENT = "    "


def diff_lines(row: RunSummary, changes: Sequence[NetChange], style: Style) -> list[str]:
    """A header, then a block per thing; what nothing shows comes last."""
    run = row.run
    lines = [
        style.strong(f"what run {printable(run.id)} changed")
        + f" · {who_text(run, None if style.full else max(style.width - 40, 26))} · {RUN_STATUS[row.status]}"
    ]
    seen = [change for change in changes if change.is_seen]
    for change in seen:
        lines += ["", *_change_lines(change, style)]
    gone = [change for change in changes if change.pruned]
    if gone:
        lines += ["", style.warn(f"{counted(len(gone), 'call')} of which what changed was pruned:")]
        for change in gone:
            text = f"#{change.calls[0]} {printable(str(change.tool))}{_undone(change)}"
            lines += wrapped(text, style.width, indent=_INDENT, hanging=_INDENT + "  | ")
    rest = [change for change in changes if not change.is_seen and not change.pruned]
    if rest:
        lines += ["", style.warn(f"{counted(len(rest), 'call')} of which no read shows what changed:")]
        for change in rest:
            text = f"#{change.calls[0]} {printable(str(change.tool))} {_arguments(change, style)}{_undone(change)}"
            lines += wrapped(text, style.width, indent=_INDENT, hanging=_INDENT + "  | ")
    if not changes:
        lines += ["", "It changed nothing."]
    return lines


def _change_lines(change: NetChange, style: Style) -> list[str]:
    calls = ", ".join(f"#{seq}" for seq in change.calls)
    title = f"{printable(str(change.tool))} {_arguments(change, style)}"
    lines = wrapped(title, style.width, hanging="  | ")
    lines[0] = style.strong(lines[0])
    lines += wrapped(f"by {calls}{_undone(change)}", style.width, indent=_INDENT, hanging=_INDENT)
    lines += _what_changed(change, style)
    if change.between:
        lines += [f"{_INDENT}changed between its calls, and not by them:", *_difference_lines(change.between, style)]
    if change.unknown:
        which = ", ".join(f"#{seq}" for seq in change.unknown)
        text = f"nobody saw what {which} left: it is not known whether there is more"
        lines += [style.warn(line) for line in wrapped(text, style.width, indent=_INDENT, hanging=_INDENT)]
    return lines


def _what_changed(change: NetChange, style: Style) -> list[str]:
    first, last = change.first, change.last
    if not change.differences:
        calm = "its calls left it as they found it" if change.between else "as it was before"
        return [] if change.unknown else [f"{_INDENT}{calm}"]
    if first is not None and last is not None:
        if first.state == "present" and last.state == "absent":
            return value_lines(image_value(first), style, indent=_INDENT, label="removed:", compact=True)
        if first.state == "absent" and last.state == "present":
            return value_lines(image_value(last), style, indent=_INDENT, label="added:", compact=True)
    return _difference_lines(change.differences, style)


def _difference_lines(differences: Sequence[Difference], style: Style) -> list[str]:
    limit = None if style.full else SHORT
    shown = differences if style.full else differences[:MAX_DIFFERENCES]
    lines: list[str] = []
    for path, old, new in shown:
        text = f"{path_text(path)}: {one_line(old, limit)} -> {one_line(new, limit)}"
        lines += wrapped(text, style.width, indent=_INDENT, hanging=_INDENT + "  | ")
    if len(differences) > len(shown):
        lines.append(f"{_INDENT}… {len(differences) - len(shown):,} more; --full shows them …")
    return lines


def _undone(change: NetChange) -> str:
    if not change.undone:
        return ""
    if change.undone == change.calls:
        return " (undone since)"
    return f" ({', '.join(f'#{seq}' for seq in change.undone)} undone since)"


def _arguments(change: NetChange, style: Style) -> str:
    limit = None if style.full else SHORT
    return shortened(one_line(change.arguments, limit), None if style.full else SHORT * 2)
