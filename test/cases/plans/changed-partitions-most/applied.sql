-- stage deduplicate
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM `shop-prod.freshet_landing.store_attributes__edaf80c7eab2dc26_cc11310c456c3690`
UNION ALL
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM `shop-prod.freshet_staging.store_attributes`
WHERE (NOT ((`date` >= DATE '2026-11-01' AND `date` < DATE '2026-11-06')) OR `date` IS NULL);

-- stage deduplicate
SELECT
  partition_start, `partition_rows`, `high`, `middle`, `low`, `key_high`, `key_middle`, `key_low`,
  IF(partition_start IN (SELECT partition_start FROM `shop-prod.freshet_landing.store_attributes__edaf80c7eab2dc26_changes` WHERE change = 'changed'), partition_rows, staging_rows) AS staging_rows,
  IF(partition_start IN (SELECT partition_start FROM `shop-prod.freshet_landing.store_attributes__edaf80c7eab2dc26_changes` WHERE change = 'changed'), TRUE, proven) AS proven,
  'edaf80c7eab2dc26' AS run,
  '0a16efd0dbc0f303' AS layout
FROM `shop-prod.freshet_landing.store_attributes__edaf80c7eab2dc26_changes`
WHERE snapshot = '2' AND change <> 'vanished';
