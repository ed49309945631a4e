"""`check`: start the servers and hold every rule against the tools that they advertise."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from synartesis import workspace
from synartesis.cli.options import add_files, add_json
from synartesis.cli.output import Output
from synartesis.cli.shapes import check_shape
from synartesis.errors import EXIT_DONE, EXIT_STOPPED
from synartesis.policy.verify import Finding
from synartesis.present.checks import check_lines
from synartesis.workspace.approving import what_approvals_are_worth
from synartesis.workspace.files import spelled_out

EXAMPLES = """examples:
  synartesis check
  synartesis check --manifest ./synartesis.yaml

Starts every server of the manifest, asks each for its tools, and calls none
of them. Exit 1 when anything is wrong."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    result = workspace.check_policy(workspace.read_trusted_policy(files))
    result = result._replace(findings=(*result.findings, *_about_approvals(files)))
    if out.as_json:
        out.json(check_shape(result))
    else:
        out.lines(check_lines(result, out.style))
    return EXIT_DONE if result.is_good else EXIT_STOPPED


def _about_approvals(files: workspace.Files) -> Iterator[Finding]:
    found = what_approvals_are_worth(files)
    if found is None:
        return
    change = "; `synartesis approver setup` changes that" if found.command else ""
    yield Finding("error" if found.is_wrong else "note", spelled_out(f"approvals: {found.text}{change}"))
