"""What the gate says of SQL against what SQLite and DuckDB really do with it."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from synartesis.policy.sql import is_read_only
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


PIECES = [
    *(
        "SELECT",
        "SELECT 1",
        " 1",
        " a",
        " FROM t",
        " WHERE",
        " x",
        "=",
        " UNION ",
        ",",
        "WITH c AS (",
        " AS ",
        " LIMIT 1",
    ),
    *("'", "''", '"', "`", "[", "]", "\\", "\\'", "$$", "$a$", "#", "--", "-- ", "\n", "/*", "*/", "(", ")", "{", "}"),
    *("'a'", '"a"', "`a`", "[a]", "E'", "N'", "r'", "q'", "'''", '"""', "$1", "@a", ":a", "?", "%", "::int", "->", "!"),
    *(";", " DELETE FROM t", " INTO t2", " UPDATE t SET a=1", " INSERT INTO t VALUES(9, 9)", " DROP TABLE t", " FOR "),
    *(
        " REPLACE INTO t VALUES(1, 1)",
        " RETURNING a",
        " (DELETE FROM t RETURNING a)",
        " lower(a)",
        " load_extension('x')",
    ),
]
"""What servers tell apart in different ways, and what writes."""


@given(st.lists(st.sampled_from(PIECES), min_size=2, max_size=9).map("".join))
@example("SELECT '\\'; DELETE FROM t; --'")
@example("SELECT $$ '; DELETE FROM t; -- $$")
@example("SELECT 1 # ' \n; DELETE FROM t -- '")
@settings(max_examples=400, deadline=None)
def test_pieces_put_together_at_random_that_pass_undeclared_change_nothing_in_sqlite(text: str) -> None:
    if is_read_only({"query": text}, (("query",),)) is not None:
        return
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.executescript("CREATE TABLE t (a, x); INSERT INTO t VALUES (1, 2), (3, 4)")
        before = list(database.iterdump())
        with suppress(sqlite3.Error):
            database.execute(text).fetchall()
        with suppress(sqlite3.Error):
            database.executescript(text)
        assert list(database.iterdump()) == before
