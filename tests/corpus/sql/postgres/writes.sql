Writes in disguise for PostgreSQL, written for this corpus.
licence: that of Synartesis
`{OUT}` is a folder that the server may write to; `{U+XXXX}` is that character.

=== a common table expression that deletes
WITH d AS (DELETE FROM orders WHERE id = 7 RETURNING *) SELECT * FROM d
=== one that inserts, far from the front
WITH a AS (SELECT 1 AS n), b AS (INSERT INTO orders (id, total) SELECT 1000 + n, 1 FROM a RETURNING id) SELECT count(*) FROM b
=== one that updates, never read
WITH quiet AS (UPDATE orders SET total = 0 RETURNING 1) SELECT 'hello'
=== a read in front of a delete
WITH x AS (SELECT 1) DELETE FROM orders
=== a nested one
SELECT * FROM (WITH d AS (DELETE FROM orders RETURNING id) SELECT id FROM d) AS inner_query
=== select into
SELECT * INTO orders_copy FROM orders
=== select into, behind a column list
SELECT id, total INTO TEMP TABLE spare FROM orders WHERE total > 1
=== explained for real
EXPLAIN ANALYZE DELETE FROM orders
=== explained for real, in brackets
EXPLAIN (ANALYZE, BUFFERS) UPDATE orders SET total = 1
=== explained for real, a common table expression
EXPLAIN (VERBOSE, ANALYZE TRUE, COSTS OFF) WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d
=== explained for real, a table made of a read
EXPLAIN ANALYZE CREATE TABLE made AS SELECT 1
=== two statements
SELECT 1; DROP TABLE orders
=== two statements on one line of comments
SELECT 1 /* ; */ ; DELETE FROM orders -- SELECT 1
=== two statements, the first of them empty
; DELETE FROM orders
=== a line comment that a carriage return ends
SELECT 1 --{U+000D}; DELETE FROM orders
=== a comment in a comment
SELECT 1 /* /* */ */; DELETE FROM orders; -- */
=== the end of a quote hidden behind a backslash
SELECT 'a\'; DELETE FROM orders; --'
=== the end of an escape string
SELECT E'it\\'; DELETE FROM orders; --'
=== dollar quotes
SELECT $$ ' $$; DELETE FROM orders; -- '
=== dollar quotes with a tag
SELECT $q$ $$ $q$; DELETE FROM orders; -- $$ $q$
=== a quoted name that holds a quote
SELECT 1 AS "a'"; DELETE FROM orders; --'"
=== the next number of a sequence
SELECT nextval('ids')
=== the same in a condition
SELECT * FROM orders WHERE id = (SELECT nextval('ids'))
=== the same in a quoted name
SELECT "nextval"('ids')
=== the same with its schema
SELECT pg_catalog.nextval('ids'::regclass)
=== the same in letters by number
SELECT U&"\006eextval"('ids')
=== the same across a comment
SELECT nextval/* only looking */('ids')
=== the same as the default of a coalesce
SELECT coalesce(NULL, nextval('ids'))
=== the same in a lateral join
SELECT n FROM orders CROSS JOIN LATERAL (SELECT nextval('ids') AS n) AS x
=== the same in an order
SELECT id FROM orders ORDER BY nextval('ids')
=== the same in a values list
VALUES (1), (nextval('ids'))
=== a sequence set
SELECT setval('ids', 9000)
=== a setting
SELECT set_config('search_path', 'public', false)
=== a row lock
SELECT * FROM orders WHERE id = 1 FOR UPDATE
=== a weaker row lock
SELECT * FROM orders FOR NO KEY UPDATE SKIP LOCKED
=== a shared row lock in a subquery
SELECT count(*) FROM (SELECT * FROM orders FOR SHARE) AS locked
=== a lock of a session's own
SELECT pg_advisory_lock(7)
=== the same, if it can be had
SELECT pg_try_advisory_lock(8) AS got
=== a session ended
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bystander'
=== another way to say so
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'bystander'
=== a file written
COPY (SELECT 1) TO '{OUT}/copied'
=== a program started
COPY (SELECT 1) TO PROGRAM 'cat > {OUT}/by_program'
=== a table filled from a program
COPY orders FROM PROGRAM 'echo 55,1,x,y' WITH (FORMAT csv)
=== a large object
SELECT lo_from_bytea(4242, 'x')
=== a large object into a file
SELECT lo_export(lo_from_bytea(4243, 'x'), '{OUT}/large_object')
=== a statement in a text
SELECT query_to_xml('DELETE FROM orders RETURNING id', true, false, '')
=== a function of the database's own
SELECT sweep()
=== the same as a table
SELECT * FROM public.sweep()
=== the same with a name that is known
SELECT public.lower(1)
=== a block
DO $$ BEGIN DELETE FROM orders; END $$
=== a procedure
CALL sweep_all()
=== a merge
MERGE INTO orders USING (SELECT 1 AS id) AS s ON orders.id = s.id WHEN MATCHED THEN DELETE
=== a truncation
TRUNCATE orders
=== a role
SET ROLE pg_monitor
=== a setting of the session
SET statement_timeout = 0
=== a setting taken back
RESET ALL
=== a temporary table
CREATE TEMP TABLE mine AS SELECT * FROM orders
=== a view refreshed
REFRESH MATERIALIZED VIEW totals
=== statistics gathered
ANALYZE orders
=== a message to listeners
SELECT pg_notify('news', 'x')
=== somebody listens
LISTEN news
=== a statement prepared
PREPARE later AS DELETE FROM orders
=== a cursor
DECLARE c CURSOR WITH HOLD FOR SELECT * FROM orders
=== the settings read anew
SELECT pg_reload_conf()
=== statistics thrown away
SELECT pg_stat_reset()
=== randomness of the session
SELECT setseed(0.5)
=== a place in the log
SELECT pg_create_restore_point('here')
=== a logical message
SELECT pg_logical_emit_message(false, 'x', 'y')
=== the next part of the log
SELECT pg_switch_wal()
=== a lock on a table
LOCK TABLE orders
=== a transaction
BEGIN
=== a rule for all later statements
ALTER ROLE CURRENT_USER SET work_mem = '1MB'
=== a word in a comment
COMMENT ON TABLE orders IS 'SELECT 1'
=== rights
GRANT SELECT ON orders TO PUBLIC
=== a transaction id used up
SELECT txid_current()
=== read and locked by a table command
TABLE orders FOR UPDATE
=== a condition with a hidden write after an invisible space
SELECT 1;{U+00A0}DELETE FROM orders
