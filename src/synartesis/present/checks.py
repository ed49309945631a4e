"""The lines of `check`: what came of starting each server, and which rules cannot work."""

from __future__ import annotations

from typing import Any, NamedTuple

from synartesis.policy.verify import Finding
from synartesis.present.labels import counted
from synartesis.present.safe_text import command_lines, printable, printable_lines, wrapped
from synartesis.present.style import Style


class ServerCheck(NamedTuple):
    """One server that was started: its tools, or why there are none."""

    name: str
    tools: list[dict[str, Any]] | None
    problem: str = ""
    hint: str = ""


class CheckResult(NamedTuple):
    manifest: str
    servers: tuple[ServerCheck, ...]
    findings: tuple[Finding, ...]

    @property
    def is_good(self) -> bool:
        """Whether everything can work; warnings and notes do not count."""
        all_started = all(server.tools is not None for server in self.servers)
        return all_started and not any(finding.severity == "error" for finding in self.findings)


def check_lines(result: CheckResult, style: Style) -> list[str]:
    lines = [f"manifest {printable(result.manifest)}", ""]
    for server in result.servers:
        lines += _server_lines(server, style)
    if result.findings:
        lines.append("")
    for finding in result.findings:
        lines += _remark_lines(finding.severity, finding.text, "", style)
    lines.append("")
    if result.is_good:
        return [*lines, style.good("Every rule can work with the tools that its servers offer.")]
    dead = sum(server.tools is None for server in result.servers)
    errors = sum(finding.severity == "error" for finding in result.findings)
    wrong = [f"{counted(dead, 'server')} did not start"] if dead else []
    wrong += [counted(errors, "rule error")] if errors else []
    return [*lines, style.bad(", ".join(wrong) + ".")]


def _server_lines(server: ServerCheck, style: Style) -> list[str]:
    if server.tools is not None:
        return _remark_lines("ok", f"{server.name}: {counted(len(server.tools), 'tool')}", "", style)
    return _remark_lines("error", f"{server.name}: {server.problem}", server.hint, style)


def _remark_lines(word: str, text: str, hint: str, style: Style) -> list[str]:
    """The word, and the text in a column of its own beside it."""
    paint = {"error": style.bad, "warning": style.warn, "ok": style.good}.get(word, style.quiet)
    column = " " * 9
    lines: list[str] = []
    for line in printable_lines(text):
        lines += wrapped(line, style.width, indent=column, hanging=column + "  ")
    lines[0] = paint(word) + lines[0][len(word) :]
    return [*lines, *(command_lines(hint, style.width, indent=column + "  ", hanging=column + "  ") if hint else [])]
