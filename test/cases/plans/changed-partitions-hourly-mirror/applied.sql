-- stage deduplicate
BEGIN TRANSACTION;

DELETE FROM `shop-prod.freshet_staging.readings`
WHERE ((`at` >= TIMESTAMP '2026-11-29 07:00:00+00' AND `at` < TIMESTAMP '2026-11-29 08:00:00+00') OR (`at` >= TIMESTAMP '2026-11-30 23:00:00+00' AND `at` < TIMESTAMP '2026-12-01 00:00:00+00') OR `at` IS NULL);

INSERT INTO `shop-prod.freshet_staging.readings` (`at`, `sensor`, `value`, `version`)
SELECT `at`, `sensor`, `value`, `version`
FROM `shop-prod.freshet_landing.readings__48af99396785d79c_cc11310c456c3690`
WHERE ((`at` >= TIMESTAMP '2026-11-30 23:00:00+00' AND `at` < TIMESTAMP '2026-12-01 00:00:00+00') OR `at` IS NULL);

DELETE FROM `shop-prod.freshet_staging.readings__fingerprints` WHERE TRUE;

INSERT INTO `shop-prod.freshet_staging.readings__fingerprints` (`partition_start`, `partition_rows`, `high`, `middle`, `low`, `key_high`, `key_middle`, `key_low`, `staging_rows`, `proven`, `run`, `layout`)
SELECT
  partition_start, `partition_rows`, `high`, `middle`, `low`, `key_high`, `key_middle`, `key_low`,
  IF(partition_start IN (SELECT partition_start FROM `shop-prod.freshet_landing.readings__48af99396785d79c_changes` WHERE change = 'changed'), partition_rows, staging_rows) AS staging_rows,
  IF(partition_start IN (SELECT partition_start FROM `shop-prod.freshet_landing.readings__48af99396785d79c_changes` WHERE change = 'changed'), TRUE, proven) AS proven,
  '48af99396785d79c' AS run,
  '1667654d3ce6b330' AS layout
FROM `shop-prod.freshet_landing.readings__48af99396785d79c_changes`
WHERE snapshot = '2' AND change <> 'vanished';

COMMIT TRANSACTION;
