ibis-framework 12.0.0, ibis/backends/**/snapshots for mssql
licence: Apache-2.0, licences/ibis.txt

=== 1
SELECT
  [t0].[color],
  [t0].[price],
  RANK() OVER (
    PARTITION BY [t0].[color]
    ORDER BY CASE WHEN [t0].[price] IS NULL THEN 1 ELSE 0 END, [t0].[price] ASC
  ) - 1 AS [MinRank()]
FROM [diamonds_sample] AS [t0]
=== 2
WITH [t1] AS (
  SELECT
    [t0].[key]
  FROM [leaf] AS [t0]
  WHERE
    (1 = 1)
)
SELECT
  [t3].[key]
FROM [t1] AS [t3]
INNER JOIN [t1] AS [t4]
  ON [t3].[key] = [t4].[key]
INNER JOIN (
  SELECT
    [t3].[key]
  FROM [t1] AS [t3]
  INNER JOIN [t1] AS [t4]
    ON [t3].[key] = [t4].[key]
) AS [t6]
  ON [t3].[key] = [t6].[key]
=== 3
SELECT
  CASE [t0].[continent]
    WHEN 'NA'
    THEN 'North America'
    WHEN 'SA'
    THEN 'South America'
    WHEN 'EU'
    THEN 'Europe'
    WHEN 'AF'
    THEN 'Africa'
    WHEN 'AS'
    THEN 'Asia'
    WHEN 'OC'
    THEN 'Oceania'
    WHEN 'AN'
    THEN 'Antarctica'
    ELSE 'Unknown continent'
  END AS [cont],
  SUM([t0].[population]) AS [total_pop]
FROM [countries] AS [t0]
GROUP BY
  CASE [t0].[continent]
    WHEN 'NA'
    THEN 'North America'
    WHEN 'SA'
    THEN 'South America'
    WHEN 'EU'
    THEN 'Europe'
    WHEN 'AF'
    THEN 'Africa'
    WHEN 'AS'
    THEN 'Asia'
    WHEN 'OC'
    THEN 'Oceania'
    WHEN 'AN'
    THEN 'Antarctica'
    ELSE 'Unknown continent'
  END
=== 4
SELECT
  IIF([t2].[InSubquery(x)] <> 0, 1, 0) AS [InSubquery(x)]
FROM (
  SELECT
    [t0].[x] IN (
      SELECT
        [t0].[x]
      FROM [t] AS [t0]
      WHERE
        [t0].[x] > 2
    ) AS [InSubquery(x)]
  FROM [t] AS [t0]
) AS [t2]
=== 5
SELECT
  [x],
  [y]
FROM (
  SELECT
    [t1].[x] AS [x],
    [t1].[y] AS [y],
    AVG([t1].[x]) OVER (
      ORDER BY CASE WHEN [t1].[x] IS NULL THEN 1 ELSE 0 END, [t1].[x] ASC
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    ) AS _w
  FROM (
    SELECT
      [t0].[x],
      SUM([t0].[x]) OVER (
        ORDER BY CASE WHEN [t0].[x] IS NULL THEN 1 ELSE 0 END, [t0].[x] ASC
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
      ) AS [y]
    FROM [t] AS [t0]
  ) AS [t1]
  WHERE
    [t1].[y] <= 37
) AS _t
WHERE
  _w IS NOT NULL
=== 6
SELECT
  [t0].[a],
  9 AS [i],
  'foo' AS [s]
FROM [test] AS [t0]
ORDER BY
  CASE WHEN [t0].[a] IS NULL THEN 1 ELSE 0 END, [t0].[a] ASC
=== 7
SELECT
TOP 10
  NTILE(2) OVER (ORDER BY RAND(CHECKSUM(NEWID())) ASC) - 1 AS [new_col]
FROM [test] AS [t0]
=== 8
SELECT
  *
FROM [test] AS [t0] TABLESAMPLE system (50.0 PERCENT)
=== 9
SELECT
  [t0].[x],
  [t0].[y]
FROM [test] AS [t0]
WHERE
  RAND(CHECKSUM(NEWID())) <= 0.5
=== 10
SELECT
  [t1].[x],
  [t1].[y]
FROM (
  SELECT
    [t0].[x],
    [t0].[y]
  FROM [test] AS [t0]
  WHERE
    [t0].[x] > 10
) AS [t1]
WHERE
  RAND(CHECKSUM(NEWID())) <= 0.5
=== 11
SELECT
  [t1].[x],
  [t1].[y],
  [t1].[z],
  IIF([t1].[y] = [t1].[z], 'big', 'small') AS [size]
FROM (
  SELECT
    [t0].[x],
    RAND(CHECKSUM(NEWID())) AS [y],
    RAND(CHECKSUM(NEWID())) AS [z]
  FROM [t] AS [t0]
) AS [t1]
=== 12
SELECT
  [t1].[x],
  [t1].[y],
  [t1].[z],
  IIF([t1].[y] = [t1].[z], 'big', 'small') AS [size]
FROM (
  SELECT
    [t0].[x],
    NEWID() AS [y],
    NEWID() AS [z]
  FROM [t] AS [t0]
) AS [t1]
