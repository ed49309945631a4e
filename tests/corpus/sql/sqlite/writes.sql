Writes in disguise for SQLite, written for this corpus.
licence: that of Synartesis
`{OUT}` is a folder that may be written to; `{U+XXXX}` is that character.

=== a read in front of a delete
WITH x AS (SELECT 1) DELETE FROM orders
=== a read in front of an insert
WITH x(n) AS (SELECT 900) INSERT INTO orders (id, total) SELECT n, 1 FROM x
=== a read in front of an update
WITH x AS (SELECT id FROM orders) UPDATE orders SET total = 0 WHERE id IN x
=== a read in front of a replace
WITH x AS (SELECT 1) REPLACE INTO orders (id, total) VALUES (1, 0)
=== a delete that answers rows
DELETE FROM orders RETURNING id
=== an insert that answers rows
INSERT INTO orders (id) VALUES (901) RETURNING *
=== two statements
SELECT 1; DELETE FROM orders
=== two statements, one in a comment's shadow
SELECT 1 -- ; nothing
; DELETE FROM orders
=== two statements after an empty one
;; DELETE FROM orders
=== a comment in a comment
SELECT 1 /* /* */; DELETE FROM orders; -- */
=== a carriage return that ends no comment
SELECT 1 --{U+000D}; DELETE FROM orders
=== a quote behind a backslash
SELECT 'a\'; DELETE FROM orders; --'
=== a name in square brackets
SELECT 1 AS [a'b]; DELETE FROM orders; --']
=== a name in backticks
SELECT 1 AS `a'b`; DELETE FROM orders; --'`
=== a name in double quotes
SELECT 1 AS "a'b"; DELETE FROM orders; --'"
=== dollars that quote nothing
SELECT $$; DELETE FROM orders; --$$
=== a backslash line
SELECT 1;\
DELETE FROM orders
=== a replace
REPLACE INTO orders (id, total) VALUES (1, 99)
=== a conflict resolved
INSERT INTO orders (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET total = 0
=== a table
CREATE TABLE made AS SELECT * FROM orders
=== a temporary table
CREATE TEMP TABLE mine AS SELECT 1
=== a view
CREATE VIEW looks AS SELECT 1
=== a trigger
CREATE TRIGGER later AFTER INSERT ON orders BEGIN DELETE FROM orders; END
=== an index
CREATE INDEX by_total ON orders (total)
=== a virtual table
CREATE VIRTUAL TABLE words USING fts5(word)
=== a column
ALTER TABLE orders ADD COLUMN extra
=== a drop
DROP TABLE orders
=== another database
ATTACH '{OUT}/other.db' AS other
=== another database, spelled out
ATTACH DATABASE '{OUT}/another.db' AS another
=== a copy of the file
VACUUM INTO '{OUT}/copy.db'
=== the file made anew
VACUUM
=== statistics
ANALYZE
=== statistics, by a pragma
PRAGMA optimize
=== a pragma that sets
PRAGMA user_version = 7
=== a pragma that sets, in brackets
PRAGMA user_version(8)
=== a pragma that sets, of a schema
PRAGMA main.application_id = 5
=== the schema opened for writing
PRAGMA writable_schema = ON
=== the mode of the journal
PRAGMA journal_mode = WAL
=== safety switched off
PRAGMA synchronous = OFF
=== references unguarded
PRAGMA foreign_keys = ON
=== checks switched off
PRAGMA ignore_check_constraints(1)
=== a pragma after a comment
/* look */ PRAGMA user_version /* only */ = 9
=== a pragma and a second statement
PRAGMA table_info(orders); DELETE FROM orders
=== the log written back
PRAGMA wal_checkpoint(TRUNCATE)
=== free pages given back
PRAGMA incremental_vacuum(5)
=== a library
SELECT load_extension('evil')
=== a file of the command line
SELECT writefile('{OUT}/written', 'x')
=== an editor
SELECT edit('x', 'vi')
=== an index of words merged
SELECT optimize(notes) FROM notes LIMIT 1
=== a tokenizer
SELECT fts3_tokenizer('simple', x'00')
=== a command of an index of words
INSERT INTO notes(notes) VALUES ('rebuild')
=== the log of the library
SELECT sqlite_log(1, 'x')
=== a transaction
BEGIN IMMEDIATE
=== a savepoint
SAVEPOINT here
=== an index rebuilt
REINDEX
=== a statement after an invisible space
SELECT 1;{U+00A0}DELETE FROM orders
=== a statement after the end of a text
SELECT 1{U+0000}; DELETE FROM orders
=== an explained statement and one that is not
EXPLAIN DELETE FROM orders; DELETE FROM orders
=== a shell's command
.shell touch {OUT}/by_shell
=== a function of the application's own
SELECT sweep()
=== the same in a condition
SELECT * FROM orders WHERE sweep() IS NULL
=== the same with a known name in quotes
SELECT "sweep"()
