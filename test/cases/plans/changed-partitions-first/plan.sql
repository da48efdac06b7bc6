-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.store_attributes__193b678928e762d9_391552c099c101b1` (
  `date` DATE,
  `product_id` INT64,
  `attr_value` INT64,
  `update_id` INT64 DEFAULT 1
)
PARTITION BY `date`;

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/store-attributes/193b678928e762d9/1-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"store_attributes__193b678928e762d9_391552c099c101b1"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"date","type":"DATE","mode":"NULLABLE"},{"name":"product_id","type":"INT64","mode":"NULLABLE"},{"name":"attr_value","type":"INT64","mode":"NULLABLE"}]},"sourceFormat":"PARQUET","parquetOptions":{"enableListInference":true}}

-- stage inspect
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_staging.store_attributes__fingerprints` (
  `partition_start` STRING,
  `partition_rows` INT64,
  `high` INT64,
  `middle` INT64,
  `low` INT64,
  `key_high` INT64,
  `key_middle` INT64,
  `key_low` INT64,
  `staging_rows` INT64,
  `proven` BOOL,
  `run` STRING,
  `layout` STRING
);

-- stage inspect
SELECT
  IFNULL(CAST(partition_value AS STRING), '') AS partition_start,
  partition_value,
  COUNT(*) AS partition_rows,
  SUM(row_hash >> 43) AS high,
  SUM((row_hash >> 22) & 2097151) AS middle,
  SUM(row_hash & 4194303) AS low,
  SUM(key_hash >> 43) AS key_high,
  SUM((key_hash >> 22) & 2097151) AS key_middle,
  SUM(key_hash & 4194303) AS key_low,
  IF(partition_value > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY) OR partition_value < DATE_SUB(CURRENT_DATE(), INTERVAL 730 DAY), COUNT(*), 0) AS outside_rows,
  COUNT(`filled_0`) AS `filled_0`
FROM (
  SELECT
    `hashed_part` AS partition_value,
    `hashed_key` AS key_hash,
    FARM_FINGERPRINT(TO_JSON_STRING(STRUCT(`hashed_key`, `attr_value`))) AS row_hash,
    `attr_value` AS `filled_0`
  FROM (
    SELECT
      `date` AS `hashed_part`,
      FARM_FINGERPRINT(TO_JSON_STRING(STRUCT(`date`, `product_id`))) AS `hashed_key`,
      `attr_value`
    FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_391552c099c101b1`
  )
)
GROUP BY partition_value;

-- stage inspect
SELECT
  '1' AS snapshot,
  fresh.partition_start,
  fresh.partition_value,
  fresh.`partition_rows`, fresh.`high`, fresh.`middle`, fresh.`low`, fresh.`key_high`, fresh.`key_middle`, fresh.`key_low`,
  fresh.outside_rows,
  IF(known.`partition_rows` = fresh.`partition_rows` AND known.`high` = fresh.`high` AND known.`middle` = fresh.`middle` AND known.`low` = fresh.`low`, 'equal', 'changed') AS change,
  IFNULL(known.proven, FALSE) AS proven,
  IFNULL(known.proven AND known.`partition_rows` = fresh.`partition_rows` AND known.`key_high` = fresh.`key_high` AND known.`key_middle` = fresh.`key_middle` AND known.`key_low` = fresh.`key_low`, FALSE) AS same_keys,
  known.staging_rows
FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_391552c099c101b1_prints` AS fresh
LEFT JOIN (SELECT * FROM `shop-prod.freshet_staging.store_attributes__fingerprints` WHERE run = '' AND layout = '0a16efd0dbc0f303') AS known ON known.partition_start = fresh.partition_start
UNION ALL
SELECT
  '1', known.partition_start, NULL, known.`partition_rows`, known.`high`, known.`middle`, known.`low`, known.`key_high`, known.`key_middle`, known.`key_low`, 0, 'vanished', known.proven, FALSE, known.staging_rows
FROM (SELECT * FROM `shop-prod.freshet_staging.store_attributes__fingerprints` WHERE run = '' AND layout = '0a16efd0dbc0f303') AS known
WHERE NOT EXISTS (SELECT 1 FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_391552c099c101b1_prints` AS fresh WHERE fresh.partition_start = known.partition_start);

-- stage inspect
SELECT
  '1' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`date` IS NULL OR `product_id` IS NULL, copies, 0)), 0) AS null_key_rows,
  IFNULL(SUM(IF(`date` IS NULL, copies, 0)), 0) AS null_partition_rows,
  IFNULL(SUM(IF(`date` > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY) OR `date` < DATE_SUB(CURRENT_DATE(), INTERVAL 730 DAY), copies, 0)), 0) AS outside_rows
FROM (
  SELECT `date`, `product_id`, COUNT(*) AS copies
  FROM (
    SELECT `date`, `product_id` FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_391552c099c101b1` WHERE `date` IN (SELECT partition_value FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_changes` WHERE change = 'changed' AND NOT same_keys AND partition_value IS NOT NULL)
    UNION ALL
    SELECT `date`, `product_id` FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_391552c099c101b1` WHERE `date` IS NULL AND EXISTS (SELECT 1 FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_changes` WHERE change = 'changed' AND NOT same_keys AND partition_start = '')
  )
  GROUP BY `date`, `product_id`
);

-- stage inspect
SELECT
  '1' AS snapshot,
  CONCAT(
    IF(IFNULL(SUM(`filled_0`), 0) = 0, 'attr_value,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_391552c099c101b1_prints`;

-- stage append
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_staging.store_attributes` (
  `date` DATE,
  `product_id` INT64,
  `attr_value` INT64,
  `update_id` INT64
)
PARTITION BY `date`
OPTIONS(partition_expiration_days = 730);

-- stage deduplicate
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM (
SELECT `date`, `product_id`, `attr_value`, `update_id`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.store_attributes`
UNION ALL
SELECT `date`, `product_id`, `attr_value`, `update_id`, 1
FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_391552c099c101b1`
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `date`, `product_id` ORDER BY `update_id` DESC, `arrival` DESC, `attr_value` DESC) = 1;

-- stage restore
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM `shop-prod.freshet_staging.store_attributes`
WHERE FALSE;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.store_attributes__193b678928e762d9`
CLONE `shop-prod.freshet_staging.store_attributes`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.retail.store_attributes`
CLONE `shop-prod.freshet_staging.store_attributes__193b678928e762d9`
OPTIONS(
  expiration_timestamp = NULL,
  partition_expiration_days = 730,
  labels = [('freshet_feed', 'store-attributes'), ('freshet_run', '193b678928e762d9')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.store_attributes__193b678928e762d9_391552c099c101b1`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.store_attributes__193b678928e762d9_391552c099c101b1_prints`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.store_attributes__193b678928e762d9_changes`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.store_attributes__193b678928e762d9_merged`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.store_attributes__193b678928e762d9_kept`;
