"""Which rule a tool falls under: the most specific pattern, whatever the order in the file; held where there is none."""

from __future__ import annotations

from synartesis.domain.names import Tool
from synartesis.domain.status import GateMode, ToolClass
from synartesis.policy.manifest import Manifest, Rule

_STRICTEST_CLASS_FIRST = (ToolClass.IRREVERSIBLE, ToolClass.COMPENSABLE, ToolClass.REVERSIBLE, ToolClass.READONLY)
_STRICTEST_GATE_FIRST = (GateMode.ALWAYS, GateMode.ON_WRITE, GateMode.NEVER)
_MAX_REMEMBERED = 10_000
"""Names come from clients, so what is remembered about them has a limit."""


class Policy:
    """A manifest, ready to be asked."""

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest
        ranked = sorted(manifest.rules, key=specificity)
        self._exact = {rule.match: rule for rule in reversed(ranked) if "*" not in rule.match}
        self._patterns = [rule for rule in ranked if "*" in rule.match]
        self._remembered: dict[Tool, Rule] = {}

    def rule_for(self, tool: Tool) -> Rule:
        """The one rule that governs a tool; for a tool that no rule mentions, one that holds it."""
        rule = self._remembered.get(tool)
        if rule is None:
            if len(self._remembered) >= _MAX_REMEMBERED:
                self._remembered.clear()
            rule = self._remembered[tool] = self._look_up(str(tool))
        return rule

    def _look_up(self, name: str) -> Rule:
        if found := self._exact.get(name):
            return found
        for rule in self._patterns:
            if matches(rule.match, name):
                return rule
        return Rule(match=name, tool_class=ToolClass.IRREVERSIBLE, gate=GateMode.ALWAYS)


def specificity(rule: Rule) -> tuple[int, int, int, int, str]:
    """Sorts the rule that wins to the front: more literal characters, fewer wildcards, stricter class, stricter gate; then
    by the pattern itself, so that the order in the file decides only between two rules for the very same pattern."""
    wildcards = rule.match.count("*")
    return (
        wildcards - len(rule.match),
        wildcards,
        _STRICTEST_CLASS_FIRST.index(rule.tool_class),
        _STRICTEST_GATE_FIRST.index(rule.gate),
        rule.match,
    )


def matches(pattern: str, name: str) -> bool:
    """Whether a pattern stands for `server.tool`; `*` is any run of characters without a dot, also none."""
    wanted, found = pattern.split("."), name.split(".")
    return len(wanted) == len(found) and all(map(_part_matches, wanted, found))


def _part_matches(pattern: str, text: str) -> bool:
    """Leftmost matches of the pieces between stars, one pass: no pattern can make it slow."""
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == text
    last = rest.pop()
    if not (text.startswith(first) and text.endswith(last) and len(text) >= len(first) + len(last)):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in rest:
        at = text.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True
