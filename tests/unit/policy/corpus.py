"""The manifests under tests/corpus, with the problems that are expected of the bad ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from synartesis.domain.canonical import Json
from synartesis.policy.source import Mapping, Node, Scalar, Sequence, read_source

FOLDER = Path(__file__).parents[2] / "corpus" / "manifests"
GOOD = sorted(FOLDER.glob("good/*.yaml"))
BAD = sorted(FOLDER.glob("bad/*.yaml"))


class Expected(NamedTuple):
    line: int
    column: int
    words: tuple[str, ...]


def expected(path: Path) -> list[Expected]:
    """`# expect: LINE:COLUMN words|more words` lines at the start of a bad file."""
    found = re.findall(r"^# expect: (\d+):(\d+) (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return [Expected(int(line), int(column), tuple(words.split("|"))) for line, column, words in found]


def plain(path: Path) -> Json:
    """What a YAML file says, for a schema to judge."""
    root = read_source(path.read_text(encoding="utf-8")).root
    return None if root is None else _plain(root)


def _plain(node: Node) -> Any:
    match node:
        case Mapping():
            return {name: _plain(entry.value) for name, entry in node.entries.items()}
        case Sequence():
            return [_plain(item) for item in node.items]
        case Scalar():
            return node.value
        case _:
            return None
