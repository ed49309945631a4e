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
PIVOT duckdb_functions() ON schema_name USING AVG(LENGTH(function_name))::INTEGER GROUP BY schema_name
=== 31
SELECT str[0:1]
=== 32
SELECT COSH(1.5)
=== 33
SELECT MODE(category)
=== 34
SELECT e'\n'
=== 35
SELECT e'\t'
=== 36
SELECT e'update table_name set a = \'foo\' where 1 = 0' AS x FROM tab
=== 37
SELECT GET_BIT(CAST('0110010' AS BIT), 2)
=== 38
SELECT 1 WHERE x > $1
=== 39
SELECT 1 WHERE x > $name
=== 40
SELECT 1 AS a$b
=== 41
SELECT '{"x": 1}' -> c FROM t
=== 42
SELECT EXP(1)
=== 43
SELECT '{"duck": [1, 2, 3]}' -> '$.duck[#-1]'
=== 44
SELECT tbl.x*1e4+tbl.y FROM tbl
=== 45
SELECT LIST_TRANSFORM([5, NULL, 6], (x, y) -> COALESCE(x, y, 0) + 1)
=== 46
SELECT LIST_TRANSFORM([5, NULL, 6], LAMBDA x, y : COALESCE(x, y, 0) + 1)
=== 47
SELECT LIST_TRANSFORM(LIST_FILTER([0, 1, 2, 3, 4, 5], LAMBDA x : x % 2 = 0), LAMBDA y : y * y)
=== 48
SELECT LIST_TRANSFORM([5, NULL, 6], LAMBDA x : COALESCE(x, 0) + 1)
=== 49
SELECT LIST_TRANSFORM(nbr, LAMBDA x : x + 1) FROM article AS a
=== 50
SELECT * FROM my_ducklake.demo AT (VERSION => 2)
=== 51
SELECT * FROM t1 AS a AT (VERSION => 3) JOIN t2 AS b AT (TIMESTAMP => NOW() - INTERVAL '1' WEEK) ON a.id = b.id
=== 52
SELECT TO_BINARY('test')
=== 53
SELECT UUIDV7()
=== 54
SELECT TRY(LOG(0))
=== 55
SELECT 1 AS x UNION ALL BY NAME SELECT 2 AS x
=== 56
SELECT SUM(x) FILTER (x = 1)
=== 57
SELECT * FROM GLOB(x)
=== 58
SELECT MAP(['key1', 'key2', 'key3'], [10, 20, 30])
=== 59
SELECT MAP {'x': 1}
=== 60
SELECT (MAP {'x': 1})['x']
=== 61
SELECT df1.*, df2.* FROM df1 POSITIONAL JOIN df2
=== 62
SELECT EPOCH_MS(10) AS t
=== 63
SELECT MAKE_TIMESTAMP(10) AS t
=== 64
SELECT TO_TIMESTAMP(10) AS t
=== 65
SELECT UNNEST(col, recursive := TRUE) FROM t
=== 66
SELECT * FROM foo ASOF LEFT JOIN bar ON a = b
=== 67
SELECT {'a': 1} AS x
=== 68
SELECT {'a': {'b': {'c': 1}}, 'd': {'e': 2}} AS x
=== 69
SELECT {'x': 1, 'y': 2, 'z': 3}
=== 70
SELECT {'key1': 'string', 'key2': 1, 'key3': 12.345}
=== 71
SELECT ROW(x, x + 1, y) FROM (SELECT 1 AS x, 'a' AS y)
=== 72
SELECT (x, x + 1, y) FROM (SELECT 1 AS x, 'a' AS y)
=== 73
SELECT a.x FROM (SELECT {'x': 1, 'y': 2, 'z': 3} AS a)
=== 74
FROM  x SELECT x UNION SELECT 1
=== 75
FROM (FROM tbl)
=== 76
FROM tbl
=== 77
FROM (FROM tbl_1) AS t1 POSITIONAL JOIN (FROM tbl_2) AS t2 SELECT t1.x AS x1, t2.x AS x2
=== 78
FROM (FROM a) AS t1 JOIN (FROM b) AS t2 ON t1.x = t2.x JOIN (FROM c) AS t3 ON t2.y = t3.y SELECT t1.x, t2.x, t3.y
=== 79
SELECT * FROM t1 WHERE NOT EXISTS(FROM t2 WHERE t2.id = t1.id)
=== 80
SELECT a -> 'it''s' FROM t
=== 81
SELECT a ->> 'it''s' FROM t
=== 82
SELECT * FROM foo WHERE bar > $baz AND bla = $bob
=== 83
SELECT species, island, COUNT(*) FROM t GROUP BY GROUPING SETS (species), GROUPING SETS (island)
=== 84
SELECT species, island, COUNT(*) FROM t GROUP BY CUBE (species), CUBE (island)
=== 85
SELECT species, island, COUNT(*) FROM t GROUP BY ROLLUP (species), ROLLUP (island)
=== 86
SELECT '{ "family": "anatidae", "species": [ "duck", "goose", "swan", null ] }' ->> ['$.family', '$.species']
=== 87
SELECT $🦆$foo$🦆$
=== 88
SELECT * FROM t PIVOT(FIRST(t) AS t, FOR quarter IN ('Q1', 'Q2'))
=== 89
SELECT JSON_EXTRACT_STRING('{ "family": "anatidae", "species": [ "duck", "goose", "swan", null ] }', ['$.family', '$.species'])
=== 90
SELECT col FROM t WHERE JSON_EXTRACT_STRING(col, '$.id') NOT IN ('b')
=== 91
SELECT JSON_EXTRACT_STRING(c, '$.k1') = 'v1'
=== 92
SELECT JSON_EXTRACT(c, '$.k1') = 'v1'
=== 93
SELECT JSON_EXTRACT(c, '$[*].id')[0:2]
=== 94
SELECT JSON_EXTRACT_STRING(c, '$[*].id')[0:2]
=== 95
SELECT '{"foo": [1, 2, 3]}' -> 'foo' -> 0
=== 96
SELECT ($$hello)'world$$)
=== 97
SELECT $$foo$$
=== 98
SELECT $tag$foo$tag$
=== 99
SELECT {'yes': 'duck', 'maybe': 'goose', 'huh': NULL, 'no': 'heron'}
=== 100
SELECT a['x space'] FROM (SELECT {'x space': 1, 'y': 2, 'z': 3} AS a)
=== 101
PIVOT Cities ON Year IN (2000, 2010) USING SUM(Population) GROUP BY Country
=== 102
PIVOT Cities ON Year USING SUM(Population) AS total, MAX(Population) AS max GROUP BY Country
=== 103
WITH pivot_alias AS (PIVOT Cities ON Year USING SUM(Population) GROUP BY Country) SELECT * FROM pivot_alias
=== 104
SELECT * FROM (PIVOT Cities ON Year USING SUM(Population) GROUP BY Country) AS pivot_alias
=== 105
SELECT * FROM cities PIVOT(SUM(population) FOR year IN (2000, 2010, 2020) GROUP BY country)
=== 106
SELECT schema_name, function_name, ROW_NUMBER() OVER my_window AS function_rank FROM DUCKDB_FUNCTIONS() WINDOW my_window AS (PARTITION BY schema_name ORDER BY function_name) QUALIFY ROW_NUMBER() OVER my_window < 3
=== 107
SELECT SHA256('abc')
=== 108
SELECT SPLIT_PART('11.22.33', '.', 1)
=== 109
SELECT NTH_VALUE(is_deleted, 2) OVER (PARTITION BY id) AS nth_is_deleted FROM my_table
=== 110
SELECT NTH_VALUE(is_deleted, 2 IGNORE NULLS) OVER (PARTITION BY id) AS nth_is_deleted FROM my_table
=== 111
SELECT LIST_MAX(values) FROM table1
=== 112
SELECT LIST_MIN(values) FROM table1
=== 113
SELECT LIST_SORT(x, 'ASC')
=== 114
SELECT LIST_SORT(x, 'DESC')
=== 115
SELECT LIST_SORT(x, 'ASC', 'NULLS FIRST')
=== 116
SELECT LIST_SORT(x, 'ASC', 'NULLS LAST')
=== 117
SELECT LIST_SORT(x, 'DESC', 'NULLS FIRST')
=== 118
SELECT LIST_SORT(x, 'DESC', 'NULLS LAST')
=== 119
SELECT LIST_SORT(x, 'desc', 'nulls first')
=== 120
SELECT ARRAY_REVERSE_SORT(x, 'NULLS FIRST')
=== 121
SELECT LIST_REVERSE_SORT(x)
=== 122
SELECT LIST_SORT(x, 'DE' || 'SC')
=== 123
SELECT LIST_SORT(x, 'foo')
=== 124
SELECT LIST_SORT(x, "asc")
=== 125
SELECT ARRAY_SORT(x, 'ASC', 'bad')
=== 126
SELECT LIST_SORT(x, 'DESC', 'NULLS' || ' FIRST')
=== 127
SELECT LIST_SORT(x, 'DE' || 'SC', 'NULLS' || ' FIRST')
=== 128
SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY y DESC) FROM t
=== 129
SELECT PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY y DESC) FROM t
=== 130
SELECT REGEXP_EXTRACT(a, 'pattern', 0)
=== 131
SELECT REGEXP_EXTRACT(a, 'pattern', 0, 'i')
=== 132
SELECT REGEXP_EXTRACT(a, 'pattern', 1, 'i')
=== 133
SELECT REGEXP_EXTRACT_ALL(s, 'pattern', 0)
=== 134
SELECT REGEXP_EXTRACT_ALL(s, 'pattern', 1)
=== 135
SELECT REGEXP_EXTRACT_ALL(s, 'pattern', 0, 'i')
=== 136
SELECT REGEXP_EXTRACT_ALL(s, 'pattern', 1, 'im')
=== 137
SELECT REGEXP_EXTRACT_ALL(s, 'pattern', 0)[2:]
=== 138
SELECT ISNAN(x)
=== 139
SELECT * FROM RANGE(1, 5, 10)
=== 140
SELECT * FROM GENERATE_SERIES(2, 13, 4)
=== 141
SELECT i FROM RANGE(5) AS _(i) ORDER BY i ASC
=== 142
SELECT i FROM GENERATE_SERIES(12) AS _(i) ORDER BY i ASC
=== 143
SELECT LENGTH(foo)
=== 144
SELECT ARRAY[1, 2, 3]
=== 145
SELECT * FROM (DESCRIBE t)
=== 146
SELECT UNNEST([*COLUMNS('alias_.*')]) AS column_name
=== 147
SELECT COALESCE(*COLUMNS(*)) FROM (SELECT NULL, 2, 3) AS t(a, b, c)
=== 148
SELECT id, STRUCT_PACK(*COLUMNS('m\d')) AS measurements FROM many_measurements
=== 149
SELECT COLUMNS(LAMBDA c : c LIKE '%num%') FROM numbers
=== 150
SELECT MIN(COLUMNS(* REPLACE (number + id AS number))), COUNT(COLUMNS(* EXCLUDE (number))) FROM numbers
=== 151
SELECT COLUMNS(*) + COLUMNS(*) FROM numbers
=== 152
SELECT COLUMNS('(id|numbers?)') FROM numbers
=== 153
SELECT COALESCE(COLUMNS(['a', 'b', 'c'])) AS result FROM (SELECT NULL AS a, 42 AS b, TRUE AS c)
=== 154
SELECT COALESCE(*COLUMNS(['a', 'b', 'c'])) AS result FROM (SELECT NULL AS a, 42 AS b, TRUE AS c)
=== 155
SELECT DATE_ADD(CAST('2020-01-01' AS DATE), INTERVAL 1 DAY)
=== 156
SELECT #2, #1 FROM (VALUES (1, 'foo'))
=== 157
SELECT #2 AS a, #1 AS b FROM (VALUES (1, 'foo'))
=== 158
SELECT CUME_DIST( ORDER BY foo) OVER (ORDER BY 1) FROM (SELECT 1 AS foo)
=== 159
SELECT NTILE(1 ORDER BY foo) OVER (ORDER BY 1) FROM (SELECT 1 AS foo)
=== 160
SELECT RANK( ORDER BY foo) OVER (ORDER BY 1) FROM (SELECT 1 AS foo)
=== 161
SELECT PERCENT_RANK( ORDER BY foo) OVER (ORDER BY 1) FROM (SELECT 1 AS foo)
=== 162
SELECT * FROM t LIMIT 10 PERCENT
=== 163
SELECT * FROM t LIMIT 10%
=== 164
SELECT * FROM t LIMIT 10 PERCENT OFFSET 1
=== 165
SELECT * FROM t LIMIT 10% OFFSET 1
=== 166
SELECT CAST(ROW(1, 2) AS ROW(a INTEGER, b INTEGER))
=== 167
SELECT row
=== 168
SELECT TRY_STRPTIME('2013-04-28T20:57:01.123456789+07:00', '%Y-%m-%dT%H:%M:%S.%n%z')
=== 169
FROM (FROM t1 UNION FROM t2)
=== 170
FROM (FROM (SELECT 1) AS t2(c), (SELECT t2.c AS c0))
=== 171
FROM (FROM (SELECT 2000 as amount) t GROUP BY amount HAVING SUM(amount) > 1000)
=== 172
(FROM (SELECT 1) t1(c) EXCEPT FROM (SELECT 2) t2(c)) UNION ALL (FROM (SELECT 3) t3(c) EXCEPT FROM (SELECT 4) t4(c))
=== 173
SELECT REPLACE('apple pie', 'pie', 'cobbler') AS result
=== 174
SELECT REPLACE(CAST(CAST('apple pie' AS BLOB) AS TEXT), CAST(CAST('pie' AS BLOB) AS TEXT), CAST(CAST('cobbler' AS BLOB) AS TEXT)) AS result
=== 175
SELECT TRIM('***apple***', '*') AS result
=== 176
SELECT CAST(TRIM(CAST(CAST('***apple***' AS BLOB) AS TEXT), CAST(CAST('*' AS BLOB) AS TEXT)) AS BLOB) AS result
=== 177
SELECT GREATEST(1.0, 2.5, NULL, 3.7)
=== 178
FROM t1, t2 SELECT *
=== 179
SELECT MAKE_DATE(DATE_PART(['year', 'month', 'day'], CURRENT_DATE))
=== 180
SELECT * FROM t PIVOT(SUM(y) FOR foo IN y_enum)
=== 181
SELECT 20_000 AS literal
=== 182
SELECT 1_2E+1_0::FLOAT
=== 183
SELECT [1, 2, 3][1 + 1:LENGTH([1, 2, 3]) + -1]
=== 184
SELECT TODAY()
=== 185
SELECT GET_CURRENT_TIME()
=== 186
SELECT SUM(x) OVER (ORDER BY x GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t
=== 187
SELECT LAST_VALUE(x ORDER BY x IGNORE NULLS) OVER (ORDER BY x) FROM t
=== 188
SELECT LAST_VALUE(x ORDER BY x RESPECT NULLS) OVER (ORDER BY x) FROM t
=== 189
SELECT DATE_ADD(TIMESTAMP '2024-01-01', INTERVAL 1 DAY) - DATE_ADD(TIMESTAMP '2024-01-01', INTERVAL 1 DAY)
=== 190
SELECT INTERVAL 1 DAY + DATE_ADD(TIMESTAMP '2024-01-30', INTERVAL 1 MONTH)
=== 191
SELECT DATE_ADD(TIMESTAMP '2024-01-01', INTERVAL 1 DAY) AT TIME ZONE 'UTC'
=== 192
SELECT CURRENT_DATE
=== 193
SELECT CURRENT_TIMESTAMP
=== 194
SELECT INTERVAL '1.5 DAY'
=== 195
SELECT INTERVAL '1.5' DAY
=== 196
SELECT INTERVAL '1.5' MONTH
=== 197
SELECT * FROM tbl USING SAMPLE 5
=== 198
SELECT * FROM tbl USING SAMPLE 10%
=== 199
SELECT * FROM tbl USING SAMPLE 10 PERCENT (bernoulli)
=== 200
SELECT * FROM tbl USING SAMPLE reservoir(50 ROWS) REPEATABLE (100)
=== 201
SELECT * FROM tbl USING SAMPLE 10% (system, 377)
=== 202
SELECT * FROM tbl TABLESAMPLE RESERVOIR(20%), tbl2 WHERE tbl.i=tbl2.i
=== 203
SELECT * FROM tbl, tbl2 WHERE tbl.i=tbl2.i USING SAMPLE RESERVOIR(20%)
=== 204
SELECT a, COUNT(*) OVER w AS c FROM tbl WHERE a > 0 GROUP BY a HAVING COUNT(*) > 0 WINDOW w AS (ORDER BY a) QUALIFY c > 0 USING SAMPLE SYSTEM (50 PERCENT) ORDER BY a LIMIT 3 OFFSET 1
=== 205
SELECT [{'a': (SELECT 1)}]
=== 206
SELECT LIST_VALUE((SELECT 1))
=== 207
SELECT x::INT[3][3]
=== 208
SELECT ARRAY[[[1]]]::INT[1][1][1]
=== 209
PIVOT Cities ON Year USING SUM(Population)
=== 210
PIVOT Cities ON Year USING FIRST(Population)
=== 211
PIVOT Cities ON Year USING SUM(Population) GROUP BY Country
=== 212
PIVOT Cities ON Country, Name USING SUM(Population)
=== 213
PIVOT Cities ON Country || '_' || Name USING SUM(Population)
=== 214
PIVOT Cities ON Year USING SUM(Population) GROUP BY Country, Name
=== 215
UNPIVOT (SELECT 1 AS col1, 2 AS col2) ON foo, bar
=== 216
UNPIVOT monthly_sales ON jan, feb, mar, apr, may, jun INTO NAME month VALUE sales
=== 217
UNPIVOT monthly_sales ON COLUMNS(* EXCLUDE (empid, dept)) INTO NAME month VALUE sales
=== 218
UNPIVOT monthly_sales ON (jan, feb, mar) AS q1, (apr, may, jun) AS q2 INTO NAME quarter VALUE month_1_sales, month_2_sales, month_3_sales
=== 219
WITH unpivot_alias AS (UNPIVOT monthly_sales ON COLUMNS(* EXCLUDE (empid, dept)) INTO NAME month VALUE sales) SELECT * FROM unpivot_alias
=== 220
SELECT * FROM (UNPIVOT monthly_sales ON COLUMNS(* EXCLUDE (empid, dept)) INTO NAME month VALUE sales) AS unpivot_alias
=== 221
WITH cities(country, name, year, population) AS (SELECT 'NL', 'Amsterdam', 2000, 1005 UNION ALL SELECT 'US', 'Seattle', 2020, 738) PIVOT cities ON year USING SUM(population)
=== 222
FROM (FROM t1 SELECT foo1, foo2)
=== 223
FROM (FROM t1 SELECT foo1 UNION ALL SELECT foo2 FROM t2)
=== 224
WITH t1 AS (FROM (FROM t2 SELECT foo1, foo2)) FROM t1
=== 225
FROM (FROM t1 LEFT JOIN t2 USING (id) SELECT *)
=== 226
PIVOT (FROM tbl_1 LEFT JOIN tbl_2 USING (id) SELECT *) ON col_1 USING SUM(col_2)
=== 227
SELECT foo: 1
=== 228
SELECT foo: bar
=== 229
SELECT foo: t.col FROM t
=== 230
SELECT "foo" /* bla */: 1
=== 231
SELECT "foo": 1 /* bla */
=== 232
SELECT "foo": /* bla */ 1
=== 233
SELECT "foo": /* bla */ 1 /* foo */
=== 234
SELECT "foo": 1
=== 235
SELECT foo: 1, bar: 2, baz: 3
=== 236
SELECT e: 1 + 2, f: len('asdf'), s: (SELECT 42)
=== 237
SELECT * FROM foo: bar
=== 238
SELECT * FROM foo: c.db.tbl
=== 239
SELECT * FROM foo /* bla */: bar
=== 240
SELECT * FROM foo /* bla */: bar /* baz */
=== 241
SELECT * FROM foo /* bla */: /* baz */ bar /* boo */
=== 242
SELECT * FROM r: range(10), v: (VALUES (42)), s: (FROM range(10))
=== 243

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
            
=== 244
SELECT @col FROM t
=== 245
SELECT @col + 1 FROM t
=== 246
SELECT (@col) + 1 FROM t
=== 247
SELECT @(-1)
=== 248
SELECT @(-1) + 1
=== 249
SELECT (@-1) + 1
=== 250
SELECT MAP {t.k: t.v} FROM (SELECT 'a' AS k, 10 AS v) AS t
=== 251
WITH RECURSIVE tbl(a, b) USING KEY (a) AS (SELECT a, b FROM (VALUES (1, 3), (2, 4)) AS t(a, b) UNION SELECT a + 1, b FROM tbl WHERE a < 3) SELECT * FROM tbl
=== 252
WITH RECURSIVE tbl(a, b) USING KEY (a, b) AS (SELECT a, b FROM (VALUES (1, 3), (2, 4)) AS t(a, b) UNION SELECT a + 1, b FROM tbl WHERE a < 3) SELECT * FROM tbl
=== 253
SELECT CONCAT_WS('-', 'a', 'b')
=== 254
SELECT CONCAT_WS('-', ['a', NULL, 'b'])
=== 255
WITH _data AS (SELECT [{'a': 1, 'b': 2}, {'a': 2, 'b': 3}] AS col) SELECT t.col['b'] FROM _data, UNNEST(_data.col) AS t(col) WHERE t.col['a'] = 1
=== 256
SELECT [4, 5, 6] AS l, [x FOR x, i IN l IF i = 2] AS filtered
=== 257
SELECT LIST_VALUE(1)[i]
=== 258
SELECT LIST_APPLY(RANGE(1, 4), i -> {'f1': LIST_VALUE(1, 2, 3)[i], 'f2': LIST_VALUE(1, 2, 3)[i]})
=== 259
SUMMARIZE tbl
=== 260
SUMMARIZE SELECT * FROM tbl
=== 261
SHOW TABLES
=== 262
SHOW TABLES FROM my_schema
=== 263
SHOW TABLES FROM my_database
=== 264
SHOW TABLES FROM my_database.my_schema
=== 265
SHOW ALL TABLES
=== 266
SELECT UNNEST([1, 2])
=== 267
SELECT file[:256] FROM GLOB('*')
=== 268
SELECT file[256] FROM GLOB('*')
