"""What the gate says of SQL against what SQLite and DuckDB really do with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.policy.scratch import DuckDb, Scratch, Sqlite, foreign_held_against_the_server, held_against_the_server


@pytest.mark.parametrize("engine", [Sqlite, DuckDb], ids=["sqlite", "duckdb"])
@pytest.mark.timeout(300)
def test_what_passes_the_gate_changes_nothing_when_it_is_carried_out(
    engine: type[Scratch], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = engine(tmp_path)
    try:
        held_against_the_server(scratch, capsys)
    finally:
        scratch.end()


@pytest.mark.parametrize("engine", [Sqlite, DuckDb], ids=["sqlite", "duckdb"])
@pytest.mark.timeout(300)
def test_what_passes_undeclared_in_the_words_of_another_dialect_changes_nothing_here_either(
    engine: type[Scratch], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = engine(tmp_path)
    try:
        foreign_held_against_the_server(scratch, capsys)
    finally:
        scratch.end()
