"""`approve`: let a held call through, once, within the hour."""

from __future__ import annotations

import argparse

from synartesis.cli.decide import decide
from synartesis.cli.options import add_decision
from synartesis.cli.output import Output

MOST_FOR_RUN = 1000
"""Whoever wants more wants another rule."""

EXAMPLES = """examples:
  synartesis approve              the only call that waits
  synartesis approve 3f9a         a request, by the start of its id
  synartesis approve --all        all that wait now, as printed
  synartesis approve 3f9a --by ada --reason "checked with the customer"
  synartesis approve 3f9a --for-run 5
                                  this tool, up to five calls, whatever their
                                  arguments, until this run ends

An approval is for exactly these arguments, for one call, for an hour.
A request that was denied less than an hour ago can still be approved.
`deny` with the same id takes back what is left of --for-run."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_decision(parser)
    parser.add_argument(
        "--for-run",
        metavar="N",
        type=_number,
        help="let this tool be called up to N times in this run, this call included",
    )


def run(args: argparse.Namespace, out: Output) -> int:
    return decide(args, out, grant=True)


def _number(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_FOR_RUN:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of calls from 1 to {MOST_FOR_RUN}")
    return int(text)
