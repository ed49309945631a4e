Writes in disguise for MySQL and MariaDB, written for this corpus.
licence: that of Synartesis
`{U+XXXX}` is that character.

=== a comment that is carried out
SELECT 1 /*! INTO OUTFILE '/tmp/x' */
=== the same from a version on
SELECT 1 /*!50000 ; DROP TABLE orders */
=== the same in MariaDB
SELECT 1 /*M! ; DROP TABLE orders */
=== the same inside a word
/*!DELETE*/ FROM orders
=== a hash that hides no write
SELECT 1 # ; nothing
; DELETE FROM orders
=== dashes that are no comment
SELECT 1 --1; DROP TABLE orders
=== dashes and a comment
SELECT 5--1 ; DELETE FROM orders -- '
=== a comment in a comment
SELECT 1 /* /* */; DELETE FROM orders; -- */
=== a quote behind a backslash
SELECT 'a\\'; DELETE FROM orders; -- '
=== a quote behind a backslash, where backslashes are none
SELECT 'a\'; DELETE FROM orders; -- '
=== double quotes
SELECT "a\\"; DELETE FROM orders; -- "
=== backticks
SELECT 1 AS `a'b`; DELETE FROM orders; -- '`
=== two statements
SELECT 1; DROP TABLE orders
=== a file written
SELECT * FROM orders INTO OUTFILE '/tmp/orders'
=== a file written, in the middle
SELECT * INTO OUTFILE '/tmp/orders' FIELDS TERMINATED BY ',' FROM orders
=== a file written whole
SELECT 'x' INTO DUMPFILE '/tmp/x.so'
=== a variable filled
SELECT id INTO @a FROM orders LIMIT 1
=== a variable set
SELECT @a := 1
=== a variable set in a function
SELECT ifnull(@a := id, 0) FROM orders
=== a variable set in a condition
SELECT * FROM orders WHERE (@a := @a + 1) > 0
=== a row lock
SELECT * FROM orders WHERE id = 1 FOR UPDATE
=== a shared row lock
SELECT * FROM orders LOCK IN SHARE MODE
=== a shared row lock of later versions
SELECT * FROM orders FOR SHARE NOWAIT
=== a row lock in a subquery
SELECT * FROM (SELECT id FROM orders FOR UPDATE) AS o
=== a named lock
SELECT GET_LOCK('x', 10)
=== a named lock given up
SELECT RELEASE_LOCK('x')
=== all of them
DO RELEASE_ALL_LOCKS()
=== a long wait
SELECT SLEEP(1000)
=== a long loop
SELECT BENCHMARK(1000000000, SHA2('x', 512))
=== a number that later calls are told
SELECT LAST_INSERT_ID(99)
=== the next number of a sequence
SELECT NEXTVAL(ids)
=== the same, said otherwise
SELECT NEXT VALUE FOR ids
=== a sequence set
SELECT SETVAL(ids, 9000)
=== a file of the server
SELECT LOAD_FILE('/etc/passwd')
=== a function of the database's own
SELECT sweep()
=== the same with its database
SELECT shop.sweep()
=== the same with a name that is known
SELECT shop.lower(1)
=== a library's function
SELECT sys_exec('touch /tmp/x')
=== a procedure
CALL sweep_all()
=== a statement in a text
EXECUTE IMMEDIATE 'DROP TABLE orders'
=== a statement prepared
PREPARE later FROM 'DROP TABLE orders'
=== a read in front of a delete
WITH x AS (SELECT 1) DELETE FROM orders
=== a read in front of an update
WITH x AS (SELECT 1 AS id) UPDATE orders JOIN x USING (id) SET total = 0
=== explained for real
EXPLAIN ANALYZE DELETE orders FROM orders JOIN t USING (id)
=== described for real
DESCRIBE ANALYZE UPDATE orders SET total = 0
=== a replace
REPLACE INTO orders VALUES (1)
=== an upsert
INSERT INTO orders (id) VALUES (1) ON DUPLICATE KEY UPDATE total = 0
=== an insert of a read
INSERT INTO orders SELECT * FROM orders
=== a table made of a read
CREATE TABLE made SELECT * FROM orders
=== a handler
HANDLER orders OPEN
=== a setting
SET GLOBAL read_only = 0
=== a setting by a hint
SELECT /*+ SET_VAR(foreign_key_checks = 0) */ 1
=== a group by a hint
SELECT /*+ RESOURCE_GROUP(fast) */ 1
=== tables locked
LOCK TABLES orders WRITE
=== caches emptied
FLUSH TABLES WITH READ LOCK
=== logs thrown away
PURGE BINARY LOGS TO 'x'
=== replication begun
START REPLICA
=== a session ended
KILL 7
=== a file loaded
LOAD DATA INFILE '/tmp/x' INTO TABLE orders
=== a table checked and mended
REPAIR TABLE orders
=== statistics
ANALYZE TABLE orders
=== an analysis that proposes
SELECT * FROM orders PROCEDURE ANALYSE()
=== a server shut down
SHUTDOWN
=== a transaction
START TRANSACTION
=== what is shown, and a write
SHOW TABLES; DROP TABLE orders
=== a statement after an invisible space
SELECT 1;{U+200B}DROP TABLE orders
=== another database
USE mysql
=== what is shown, into a file
SHOW TABLES INTO OUTFILE '/tmp/x'
=== the next number, as another server says it
SELECT ids.nextval
