"""`python -m tests.sim --seed N` tells the story of one seed; `--seeds N --from M` plays many and tells those that fail."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor

from tests.sim.seeds import Played, play_seed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument("--seed", type=int, help="tell the story of this one")
    parser.add_argument("--seeds", type=int, default=500, help="how many to play")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at a time")
    asked = parser.parse_args()
    if asked.seed is not None:
        played = play_seed(asked.seed)
        print(*played.told, sep="\n")
        return tell([played])
    with ProcessPoolExecutor(asked.jobs) as pool:
        return tell(pool.map(play_seed, range(asked.first, asked.first + asked.seeds), chunksize=10))


def tell(all_played: Iterable[Played]) -> int:
    count, failed, steps, excused = 0, 0, 0, Counter[str]()
    for one in all_played:
        count, steps = count + 1, steps + len(one.told)
        excused.update(one.excused)
        if one.violations:
            failed += 1
            violations = [*map(str, dict.fromkeys(one.violations))]
            print(f"seed {one.seed}, after {len(one.told)} steps:", *violations, sep="\n    ", flush=True)
    print(f"{count} seeds, {failed} failed; {steps} steps")
    for why, times in sorted(excused.items()):
        print(f"    {times} times: {why}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
