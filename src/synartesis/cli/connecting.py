"""The lines of `connect` and `disconnect`: what would change, what is left and why, and what no proxy can see."""

from __future__ import annotations

from pathlib import Path

from synartesis.cli.shapes import Shape
from synartesis.domain.status import ToolClass
from synartesis.onboard.clients import CLIENTS, Client, understand
from synartesis.onboard.newcomers import Left, Newcomer, Seen
from synartesis.onboard.preview import diff_lines, difference
from synartesis.onboard.proposal import Proposal
from synartesis.present.labels import counted
from synartesis.present.safe_text import printable, shortened, wrapped
from synartesis.present.style import Style
from synartesis.workspace.connecting import ConnectPlan, DisconnectPlan
from synartesis.workspace.files import command_line

_INDENT = "    "
_LONGEST_LINE = 400
"""A file without line ends is one line."""


def connect_lines(plan: ConnectPlan, style: Style) -> list[str]:
    """Everything that a person has to know before saying yes."""
    lines = [f"{plan.client.title}: {_go(len(plan.newcomers))} behind the proxy.", ""]
    proposals = {proposal.server: proposal for proposal in plan.proposals}
    for newcomer in plan.newcomers:
        lines += _newcomer_lines(newcomer, proposals.get(newcomer.server.name), style)
    for edit in plan.edits:
        sides = [
            None if text is None else understand(plan.client, text, "") for text in (edit.before, edit.edited.text)
        ]
        entries = [change.path for change in edit.edited.step.changes]
        lines += ["", *_painted(difference(str(edit.file), sides[0], sides[1], entries), style)]
    before, after = plan.manifest_before, plan.manifest_after
    if after is not None and after != before:
        shown = diff_lines(str(plan.manifest), before or "", after, is_new=before is None)
        lines += ["", *_painted(shown, style)]
    return [*lines, *left_lines(plan, style), *_uncovered_lines(plan, style)]


def nothing_lines(plan: ConnectPlan, style: Style) -> list[str]:
    """Where there is nothing to connect."""
    lines = [f"{plan.client.title}: nothing to put behind the proxy."]
    if plan.already:
        names = ", ".join(map(printable, plan.already))
        lines += _said(f"behind it already: {names}", style)
    return [*lines, *left_lines(plan, style)]


def left_lines(plan: ConnectPlan, style: Style) -> list[str]:
    if not plan.left and not plan.elsewhere:
        return []
    lines = ["", "Left as it is:" if len(plan.left) + len(plan.elsewhere) == 1 else "Left as they are:"]
    for left in plan.left:
        lines += _left_lines(left, style)
    for folder in plan.elsewhere:
        lines += _said(f"servers of the project {printable(folder)}: connect them from that folder", style)
    return lines


def disconnect_lines(plan: DisconnectPlan, style: Style) -> list[str]:
    lines: list[str] = []
    for record, text, back in plan.taken:
        name = str(record.file)
        lines += [""] if lines else []
        if back.undone:
            lines += [f"{plan.client.title}: {_start(back.undone)} again.", ""]
        if back.text != text:
            sides = [None if side is None else understand(plan.client, side, "") for side in (text, back.text)]
            entries = [change.path for change in record.changes]
            lines += _painted(difference(name, sides[0], sides[1], entries), style)
        for entry, why in back.kept:
            lines += wrapped(f"{printable(entry)} in {printable(name)}: {why}", style.width, hanging=_INDENT)
    return lines


def client_lines(found: list[tuple[Client, list[Seen], str]], style: Style) -> list[str]:
    """What `connect` without a client says: which are here, and which of their servers are behind the proxy."""
    lines: list[str] = []
    problems: list[str] = []
    for client, seen, problem in found:
        entries = [entry for each in seen for entry in each.entries]
        behind = sum(entry.kind == "proxy" for entry in entries)
        if problem:
            text = style.bad("its file cannot be read")
            problems += ["", *wrapped(printable(problem.split("\n")[0]), style.width, hanging="  ", keep_words=True)]
        elif not any(each.text is not None for each in seen):
            text = style.quiet("not found")
        elif not entries:
            text = "no servers"
        else:
            text = f"{counted(len(entries), 'server')}, {behind or 'none'} behind the proxy"
        lines.append(f"  {client.name:<15} {client.title:<15} {text}")
    how = f"To connect one: {command_line(['connect', 'CLIENT'])}"
    return ["MCP clients on this machine:", "", *lines, *problems, "", how]


def connect_shape(plan: ConnectPlan, *, done: bool) -> Shape:
    proposals = {proposal.server: proposal for proposal in plan.proposals}
    return {
        "client": plan.client.name,
        "done": done,
        "manifest": str(plan.manifest),
        "files": [str(edit.file) for edit in plan.edits],
        "connected": [
            {
                "name": newcomer.move.path[-1],
                "server": newcomer.server.name,
                "file": str(newcomer.file),
                "added": newcomer.added,
                "policy": proposals[newcomer.server.name].policy if newcomer.server.name in proposals else "",
            }
            for newcomer in plan.newcomers
        ],
        "left": [left._asdict() for left in plan.left],
        "already": list(plan.already),
        "elsewhere": list(plan.elsewhere),
    }


def disconnect_shape(plan: DisconnectPlan, stay: list[Path], *, done: bool) -> Shape:
    return {
        "client": plan.client.name,
        "done": done,
        "files": [
            {
                "file": str(record.file),
                "disconnected": list(back.undone),
                "left": [{"name": name, "why": why} for name, why in back.kept],
                "exact": back.is_exact,
            }
            for record, _, back in plan.taken
        ],
        "copies": [str(path) for path in stay],
    }


def client_names() -> list[str]:
    return [client.name for client in CLIENTS]


# --- below: how


def _go(number: int) -> str:
    return f"{counted(number, 'server')} {'goes' if number == 1 else 'go'}"


def _start(names: tuple[str, ...]) -> str:
    shown = ", ".join(map(printable, names))
    return f"{shown} {'starts' if len(names) == 1 else 'start'} without the proxy"


def _newcomer_lines(newcomer: Newcomer, proposal: Proposal | None, style: Style) -> list[str]:
    name = printable(newcomer.move.path[-1])
    lines = [f"  {style.strong(name)}"]
    if newcomer.server.name != newcomer.move.path[-1]:
        lines += _said(f"called {newcomer.server.name} in the manifest", style)
    if newcomer.added:
        lines += _said("new in this client; it is in the manifest already", style)
    if proposal is not None:
        lines += _said(_policy_text(proposal), style)
    if newcomer.server.env:
        kept = ", ".join(newcomer.server.env)
        lines += _said(f"{kept} stay in the client's file: the manifest gets the names and not the values", style)
    if newcomer.secret is not None and not newcomer.is_known:
        lines += _said(
            style.warn("its arguments seem to hold a secret")
            + f" ({newcomer.secret}), and will be in the manifest, which only you can read",
            style,
        )
    return lines


def _policy_text(proposal: Proposal) -> str:
    offered = counted(proposal.tools, "tool")
    if proposal.policy:
        return f"{offered}; the policy `{proposal.policy}` that ships with Synartesis fits them"
    reads = len(proposal.of_class(ToolClass.READONLY))
    held = len(proposal.added) - reads
    parts = [f"{reads} drafted as reads"] if reads else []
    parts += [f"{held} held until you approve each call, or write its rule"] if held else []
    parts += [f"{len(proposal.governed)} with a rule already"] if proposal.governed else []
    return "; ".join([offered, *parts])


def _left_lines(left: Left, style: Style) -> list[str]:
    lines = _said(f"{printable(left.name)}: {left.why.split(chr(10))[0]}", style)
    return [*lines, *_said(f"  {left.hint}", style)] if left.hint else lines


def _uncovered_lines(plan: ConnectPlan, style: Style) -> list[str]:
    remote = [left.name for left in plan.left if "remote" in left.why]
    also = ", and the remote servers named above" if remote else ""
    text = f"Not covered: what {plan.client.title} does past its MCP servers ({plan.client.own_tools}){also}."
    return ["", *wrapped(text, style.width)]


def _said(text: str, style: Style) -> list[str]:
    return wrapped(text, style.width, indent=_INDENT, hanging=_INDENT + "  ", keep_words=True)


def _painted(lines: list[str], style: Style) -> list[str]:
    painted = []
    for line in lines:
        text = shortened(line, None if style.full else _LONGEST_LINE)
        paint = {"+": style.good, "-": style.bad, "@": style.quiet}.get(line[:1])
        painted.append(paint(text) if paint else text)
    return painted
