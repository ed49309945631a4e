"""`deny`: refuse a held call; it stays refused for an hour."""

from __future__ import annotations

import argparse

from synartesis.cli.decide import decide
from synartesis.cli.options import add_decision
from synartesis.cli.output import Output

EXAMPLES = """examples:
  synartesis deny                 the only call that waits
  synartesis deny 3f9a --reason "wrong customer"
  synartesis deny --all           all that wait now, as printed

The agent is told the name and the reason. The same call stays refused for an
hour; `approve` within it takes that back."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_decision(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    return decide(args, out, grant=False)
