ibis-framework 12.0.0, ibis/backends/**/snapshots for postgres
licence: Apache-2.0, licences/ibis.txt

=== 1
SELECT
  SUM("t0"."foo") AS "Sum(foo)"
FROM "t0" AS "t0"
=== 2
SELECT
  "t4"."id",
  "t4"."tz",
  "t4"."no_tz",
  "t2"."id" AS "id_right"
FROM (
  SELECT
    "t0"."id",
    "t0"."ts_tz" AS "tz",
    "t0"."ts_no_tz" AS "no_tz"
  FROM "x" AS "t0"
) AS "t4"
LEFT OUTER JOIN "y" AS "t2"
  ON "t4"."id" = "t2"."id"
=== 3
SELECT
  RANK() OVER (
    ORDER BY "t0"."double_col" ASC
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  ) - 1 AS "rank",
  DENSE_RANK() OVER (
    ORDER BY "t0"."double_col" ASC
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  ) - 1 AS "dense_rank",
  CUME_DIST() OVER (
    ORDER BY "t0"."double_col" ASC
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  ) AS "cume_dist",
  NTILE(7) OVER (
    ORDER BY "t0"."double_col" ASC
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  ) - 1 AS "ntile",
  PERCENT_RANK() OVER (
    ORDER BY "t0"."double_col" ASC
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  ) AS "percent_rank"
FROM "functional_alltypes" AS "t0"
=== 4
SELECT
  CAST("t0"."double_col" AS SMALLINT) AS "Cast(double_col, int16)"
FROM "functional_alltypes" AS "t0"
=== 5
SELECT
  CAST("t0"."double_col" AS SMALLINT) AS "Cast(double_col, int8)"
FROM "functional_alltypes" AS "t0"
=== 6
SELECT
  CAST("t0"."string_col" AS DECIMAL) AS "Cast(string_col, decimal)"
FROM "functional_alltypes" AS "t0"
=== 7
SELECT
  CAST("t0"."string_col" AS DECIMAL(9, 3)) AS "Cast(string_col, decimal(9, 3))"
FROM "functional_alltypes" AS "t0"
=== 8
SELECT
  CAST("t0"."string_col" AS DOUBLE PRECISION) AS "Cast(string_col, float64)"
FROM "functional_alltypes" AS "t0"
=== 9
SELECT
  CAST("t0"."string_col" AS REAL) AS "Cast(string_col, float32)"
FROM "functional_alltypes" AS "t0"
=== 10
SELECT
  CAST("t0"."date_string_col" AS DATE) AS "Cast(date_string_col, date)"
FROM "functional_alltypes" AS "t0"
=== 11
SELECT
  "t0"."timestamp_col"
FROM "functional_alltypes" AS "t0"
=== 12
SELECT
  TO_TIMESTAMP("t0"."int_col") AS "Cast(int_col, timestamp)"
FROM "functional_alltypes" AS "t0"
=== 13
WITH "t1" AS (
  SELECT
    "t0"."string_col",
    SUM("t0"."double_col") AS "metric"
  FROM "functional_alltypes" AS "t0"
  GROUP BY
    1
)
SELECT
  *
FROM (
  SELECT
    *
  FROM "t1" AS "t2"
  UNION ALL
  SELECT
    *
  FROM "t1" AS "t4"
) AS "t5"
UNION ALL
SELECT
  *
FROM "t1" AS "t3"
=== 14
WITH "t1" AS (
  SELECT
    "t0"."string_col",
    SUM("t0"."double_col") AS "metric"
  FROM "functional_alltypes" AS "t0"
  GROUP BY
    1
)
SELECT
  *
FROM (
  SELECT
    *
  FROM "t1" AS "t2"
  UNION
  SELECT
    *
  FROM "t1" AS "t4"
) AS "t5"
UNION
SELECT
  *
FROM "t1" AS "t3"
=== 15
SELECT
  "t0"."id",
  ST_ASEWKB("t0"."geo_point") AS "geo_point",
  ST_ASEWKB("t0"."geo_linestring") AS "geo_linestring",
  ST_ASEWKB("t0"."geo_polygon") AS "geo_polygon",
  ST_ASEWKB("t0"."geo_multipolygon") AS "geo_multipolygon",
  ST_Y("t0"."geo_point") AS "Location_Latitude",
  ST_Y("t0"."geo_point") AS "Latitude"
FROM "geo" AS "t0"
=== 16
SELECT
  "t0"."geo_point" = "t0"."geo_point" AS "Equals(geo_point, geo_point)"
FROM "geo" AS "t0"
=== 17
SELECT
  ST_EQUALS("t0"."geo_point", "t0"."geo_point") AS "tmp"
FROM "geo" AS "t0"
=== 18
SELECT
  ST_ASEWKB("t0"."<LINESTRING (30 10, 10 30, 40 40)>") AS "<LINESTRING (30 10, 10 30, 40 40)>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('LINESTRING (30 10, 10 30, 40 40)', 4326) AS "<LINESTRING (30 10, 10 30, 40 40)>"
) AS "t0"
=== 19
SELECT
  ST_ASEWKB("t0"."<LINESTRING (30 10, 10 30, 40 40)>") AS "<LINESTRING (30 10, 10 30, 40 40)>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('LINESTRING (30 10, 10 30, 40 40)') AS "<LINESTRING (30 10, 10 30, 40 40)>"
) AS "t0"
=== 20
SELECT
  ST_ASEWKB("t0"."<MULTILINESTRING ((10 10, 20 20, 10 40), (40 40, 30 30, 40 20, 30 10))>") AS "<MULTILINESTRING ((10 10, 20 20, 10 40), (40 40, 30 30, 40 20, 30 10))>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('MULTILINESTRING ((10 10, 20 20, 10 40), (40 40, 30 30, 40 20, 30 10))', 4326) AS "<MULTILINESTRING ((10 10, 20 20, 10 40), (40 40, 30 30, 40 20, 30 10))>"
) AS "t0"
=== 21
SELECT
  ST_ASEWKB("t0"."<MULTILINESTRING ((10 10, 20 20, 10 40), (40 40, 30 30, 40 20, 30 10))>") AS "<MULTILINESTRING ((10 10, 20 20, 10 40), (40 40, 30 30, 40 20, 30 10))>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('MULTILINESTRING ((10 10, 20 20, 10 40), (40 40, 30 30, 40 20, 30 10))') AS "<MULTILINESTRING ((10 10, 20 20, 10 40), (40 40, 30 30, 40 20, 30 10))>"
) AS "t0"
=== 22
SELECT
  ST_ASEWKB("t0"."<MULTIPOINT ((10 40), (40 30), (20 20), (30 10))>") AS "<MULTIPOINT ((10 40), (40 30), (20 20), (30 10))>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('MULTIPOINT ((10 40), (40 30), (20 20), (30 10))', 4326) AS "<MULTIPOINT ((10 40), (40 30), (20 20), (30 10))>"
) AS "t0"
=== 23
SELECT
  ST_ASEWKB("t0"."<MULTIPOINT ((10 40), (40 30), (20 20), (30 10))>") AS "<MULTIPOINT ((10 40), (40 30), (20 20), (30 10))>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('MULTIPOINT ((10 40), (40 30), (20 20), (30 10))') AS "<MULTIPOINT ((10 40), (40 30), (20 20), (30 10))>"
) AS "t0"
=== 24
SELECT
  ST_ASEWKB(
    "t0"."<MULTIPOLYGON (((40 40, 20 45, 45 30, 40 40)), ((20 35, 10 30, 10 10, 30 5, ...>"
  ) AS "<MULTIPOLYGON (((40 40, 20 45, 45 30, 40 40)), ((20 35, 10 30, 10 10, 30 5, ...>"
FROM (
  SELECT
    ST_GEOMFROMTEXT(
      'MULTIPOLYGON (((40 40, 20 45, 45 30, 40 40)), ((20 35, 10 30, 10 10, 30 5, 45 20, 20 35, 30 20, 20 15, 20 25, 30 20, 20 35)))',
      4326
    ) AS "<MULTIPOLYGON (((40 40, 20 45, 45 30, 40 40)), ((20 35, 10 30, 10 10, 30 5, ...>"
) AS "t0"
=== 25
SELECT
  ST_ASEWKB(
    "t0"."<MULTIPOLYGON (((40 40, 20 45, 45 30, 40 40)), ((20 35, 10 30, 10 10, 30 5, ...>"
  ) AS "<MULTIPOLYGON (((40 40, 20 45, 45 30, 40 40)), ((20 35, 10 30, 10 10, 30 5, ...>"
FROM (
  SELECT
    ST_GEOMFROMTEXT(
      'MULTIPOLYGON (((40 40, 20 45, 45 30, 40 40)), ((20 35, 10 30, 10 10, 30 5, 45 20, 20 35, 30 20, 20 15, 20 25, 30 20, 20 35)))'
    ) AS "<MULTIPOLYGON (((40 40, 20 45, 45 30, 40 40)), ((20 35, 10 30, 10 10, 30 5, ...>"
) AS "t0"
=== 26
SELECT
  ST_ASEWKB("t0"."<POINT (30 10)>") AS "<POINT (30 10)>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('POINT (30 10)', 4326) AS "<POINT (30 10)>"
) AS "t0"
=== 27
SELECT
  ST_ASEWKB("t0"."<POINT (30 10)>") AS "<POINT (30 10)>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('POINT (30 10)') AS "<POINT (30 10)>"
) AS "t0"
=== 28
SELECT
  ST_ASEWKB(
    "t0"."<POLYGON ((35 10, 45 45, 15 40, 10 20, 35 10, 20 30, 35 35, 30 20, 20 30, 35...>"
  ) AS "<POLYGON ((35 10, 45 45, 15 40, 10 20, 35 10, 20 30, 35 35, 30 20, 20 30, 35...>"
FROM (
  SELECT
    ST_GEOMFROMTEXT(
      'POLYGON ((35 10, 45 45, 15 40, 10 20, 35 10, 20 30, 35 35, 30 20, 20 30, 35 10))',
      4326
    ) AS "<POLYGON ((35 10, 45 45, 15 40, 10 20, 35 10, 20 30, 35 35, 30 20, 20 30, 35...>"
) AS "t0"
=== 29
SELECT
  ST_ASEWKB(
    "t0"."<POLYGON ((35 10, 45 45, 15 40, 10 20, 35 10, 20 30, 35 35, 30 20, 20 30, 35...>"
  ) AS "<POLYGON ((35 10, 45 45, 15 40, 10 20, 35 10, 20 30, 35 35, 30 20, 20 30, 35...>"
FROM (
  SELECT
    ST_GEOMFROMTEXT(
      'POLYGON ((35 10, 45 45, 15 40, 10 20, 35 10, 20 30, 35 35, 30 20, 20 30, 35 10))'
    ) AS "<POLYGON ((35 10, 45 45, 15 40, 10 20, 35 10, 20 30, 35 35, 30 20, 20 30, 35...>"
) AS "t0"
=== 30
SELECT
  ST_ASEWKB("t0"."<POLYGON ((30 10, 40 40, 20 40, 10 20, 30 10))>") AS "<POLYGON ((30 10, 40 40, 20 40, 10 20, 30 10))>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('POLYGON ((30 10, 40 40, 20 40, 10 20, 30 10))', 4326) AS "<POLYGON ((30 10, 40 40, 20 40, 10 20, 30 10))>"
) AS "t0"
=== 31
SELECT
  ST_ASEWKB("t0"."<POLYGON ((30 10, 40 40, 20 40, 10 20, 30 10))>") AS "<POLYGON ((30 10, 40 40, 20 40, 10 20, 30 10))>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('POLYGON ((30 10, 40 40, 20 40, 10 20, 30 10))') AS "<POLYGON ((30 10, 40 40, 20 40, 10 20, 30 10))>"
) AS "t0"
=== 32
SELECT
  ST_CONTAINS("t0"."geo_linestring", "t0"."geo_point") AS "GeoContains(geo_linestring, geo_point)"
FROM "geo" AS "t0"
=== 33
SELECT
  ST_ASEWKB(ST_ENDPOINT("t0"."geo_linestring")) AS "GeoEndPoint(geo_linestring)"
FROM "geo" AS "t0"
=== 34
SELECT
  ST_LENGTH("t0"."geo_linestring") AS "GeoLength(geo_linestring)"
FROM "geo" AS "t0"
=== 35
SELECT
  ST_ASEWKB(ST_STARTPOINT("t0"."geo_linestring")) AS "GeoStartPoint(geo_linestring)"
FROM "geo" AS "t0"
=== 36
SELECT
  ST_NPOINTS("t0"."geo_multipolygon") AS "GeoNPoints(geo_multipolygon)"
FROM "geo" AS "t0"
=== 37
SELECT
  ST_ASEWKB(ST_SETSRID("t0"."geo_point", 4326)) AS "GeoSetSRID(geo_point, 4326)"
FROM "geo" AS "t0"
=== 38
SELECT
  ST_SRID("t0"."geo_point") AS "GeoSRID(geo_point)"
FROM "geo" AS "t0"
=== 39
SELECT
  ST_X("t0"."geo_point") AS "GeoX(geo_point)"
FROM "geo" AS "t0"
=== 40
SELECT
  ST_Y("t0"."geo_point") AS "GeoY(geo_point)"
FROM "geo" AS "t0"
=== 41
SELECT
  ST_AREA("t0"."geo_polygon") AS "GeoArea(geo_polygon)"
FROM "geo" AS "t0"
=== 42
SELECT
  ST_PERIMETER("t0"."geo_polygon") AS "GeoPerimeter(geo_polygon)"
FROM "geo" AS "t0"
=== 43
SELECT
  ST_ASEWKB("t0"."p") AS "p"
FROM (
  SELECT
    ST_GEOMFROMTEXT('POINT (0 0)') AS "p"
) AS "t0"
=== 44
SELECT
  ST_ASEWKB("t0"."p") AS "p"
FROM (
  SELECT
    ST_GEOMFROMTEXT('POINT (0 0)', 4326) AS "p"
) AS "t0"
=== 45
SELECT
  ST_ASEWKB("t0"."p") AS "p"
FROM (
  SELECT
    ST_GEOMFROMTEXT('POINT (1 1)', 4326) AS "p"
) AS "t0"
=== 46
SELECT
  ST_ASEWKB("t0"."p") AS "p"
FROM (
  SELECT
    ST_GEOMFROMTEXT('POINT (2 2)', 4326) AS "p"
) AS "t0"
=== 47
SELECT
  ST_ASEWKB("t0"."<POINT (0 0)>") AS "<POINT (0 0)>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('POINT (0 0)') AS "<POINT (0 0)>"
) AS "t0"
=== 48
SELECT
  ST_ASEWKB("t0"."<POINT (1 1)>") AS "<POINT (1 1)>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('POINT (1 1)') AS "<POINT (1 1)>"
) AS "t0"
=== 49
SELECT
  ST_ASEWKB("t0"."<POINT (2 2)>") AS "<POINT (2 2)>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('POINT (2 2)') AS "<POINT (2 2)>"
) AS "t0"
=== 50
SELECT
  ST_ASEWKB("t0"."<LINESTRING (0 0, 1 1, 2 2)>") AS "<LINESTRING (0 0, 1 1, 2 2)>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('LINESTRING (0 0, 1 1, 2 2)') AS "<LINESTRING (0 0, 1 1, 2 2)>"
) AS "t0"
=== 51
SELECT
  ST_ASEWKB("t0"."<LINESTRING (2 2, 1 1, 0 0)>") AS "<LINESTRING (2 2, 1 1, 0 0)>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('LINESTRING (2 2, 1 1, 0 0)') AS "<LINESTRING (2 2, 1 1, 0 0)>"
) AS "t0"
=== 52
SELECT
  ST_ASEWKB("t0"."<POLYGON ((0 0, 1 1, 2 2, 0 0))>") AS "<POLYGON ((0 0, 1 1, 2 2, 0 0))>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('POLYGON ((0 0, 1 1, 2 2, 0 0))') AS "<POLYGON ((0 0, 1 1, 2 2, 0 0))>"
) AS "t0"
=== 53
SELECT
  ST_ASEWKB("t0"."<MULTIPOLYGON (((0 0, 1 1, 2 2, 0 0)))>") AS "<MULTIPOLYGON (((0 0, 1 1, 2 2, 0 0)))>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('MULTIPOLYGON (((0 0, 1 1, 2 2, 0 0)))') AS "<MULTIPOLYGON (((0 0, 1 1, 2 2, 0 0)))>"
) AS "t0"
=== 54
SELECT
  ST_ASEWKB("t0"."<MULTILINESTRING ((0 0, 1 1, 2 2), (2 2, 1 1, 0 0))>") AS "<MULTILINESTRING ((0 0, 1 1, 2 2), (2 2, 1 1, 0 0))>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('MULTILINESTRING ((0 0, 1 1, 2 2), (2 2, 1 1, 0 0))') AS "<MULTILINESTRING ((0 0, 1 1, 2 2), (2 2, 1 1, 0 0))>"
) AS "t0"
=== 55
SELECT
  ST_ASEWKB("t0"."<MULTIPOINT ((0 0), (1 1), (2 2))>") AS "<MULTIPOINT ((0 0), (1 1), (2 2))>"
FROM (
  SELECT
    ST_GEOMFROMTEXT('MULTIPOINT ((0 0), (1 1), (2 2))') AS "<MULTIPOINT ((0 0), (1 1), (2 2))>"
) AS "t0"
=== 56
SELECT
  ST_ASEWKB("t0"."geo_linestring") AS "geo_linestring"
FROM "geo" AS "t0"
=== 57
SELECT
  ST_ASEWKB("t0"."geo_multipolygon") AS "geo_multipolygon"
FROM "geo" AS "t0"
=== 58
SELECT
  ST_ASEWKB("t0"."geo_point") AS "geo_point"
FROM "geo" AS "t0"
=== 59
SELECT
  ST_ASEWKB("t0"."geo_polygon") AS "geo_polygon"
FROM "geo" AS "t0"
=== 60
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
=== 61
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
=== 62
SELECT
  "t0"."x" IN (
    SELECT
      *
    FROM "t" AS "t0"
    WHERE
      "t0"."x" > 2
  ) AS "InSubquery(x)"
FROM "t" AS "t0"
=== 63
SELECT
  "x",
  "y"
FROM (
  SELECT
    "t1"."x",
    "t1"."y",
    AVG("t1"."x") OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS _w
  FROM (
    SELECT
      "t0"."x",
      SUM("t0"."x") OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS "y"
    FROM "t" AS "t0"
  ) AS "t1"
  WHERE
    "t1"."y" <= 37
) AS _t
WHERE
  _w IS NOT NULL
=== 64
SELECT
  "t0"."a",
  9 AS "i",
  'foo' AS "s"
FROM "test" AS "t0"
ORDER BY
  "t0"."a" ASC
=== 65
SELECT
  NTILE(2) OVER (ORDER BY RANDOM() ASC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) - 1 AS "new_col"
FROM "test" AS "t0"
LIMIT 10
=== 66
SELECT
  *
FROM "test" AS "t0" TABLESAMPLE system (50.0)
=== 67
SELECT
  *
FROM "test" AS "t0" TABLESAMPLE bernoulli (50.0)
=== 68
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
  RANDOM() <= 0.5
=== 69
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
=== 70
SELECT
  "t1"."x",
  "t1"."y",
  "t1"."z",
  CASE WHEN "t1"."y" = "t1"."z" THEN 'big' ELSE 'small' END AS "size"
FROM (
  SELECT
    "t0"."x",
    GEN_RANDOM_UUID() AS "y",
    GEN_RANDOM_UUID() AS "z"
  FROM "t" AS "t0"
) AS "t1"
=== 71
WITH "t5" AS (
  SELECT
    "t4"."field_of_study",
    FIRST("t4"."diff") AS "diff"
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
          CAST(JSONB_EXTRACT_PATH(TO_JSONB("t1"."__pivoted__"), 'f1') AS VARCHAR) AS "years",
          CAST(JSONB_EXTRACT_PATH(TO_JSONB("t1"."__pivoted__"), 'f2') AS BIGINT) AS "degrees"
        FROM (
          SELECT
            "t0"."field_of_study",
            UNNEST(
              ARRAY[
                ROW(CAST('1970-71' AS VARCHAR), CAST("t0"."1970-71" AS BIGINT)),
                ROW(CAST('1975-76' AS VARCHAR), CAST("t0"."1975-76" AS BIGINT)),
                ROW(CAST('1980-81' AS VARCHAR), CAST("t0"."1980-81" AS BIGINT)),
                ROW(CAST('1985-86' AS VARCHAR), CAST("t0"."1985-86" AS BIGINT)),
                ROW(CAST('1990-91' AS VARCHAR), CAST("t0"."1990-91" AS BIGINT)),
                ROW(CAST('1995-96' AS VARCHAR), CAST("t0"."1995-96" AS BIGINT)),
                ROW(CAST('2000-01' AS VARCHAR), CAST("t0"."2000-01" AS BIGINT)),
                ROW(CAST('2005-06' AS VARCHAR), CAST("t0"."2005-06" AS BIGINT)),
                ROW(CAST('2010-11' AS VARCHAR), CAST("t0"."2010-11" AS BIGINT)),
                ROW(CAST('2011-12' AS VARCHAR), CAST("t0"."2011-12" AS BIGINT)),
                ROW(CAST('2012-13' AS VARCHAR), CAST("t0"."2012-13" AS BIGINT)),
                ROW(CAST('2013-14' AS VARCHAR), CAST("t0"."2013-14" AS BIGINT)),
                ROW(CAST('2014-15' AS VARCHAR), CAST("t0"."2014-15" AS BIGINT)),
                ROW(CAST('2015-16' AS VARCHAR), CAST("t0"."2015-16" AS BIGINT)),
                ROW(CAST('2016-17' AS VARCHAR), CAST("t0"."2016-17" AS BIGINT)),
                ROW(CAST('2017-18' AS VARCHAR), CAST("t0"."2017-18" AS BIGINT)),
                ROW(CAST('2018-19' AS VARCHAR), CAST("t0"."2018-19" AS BIGINT)),
                ROW(CAST('2019-20' AS VARCHAR), CAST("t0"."2019-20" AS BIGINT))
              ]
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
    "t6"."diff" DESC NULLS LAST
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
