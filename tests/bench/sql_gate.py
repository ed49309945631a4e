"""What the gate's reading of SQL costs a call: `python -m tests.bench.sql_gate`.

Every published read of the corpus up to 2 KiB, judged as a call whose rule names the argument and the dialect, and as one in
which it has to be found. Measured, and asserted by no test: machines differ.
"""

from __future__ import annotations

import statistics
import sys
import time

from synartesis.domain.canonical import Json
from synartesis.domain.paths import Path
from synartesis.policy.sql import is_read_only
from tests.unit.policy.sql_corpus import DIALECTS, reads

UP_TO_BYTES = 2048
LARGE_BYTES = 1024
"""The largest half of these sizes is told apart: what a statement costs grows with its length."""
ROUNDS = 5


def main() -> None:
    named_all: list[float] = []
    found_all: list[float] = []
    large: list[int] = []
    for dialect in DIALECTS:
        texts = [found.text for found in reads(dialect) if len(found.text.encode()) <= UP_TO_BYTES]
        named = [_milliseconds({"q": text}, (("q",),), dialect) for text in texts]
        found = [_milliseconds({"database": "main", "q": text, "limit": 10}, (), None) for text in texts]
        large += [len(named_all) + at for at, text in enumerate(texts) if len(text.encode()) >= LARGE_BYTES]
        named_all += named
        found_all += found
        _say(dialect, named, found)
    _say("all", named_all, found_all)
    _say("from 1 KiB", [named_all[at] for at in large], [found_all[at] for at in large])


def _milliseconds(arguments: dict[str, Json], sql: tuple[Path, ...], dialect: str | None) -> float:
    times = []
    for round_ in range(ROUNDS):
        arguments = arguments | {"q": f"{arguments['q']}\n-- {round_}"}  # a text that is known already costs nothing
        begun = time.perf_counter()
        is_read_only(arguments, sql, dialect)
        times.append(time.perf_counter() - begun)
    return min(times) * 1000


def _say(name: str, named: list[float], found: list[float]) -> None:
    sys.stdout.write(
        f"{name:10} {len(named):4} statements   named: median {statistics.median(named):.2f} ms, p95 {_p95(named):.2f} ms"
        f"   found: median {statistics.median(found):.2f} ms, p95 {_p95(found):.2f} ms\n"
    )


def _p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


if __name__ == "__main__":
    main()
