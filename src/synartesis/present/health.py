"""The lines of `doctor`: what is right, what is wrong with the command that mends it, and what is worth knowing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from synartesis.present.labels import counted
from synartesis.present.safe_text import printable_lines, wrapped
from synartesis.present.style import Style


class Remark(NamedTuple):
    """One thing that was looked at. Only `wrong` counts."""

    severity: Literal["ok", "wrong", "note"]
    about: str
    """`manifest`, `journal`, `server NAME`, `client NAME`, `run ID`."""
    text: str
    mend: str = ""
    """The command that mends it, or what to do by hand."""


_COLUMN = " " * 7


def health_lines(remarks: Sequence[Remark], style: Style) -> list[str]:
    lines: list[str] = []
    for remark in remarks:
        paint = {"ok": style.good, "wrong": style.bad, "note": style.quiet}[remark.severity]
        said = _text_lines(f"{remark.about}: {remark.text}", _COLUMN, style)
        said[0] = paint(remark.severity.ljust(5)) + said[0][5:]
        lines += said
        if remark.mend:
            lines += _text_lines(f"mend: {remark.mend}", _COLUMN + "  ", style)
    wrong = sum(remark.severity == "wrong" for remark in remarks)
    end = (
        style.bad(f"{counted(wrong, 'thing')} {'is' if wrong == 1 else 'are'} wrong.")
        if wrong
        else style.good("All well.")
    )
    return [*lines, "", end]


def _text_lines(text: str, indent: str, style: Style) -> list[str]:
    """Commands are kept whole, so that they can be copied."""
    lines: list[str] = []
    for at, line in enumerate(printable_lines(text)):
        lead = indent if not at else indent + "  "
        lines += wrapped(line, style.width, indent=lead, hanging=indent + "  ", keep_words=True)
    return lines
