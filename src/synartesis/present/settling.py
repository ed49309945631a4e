"""The lines of `settle`: what a call was to change, what was there before it and is there now, and what can be said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from synartesis.domain.calls import Absent, Observation, Present, Refused, Unreadable
from synartesis.present.diff import difference_lines
from synartesis.present.labels import PRUNED
from synartesis.present.safe_text import SHORT, printable, shortened, wrapped
from synartesis.present.style import Style
from synartesis.present.values import decoded, value_lines
from synartesis.undo.settle import Settling

ANY_RESULT = '{"...": "..."}'
"""In the place of what a server returned: it names nothing, so it is refused as it stands."""

_INDENT = "    "


def settling_lines(settling: Settling, spell: Callable[[Sequence[str]], str], style: Style) -> list[str]:
    """Everything that a person needs to decide, and the commands that do."""
    return [
        *seen_lines(settling, style),
        "",
        "It was sent and no answer came. If it was not carried out:",
        f"  {spell(['settle', settling.action.id, '--not-applied'])}",
        *_if_applied(settling, spell),
    ]


def seen_lines(settling: Settling, style: Style) -> list[str]:
    """The call, and the two states."""
    action = settling.action
    title = f"#{action.seq}  {printable(f'{action.server}.{action.tool}')}"
    lines = [f"{style.strong(title)}  {printable(action.id)} · run {printable(action.run)}"]
    if action.pruned:
        return lines + wrapped(PRUNED, style.width, indent=_INDENT, hanging=_INDENT)
    lines += value_lines(decoded(action.arguments), style, indent=_INDENT, label="arguments:", compact=True)
    lines += _state_lines("before:", settling.before, style)
    if settling.now is None:
        return [*lines, f"{_INDENT}now: no read shows it"]
    lines += _state_lines("now:", settling.now, style)
    if settling.before is None or isinstance(settling.now, Unreadable):
        return lines
    if not settling.differences:
        return [*lines, f"{_INDENT}now is as before"]
    triples = [(one.path, one.expected, one.actual) for one in settling.differences]
    return [
        *lines,
        f"{_INDENT}differences:",
        *difference_lines(triples, style, indent=_INDENT + "  ", expected="before", actual="now"),
    ]


def settled_lines(status: str, settling: Settling, style: Style, *, took_now: bool) -> list[str]:
    """What was recorded, and what it means for an undo."""
    action = settling.action
    name = f"#{action.seq} of run {printable(action.run)}"
    if status != "applied":
        return [style.good(f"{name} counts as not carried out: there is nothing to undo.")]
    lines = [style.good(f"{name} counts as carried out.")]
    if settling.inverse is None:
        return [*lines, "Nothing is known that undoes it."]
    if settling.read is not None and not took_now:
        lines += wrapped(
            f"What it left was not recorded, so an undo will stop there; `--unchecked {action.seq}` overrules that.",
            style.width,
        )
    return lines


def _if_applied(settling: Settling, spell: Callable[[Sequence[str]], str]) -> list[str]:
    words = ["settle", settling.action.id, "--applied"]
    more = ["--result", ANY_RESULT] if settling.needs_result else []
    needs = ", with what the server answered, which its undo needs" if settling.needs_result else ""
    lines: list[str] = []
    if settling.changed_later:
        later = settling.changed_later[0]
        where = f"#{later.seq}" if later.run == settling.action.run else f"#{later.seq} of run {printable(later.run)}"
        return [f"If it was ({where} changed the same thing later){needs}:", f"  {spell([*words, *more])}"]
    if isinstance(settling.now, Present | Absent):
        lines += [
            f"If it was, and what is there now is what it left{needs}:",
            f"  {spell([*words, *more, '--take-now-as-after'])}",
        ]
    return [*lines, f"If it was, and somebody else has changed it since{needs}:", f"  {spell([*words, *more])}"]


def _state_lines(label: str, seen: Observation | None, style: Style) -> list[str]:
    limit = None if style.full else SHORT
    match seen:
        case None:
            return [f"{_INDENT}{label} not known"]
        case Present(value=value):
            return value_lines(value.whole, style, indent=_INDENT, label=label, compact=True)
        case Absent():
            return [f"{_INDENT}{label} not there"]
        case Refused(why=why) | Unreadable(why=why):
            word = "refused" if isinstance(seen, Refused) else "could not be read"
            text = f"{label} {word}: {shortened(why, limit)}"
            return wrapped(text, style.width, indent=_INDENT, hanging=_INDENT + "  | ")
