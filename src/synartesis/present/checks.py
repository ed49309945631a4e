"""The lines of `check`: what came of starting each server, and which rules cannot work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from synartesis.present.labels import counted
from synartesis.present.safe_text import printable, printable_lines, wrapped
from synartesis.present.style import Style


class ServerCheck(NamedTuple):
    """One server that was started: its tools, or why there are none."""

    name: str
    tools: list[dict[str, Any]] | None
    problem: str = ""
    hint: str = ""


class RuleCheck(NamedTuple):
    """Something to say about a rule or a tool. Only an error makes the check fail."""

    is_error: bool
    where: str
    """`synartesis.yaml:14`; empty where no one line is meant."""
    message: str
    hint: str = ""


class CheckResult(NamedTuple):
    manifest: str
    servers: tuple[ServerCheck, ...]
    rules: tuple[RuleCheck, ...]

    @property
    def is_good(self) -> bool:
        return all(server.tools is not None for server in self.servers) and not any(
            rule.is_error for rule in self.rules
        )


def check_lines(result: CheckResult, style: Style) -> list[str]:
    lines = [f"manifest {printable(result.manifest)}", ""]
    for server in result.servers:
        lines += _server_lines(server, style)
    for rule in result.rules:
        lines += ["", *_rule_lines(rule, style)]
    errors = sum(rule.is_error for rule in result.rules)
    dead = sum(server.tools is None for server in result.servers)
    lines.append("")
    if result.is_good:
        lines.append(style.good("Every rule can work with the tools that its servers offer."))
        return lines
    wrong = [counted(dead, "server") + " did not start"] if dead else []
    wrong += [counted(errors, "rule") + " cannot work"] if errors else []
    return [*lines, style.bad(", ".join(wrong) + ".")]


def _server_lines(server: ServerCheck, style: Style) -> list[str]:
    name = printable(server.name)
    if server.tools is not None:
        return [f"{style.good('ok')}      {name}: {counted(len(server.tools), 'tool')}"]
    return _problem_lines(style.bad("error"), f"{name}: {server.problem}", server.hint, style)


def _rule_lines(rule: RuleCheck, style: Style) -> list[str]:
    word = style.bad("error") if rule.is_error else style.warn("warning")
    where = f"{rule.where}: " if rule.where else ""
    return _problem_lines(word, f"{where}{rule.message}", rule.hint, style)


def _problem_lines(word: str, message: str, hint: str, style: Style) -> list[str]:
    """The word, and the text in a column of its own beside it."""
    plain = "warning" if "warning" in word else "error"
    column = " " * 8
    lines: list[str] = []
    for line in printable_lines(message):
        lines += wrapped(line, style.width, indent=column, hanging=column + "  ")
    lines[0] = word + " " * (len(column) - len(plain)) + lines[0].strip()
    for line in printable_lines(hint) if hint else []:
        lines += wrapped(line, style.width, indent=column + "  ", hanging=column + "  ")
    return lines
