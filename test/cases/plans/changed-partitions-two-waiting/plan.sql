-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.readings__31cb40bc130ce023_cc11310c456c3690` (
  `at` TIMESTAMP,
  `sensor` STRING,
  `value` FLOAT64,
  `version` INT64
)
PARTITION BY TIMESTAMP_TRUNC(`at`, HOUR);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/readings/31cb40bc130ce023/2-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"readings__31cb40bc130ce023_cc11310c456c3690"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"at","type":"TIMESTAMP","mode":"NULLABLE"},{"name":"sensor","type":"STRING","mode":"NULLABLE"},{"name":"value","type":"FLOAT64","mode":"NULLABLE"},{"name":"version","type":"INT64","mode":"NULLABLE"}]},"sourceFormat":"PARQUET","parquetOptions":{"enableListInference":true}}

-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.readings__31cb40bc130ce023_a4aab3f1f08004e9` (
  `at` TIMESTAMP,
  `sensor` STRING,
  `value` FLOAT64,
  `version` INT64
)
PARTITION BY TIMESTAMP_TRUNC(`at`, HOUR);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/readings/31cb40bc130ce023/3-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"readings__31cb40bc130ce023_a4aab3f1f08004e9"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"at","type":"TIMESTAMP","mode":"NULLABLE"},{"name":"sensor","type":"STRING","mode":"NULLABLE"},{"name":"value","type":"FLOAT64","mode":"NULLABLE"},{"name":"version","type":"INT64","mode":"NULLABLE"}]},"sourceFormat":"PARQUET","parquetOptions":{"enableListInference":true}}

-- stage inspect
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_staging.readings__fingerprints` (
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
  IF(DATE(partition_value) > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY), COUNT(*), 0) AS outside_rows
FROM (
  SELECT
    `hashed_part` AS partition_value,
    `hashed_key` AS key_hash,
    FARM_FINGERPRINT(TO_JSON_STRING(STRUCT(`hashed_key`, `value`, `version`))) AS row_hash
  FROM (
    SELECT
      TIMESTAMP_TRUNC(`at`, HOUR) AS `hashed_part`,
      FARM_FINGERPRINT(TO_JSON_STRING(STRUCT(`at`, `sensor`))) AS `hashed_key`,
      `value`,
      `version`
    FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_cc11310c456c3690`
  )
)
GROUP BY partition_value;

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
  IF(DATE(partition_value) > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY), COUNT(*), 0) AS outside_rows
FROM (
  SELECT
    `hashed_part` AS partition_value,
    `hashed_key` AS key_hash,
    FARM_FINGERPRINT(TO_JSON_STRING(STRUCT(`hashed_key`, `value`, `version`))) AS row_hash
  FROM (
    SELECT
      TIMESTAMP_TRUNC(`at`, HOUR) AS `hashed_part`,
      FARM_FINGERPRINT(TO_JSON_STRING(STRUCT(`at`, `sensor`))) AS `hashed_key`,
      `value`,
      `version`
    FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_a4aab3f1f08004e9`
  )
)
GROUP BY partition_value;

-- stage inspect
SELECT
  '2' AS snapshot,
  fresh.partition_start,
  fresh.partition_value,
  fresh.`partition_rows`, fresh.`high`, fresh.`middle`, fresh.`low`, fresh.`key_high`, fresh.`key_middle`, fresh.`key_low`,
  fresh.outside_rows,
  IF(known.`partition_rows` = fresh.`partition_rows` AND known.`high` = fresh.`high` AND known.`middle` = fresh.`middle` AND known.`low` = fresh.`low`, 'equal', 'changed') AS change,
  IFNULL(known.proven, FALSE) AS proven,
  FALSE AS same_keys,
  known.staging_rows
FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_cc11310c456c3690_prints` AS fresh
LEFT JOIN (SELECT * FROM `shop-prod.freshet_staging.readings__fingerprints` WHERE run = '00000000000000aa' AND layout = '3daafc6ae61b952c') AS known ON known.partition_start = fresh.partition_start
UNION ALL
SELECT
  '3' AS snapshot,
  fresh.partition_start,
  fresh.partition_value,
  fresh.`partition_rows`, fresh.`high`, fresh.`middle`, fresh.`low`, fresh.`key_high`, fresh.`key_middle`, fresh.`key_low`,
  fresh.outside_rows,
  IF(known.`partition_rows` = fresh.`partition_rows` AND known.`high` = fresh.`high` AND known.`middle` = fresh.`middle` AND known.`low` = fresh.`low`, 'equal', 'changed') AS change,
  IFNULL(known.proven, FALSE) AS proven,
  FALSE AS same_keys,
  known.staging_rows
FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_a4aab3f1f08004e9_prints` AS fresh
LEFT JOIN (SELECT * FROM `shop-prod.freshet_staging.readings__fingerprints` WHERE run = '00000000000000aa' AND layout = '3daafc6ae61b952c') AS known ON known.partition_start = fresh.partition_start
UNION ALL
SELECT
  '3', known.partition_start, NULL, known.`partition_rows`, known.`high`, known.`middle`, known.`low`, known.`key_high`, known.`key_middle`, known.`key_low`, 0, 'vanished', known.proven, FALSE, known.staging_rows
FROM (SELECT * FROM `shop-prod.freshet_staging.readings__fingerprints` WHERE run = '00000000000000aa' AND layout = '3daafc6ae61b952c') AS known
WHERE NOT EXISTS (SELECT 1 FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_a4aab3f1f08004e9_prints` AS fresh WHERE fresh.partition_start = known.partition_start);

-- stage inspect
SELECT
  '2' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`at` IS NULL OR `sensor` IS NULL, copies, 0)), 0) AS null_key_rows,
  IFNULL(SUM(IF(`at` IS NULL, copies, 0)), 0) AS null_partition_rows,
  IFNULL(SUM(IF(DATE(`at`) > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY), copies, 0)), 0) AS outside_rows
FROM (
  SELECT `at`, `sensor`, COUNT(*) AS copies
  FROM (
    SELECT `at`, `sensor` FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_cc11310c456c3690` WHERE TIMESTAMP_TRUNC(`at`, HOUR) IN (SELECT partition_value FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_changes` WHERE change = 'changed' AND NOT same_keys AND partition_value IS NOT NULL)
    UNION ALL
    SELECT `at`, `sensor` FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_cc11310c456c3690` WHERE `at` IS NULL AND EXISTS (SELECT 1 FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_changes` WHERE change = 'changed' AND NOT same_keys AND partition_start = '')
  )
  GROUP BY `at`, `sensor`
);

-- stage inspect
SELECT
  '3' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`at` IS NULL OR `sensor` IS NULL, copies, 0)), 0) AS null_key_rows,
  IFNULL(SUM(IF(`at` IS NULL, copies, 0)), 0) AS null_partition_rows,
  IFNULL(SUM(IF(DATE(`at`) > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY), copies, 0)), 0) AS outside_rows
FROM (
  SELECT `at`, `sensor`, COUNT(*) AS copies
  FROM (
    SELECT `at`, `sensor` FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_a4aab3f1f08004e9` WHERE TIMESTAMP_TRUNC(`at`, HOUR) IN (SELECT partition_value FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_changes` WHERE change = 'changed' AND NOT same_keys AND partition_value IS NOT NULL)
    UNION ALL
    SELECT `at`, `sensor` FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_a4aab3f1f08004e9` WHERE `at` IS NULL AND EXISTS (SELECT 1 FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_changes` WHERE change = 'changed' AND NOT same_keys AND partition_start = '')
  )
  GROUP BY `at`, `sensor`
);

-- stage inspect
SELECT
  '' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`at` IS NULL OR `sensor` IS NULL, copies, 0)), 0) AS null_key_rows,
  IFNULL(SUM(IF(`at` IS NULL, copies, 0)), 0) AS null_partition_rows,
  IFNULL(SUM(IF(DATE(`at`) > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY), copies, 0)), 0) AS outside_rows
FROM (
  SELECT `at`, `sensor`, COUNT(*) AS copies
  FROM (
    SELECT `at`, `sensor` FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_cc11310c456c3690` WHERE TIMESTAMP_TRUNC(`at`, HOUR) IN (SELECT partition_value FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_changes` WHERE change = 'changed' AND NOT same_keys AND partition_value IS NOT NULL)
    UNION ALL
    SELECT `at`, `sensor` FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_cc11310c456c3690` WHERE `at` IS NULL AND EXISTS (SELECT 1 FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_changes` WHERE change = 'changed' AND NOT same_keys AND partition_start = '')
    UNION ALL
    SELECT `at`, `sensor` FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_a4aab3f1f08004e9` WHERE TIMESTAMP_TRUNC(`at`, HOUR) IN (SELECT partition_value FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_changes` WHERE change = 'changed' AND NOT same_keys AND partition_value IS NOT NULL)
    UNION ALL
    SELECT `at`, `sensor` FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_a4aab3f1f08004e9` WHERE `at` IS NULL AND EXISTS (SELECT 1 FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_changes` WHERE change = 'changed' AND NOT same_keys AND partition_start = '')
  )
  GROUP BY `at`, `sensor`
);

-- stage deduplicate
SELECT `at`, `sensor`, `value`, `version`
FROM (
SELECT `at`, `sensor`, `value`, `version`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.readings`
UNION ALL
SELECT `at`, `sensor`, `value`, `version`, 1
FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_cc11310c456c3690`
UNION ALL
SELECT `at`, `sensor`, `value`, `version`, 2
FROM `shop-prod.freshet_landing.readings__31cb40bc130ce023_a4aab3f1f08004e9`
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `at`, `sensor` ORDER BY `version` DESC, `arrival` DESC, IFNULL(IS_NAN(`value`), FALSE), `value` DESC) = 1;

-- stage restore
SELECT `at`, `sensor`, `value`, `version`
FROM `shop-prod.freshet_staging.readings`
WHERE FALSE;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.readings__31cb40bc130ce023`
CLONE `shop-prod.freshet_staging.readings`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.iot.readings`
CLONE `shop-prod.freshet_staging.readings__31cb40bc130ce023`
OPTIONS(
  expiration_timestamp = NULL,
  labels = [('freshet_feed', 'readings'), ('freshet_run', '31cb40bc130ce023')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.readings__31cb40bc130ce023_cc11310c456c3690`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.readings__31cb40bc130ce023_a4aab3f1f08004e9`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.readings__31cb40bc130ce023_cc11310c456c3690_prints`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.readings__31cb40bc130ce023_a4aab3f1f08004e9_prints`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.readings__31cb40bc130ce023_changes`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.readings__31cb40bc130ce023_merged`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.readings__31cb40bc130ce023_kept`;
