"""The gate's reading of SQL: what looks like a read and is none, and what is a read and must not be held."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.policy.sql import is_read_only

NAMED = {"named": (("query",),), "found": ()}

WRITES_THAT_BEGIN_LIKE_READS = [
    "WITH d AS (DELETE FROM orders WHERE id=7 RETURNING *) SELECT * FROM d",
    "WITH x AS (SELECT 1) DELETE FROM orders",
    "EXPLAIN ANALYZE DELETE FROM orders",
    "EXPLAIN (ANALYZE, BUFFERS) UPDATE t SET a=1",
    "SELECT * INTO orders_copy FROM orders",
    "SELECT 1; DROP TABLE t",
    "CALL p()",
    "DO $$ BEGIN DELETE FROM t; END $$",
    "COPY t FROM '/x'",
    "COPY (SELECT 1) TO PROGRAM 'sh'",
    "MERGE INTO t USING s ON t.i=s.i WHEN MATCHED THEN DELETE",
    "REPLACE INTO t VALUES(1)",
    "TRUNCATE t",
    "SET ROLE admin",
    "LOCK TABLE t",
    "BEGIN",
    "",
    "   ",
    "-- only a comment",
    ";",
]
MORE_THAT_MAY_WRITE = [
    "SELECT setval('s', 1)",
    "SELECT nextval('s')",
    "SELECT my_function(1)",
    "SELECT pg_terminate_backend(1)",
    "SELECT * FROM t FOR UPDATE",
    "SELECT @a := 1",
    "SELECT 1 /*! ; DROP TABLE t */",
    "SELECT 1 /* /* */ ; DELETE FROM t; -- */",
    "SELECT 1 --1 ; DELETE FROM t",
    "SELECT '\\'' ; DELETE FROM t; -- '",
    "SELECT $$ ' $$ ; DELETE FROM t; -- '",
    "SELECT 1 INTO OUTFILE '/tmp/x'",
    "EXPLAIN EXPLAIN SELECT 1",
    "EXPLAIN ANALYZE SELECT setval('s', 1)",
    "SHOW x DROP TABLE t",
    "PRAGMA journal_mode = OFF",
    "VACUUM",
    "(((",
    "(" * 5_000 + "SELECT 1",
]


@pytest.mark.parametrize("statement", WRITES_THAT_BEGIN_LIKE_READS + MORE_THAT_MAY_WRITE)
@pytest.mark.parametrize("named", NAMED)
def test_what_is_not_surely_one_read_is_held_and_quoted(statement: str, named: str) -> None:
    why = is_read_only({"query": statement}, NAMED[named])

    assert why is not None
    assert statement.split()[:1] == [] or statement.split(maxsplit=1)[0][:60] in why


READS = [
    "SELECT 1",
    "WITH RECURSIVE r(n) AS (SELECT 1) SELECT n FROM r",
    "EXPLAIN SELECT 1",
    "SHOW x",
    "VALUES (1)",
    "SELECT 'a;b'",
    "SELECT count(*) FROM p WHERE t LIKE '%;%'",
    "SELECT 1 -- a; b",
    "SELECT 1 /* drop table x; */",
    'SELECT "delete" FROM t',
    "SELECT 'DELETE FROM x'",
    "(SELECT 1) UNION (SELECT 2)",
    "select 1;\n",
    "\n-- first\nSELECT 1",
    "EXPLAIN (ANALYZE, BUFFERS) SELECT * FROM t",
    "EXPLAIN QUERY PLAN SELECT 1",
    "DESCRIBE t",
    "SHOW CREATE TABLE t",
    "SELECT `name` FROM `users`",
    "SELECT a FROM t WHERE b = $1",
    "SELECT lower(name), now(), coalesce(a, b) FROM t JOIN u USING (id) GROUP BY 1 HAVING count(*) > 2 ORDER BY 1 LIMIT 5",
    "SELECT x, sum(y) OVER (PARTITION BY x ORDER BY z) FROM t WHERE a BETWEEN 1 AND 2 AND b IN (SELECT 1)",
    "SELECT CASE WHEN a THEN 'x--y' END, CAST(b AS int) FROM t",
]


@pytest.mark.parametrize("statement", READS)
@pytest.mark.parametrize("named", NAMED)
def test_one_plain_read_is_not_held(statement: str, named: str) -> None:
    assert is_read_only({"query": statement}, NAMED[named]) is None


CALLS = {
    "a database beside it": ({"database": "main", "query": "SELECT 1"}, True),
    "parameters": ({"query": "SELECT ?", "params": ["DELETE"]}, True),
    "a number": ({"query": "SELECT 1", "limit": 10}, True),
    "prose": ({"query": "SELECT 1", "title": "New York; spring report"}, True),
    "a second statement": ({"query": "SELECT 1", "then": "DROP TABLE t"}, False),
    "a statement of one word": ({"query": "SELECT 1", "then": "VACUUM"}, False),
    "hidden in a list": ({"query": "SELECT 1", "more": [{"x": "x; delete from t"}]}, False),
    "no SQL at all": ({"table": "users", "id": 7}, False),
    "nothing": ({}, False),
}


@pytest.mark.parametrize(("arguments", "passes"), CALLS.values(), ids=CALLS.keys())
def test_all_texts_of_a_call_are_judged_together(arguments: dict[str, Any], *, passes: bool) -> None:
    assert passes is (is_read_only(arguments) is None)


def test_only_the_named_argument_is_judged() -> None:
    arguments = {"query": "SELECT 1", "comment": "delete from t where x"}

    assert is_read_only(arguments, (("query",),)) is None
    assert "`comment`" not in (is_read_only(arguments) or "")
    assert "not a text" in (is_read_only({"query": 7}, (("query",),)) or "")
    assert "no argument `query`" in (is_read_only({}, (("query",),)) or "")


def test_a_dialect_settles_what_would_be_ambiguous() -> None:
    hidden_from_some = "SELECT 1 --1; DROP TABLE t"

    assert "`dialect` in the rule" in (is_read_only({"q": hidden_from_some}) or "")
    assert is_read_only({"q": hidden_from_some}, dialect="postgres") is None
    assert is_read_only({"q": hidden_from_some}, dialect="mysql") is not None
    assert is_read_only({"q": "SELECT 1"}, dialect="no such dialect") is not None


@given(st.text("SELECT1 ;'\"`\\$-/*#()DROPTABLEt", max_size=30))
def test_a_text_that_holds_a_second_statement_never_passes(tail: str) -> None:
    assert is_read_only({"q": f"DROP TABLE t; {tail}"}, (("q",),)) is not None


@given(st.text())
def test_any_text_is_judged_without_a_failure(text: str) -> None:
    assert is_read_only({"q": text}) is None or is_read_only({"q": text}) != ""
