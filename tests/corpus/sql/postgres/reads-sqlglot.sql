sqlglot 30.30.0, tests/dialects/test_postgres.py, what validate_identity is given first
licence: MIT, licences/sqlglot.txt

=== 1
TABLE t ORDER BY x OFFSET 1 FETCH FIRST 1 ROW ONLY
=== 2
SELECT NULL IS NULL = FALSE
=== 3
SELECT a = b IS NOT NULL FROM t
=== 4
SELECT a = b NOTNULL FROM t
=== 5
SELECT a = (b IS NULL) FROM t
=== 6
SELECT a IS NOT NULL IS NULL FROM t
=== 7
SELECT a IS NULL IS NOT NULL FROM t
=== 8
SELECT NULL IS NOT NULL IS FALSE
=== 9
SELECT JSON_VALUE(j, '$.a' RETURNING BIGINT) FROM t
=== 10
SELECT JSON_VALUE('"2020-01-01T01:02:03"', '$' RETURNING TIMESTAMP WITH TIME ZONE)
=== 11
SELECT JSON_VALUE('42', '$' RETURNING BIGINT)
=== 12
SELECT JSON_VALUE(j, p) FROM (VALUES (CAST('{"a":42}' AS JSONB), CAST('$.a' AS JSONPATH))) AS t(j, p)
=== 13
SELECT JSON_VALUE('{"a":42}', '$' || '.a')
=== 14
SELECT JSON_VALUE('{"a":42}', CASE WHEN TRUE THEN '$.a' ELSE '$.b' END)
=== 15
WITH t AS (SELECT 1 AS "null") SELECT t.null FROM t
=== 16
WITH t AS (SELECT 1 AS "true") SELECT t.true FROM t
=== 17
SELECT '%' SIMILAR TO '^%' ESCAPE '^'
=== 18
SELECT GET_BIT(CAST(44 AS BIT(10)), 6)
=== 19
SELECT * FROM t GROUP BY ROLLUP (a || '^' || b)
=== 20
SELECT COSH(1.5)
=== 21
SELECT EXP(1)
=== 22
SELECT MODE() WITHIN GROUP (ORDER BY status DESC) AS most_common FROM orders
=== 23
SELECT ST_DISTANCE(gg1, gg2, FALSE) AS sphere_dist
=== 24
SELECT EXTRACT(QUARTER FROM CAST('2025-04-26' AS DATE))
=== 25
SELECT DATE_TRUNC('QUARTER', CAST('2025-04-26' AS DATE))
=== 26
SELECT DATE_TRUNC('DAY', x, 'America/New_York')
=== 27
SELECT x FROM t WHERE CAST($1 AS TEXT) = 'ok'
=== 28
SELECT * FROM t TABLESAMPLE SYSTEM (50) REPEATABLE (55)
=== 29
SELECT * FROM events WHERE doc @? '$.a[*] ? (@ > 2)'
=== 30
SELECT ARRAY[1, 2, 3]
=== 31
SELECT ARRAY(SELECT 1)
=== 32
SELECT CASE WHEN SUBSTRING('abcdefg') IN ('ab') THEN 1 ELSE 0 END
=== 33
SELECT e'\x44EADBEEF'
=== 34
SELECT CAST(e'\176' AS BYTEA)
=== 35
SELECT * FROM x WHERE SUBSTRING('Thomas' FROM '...$') IN ('mas')
=== 36
SELECT TRIM(' X' FROM ' XXX ')
=== 37
SELECT TRIM(LEADING 'bla' FROM ' XXX ' COLLATE utf8_bin)
=== 38
SELECT * FROM JSON_TO_RECORDSET(z) AS y("rank" INT)
=== 39
SELECT ~x
=== 40
SELECT * FROM r CROSS JOIN LATERAL UNNEST(ARRAY[1]) AS s(location)
=== 41
SELECT CURRENT_SCHEMA
=== 42
SELECT CURRENT_USER
=== 43
SELECT CURRENT_ROLE
=== 44
SELECT VERSION()
=== 45
SELECT * FROM ONLY t1
=== 46
SELECT INTERVAL '-1 MONTH'
=== 47
SELECT INTERVAL '4.1 DAY'
=== 48
SELECT INTERVAL '3.14159 HOUR'
=== 49
SELECT INTERVAL '2.5 MONTH'
=== 50
SELECT INTERVAL '-10.75 MINUTE'
=== 51
SELECT INTERVAL '0.123456789 SECOND'
=== 52
SELECT INTERVAL '1'' SECOND; SELECT 1; --'
=== 53
SELECT INTERVAL '1''; SELECT 1; --' DAY TO SECOND
=== 54
SELECT date_col - INTERVAL '30' FROM t
=== 55
SELECT date_col - INTERVAL '1' AS one_second_later
=== 56
SELECT date_col - INTERVAL '30' DAY FROM t
=== 57
SELECT date_col - INTERVAL '1' HOUR AS one_hour_later
=== 58
SELECT SUM(x) OVER (PARTITION BY y ORDER BY interval ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - SUM(x) OVER (PARTITION BY y ORDER BY interval ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total
=== 59
SELECT * FROM test_data, LATERAL JSONB_ARRAY_ELEMENTS(data) WITH ORDINALITY AS elem(value, ordinality)
=== 60
SELECT id, name FROM xml_data AS t, XMLTABLE('/root/user' PASSING t.xml COLUMNS id INT PATH '@id', name TEXT PATH 'name/text()') AS x
=== 61
SELECT id, value FROM xml_content AS t, XMLTABLE(XMLNAMESPACES('http://example.com/ns1' AS ns1, 'http://example.com/ns2' AS ns2), '/root/data' PASSING t.xml COLUMNS id INT PATH '@ns1:id', value TEXT PATH 'ns2:value/text()') AS x
=== 62
SELECT * FROM t WHERE some_column >= CURRENT_DATE + INTERVAL '1 day 1 hour' AND some_another_column IS TRUE
=== 63
WITH t1 AS MATERIALIZED (SELECT 1), t2 AS NOT MATERIALIZED (SELECT 2) SELECT * FROM t1, t2
=== 64
SELECT * FROM JSON_ARRAY_ELEMENTS('[1,true, [2,false]]') WITH ORDINALITY
=== 65
SELECT * FROM JSON_ARRAY_ELEMENTS('[1,true, [2,false]]') WITH ORDINALITY AS kv_json
=== 66
SELECT * FROM JSON_ARRAY_ELEMENTS('[1,true, [2,false]]') WITH ORDINALITY AS kv_json(a, b)
=== 67
SELECT SUM(x) OVER a, SUM(y) OVER b FROM c WINDOW a AS (PARTITION BY d), b AS (PARTITION BY e)
=== 68
SELECT CASE WHEN SUBSTRING('abcdefg' FROM 1) IN ('ab') THEN 1 ELSE 0 END
=== 69
SELECT CASE WHEN SUBSTRING('abcdefg' FROM 1 FOR 2) IN ('ab') THEN 1 ELSE 0 END
=== 70
SELECT * FROM "x" WHERE SUBSTRING("x"."foo" FROM 1 FOR 2) IN ('mas')
=== 71
SELECT * FROM x WHERE SUBSTRING('Thomas' FROM '%#"o_a#"_' FOR '#') IN ('mas')
=== 72
SELECT TO_TIMESTAMP(1284352323.5), TO_TIMESTAMP('05 Dec 2000', 'DD Mon YYYY')
=== 73
SELECT TO_TIMESTAMP('05 Dec 2000 10:00 AM', 'DD Mon YYYY HH:MI AM')
=== 74
SELECT TO_TIMESTAMP('05 Dec 2000 10:00 PM', 'DD Mon YYYY HH:MI PM')
=== 75
SELECT * FROM foo, LATERAL (SELECT * FROM bar WHERE bar.id = foo.bar_id) AS ss
=== 76
SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class AS c LEFT JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relname OPERATOR(pg_catalog.~) '^(courses)$' COLLATE pg_catalog.default AND pg_catalog.PG_TABLE_IS_VISIBLE(c.oid) ORDER BY 2, 3
=== 77
SELECT date_add(current_date, interval '7' day)
=== 78
SELECT e'foo \' bar'
=== 79
SELECT e'\n'
=== 80
SELECT e'\t'
=== 81
SELECT e'update table_name set a = \'foo\' where 1 = 0' AS x FROM tab
=== 82
select count() OVER(partition by a order by a range offset preceding exclude current row)
=== 83
SELECT SUBSTRING('Thomas' FOR 3 FROM 2)
=== 84
SELECT DATE_PART('isodow'::varchar(6), current_date)
=== 85
SELECT DATE_PART('isoyear', ts)
=== 86
SELECT $$a$$
=== 87
SELECT $$Dianne's horse$$
=== 88
SELECT $$The price is $9.95$$ AS msg
=== 89
SELECT 'testa 1' NOT LIKE ALL (ARRAY['testa%', 'testb%'])
=== 90
SELECT 'testa 1' NOT LIKE ANY(ARRAY['testa%', 'testb%'])
=== 91
SELECT 'testa 1' NOT ILIKE ALL (ARRAY['testa%', 'testb%'])
=== 92
SELECT 'testa 1' NOT ILIKE ANY(ARRAY['testa%', 'testb%'])
=== 93
SELECT NOT 'testa 1' LIKE ALL (ARRAY['testa%', 'testb%'])
=== 94
SELECT NOT ('testa 1' LIKE ALL (ARRAY['testa%', 'testb%']))
=== 95
SELECT to_timestamp(123)::time without time zone
=== 96
SELECT SUM(x) OVER (PARTITION BY a ORDER BY d ROWS 1 PRECEDING)
=== 97
SELECT SUBSTRING(2022::CHAR(4) || LPAD(3::CHAR(2), 2, '0') FROM 3 FOR 4)
=== 98
SELECT id, email, CAST(deleted AS TEXT) FROM users WHERE deleted NOTNULL
=== 99
SELECT id, email, CAST(deleted AS TEXT) FROM users WHERE NOT deleted ISNULL
=== 100
SELECT JSON_ARRAY_ELEMENTS((foo->'sections')::JSON) AS sections
=== 101
SELECT * FROM t1*
=== 102
SELECT SUBSTRING('afafa' for 1)
=== 103

            WITH
              json_data AS (SELECT '{"field_id": [1, 2, 3]}'::JSON AS data),
              field_ids AS (SELECT 'field_id' AS field_id)

            SELECT
                JSON_ARRAY_ELEMENTS(json_data.data -> field_ids.field_id) AS element
            FROM json_data, field_ids
            
=== 104
SELECT JSON_EXTRACT_PATH(x, k1, 'k2') FROM t
=== 105
SELECT JSON_EXTRACT_PATH(x, 'k1', k2) FROM t
=== 106
SELECT JSON_EXTRACT_PATH_TEXT(x, k1, 'k2') FROM t
=== 107
SELECT TRIM(LEADING ' XXX ' COLLATE "de_DE")
=== 108
SELECT TRIM(TRAILING ' XXX ' COLLATE "de_DE")
=== 109
SELECT js, js IS JSON AS "json?", js IS JSON VALUE AS "scalar?", js IS JSON SCALAR AS "scalar?", js IS JSON OBJECT AS "object?", js IS JSON ARRAY AS "array?" FROM t
=== 110
SELECT js, js IS JSON ARRAY WITH UNIQUE KEYS AS "array w. UK?", js IS JSON ARRAY WITHOUT UNIQUE KEYS AS "array w/o UK?", js IS JSON ARRAY UNIQUE KEYS AS "array w UK 2?" FROM t
=== 111
SELECT 1 FROM ((VALUES (1)) AS vals(id) LEFT OUTER JOIN tbl ON vals.id = tbl.id)
=== 112
SELECT OVERLAY(a PLACING b FROM 1)
=== 113
SELECT OVERLAY(a PLACING b FROM 1 FOR 1)
=== 114
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a) FILTER(WHERE CAST(b AS BOOLEAN)) AS mean_value FROM (VALUES (0, 't')) AS fake_data(a, b)
=== 115
SELECT * FROM foo WHERE id = %s
=== 116
SELECT * FROM foo WHERE id = %(id_param)s
=== 117
SELECT * FROM foo WHERE id = ?
=== 118
SELECT '{"a":1, "b":2, "c":3}'::jsonb ?| array['b', 'c']
=== 119
SELECT '["a", "b"]'::jsonb ?& array['a', 'b']
=== 120
SELECT '["a", {"b":1}]'::jsonb #- '{1,b}'
=== 121
SELECT JSON_AGG(DISTINCT name) FROM users
=== 122
SELECT JSON_AGG(c1 ORDER BY c1) FROM (VALUES ('c'), ('b'), ('a')) AS t(c1)
=== 123
SELECT JSON_AGG(DISTINCT c1 ORDER BY c1) FROM (VALUES ('c'), ('b'), ('a')) AS t(c1)
=== 124
SELECT NUMRANGE(1.1, 2.2) -|- NUMRANGE(2.2, 3.3)
=== 125
SELECT SLOPE(point '(4,4)', point '(0,0)')
=== 126
SELECT * FROM schema_name.table_name st WHERE JSON_EXTRACT_PATH_TEXT((st.data)::json, variadic array['test'::text]) = 'test'::text
=== 127
SELECT * FROM UNNEST(ARRAY[1, 2], ARRAY['foo', 'bar', 'baz']) AS x(a, b)
=== 128
SELECT TRIM(ARRAY_TO_STRING(ARRAY(SELECT val FROM UNNEST(ARRAY['a', 'b']) WITH ORDINALITY AS u(val, rn)), ' '))
=== 129
SELECT r.v, r.idx FROM t CROSS JOIN LATERAL UNNEST(t.a) WITH ORDINALITY AS r(v, idx)
=== 130
SELECT * FROM t, LATERAL UNNEST(t.a) WITH ORDINALITY AS r
=== 131
SELECT * FROM t, LATERAL UNNEST(t.a, t.b) WITH ORDINALITY AS r(x, y, idx)
=== 132
SELECT CONCAT('abcde', 2, NULL, 22)
=== 133
SELECT u & 5 FROM t
=== 134
SELECT (U&'\FE01' || 'Test literal') AS label FROM data
=== 135
SELECT U&'d!0061t!+000061' UESCAPE '!' AS label
=== 136
SELECT u&'\0441\043B\043E\043D'
=== 137
SELECT U&'can''t'
=== 138
SELECT U&'a''b''c'
=== 139
SELECT U&'can''t !0061' UESCAPE '!' AS label
=== 140
SELECT ARRAY_LENGTH(ARRAY[1, 2, 3], 1)
=== 141
SELECT XMLELEMENT(NAME foo)
=== 142
SELECT XMLELEMENT(NAME foo, XMLATTRIBUTES('xyz' AS bar))
=== 143
SELECT XMLELEMENT(NAME test, XMLATTRIBUTES(a, b)) FROM test
=== 144
SELECT XMLELEMENT(NAME foo, XMLATTRIBUTES(CURRENT_DATE AS bar), 'cont', 'ent')
=== 145
SELECT XMLELEMENT(NAME "foo$bar", XMLATTRIBUTES('xyz' AS "a&b"))
=== 146
SELECT XMLELEMENT(NAME foo, XMLATTRIBUTES('xyz' AS bar), XMLELEMENT(NAME abc), XMLCOMMENT('test'), XMLELEMENT(NAME xyz))
=== 147
WITH RECURSIVE search_graph(id, link, data, depth) AS (SELECT g.id, g.link, g.data, 1 FROM graph AS g UNION ALL SELECT g.id, g.link, g.data, sg.depth + 1 FROM graph AS g, search_graph AS sg WHERE g.id = sg.link) CYCLE id SET is_cycle USING path SELECT * FROM search_graph
=== 148
WITH RECURSIVE search_graph(id, link, data, depth) AS (SELECT g.id, g.link, g.data, 1 FROM graph AS g UNION ALL SELECT g.id, g.link, g.data, sg.depth + 1 FROM graph AS g, search_graph AS sg WHERE g.id = sg.link) CYCLE id SET is_cycle TO 'Y' DEFAULT 'N' USING path SELECT * FROM search_graph
=== 149
WITH RECURSIVE search_graph(id, link, data, depth) AS (SELECT g.id, g.link, g.data, 1 FROM graph AS g UNION ALL SELECT g.id, g.link, g.data, sg.depth + 1 FROM graph AS g, search_graph AS sg WHERE g.id = sg.link) SEARCH DEPTH FIRST BY id SET ordercol CYCLE id SET is_cycle USING path SELECT * FROM search_graph ORDER BY ordercol
=== 150
SELECT a <<->> b
=== 151
SELECT r IS NOT NULL FROM t
=== 152
SELECT NOT r IS NULL FROM t
=== 153
SELECT NOT r IS NOT NULL FROM t
=== 154
SELECT r NOTNULL FROM t
=== 155
SELECT r ISNULL FROM t
=== 156
SELECT ARRAY[1, 2, 3] <@ ARRAY[1, 2]
