Writes in disguise for Snowflake, written for this corpus.
licence: that of Synartesis
`{U+XXXX}` is that character.

=== the next number of a sequence
SELECT ids.NEXTVAL
=== the same with its schema
SELECT shop.public.ids.nextval
=== the same for each row
SELECT id, ids.nextval FROM orders
=== the same in quotes
SELECT ids."NEXTVAL" FROM orders
=== the same as a table
SELECT s.nextval FROM orders, TABLE(GETNEXTVAL(ids)) s
=== the same in a condition
SELECT * FROM orders WHERE id < ids.NEXTVAL
=== two statements
SELECT 1; DROP TABLE orders
=== a line comment of two slashes
SELECT 1 // ; nothing
; DELETE FROM orders
=== a quote in a line comment of two slashes
SELECT 1 // '
; DELETE FROM orders; // '
=== dollar quotes
SELECT $$ ' $$; DELETE FROM orders; -- '
=== a quote behind a backslash
SELECT 'a\\'; DELETE FROM orders; -- '
=== a comment in a comment
SELECT 1 /* /* */; DELETE FROM orders; -- */
=== a quoted name
SELECT 1 AS "a'b"; DELETE FROM orders; --'"
=== a query cancelled
SELECT SYSTEM$CANCEL_QUERY('01a')
=== all of them
SELECT SYSTEM$CANCEL_ALL_QUERIES(1)
=== a session ended
SELECT SYSTEM$ABORT_SESSION(1)
=== a transaction ended
SELECT SYSTEM$ABORT_TRANSACTION(1)
=== a task's answer
SELECT SYSTEM$SET_RETURN_VALUE('x')
=== a pipe resumed
SELECT SYSTEM$PIPE_FORCE_RESUME('p')
=== an e-mail
CALL SYSTEM$SEND_EMAIL('x', 'a@example.org', 's', 'b')
=== an e-mail from a read
SELECT SYSTEM$SEND_SNOWFLAKE_NOTIFICATION('x', 'y')
=== a wait
SELECT SYSTEM$WAIT(60)
=== a stream moved on
SELECT SYSTEM$ADVANCE_STREAM('x')
=== a model asked
SELECT SNOWFLAKE.CORTEX.COMPLETE('m', note) FROM orders
=== a model asked, said otherwise
SELECT AI_COMPLETE('m', note) FROM orders
=== a function of a schema's own
SELECT shop.public.sweep(1)
=== the same alone
SELECT sweep(1)
=== the same as a table
SELECT * FROM TABLE(sweep_table(1))
=== a name that is a text
SELECT IDENTIFIER('sweep')(1)
=== a method of a model
SELECT m!PREDICT(INPUT_DATA => {*}) FROM orders
=== a file made
SELECT GET_PRESIGNED_URL(@stage, 'x')
=== a file made for all
SELECT BUILD_STAGE_FILE_URL(@stage, 'x')
=== a stage filled
COPY INTO @stage FROM (SELECT * FROM orders)
=== a stage filled from a read
COPY INTO @stage/x FROM orders FILE_FORMAT = (TYPE = CSV)
=== a table filled
COPY INTO orders FROM @stage
=== a file sent
PUT file:///etc/passwd @stage
=== a file fetched
GET @stage file:///tmp/
=== a file removed
REMOVE @stage/x
=== the same in two letters
RM @stage/x
=== a text carried out
EXECUTE IMMEDIATE 'DROP TABLE orders'
=== a text carried out from dollars
EXECUTE IMMEDIATE $$ BEGIN DELETE FROM orders; END $$
=== a file carried out
EXECUTE IMMEDIATE FROM @stage/x.sql
=== a task carried out
EXECUTE TASK t
=== a procedure
CALL sweep_all()
=== a procedure made for one call
WITH p AS PROCEDURE () RETURNS INT LANGUAGE SQL AS $$ BEGIN DELETE FROM orders; END $$ CALL p()
=== a block
BEGIN DELETE FROM orders; END
=== a block that declares
DECLARE x INT; BEGIN DELETE FROM orders; END
=== a read in front of an insert
INSERT INTO orders WITH x AS (SELECT 1) SELECT * FROM x
=== a table of many
INSERT ALL INTO orders INTO orders_copy SELECT * FROM orders
=== all thrown away
INSERT OVERWRITE INTO orders SELECT * FROM orders
=== a merge
MERGE INTO orders USING s ON orders.id = s.id WHEN MATCHED THEN DELETE
=== a table made of a read
CREATE OR REPLACE TABLE orders AS SELECT * FROM orders
=== a table made of another
CREATE TABLE made CLONE orders
=== a table brought back
UNDROP TABLE orders
=== a table exchanged
ALTER TABLE orders SWAP WITH orders_copy
=== a warehouse
USE WAREHOUSE big
=== a role
USE ROLE ACCOUNTADMIN
=== a variable
SET mine = (SELECT 1)
=== a setting
ALTER SESSION SET QUERY_TAG = 'x'
=== rights
GRANT OWNERSHIP ON TABLE orders TO ROLE x
=== a truncation
TRUNCATE TABLE orders
=== an explained write
EXPLAIN USING TEXT DELETE FROM orders
=== what is shown, and more
SHOW TABLES; DROP TABLE orders
=== what is shown, sent on
SHOW TABLES ->> DELETE FROM orders
=== a program's text
SELECT TRANSFORM_ROWS('x')
=== a statement after an invisible space
SELECT 1;{U+200B}DROP TABLE orders
