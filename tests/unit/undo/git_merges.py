"""What `git merge-file` makes of three texts, recorded. To record it anew, which needs git: `python -m
tests.unit.undo.git_merges`."""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

RECORDED = Path(__file__).parents[2] / "corpus" / "merges.jsonl"
COUNT = 600


class Merge(NamedTuple):
    before: str
    after: str
    now: str
    merged: str | None
    """None: a conflict."""


def recorded() -> list[Merge]:
    return [Merge(*json.loads(line)) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


def _record() -> None:
    chance = random.Random(5)
    found: list[Merge] = []
    while len(found) < COUNT:
        lines = [chance.choice(("a", "b", "c", "d", "")) + "\n" for _ in range(chance.randrange(2, 16))]
        before, after, now = (
            _ended(chance, _edited(chance, lines)),
            "".join(lines),
            _ended(chance, _edited(chance, lines)),
        )
        if len({before, after, now}) == 3:
            found.append(Merge(before, after, now, _by_git(before, after, now)))
    RECORDED.write_text("".join(json.dumps(one) + "\n" for one in found), encoding="utf-8")


def _edited(chance: random.Random, lines: list[str]) -> list[str]:
    edited = list(lines)
    for _ in range(chance.choice([1, 1, 2])):
        at, many = chance.randrange(len(edited) + 1), chance.choice([1, 1, 2])
        match chance.choice(["add", "add a copy", "remove", "replace"]):
            case "add":
                edited[at:at] = [chance.choice("abcdxyz") + "\n"]
            case "add a copy":
                edited[at:at] = edited[at : at + many]
            case "remove":
                del edited[at : at + many]
            case _:
                edited[at : at + 1] = [chance.choice("abcdxyz") + "\n"]
    return edited


def _ended(chance: random.Random, lines: list[str]) -> str:
    text = "".join(lines)
    return text.removesuffix("\n") if chance.random() < 0.2 else text


def _by_git(before: str, after: str, now: str) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("before", "after", "now")]
        for path, text in zip(paths, (before, after, now), strict=True):
            path.write_text(text, encoding="utf-8", newline="")
        made = subprocess.run(["git", "merge-file", "-p", *paths], capture_output=True, check=False)
    return None if made.returncode else made.stdout.decode("utf-8")


if __name__ == "__main__":
    _record()
