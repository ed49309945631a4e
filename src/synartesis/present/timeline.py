"""The lines of `show`: one run, call by call, each with the state that it replaced and the literal calls that would undo it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import tzinfo
from typing import NamedTuple

from synartesis.domain.calls import answer_text
from synartesis.domain.canonical import differences
from synartesis.domain.records import Action, Approval, Image, RunSummary
from synartesis.domain.status import ActionStatus, ApprovalStatus, ToolClass, Undone
from synartesis.present.diff import MAX_DIFFERENCES, path_text
from synartesis.present.labels import ACTION_STATUS, PRUNED, RUN_STATUS, TOOL_CLASS, UNDONE, counted
from synartesis.present.lines import wants_text, who_text
from synartesis.present.safe_text import SHORT, cells, printable, shortened, wrapped
from synartesis.present.style import PLAIN, Style
from synartesis.present.values import decoded, image_value, one_line, value_lines
from synartesis.present.when import day, day_and_time, time_of_day

_INDENT = "    "


class Around(NamedTuple):
    """What the lines of one run point at: requests by id, actions of other runs by id, and how a command is spelled."""

    approvals: Mapping[str, Approval]
    actions: Mapping[str, Action]
    spell: Callable[[Sequence[str]], str]
    unverified: Collection[str] = ()
    """Those of the run's actions that were undone without a read to show for it, by id."""


def show_lines(
    row: RunSummary, actions: Sequence[Action], around: Around, style: Style, zone: tzinfo | None = None
) -> list[str]:
    """A header, then a block per call in the order in which they were made."""
    run = row.run
    started = day_and_time(run.started_at, zone)
    lines = [
        style.strong(f"run {printable(run.id)}")
        + f" · {who_text(run, None if style.full else max(style.width - 20, 26))}",
        f"{RUN_STATUS[row.status]} · started {started} · {counted(row.actions, 'call')}",
        f"manifest {printable(run.manifest)}",
    ]
    wants = wants_text(row)
    if wants:
        lines.append(style.warn(wants))
    today = day(run.started_at, zone)
    for action in actions:
        when = time_of_day(action.at, zone) if day(action.at, zone) == today else day_and_time(action.at, zone)
        lines += ["", *_action_lines(action, when, around, style)]
    return lines


def _action_lines(action: Action, when: str, around: Around, style: Style) -> list[str]:
    title = f"#{action.seq}  {when}  {printable(f'{action.server}.{action.tool}')}"
    kind = TOOL_CLASS[action.tool_class]
    facts = f"{kind} · {_status_text(action, style, around.unverified)}"
    fits = cells(f"{title}  {kind} · {_status_text(action, PLAIN, around.unverified)}") <= style.width
    lines = [f"{style.strong(title)}  {facts}"] if fits else [style.strong(title), f"{_INDENT}{facts}"]
    if style.full:
        lines.append(f"{_INDENT}id: {printable(action.id)}")
    if action.pruned:
        lines += wrapped(PRUNED, style.width, indent=_INDENT, hanging=_INDENT)
    else:
        lines += _payload_lines(action, style)
    lines += _pointer_lines(action, around, style)
    if action.note:
        limit = None if style.full else SHORT * 2
        word = "why" if action.status is ActionStatus.HELD else "note"
        lines += _note_lines(word, action.note, limit, style)
    return lines


def _note_lines(word: str, note: str, limit: int | None, style: Style) -> list[str]:
    """Notes are kept a line each (see journal.rows), and may quote a server: what follows the first is marked."""
    first, *more = note.split("\n")
    lines = _said(f"{word}: {shortened(first, limit)}", style)
    for one in more:
        lines += wrapped(shortened(one, limit), style.width, indent=_INDENT + "  | ", hanging=_INDENT + "  | ")
    return lines


def _payload_lines(action: Action, style: Style) -> list[str]:
    lines = value_lines(decoded(action.arguments), style, indent=_INDENT, label="arguments:", compact=True)
    lines += _state_lines(action, style)
    lines += _answer_lines(action, style)
    for call in action.inverse or ():
        name = printable(f"{call.server}.{call.tool}")
        lines += value_lines(decoded(call.arguments), style, indent=_INDENT, label=f"undo: {name}", compact=True)
    return lines


def _status_text(action: Action, style: Style, unverified: Collection[str]) -> str:
    status = action.status
    text = ACTION_STATUS[status]
    if status is ActionStatus.REJECTED and action.read is None and action.tool_class is not ToolClass.READONLY:
        text += ", not checked by reading"
    if status in (ActionStatus.HELD, ActionStatus.UNKNOWN, ActionStatus.SENT, ActionStatus.PAUSED):
        text = style.warn(text)
    if action.undone is None:
        return text
    if action.undone is Undone.MISMATCH:
        return f"{text} · {style.bad('undo: ' + UNDONE[action.undone])}"
    mark = " [unverified]" if action.id in unverified else ""
    return f"{text} · {style.good('undone: ' + UNDONE[action.undone] + mark)}"


def _state_lines(action: Action, style: Style) -> list[str]:
    """Before in full; after as what changed, where both are there."""
    before, after = action.before, action.after
    lines: list[str] = []
    if before is not None:
        lines += _image_lines("before:", before, style)
    if after is None:
        return lines
    if before is None or before.state != "present" or after.state != "present":
        return lines + _image_lines("after:", after, style)
    changed = differences(image_value(before), image_value(after))
    if not changed:
        return [*lines, f"{_INDENT}after: the same"]
    limit = None if style.full else SHORT
    shown = changed if style.full else changed[:MAX_DIFFERENCES]
    lines.append(f"{_INDENT}after: changed")
    for path, old, new in shown:
        text = f"{path_text(path)}: {one_line(old, limit)} -> {one_line(new, limit)}"
        lines += wrapped(text, style.width, indent=_INDENT + "  ", hanging=_INDENT + "    | ")
    if len(changed) > len(shown):
        lines.append(f"{_INDENT}  … {len(changed) - len(shown):,} more; --full shows them …")
    return lines


def _image_lines(label: str, image: Image, style: Style) -> list[str]:
    limit = None if style.full else SHORT
    if image.state == "present":
        return value_lines(image_value(image), style, indent=_INDENT, label=label, compact=True)
    if image.state == "absent":
        return [f"{_INDENT}{label} not there"]
    word = "refused" if image.state == "refused" else "could not be read"
    return _said(f"{label} {word}: {shortened(image.why, limit)}", style)


def _answer_lines(action: Action, style: Style) -> list[str]:
    """What the server said, where that is not simply that it is done."""
    if action.reply is None or (action.status is ActionStatus.APPLIED and not style.full):
        return []
    reply = decoded(action.reply)
    if style.full:
        return value_lines(reply, style, indent=_INDENT, label="answer:")
    text = answer_text(reply)
    return _said(f"answer: {shortened(text, quoted=True)}", style) if text else []


def _pointer_lines(action: Action, around: Around, style: Style) -> list[str]:
    lines: list[str] = []
    if action.undoes is not None:
        lines += _said(f"undoes {place(action.undoes, around, action.run)}", style)
    if action.status is ActionStatus.HELD and (request := around.approvals.get(action.id)) is not None:
        lines += _said(request_text(request, around, action.run), style)
        if request.status is ApprovalStatus.WAITING:
            lines.append(f"{_INDENT}approve: {around.spell(['approve', action.id])}")
    elif action.approval is not None:
        request = around.approvals.get(action.approval)
        by = f" by {printable(request.decided_by)}" if request is not None and request.decided_by else ""
        verb = "denied" if action.status is ActionStatus.DENIED else "approved"
        lines += _said(f"{verb}{by}, request {printable(action.approval)}", style)
    return lines


def request_text(request: Approval, around: Around, run: str = "") -> str:
    """What became of a request, in one sentence."""
    by = f" by {printable(request.decided_by)}" if request.decided_by else ""
    reason = f': "{shortened(request.reason)}"' if request.reason else ""
    match request.status:
        case ApprovalStatus.WAITING:
            asked = "" if request.attempts <= 1 else f" (asked {request.attempts:,} times)"
            return f"waits for a decision{asked}"
        case ApprovalStatus.GRANTED:
            return f"approved{by}{reason}; the agent has not repeated the call yet"
        case ApprovalStatus.RESERVED:
            return f"approved{by}{reason}; being carried out"
        case ApprovalStatus.USED:
            done = f"; carried out as {place(request.spent_by, around, run)}" if request.spent_by else "; carried out"
            return f"approved{by}{reason}{done}"
        case ApprovalStatus.DENIED:
            return f"denied{by}{reason}"
        case ApprovalStatus.LAPSED:
            return f"the decision{by} lapsed after an hour{reason}"


def place(action: str, around: Around, run: str) -> str:
    """Where an action stands: `#7`, or `#7 of run a1b2`."""
    found = around.actions.get(action)
    if found is None:
        return f"action {printable(action)}"
    return f"#{found.seq}" if found.run == run else f"#{found.seq} of run {printable(found.run)}"


def _said(text: str, style: Style) -> list[str]:
    """Words that may quote text from outside: each further line is marked, or a well-chosen length would let that text start
    a line which looks like ours."""
    return wrapped(text, style.width, indent=_INDENT, hanging=_INDENT + "  | ")
