"""`python -m tests.differential`: every conversation, in both variants; what is printed is the result."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.differential.conductor import DEADLINE_S, Outcome, compare
from tests.differential.conversations import conversations
from tests.differential.exceptions import VARIANTS
from tests.support.world import ROOT


def main() -> int:
    parser = argparse.ArgumentParser(description="the same conversations, direct and through the proxy, compared")
    parser.add_argument("--short", action="store_true", help="only the few that `make test` holds")
    parser.add_argument("--package", type=Path, default=ROOT / "src", help="the folder to import synartesis from")
    parser.add_argument("--deadline", type=float, default=DEADLINE_S, help="seconds that a line may take")
    parser.add_argument("--only", default="", help="only conversations whose name has this in it")
    options = parser.parse_args()
    failed = False
    for variant in VARIANTS:
        total = Outcome()
        for one in conversations(short=options.short):
            if options.only in f"{one.name} {one.revision}":
                total.add(compare(one, variant, package=options.package, deadline_s=options.deadline))
        print(f"{variant}: {total.messages} messages, {len(total.differences)} differences")
        for difference in total.differences:
            print(f"  {difference}")
        failed = failed or bool(total.differences)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
