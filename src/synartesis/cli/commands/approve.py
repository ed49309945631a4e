"""`approve`: let a held call through, once, within the hour."""

from __future__ import annotations

import argparse

from synartesis.cli.decide import decide
from synartesis.cli.options import add_decision
from synartesis.cli.output import Output

EXAMPLES = """examples:
  synartesis approve              the only call that waits
  synartesis approve 3f9a         a request, by the start of its id
  synartesis approve --all        all that wait now, as printed
  synartesis approve 3f9a --by ada --reason "checked with the customer"

An approval is for exactly these arguments, for one call, for an hour.
A request that was denied less than an hour ago can still be approved."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_decision(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    return decide(args, out, grant=True)
