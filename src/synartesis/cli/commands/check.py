"""`check`: start the servers and hold every rule against the tools that they advertise."""

from __future__ import annotations

import argparse

from synartesis import workspace
from synartesis.cli.options import add_files, add_json
from synartesis.cli.output import Output
from synartesis.cli.shapes import check_shape
from synartesis.errors import EXIT_DONE, EXIT_STOPPED
from synartesis.present.checks import check_lines

EXAMPLES = """examples:
  synartesis check
  synartesis check --manifest ./synartesis.yaml

Starts every server of the manifest, asks each for its tools, and calls none
of them. Exit 1 when anything is wrong."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    policy = workspace.read_policy(workspace.find_files(args.manifest, args.journal))
    result = workspace.check_policy(policy)
    if out.as_json:
        out.json(check_shape(result))
    else:
        out.lines(check_lines(result, out.style))
    return EXIT_DONE if result.is_good else EXIT_STOPPED
