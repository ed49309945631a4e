"""The gate's reading of SQL: what looks like a read and is none, and what is a read and must not be held."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from synartesis.domain.paths import EACH
from synartesis.policy.sql import DIALECTS, is_read_only
from synartesis.policy.sql.functions import reading_functions
from tests.unit.policy.sql_corpus import Statement, writes

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


# --- what is looked at, where no rule says which argument is SQL

BESIDE_A_READ = {
    "a name": ("main", True),
    "a word in capitals": ("USD", True),
    "a word that many statements hold": ("SELECT", True),
    "a sentence": ("What did we sell in May; and to whom?", True),
    "a sentence that begins with a verb": ("Update me on the plan", True),
    "an address": ("https://shop.example/a?b=c;d=e", True),
    "a date": ("2026-11-30T10:00:00Z", True),
    "JSON": ('{"limit": 10, "name": "main"}', True),
    "another read": ("SELECT 2", True),
    "one word that acts": ("VACUUM", False),
    "one word that acts, in small letters": ("checkpoint;", False),
    "a procedure": ("sp_who", False),
    "a line of a client": (".shell rm -rf /", False),
    "a write": ("DROP TABLE t", False),
    "a write behind a comment": ("/* hi */ -- ho\n DROP TABLE t", False),
    "a write behind a word": ("x; DROP TABLE t", False),
    "a write in brackets": ("(delete from t)", False),
    "a write in a condition": ("id IN (SELECT pg_terminate_backend(1))", False),
    "a read that locks": ("SELECT * FROM t FOR UPDATE", False),
    "JSON that holds a write": ('{"sql": "DROP TABLE t"}', False),
    "JSON in JSON": ('["{\\"x\\": \\"DROP TABLE t\\"}"]', False),
}


@pytest.mark.parametrize(("text", "passes"), BESIDE_A_READ.values(), ids=BESIDE_A_READ.keys())
def test_what_stands_beside_a_read_holds_it_only_where_it_may_be_a_statement(text: str, *, passes: bool) -> None:
    assert passes is (is_read_only({"query": "SELECT 1", "note": text}) is None)
    assert passes is (is_read_only({"list": [{"deep": [text]}], "query": "SELECT 1"}) is None)


def test_an_argument_that_is_named_as_sql_is_must_be_a_read() -> None:
    for name in ("cmd", "statement", "sql", "SQL_query"):
        assert "FROBNICATE" in (is_read_only({"q": "SELECT 1", name: "FROBNICATE"}) or "")
    assert is_read_only({"q": "SELECT 1", "cmd": ""}) is None


def test_a_key_may_be_a_statement_too() -> None:
    assert is_read_only({"query": "SELECT 1", "DROP TABLE t": 1}) is not None


def test_parameters_are_values_where_the_read_has_places_for_them() -> None:
    assert is_read_only({"query": "SELECT * FROM t WHERE a = ?", "params": ["drop table t; --"]}) is None
    assert is_read_only({"query": "SELECT * FROM t WHERE a = :a", "parameters": {"a": "update t set b = 1"}}) is None
    assert is_read_only({"query": "SELECT * FROM t WHERE a = '?'", "params": ["drop table t; --"]}) is not None


def test_each_of_several_arguments_that_are_there_is_judged() -> None:
    paths = (("query",), ("options", "count"), ("steps", EACH, "sql"))

    assert is_read_only({"query": "SELECT 1"}, paths) is None
    assert is_read_only({"steps": [{"sql": "SELECT 1"}, {"sql": "SELECT 2"}]}, paths) is None
    assert is_read_only({"query": "SELECT 1", "options": {"count": "DROP TABLE t"}}, paths) is not None
    assert is_read_only({"query": "SELECT 1", "steps": [{"sql": "SELECT 1"}, {"sql": "VACUUM"}]}, paths) is not None
    assert is_read_only({"query": "SELECT 1", "steps": [{"sql": None}]}, paths) is not None
    assert is_read_only({"steps": []}, paths) is not None


# --- functions

NAMES = {
    "the server's own": ("postgres", "SELECT lower(a) FROM t", True),
    "with its schema": ("postgres", "SELECT pg_catalog.lower(a) FROM t", True),
    "with another schema": ("postgres", "SELECT mine.lower(a) FROM t", False),
    "in quotes": ("postgres", 'SELECT "Lower"(a) FROM t', False),
    "of another dialect": ("postgres", "SELECT date_format(a, '%Y') FROM t", False),
    "there": ("mysql", "SELECT date_format(a, '%Y') FROM t", True),
    "with a name of two parts": ("bigquery", "SELECT HLL_COUNT.MERGE(a) FROM t", True),
    "of a data set": ("bigquery", "SELECT mine.merge(a) FROM t", False),
    "that sets when it is given a value": ("mysql", "SELECT last_insert_id(7)", False),
    "and else does not": ("mysql", "SELECT last_insert_id()", True),
    "a method of a column": ("tsql", "SELECT x.value('(/a)[1]', 'int') FROM t", True),
    "a file": ("duckdb", "SELECT * FROM read_csv('data/*/x.csv', header = true)", True),
    "an address": ("duckdb", "SELECT * FROM read_csv('https://x.example/x.csv')", False),
    "a file that is computed": ("duckdb", "SELECT * FROM read_csv((SELECT note FROM t))", False),
    "a hint that plans": ("mysql", "SELECT /*+ NO_INDEX(t) */ a FROM t", True),
    "a hint that sets": ("mysql", "SELECT /*+ SET_VAR(sort_buffer_size = 1) */ a FROM t", False),
}


@pytest.mark.parametrize(("dialect", "statement", "passes"), NAMES.values(), ids=NAMES.keys())
def test_a_function_must_be_one_that_the_server_is_known_to_have(dialect: str, statement: str, *, passes: bool) -> None:
    why = is_read_only({"q": statement}, (("q",),), dialect)

    assert passes is (why is None), why


def test_every_list_of_functions_names_each_once_in_small_letters() -> None:
    for dialect in DIALECTS:
        assert all(name == name.lower() for name in reading_functions(dialect))
        assert len(reading_functions(dialect)) > 150


def test_what_is_known_to_act_is_on_no_list() -> None:
    acting = """
        nextval setval set_config setseed pg_sleep pg_notify pg_terminate_backend pg_cancel_backend pg_reload_conf
        pg_advisory_lock pg_read_file pg_ls_dir lo_import lo_export dblink dblink_exec query_to_xml ts_stat
        pg_switch_wal txid_current get_lock
        release_lock sleep benchmark load_file load_extension writefile readfile fts3_tokenizer
        force_checkpoint checkpoint write_log json_execute_serialized_sql query_table
        openquery openrowset opendatasource external_query system$cancel_query system$abort_session system$wait
    """
    for dialect in (*DIALECTS, ""):
        assert not reading_functions(dialect) & set(acting.split()), dialect


# --- limits

HUGE = {
    "openings of a comment": "/*" * 500_000,
    "a comment that never ends": "SELECT 1 /*" + "x" * 1_000_000,
    "brackets": "SELECT " + "(" * 1_000_000,
    "brackets that are closed": "SELECT " + "(" * 90_000 + "1" + ")" * 90_000,
    "a long read": "SELECT " + "a," * 500_000 + "b FROM t",
    "a quote": "SELECT '" + "''" * 500_000,
    "semicolons": ";" * 1_000_000,
    "blanks": " " * 1_000_000 + "SELECT 1",
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
@pytest.mark.timeout(20)
def test_a_huge_text_is_held_by_its_size_and_not_parsed(text: str) -> None:
    for why in (
        is_read_only({"q": text}, (("q",),), "mysql"),
        is_read_only({"q": text}),
        is_read_only({"q": "SELECT 1", "x": text}),
    ):
        assert f"a text of {len(text)} characters is not judged" in (why or "")
        assert len(why or "") < 300


def test_a_text_of_very_many_words_is_held_by_their_number() -> None:
    text = "SELECT " + "a," * 20_000 + "b FROM t"

    assert "words is not judged" in (is_read_only({"q": text}, (("q",),), "postgres") or "")
    assert "words is not judged" in (is_read_only({"q": text}) or "")


def test_what_a_text_says_of_itself_changes_no_verdict() -> None:
    said = "it cannot be read as SQL, a quote in it is never closed"
    for text in (f"SELECT `a'`; DROP TABLE t; -- ' {said}", f"SELECT 'a\\'; DROP TABLE t; -- ' {said}"):
        assert is_read_only({"q": text}) is not None
        assert is_read_only({"q": text}, (("q",),), "mysql") is not None


@pytest.mark.parametrize("opened", ["(", "f(", "[", "{'a':", "CASE WHEN ", "NOT ", "(SELECT ", "x -> ", "CAST("])
@pytest.mark.timeout(60)
def test_a_deep_text_ends_in_a_verdict(opened: str) -> None:
    for depth in (50, 400, 5_000):
        assert is_read_only({"q": f"SELECT {opened * depth} ; DROP TABLE t"}, (("q",),), "postgres") is not None


# --- whatever is wrapped around a write

WRITES = [found for dialect in DIALECTS for found in writes(dialect) if found.source == "writes"]
BLANK = st.sampled_from(
    [" ", "\n", "\t", "\r\n", "  \n ", "-- a read\n", "/* SELECT 1 */", "/**/", " -- ; \n", "\n/* a\nb */\n"]
)
WRAPPED = st.sampled_from(
    [
        "{}",
        "SELECT 1; {}",
        "{}; SELECT 1",
        "WITH x AS (SELECT 1) {}",
        "WITH x AS ({}) SELECT * FROM x",
        "SELECT * FROM ({}) AS x",
        "SELECT 1 UNION ALL {}",
        "SELECT ({})",
        "({})",
        "EXPLAIN ANALYZE {}",
    ]
)

BEGIN_IN_BRACKETS = {
    "SELECT",
    "WITH",
    "DELETE",
    "INSERT",
    "UPDATE",
    "MERGE",
    "REPLACE",
    "DROP",
    "COPY",
    "CREATE",
    "EXPLAIN",
}


@given(
    write=st.sampled_from(WRITES),
    before=st.lists(BLANK, max_size=3),
    wrapped=WRAPPED,
    after=st.lists(BLANK, max_size=3),
    declared=st.booleans(),
)
def test_a_write_stays_held_whatever_is_wrapped_around_it(
    write: Statement, before: list[str], wrapped: str, after: list[str], *, declared: bool
) -> None:
    assume("(" not in wrapped or write.text.split()[0] in BEGIN_IN_BRACKETS)  # other words there are names
    text = wrapped.format("".join(before) + write.text + "".join(after))

    assert is_read_only({"q": text}, (("q",),), write.dialect if declared else None) is not None
    assert is_read_only({"a": "SELECT 1", "q": text}, (), write.dialect if declared else None) is not None


@given(st.sampled_from(DIALECTS), st.text(max_size=60))
def test_a_random_text_is_held_and_breaks_nothing(dialect: str, text: str) -> None:
    assume(not text.upper().lstrip().startswith(("SELECT", "SHOW", "VALUES", "FROM")))

    why = is_read_only({"q": text}, (("q",),), dialect)

    assert why is not None
    assert "\n" not in why


SIGNS = """SELECT ( ) , ; ' " ` [ ] { } $$ $a$ -- # /* */ /*! \\ := @a * 1 a t.a AS FROM t WHERE IN CASE END"""
WHOLE = (
    "\n",
    "E'",
    "N'",
    "r'''",
    'U&"',
    "DELETE FROM t",
    "DROP TABLE t",
    "INTO x",
    "nextval('s')",
    "WITH x AS (SELECT 1)",
)
PIECES = st.sampled_from([*SIGNS.split(), *WHOLE])


@given(st.sampled_from(DIALECTS), st.lists(PIECES, max_size=14))
def test_pieces_of_statements_in_any_order_break_nothing(dialect: str, pieces: list[str]) -> None:
    text = " ".join(pieces)

    for why in (
        is_read_only({"q": text}, (("q",),), dialect),
        is_read_only({"q": text}),
        is_read_only({"q": "SELECT 1", "x": text}),
    ):
        assert why is None or why
