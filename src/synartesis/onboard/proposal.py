"""What `init` would write: a manifest's text with a server and its rules in it, read again before anybody gets to see it.

Pure: texts and tools in, a text out. Whatever would not load, or would change what the file said before, is refused here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from synartesis.domain.names import Tool
from synartesis.domain.status import ToolClass
from synartesis.errors import ManifestInvalid, UsageError
from synartesis.onboard.draft import Draft, can_be_named, draft_rules
from synartesis.onboard.extend import CannotExtend, NewServer, add_rules, add_server, new_manifest
from synartesis.onboard.introspect import tool_names
from synartesis.onboard.known import Fit, Misfit, fit, recognise
from synartesis.policy.manifest import Manifest, Rule, ServerSpec
from synartesis.policy.matching import Policy, matches
from synartesis.policy.problems import problem_lines
from synartesis.policy.reader import examine

HEADER = (
    "What may happen with the tools of these servers. Drafted by `synartesis init`; it is yours to change.",
    "After a change: synartesis check",
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be written, and what there is to say about it."""

    manifest: Manifest
    """The whole file as it would be, read and checked."""
    text: str
    server: str
    tools: int
    """How many the server offers."""
    is_new_file: bool
    is_new_server: bool
    added: tuple[Rule, ...] = ()
    policy: str = ""
    """The shipped policy that was taken; empty where none was."""
    about: str = ""
    """What that policy says of itself: for which server it was made, and how far it was proved."""
    misfit: Misfit | None = None
    """The policy that came nearest, and why it was not taken."""
    governed: tuple[tuple[str, str], ...] = ()
    """Tools that had a rule already, each with the pattern of that rule."""
    not_named: tuple[str, ...] = field(default=())
    """Tools whose names no rule can hold. They are held."""

    def of_class(self, *classes: ToolClass) -> list[str]:
        """The patterns of the added rules of these classes."""
        return [rule.match for rule in self.added if rule.tool_class in classes]


def with_server(path: Path, data: bytes | None, server: NewServer) -> tuple[Manifest, str]:
    """The manifest with this server in it, by which it can be started; nothing is added where it is there already. `data`:
    what is at the path now, None where nothing is.

    Raises ManifestInvalid where the file cannot be read or extended, UsageError where the name means another server there.
    """
    if data is None:
        text = new_manifest(HEADER, server)
        return _read(path, text, server, before=None), text
    before = _existing(path, data)
    text = data.decode("utf-8")
    if any(spec.name == server.name for spec in before.servers):
        _refuse_another(before, server)
        return before, text
    try:
        extended = add_server(text, server)
    except CannotExtend as error:
        raise _by_hand(path, error, server.lines()) from None
    return _read(path, extended, server, before=before), extended


def propose(
    path: Path, data: bytes | None, server: NewServer, tools: list[dict[str, Any]], *, policy: str | None = None
) -> Proposal:
    """The manifest with this server and a rule for each of its tools that has none. `policy`: take this shipped one, or
    nothing.

    Raises what `with_server` raises, and UsageError where the policy that was asked for does not fit.
    """
    start, text = with_server(path, data, server)
    name = server.name
    governing = Policy(start)
    names = tool_names(tools)
    rules = {tool: governing.rule_for(Tool(name, tool)) for tool in names}
    open_tools = [tool for tool in names if rules[tool].is_default]
    chosen = _choose(name, tools, policy)
    header, drafts = _drafts(name, tools, open_tools, chosen if isinstance(chosen, Fit) else None)
    try:
        extended = add_rules(text, drafts, header=header)
    except CannotExtend as error:
        raise _by_hand(path, error, [line for draft in drafts for line in draft.lines]) from None
    manifest = _read(path, extended, server, before=start)
    return Proposal(
        manifest=manifest,
        text=extended,
        server=name,
        tools=len(names),
        is_new_file=data is None,
        is_new_server=data is None or text != data.decode("utf-8"),
        added=manifest.rules[len(start.rules) :],
        policy=chosen.policy if isinstance(chosen, Fit) and drafts else "",
        about=chosen.about if isinstance(chosen, Fit) and drafts else "",
        misfit=chosen if isinstance(chosen, Misfit) and drafts else None,
        governed=tuple((tool, rules[tool].match) for tool in names if not rules[tool].is_default),
        not_named=tuple(tool for tool in open_tools if not can_be_named(tool)),
    )


def _choose(server: str, tools: list[dict[str, Any]], policy: str | None) -> Fit | Misfit | None:
    if policy is None:
        return recognise(server, tools)
    chosen = fit(policy, server, tools)
    if isinstance(chosen, Misfit):
        raise UsageError(
            f"the policy {policy!r} does not fit what this server offers, so nothing was written\n{chosen.why}",
            hint="leave --policy out to have its tools drafted one by one",
        )
    return chosen


def _drafts(
    server: str, tools: list[dict[str, Any]], open_tools: list[str], chosen: Fit | None
) -> tuple[list[str], list[Draft]]:
    """The rules to add, and the comment above them: those of a policy, and drafts for what it says nothing about."""
    taken = [rule for rule in chosen.rules if _is_open(rule, server, open_tools)] if chosen else []
    rest = [
        tool
        for tool in tools
        if tool.get("name") in open_tools and not any(matches(rule.match, f"{server}.{tool['name']}") for rule in taken)
    ]
    drafted = draft_rules(server, rest, of=tools)
    if chosen and taken:
        header = [f"--- {server}: the policy `{chosen.policy}` that ships with Synartesis.", *chosen.header]
    else:
        header = [f"--- {server}: drafted from what its tools say of themselves. Look at each."]
    return header, [*taken, *drafted]


def _is_open(rule: Draft, server: str, open_tools: Iterable[str]) -> bool:
    return "*" in rule.match or rule.match.removeprefix(f"{server}.") in open_tools


# --- what must be true of every text that is handed out


def _existing(path: Path, data: bytes) -> Manifest:
    examined = examine(data, path)
    if examined.manifest is None:
        shown = problem_lines(examined.problems, file=path.name, lines=examined.lines)
        raise ManifestInvalid(
            "\n".join([f"{path} cannot be read, so it was not extended:", *shown]),
            hint="correct it first, then init again",
        )
    return examined.manifest


def _read(path: Path, text: str, server: NewServer, *, before: Manifest | None) -> Manifest:
    """The text, read again. Raises ManifestInvalid where it would not load, or no longer say what it said."""
    examined = examine(text.encode(), path)
    if examined.manifest is None:
        problem = examined.problems[0]
        raise ManifestInvalid(
            f"a server {server.name!r} cannot be written into {path}: {problem.message}",
            hint=problem.hint or "choose another name",
        )
    if before is not None and not _still_says(before, examined.manifest):
        raise ManifestInvalid(
            f"{path} is written in a way that `init` cannot extend without changing what it says",
            hint="add the server by hand, then `synartesis init` again for its rules",
        )
    return examined.manifest


def _still_says(before: Manifest, after: Manifest) -> bool:
    """Whether all that was there is there, in its order, and at most one server came. Lines may have moved."""
    servers, rules = _without_lines(before)
    new_servers, new_rules = _without_lines(after)
    return (
        [spec for spec in new_servers if spec in servers] == servers
        and len(new_servers) <= len(servers) + 1
        and new_rules[: len(rules)] == rules
    )


def _without_lines(manifest: Manifest) -> tuple[list[ServerSpec], list[Rule]]:
    servers = [replace(spec, where="", env_where=()) for spec in manifest.servers]
    return servers, [replace(rule, where="") for rule in manifest.rules]


def _refuse_another(manifest: Manifest, server: NewServer) -> None:
    spec = manifest.server(server.name)
    if (spec.command, spec.args) != (server.command, server.args):
        raise UsageError(
            f"{manifest.path} has another server named {server.name!r}: {' '.join([spec.command, *spec.args])}",
            hint="give this one a name of its own, or change the entry by hand",
        )


def _by_hand(path: Path, error: CannotExtend, lines: Iterable[str]) -> ManifestInvalid:
    shown = "\n".join(f"  {line}" for line in lines)
    return ManifestInvalid(f"{path} was not extended: {error}\n{shown}", hint="put these lines in by hand")
