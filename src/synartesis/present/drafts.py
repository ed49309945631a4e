"""The lines of `init`: what was written, what passes, what is held until somebody looked at it, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from synartesis.present.labels import counted
from synartesis.present.safe_text import printable, printable_lines, wrapped
from synartesis.present.style import Style


class Drafted(NamedTuple):
    """What came of one server, in words and names."""

    server: str
    how: str
    """The command that starts it."""
    tools: int
    manifest: str
    written: str
    """`new`, `extended`, or empty where there was nothing to add."""
    policy: str = ""
    about: str = ""
    """What the shipped policy says of itself."""
    misfit: str = ""
    """Which shipped policy came near, and what did not fit."""
    passes: Sequence[str] = ()
    undoable: Sequence[str] = ()
    held_if_new: Sequence[str] = ()
    """Of those: held where nothing is there yet, because nothing could take away what such a call makes."""
    held_if_there: Sequence[str] = ()
    """Of those: held where something is there already."""
    held: Sequence[str] = ()
    governed: Sequence[tuple[str, str]] = ()
    not_named: Sequence[str] = ()
    warnings: Sequence[str] = ()
    next_steps: Sequence[tuple[str, str]] = ()
    """A command, and what it is for."""


def drafted_lines(drafted: Drafted, style: Style) -> list[str]:
    lines = _text(f"{drafted.server}: {counted(drafted.tools, 'tool')}, from {drafted.how}", style)
    if drafted.policy:
        lines += _text(f"The policy `{drafted.policy}`, which ships with Synartesis, fits and was taken:", style)
        lines += wrapped(printable(drafted.about), style.width, indent="  ", hanging="  ")
    elif drafted.misfit:
        lines += _text(f"The shipped policy {drafted.misfit}", style)
        lines += _text("So it was not taken, and the tools were drafted one by one.", style)
    lines.append("")
    says = "it only reads. Review it" if len(drafted.passes) == 1 else "they only read. Review them"
    reviewed = " (by the shipped policy)" if drafted.policy else f": the server says that {says}"
    lines += _group(
        style.good("pass"), drafted.passes, f"{counted(len(drafted.passes), 'read')} will pass{reviewed}", style
    )
    undoable = f"{counted(len(drafted.undoable), 'write')} will be recorded, and can be undone"
    lines += _group(style.good("undo"), drafted.undoable, undoable, style, exceptions=_exceptions(drafted))
    held = f"{counted(len(drafted.held), 'tool')} will be held until a person approves each call"
    todo = "" if drafted.policy else ". Each has a TODO in the manifest: say how it is undone, where it can be"
    lines += _group(style.warn("hold"), drafted.held, held + todo, style)
    governed = f"{counted(len(drafted.governed), 'tool')} had a rule already, which stays as it is"
    lines += _group(style.quiet("rule"), [f"{tool} ({rule})" for tool, rule in drafted.governed], governed, style)
    unnamed = f"{counted(len(drafted.not_named), 'tool')} cannot be named in a rule, because of a `*`. They are held"
    lines += _group(style.warn("hold"), drafted.not_named, unnamed, style)
    for warning in drafted.warnings:
        lines += _text(f"note: {warning}", style)
    lines += [*([""] if lines[-1] else []), *_outcome(drafted, style), "", "Next:"]
    for command, purpose in drafted.next_steps:
        lines += [f"  {printable(command)}", *wrapped(purpose, style.width, indent=" " * 6, hanging=" " * 6)]
    return lines


def _exceptions(drafted: Drafted) -> dict[str, Sequence[str]]:
    return {
        "held where nothing is there yet": drafted.held_if_new,
        "held where something is there already": drafted.held_if_there,
    }


def _outcome(drafted: Drafted, style: Style) -> list[str]:
    where = printable(drafted.manifest)
    match drafted.written:
        case "new":
            said = f"Written: {where}"
        case "extended":
            said = f"Extended: {where}. What stood there stands there still."
        case _:
            said = f"Every tool has a rule in {where} already; nothing was written."
    return wrapped(said, style.width, keep_words=True)


def _group(
    word: str, names: Sequence[str], what: str, style: Style, *, exceptions: Mapping[str, Sequence[str]] = {}
) -> list[str]:
    if not names:
        return []
    column = " " * 6
    lines = wrapped(f"{what}:", style.width, indent=column, hanging=column)
    lines[0] = f"{word}  {lines[0][6:]}"
    below = column + "  "
    lines += wrapped(", ".join(map(printable, names)), style.width, indent=below, hanging=below)
    for how, some in exceptions.items():
        if some:
            lines += wrapped(
                f"{how}: {', '.join(map(printable, some))}", style.width, indent=below, hanging=below + "  "
            )
    return [*lines, ""]


def _text(text: str, style: Style) -> list[str]:
    return [
        line for part in printable_lines(text) for line in wrapped(part, style.width, hanging="  ", keep_words=True)
    ]
