Statements of the same sources that begin as reads do and were set aside, see collect.py.
licence: MIT, licences/sqlglot.txt; Apache-2.0, licences/ibis.txt

=== it locks
SELECT * FROM t WITH (TABLOCK, INDEX(myindex))
=== it locks
SELECT * FROM t WITH (NOWAIT)
=== it locks
SELECT * FROM dbo.t (NOLOCK) JOIN dbo.u AS u (ROWLOCK) ON t.id = u.id
=== it takes a number
SELECT NEXT VALUE FOR db.schema.sequence_name OVER (ORDER BY foo), col
=== two statements
SELECT 1; SELECT 2
