"""Rules against the tools that servers really offer: what cannot work, what probably is not meant, what is worth knowing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from synartesis.domain.canonical import Json
from synartesis.domain.names import Tool
from synartesis.domain.status import GateMode, ToolClass
from synartesis.policy.manifest import CallTemplate, Rule
from synartesis.policy.matching import Policy, matches
from synartesis.policy.problems import listed, nearest
from synartesis.policy.template import Template, restored_paths


@dataclass(frozen=True, slots=True)
class Finding:
    """One remark of `check`. `error`: the rule holds or fails every call; `warning`: it works, and perhaps not as meant."""

    severity: Literal["error", "warning", "note"]
    text: str


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
        findings.extend(_of_rule(rule, described))
    findings.extend(_without_rule(policy, described))
    return sorted(dict.fromkeys(findings), key=lambda finding: ("error", "warning", "note").index(finding.severity))


_Tools = Mapping[str, Mapping[str, dict[str, Json]]]


def _by_name(descriptors: list[dict[str, Json]]) -> dict[str, dict[str, Json]]:
    return {tool["name"]: tool for tool in descriptors if isinstance(tool.get("name"), str)}


def _of_rule(rule: Rule, tools: _Tools) -> Iterator[Finding]:
    for what, tool in _called(rule):
        if tool.server in tools and tool.name not in tools[tool.server]:
            text = f"{rule.where}: the {what} of `{rule.match}` calls {_not_offered(tool, tools[tool.server])}"
            yield Finding("error", text + "; its calls are held")
    yield from _matches_nothing(rule, tools)
    if rule.tool_class is ToolClass.IRREVERSIBLE and rule.gate is GateMode.NEVER:
        yield Finding(
            "warning", f"{rule.where}: `{rule.match}` is irreversible and never held: what it does is permanent"
        )
    for call in (*rule.inverse, *rule.inverse_if_absent):
        yield from _arguments(rule, "inverse", call.tool, call.args, tools)
    if rule.snapshot:
        yield from _arguments(rule, "snapshot", rule.snapshot.tool, rule.snapshot.args, tools)
        yield from _fields_left_out(rule, tools)
    elif rule.tool_class is ToolClass.REVERSIBLE:
        text = f"{rule.where}: `{rule.match}` has no snapshot, so an undo cannot tell whether somebody changed it since"
        yield Finding("note", text)


def _called(rule: Rule) -> Iterator[tuple[str, Tool]]:
    if rule.snapshot:
        yield "snapshot", rule.snapshot.tool
    for call in (*rule.inverse, *rule.inverse_if_absent):
        yield "inverse", call.tool


def _not_offered(tool: Tool, names: Any) -> str:
    near = nearest(tool.name, names)
    return f"`{tool}`, which the server does not offer" + (f"; did you mean `{tool.server}.{near}`?" if near else "")


def _matches_nothing(rule: Rule, tools: _Tools) -> Iterator[Finding]:
    server = rule.match.partition(".")[0]
    asked = [name for name in tools if matches(server, name)]
    if not asked or any(matches(rule.match, f"{name}.{tool}") for name in asked for tool in tools[name]):
        return
    near = nearest(rule.match, [f"{name}.{tool}" for name in asked for tool in tools[name]])
    text = f"{rule.where}: `{rule.match}` matches no tool that is offered"
    yield Finding("warning", text + (f"; did you mean `{near}`?" if near else ""))


def _arguments(rule: Rule, what: str, tool: Tool, args: Template, tools: _Tools) -> Iterator[Finding]:
    """Arguments against the input schema of the tool that gets them."""
    schema = tools.get(tool.server, {}).get(tool.name, {}).get("inputSchema")
    properties = _properties(schema)
    if properties is None or not isinstance(schema, dict) or not isinstance(args, dict):
        return
    closed = schema.get("additionalProperties") is False
    for name in args:
        if name not in properties:
            near = nearest(name, properties)
            text = (
                f"{rule.where}: the {what} of `{rule.match}` gives {tool} the argument `{name}`, which it does not know"
            )
            yield Finding("error" if closed else "warning", text + (f"; did you mean `{near}`?" if near else ""))
    required = schema.get("required")
    missing = [name for name in required if name not in args] if isinstance(required, list) else []
    if missing:
        text = f"{rule.where}: the {what} of `{rule.match}` leaves out {listed(missing)}, which {tool} requires"
        yield Finding("error", text)


def _fields_left_out(rule: Rule, tools: _Tools) -> Iterator[Finding]:
    """A patch can be undone by writing back every field, not only those that one call happened to change."""
    if rule.snapshot is None or rule.tool_class is not ToolClass.REVERSIBLE:
        return
    tool = rule.snapshot.tool
    fields = _properties(tools.get(tool.server, {}).get(tool.name, {}).get("outputSchema"))
    if not fields:
        return
    for call in rule.inverse:
        left_out = [name for name in fields if not _is_named(name, call, rule)]
        if left_out:
            text = (
                f"{rule.where}: the inverse of `{rule.match}` does not restore {listed(left_out)}, which {tool} reads"
            )
            yield Finding("warning", text)


def _is_named(field: str, call: CallTemplate, rule: Rule) -> bool:
    """Restored, or ignored, or what the call is about (an argument of the same name)."""
    restored = any(not path or path[0] == field for path in restored_paths(call.args))
    ignored = rule.snapshot is not None and any(path[0] == field for path in rule.snapshot.answers.ignore if path)
    return restored or ignored or (isinstance(call.args, dict) and field in call.args)


def _properties(schema: Json) -> dict[str, Json] | None:
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return None
    properties: dict[str, Json] = schema["properties"]
    return properties


def _without_rule(policy: Policy, tools: _Tools) -> Iterator[Finding]:
    exposed = {spec.name for spec in policy.manifest.servers if spec.expose}
    for server, offered in tools.items():
        for name in offered if server in exposed else ():
            if policy.rule_for(Tool(server, name)).is_default:
                yield Finding("note", f"{server}.{name} has no rule: it is irreversible, and every call of it is held")
