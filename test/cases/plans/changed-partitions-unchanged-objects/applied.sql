-- stage deduplicate
BEGIN TRANSACTION;

DELETE FROM `shop-prod.freshet_staging.store_attributes`
WHERE `date` IN (DATE '2026-11-02');

INSERT INTO `shop-prod.freshet_staging.store_attributes` (`date`, `product_id`, `attr_value`, `update_id`)
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM `shop-prod.freshet_landing.store_attributes__88f094e33e18e09b_cc11310c456c3690`
WHERE `date` IN (DATE '2026-11-02');

DELETE FROM `shop-prod.freshet_staging.store_attributes__fingerprints` WHERE TRUE;

INSERT INTO `shop-prod.freshet_staging.store_attributes__fingerprints` (`partition_start`, `partition_rows`, `high`, `middle`, `low`, `key_high`, `key_middle`, `key_low`, `staging_rows`, `proven`, `run`, `layout`)
SELECT
  partition_start, `partition_rows`, `high`, `middle`, `low`, `key_high`, `key_middle`, `key_low`,
  IF(partition_start IN (SELECT partition_start FROM `shop-prod.freshet_landing.store_attributes__88f094e33e18e09b_changes` WHERE change = 'changed'), partition_rows, staging_rows) AS staging_rows,
  IF(partition_start IN (SELECT partition_start FROM `shop-prod.freshet_landing.store_attributes__88f094e33e18e09b_changes` WHERE change = 'changed'), TRUE, proven) AS proven,
  '88f094e33e18e09b' AS run,
  '0a16efd0dbc0f303' AS layout
FROM `shop-prod.freshet_landing.store_attributes__88f094e33e18e09b_changes`
WHERE snapshot = '2' AND change <> 'vanished';

COMMIT TRANSACTION;
