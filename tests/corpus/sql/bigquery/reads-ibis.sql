ibis-framework 12.0.0, ibis/backends/**/snapshots for bigquery
licence: Apache-2.0, licences/ibis.txt

=== 1
SELECT
  APPROX_QUANTILES(IF(`t0`.`month` > 0, `t0`.`double_col`, NULL), IF(`t0`.`month` > 0, 2, NULL))[offset(1)] AS `ApproxMedian_double_col_Greater_month_0`
FROM `functional_alltypes` AS `t0`
=== 2
SELECT
  APPROX_COUNT_DISTINCT(IF(`t0`.`month` > 0, `t0`.`double_col`, NULL)) AS `ApproxCountDistinct_double_col_Greater_month_0`
FROM `functional_alltypes` AS `t0`
=== 3
SELECT
  APPROX_QUANTILES(`t0`.`double_col`, 2)[offset(1)] AS `ApproxMedian_double_col`
FROM `functional_alltypes` AS `t0`
=== 4
SELECT
  APPROX_COUNT_DISTINCT(`t0`.`double_col`) AS `ApproxCountDistinct_double_col`
FROM `functional_alltypes` AS `t0`
=== 5
SELECT
  [
    APPROX_QUANTILES(`t0`.`double_col`, 4 IGNORE NULLS)[1],
    APPROX_QUANTILES(`t0`.`double_col`, 4 IGNORE NULLS)[2],
    APPROX_QUANTILES(`t0`.`double_col`, 4 IGNORE NULLS)[3]
  ] AS `qs`
FROM `functional_alltypes` AS `t0`
=== 6
SELECT
  APPROX_QUANTILES(`t0`.`double_col`, 4 IGNORE NULLS) AS `qs`
FROM `functional_alltypes` AS `t0`
=== 7
SELECT
  APPROX_QUANTILES(`t0`.`double_col`, 2 IGNORE NULLS)[1] AS `qs`
FROM `functional_alltypes` AS `t0`
=== 8
SELECT
  [
    APPROX_QUANTILES(`t0`.`double_col`, 4 IGNORE NULLS)[2],
    APPROX_QUANTILES(`t0`.`double_col`, 4 IGNORE NULLS)[1],
    APPROX_QUANTILES(`t0`.`double_col`, 4 IGNORE NULLS)[3]
  ] AS `qs`
FROM `functional_alltypes` AS `t0`
=== 9
SELECT
  APPROX_QUANTILES(`t0`.`double_col`, 100000 IGNORE NULLS)[33333] AS `qs`
FROM `functional_alltypes` AS `t0`
=== 10
SELECT
  CAST(`t0`.`value` AS BYTES) AS `Cast_value_binary`
FROM `t` AS `t0`
=== 11
SELECT
  BIT_AND(IF(`t0`.`bigint_col` > 0, `t0`.`int_col`, NULL)) AS `BitAnd_int_col_Greater_bigint_col_0`
FROM `functional_alltypes` AS `t0`
=== 12
SELECT
  BIT_OR(IF(`t0`.`bigint_col` > 0, `t0`.`int_col`, NULL)) AS `BitOr_int_col_Greater_bigint_col_0`
FROM `functional_alltypes` AS `t0`
=== 13
SELECT
  BIT_XOR(IF(`t0`.`bigint_col` > 0, `t0`.`int_col`, NULL)) AS `BitXor_int_col_Greater_bigint_col_0`
FROM `functional_alltypes` AS `t0`
=== 14
SELECT
  BIT_AND(`t0`.`int_col`) AS `BitAnd_int_col`
FROM `functional_alltypes` AS `t0`
=== 15
SELECT
  BIT_OR(`t0`.`int_col`) AS `BitOr_int_col`
FROM `functional_alltypes` AS `t0`
=== 16
SELECT
  BIT_XOR(`t0`.`int_col`) AS `BitXor_int_col`
FROM `functional_alltypes` AS `t0`
=== 17
SELECT
  AVG(CAST(`t0`.`bool_col` AS INT64)) AS `Mean_bool_col`
FROM `functional_alltypes` AS `t0`
=== 18
SELECT
  SUM(CAST(`t0`.`bool_col` AS INT64)) AS `Sum_bool_col`
FROM `functional_alltypes` AS `t0`
=== 19
SELECT
  SUM(
    IF(
      (
        `t0`.`month` > 6
      ) AND (
        `t0`.`month` < 10
      ),
      CAST(`t0`.`bool_col` AS INT64),
      NULL
    )
  ) AS `Sum_bool_col_And_Greater_month_6_Less_month_10`
FROM `functional_alltypes` AS `t0`
=== 20
SELECT
  AVG(IF(`t0`.`month` > 6, CAST(`t0`.`bool_col` AS INT64), NULL)) AS `Mean_bool_col_Greater_month_6`
FROM `functional_alltypes` AS `t0`
=== 21
SELECT
  CASE
    WHEN (
      0 <= `t0`.`value`
    ) AND (
      `t0`.`value` < 1
    )
    THEN 0
    WHEN (
      1 <= `t0`.`value`
    ) AND (
      `t0`.`value` <= 3
    )
    THEN 1
    ELSE NULL
  END AS `tmp`
FROM `t` AS `t0`
=== 22
SELECT
  CAST(trunc(`t0`.`double_col`) AS INT64) AS `Cast_double_col_int64`
FROM `functional_alltypes` AS `t0`
=== 23
SELECT
  SUM(`t0`.`foo`) AS `Sum_foo`
FROM `t0` AS `t0`
=== 24
SELECT
  COVAR_POP(`t0`.`double_col`, `t0`.`double_col`) AS `Covariance_double_col_double_col`
FROM `functional_alltypes` AS `t0`
=== 25
SELECT
  COVAR_SAMP(`t0`.`double_col`, `t0`.`double_col`) AS `Covariance_double_col_double_col`
FROM `functional_alltypes` AS `t0`
=== 26
SELECT
  MOD(EXTRACT(dayofweek FROM DATE(2017, 1, 1)) + 5, 7) AS `DayOfWeekIndex_datetime_date_2017_1_1`
=== 27
SELECT
  INITCAP(CAST(DATE(2017, 1, 1) AS STRING FORMAT 'DAY')) AS `DayOfWeekName_datetime_date_2017_1_1`
=== 28
SELECT
  MOD(EXTRACT(dayofweek FROM DATETIME('2017-01-01T04:55:59')) + 5, 7) AS `DayOfWeekIndex_datetime_datetime_2017_1_1_4_55_59`
=== 29
SELECT
  INITCAP(CAST(DATETIME('2017-01-01T04:55:59') AS STRING FORMAT 'DAY')) AS `DayOfWeekName_datetime_datetime_2017_1_1_4_55_59`
=== 30
SELECT
  CAST(FLOOR(ieee_divide(`t0`.`double_col`, 0)) AS INT64) AS `FloorDivide_double_col_0`
FROM `functional_alltypes` AS `t0`
=== 31
SELECT
  ieee_divide(`t0`.`double_col`, 0) AS `Divide_double_col_0`
FROM `functional_alltypes` AS `t0`
=== 32
SELECT
  DATE(`t0`.`ts`) AS `tmp`
FROM `t` AS `t0`
=== 33
SELECT
  TIME(`t0`.`ts`) AS `tmp`
FROM `t` AS `t0`
=== 34
SELECT
  st_azimuth(`t0`.`p0`, `t0`.`p1`) AS `tmp`
FROM `t` AS `t0`
=== 35
SELECT
  st_contains(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 36
SELECT
  st_coveredby(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 37
SELECT
  st_covers(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 38
SELECT
  st_dwithin(`t0`.`geog0`, `t0`.`geog1`, 5.2) AS `tmp`
FROM `t` AS `t0`
=== 39
SELECT
  st_difference(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 40
SELECT
  st_disjoint(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 41
SELECT
  ST_DISTANCE(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 42
SELECT
  st_equals(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 43
SELECT
  st_intersection(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 44
SELECT
  st_intersects(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 45
SELECT
  st_maxdistance(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 46
SELECT
  st_touches(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 47
SELECT
  st_union(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 48
SELECT
  st_within(`t0`.`geog0`, `t0`.`geog1`) AS `tmp`
FROM `t` AS `t0`
=== 49
SELECT
  st_boundingbox(`t0`.`geog`).xmax AS `tmp`
FROM `t` AS `t0`
=== 50
SELECT
  st_boundingbox(`t0`.`geog`).xmin AS `tmp`
FROM `t` AS `t0`
=== 51
SELECT
  st_boundingbox(`t0`.`geog`).ymax AS `tmp`
FROM `t` AS `t0`
=== 52
SELECT
  st_boundingbox(`t0`.`geog`).ymin AS `tmp`
FROM `t` AS `t0`
=== 53
SELECT
  st_geogpoint(`t0`.`lon`, `t0`.`lat`) AS `tmp`
FROM `t` AS `t0`
=== 54
SELECT
  st_simplify(`t0`.`geog`, 5.2) AS `tmp`
FROM `t` AS `t0`
=== 55
SELECT
  st_area(`t0`.`geog`) AS `tmp`
FROM `t` AS `t0`
=== 56
SELECT
  st_asbinary(`t0`.`geog`) AS `tmp`
FROM `t` AS `t0`
=== 57
SELECT
  st_astext(`t0`.`geog`) AS `tmp`
FROM `t` AS `t0`
=== 58
SELECT
  st_buffer(`t0`.`geog`, 5.2) AS `tmp`
FROM `t` AS `t0`
=== 59
SELECT
  st_centroid(`t0`.`geog`) AS `tmp`
FROM `t` AS `t0`
=== 60
SELECT
  st_endpoint(`t0`.`geog`) AS `tmp`
FROM `t` AS `t0`
=== 61
SELECT
  st_geometrytype(`t0`.`geog`) AS `tmp`
FROM `t` AS `t0`
=== 62
SELECT
  st_length(`t0`.`geog`) AS `tmp`
FROM `t` AS `t0`
=== 63
SELECT
  st_numpoints(`t0`.`geog`) AS `tmp`
FROM `t` AS `t0`
=== 64
SELECT
  st_perimeter(`t0`.`geog`) AS `tmp`
FROM `t` AS `t0`
=== 65
SELECT
  st_pointn(`t0`.`geog`, 3) AS `tmp`
FROM `t` AS `t0`
=== 66
SELECT
  st_startpoint(`t0`.`geog`) AS `tmp`
FROM `t` AS `t0`
=== 67
SELECT
  st_union_agg(`t0`.`geog`) AS `tmp`
FROM `t` AS `t0`
=== 68
SELECT
  st_x(`t0`.`pt`) AS `tmp`
FROM `t` AS `t0`
=== 69
SELECT
  st_y(`t0`.`pt`) AS `tmp`
FROM `t` AS `t0`
=== 70
SELECT
  FARM_FINGERPRINT(CAST('74657374206f662068617368' AS BYTES FORMAT 'HEX')) AS `Hash_b'test of hash'`
=== 71
SELECT
  FARM_FINGERPRINT('test of hash') AS `Hash_'test of hash'`
=== 72
SELECT
  MD5(CAST('74657374' AS BYTES FORMAT 'HEX')) AS `tmp`
=== 73
SELECT
  MD5('test') AS `tmp`
=== 74
SELECT
  SHA1(CAST('74657374' AS BYTES FORMAT 'HEX')) AS `tmp`
=== 75
SELECT
  SHA1('test') AS `tmp`
=== 76
SELECT
  SHA256(CAST('74657374' AS BYTES FORMAT 'HEX')) AS `tmp`
=== 77
SELECT
  SHA256('test') AS `tmp`
=== 78
SELECT
  SHA512(CAST('74657374' AS BYTES FORMAT 'HEX')) AS `tmp`
=== 79
SELECT
  SHA512('test') AS `tmp`
=== 80
SELECT
  *
FROM `functional_alltypes` AS `t0`
WHERE
  `t0`.`string_col` IS NOT DISTINCT FROM 'a'
  AND `t0`.`date_string_col` IS NOT DISTINCT FROM 'b'
=== 81
SELECT
  TIMESTAMP_MILLIS(-123456789) AS `tmp`
=== 82
SELECT
  TIMESTAMP_MICROS(CAST(ROUND(1234567891011 / 1000) AS INT64)) AS `tmp`
=== 83
SELECT
  TIMESTAMP_SECONDS(123456789) AS `tmp`
=== 84
SELECT
  TIMESTAMP_MICROS(123456789) AS `tmp`
=== 85
SELECT
  'a\ab\bc\fd\ne\rf\tg\vh' AS `'a_x07b_x08c_x0cd_ne_rf_tg_x0bh'`
=== 86
SELECT
  'a\\b\\c' AS `'a_b_c'`
=== 87
SELECT
  'a\'b"c' AS `'a_'b_c'`
=== 88
SELECT
  '`~!@#$%^&*()_=+-|[]{};:/?<>' AS `'_#_%_&__=+-|_:_<>'`
=== 89
SELECT
  EXTRACT(hour FROM DATETIME('2017-01-01T04:55:59')) AS `tmp`
=== 90
SELECT
  EXTRACT(hour FROM TIME(4, 55, 59)) AS `tmp`
=== 91
SELECT
  EXTRACT(year FROM DATE(2017, 1, 1)) AS `ExtractYear_datetime_date_2017_1_1`
=== 92
SELECT
  EXTRACT(year FROM DATETIME('2017-01-01T04:55:59')) AS `ExtractYear_datetime_datetime_2017_1_1_4_55_59`
=== 93
SELECT
  CURRENT_TIMESTAMP() AS `TimestampNow`
=== 94
WITH `t1` AS (
  SELECT
    CAST(`t0`.`file_date` AS DATE) AS `file_date`,
    `t0`.`PARTITIONTIME`,
    `t0`.`val`,
    `t0`.`val` * 2 AS `XYZ`
  FROM `unbound_table` AS `t0`
  WHERE
    `t0`.`PARTITIONTIME` < DATE(2017, 1, 1)
    AND CAST(`t0`.`file_date` AS DATE) < DATE(2017, 1, 1)
)
SELECT
  `t3`.`file_date`,
  `t3`.`PARTITIONTIME`,
  `t3`.`val`,
  `t3`.`XYZ`
FROM `t1` AS `t3`
INNER JOIN `t1` AS `t4`
  ON TRUE
=== 95
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (
    PARTITION BY `t0`.`year`
    ORDER BY `t0`.`month` ASC
    RANGE BETWEEN 1 preceding AND CURRENT ROW
  ) AS `two_month_avg`
FROM `functional_alltypes` AS `t0`
=== 96
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (
    PARTITION BY `t0`.`year`
    ORDER BY `t0`.`timestamp_col` ASC
    RANGE BETWEEN 4 preceding AND 2 preceding
  ) AS `two_month_avg`
FROM `functional_alltypes` AS `t0`
=== 97
SELECT
  *
FROM `t0` AS `t0`
EXCEPT DISTINCT
SELECT
  *
FROM `t1` AS `t1`
=== 98
SELECT
  *
FROM `t0` AS `t0`
INTERSECT DISTINCT
SELECT
  *
FROM `t1` AS `t1`
=== 99
SELECT
  *
FROM `t0` AS `t0`
UNION ALL
SELECT
  *
FROM `t1` AS `t1`
=== 100
SELECT
  *
FROM `t0` AS `t0`
UNION DISTINCT
SELECT
  *
FROM `t1` AS `t1`
=== 101
SELECT
  COUNT(`t2`.`foo`) AS `count`
FROM (
  SELECT
    `t1`.`string_col`,
    SUM(`t1`.`float_col`) AS `foo`
  FROM (
    SELECT
      *
    FROM `alltypes` AS `t0`
    WHERE
      `t0`.`timestamp_col` < DATETIME('2014-01-01T00:00:00')
  ) AS `t1`
  GROUP BY
    1
) AS `t2`
=== 102
SELECT
  SUBSTRING(`t0`.`value`, IF((
    3 + 1
  ) >= 1, 3 + 1, 3 + 1 + LENGTH(`t0`.`value`)), 1) AS `tmp`
FROM `t` AS `t0`
=== 103
SELECT
  DATE_TRUNC(`t0`.`a`, DAY) AS `tmp`
FROM `t` AS `t0`
=== 104
SELECT
  TIMESTAMP_TRUNC(`t0`.`a`, DAY) AS `tmp`
FROM `t` AS `t0`
=== 105
SELECT
  TIME_TRUNC(`t0`.`a`, HOUR) AS `tmp`
FROM `t` AS `t0`
=== 106
SELECT
  TIMESTAMP_TRUNC(`t0`.`a`, HOUR) AS `tmp`
FROM `t` AS `t0`
=== 107
SELECT
  TIME_TRUNC(`t0`.`a`, MICROSECOND) AS `tmp`
FROM `t` AS `t0`
=== 108
SELECT
  TIMESTAMP_TRUNC(`t0`.`a`, MICROSECOND) AS `tmp`
FROM `t` AS `t0`
=== 109
SELECT
  TIME_TRUNC(`t0`.`a`, MILLISECOND) AS `tmp`
FROM `t` AS `t0`
=== 110
SELECT
  TIMESTAMP_TRUNC(`t0`.`a`, MILLISECOND) AS `tmp`
FROM `t` AS `t0`
=== 111
SELECT
  TIME_TRUNC(`t0`.`a`, MINUTE) AS `tmp`
FROM `t` AS `t0`
=== 112
SELECT
  TIMESTAMP_TRUNC(`t0`.`a`, MINUTE) AS `tmp`
FROM `t` AS `t0`
=== 113
SELECT
  DATE_TRUNC(`t0`.`a`, MONTH) AS `tmp`
FROM `t` AS `t0`
=== 114
SELECT
  TIMESTAMP_TRUNC(`t0`.`a`, MONTH) AS `tmp`
FROM `t` AS `t0`
=== 115
SELECT
  DATE_TRUNC(`t0`.`a`, QUARTER) AS `tmp`
FROM `t` AS `t0`
=== 116
SELECT
  TIMESTAMP_TRUNC(`t0`.`a`, QUARTER) AS `tmp`
FROM `t` AS `t0`
=== 117
SELECT
  TIME_TRUNC(`t0`.`a`, SECOND) AS `tmp`
FROM `t` AS `t0`
=== 118
SELECT
  TIMESTAMP_TRUNC(`t0`.`a`, SECOND) AS `tmp`
FROM `t` AS `t0`
=== 119
SELECT
  DATE_TRUNC(`t0`.`a`, WEEK(MONDAY)) AS `tmp`
FROM `t` AS `t0`
=== 120
SELECT
  TIMESTAMP_TRUNC(`t0`.`a`, WEEK(MONDAY)) AS `tmp`
FROM `t` AS `t0`
=== 121
SELECT
  DATE_TRUNC(`t0`.`a`, YEAR) AS `tmp`
FROM `t` AS `t0`
=== 122
SELECT
  TIMESTAMP_TRUNC(`t0`.`a`, YEAR) AS `tmp`
FROM `t` AS `t0`
=== 123
SELECT
  TIME_ADD(TIME(12, 34, 56), INTERVAL 789101 MICROSECOND) AS `datetime_time_12_34_56_789101`
=== 124
SELECT
  TIME(12, 34, 56) AS `datetime_time_12_34_56`
=== 125
SELECT
  PARSE_TIMESTAMP('%F', `t0`.`date_string_col`, 'UTC') AS `StringToTimestamp_date_string_col_'%F'`
FROM `functional_alltypes` AS `t0`
=== 126
SELECT
  PARSE_TIMESTAMP('%F %Z', CONCAT(`t0`.`date_string_col`, ' America/New_York'), 'UTC') AS `StringToTimestamp_StringConcat_date_string_col_' America_New_York'_'%F %Z'`
FROM `functional_alltypes` AS `t0`
=== 127
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (
    ORDER BY `t0`.`timestamp_col` ASC
    RANGE BETWEEN INTERVAL '1' DAY preceding AND INTERVAL 0 DAY following
  ) AS `win_avg`
FROM `functional_alltypes` AS `t0`
=== 128
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (ORDER BY `t0`.`timestamp_col` ASC RANGE BETWEEN 5 preceding AND CURRENT ROW) AS `win_avg`
FROM `functional_alltypes` AS `t0`
=== 129
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (
    ORDER BY `t0`.`timestamp_col` ASC
    RANGE BETWEEN INTERVAL '1' HOUR preceding AND INTERVAL 0 HOUR following
  ) AS `win_avg`
FROM `functional_alltypes` AS `t0`
=== 130
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (
    ORDER BY `t0`.`timestamp_col` ASC
    RANGE BETWEEN INTERVAL '1' MICROSECOND preceding AND INTERVAL 0 MICROSECOND following
  ) AS `win_avg`
FROM `functional_alltypes` AS `t0`
=== 131
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (
    ORDER BY `t0`.`timestamp_col` ASC
    RANGE BETWEEN INTERVAL '1' MINUTE preceding AND INTERVAL 0 MINUTE following
  ) AS `win_avg`
FROM `functional_alltypes` AS `t0`
=== 132
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (
    ORDER BY `t0`.`timestamp_col` ASC
    RANGE BETWEEN INTERVAL '1' SECOND preceding AND INTERVAL 0 SECOND following
  ) AS `win_avg`
FROM `functional_alltypes` AS `t0`
=== 133
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (
    ORDER BY `t0`.`timestamp_col` ASC
    RANGE BETWEEN INTERVAL (EXTRACT(DAY FROM INTERVAL '1' DAY) * 2) DAY preceding AND INTERVAL 0 DAY following
  ) AS `win_avg`
FROM `functional_alltypes` AS `t0`
=== 134
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (
    ORDER BY `t0`.`timestamp_col` ASC
    RANGE BETWEEN INTERVAL '1' WEEK preceding AND INTERVAL 0 WEEK following
  ) AS `win_avg`
FROM `functional_alltypes` AS `t0`
=== 135
SELECT
  *
FROM `functional_alltypes` AS `t0`
UNION ALL
SELECT
  *
FROM `functional_alltypes` AS `t0`
=== 136
SELECT
  *
FROM `functional_alltypes` AS `t0`
UNION DISTINCT
SELECT
  *
FROM `functional_alltypes` AS `t0`
=== 137
WITH `t1` AS (
  SELECT
    `t0`.`string_col`,
    SUM(`t0`.`double_col`) AS `metric`
  FROM `functional_alltypes` AS `t0`
  GROUP BY
    1
)
SELECT
  *
FROM (
  SELECT
    *
  FROM `t1` AS `t2`
  UNION ALL
  SELECT
    *
  FROM `t1` AS `t4`
) AS `t5`
UNION ALL
SELECT
  *
FROM `t1` AS `t3`
=== 138
WITH `t1` AS (
  SELECT
    `t0`.`string_col`,
    SUM(`t0`.`double_col`) AS `metric`
  FROM `functional_alltypes` AS `t0`
  GROUP BY
    1
)
SELECT
  *
FROM (
  SELECT
    *
  FROM `t1` AS `t2`
  UNION DISTINCT
  SELECT
    *
  FROM `t1` AS `t4`
) AS `t5`
UNION ALL
SELECT
  *
FROM `t1` AS `t3`
=== 139
WITH `t1` AS (
  SELECT
    `t0`.`string_col`,
    SUM(`t0`.`double_col`) AS `metric`
  FROM `functional_alltypes` AS `t0`
  GROUP BY
    1
)
SELECT
  *
FROM (
  SELECT
    *
  FROM `t1` AS `t2`
  UNION ALL
  SELECT
    *
  FROM `t1` AS `t4`
) AS `t5`
UNION DISTINCT
SELECT
  *
FROM `t1` AS `t3`
=== 140
WITH `t1` AS (
  SELECT
    `t0`.`string_col`,
    SUM(`t0`.`double_col`) AS `metric`
  FROM `functional_alltypes` AS `t0`
  GROUP BY
    1
)
SELECT
  *
FROM (
  SELECT
    *
  FROM `t1` AS `t2`
  UNION DISTINCT
  SELECT
    *
  FROM `t1` AS `t4`
) AS `t5`
UNION DISTINCT
SELECT
  *
FROM `t1` AS `t3`
=== 141
SELECT
  `t0`.`rowindex`,
  IF(pos = pos_2, `repeated_struct_col`, NULL) AS `repeated_struct_col`
FROM `array_test` AS `t0`
CROSS JOIN UNNEST(GENERATE_ARRAY(0, GREATEST(ARRAY_LENGTH(`t0`.`repeated_struct_col`)) - 1)) AS pos
CROSS JOIN UNNEST(`t0`.`repeated_struct_col`) AS `repeated_struct_col` WITH OFFSET AS pos_2
WHERE
  pos = pos_2
  OR (
    pos > (
      ARRAY_LENGTH(`t0`.`repeated_struct_col`) - 1
    )
    AND pos_2 = (
      ARRAY_LENGTH(`t0`.`repeated_struct_col`) - 1
    )
  )
=== 142
SELECT
  IF(pos = pos_2, `level_two`, NULL) AS `level_two`
FROM (
  SELECT
    `t0`.`rowindex`,
    IF(pos = pos_2, `level_one`, NULL).`nested_struct_col` AS `level_one`
  FROM `array_test` AS `t0`
  CROSS JOIN UNNEST(GENERATE_ARRAY(0, GREATEST(ARRAY_LENGTH(`t0`.`repeated_struct_col`)) - 1)) AS pos
  CROSS JOIN UNNEST(`t0`.`repeated_struct_col`) AS `level_one` WITH OFFSET AS pos_2
  WHERE
    pos = pos_2
    OR (
      pos > (
        ARRAY_LENGTH(`t0`.`repeated_struct_col`) - 1
      )
      AND pos_2 = (
        ARRAY_LENGTH(`t0`.`repeated_struct_col`) - 1
      )
    )
) AS `t1`
CROSS JOIN UNNEST(GENERATE_ARRAY(0, GREATEST(ARRAY_LENGTH(`t1`.`level_one`)) - 1)) AS pos
CROSS JOIN UNNEST(`t1`.`level_one`) AS `level_two` WITH OFFSET AS pos_2
WHERE
  pos = pos_2
  OR (
    pos > (
      ARRAY_LENGTH(`t1`.`level_one`) - 1
    )
    AND pos_2 = (
      ARRAY_LENGTH(`t1`.`level_one`) - 1
    )
  )
=== 143
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (
    PARTITION BY `t0`.`year`
    ORDER BY `t0`.`timestamp_col` ASC
    ROWS BETWEEN CURRENT ROW AND 2 following
  ) AS `win_avg`
FROM `functional_alltypes` AS `t0`
=== 144
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (
    PARTITION BY `t0`.`year`
    ORDER BY `t0`.`timestamp_col` ASC
    ROWS BETWEEN 1 preceding AND CURRENT ROW
  ) AS `win_avg`
FROM `functional_alltypes` AS `t0`
=== 145
SELECT
  `t0`.`id`,
  `t0`.`bool_col`,
  `t0`.`tinyint_col`,
  `t0`.`smallint_col`,
  `t0`.`int_col`,
  `t0`.`bigint_col`,
  `t0`.`float_col`,
  `t0`.`double_col`,
  `t0`.`date_string_col`,
  `t0`.`string_col`,
  `t0`.`timestamp_col`,
  `t0`.`year`,
  `t0`.`month`,
  AVG(`t0`.`float_col`) OVER (
    PARTITION BY `t0`.`year`
    ORDER BY `t0`.`timestamp_col` ASC
    ROWS BETWEEN 4 preceding AND 2 preceding
  ) AS `win_avg`
FROM `functional_alltypes` AS `t0`
=== 146
SELECT
  SUM(`t0`.`a`) OVER (ROWS BETWEEN 1 following AND UNBOUNDED FOLLOWING) AS `tmp`
FROM `t` AS `t0`
=== 147
SELECT
  SUM(`t0`.`a`) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 preceding) AS `tmp`
FROM `t` AS `t0`
=== 148
SELECT
  FARM_FINGERPRINT(CAST('48656c6c6f2c20576f726c6421' AS BYTES FORMAT 'HEX')) AS `farm_fingerprint_0_b'Hello_World_'`
=== 149
WITH `t1` AS (
  SELECT
    *
  FROM `leaf` AS `t0`
  WHERE
    TRUE
)
SELECT
  `t3`.`key`
FROM `t1` AS `t3`
INNER JOIN `t1` AS `t4`
  ON `t3`.`key` = `t4`.`key`
INNER JOIN (
  SELECT
    `t3`.`key`
  FROM `t1` AS `t3`
  INNER JOIN `t1` AS `t4`
    ON `t3`.`key` = `t4`.`key`
) AS `t6`
  ON `t3`.`key` = `t6`.`key`
=== 150
SELECT
  CASE `t0`.`continent`
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
  END AS `cont`,
  SUM(`t0`.`population`) AS `total_pop`
FROM `countries` AS `t0`
GROUP BY
  1
=== 151
SELECT
  `t0`.`x` IN (
    SELECT
      *
    FROM `t` AS `t0`
    WHERE
      `t0`.`x` > 2
  ) AS `InSubquery_x`
FROM `t` AS `t0`
=== 152
SELECT
  *
FROM (
  SELECT
    `t0`.`x`,
    SUM(`t0`.`x`) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS `y`
  FROM `t` AS `t0`
) AS `t1`
WHERE
  `t1`.`y` <= 37
QUALIFY
  AVG(`t1`.`x`) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) IS NOT NULL
=== 153
SELECT
  `t0`.`a`,
  9 AS `i`,
  'foo' AS `s`
FROM `test` AS `t0`
ORDER BY
  `t0`.`a` ASC NULLS LAST
=== 154
SELECT
  NTILE(2) OVER (ORDER BY RAND() ASC) - 1 AS `new_col`
FROM `test` AS `t0`
LIMIT 10
=== 155
SELECT
  *
FROM `test` AS `t0` TABLESAMPLE system (50.0 PERCENT)
=== 156
SELECT
  *
FROM `test` AS `t0`
WHERE
  RAND() <= 0.5
=== 157
SELECT
  *
FROM (
  SELECT
    *
  FROM `test` AS `t0`
  WHERE
    `t0`.`x` > 10
) AS `t1`
WHERE
  RAND() <= 0.5
=== 158
SELECT
  `t1`.`x`,
  `t1`.`y`,
  `t1`.`z`,
  IF(`t1`.`y` = `t1`.`z`, 'big', 'small') AS `size`
FROM (
  SELECT
    `t0`.`x`,
    RAND() AS `y`,
    RAND() AS `z`
  FROM `t` AS `t0`
) AS `t1`
=== 159
SELECT
  `t1`.`x`,
  `t1`.`y`,
  `t1`.`z`,
  IF(`t1`.`y` = `t1`.`z`, 'big', 'small') AS `size`
FROM (
  SELECT
    `t0`.`x`,
    GENERATE_UUID() AS `y`,
    GENERATE_UUID() AS `z`
  FROM `t` AS `t0`
) AS `t1`
=== 160
WITH `t5` AS (
  SELECT
    `t4`.`field_of_study`,
    ANY_VALUE(`t4`.`diff`) AS `diff`
  FROM (
    SELECT
      `t3`.`field_of_study`,
      `t3`.`years`,
      `t3`.`degrees`,
      `t3`.`earliest_degrees`,
      `t3`.`latest_degrees`,
      `t3`.`latest_degrees` - `t3`.`earliest_degrees` AS `diff`
    FROM (
      SELECT
        `t2`.`field_of_study`,
        `t2`.`years`,
        `t2`.`degrees`,
        FIRST_VALUE(`t2`.`degrees`) OVER (
          PARTITION BY `t2`.`field_of_study`
          ORDER BY `t2`.`years` ASC
          ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        ) AS `earliest_degrees`,
        LAST_VALUE(`t2`.`degrees`) OVER (
          PARTITION BY `t2`.`field_of_study`
          ORDER BY `t2`.`years` ASC
          ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        ) AS `latest_degrees`
      FROM (
        SELECT
          `t1`.`field_of_study`,
          `t1`.`__pivoted__`.`years` AS `years`,
          `t1`.`__pivoted__`.`degrees` AS `degrees`
        FROM (
          SELECT
            `t0`.`field_of_study`,
            IF(pos = pos_2, `__pivoted__`, NULL) AS `__pivoted__`
          FROM `humanities` AS `t0`
          CROSS JOIN UNNEST(GENERATE_ARRAY(
            0,
            GREATEST(
              ARRAY_LENGTH(
                [
                  STRUCT('1970-71' AS `years`, `t0`.`1970-71` AS `degrees`),
                  STRUCT('1975-76' AS `years`, `t0`.`1975-76` AS `degrees`),
                  STRUCT('1980-81' AS `years`, `t0`.`1980-81` AS `degrees`),
                  STRUCT('1985-86' AS `years`, `t0`.`1985-86` AS `degrees`),
                  STRUCT('1990-91' AS `years`, `t0`.`1990-91` AS `degrees`),
                  STRUCT('1995-96' AS `years`, `t0`.`1995-96` AS `degrees`),
                  STRUCT('2000-01' AS `years`, `t0`.`2000-01` AS `degrees`),
                  STRUCT('2005-06' AS `years`, `t0`.`2005-06` AS `degrees`),
                  STRUCT('2010-11' AS `years`, `t0`.`2010-11` AS `degrees`),
                  STRUCT('2011-12' AS `years`, `t0`.`2011-12` AS `degrees`),
                  STRUCT('2012-13' AS `years`, `t0`.`2012-13` AS `degrees`),
                  STRUCT('2013-14' AS `years`, `t0`.`2013-14` AS `degrees`),
                  STRUCT('2014-15' AS `years`, `t0`.`2014-15` AS `degrees`),
                  STRUCT('2015-16' AS `years`, `t0`.`2015-16` AS `degrees`),
                  STRUCT('2016-17' AS `years`, `t0`.`2016-17` AS `degrees`),
                  STRUCT('2017-18' AS `years`, `t0`.`2017-18` AS `degrees`),
                  STRUCT('2018-19' AS `years`, `t0`.`2018-19` AS `degrees`),
                  STRUCT('2019-20' AS `years`, `t0`.`2019-20` AS `degrees`)
                ]
              )
            ) - 1
          )) AS pos
          CROSS JOIN UNNEST([
            STRUCT('1970-71' AS `years`, `t0`.`1970-71` AS `degrees`),
            STRUCT('1975-76' AS `years`, `t0`.`1975-76` AS `degrees`),
            STRUCT('1980-81' AS `years`, `t0`.`1980-81` AS `degrees`),
            STRUCT('1985-86' AS `years`, `t0`.`1985-86` AS `degrees`),
            STRUCT('1990-91' AS `years`, `t0`.`1990-91` AS `degrees`),
            STRUCT('1995-96' AS `years`, `t0`.`1995-96` AS `degrees`),
            STRUCT('2000-01' AS `years`, `t0`.`2000-01` AS `degrees`),
            STRUCT('2005-06' AS `years`, `t0`.`2005-06` AS `degrees`),
            STRUCT('2010-11' AS `years`, `t0`.`2010-11` AS `degrees`),
            STRUCT('2011-12' AS `years`, `t0`.`2011-12` AS `degrees`),
            STRUCT('2012-13' AS `years`, `t0`.`2012-13` AS `degrees`),
            STRUCT('2013-14' AS `years`, `t0`.`2013-14` AS `degrees`),
            STRUCT('2014-15' AS `years`, `t0`.`2014-15` AS `degrees`),
            STRUCT('2015-16' AS `years`, `t0`.`2015-16` AS `degrees`),
            STRUCT('2016-17' AS `years`, `t0`.`2016-17` AS `degrees`),
            STRUCT('2017-18' AS `years`, `t0`.`2017-18` AS `degrees`),
            STRUCT('2018-19' AS `years`, `t0`.`2018-19` AS `degrees`),
            STRUCT('2019-20' AS `years`, `t0`.`2019-20` AS `degrees`)
          ]) AS `__pivoted__` WITH OFFSET AS pos_2
          WHERE
            pos = pos_2
            OR (
              pos > (
                ARRAY_LENGTH(
                  [
                    STRUCT('1970-71' AS `years`, `t0`.`1970-71` AS `degrees`),
                    STRUCT('1975-76' AS `years`, `t0`.`1975-76` AS `degrees`),
                    STRUCT('1980-81' AS `years`, `t0`.`1980-81` AS `degrees`),
                    STRUCT('1985-86' AS `years`, `t0`.`1985-86` AS `degrees`),
                    STRUCT('1990-91' AS `years`, `t0`.`1990-91` AS `degrees`),
                    STRUCT('1995-96' AS `years`, `t0`.`1995-96` AS `degrees`),
                    STRUCT('2000-01' AS `years`, `t0`.`2000-01` AS `degrees`),
                    STRUCT('2005-06' AS `years`, `t0`.`2005-06` AS `degrees`),
                    STRUCT('2010-11' AS `years`, `t0`.`2010-11` AS `degrees`),
                    STRUCT('2011-12' AS `years`, `t0`.`2011-12` AS `degrees`),
                    STRUCT('2012-13' AS `years`, `t0`.`2012-13` AS `degrees`),
                    STRUCT('2013-14' AS `years`, `t0`.`2013-14` AS `degrees`),
                    STRUCT('2014-15' AS `years`, `t0`.`2014-15` AS `degrees`),
                    STRUCT('2015-16' AS `years`, `t0`.`2015-16` AS `degrees`),
                    STRUCT('2016-17' AS `years`, `t0`.`2016-17` AS `degrees`),
                    STRUCT('2017-18' AS `years`, `t0`.`2017-18` AS `degrees`),
                    STRUCT('2018-19' AS `years`, `t0`.`2018-19` AS `degrees`),
                    STRUCT('2019-20' AS `years`, `t0`.`2019-20` AS `degrees`)
                  ]
                ) - 1
              )
              AND pos_2 = (
                ARRAY_LENGTH(
                  [
                    STRUCT('1970-71' AS `years`, `t0`.`1970-71` AS `degrees`),
                    STRUCT('1975-76' AS `years`, `t0`.`1975-76` AS `degrees`),
                    STRUCT('1980-81' AS `years`, `t0`.`1980-81` AS `degrees`),
                    STRUCT('1985-86' AS `years`, `t0`.`1985-86` AS `degrees`),
                    STRUCT('1990-91' AS `years`, `t0`.`1990-91` AS `degrees`),
                    STRUCT('1995-96' AS `years`, `t0`.`1995-96` AS `degrees`),
                    STRUCT('2000-01' AS `years`, `t0`.`2000-01` AS `degrees`),
                    STRUCT('2005-06' AS `years`, `t0`.`2005-06` AS `degrees`),
                    STRUCT('2010-11' AS `years`, `t0`.`2010-11` AS `degrees`),
                    STRUCT('2011-12' AS `years`, `t0`.`2011-12` AS `degrees`),
                    STRUCT('2012-13' AS `years`, `t0`.`2012-13` AS `degrees`),
                    STRUCT('2013-14' AS `years`, `t0`.`2013-14` AS `degrees`),
                    STRUCT('2014-15' AS `years`, `t0`.`2014-15` AS `degrees`),
                    STRUCT('2015-16' AS `years`, `t0`.`2015-16` AS `degrees`),
                    STRUCT('2016-17' AS `years`, `t0`.`2016-17` AS `degrees`),
                    STRUCT('2017-18' AS `years`, `t0`.`2017-18` AS `degrees`),
                    STRUCT('2018-19' AS `years`, `t0`.`2018-19` AS `degrees`),
                    STRUCT('2019-20' AS `years`, `t0`.`2019-20` AS `degrees`)
                  ]
                ) - 1
              )
            )
        ) AS `t1`
      ) AS `t2`
    ) AS `t3`
  ) AS `t4`
  GROUP BY
    1
)
SELECT
  *
FROM (
  SELECT
    *
  FROM `t5` AS `t6`
  ORDER BY
    `t6`.`diff` DESC
  LIMIT 10
) AS `t9`
UNION ALL
SELECT
  *
FROM (
  SELECT
    *
  FROM `t5` AS `t6`
  WHERE
    `t6`.`diff` < 0
  ORDER BY
    `t6`.`diff` ASC NULLS LAST
  LIMIT 10
) AS `t10`
