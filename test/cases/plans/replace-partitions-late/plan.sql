-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.sales__fa7835a00a7d5423_7d70432a4276451c` (
  `day` DATE,
  `shop` INT64,
  `sold` NUMERIC,
  `batch` DATE DEFAULT DATE '2026-10-02'
)
PARTITION BY DATE_TRUNC(`day`, MONTH);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/sales/fa7835a00a7d5423/2026-10-02-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"sales__fa7835a00a7d5423_7d70432a4276451c"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"day","type":"DATE","mode":"NULLABLE"},{"name":"shop","type":"INT64","mode":"NULLABLE"},{"name":"sold","type":"NUMERIC","mode":"NULLABLE"}]},"sourceFormat":"PARQUET","parquetOptions":{"enableListInference":true}}

-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.sales__fa7835a00a7d5423_bb1de3879fc3904d` (
  `day` DATE,
  `shop` INT64,
  `sold` NUMERIC,
  `batch` DATE DEFAULT DATE '2026-11-02'
)
PARTITION BY DATE_TRUNC(`day`, MONTH);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/sales/fa7835a00a7d5423/2026-11-02-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"sales__fa7835a00a7d5423_bb1de3879fc3904d"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"day","type":"DATE","mode":"NULLABLE"},{"name":"shop","type":"INT64","mode":"NULLABLE"},{"name":"sold","type":"NUMERIC","mode":"NULLABLE"}]},"sourceFormat":"PARQUET","parquetOptions":{"enableListInference":true}}

-- stage inspect
SELECT
  '2026-10-02' AS snapshot,
  COUNT(*) AS row_count,
  COUNT(*) AS key_count,
  0 AS duplicate_keys,
  0 AS null_key_rows,
  COUNTIF(`day` IS NULL) AS null_partition_rows,
  COUNTIF(`day` > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY)) AS outside_rows
FROM (
  SELECT `day` FROM `shop-prod.freshet_landing.sales__fa7835a00a7d5423_7d70432a4276451c`
);

-- stage inspect
SELECT
  '2026-10-02' AS snapshot,
  CONCAT(
    IF(COUNT(`day`) = 0, 'day,', ''),
    IF(COUNT(`shop`) = 0, 'shop,', ''),
    IF(COUNT(`sold`) = 0, 'sold,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.sales__fa7835a00a7d5423_7d70432a4276451c`;

-- stage inspect
SELECT
  '2026-11-02' AS snapshot,
  COUNT(*) AS row_count,
  COUNT(*) AS key_count,
  0 AS duplicate_keys,
  0 AS null_key_rows,
  COUNTIF(`day` IS NULL) AS null_partition_rows,
  COUNTIF(`day` > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY)) AS outside_rows
FROM (
  SELECT `day` FROM `shop-prod.freshet_landing.sales__fa7835a00a7d5423_bb1de3879fc3904d`
);

-- stage inspect
SELECT
  '2026-11-02' AS snapshot,
  CONCAT(
    IF(COUNT(`day`) = 0, 'day,', ''),
    IF(COUNT(`shop`) = 0, 'shop,', ''),
    IF(COUNT(`sold`) = 0, 'sold,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.sales__fa7835a00a7d5423_bb1de3879fc3904d`;

-- stage inspect
SELECT
  '' AS snapshot,
  COUNT(*) AS row_count,
  COUNT(*) AS key_count,
  0 AS duplicate_keys,
  0 AS null_key_rows,
  COUNTIF(`day` IS NULL) AS null_partition_rows,
  COUNTIF(`day` > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY)) AS outside_rows
FROM (
  SELECT `day` FROM `shop-prod.freshet_landing.sales__fa7835a00a7d5423_7d70432a4276451c`
  UNION ALL
  SELECT `day` FROM `shop-prod.freshet_landing.sales__fa7835a00a7d5423_bb1de3879fc3904d`
);

-- stage inspect
SELECT
  '2026-10-02' AS snapshot,
  IFNULL(CAST(partition_value AS STRING), '') AS covered_start,
  COUNT(*) AS covered_rows,
  COUNTIF(is_outside) AS outside_rows
FROM (
  SELECT DATE_TRUNC(`day`, MONTH) AS partition_value, `day` > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY) AS is_outside
  FROM `shop-prod.freshet_landing.sales__fa7835a00a7d5423_7d70432a4276451c`
)
GROUP BY partition_value;

-- stage inspect
SELECT '2026-10-02' AS snapshot, IFNULL(CAST(partition_value AS STRING), '') AS newer_start
FROM (
  SELECT DATE_TRUNC(`day`, MONTH) AS partition_value, `batch` AS partition_snapshot
  FROM `shop-prod.freshet_staging.sales`
)
GROUP BY partition_value
HAVING MAX(partition_snapshot) > DATE '2026-10-02';

-- stage inspect
SELECT
  '2026-11-02' AS snapshot,
  IFNULL(CAST(partition_value AS STRING), '') AS covered_start,
  COUNT(*) AS covered_rows,
  COUNTIF(is_outside) AS outside_rows
FROM (
  SELECT DATE_TRUNC(`day`, MONTH) AS partition_value, `day` > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY) AS is_outside
  FROM `shop-prod.freshet_landing.sales__fa7835a00a7d5423_bb1de3879fc3904d`
)
GROUP BY partition_value;

-- stage deduplicate
SELECT `day`, `shop`, `sold`, `batch`
FROM (
SELECT `day`, `shop`, `sold`, `batch`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.sales`
UNION ALL
SELECT `day`, `shop`, `sold`, `batch`, 1
FROM (
SELECT `day`, `shop`, `sold`, `batch`
FROM `shop-prod.freshet_landing.sales__fa7835a00a7d5423_7d70432a4276451c`
) AS `newest`
UNION ALL
SELECT `day`, `shop`, `sold`, `batch`, 2
FROM (
SELECT `day`, `shop`, `sold`, `batch`
FROM `shop-prod.freshet_landing.sales__fa7835a00a7d5423_bb1de3879fc3904d`
) AS `newest`
)
QUALIFY `arrival` = FIRST_VALUE(`arrival`) OVER (PARTITION BY DATE_TRUNC(`day`, MONTH) ORDER BY `batch` DESC, `arrival` DESC);

-- stage restore
SELECT `day`, `shop`, `sold`, `batch`
FROM `shop-prod.freshet_staging.sales`
WHERE FALSE;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.sales__fa7835a00a7d5423`
CLONE `shop-prod.freshet_staging.sales`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.retail.sales`
CLONE `shop-prod.freshet_staging.sales__fa7835a00a7d5423`
OPTIONS(
  expiration_timestamp = NULL,
  labels = [('freshet_feed', 'sales'), ('freshet_run', 'fa7835a00a7d5423')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.sales__fa7835a00a7d5423_7d70432a4276451c`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.sales__fa7835a00a7d5423_bb1de3879fc3904d`;
