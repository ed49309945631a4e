ibis-framework 12.0.0, ibis/backends/**/snapshots for mysql
licence: Apache-2.0, licences/ibis.txt

=== 1
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
=== 2
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
=== 3
SELECT
  `t0`.`x` IN (
    SELECT
      *
    FROM `t` AS `t0`
    WHERE
      `t0`.`x` > 2
  ) AS `InSubquery(x)`
FROM `t` AS `t0`
=== 4
SELECT
  `x`,
  `y`
FROM (
  SELECT
    `t1`.`x`,
    `t1`.`y`,
    AVG(`t1`.`x`) OVER (
      ORDER BY CASE WHEN NULL IS NULL THEN 1 ELSE 0 END, NULL ASC
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    ) AS _w
  FROM (
    SELECT
      `t0`.`x`,
      SUM(`t0`.`x`) OVER (
        ORDER BY CASE WHEN NULL IS NULL THEN 1 ELSE 0 END, NULL ASC
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
      ) AS `y`
    FROM `t` AS `t0`
  ) AS `t1`
  WHERE
    `t1`.`y` <= 37
) AS _t
WHERE
  _w IS NOT NULL
=== 5
SELECT
  `t0`.`a`,
  9 AS `i`,
  'foo' AS `s`
FROM `test` AS `t0`
ORDER BY
  CASE WHEN `t0`.`a` IS NULL THEN 1 ELSE 0 END, `t0`.`a` ASC
=== 6
SELECT
  NTILE(2) OVER (ORDER BY RAND() ASC) - 1 AS `new_col`
FROM `test` AS `t0`
LIMIT 10
=== 7
SELECT
  *
FROM `test` AS `t0`
WHERE
  RAND() <= 0.5
=== 8
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
=== 9
SELECT
  `t1`.`x`,
  `t1`.`y`,
  `t1`.`z`,
  CASE WHEN `t1`.`y` = `t1`.`z` THEN 'big' ELSE 'small' END AS `size`
FROM (
  SELECT
    `t0`.`x`,
    RAND() AS `y`,
    RAND() AS `z`
  FROM `t` AS `t0`
) AS `t1`
=== 10
SELECT
  `t1`.`x`,
  `t1`.`y`,
  `t1`.`z`,
  CASE WHEN `t1`.`y` = `t1`.`z` THEN 'big' ELSE 'small' END AS `size`
FROM (
  SELECT
    `t0`.`x`,
    UUID() AS `y`,
    UUID() AS `z`
  FROM `t` AS `t0`
) AS `t1`
