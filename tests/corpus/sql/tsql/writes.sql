Writes in disguise for SQL Server, written for this corpus.
licence: that of Synartesis
`{U+XXXX}` is that character.

=== a second statement without a semicolon
SELECT 1 DELETE FROM orders
=== the same after a table
SELECT * FROM orders DROP TABLE orders
=== the same after a condition
SELECT * FROM orders WHERE id = 1 TRUNCATE TABLE orders
=== a word that looks like a name
SELECT 1 SHUTDOWN
=== the same after a table
SELECT * FROM orders CHECKPOINT
=== a word that changes who asks
SELECT 1 REVERT
=== a transaction given up
SELECT 1 ROLLBACK
=== a transaction kept
SELECT * FROM orders o COMMIT
=== a setting made to count
SELECT 1 RECONFIGURE
=== a procedure
SELECT 1 EXEC sp_who
=== a procedure after a name
SELECT 1 AS a EXEC sp_configure 'xp_cmdshell', 1
=== a text carried out
SELECT 1 EXEC('DROP TABLE orders')
=== a procedure by its name alone
sp_rename 'orders', 'old_orders'
=== the same with its place
master..xp_cmdshell 'dir'
=== a second statement on its line
SELECT 1
GO
DROP TABLE orders
=== two statements
SELECT 1; DROP TABLE orders
=== select into
SELECT * INTO orders_copy FROM orders
=== select into a table of the session
SELECT id INTO #mine FROM orders
=== select into, at the end of a list
SELECT TOP 5 id, total INTO dbo.spare FROM orders ORDER BY id
=== a read in front of a delete
WITH x AS (SELECT TOP 1 * FROM orders) DELETE FROM x
=== a read in front of an update
;WITH x AS (SELECT * FROM orders) UPDATE x SET total = 0
=== a read in front of a merge
WITH s AS (SELECT 1 AS id) MERGE orders AS t USING s ON t.id = s.id WHEN MATCHED THEN DELETE;
=== a delete that answers rows
DELETE FROM orders OUTPUT deleted.*
=== an insert that answers rows
INSERT INTO orders OUTPUT inserted.id VALUES (1)
=== a delete inside a table expression
SELECT * FROM (DELETE FROM orders OUTPUT deleted.id) AS d
=== a text carried out elsewhere
SELECT * FROM OPENQUERY(other, 'DELETE FROM orders')
=== another server
SELECT * FROM OPENROWSET('SQLNCLI', 'Server=x;', 'SELECT 1')
=== a file
SELECT * FROM OPENROWSET(BULK 'C:\x.txt', SINGLE_CLOB) AS f
=== another server, said otherwise
SELECT * FROM OPENDATASOURCE('SQLNCLI', 'Data Source=x').shop.dbo.orders
=== the next number of a sequence
SELECT NEXT VALUE FOR dbo.ids
=== the same for each row
SELECT NEXT VALUE FOR dbo.ids OVER (ORDER BY id) FROM orders
=== a lock for writing
SELECT * FROM orders WITH (UPDLOCK)
=== a lock of the whole table
SELECT * FROM orders WITH (TABLOCKX, HOLDLOCK)
=== the old spelling
SELECT * FROM orders (XLOCK)
=== locks held to the end
SELECT * FROM orders WITH (SERIALIZABLE)
=== a function of the database's own
SELECT dbo.sweep()
=== the same as a table
SELECT * FROM dbo.sweep(1)
=== a method of the database's own
SELECT dbo.value('x')
=== comments in comments
SELECT 1 /* /* */ ; DELETE FROM orders; -- */ */
=== a quote inside brackets
SELECT 1 AS [a'b]; DELETE FROM orders; --'
=== brackets inside brackets
SELECT 1 AS [a]]'b]; DELETE FROM orders; --'
=== a quote inside a quote
SELECT 'a'''; DELETE FROM orders; --'
=== a line that goes on
SELECT 1 \
DELETE FROM orders
=== a settings batch
SET NOCOUNT ON
=== a plan switch
SET SHOWPLAN_ALL ON
=== a text in a variable
DECLARE @q nvarchar(99) = N'DROP TABLE orders' EXEC(@q)
=== a variable filled, and used
SELECT @q = 'x' EXEC sp_executesql @q
=== a wait
SELECT 1 WAITFOR DELAY '01:00:00'
=== a session ended
SELECT 1 KILL 53
=== a database put away
BACKUP DATABASE shop TO DISK = 'x'
=== a bulk load
BULK INSERT orders FROM 'x'
=== a check that repairs
DBCC CHECKDB (shop, REPAIR_ALLOW_DATA_LOSS)
=== somebody else
EXECUTE AS USER = 'sa'
=== a trigger switched off
DISABLE TRIGGER ALL ON orders
=== a branch
IF 1 = 1 DROP TABLE orders
=== a loop
WHILE 1 = 1 DELETE FROM orders
=== a block
BEGIN DELETE FROM orders END
=== a message in a queue
RECEIVE * FROM q
=== a pointer into a text
UPDATETEXT orders.note 0x00 0 0 'x'
=== rights
GRANT CONTROL TO PUBLIC
=== an escape of another interface
{call sweep}
=== another database
USE master
=== a statement after an invisible space
SELECT 1;{U+FEFF}DROP TABLE orders
=== a sign of a currency that is a number
SELECT $DELETE FROM orders
=== another one
SELECT £DELETE FROM orders
=== a number that needs no space behind it
SELECT 1DELETE FROM orders
=== a number in sixteens
SELECT 0xFFSHUTDOWN
=== a quoted name that needs none either
SELECT [a]DELETE FROM orders
=== a cursor moved
SELECT 1 AS a FETCH c
