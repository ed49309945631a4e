sqlglot 30.30.0, tests/dialects/test_bigquery.py, what validate_identity is given first
licence: MIT, licences/sqlglot.txt

=== 1
SELECT 0 isnull
=== 2
SELECT CASE WHEN TRUE THEN 0 ELSE 1 END isnull
=== 3
SELECT 'foo' 'bar'
=== 4
SELECT 'foo'/* c */'bar'
=== 5
SELECT `a\`b`
=== 6
SELECT `a\\b`
=== 7
SELECT * FROM `domain.com:project-id.mydataset.mytable`
=== 8
SELECT * FROM `domain.com:project-id.region-us.INFORMATION_SCHEMA`.JOBS
=== 9
SELECT * FROM `domain.com:project-id.region-us.INFORMATION_SCHEMA.JOBS`
=== 10
SELECT * FROM `a.b.com:project-id.mydataset.mytable`
=== 11
SELECT * FROM `a.b.com:project-id.region-us.INFORMATION_SCHEMA.JOBS`
=== 12
SELECT * FROM x-0.y
=== 13
SELECT EXP(1)
=== 14
SELECT ARRAY_CONCAT([1])
=== 15
SELECT jsondoc['some_key']
=== 16
SELECT data.144A_FLAG FROM t
=== 17
SELECT t.1a FROM t
=== 18
SELECT STRING(data.144) FROM t
=== 19
SELECT STRING(data.1e10) FROM t
=== 20
SELECT t.144 A_FLAG FROM t
=== 21
SELECT * FROM `my-project.my-dataset.my-table`
=== 22
SELECT x, 1 AS y GROUP BY 1 ORDER BY 1
=== 23
SELECT * FROM x.*
=== 24
SELECT * FROM x.y*
=== 25
SELECT SEARCH(data_to_search, 'search_query')
=== 26
SELECT SEARCH(data_to_search, 'search_query', json_scope => 'JSON_KEYS_AND_VALUES')
=== 27
SELECT SEARCH(data_to_search, 'search_query', analyzer => 'PATTERN_ANALYZER')
=== 28
SELECT SEARCH(data_to_search, 'search_query', analyzer_options => 'analyzer_options_values')
=== 29
SELECT SEARCH(data_to_search, 'search_query', json_scope => 'JSON_VALUES', analyzer => 'LOG_ANALYZER')
=== 30
SELECT SEARCH(data_to_search, 'search_query', analyzer => 'PATTERN_ANALYZER', analyzer_options => 'options')
=== 31
SELECT ARRAY_AGG((SELECT c FROM t LIMIT 1) IGNORE NULLS) FROM u
=== 32
SELECT ARRAY_AGG((SELECT c FROM t ORDER BY c) IGNORE NULLS LIMIT 1) FROM u
=== 33
SELECT * FROM dataset.my_table TABLESAMPLE SYSTEM (10 PERCENT)
=== 34
SELECT '\n\r\a\v\f\t'
=== 35
SELECT * FROM tbl FOR SYSTEM_TIME AS OF z
=== 36
SELECT * FROM tbl FOR SYSTEM TIME AS OF z
=== 37
SELECT PARSE_TIMESTAMP('%c', 'Thu Dec 25 07:30:00 2008', 'UTC')
=== 38
SELECT ANY_VALUE(fruit HAVING MAX sold) FROM fruits
=== 39
SELECT ANY_VALUE(fruit HAVING MIN sold) FROM fruits
=== 40
SELECT CAST(CURRENT_DATE AS STRING FORMAT 'DAY') AS current_day
=== 41
SELECT foo IN UNNEST(bar) AS bla
=== 42
SELECT * FROM x-0.a
=== 43
SELECT * FROM pivot CROSS JOIN foo
=== 44
SELECT * FROM a-b-c.mydataset.mytable
=== 45
SELECT * FROM abc-def-ghi
=== 46
SELECT * FROM a-b-c
=== 47
SELECT * FROM my-table
=== 48
SELECT * FROM my-project.mydataset.mytable
=== 49
SELECT * FROM pro-ject_id.c.d CROSS JOIN foo-bar
=== 50
SELECT * FROM foo.bar.25
=== 51
SELECT * FROM foo.bar.25_
=== 52
SELECT * FROM foo.bar.25x a
=== 53
SELECT * FROM foo.bar.25ab c
=== 54
SELECT b'abc'
=== 55
SELECT AS STRUCT 1 AS a, 2 AS b
=== 56
SELECT DISTINCT AS STRUCT 1 AS a, 2 AS b
=== 57
SELECT AS VALUE STRUCT(1 AS a, 2 AS b)
=== 58
SELECT * FROM q UNPIVOT(values FOR quarter IN (b, c))
=== 59
SELECT MAKE_INTERVAL(100, 11, 1, 12, 30, 10)
=== 60
SELECT y + 1 FROM x GROUP BY y + 1 ORDER BY 1
=== 61
SELECT TIMESTAMP_SECONDS(2) AS t
=== 62
SELECT TIMESTAMP_MILLIS(2) AS t
=== 63
SELECT COUNT(x RESPECT NULLS)
=== 64
SELECT LAST_VALUE(x IGNORE NULLS) OVER y AS x
=== 65
SELECT ARRAY((SELECT AS STRUCT 1 AS a, 2 AS b))
=== 66
SELECT ARRAY((SELECT AS STRUCT 1 AS a, 2 AS b) LIMIT 10)
=== 67
SELECT * FROM x WHERE x.y >= (SELECT MAX(a) FROM b-c) - 20
=== 68
SELECT FORMAT_TIMESTAMP('%F %T', CURRENT_TIMESTAMP(), 'Europe/Berlin') AS ts
=== 69
SELECT cars, apples FROM some_table PIVOT(SUM(total_counts) FOR products IN ('general.cars' AS cars, 'food.apples' AS apples))
=== 70
SELECT * FROM test QUALIFY a IS DISTINCT FROM b WINDOW c AS (PARTITION BY d)
=== 71
SELECT * FROM (SELECT * FROM `t`) AS a UNPIVOT((c) FOR c_name IN (v1, v2))
=== 72
SELECT item, purchases, LAST_VALUE(item) OVER (item_window ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) AS most_popular FROM Produce WINDOW item_window AS (ORDER BY purchases)
=== 73
SELECT LAST_VALUE(a IGNORE NULLS) OVER y FROM x WINDOW y AS (PARTITION BY CATEGORY)
=== 74
SELECT * FROM foo AS t0 FOR SYSTEM_TIME AS OF '2026-02-12T23:22:21.743416+00:00'
=== 75
SELECT b"\x0a$'x'00"
=== 76
SELECT * FROM t1, t2
=== 77
SELECT r"\t"
=== 78
SELECT * FROM `proj.dataset.INFORMATION_SCHEMA.SOME_VIEW`
=== 79
SELECT * FROM region_or_dataset.INFORMATION_SCHEMA.TABLES
=== 80
SELECT * FROM region_or_dataset.INFORMATION_SCHEMA.TABLES AS some_name
=== 81
SELECT * FROM proj.region_or_dataset.INFORMATION_SCHEMA.TABLES
=== 82
SELECT ARRAY(SELECT AS STRUCT 1 a, 2 b)
=== 83
select array_contains([1, 2, 3], 1)
=== 84
SELECT SPLIT(foo)
=== 85
SELECT 1 AS hash
=== 86
SELECT 1 AS at
=== 87
SELECT """ends with \"word\""""
=== 88
SELECT '''ends with \'word\''''
=== 89
SELECT """a\"b"""
=== 90
SELECT r"""ends with \""""
=== 91
SELECT r"""a\"b"""
=== 92
SELECT a overlaps
=== 93
SELECT y + 1 z FROM x GROUP BY y + 1 ORDER BY z
=== 94
SELECT y + 1 z FROM x GROUP BY y + 1
=== 95
SELECT JSON '"foo"' AS json_data
=== 96
SELECT * FROM (SELECT a, b, c FROM test) PIVOT(SUM(b) d, COUNT(*) e FOR c IN ('x', 'y'))
=== 97
SELECT CAST(1 AS BYTEINT)
=== 98
SELECT [(SELECT 1), 2]
=== 99
SELECT [1, (SELECT 2)]
=== 100
SELECT [STRUCT((SELECT 1) AS a), STRUCT(2 AS a)]
=== 101
SELECT [COALESCE((SELECT 1), 0), 2]
=== 102
SELECT * FROM a-b c
=== 103
SELECT PARSE_DATETIME('%a %b %e %I:%M:%S %Y', 'Thu Dec 25 07:30:00 2008')
=== 104
SELECT TRANSLATE(MODEL, 'in', 't') FROM (SELECT 'input' AS MODEL)
=== 105
SELECT GRANT FROM (SELECT 'input' AS GRANT)
=== 106
SELECT CAST(1 AS NUMERIC(10, 2))
=== 107
SELECT CAST('1' AS STRING(10)) UNION ALL SELECT CAST('2' AS STRING(10))
=== 108
SELECT cola FROM (SELECT CAST('1' AS STRING(10)) AS cola UNION ALL SELECT CAST('2' AS STRING(10)) AS cola)
=== 109
SELECT * FROM GAP_FILL(TABLE device_data, ts_column => 'time', bucket_width => INTERVAL '1' MINUTE, value_columns => [('signal', 'locf')]) ORDER BY time
=== 110
SELECT a, b, c, d, e FROM GAP_FILL(TABLE foo, ts_column => 'b', partitioning_columns => ['a'], value_columns => [('c', 'bar'), ('d', 'baz'), ('e', 'bla')], bucket_width => INTERVAL '1' DAY)
=== 111
SELECT * FROM GAP_FILL(TABLE device_data, ts_column => 'time', bucket_width => INTERVAL '1' MINUTE, value_columns => [('signal', 'linear')], ignore_null_values => FALSE) ORDER BY time
=== 112
SELECT * FROM GAP_FILL(TABLE device_data, ts_column => 'time', bucket_width => INTERVAL '1' MINUTE) ORDER BY time
=== 113
SELECT * FROM GAP_FILL(TABLE device_data, ts_column => 'time', bucket_width => INTERVAL '1' MINUTE, value_columns => [('signal', 'null')], origin => CAST('2023-11-01 09:30:01' AS DATETIME)) ORDER BY time
=== 114
SELECT COSH(1.5)
=== 115
SELECT * FROM VECTOR_SEARCH(TABLE mydataset.base_table, 'column_to_search', TABLE mydataset.query_table, 'query_column_to_search', top_k => 2, distance_type => 'cosine', options => '{"fraction_lists_to_search":0.15}')
=== 116
SELECT * FROM VECTOR_SEARCH(TABLE mydataset.base_table, 'column_to_search', TABLE mydataset.query_table, query_column_to_search => 'query_column_to_search', top_k => 2, distance_type => 'cosine', options => '{"fraction_lists_to_search":0.15}')
=== 117
SELECT * FROM VECTOR_SEARCH((SELECT * FROM mydataset.base_table), 'column_to_search', (SELECT * FROM mydataset.query_table), 'query_column_to_search')
=== 118
SELECT * FROM VECTOR_SEARCH(TABLE mydataset.base_table, 'column_to_search', TABLE mydataset.query_table)
=== 119
SELECT PARSE_JSON(json_string) FROM t
=== 120
SELECT JSON '''{}'''
=== 121
SELECT JSON_OBJECT() AS json_data
=== 122
SELECT JSON_OBJECT('foo', 10, 'bar', TRUE) AS json_data
=== 123
SELECT JSON_OBJECT('foo', 10, 'bar', ['a', 'b']) AS json_data
=== 124
SELECT JSON_OBJECT('a', 10, 'a', 'foo') AS json_data
=== 125
SELECT JSON_OBJECT(['a', 'b'], [10, NULL]) AS json_data
=== 126
SELECT JSON_OBJECT(['a', 'b'], [JSON '10', JSON '"foo"']) AS json_data
=== 127
SELECT JSON_OBJECT(['a', 'b'], [STRUCT(10 AS id, 'Red' AS color), STRUCT(20 AS id, 'Blue' AS color)]) AS json_data
=== 128
SELECT JSON_OBJECT(['a', 'b'], [TO_JSON(10), TO_JSON(['foo', 'bar'])]) AS json_data
=== 129
SELECT MOD((SELECT 1), 2)
=== 130
SELECT STRUCT<ARRAY<STRING>>(["2023-01-17"])
=== 131
SELECT STRUCT<STRING>((SELECT 'foo')).*
=== 132
SELECT RANGE(CAST('2022-12-01' AS DATE), CAST('2022-12-31' AS DATE))
=== 133
SELECT RANGE(NULL, CAST('2022-12-31' AS DATE))
=== 134
SELECT RANGE(CAST('2022-10-01 14:53:27' AS DATETIME), CAST('2022-10-01 16:00:00' AS DATETIME))
=== 135
SELECT RANGE(CAST('2022-10-01 14:53:27 America/Los_Angeles' AS TIMESTAMP), CAST('2022-10-01 16:00:00 America/Los_Angeles' AS TIMESTAMP))
=== 136
SELECT CAST('2026-03-24' AS STRING FORMAT ('YYYY'))
=== 137
SELECT CAST(date AS STRING FORMAT ('YYYY')) FROM (SELECT DATE('2026-03-24') AS date)
=== 138
SELECT CAST(date AS STRING FORMAT ('YYYY-MM-DD'))
=== 139
SELECT CAST(timestamp AS STRING FORMAT ('YYYY-MM-DD') AT TIME ZONE 'UTC')
=== 140
SELECT CAST(date AS TIMESTAMP FORMAT ('YYYY-MM-DD HH24:MI:SS'))
=== 141
SELECT 1 AS foo INNER UNION ALL SELECT 3 AS foo, 4 AS bar
=== 142
(SELECT 1 AS foo) FULL OUTER UNION ALL BY NAME (SELECT 2 AS foo, 3 AS bar)
=== 143
(SELECT 1 AS foo) FULL UNION ALL BY NAME (SELECT 2 AS foo)
=== 144
(SELECT 1) AS x UNION ALL (SELECT 2)
=== 145
SELECT 1 AS x UNION ALL CORRESPONDING SELECT 2 AS x
=== 146
SELECT 1 AS x UNION ALL CORRESPONDING BY (foo, bar) SELECT 2 AS x
=== 147
SELECT 1 AS x LEFT UNION ALL CORRESPONDING SELECT 2 AS x
=== 148
SELECT 1 AS x UNION ALL STRICT CORRESPONDING SELECT 2 AS x
=== 149
SELECT 1 AS x UNION ALL STRICT CORRESPONDING BY (foo, bar) SELECT 2 AS x
=== 150
SELECT * FROM UNNEST(x) WITH OFFSET EXCEPT DISTINCT SELECT * FROM UNNEST(y) WITH OFFSET
=== 151
SELECT [STRUCT((SELECT 1) AS a)]
=== 152
SELECT col FROM t WHERE _PARTITIONTIME BETWEEN a AND b
=== 153
SELECT _DBT_MAX_PARTITION FROM t
=== 154
WITH cte(c) AS (SELECT * FROM t) SELECT * FROM cte
=== 155
SELECT * FROM t AS t(c1, c2)
=== 156
WITH foo AS (SELECT [1, 2, 3] AS array_col) SELECT array_col[offset] FROM foo CROSS JOIN UNNEST(array_col) WITH OFFSET AS offset
=== 157
SELECT `db.t`.`c` FROM `db.t`
=== 158
SELECT `p.d.t`.`c`.`f` FROM `p.d.t`
=== 159
SELECT NOT deterministic FROM t
=== 160
WITH t AS (SELECT '{"x-y": "z"}' AS c) SELECT JSON_EXTRACT(c, '$.x-y') FROM t
