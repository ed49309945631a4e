Statements of the same sources that begin as reads do and were set aside, see collect.py.
licence: MIT, licences/sqlglot.txt; Apache-2.0, licences/ibis.txt

=== it locks
TABLE t FOR UPDATE
=== no server of this kind has that function; it may be one of the database's own
SELECT SUBSTRING('bla' + 'foo' || 'bar' FROM 3 - 1 + 5 FOR 4 + SOME_FUNC(arg1, arg2))
=== no server of this kind has that function; it may be one of the database's own
SELECT m.name FROM manufacturers AS m LEFT JOIN LATERAL GET_PRODUCT_NAMES(m.id) pname ON TRUE WHERE pname IS NULL
=== no server of this kind has that function; it may be one of the database's own
SELECT p1.id, p2.id, v1, v2 FROM polygons AS p1, polygons AS p2, LATERAL VERTICES(p1.poly) v1, LATERAL VERTICES(p2.poly) v2 WHERE (v1 <-> v2) < 10 AND p1.id <> p2.id
=== no server of this kind has that function; it may be one of the database's own
SELECT MLEAST(VARIADIC ARRAY[10, -1, 5, 4.4])
=== no server of this kind has that function; it may be one of the database's own
SELECT MLEAST(VARIADIC ARRAY[]::numeric[])
=== it makes a table
WITH t(c) AS (SELECT 1) SELECT * INTO UNLOGGED foo FROM (SELECT c AS c FROM t) AS temp
=== no server of this kind has that function; it may be one of the database's own
SELECT a, LOGICAL_OR(b) FROM table GROUP BY a
=== no server of this kind has that function; it may be one of the database's own
SELECT * FROM ROWS FROM (FUNC1(col1, col2))
=== no server of this kind has that function; it may be one of the database's own
SELECT * FROM ROWS FROM (FUNC1(col1) AS alias1("col1" TEXT), FUNC2(col2) AS alias2("col2" INT)) WITH ORDINALITY
=== no server of this kind has that function; it may be one of the database's own
SELECT * FROM table1, ROWS FROM (FUNC1(col1) AS alias1("col1" TEXT)) WITH ORDINALITY AS alias3("col3" INT, "col4" TEXT)
