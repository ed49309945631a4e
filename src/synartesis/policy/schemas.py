"""The paths and arguments of a rule against the schemas that servers advertise: what cannot be there, and what is not taken.

`check` proves that tools exist, and no more than a schema says about what they take and give.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from synartesis.domain.calls import ValueAt
from synartesis.domain.names import Tool
from synartesis.domain.paths import EACH, Path, Segment, render_path
from synartesis.policy.manifest import ReadRule, Rule
from synartesis.policy.problems import listed, nearest
from synartesis.policy.references import Reference
from synartesis.policy.shapes import fields_at, missing_in, properties
from synartesis.policy.template import Fallback, Made, Template, read_references

Severity: TypeAlias = Literal["error", "warning", "note"]
Described: TypeAlias = Mapping[str, Mapping[str, dict[str, Any]]]
"""Server to tool to its descriptor."""
Remark: TypeAlias = tuple[Severity, str]


def unfit_paths(rule: Rule, governed: list[Tool], tools: Described) -> Iterator[Remark]:
    """Remarks on one rule. `governed`: the tools on offer that fall under it."""
    for what, read in rule.reads:
        yield from _arguments(rule, what, read.tool, read.args, tools)
        yield from _references(rule, what, read_references(read), governed, tools)
        yield from _paths_of_the_answer(rule, what, read, tools)
    for what, calls in (("inverse", rule.inverse), ("inverse_if_absent", rule.inverse_if_absent)):
        for call in calls:
            yield from _arguments(rule, what, call.tool, call.args, tools)
            yield from _references(rule, what, call.references(), governed, tools)


# --- what is given to a tool


def _arguments(rule: Rule, what: str, tool: Tool, args: Template, tools: Described) -> Iterator[Remark]:
    """The arguments of a call against the input schema of the tool that gets them."""
    schema = _schema(tool, "inputSchema", tools)
    known = properties(schema)
    if known is None or not isinstance(args, dict):
        return
    start = f"{rule.where}: the {what} of `{rule.match}`"
    for path in _named_paths(args):
        missing = missing_in(schema, path)
        if missing is not None:
            closed = schema.get("additionalProperties") is False
            near = _near(schema, missing)
            text = f"{start} gives {tool} the argument `{render_path(missing)}`, which it does not know"
            yield "error" if closed and len(missing) == 1 else "warning", text + near
    required = schema.get("required")
    left_out = [name for name in required if name not in args] if isinstance(required, list) else []
    if left_out:
        yield "error", f"{start} leaves out {listed(left_out)}, which {tool} requires"


def _named_paths(template: Template) -> Iterator[Path]:
    """Every place that a template names, whole branches only. What a reference brings along is not known here."""
    if isinstance(template, dict) and template:
        for name, below in template.items():
            for path in _named_paths(below):
                yield (name, *path)
    elif isinstance(template, list) and template:
        for below in template:
            for path in _named_paths(below):
                yield (EACH, *path)
    elif isinstance(template, Made):
        for path in _named_paths(template.make):
            yield (EACH, *path)
    elif isinstance(template, Fallback):
        yield from _named_paths(template.default)
    else:
        yield ()


# --- what is read from it


def _references(
    rule: Rule, what: str, found: Iterable[Reference], governed: list[Tool], tools: Described
) -> Iterator[Remark]:
    for reference in dict.fromkeys(found):
        match reference.source:
            case "arguments":
                for tool in governed:
                    yield from _reference(rule, what, reference, tool, "inputSchema", tools)
            case "result":
                for tool in governed:
                    if rule.decode is None:
                        yield from _reference(rule, what, reference, tool, "outputSchema", tools)
            case _:
                read = rule.verify or rule.snapshot if reference.source == "current" else rule.snapshot
                assert read is not None
                path = reference.path if reference.source == "current" else read.path_in_answer(reference.path)
                if path != reference.path:
                    continue  # of several things: what the schema says is said of one
                if read.answers.decode is None:  # a schema says nothing of what is made of the answer
                    yield from _reference(rule, what, reference, read.tool, "outputSchema", tools)


def _reference(
    rule: Rule, what: str, reference: Reference, tool: Tool, kind: str, tools: Described
) -> Iterator[Remark]:
    schema = _schema(tool, kind, tools)
    missing = missing_in(schema, reference.path)
    if missing is not None:
        whose = f"{tool} does not take" if kind == "inputSchema" else f"the answer of {tool} does not have"
        at = f" (`{render_path(missing)}`)" if len(missing) < len(reference.path) else ""
        text = f"{rule.where}: the {what} of `{rule.match}` reads `{reference}`, which {whose}{at}"
        yield "warning", text + _near(schema, missing)


def _paths_of_the_answer(rule: Rule, what: str, read: ReadRule, tools: Described) -> Iterator[Remark]:
    """What the keys of a read name in its answer."""
    tool, answers = read.tool, read.answers
    if answers.decode is not None:
        return
    schema = _schema(tool, "outputSchema", tools)
    marks = (*answers.absent_when, *answers.error_when, *answers.incomplete_when)
    named = [("ignores", path) for path in answers.ignore] + [("calls unordered", path) for path in answers.unordered]
    named += [("looks at", mark.path) for mark in marks if isinstance(mark, ValueAt)]
    for verb, path in named:
        if (missing := missing_in(schema, path)) is not None:
            text = f"{rule.where}: the {what} of `{rule.match}` {verb} `{render_path(path)}`"
            yield "warning", f"{text}, which the answer of {tool} does not have" + _near(schema, missing)


def _schema(tool: Tool, kind: str, tools: Described) -> Any:
    return tools.get(tool.server, {}).get(tool.name, {}).get(kind)


def _near(schema: Any, missing: Path) -> str:
    last: Segment = missing[-1]
    near = nearest(last, fields_at(schema, missing[:-1])) if isinstance(last, str) else ""
    return f"; did you mean `{near}`?" if near else ""
