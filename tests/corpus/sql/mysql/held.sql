Statements of the same sources that begin as reads do and were set aside, see collect.py.
licence: MIT, licences/sqlglot.txt; Apache-2.0, licences/ibis.txt

=== it sets something
SELECT @var1 := 1, @var2
=== it locks
SELECT * FROM t1, t2 FOR SHARE OF t1, t2 SKIP LOCKED
=== it locks
SELECT * FROM t1, t2, t3 FOR SHARE OF t1 NOWAIT FOR UPDATE OF t2, t3 SKIP LOCKED
=== it sets something
SELECT @var1, @var2 := @var1
=== it sets something
SELECT @var1 := COUNT(*) FROM t1
=== no server of this kind has that function; it may be one of the database's own
SELECT DAY_OF_MONTH('2023-01-01')
=== no server of this kind has that function; it may be one of the database's own
SELECT DAY_OF_WEEK('2023-01-01')
=== no server of this kind has that function; it may be one of the database's own
SELECT DAY_OF_YEAR('2023-01-01')
=== no server of this kind has that function; it may be one of the database's own
SELECT WEEK_OF_YEAR('2023-01-01')
=== no server of this kind has that function; it may be one of the database's own
SELECT TIME_STR_TO_TIME('2023-01-01 13:14:15.123456+00:00')
=== no server of this kind has that function; it may be one of the database's own
SELECT TIME_STR_TO_TIME('2023-01-01 13:14:15.123+00:00')
=== no server of this kind has that function; it may be one of the database's own
SELECT TIME_STR_TO_TIME('2023-01-01 13:14:15+00:00')
=== no server of this kind has that function; it may be one of the database's own
SELECT TIME_STR_TO_TIME('2023-01-01 13:14:15-08:00', 'America/Los_Angeles')
=== no server of this kind has that function; it may be one of the database's own
SELECT TIME_STR_TO_TIME('2023-01-01 13:14:15.12345+00:00')
=== no server of this kind has that function; it may be one of the database's own
SELECT TIME_STR_TO_TIME('2023-01-01 13:14:15.1234+00:00')
=== no server of this kind has that function; it may be one of the database's own
SELECT TIME_STR_TO_TIME('2023-01-01 13:14:15.12+00:00')
=== no server of this kind has that function; it may be one of the database's own
SELECT TIME_STR_TO_TIME('2023-01-01 13:14:15.1+00:00')
=== it locks
SELECT name FROM temp WHERE name = ? FOR UPDATE
