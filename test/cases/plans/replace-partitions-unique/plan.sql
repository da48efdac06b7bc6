-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.sales__127d2c2ca55f2455_bb1de3879fc3904d` (
  `day` DATE,
  `shop` INT64,
  `sold` NUMERIC,
  `batch` DATE DEFAULT DATE '2026-11-02'
)
PARTITION BY DATE_TRUNC(`day`, MONTH);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/sales/127d2c2ca55f2455/2026-11-02-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"sales__127d2c2ca55f2455_bb1de3879fc3904d"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"day","type":"DATE","mode":"NULLABLE"},{"name":"shop","type":"INT64","mode":"NULLABLE"},{"name":"sold","type":"NUMERIC","mode":"NULLABLE"}]},"sourceFormat":"PARQUET","parquetOptions":{"enableListInference":true}}

-- stage inspect
SELECT
  '2026-11-02' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`day` IS NULL OR `shop` IS NULL, copies, 0)), 0) AS null_key_rows,
  IFNULL(SUM(IF(`day` IS NULL, copies, 0)), 0) AS null_partition_rows,
  IFNULL(SUM(IF(`day` > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY), copies, 0)), 0) AS outside_rows
FROM (
  SELECT `day`, `shop`, COUNT(*) AS copies
  FROM `shop-prod.freshet_landing.sales__127d2c2ca55f2455_bb1de3879fc3904d`
  GROUP BY `day`, `shop`
);

-- stage inspect
SELECT
  '2026-11-02' AS snapshot,
  CONCAT(
    IF(COUNT(`sold`) = 0, 'sold,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.sales__127d2c2ca55f2455_bb1de3879fc3904d`;

-- stage inspect
SELECT
  '2026-11-02' AS snapshot,
  IFNULL(CAST(partition_value AS STRING), '') AS covered_start,
  COUNT(*) AS covered_rows,
  COUNTIF(is_outside) AS outside_rows
FROM (
  SELECT DATE_TRUNC(`day`, MONTH) AS partition_value, `day` > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY) AS is_outside
  FROM `shop-prod.freshet_landing.sales__127d2c2ca55f2455_bb1de3879fc3904d`
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
FROM `shop-prod.freshet_landing.sales__127d2c2ca55f2455_bb1de3879fc3904d`
QUALIFY ROW_NUMBER() OVER (PARTITION BY `day`, `shop` ORDER BY `batch` DESC, `sold` DESC) = 1
) AS `newest`
)
QUALIFY `arrival` = FIRST_VALUE(`arrival`) OVER (PARTITION BY DATE_TRUNC(`day`, MONTH) ORDER BY `batch` DESC, `arrival` DESC);

-- stage restore
SELECT `day`, `shop`, `sold`, `batch`
FROM `shop-prod.freshet_staging.sales`
WHERE FALSE;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.sales__127d2c2ca55f2455`
CLONE `shop-prod.freshet_staging.sales`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.retail.sales`
CLONE `shop-prod.freshet_staging.sales__127d2c2ca55f2455`
OPTIONS(
  expiration_timestamp = NULL,
  labels = [('freshet_feed', 'sales'), ('freshet_run', '127d2c2ca55f2455')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.sales__127d2c2ca55f2455_bb1de3879fc3904d`;
