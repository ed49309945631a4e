Writes in disguise for BigQuery, written for this corpus.
licence: that of Synartesis
`{U+XXXX}` is that character.

=== two statements
SELECT 1; DROP TABLE ds.orders
=== a triple quote that ends sooner than it looks
SELECT '''a'||'''; DROP TABLE ds.orders; -- '
=== a triple double quote
SELECT """a"||"""; DROP TABLE ds.orders; -- "
=== a raw text
SELECT r'a\\'; DROP TABLE ds.orders; -- '
=== a quote behind a backslash
SELECT 'a\\'; DROP TABLE ds.orders; -- '
=== a hash comment
SELECT 1 # ; nothing
; DELETE FROM ds.orders WHERE TRUE
=== a comment in a comment
SELECT 1 /* /* */; DELETE FROM ds.orders WHERE TRUE; -- */
=== a name in backticks
SELECT 1 AS `a'b`; DELETE FROM ds.orders WHERE TRUE; -- '`
=== a statement on another server
SELECT * FROM EXTERNAL_QUERY('connection', 'DELETE FROM orders')
=== the same with its place
SELECT * FROM EXTERNAL_QUERY("p.us.connection", """CALL sweep()""")
=== a function of a data set's own
SELECT ds.sweep(1)
=== the same, quoted
SELECT `project.ds.sweep`(1)
=== the same, with its project
SELECT project.ds.sweep(id) FROM ds.orders
=== a table function of a data set's own
SELECT * FROM ds.sweep_table(1)
=== a function made for one query
CREATE TEMP FUNCTION f() AS (1); SELECT f()
=== a program made for one query
CREATE TEMP FUNCTION f() RETURNS INT64 LANGUAGE js AS "return 1"; SELECT f()
=== a table exported
EXPORT DATA OPTIONS (uri = 'gs://x/*.csv', format = 'CSV') AS SELECT * FROM ds.orders
=== a model exported
EXPORT MODEL ds.m OPTIONS (uri = 'gs://x')
=== a table loaded
LOAD DATA INTO ds.orders FROM FILES (format = 'CSV', uris = ['gs://x'])
=== a text made
SELECT * FROM ML.GENERATE_TEXT(MODEL ds.m, (SELECT note AS prompt FROM ds.orders), STRUCT(1 AS temperature))
=== a text made, said otherwise
SELECT AI.GENERATE('Write a haiku')
=== an image read by a service
SELECT * FROM ML.ANNOTATE_IMAGE(MODEL ds.m, TABLE ds.pictures, STRUCT(['x'] AS vision_features))
=== a translation by a service
SELECT * FROM ML.TRANSLATE(MODEL ds.m, TABLE ds.t, STRUCT('x' AS translate_mode))
=== a prediction that a remote model may make
SELECT * FROM ML.PREDICT(MODEL ds.m, TABLE ds.t)
=== a text carried out
EXECUTE IMMEDIATE 'DROP TABLE ds.orders'
=== a text carried out, filled in
EXECUTE IMMEDIATE CONCAT('DROP ', 'TABLE ds.orders')
=== a procedure
CALL ds.sweep_all()
=== a procedure of the system
CALL BQ.ABORT_SESSION()
=== a block
BEGIN DELETE FROM ds.orders WHERE TRUE; END
=== a branch
IF TRUE THEN DROP TABLE ds.orders; END IF
=== a loop
LOOP DELETE FROM ds.orders WHERE TRUE; END LOOP
=== a variable
DECLARE x INT64 DEFAULT 1
=== a variable set
SET x = 1
=== a setting of the system
SET @@dataset_id = 'ds'
=== a merge
MERGE ds.orders USING ds.new ON FALSE WHEN NOT MATCHED THEN INSERT ROW
=== an insert of a read
INSERT ds.orders SELECT * FROM ds.orders
=== an update
UPDATE ds.orders SET total = 0 WHERE TRUE
=== a delete
DELETE ds.orders WHERE TRUE
=== a truncation
TRUNCATE TABLE ds.orders
=== a table made of a read
CREATE OR REPLACE TABLE ds.made AS SELECT 1 AS a
=== a temporary table
CREATE TEMP TABLE mine AS SELECT 1 AS a
=== a snapshot
CREATE SNAPSHOT TABLE ds.s CLONE ds.orders
=== a view
CREATE VIEW ds.v AS SELECT 1 AS a
=== a model
CREATE MODEL ds.m OPTIONS (model_type = 'linear_reg') AS SELECT 1 AS label
=== a model of a service
CREATE MODEL ds.m REMOTE WITH CONNECTION `x` OPTIONS (endpoint = 'x')
=== rights
GRANT `roles/bigquery.dataViewer` ON TABLE ds.orders TO 'user:x'
=== a table changed
ALTER TABLE ds.orders SET OPTIONS (expiration_timestamp = CURRENT_TIMESTAMP())
=== a reservation
ALTER CAPACITY x SET OPTIONS (slot_count = 100)
=== a table brought back
UNDROP SCHEMA ds
=== a transaction
BEGIN TRANSACTION
=== a check that fails on purpose
ASSERT FALSE
=== an error raised
RAISE USING MESSAGE = 'x'
=== a read in front of an insert
INSERT INTO ds.orders WITH x AS (SELECT 1) SELECT * FROM x
=== a pipe that writes
FROM ds.orders |> WHERE TRUE |> EXPORT DATA OPTIONS (uri = 'gs://x')
=== a pipe that inserts
FROM ds.orders |> INSERT INTO ds.orders
=== a statement after an invisible space
SELECT 1;{U+200B}DROP TABLE ds.orders
=== a write for a later reader
SELECT 1 AS `a`; EXPORT DATA OPTIONS (uri = 'gs://x') AS SELECT 1
