-- stage deduplicate
SELECT `older`.`date`, `older`.`product_id`, `older`.`attr_value`, `older`.`update_id`
FROM (
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM `shop-prod.freshet_staging.store_attributes`
WHERE `date` IN (DATE '2026-11-04')
) AS `older`
LEFT JOIN (
SELECT `date`, `product_id`
FROM `shop-prod.freshet_landing.store_attributes__edaf80c7eab2dc26_cc11310c456c3690`
WHERE `date` IN (DATE '2026-11-04')
) AS `newer`
ON `newer`.`date` = `older`.`date` AND `newer`.`product_id` = `older`.`product_id`
WHERE `newer`.`date` IS NULL;

-- stage deduplicate
BEGIN TRANSACTION;

DELETE FROM `shop-prod.freshet_staging.store_attributes`
WHERE `date` IN (DATE '2026-11-02', DATE '2026-11-04');

INSERT INTO `shop-prod.freshet_staging.store_attributes` (`date`, `product_id`, `attr_value`, `update_id`)
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM `shop-prod.freshet_landing.store_attributes__edaf80c7eab2dc26_cc11310c456c3690`
WHERE `date` IN (DATE '2026-11-02', DATE '2026-11-04')
UNION ALL
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM `shop-prod.freshet_landing.store_attributes__edaf80c7eab2dc26_kept`;

DELETE FROM `shop-prod.freshet_staging.store_attributes__fingerprints` WHERE TRUE;

INSERT INTO `shop-prod.freshet_staging.store_attributes__fingerprints` (`partition_start`, `partition_rows`, `high`, `middle`, `low`, `key_high`, `key_middle`, `key_low`, `staging_rows`, `proven`, `run`, `layout`)
SELECT
  partition_start, `partition_rows`, `high`, `middle`, `low`, `key_high`, `key_middle`, `key_low`,
  IF(partition_start IN (SELECT partition_start FROM `shop-prod.freshet_landing.store_attributes__edaf80c7eab2dc26_changes` WHERE change = 'changed'), partition_rows + IFNULL(made.made_rows, 0), staging_rows) AS staging_rows,
  IF(partition_start IN (SELECT partition_start FROM `shop-prod.freshet_landing.store_attributes__edaf80c7eab2dc26_changes` WHERE change = 'changed'), TRUE, proven) AS proven,
  'edaf80c7eab2dc26' AS run,
  '0a16efd0dbc0f303' AS layout
FROM `shop-prod.freshet_landing.store_attributes__edaf80c7eab2dc26_changes`
LEFT JOIN (
  SELECT IFNULL(CAST(`date` AS STRING), '') AS partition_start, COUNT(*) AS made_rows
  FROM `shop-prod.freshet_landing.store_attributes__edaf80c7eab2dc26_kept`
  GROUP BY 1
) AS made USING (partition_start)
WHERE snapshot = '2' AND change <> 'vanished';

COMMIT TRANSACTION;
