"""SQL through the proxy: cases C051 and C052, with the rules that name which argument it is and in which dialect."""

from __future__ import annotations

from typing import Any

from tests.promises import promise
from tests.support.client import JSON
from tests.support.world import World

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("query", "batch")]
JUDGED_EVERYWHERE = """
  - {match: "f.query", class: irreversible, gate: on_write}
"""
NAMED = """
  - {match: "f.query", class: irreversible, gate: on_write, sql: query, dialect: postgres}
  - {match: "f.batch", class: irreversible, gate: on_write, sql: ["$.steps[].sql"], dialect: mysql}
"""

BEGIN_LIKE_READS = [
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
PLAIN_READS = [
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
]
PLAIN_CALLS: list[JSON] = [
    {"database": "main", "query": "SELECT 1"},
    {"query": "SELECT ?", "params": ["DELETE"]},
    {"query": "SELECT 1", "limit": 10},
]


def sql_server(world: World, rules: str) -> None:
    world.write_manifest(rules, servers={"f": world.fake(extra_tools=TOOLS)})


def held(result: JSON) -> bool:
    return bool(result.get("isError")) and result["content"][0]["text"].startswith("HELD")


@promise("C051")
def test_a_write_that_begins_like_a_read_is_held_and_never_reaches_the_server(world: World) -> None:
    for rules in (JUDGED_EVERYWHERE, NAMED):
        sql_server(world, rules)
        with world.proxy() as client:
            passed = [query for query in BEGIN_LIKE_READS if not held(client.call("query", {"query": query}))]

        assert passed == []
        assert world.calls("query") == []
    assert {row["args"]["query"] for row in world.cli("gates", "--json").json} == set(BEGIN_LIKE_READS)


@promise("C052")
def test_a_plain_read_is_not_held(world: World) -> None:
    calls: list[JSON] = [*({"query": query} for query in PLAIN_READS), *PLAIN_CALLS]
    for rules in (JUDGED_EVERYWHERE, NAMED):
        sql_server(world, rules)
        with world.proxy() as client:
            asked = [arguments for arguments in calls if held(client.call("query", arguments))]

        assert asked == []
    assert world.calls("query") == calls * 2
    assert world.cli("gates", "--json").json == []


@promise("C052")
def test_where_a_read_is_held_after_all_the_reason_quotes_what_could_not_be_read(world: World) -> None:
    sql_server(world, NAMED)
    with world.proxy() as client:
        answer = client.call("query", {"query": "SELECT a FROM t WHERE b ??? 1"})

    assert held(answer)
    assert "`SELECT a FROM t WHERE b ??? 1`" in answer["content"][0]["text"]
    (row,) = world.cli("gates", "--json").json
    assert "`SELECT a FROM t WHERE b ??? 1`" in row["why"]


def test_a_rule_may_name_several_arguments_that_are_sql(world: World) -> None:
    sql_server(world, NAMED)
    fine: Any = {"steps": [{"sql": "SELECT 1"}, {"sql": "SHOW TABLES"}], "comment": "drop table x"}
    not_fine: Any = {"steps": [{"sql": "SELECT 1"}, {"sql": "DROP TABLE x"}]}
    with world.proxy() as client:
        assert not held(client.call("batch", fine))
        assert held(client.call("batch", not_fine))
        assert held(client.call("batch", {"steps": []}))
        assert held(client.call("batch", {"comment": "SELECT 1"}))

    assert world.calls("batch") == [fine]
