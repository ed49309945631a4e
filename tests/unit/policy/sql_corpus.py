"""The statements under tests/corpus/sql: writes in disguise, reads that others published, and what was set aside of these."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[2] / "corpus" / "sql"
DIALECTS = ("postgres", "mysql", "sqlite", "duckdb", "tsql", "bigquery", "snowflake")


class Statement(NamedTuple):
    dialect: str
    source: str
    name: str
    """What it is about, or its number in its source."""
    text: str

    def __str__(self) -> str:
        return f"{self.dialect}/{self.source} {self.name}"


def writes(dialect: str) -> list[Statement]:
    """Written for this corpus, and what is no plain read among the published ones."""
    own = [_characters(found) for found in _read(FOLDER / dialect / "writes.sql", dialect)]
    return own + _read(FOLDER / dialect / "held.sql", dialect)


def reads(dialect: str) -> list[Statement]:
    """Published by others."""
    files = sorted(FOLDER.glob(f"{dialect}/reads-*.sql")) + sorted(FOLDER.glob("several/reads-*.sql"))
    return [found for file in files if dialect in _dialects(file) for found in _read(file, dialect)]


def tables(name: str) -> list[str]:
    return [found.text for found in _read(FOLDER / "several" / f"tables-{name}.sql", "")]


def sources() -> dict[Path, str]:
    """What each file says of itself, above its statements."""
    return {file: file.read_text(encoding="utf-8").partition("\n===")[0] for file in sorted(FOLDER.glob("*/*.sql"))}


def _dialects(file: Path) -> tuple[str, ...]:
    said = re.search(r"^dialects: (.+)$", sources()[file], re.MULTILINE)
    return tuple(said[1].split()) if said else (file.parent.name,)


def _read(file: Path, dialect: str) -> list[Statement]:
    _, *blocks = re.split(r"^=== ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    parts = [block.removesuffix("\n").partition("\n") for block in blocks]
    return [Statement(dialect, file.stem, name, text) for name, _, text in parts]


def _characters(statement: Statement) -> Statement:
    """`{U+200B}` stands for that character, which would not show."""
    text = re.sub(r"\{U\+([0-9A-F]{4})\}", lambda found: chr(int(found[1], 16)), statement.text)
    return statement._replace(text=text)
