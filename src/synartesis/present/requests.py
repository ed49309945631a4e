"""The lines of `gates`: what waits for a decision, whole enough to decide on, with the commands that decide it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo

from synartesis.domain.canonical import Json, same_json
from synartesis.domain.records import Allowance, Approval
from synartesis.present.labels import counted
from synartesis.present.lookalikes import lookalikes, lookalikes_in
from synartesis.present.safe_text import SHORT, fitted, printable, shortened, wrapped
from synartesis.present.style import Style
from synartesis.present.values import decoded, image_value, one_line, value_lines
from synartesis.present.when import day_and_time

Spell = Callable[[Sequence[str]], str]


MAX_BLOCKS = 10
"""So many requests, or groups of them, are shown whole unless all is asked for; the others in a line each."""
MAX_IN_LINE = 40
MAX_VARIANTS = 20


def gate_lines(
    waiting: Sequence[Approval],
    spell: Spell,
    style: Style,
    zone: tzinfo | None = None,
    *,
    allowances: Sequence[Allowance] = (),
) -> list[str]:
    """Each request in a block, those that differ in one argument in one. Requests for one tool stand together: a call that is
    varied until somebody says yes is seen as what it is."""
    if not waiting:
        return ["Nothing waits for a decision.", *allowance_lines(allowances, spell, style)]
    lines = [f"{counted(len(waiting), 'call')} {'waits' if len(waiting) == 1 else 'wait'} for a decision."]
    blocks = grouped(waiting)
    whole = len(blocks) if style.full else MAX_BLOCKS
    for group in blocks[:whole]:
        one = len(group) == 1
        lines += ["", *(request_lines(group[0], style, zone) if one else _variant_lines(group, style, zone))]
        which = "" if one else " the first"
        lines.append(f"    approve{which}: {spell(['approve', group[0].id])}")
        lines.append(f"    deny{which}:    {spell(['deny', group[0].id])}")
    lines += _short_lines([request for group in blocks[whole:] for request in group], style, zone)
    return [*lines, *allowance_lines(allowances, spell, style)]


def allowance_lines(allowances: Sequence[Allowance], spell: Spell, style: Style) -> list[str]:
    """By what calls may still go out without being asked about, and how that is taken back."""
    lines = []
    for each in allowances:
        tool = printable(f"{each.server}.{each.tool}")
        by = f" (approved by {printable(each.by)})" if each.by else ""
        text = f"{tool} may be called {counted(each.left, 'time')} more in run {printable(each.run)}, whatever the arguments{by}"
        lines += ["", *(style.warn(line) for line in wrapped(text, style.width))]
        lines.append(f"    take back: {spell(['deny', each.request])}")
    return lines


def grouped(waiting: Sequence[Approval]) -> list[list[Approval]]:
    """In order, and together what differs from the first of its group in one and the same argument."""
    groups: list[tuple[list[Approval], dict[str, Json] | None, str | None]] = []
    for request in together(waiting):
        arguments = _arguments(request)
        for at, (group, first, key) in enumerate(groups):
            if arguments is None or first is None or _tool(group[0]) != _tool(request):
                continue
            differs = _one_that_differs(first, arguments)
            if differs is not None and key in (None, differs):
                group.append(request)
                groups[at] = (group, first, differs)
                break
        else:
            groups.append(([request], arguments, None))
    return [group for group, _, _ in groups]


def together(waiting: Sequence[Approval]) -> list[Approval]:
    """Oldest first, and all of one tool behind the oldest of them."""
    first: dict[tuple[str, str, str], int] = {}
    for at, request in enumerate(waiting):
        first.setdefault(_tool(request), at)
    return sorted(waiting, key=lambda request: first[_tool(request)])


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
        *_rule_lines(request, style),
        *value_lines(decoded(request.arguments), style, indent="    ", label="arguments:"),
        *_lookalike_lines(request, style),
        *_state_lines(request, style),
    ]
    return [*lines, *_earlier_lines(request, style), *_count_lines(request, style)]


# --- below: how


def _tool(request: Approval) -> tuple[str, str, str]:
    return request.identity, request.server, request.tool


def _arguments(request: Approval) -> dict[str, Json] | None:
    value = decoded(request.arguments)
    return value if isinstance(value, dict) else None


def _one_that_differs(a: dict[str, Json], b: dict[str, Json]) -> str | None:
    """The one argument in which two calls differ; None where it is not just one."""
    if a.keys() != b.keys():
        return None
    differing = [key for key in a if not same_json(a[key], b[key])]
    return differing[0] if len(differing) == 1 else None


def _variant_lines(group: Sequence[Approval], style: Style, zone: tzinfo | None) -> list[str]:
    """What is common to all, and then for each its id and the one argument in which it differs."""
    first, values = group[0], [_arguments(request) or {} for request in group]
    key = _one_that_differs(values[0], values[1]) or ""
    common = {name: value for name, value in values[0].items() if name != key}
    name, argument = printable(f"{first.server}.{first.tool}"), shortened(key, 60, quoted=True)
    since, until = (day_and_time(request.requested_at, zone) for request in (first, group[-1]))
    runs = ", ".join(dict.fromkeys(printable(request.asked_in or request.run) for request in group))
    lines = [
        f"{style.strong(name)}: {style.strong(f'{len(group)} calls')} that differ only in {argument}",
        *wrapped(
            f"asked {since if since == until else f'{since} to {until}'} · run {runs}",
            style.width,
            indent="    ",
            hanging="      ",
        ),
        *wrapped(f"why: {shortened(first.why, SHORT * 2)}", style.width, indent="    ", hanging="      | "),
    ]
    lines += _rule_lines(first, style)
    if common:
        lines += value_lines(common, style, indent="    ", label="arguments of all:")
    lines.append(f"    {argument}:")
    shown = len(group) if style.full else MAX_VARIANTS
    for request, value in zip(group[:shown], values, strict=False):
        again = f" (asked {request.attempts:,} times)" if request.attempts > 1 else ""
        text = f"{printable(request.id)}  {one_line(value[key], None if style.full else SHORT)}{again}"
        lines += wrapped(text, style.width, indent="      ", hanging="        | ")
        about = (*_lookalike_lines(request, style), *_state_lines(request, style), *_earlier_lines(request, style))
        lines += [f"    {line}" for line in about]
    if len(group) > shown:
        lines.append(f"      … and {len(group) - shown:,} more; --full shows them")
    return [*lines, *_count_lines(group[-1], style)]


def _short_lines(requests: Sequence[Approval], style: Style, zone: tzinfo | None) -> list[str]:
    if not requests:
        return []
    lines = ["", f"{counted(len(requests), 'other call')}; --full shows each of them whole:"]
    for request in requests[:MAX_IN_LINE]:
        start = f"  {printable(request.id)}  {day_and_time(request.requested_at, zone)}  "
        what = f"{printable(f'{request.server}.{request.tool}')} {one_line(decoded(request.arguments), 40)}"
        lines.append(start + fitted(what, max(style.width - len(start), 20)))
    if len(requests) > MAX_IN_LINE:
        lines.append(f"  … and {len(requests) - MAX_IN_LINE:,} more")
    return lines


def _rule_lines(request: Approval, style: Style) -> list[str]:
    """What the rule says, which whoever wrote the manifest wrote."""
    said = request.says.split("\n") if request.says else []
    return [
        line
        for text in said
        for line in wrapped(f"rule: {printable(text)}", style.width, indent="    ", hanging="      | ")
    ]


def _lookalike_lines(request: Approval, style: Style) -> list[str]:
    told = lookalikes(f"{request.server}.{request.tool}") + lookalikes_in(decoded(request.arguments))
    lines = (wrapped(f"look closely: {text}", style.width, indent="    ", hanging="      | ") for text in told)
    return [style.warn(line) for each in lines for line in each]


def _state_lines(request: Approval, style: Style) -> list[str]:
    """What is there now, as far as a read that the rule declares could tell when the call was held."""
    if request.seen is None:
        return []
    read, image = request.seen
    label = f"there now ({printable(f'{read.server}.{read.tool}')}):"
    if image.state == "present":
        return value_lines(image_value(image), style, indent="    ", label=label)
    what = "nothing" if image.state == "absent" else "it could not be read"
    why = f" ({shortened(image.why, SHORT)})" if image.why else ""
    return wrapped(f"{label} {what}{why}", style.width, indent="    ", hanging="      | ")


def _count_lines(request: Approval, style: Style) -> list[str]:
    if not request.made:
        return []
    tool = printable(f"{request.server}.{request.tool}")
    text = f"This client made {counted(request.made, 'call')} of {tool} in the 24 hours before."
    return wrapped(text, style.width, indent="    ", hanging="      ")


def _earlier_lines(request: Approval, style: Style) -> list[str]:
    return [
        "    "
        + style.warn(
            f"The same call was carried out before: run {printable(run)} #{seq}{' and undone since' if undone else ''}."
        )
        for run, seq, undone in request.earlier
    ]
