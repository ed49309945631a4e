sqlglot 30.30.0, tests/dialects/test_duckdb.py, what validate_identity is given first
licence: MIT, licences/sqlglot.txt

=== 1
SELECT a.id, __mark_join_marker FROM a JOIN BY (TYPE MARK) b ON a.id = b.id
=== 2
SELECT * FROM a JOIN BY (TYPE inner) b ON a.id = b.id JOIN c ON b.id = c.id
=== 3
SELECT connect, disconnect FROM t
=== 4
SELECT $"my var", $my
=== 5
SELECT $1, ?
=== 6
SELECT $"my var"[1]
=== 7
SELECT a.id, b.id FROM a JOIN b NEAREST 1 BY DISTANCE ABS(a.id - b.id)
=== 8
SELECT a.id, b.id FROM a JOIN b APPROX NEAREST 1 BY DISTANCE ABS(a.id - b.id)
=== 9
SELECT a.id, b.id FROM a JOIN b NEAREST 1 BY DISTANCE ABS(a.id - b.id) JOIN c ON b.id = c.id WHERE a.id > 0 ORDER BY a.id
=== 10
SELECT * FROM a JOIN b NEAREST 1 BY DISTANCE ABS(a.id - b.id) JOIN c NEAREST 2 BY DISTANCE ABS(b.id - c.id)
=== 11
SELECT * FROM a LEFT JOIN (SELECT * FROM b WHERE id > 0) AS b NEAREST 1 BY DISTANCE ABS(a.id - b.id)
=== 12
SELECT * FROM a nearest JOIN b approx ON nearest.id = approx.id
=== 13
SELECT * FROM a JOIN b AS "nearest" NEAREST 1 BY DISTANCE ABS(a.id - "nearest".id)
=== 14
SELECT a.id, b.id FROM a LEFT JOIN b NEAREST 1 BY DISTANCE ABS(a.id - b.id)
=== 15
SELECT NULL IS NOT NULL IS NULL
=== 16
SELECT 1_000
=== 17
SELECT 1_000_000
=== 18
SELECT 1_2_3 AS x
=== 19
SELECT 1_0.2_5
=== 20
SELECT 1.2e3_4
=== 21
SELECT 1__2
=== 22
SELECT 1_
=== 23
SELECT 1e_5
=== 24
SELECT 1_0e_5
=== 25
SELECT 1._5
=== 26
SELECT ([1,2,3])[:-:-1]
=== 27
SELECT ([1,2,3,4,5])[4:-:-2]
=== 28
SELECT ([1,2,3,4,5])[2:-:1]
=== 29
SELECT INTERVAL '1 hour'::VARCHAR
=== 30
SELECT str[0:1]
=== 31
SELECT COSH(1.5)
=== 32
SELECT MODE(category)
=== 33
SELECT e'\n'
=== 34
SELECT e'\t'
=== 35
SELECT e'update table_name set a = \'foo\' where 1 = 0' AS x FROM tab
=== 36
SELECT GET_BIT(CAST('0110010' AS BIT), 2)
=== 37
SELECT 1 WHERE x > $1
=== 38
SELECT 1 WHERE x > $name
=== 39
SELECT 1 AS a$b
=== 40
SELECT '{"x": 1}' -> c FROM t
=== 41
SELECT EXP(1)
=== 42
SELECT '{"duck": [1, 2, 3]}' -> '$.duck[#-1]'
=== 43
SELECT tbl.x*1e4+tbl.y FROM tbl
=== 44
SELECT LIST_TRANSFORM([5, NULL, 6], (x, y) -> COALESCE(x, y, 0) + 1)
=== 45
SELECT LIST_TRANSFORM([5, NULL, 6], LAMBDA x, y : COALESCE(x, y, 0) + 1)
=== 46
SELECT LIST_TRANSFORM(LIST_FILTER([0, 1, 2, 3, 4, 5], LAMBDA x : x % 2 = 0), LAMBDA y : y * y)
=== 47
SELECT LIST_TRANSFORM([5, NULL, 6], LAMBDA x : COALESCE(x, 0) + 1)
=== 48
SELECT LIST_TRANSFORM(nbr, LAMBDA x : x + 1) FROM article AS a
=== 49
SELECT * FROM my_ducklake.demo AT (VERSION => 2)
=== 50
SELECT * FROM t1 AS a AT (VERSION => 3) JOIN t2 AS b AT (TIMESTAMP => NOW() - INTERVAL '1' WEEK) ON a.id = b.id
=== 51
SELECT TO_BINARY('test')
=== 52
SELECT UUIDV7()
=== 53
SELECT TRY(LOG(0))
=== 54
SELECT 1 AS x UNION ALL BY NAME SELECT 2 AS x
=== 55
SELECT SUM(x) FILTER (x = 1)
=== 56
SELECT * FROM GLOB(x)
=== 57
SELECT MAP(['key1', 'key2', 'key3'], [10, 20, 30])
=== 58
SELECT MAP {'x': 1}
=== 59
SELECT (MAP {'x': 1})['x']
=== 60
SELECT df1.*, df2.* FROM df1 POSITIONAL JOIN df2
=== 61
SELECT EPOCH_MS(10) AS t
=== 62
SELECT MAKE_TIMESTAMP(10) AS t
=== 63
SELECT TO_TIMESTAMP(10) AS t
=== 64
SELECT UNNEST(col, recursive := TRUE) FROM t
=== 65
SELECT * FROM foo ASOF LEFT JOIN bar ON a = b
=== 66
SELECT {'a': 1} AS x
=== 67
SELECT {'a': {'b': {'c': 1}}, 'd': {'e': 2}} AS x
=== 68
SELECT {'x': 1, 'y': 2, 'z': 3}
=== 69
SELECT {'key1': 'string', 'key2': 1, 'key3': 12.345}
=== 70
SELECT ROW(x, x + 1, y) FROM (SELECT 1 AS x, 'a' AS y)
=== 71
SELECT (x, x + 1, y) FROM (SELECT 1 AS x, 'a' AS y)
=== 72
SELECT a.x FROM (SELECT {'x': 1, 'y': 2, 'z': 3} AS a)
=== 73
FROM  x SELECT x UNION SELECT 1
=== 74
FROM (FROM tbl)
=== 75
FROM tbl
=== 76
FROM (FROM tbl_1) AS t1 POSITIONAL JOIN (FROM tbl_2) AS t2 SELECT t1.x AS x1, t2.x AS x2
=== 77
FROM (FROM a) AS t1 JOIN (FROM b) AS t2 ON t1.x = t2.x JOIN (FROM c) AS t3 ON t2.y = t3.y SELECT t1.x, t2.x, t3.y
=== 78
SELECT * FROM t1 WHERE NOT EXISTS(FROM t2 WHERE t2.id = t1.id)
=== 79
SELECT a -> 'it''s' FROM t
=== 80
SELECT a ->> 'it''s' FROM t
=== 81
SELECT * FROM foo WHERE bar > $baz AND bla = $bob
=== 82
SELECT species, island, COUNT(*) FROM t GROUP BY GROUPING SETS (species), GROUPING SETS (island)
=== 83
SELECT species, island, COUNT(*) FROM t GROUP BY CUBE (species), CUBE (island)
=== 84
SELECT species, island, COUNT(*) FROM t GROUP BY ROLLUP (species), ROLLUP (island)
=== 85
SELECT '{ "family": "anatidae", "species": [ "duck", "goose", "swan", null ] }' ->> ['$.family', '$.species']
=== 86
SELECT $🦆$foo$🦆$
=== 87
SELECT * FROM t PIVOT(FIRST(t) AS t, FOR quarter IN ('Q1', 'Q2'))
=== 88
SELECT JSON_EXTRACT_STRING('{ "family": "anatidae", "species": [ "duck", "goose", "swan", null ] }', ['$.family', '$.species'])
=== 89
SELECT col FROM t WHERE JSON_EXTRACT_STRING(col, '$.id') NOT IN ('b')
=== 90
SELECT JSON_EXTRACT_STRING(c, '$.k1') = 'v1'
=== 91
SELECT JSON_EXTRACT(c, '$.k1') = 'v1'
=== 92
SELECT JSON_EXTRACT(c, '$[*].id')[0:2]
=== 93
SELECT JSON_EXTRACT_STRING(c, '$[*].id')[0:2]
=== 94
SELECT '{"foo": [1, 2, 3]}' -> 'foo' -> 0
=== 95
SELECT ($$hello)'world$$)
=== 96
SELECT $$foo$$
=== 97
SELECT $tag$foo$tag$
=== 98
SELECT {'yes': 'duck', 'maybe': 'goose', 'huh': NULL, 'no': 'heron'}
=== 99
SELECT a['x space'] FROM (SELECT {'x space': 1, 'y': 2, 'z': 3} AS a)
=== 100
PIVOT Cities ON Year IN (2000, 2010) USING SUM(Population) GROUP BY Country
=== 101
SELECT * FROM cities PIVOT(SUM(population) FOR year IN (2000, 2010, 2020) GROUP BY country)
=== 102
SELECT schema_name, function_name, ROW_NUMBER() OVER my_window AS function_rank FROM DUCKDB_FUNCTIONS() WINDOW my_window AS (PARTITION BY schema_name ORDER BY function_name) QUALIFY ROW_NUMBER() OVER my_window < 3
=== 103
SELECT SHA256('abc')
=== 104
SELECT SPLIT_PART('11.22.33', '.', 1)
=== 105
SELECT NTH_VALUE(is_deleted, 2) OVER (PARTITION BY id) AS nth_is_deleted FROM my_table
=== 106
SELECT NTH_VALUE(is_deleted, 2 IGNORE NULLS) OVER (PARTITION BY id) AS nth_is_deleted FROM my_table
=== 107
SELECT LIST_MAX(values) FROM table1
=== 108
SELECT LIST_MIN(values) FROM table1
=== 109
SELECT LIST_SORT(x, 'ASC')
=== 110
SELECT LIST_SORT(x, 'DESC')
=== 111
SELECT LIST_SORT(x, 'ASC', 'NULLS FIRST')
=== 112
SELECT LIST_SORT(x, 'ASC', 'NULLS LAST')
=== 113
SELECT LIST_SORT(x, 'DESC', 'NULLS FIRST')
=== 114
SELECT LIST_SORT(x, 'DESC', 'NULLS LAST')
=== 115
SELECT LIST_SORT(x, 'desc', 'nulls first')
=== 116
SELECT ARRAY_REVERSE_SORT(x, 'NULLS FIRST')
=== 117
SELECT LIST_REVERSE_SORT(x)
=== 118
SELECT LIST_SORT(x, 'DE' || 'SC')
=== 119
SELECT LIST_SORT(x, 'foo')
=== 120
SELECT LIST_SORT(x, "asc")
=== 121
SELECT ARRAY_SORT(x, 'ASC', 'bad')
=== 122
SELECT LIST_SORT(x, 'DESC', 'NULLS' || ' FIRST')
=== 123
SELECT LIST_SORT(x, 'DE' || 'SC', 'NULLS' || ' FIRST')
=== 124
SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY y DESC) FROM t
=== 125
SELECT PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY y DESC) FROM t
=== 126
SELECT REGEXP_EXTRACT(a, 'pattern', 0)
=== 127
SELECT REGEXP_EXTRACT(a, 'pattern', 0, 'i')
=== 128
SELECT REGEXP_EXTRACT(a, 'pattern', 1, 'i')
=== 129
SELECT REGEXP_EXTRACT_ALL(s, 'pattern', 0)
=== 130
SELECT REGEXP_EXTRACT_ALL(s, 'pattern', 1)
=== 131
SELECT REGEXP_EXTRACT_ALL(s, 'pattern', 0, 'i')
=== 132
SELECT REGEXP_EXTRACT_ALL(s, 'pattern', 1, 'im')
=== 133
SELECT REGEXP_EXTRACT_ALL(s, 'pattern', 0)[2:]
=== 134
SELECT ISNAN(x)
=== 135
SELECT * FROM RANGE(1, 5, 10)
=== 136
SELECT * FROM GENERATE_SERIES(2, 13, 4)
=== 137
SELECT i FROM RANGE(5) AS _(i) ORDER BY i ASC
=== 138
SELECT i FROM GENERATE_SERIES(12) AS _(i) ORDER BY i ASC
=== 139
SELECT LENGTH(foo)
=== 140
SELECT ARRAY[1, 2, 3]
=== 141
SELECT * FROM (DESCRIBE t)
=== 142
SELECT UNNEST([*COLUMNS('alias_.*')]) AS column_name
=== 143
SELECT COALESCE(*COLUMNS(*)) FROM (SELECT NULL, 2, 3) AS t(a, b, c)
=== 144
SELECT id, STRUCT_PACK(*COLUMNS('m\d')) AS measurements FROM many_measurements
=== 145
SELECT COLUMNS(LAMBDA c : c LIKE '%num%') FROM numbers
=== 146
SELECT MIN(COLUMNS(* REPLACE (number + id AS number))), COUNT(COLUMNS(* EXCLUDE (number))) FROM numbers
=== 147
SELECT COLUMNS(*) + COLUMNS(*) FROM numbers
=== 148
SELECT COLUMNS('(id|numbers?)') FROM numbers
=== 149
SELECT COALESCE(COLUMNS(['a', 'b', 'c'])) AS result FROM (SELECT NULL AS a, 42 AS b, TRUE AS c)
=== 150
SELECT COALESCE(*COLUMNS(['a', 'b', 'c'])) AS result FROM (SELECT NULL AS a, 42 AS b, TRUE AS c)
=== 151
SELECT DATE_ADD(CAST('2020-01-01' AS DATE), INTERVAL 1 DAY)
=== 152
SELECT #2, #1 FROM (VALUES (1, 'foo'))
=== 153
SELECT #2 AS a, #1 AS b FROM (VALUES (1, 'foo'))
=== 154
SELECT CUME_DIST( ORDER BY foo) OVER (ORDER BY 1) FROM (SELECT 1 AS foo)
=== 155
SELECT NTILE(1 ORDER BY foo) OVER (ORDER BY 1) FROM (SELECT 1 AS foo)
=== 156
SELECT RANK( ORDER BY foo) OVER (ORDER BY 1) FROM (SELECT 1 AS foo)
=== 157
SELECT PERCENT_RANK( ORDER BY foo) OVER (ORDER BY 1) FROM (SELECT 1 AS foo)
=== 158
SELECT * FROM t LIMIT 10 PERCENT
=== 159
SELECT * FROM t LIMIT 10%
=== 160
SELECT * FROM t LIMIT 10 PERCENT OFFSET 1
=== 161
SELECT * FROM t LIMIT 10% OFFSET 1
=== 162
SELECT CAST(ROW(1, 2) AS ROW(a INTEGER, b INTEGER))
=== 163
SELECT row
=== 164
SELECT TRY_STRPTIME('2013-04-28T20:57:01.123456789+07:00', '%Y-%m-%dT%H:%M:%S.%n%z')
=== 165
FROM (FROM t1 UNION FROM t2)
=== 166
FROM (FROM (SELECT 1) AS t2(c), (SELECT t2.c AS c0))
=== 167
FROM (FROM (SELECT 2000 as amount) t GROUP BY amount HAVING SUM(amount) > 1000)
=== 168
(FROM (SELECT 1) t1(c) EXCEPT FROM (SELECT 2) t2(c)) UNION ALL (FROM (SELECT 3) t3(c) EXCEPT FROM (SELECT 4) t4(c))
=== 169
SELECT REPLACE('apple pie', 'pie', 'cobbler') AS result
=== 170
SELECT REPLACE(CAST(CAST('apple pie' AS BLOB) AS TEXT), CAST(CAST('pie' AS BLOB) AS TEXT), CAST(CAST('cobbler' AS BLOB) AS TEXT)) AS result
=== 171
SELECT TRIM('***apple***', '*') AS result
=== 172
SELECT CAST(TRIM(CAST(CAST('***apple***' AS BLOB) AS TEXT), CAST(CAST('*' AS BLOB) AS TEXT)) AS BLOB) AS result
=== 173
SELECT GREATEST(1.0, 2.5, NULL, 3.7)
=== 174
FROM t1, t2 SELECT *
=== 175
SELECT MAKE_DATE(DATE_PART(['year', 'month', 'day'], CURRENT_DATE))
=== 176
SELECT * FROM t PIVOT(SUM(y) FOR foo IN y_enum)
=== 177
SELECT 20_000 AS literal
=== 178
SELECT 1_2E+1_0::FLOAT
=== 179
SELECT [1, 2, 3][1 + 1:LENGTH([1, 2, 3]) + -1]
=== 180
SELECT TODAY()
=== 181
SELECT GET_CURRENT_TIME()
=== 182
SELECT SUM(x) OVER (ORDER BY x GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t
=== 183
SELECT LAST_VALUE(x ORDER BY x IGNORE NULLS) OVER (ORDER BY x) FROM t
=== 184
SELECT LAST_VALUE(x ORDER BY x RESPECT NULLS) OVER (ORDER BY x) FROM t
=== 185
SELECT DATE_ADD(TIMESTAMP '2024-01-01', INTERVAL 1 DAY) - DATE_ADD(TIMESTAMP '2024-01-01', INTERVAL 1 DAY)
=== 186
SELECT INTERVAL 1 DAY + DATE_ADD(TIMESTAMP '2024-01-30', INTERVAL 1 MONTH)
=== 187
SELECT DATE_ADD(TIMESTAMP '2024-01-01', INTERVAL 1 DAY) AT TIME ZONE 'UTC'
=== 188
SELECT CURRENT_DATE
=== 189
SELECT CURRENT_TIMESTAMP
=== 190
SELECT INTERVAL '1.5 DAY'
=== 191
SELECT INTERVAL '1.5' DAY
=== 192
SELECT INTERVAL '1.5' MONTH
=== 193
SELECT * FROM tbl USING SAMPLE 5
=== 194
SELECT * FROM tbl USING SAMPLE 10%
=== 195
SELECT * FROM tbl USING SAMPLE 10 PERCENT (bernoulli)
=== 196
SELECT * FROM tbl USING SAMPLE reservoir(50 ROWS) REPEATABLE (100)
=== 197
SELECT * FROM tbl USING SAMPLE 10% (system, 377)
=== 198
SELECT * FROM tbl TABLESAMPLE RESERVOIR(20%), tbl2 WHERE tbl.i=tbl2.i
=== 199
SELECT * FROM tbl, tbl2 WHERE tbl.i=tbl2.i USING SAMPLE RESERVOIR(20%)
=== 200
SELECT a, COUNT(*) OVER w AS c FROM tbl WHERE a > 0 GROUP BY a HAVING COUNT(*) > 0 WINDOW w AS (ORDER BY a) QUALIFY c > 0 USING SAMPLE SYSTEM (50 PERCENT) ORDER BY a LIMIT 3 OFFSET 1
=== 201
SELECT [{'a': (SELECT 1)}]
=== 202
SELECT LIST_VALUE((SELECT 1))
=== 203
SELECT x::INT[3][3]
=== 204
SELECT ARRAY[[[1]]]::INT[1][1][1]
=== 205
UNPIVOT (SELECT 1 AS col1, 2 AS col2) ON foo, bar
=== 206
UNPIVOT monthly_sales ON jan, feb, mar, apr, may, jun INTO NAME month VALUE sales
=== 207
UNPIVOT monthly_sales ON COLUMNS(* EXCLUDE (empid, dept)) INTO NAME month VALUE sales
=== 208
UNPIVOT monthly_sales ON (jan, feb, mar) AS q1, (apr, may, jun) AS q2 INTO NAME quarter VALUE month_1_sales, month_2_sales, month_3_sales
=== 209
WITH unpivot_alias AS (UNPIVOT monthly_sales ON COLUMNS(* EXCLUDE (empid, dept)) INTO NAME month VALUE sales) SELECT * FROM unpivot_alias
=== 210
SELECT * FROM (UNPIVOT monthly_sales ON COLUMNS(* EXCLUDE (empid, dept)) INTO NAME month VALUE sales) AS unpivot_alias
=== 211
FROM (FROM t1 SELECT foo1, foo2)
=== 212
FROM (FROM t1 SELECT foo1 UNION ALL SELECT foo2 FROM t2)
=== 213
WITH t1 AS (FROM (FROM t2 SELECT foo1, foo2)) FROM t1
=== 214
FROM (FROM t1 LEFT JOIN t2 USING (id) SELECT *)
=== 215
SELECT foo: 1
=== 216
SELECT foo: bar
=== 217
SELECT foo: t.col FROM t
=== 218
SELECT "foo" /* bla */: 1
=== 219
SELECT "foo": 1 /* bla */
=== 220
SELECT "foo": /* bla */ 1
=== 221
SELECT "foo": /* bla */ 1 /* foo */
=== 222
SELECT "foo": 1
=== 223
SELECT foo: 1, bar: 2, baz: 3
=== 224
SELECT e: 1 + 2, f: len('asdf'), s: (SELECT 42)
=== 225
SELECT * FROM foo: bar
=== 226
SELECT * FROM foo: c.db.tbl
=== 227
SELECT * FROM foo /* bla */: bar
=== 228
SELECT * FROM foo /* bla */: bar /* baz */
=== 229
SELECT * FROM foo /* bla */: /* baz */ bar /* boo */
=== 230
SELECT * FROM r: range(10), v: (VALUES (42)), s: (FROM range(10))
=== 231

            SELECT
                l_returnflag,
                l_linestatus,
                sum_qty:        sum(l_quantity),
                sum_base_price: sum(l_extendedprice),
                sum_disc_price: sum(l_extendedprice * (1-l_discount)),
                sum_charge:     sum(l_extendedprice * (1-l_discount) * (1+l_tax)),
                avg_qty:        avg(l_quantity),
                avg_price:      avg(l_extendedprice),
                avg_disc:       avg(l_discount),
                count_order:    count(*)
            
=== 232
SELECT @col FROM t
=== 233
SELECT @col + 1 FROM t
=== 234
SELECT (@col) + 1 FROM t
=== 235
SELECT @(-1)
=== 236
SELECT @(-1) + 1
=== 237
SELECT (@-1) + 1
=== 238
SELECT MAP {t.k: t.v} FROM (SELECT 'a' AS k, 10 AS v) AS t
=== 239
WITH RECURSIVE tbl(a, b) USING KEY (a) AS (SELECT a, b FROM (VALUES (1, 3), (2, 4)) AS t(a, b) UNION SELECT a + 1, b FROM tbl WHERE a < 3) SELECT * FROM tbl
=== 240
WITH RECURSIVE tbl(a, b) USING KEY (a, b) AS (SELECT a, b FROM (VALUES (1, 3), (2, 4)) AS t(a, b) UNION SELECT a + 1, b FROM tbl WHERE a < 3) SELECT * FROM tbl
=== 241
SELECT CONCAT_WS('-', 'a', 'b')
=== 242
SELECT CONCAT_WS('-', ['a', NULL, 'b'])
=== 243
WITH _data AS (SELECT [{'a': 1, 'b': 2}, {'a': 2, 'b': 3}] AS col) SELECT t.col['b'] FROM _data, UNNEST(_data.col) AS t(col) WHERE t.col['a'] = 1
=== 244
SELECT [4, 5, 6] AS l, [x FOR x, i IN l IF i = 2] AS filtered
=== 245
SELECT LIST_VALUE(1)[i]
=== 246
SELECT LIST_APPLY(RANGE(1, 4), i -> {'f1': LIST_VALUE(1, 2, 3)[i], 'f2': LIST_VALUE(1, 2, 3)[i]})
=== 247
SUMMARIZE tbl
=== 248
SUMMARIZE SELECT * FROM tbl
=== 249
SHOW TABLES
=== 250
SHOW TABLES FROM my_schema
=== 251
SHOW TABLES FROM my_database
=== 252
SHOW TABLES FROM my_database.my_schema
=== 253
SHOW ALL TABLES
=== 254
SELECT UNNEST([1, 2])
=== 255
SELECT file[:256] FROM GLOB('*')
=== 256
SELECT file[256] FROM GLOB('*')
