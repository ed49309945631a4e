ibis-framework 12.0.0, ibis/backends/**/snapshots for snowflake
licence: Apache-2.0, licences/ibis.txt

=== 1
SELECT
  PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY
    "t0"."ROW_COUNT") AS "quantile_0_25",
  PERCENTILE_CONT(0.75) WITHIN GROUP (ORDER BY
    "t0"."ROW_COUNT") AS "quantile_0_75"
FROM "t" AS "t0"
=== 2
WITH "t1" AS (
  SELECT
    *
  FROM "leaf" AS "t0"
  WHERE
    TRUE
)
SELECT
  "t3"."key"
FROM "t1" AS "t3"
INNER JOIN "t1" AS "t4"
  ON "t3"."key" = "t4"."key"
INNER JOIN (
  SELECT
    "t3"."key"
  FROM "t1" AS "t3"
  INNER JOIN "t1" AS "t4"
    ON "t3"."key" = "t4"."key"
) AS "t6"
  ON "t3"."key" = "t6"."key"
=== 3
SELECT
  CASE "t0"."continent"
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
  END AS "cont",
  SUM("t0"."population") AS "total_pop"
FROM "countries" AS "t0"
GROUP BY
  1
=== 4
SELECT
  "t0"."x" IN (
    SELECT
      *
    FROM "t" AS "t0"
    WHERE
      "t0"."x" > 2
  ) AS "InSubquery(x)"
FROM "t" AS "t0"
=== 5
SELECT
  *
FROM (
  SELECT
    "t0"."x",
    SUM("t0"."x") OVER (ORDER BY NULL ASC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS "y"
  FROM "t" AS "t0"
) AS "t1"
WHERE
  "t1"."y" <= 37
QUALIFY
  AVG("t1"."x") OVER (ORDER BY NULL ASC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) IS NOT NULL
=== 6
SELECT
  "t0"."a",
  9 AS "i",
  'foo' AS "s"
FROM "test" AS "t0"
ORDER BY
  "t0"."a" ASC
=== 7
SELECT
  NTILE(2) OVER (ORDER BY UNIFORM(TO_DOUBLE(0.0), TO_DOUBLE(1.0), RANDOM()) ASC) - 1 AS "new_col"
FROM "test" AS "t0"
LIMIT 10
=== 8
SELECT
  *
FROM "test" AS "t0" TABLESAMPLE system (50.0)
=== 9
SELECT
  *
FROM "test" AS "t0" TABLESAMPLE bernoulli (50.0)
=== 10
SELECT
  *
FROM (
  SELECT
    *
  FROM "test" AS "t0"
  WHERE
    "t0"."x" > 10
) AS "t1"
WHERE
  UNIFORM(TO_DOUBLE(0.0), TO_DOUBLE(1.0), RANDOM()) <= 0.5
=== 11
SELECT
  "t1"."x",
  "t1"."y",
  "t1"."z",
  IFF("t1"."y" = "t1"."z", 'big', 'small') AS "size"
FROM (
  SELECT
    "t0"."x",
    UNIFORM(TO_DOUBLE(0.0), TO_DOUBLE(1.0), RANDOM()) AS "y",
    UNIFORM(TO_DOUBLE(0.0), TO_DOUBLE(1.0), RANDOM()) AS "z"
  FROM "t" AS "t0"
) AS "t1"
=== 12
SELECT
  "t1"."x",
  "t1"."y",
  "t1"."z",
  IFF("t1"."y" = "t1"."z", 'big', 'small') AS "size"
FROM (
  SELECT
    "t0"."x",
    UUID_STRING() AS "y",
    UUID_STRING() AS "z"
  FROM "t" AS "t0"
) AS "t1"
