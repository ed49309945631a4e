"""The lines of `doctor`: what is right, what is wrong with the command that mends it, and what is worth knowing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from synartesis.present.labels import counted
from synartesis.present.safe_text import command_lines, message_lines, printable
from synartesis.present.style import Style


class Remark(NamedTuple):
    """One thing that was looked at. Only `wrong` counts."""

    severity: Literal["ok", "wrong", "note"]
    about: str
    """`manifest`, `journal`, `server NAME`, `client NAME`, `run ID`."""
    text: str
    mend: str = ""
    """What to do, in words; on lines below them, commands."""
    command: str = ""
    """The command that mends it, where that is all there is to do."""

    @property
    def remedy(self) -> str:
        return self.command or self.mend


_COLUMN = " " * 7


def health_lines(remarks: Sequence[Remark], style: Style) -> list[str]:
    lines: list[str] = []
    for remark in remarks:
        paint = {"ok": style.good, "wrong": style.bad, "note": style.quiet}[remark.severity]
        said = message_lines(f"{remark.about}: {remark.text}", style.width, indent=_COLUMN, hanging=_COLUMN + "  ")
        said[0] = paint(remark.severity.ljust(5)) + said[0][5:]
        lines += said
        lines += _remedy_lines(remark, style)
    wrong = sum(remark.severity == "wrong" for remark in remarks)
    end = (
        style.bad(f"{counted(wrong, 'thing')} {'is' if wrong == 1 else 'are'} wrong.")
        if wrong
        else style.good("All well.")
    )
    return [*lines, "", end]


def _remedy_lines(remark: Remark, style: Style) -> list[str]:
    lead = _COLUMN + "  mend: "
    if remark.command:
        return [lead + printable(remark.command)]
    return command_lines(remark.mend, style.width, indent=lead, hanging=_COLUMN + "    ") if remark.mend else []
