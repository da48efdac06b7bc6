-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.store_attributes__c1355f77c9489e7e_cc11310c456c3690` (
  `date` DATE,
  `product_id` INT64,
  `attr_value` INT64,
  `update_id` INT64 DEFAULT 2
)
PARTITION BY `date`;

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/store-attributes/c1355f77c9489e7e/2-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"store_attributes__c1355f77c9489e7e_cc11310c456c3690"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"date","type":"DATE","mode":"NULLABLE"},{"name":"product_id","type":"INT64","mode":"NULLABLE"},{"name":"attr_value","type":"INT64","mode":"NULLABLE"}]},"sourceFormat":"PARQUET","parquetOptions":{"enableListInference":true}}

-- stage inspect
SELECT
  '2' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`date` IS NULL OR `product_id` IS NULL, copies, 0)), 0) AS null_key_rows,
  IFNULL(SUM(IF(`date` IS NULL, copies, 0)), 0) AS null_partition_rows,
  IFNULL(SUM(IF(`date` > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY) OR `date` < DATE_SUB(CURRENT_DATE(), INTERVAL 730 DAY), copies, 0)), 0) AS outside_rows
FROM (
  SELECT `date`, `product_id`, COUNT(*) AS copies
  FROM `shop-prod.freshet_landing.store_attributes__c1355f77c9489e7e_cc11310c456c3690`
  GROUP BY `date`, `product_id`
);

-- stage inspect
SELECT
  '2' AS snapshot,
  CONCAT(
    IF(COUNT(`attr_value`) = 0, 'attr_value,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.store_attributes__c1355f77c9489e7e_cc11310c456c3690`;

-- stage deduplicate
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM (
SELECT `date`, `product_id`, `attr_value`, `update_id`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.store_attributes`
UNION ALL
SELECT `date`, `product_id`, `attr_value`, `update_id`, 1
FROM `shop-prod.freshet_landing.store_attributes__c1355f77c9489e7e_cc11310c456c3690`
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `date`, `product_id` ORDER BY `update_id` DESC, `arrival` DESC, `attr_value` DESC) = 1;

-- stage restore
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM `shop-prod.freshet_staging.store_attributes`
WHERE FALSE;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.store_attributes__c1355f77c9489e7e`
CLONE `shop-prod.freshet_staging.store_attributes`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.retail.store_attributes`
CLONE `shop-prod.freshet_staging.store_attributes__c1355f77c9489e7e`
OPTIONS(
  expiration_timestamp = NULL,
  partition_expiration_days = 730,
  labels = [('freshet_feed', 'store-attributes'), ('freshet_run', 'c1355f77c9489e7e')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.store_attributes__c1355f77c9489e7e_cc11310c456c3690`;
