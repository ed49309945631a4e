ibis-framework 12.0.0, ibis/backends/**/snapshots for duckdb
licence: Apache-2.0, licences/ibis.txt

=== 1
SELECT
  *
FROM "functional_alltypes"
=== 2
SELECT
  CAST('1.0' AS REAL) AS "Cast('1.0', float32)"
=== 3
SELECT
  CAST('1.0' AS DOUBLE) AS "Cast('1.0', float64)"
=== 4
SELECT
  CAST("t0"."a" AS USMALLINT) AS "Cast(a, uint16)"
FROM "t" AS "t0"
=== 5
SELECT
  CAST("t0"."a" AS UINTEGER) AS "Cast(a, uint32)"
FROM "t" AS "t0"
=== 6
SELECT
  CAST("t0"."a" AS UBIGINT) AS "Cast(a, uint64)"
FROM "t" AS "t0"
=== 7
SELECT
  CAST("t0"."a" AS UTINYINT) AS "Cast(a, uint8)"
FROM "t" AS "t0"
=== 8
SELECT
  ST_DWITHIN("t0"."geom", "t0"."geom", 3.0) AS "tmp"
FROM "t" AS "t0"
=== 9
SELECT
  ST_ASTEXT("t0"."geom") AS "tmp"
FROM "t" AS "t0"
=== 10
SELECT
  ST_NPOINTS("t0"."geom") AS "tmp"
FROM "t" AS "t0"
=== 11
SELECT
  *
  REPLACE (ST_ASWKB("p") AS "p")
FROM (
  SELECT
    ST_GEOMFROMTEXT('POINT (1 0)') AS "p"
)
=== 12
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
=== 13
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
=== 14
SELECT
  "t0"."x" IN (
    SELECT
      *
    FROM "t" AS "t0"
    WHERE
      "t0"."x" > 2
  ) AS "InSubquery(x)"
FROM "t" AS "t0"
=== 15
SELECT
  *
FROM (
  SELECT
    "t0"."x",
    SUM("t0"."x") OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS "y"
  FROM "t" AS "t0"
) AS "t1"
WHERE
  "t1"."y" <= 37
QUALIFY
  AVG("t1"."x") OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) IS NOT NULL
=== 16
SELECT
  "t0"."a",
  9 AS "i",
  'foo' AS "s"
FROM "test" AS "t0"
ORDER BY
  "t0"."a" ASC
=== 17
SELECT
  NTILE(2) OVER (ORDER BY RANDOM() ASC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) - 1 AS "new_col"
FROM "test" AS "t0"
LIMIT 10
=== 18
SELECT
  *
FROM "test" AS "t0" TABLESAMPLE system (50.0 PERCENT)
=== 19
SELECT
  *
FROM "test" AS "t0" TABLESAMPLE bernoulli (50.0 PERCENT)
=== 20
SELECT
  *
FROM (
  SELECT
    *
  FROM "test" AS "t0"
  WHERE
    "t0"."x" > 10
) AS "t1" TABLESAMPLE system (50.0 PERCENT)
=== 21
SELECT
  *
FROM (
  SELECT
    *
  FROM "test" AS "t0"
  WHERE
    "t0"."x" > 10
) AS "t1" TABLESAMPLE bernoulli (50.0 PERCENT)
=== 22
SELECT
  "t1"."x",
  "t1"."y",
  "t1"."z",
  CASE WHEN "t1"."y" = "t1"."z" THEN 'big' ELSE 'small' END AS "size"
FROM (
  SELECT
    "t0"."x",
    RANDOM() AS "y",
    RANDOM() AS "z"
  FROM "t" AS "t0"
) AS "t1"
=== 23
SELECT
  "t1"."x",
  "t1"."y",
  "t1"."z",
  CASE WHEN "t1"."y" = "t1"."z" THEN 'big' ELSE 'small' END AS "size"
FROM (
  SELECT
    "t0"."x",
    UUID() AS "y",
    UUID() AS "z"
  FROM "t" AS "t0"
) AS "t1"
=== 24
WITH "t5" AS (
  SELECT
    "t4"."field_of_study",
    ANY_VALUE("t4"."diff") AS "diff"
  FROM (
    SELECT
      "t3"."field_of_study",
      "t3"."years",
      "t3"."degrees",
      "t3"."earliest_degrees",
      "t3"."latest_degrees",
      "t3"."latest_degrees" - "t3"."earliest_degrees" AS "diff"
    FROM (
      SELECT
        "t2"."field_of_study",
        "t2"."years",
        "t2"."degrees",
        FIRST_VALUE("t2"."degrees") OVER (
          PARTITION BY "t2"."field_of_study"
          ORDER BY "t2"."years" ASC
          ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        ) AS "earliest_degrees",
        LAST_VALUE("t2"."degrees") OVER (
          PARTITION BY "t2"."field_of_study"
          ORDER BY "t2"."years" ASC
          ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        ) AS "latest_degrees"
      FROM (
        SELECT
          "t1"."field_of_study",
          "t1"."__pivoted__"."years" AS "years",
          "t1"."__pivoted__"."degrees" AS "degrees"
        FROM (
          SELECT
            "t0"."field_of_study",
            UNNEST(
              CAST([
                {'years': '1970-71', 'degrees': "t0"."1970-71"},
                {'years': '1975-76', 'degrees': "t0"."1975-76"},
                {'years': '1980-81', 'degrees': "t0"."1980-81"},
                {'years': '1985-86', 'degrees': "t0"."1985-86"},
                {'years': '1990-91', 'degrees': "t0"."1990-91"},
                {'years': '1995-96', 'degrees': "t0"."1995-96"},
                {'years': '2000-01', 'degrees': "t0"."2000-01"},
                {'years': '2005-06', 'degrees': "t0"."2005-06"},
                {'years': '2010-11', 'degrees': "t0"."2010-11"},
                {'years': '2011-12', 'degrees': "t0"."2011-12"},
                {'years': '2012-13', 'degrees': "t0"."2012-13"},
                {'years': '2013-14', 'degrees': "t0"."2013-14"},
                {'years': '2014-15', 'degrees': "t0"."2014-15"},
                {'years': '2015-16', 'degrees': "t0"."2015-16"},
                {'years': '2016-17', 'degrees': "t0"."2016-17"},
                {'years': '2017-18', 'degrees': "t0"."2017-18"},
                {'years': '2018-19', 'degrees': "t0"."2018-19"},
                {'years': '2019-20', 'degrees': "t0"."2019-20"}
              ] AS STRUCT("years" TEXT, "degrees" BIGINT)[])
            ) AS "__pivoted__"
          FROM "humanities" AS "t0"
        ) AS "t1"
      ) AS "t2"
    ) AS "t3"
  ) AS "t4"
  GROUP BY
    1
)
SELECT
  *
FROM (
  SELECT
    *
  FROM "t5" AS "t6"
  ORDER BY
    "t6"."diff" DESC
  LIMIT 10
) AS "t9"
UNION ALL
SELECT
  *
FROM (
  SELECT
    *
  FROM "t5" AS "t6"
  WHERE
    "t6"."diff" < 0
  ORDER BY
    "t6"."diff" ASC
  LIMIT 10
) AS "t10"
