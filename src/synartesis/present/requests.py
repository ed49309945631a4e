"""The lines of `gates`: what waits for a decision, whole enough to decide on, with the commands that decide it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo

from synartesis.domain.records import Approval
from synartesis.present.labels import counted
from synartesis.present.safe_text import SHORT, printable, shortened, wrapped
from synartesis.present.style import Style
from synartesis.present.values import decoded, value_lines
from synartesis.present.when import day_and_time

Spell = Callable[[Sequence[str]], str]


def gate_lines(waiting: Sequence[Approval], spell: Spell, style: Style, zone: tzinfo | None = None) -> list[str]:
    """Each request in a block. Requests for one tool stand together: a call that is varied until somebody says yes is seen
    as what it is."""
    if not waiting:
        return ["Nothing waits for a decision."]
    lines = [f"{counted(len(waiting), 'call')} {'waits' if len(waiting) == 1 else 'wait'} for a decision."]
    for request in together(waiting):
        lines += ["", *request_lines(request, style, zone)]
        lines.append(f"    approve: {spell(['approve', request.id])}")
        lines.append(f"    deny:    {spell(['deny', request.id])}")
    return lines


def together(waiting: Sequence[Approval]) -> list[Approval]:
    """Oldest first, and all of one tool behind the oldest of them."""
    first: dict[tuple[str, str, str], int] = {}
    for at, request in enumerate(waiting):
        first.setdefault((request.identity, request.server, request.tool), at)
    return sorted(waiting, key=lambda request: first[request.identity, request.server, request.tool])


def request_lines(request: Approval, style: Style, zone: tzinfo | None = None) -> list[str]:
    """What is asked, why a person is asked, and whether it happened before."""
    limit = None if style.full else SHORT * 2
    name = printable(f"{request.server}.{request.tool}")
    since = day_and_time(request.requested_at, zone)
    asked = f"asked {since}" if request.attempts <= 1 else f"asked {request.attempts:,} times since {since}"
    lines = [
        f"{style.strong(printable(request.id))}  {style.strong(name)}",
        f"    {asked} · run {printable(request.run)} #{request.seq}",
        *wrapped(f"why: {shortened(request.why, limit)}", style.width, indent="    ", hanging="      | "),
        *value_lines(decoded(request.arguments), style, indent="    ", label="arguments:"),
    ]
    for run, seq, undone in request.earlier:
        since_undone = " and undone since" if undone else ""
        lines.append(
            "    " + style.warn(f"The same call was carried out before: run {printable(run)} #{seq}{since_undone}.")
        )
    return lines
