"""`python -m tests.sim --seed N` tells the story of one seed; `--seeds N --from M` plays many and tells those that fail."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.sim.seeds import Played, play_seed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument("--seed", type=int, help="tell the story of this one")
    parser.add_argument("--seeds", type=int, default=500, help="how many to play")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first of them")
    asked = parser.parse_args()
    if asked.seed is not None:
        played = play_seed(asked.seed)
        print(*played.told, sep="\n")
        return tell([played])
    return tell([play_seed(seed) for seed in range(asked.first, asked.first + asked.seeds)])


def tell(all_played: list[Played]) -> int:
    failed = [one for one in all_played if one.violations]
    for one in failed:
        print(f"seed {one.seed}: after {len(one.told)} steps", *dict.fromkeys(one.violations), sep="\n    ")
    excused = Counter(why for one in all_played for why in one.excused)
    print(f"{len(all_played)} seeds, {len(failed)} failed; {sum(len(one.told) for one in all_played)} steps")
    for why, count in sorted(excused.items()):
        print(f"    {count} times: {why}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
