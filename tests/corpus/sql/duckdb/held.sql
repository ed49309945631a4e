Statements of the same sources that begin as reads do and were set aside, see collect.py.
licence: MIT, licences/sqlglot.txt; Apache-2.0, licences/ibis.txt

=== a pivot that looks up its own columns leaves a type in the session
PIVOT duckdb_functions() ON schema_name USING AVG(LENGTH(function_name))::INTEGER GROUP BY schema_name
=== no server of this kind has that function; it may be one of the database's own
SELECT STAR(tbl, exclude := [foo])
=== no server of this kind has that function; it may be one of the database's own
SELECT a, LOGICAL_OR(b) FROM foo GROUP BY a
=== a pivot that looks up its own columns leaves a type in the session
PIVOT Cities ON Year USING SUM(Population) AS total, MAX(Population) AS max GROUP BY Country
=== a pivot that looks up its own columns leaves a type in the session
WITH pivot_alias AS (PIVOT Cities ON Year USING SUM(Population) GROUP BY Country) SELECT * FROM pivot_alias
=== a pivot that looks up its own columns leaves a type in the session
SELECT * FROM (PIVOT Cities ON Year USING SUM(Population) GROUP BY Country) AS pivot_alias
=== a pivot that looks up its own columns leaves a type in the session
PIVOT Cities ON Year USING SUM(Population)
=== a pivot that looks up its own columns leaves a type in the session
PIVOT Cities ON Year USING FIRST(Population)
=== a pivot that looks up its own columns leaves a type in the session
PIVOT Cities ON Year USING SUM(Population) GROUP BY Country
=== a pivot that looks up its own columns leaves a type in the session
PIVOT Cities ON Country, Name USING SUM(Population)
=== a pivot that looks up its own columns leaves a type in the session
PIVOT Cities ON Country || '_' || Name USING SUM(Population)
=== a pivot that looks up its own columns leaves a type in the session
PIVOT Cities ON Year USING SUM(Population) GROUP BY Country, Name
=== a pivot that looks up its own columns leaves a type in the session
WITH cities(country, name, year, population) AS (SELECT 'NL', 'Amsterdam', 2000, 1005 UNION ALL SELECT 'US', 'Seattle', 2020, 738) PIVOT cities ON year USING SUM(population)
=== a pivot that looks up its own columns leaves a type in the session
PIVOT (FROM tbl_1 LEFT JOIN tbl_2 USING (id) SELECT *) ON col_1 USING SUM(col_2)
=== it asks an address elsewhere
SUMMARIZE TABLE 'https://blobs.duckdb.org/data/Star_Trek-Season_1.csv'
