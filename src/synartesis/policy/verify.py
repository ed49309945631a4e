"""Rules against the tools that servers really offer: what cannot work, what probably is not meant, what is worth knowing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from synartesis.domain.canonical import Json
from synartesis.domain.names import Tool
from synartesis.domain.status import GateMode, ToolClass
from synartesis.policy.manifest import CallTemplate, Rule
from synartesis.policy.matching import Policy, matches
from synartesis.policy.problems import listed, nearest
from synartesis.policy.references import Reference
from synartesis.policy.schemas import Described, Severity, unfit_paths
from synartesis.policy.shapes import is_version, properties


class Finding(msgspec.Struct, frozen=True):
    """One remark of `check`. `error`: the rule holds or fails every call; `warning`: it works, and perhaps not as meant."""

    severity: Severity
    text: str


_MAX_LISTED = 30


def broken_reads(rule: Rule, offered: Mapping[str, set[str]]) -> str | None:
    """Why this rule cannot work with the tools on offer, or None. A server that is not in `offered` is not judged."""
    for what, tool in _called(rule):
        names = offered.get(tool.server)
        if names is not None and tool.name not in names:
            return f"the {what} of its rule ({rule.where}) calls {_not_offered(tool, names)}"
    return None


def verify(policy: Policy, tools: Mapping[str, list[dict[str, Json]]]) -> list[Finding]:
    """Everything worth saying about a policy, given the tool descriptors of the servers that answered. Errors first."""
    described = {server: _by_name(listed_tools) for server, listed_tools in tools.items()}
    findings: list[Finding] = []
    for rule in policy.manifest.rules:
        governed = _governed(rule, policy, described)
        findings.extend(_of_rule(rule, described))
        findings.extend(_coverage(rule, governed))
        findings.extend(Finding(severity, text) for severity, text in unfit_paths(rule, governed, described))
    findings.extend(_without_rule(policy, described))
    return sorted(dict.fromkeys(findings), key=lambda finding: ("error", "warning", "note").index(finding.severity))


def _governed(rule: Rule, policy: Policy, tools: Described) -> list[Tool]:
    """The tools on offer that fall under this rule and no more specific one."""
    server = rule.match.partition(".")[0]
    return [
        Tool(name, tool)
        for name in tools
        if matches(server, name)
        for tool in tools[name]
        if matches(rule.match, f"{name}.{tool}") and policy.rule_for(Tool(name, tool)) is rule
    ]


def _by_name(descriptors: list[dict[str, Json]]) -> dict[str, dict[str, Json]]:
    return {tool["name"]: tool for tool in descriptors if isinstance(tool.get("name"), str)}


def _of_rule(rule: Rule, tools: Described) -> Iterator[Finding]:
    for what, tool in _called(rule):
        if tool.server in tools and tool.name not in tools[tool.server]:
            text = f"{rule.where}: the {what} of `{rule.match}` calls {_not_offered(tool, tools[tool.server])}"
            yield Finding("error", text + "; its calls are held")
    yield from _matches_nothing(rule, tools)
    if rule.tool_class is ToolClass.IRREVERSIBLE and rule.gate is GateMode.NEVER:
        yield Finding(
            "warning", f"{rule.where}: `{rule.match}` is irreversible and never held: what it does is permanent"
        )
    if rule.gate is GateMode.ON_WRITE and rule.dialect is None:
        text = f"{rule.where}: `{rule.match}` judges SQL of no named dialect; with a `dialect` it asks less often"
        yield Finding("note", text)
    if rule.snapshot:
        yield from _fields_left_out(rule, tools)
    elif rule.tool_class is ToolClass.REVERSIBLE and not rule.verify:
        text = f"{rule.where}: `{rule.match}` has no snapshot, so an undo cannot tell whether somebody changed it since"
        yield Finding("note", text)
    elif rule.tool_class is ToolClass.COMPENSABLE and rule.inverse and not rule.verify:
        text = (
            f"{rule.where}: `{rule.match}` has no verify, so an undo calls {rule.inverse[0].tool} whatever somebody else did to"
            " what it made, and proves nothing; where a read shows what it made: `verify: {tool: ..., args: {id:"
            ' "$result.id"}, absent_when: [...]}`'
        )
        yield Finding("note", text)
    yield from _versions_of_before(rule)


def _versions_of_before(rule: Rule) -> Iterator[Finding]:
    """A version that is asked for is the one that is there when the inverse is sent; that of before the call is gone by then."""
    for call in rule.inverse:
        for name, given in call.args.items() if isinstance(call.args, dict) else ():
            if is_version(name) and isinstance(given, Reference) and given.source == "snapshot":
                now = Reference("current", given.path, given.optional)
                text = (
                    f"{rule.where}: the inverse of `{rule.match}` gives {call.tool} the `{name}` of before the call; if the"
                    f" server wants the one that is there now, write `{now}`"
                )
                yield Finding("warning", text)


def _called(rule: Rule) -> Iterator[tuple[str, Tool]]:
    for key, read in rule.reads:
        yield key, read.tool
    for call in (*rule.inverse, *rule.inverse_if_absent):
        yield "inverse", call.tool


def _not_offered(tool: Tool, names: Any) -> str:
    near = nearest(tool.name, names)
    return f"`{tool}`, which the server does not offer" + (f"; did you mean `{tool.server}.{near}`?" if near else "")


def _matches_nothing(rule: Rule, tools: Described) -> Iterator[Finding]:
    server = rule.match.partition(".")[0]
    asked = [name for name in tools if matches(server, name)]
    if not asked or any(matches(rule.match, f"{name}.{tool}") for name in asked for tool in tools[name]):
        return
    near = nearest(rule.match, [f"{name}.{tool}" for name in asked for tool in tools[name]])
    text = f"{rule.where}: `{rule.match}` matches no tool that is offered"
    yield Finding("warning", text + (f"; did you mean `{near}`?" if near else ""))


def _coverage(rule: Rule, governed: list[Tool]) -> Iterator[Finding]:
    """A pattern says more than one sees: which tools it stands for today."""
    if "*" not in rule.match or not governed:
        return
    names = [str(tool) for tool in governed]
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    text = ", ".join(f"`{name}`" for name in names[:_MAX_LISTED]) + more
    yield Finding("note", f"{rule.where}: `{rule.match}` ({rule.tool_class}) covers {text}")


def _fields_left_out(rule: Rule, tools: Described) -> Iterator[Finding]:
    """A patch can be undone by writing back every field, not only those that one call happened to change. Where another read
    proves that the state is back, that one would notice what is missing."""
    if rule.snapshot is None or rule.verify is not None or rule.tool_class is not ToolClass.REVERSIBLE:
        return
    if rule.snapshot.answers.decode is not None:
        return
    tool = rule.snapshot.tool
    fields = properties(tools.get(tool.server, {}).get(tool.name, {}).get("outputSchema"))
    if not fields:
        return
    if any(reference.source == "result" for call in rule.inverse for reference in call.references()):
        return  # it takes away what the call made, and writes nothing back
    left_out = [name for name in fields if not any(_is_named(name, call, rule) for call in rule.inverse)]
    if rule.inverse and left_out:
        text = f"{rule.where}: the inverse of `{rule.match}` does not restore {listed(left_out)}, which {tool} reads"
        yield Finding("warning", text)


def _is_named(field: str, call: CallTemplate, rule: Rule) -> bool:
    """Restored, or handed back as it is now, or ignored, or what the call is about: an argument that the snapshot is given as
    well."""
    assert rule.snapshot is not None
    of_one = (rule.snapshot.path_in_answer(path) for path in call.restores)
    restored = any(not path or path[0] == field for path in of_one if path is not None)
    ignored = any(path[0] == field for path in rule.snapshot.answers.ignore if path)
    asked = all(isinstance(args, dict) and field in args for args in (call.args, rule.snapshot.args))
    current = any(found.source == "current" and field in found.path[:1] for found in call.references())
    return restored or current or ignored or asked


def _without_rule(policy: Policy, tools: Described) -> Iterator[Finding]:
    exposed = {spec.name for spec in policy.manifest.servers if spec.expose}
    for server, offered in tools.items():
        for name in offered if server in exposed else ():
            if policy.rule_for(Tool(server, name)).is_default:
                yield Finding("note", f"{server}.{name} has no rule: it is irreversible, and every call of it is held")
