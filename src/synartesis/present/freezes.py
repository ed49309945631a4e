"""The lines that say that every write is stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo

from synartesis.domain.records import Freeze
from synartesis.present.safe_text import SHORT, printable, shortened, wrapped
from synartesis.present.style import Style
from synartesis.present.when import day_and_time


def freeze_lines(
    held: Freeze, spell: Callable[[Sequence[str]], str], style: Style, zone: tzinfo | None = None
) -> list[str]:
    by = f" by {printable(held.by)}" if held.by else ""
    reason = f": {shortened(held.reason, SHORT)}" if held.reason else ""
    text = f"Frozen{by} since {day_and_time(held.at, zone)}{reason}. Every write of every agent is refused."
    said = wrapped(text, style.width, hanging="  | ")
    return [*(style.warn(line) for line in said), f"    resume: {spell(['resume'])}"]
