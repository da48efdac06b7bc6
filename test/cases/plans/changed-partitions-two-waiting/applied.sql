-- stage deduplicate
SELECT `at`, `sensor`, `value`, `version`
FROM (
SELECT `at`, `sensor`, `value`, `version`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.readings`
WHERE (`at` >= TIMESTAMP '2026-11-30 23:00:00+00' AND `at` < TIMESTAMP '2026-12-01 00:00:00+00')
UNION ALL
SELECT `at`, `sensor`, `value`, `version`, 1
FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_cc11310c456c3690`
WHERE (`at` >= TIMESTAMP '2026-11-30 23:00:00+00' AND `at` < TIMESTAMP '2026-12-01 00:00:00+00')
UNION ALL
SELECT `at`, `sensor`, `value`, `version`, 2
FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_a4aab3f1f08004e9`
WHERE (`at` >= TIMESTAMP '2026-11-30 23:00:00+00' AND `at` < TIMESTAMP '2026-12-01 00:00:00+00')
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `at`, `sensor` ORDER BY `version` DESC, `arrival` DESC, IFNULL(IS_NAN(`value`), FALSE), `value` DESC) = 1;

-- stage deduplicate
BEGIN TRANSACTION;

DELETE FROM `shop-prod.freshet_staging.readings`
WHERE (`at` >= TIMESTAMP '2026-11-30 23:00:00+00' AND `at` < TIMESTAMP '2026-12-01 00:00:00+00');

INSERT INTO `shop-prod.freshet_staging.readings` (`at`, `sensor`, `value`, `version`)
SELECT `at`, `sensor`, `value`, `version`
FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_merged`;

DELETE FROM `shop-prod.freshet_staging.readings__fingerprints` WHERE TRUE;

INSERT INTO `shop-prod.freshet_staging.readings__fingerprints` (`partition_start`, `partition_rows`, `high`, `middle`, `low`, `key_high`, `key_middle`, `key_low`, `staging_rows`, `proven`, `run`, `layout`)
SELECT
  partition_start, `partition_rows`, `high`, `middle`, `low`, `key_high`, `key_middle`, `key_low`,
  IF(partition_start IN (SELECT partition_start FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_changes` WHERE change = 'changed'), IFNULL(made.made_rows, 0), staging_rows) AS staging_rows,
  IF(partition_start IN (SELECT partition_start FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_changes` WHERE change = 'changed'), TRUE, proven) AS proven,
  '31cb40bc130ce023' AS run,
  '3daafc6ae61b952c' AS layout
FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_changes`
LEFT JOIN (
  SELECT IFNULL(CAST(TIMESTAMP_TRUNC(`at`, HOUR) AS STRING), '') AS partition_start, COUNT(*) AS made_rows
  FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_merged`
  GROUP BY 1
) AS made USING (partition_start)
WHERE snapshot = '3' AND change <> 'vanished';

COMMIT TRANSACTION;
