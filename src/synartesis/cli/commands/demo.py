"""`demo`: the whole loop on the bundled toy CRM, in a scratch folder."""

from __future__ import annotations

import argparse

from synartesis.cli.output import Output

EXAMPLES = """example:
  synartesis demo                 damage, show, undo, a held e-mail

It touches only a scratch folder."""


def configure(parser: argparse.ArgumentParser) -> None:
    pass


def run(args: argparse.Namespace, out: Output) -> int:  # noqa: ARG001
    from synartesis.demo import walkthrough

    return walkthrough.main()
