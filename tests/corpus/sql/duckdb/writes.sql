Writes in disguise for DuckDB, written for this corpus.
licence: that of Synartesis
`{OUT}` is a folder that may be written to; `{U+XXXX}` is that character.

=== a read in front of a delete
WITH x AS (SELECT 1) DELETE FROM orders
=== a read in front of an insert
WITH x AS (SELECT 900 AS n) INSERT INTO orders (id, total) SELECT n, 1 FROM x
=== the table first
FROM orders INSERT INTO orders SELECT *
=== a delete that answers rows
DELETE FROM orders RETURNING *
=== explained for real
EXPLAIN ANALYZE DELETE FROM orders
=== explained for real, a table
EXPLAIN ANALYZE CREATE TABLE made AS SELECT 1 AS a
=== two statements
SELECT 1; DROP TABLE orders
=== two statements, the first empty
; DELETE FROM orders
=== a comment in a comment
SELECT 1 /* /* */ */; DELETE FROM orders; -- */
=== a carriage return that ends a comment
SELECT 1 --{U+000D}; DELETE FROM orders
=== dollar quotes
SELECT $$ ' $$; DELETE FROM orders; -- '
=== a tag of dollar quotes
SELECT $q$ $$ $q$; DELETE FROM orders; -- $$ $q$
=== a quote behind a backslash
SELECT 'a\'; DELETE FROM orders; --'
=== an escape string
SELECT E'a\\'; DELETE FROM orders; --'
=== a quoted name
SELECT 1 AS "a'b"; DELETE FROM orders; --'"
=== the next number of a sequence
SELECT nextval('ids')
=== the same in a list
SELECT list_transform([1, 2], x -> nextval('ids'))
=== the same called on a value
SELECT 'ids'.nextval()
=== the same in a condition of a summary
SUMMARIZE SELECT nextval('ids') AS n
=== the same in a description that is carried out
EXPLAIN ANALYZE SELECT nextval('ids')
=== the same with a schema
SELECT main.nextval('ids')
=== a file written
COPY orders TO '{OUT}/orders.csv'
=== a file written from a read
COPY (SELECT 1) TO '{OUT}/one.parquet' (FORMAT parquet)
=== a table filled
COPY orders FROM '{OUT}/../scratch/orders.csv'
=== everything written
EXPORT DATABASE '{OUT}/everything'
=== everything read
IMPORT DATABASE '{OUT}/everything'
=== another database
ATTACH '{OUT}/other.db' AS other
=== a database gone
DETACH DATABASE IF EXISTS other
=== a library
INSTALL httpfs
=== a library loaded
LOAD httpfs
=== a statement in a text
SELECT * FROM query('SELECT nextval(''ids'')')
=== a statement in JSON
SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT nextval(''ids'')'))
=== the same by a pragma
PRAGMA json_execute_serialized_sql('x')
=== a table
CREATE TABLE made AS SELECT 1 AS a
=== a temporary table
CREATE TEMP TABLE mine AS FROM orders
=== a macro
CREATE MACRO plus_one(a) AS a + 1
=== a macro carried out
SELECT sweep()
=== a view
CREATE VIEW looks AS SELECT 1 AS a
=== a secret
CREATE SECRET mine (TYPE http, BEARER_TOKEN 'x')
=== a variable
SET VARIABLE mine = 1
=== a setting
SET threads = 1
=== a setting of all
SET GLOBAL memory_limit = '1GB'
=== a setting taken back
RESET threads
=== a pragma that sets
PRAGMA memory_limit = '1GB'
=== a pragma that acts
PRAGMA enable_profiling
=== the log written back
CHECKPOINT
=== the same by force
FORCE CHECKPOINT
=== the same as a table
SELECT * FROM force_checkpoint()
=== the same by a pragma
PRAGMA force_checkpoint
=== randomness of the session
SELECT setseed(0.5)
=== a log entry
SELECT write_log('x')
=== logging switched on
CALL enable_logging()
=== a prepared statement
PREPARE later AS DELETE FROM orders
=== a transaction
BEGIN TRANSACTION
=== another schema
USE temp
=== a merge
MERGE INTO orders USING (SELECT 1 AS id) AS s ON orders.id = s.id WHEN MATCHED THEN DELETE
=== an upsert
INSERT OR REPLACE INTO orders (id, total) VALUES (1, 0)
=== a truncation
TRUNCATE orders
=== statistics
ANALYZE
=== an address that is asked
SELECT * FROM 'http://127.0.0.1:9/secret.csv'
=== an address in a function
SELECT * FROM read_csv('http://127.0.0.1:9/' || (SELECT max(note) FROM orders))
=== an address in a list
SELECT * FROM read_parquet(['a.parquet', 's3://elsewhere/b.parquet'])
=== an address that is summed up
SUMMARIZE TABLE 'https://127.0.0.1:9/x.csv'
=== a comment
COMMENT ON TABLE orders IS 'SELECT 1'
=== a type
CREATE TYPE mood AS ENUM ('a', 'b')
=== an update with a from
UPDATE orders SET total = 0 FROM (SELECT 1) AS s
=== a file that needs an extension
FROM 'orders.xlsx'
