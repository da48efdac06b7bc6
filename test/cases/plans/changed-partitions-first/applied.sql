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
FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_391552c099c101b1`
UNION ALL
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM `shop-prod.freshet_staging.store_attributes`;

-- stage deduplicate
SELECT
  partition_start, `partition_rows`, `high`, `middle`, `low`, `key_high`, `key_middle`, `key_low`,
  IF(partition_start IN (SELECT partition_start FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_changes` WHERE change = 'changed'), partition_rows, staging_rows) AS staging_rows,
  IF(partition_start IN (SELECT partition_start FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_changes` WHERE change = 'changed'), TRUE, proven) AS proven,
  '193b678928e762d9' AS run,
  '0a16efd0dbc0f303' AS layout
FROM `shop-prod.freshet_landing.store_attributes__193b678928e762d9_changes`
WHERE snapshot = '1' AND change <> 'vanished';
