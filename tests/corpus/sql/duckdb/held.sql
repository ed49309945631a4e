Statements of the same sources that begin as reads do and were set aside, see collect.py.
licence: MIT, licences/sqlglot.txt; Apache-2.0, licences/ibis.txt

=== no server of this kind has that function; it may be one of the database's own
SELECT STAR(tbl, exclude := [foo])
=== no server of this kind has that function; it may be one of the database's own
SELECT a, LOGICAL_OR(b) FROM foo GROUP BY a
=== it asks an address elsewhere
SUMMARIZE TABLE 'https://blobs.duckdb.org/data/Star_Trek-Season_1.csv'
