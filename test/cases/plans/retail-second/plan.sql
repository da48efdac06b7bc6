-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.store_attributes__95c7c832ecd3cc83_cc11310c456c3690` (
  `date` DATE,
  `product_id` INT64,
  `store_id` INT64,
  `attribute_id` INT64,
  `attr_value` INT64,
  `update_id` INT64
)
PARTITION BY `date`
CLUSTER BY `product_id`, `store_id`;

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/store-attributes/95c7c832ecd3cc83/2-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"store_attributes__95c7c832ecd3cc83_cc11310c456c3690"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"date","type":"DATE","mode":"NULLABLE"},{"name":"product_id","type":"INT64","mode":"NULLABLE"},{"name":"store_id","type":"INT64","mode":"NULLABLE"},{"name":"attribute_id","type":"INT64","mode":"NULLABLE"},{"name":"attr_value","type":"INT64","mode":"NULLABLE"},{"name":"update_id","type":"INT64","mode":"NULLABLE"}]},"sourceFormat":"PARQUET","parquetOptions":{"enableListInference":true}}

-- stage inspect
SELECT
  '2' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`date` IS NULL OR `product_id` IS NULL OR `store_id` IS NULL OR `attribute_id` IS NULL, copies, 0)), 0) AS null_key_rows,
  IFNULL(SUM(IF(`date` IS NULL, copies, 0)), 0) AS null_partition_rows,
  IFNULL(SUM(IF(`date` > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY) OR `date` < DATE_SUB(CURRENT_DATE(), INTERVAL 730 DAY), copies, 0)), 0) AS outside_rows
FROM (
  SELECT `date`, `product_id`, `store_id`, `attribute_id`, COUNT(*) AS copies
  FROM `shop-prod.freshet_landing.store_attributes__95c7c832ecd3cc83_cc11310c456c3690`
  GROUP BY `date`, `product_id`, `store_id`, `attribute_id`
);

-- stage inspect
SELECT
  '2' AS snapshot,
  CONCAT(
    IF(COUNT(`attr_value`) = 0, 'attr_value,', ''),
    IF(COUNT(`update_id`) = 0, 'update_id,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.store_attributes__95c7c832ecd3cc83_cc11310c456c3690`;

-- stage deduplicate
SELECT `date`, `product_id`, `store_id`, `attribute_id`, `attr_value`, `update_id`
FROM (
SELECT `date`, `product_id`, `store_id`, `attribute_id`, `attr_value`, `update_id`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.store_attributes`
UNION ALL
SELECT `date`, `product_id`, `store_id`, `attribute_id`, `attr_value`, `update_id`, 1
FROM `shop-prod.freshet_landing.store_attributes__95c7c832ecd3cc83_cc11310c456c3690`
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `date`, `product_id`, `store_id`, `attribute_id` ORDER BY `update_id` DESC, `arrival` DESC, `attr_value` DESC) = 1;

-- stage restore
SELECT `date`, `product_id`, `store_id`, `attribute_id`, `attr_value`, `update_id`
FROM `shop-prod.freshet_staging.store_attributes`
WHERE FALSE;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.store_attributes__95c7c832ecd3cc83`
CLONE `shop-prod.freshet_staging.store_attributes`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.retail.store_attributes`
CLONE `shop-prod.freshet_staging.store_attributes__95c7c832ecd3cc83`
OPTIONS(
  expiration_timestamp = NULL,
  partition_expiration_days = 730,
  description = 'What each store sells at which price.',
  labels = [('freshet_feed', 'store-attributes'), ('freshet_run', '95c7c832ecd3cc83')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.store_attributes__95c7c832ecd3cc83_cc11310c456c3690`;
