-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.users__04de9054a5ad9764_cc11310c456c3690` (
  `id` INT64,
  `version` INT64,
  `updated_at` TIMESTAMP,
  `mail` STRING(200),
  `score` FLOAT64,
  `op` STRING
);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/users/04de9054a5ad9764/2-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"users__04de9054a5ad9764_cc11310c456c3690"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"id","type":"INT64","mode":"NULLABLE"},{"name":"version","type":"INT64","mode":"NULLABLE"},{"name":"updated_at","type":"TIMESTAMP","mode":"NULLABLE"},{"name":"mail","type":"STRING","mode":"NULLABLE","maxLength":"200"},{"name":"score","type":"FLOAT64","mode":"NULLABLE"},{"name":"op","type":"STRING","mode":"NULLABLE"}]},"sourceFormat":"NEWLINE_DELIMITED_JSON"}

-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.users__04de9054a5ad9764_a4aab3f1f08004e9` (
  `id` INT64,
  `version` INT64,
  `updated_at` TIMESTAMP,
  `mail` STRING(200),
  `score` FLOAT64,
  `op` STRING
);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/users/04de9054a5ad9764/3-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"users__04de9054a5ad9764_a4aab3f1f08004e9"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"id","type":"INT64","mode":"NULLABLE"},{"name":"version","type":"INT64","mode":"NULLABLE"},{"name":"updated_at","type":"TIMESTAMP","mode":"NULLABLE"},{"name":"mail","type":"STRING","mode":"NULLABLE","maxLength":"200"},{"name":"score","type":"FLOAT64","mode":"NULLABLE"},{"name":"op","type":"STRING","mode":"NULLABLE"}]},"sourceFormat":"NEWLINE_DELIMITED_JSON"}

-- stage inspect
SELECT
  '2' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`id` IS NULL, copies, 0)), 0) AS null_key_rows,
  0 AS null_partition_rows,
  0 AS outside_rows,
  IFNULL(SUM(deletes), 0) AS deleted_rows
FROM (
  SELECT `id`, COUNT(*) AS copies, COUNTIF(IFNULL(`op` IN ('D', 'DELETE'), FALSE)) AS deletes
  FROM `shop-prod.freshet_landing.users__04de9054a5ad9764_cc11310c456c3690`
  GROUP BY `id`
);

-- stage inspect
SELECT
  '2' AS snapshot,
  CONCAT(
    IF(COUNT(`version`) = 0, 'version,', ''),
    IF(COUNT(`updated_at`) = 0, 'updated_at,', ''),
    IF(COUNT(`mail`) = 0, 'mail,', ''),
    IF(COUNT(`score`) = 0, 'score,', ''),
    IF(COUNT(`op`) = 0, 'op,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.users__04de9054a5ad9764_cc11310c456c3690`;

-- stage inspect
SELECT
  '3' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`id` IS NULL, copies, 0)), 0) AS null_key_rows,
  0 AS null_partition_rows,
  0 AS outside_rows,
  IFNULL(SUM(deletes), 0) AS deleted_rows
FROM (
  SELECT `id`, COUNT(*) AS copies, COUNTIF(IFNULL(`op` IN ('D', 'DELETE'), FALSE)) AS deletes
  FROM `shop-prod.freshet_landing.users__04de9054a5ad9764_a4aab3f1f08004e9`
  GROUP BY `id`
);

-- stage inspect
SELECT
  '3' AS snapshot,
  CONCAT(
    IF(COUNT(`version`) = 0, 'version,', ''),
    IF(COUNT(`updated_at`) = 0, 'updated_at,', ''),
    IF(COUNT(`mail`) = 0, 'mail,', ''),
    IF(COUNT(`score`) = 0, 'score,', ''),
    IF(COUNT(`op`) = 0, 'op,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.users__04de9054a5ad9764_a4aab3f1f08004e9`;

-- stage inspect
SELECT
  '' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`id` IS NULL, copies, 0)), 0) AS null_key_rows,
  0 AS null_partition_rows,
  0 AS outside_rows,
  IFNULL(SUM(deletes), 0) AS deleted_rows
FROM (
  SELECT `id`, COUNT(*) AS copies, COUNTIF(IFNULL(`op` IN ('D', 'DELETE'), FALSE)) AS deletes
  FROM (
    SELECT `id`, `op` FROM `shop-prod.freshet_landing.users__04de9054a5ad9764_cc11310c456c3690`
    UNION ALL
    SELECT `id`, `op` FROM `shop-prod.freshet_landing.users__04de9054a5ad9764_a4aab3f1f08004e9`
  )
  GROUP BY `id`
);

-- stage append
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_staging.users__tombstones` (
  `id` INT64,
  `version` INT64,
  `updated_at` TIMESTAMP
);

-- stage append
ALTER TABLE `shop-prod.freshet_staging.users__tombstones`
  ADD COLUMN IF NOT EXISTS `id` INT64,
  ADD COLUMN IF NOT EXISTS `version` INT64,
  ADD COLUMN IF NOT EXISTS `updated_at` TIMESTAMP;

-- stage deduplicate
SELECT `id`, `version`, `updated_at`
FROM (
SELECT `id`, `version`, `updated_at`, 'D' AS `op`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.users__tombstones`
UNION ALL
SELECT `id`, `version`, `updated_at`, `op`, 1
FROM `shop-prod.freshet_landing.users__04de9054a5ad9764_cc11310c456c3690`
UNION ALL
SELECT `id`, `version`, `updated_at`, `op`, 2
FROM `shop-prod.freshet_landing.users__04de9054a5ad9764_a4aab3f1f08004e9`
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `id` ORDER BY `version` DESC, `updated_at` DESC, `arrival` DESC, IFNULL(`op` IN ('D', 'DELETE'), FALSE) DESC) = 1 AND IFNULL(`op` IN ('D', 'DELETE'), FALSE);

-- stage deduplicate
SELECT `id`, `version`, `updated_at`, `mail`, `score`, `op`
FROM (
SELECT `id`, `version`, `updated_at`, `mail`, `score`, `op`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.users`
UNION ALL
SELECT `id`, `version`, `updated_at`, CAST(NULL AS STRING), CAST(NULL AS FLOAT64), 'D', 1
FROM `shop-prod.freshet_staging.users__tombstones`
UNION ALL
SELECT `id`, `version`, `updated_at`, `mail`, `score`, `op`, 2
FROM `shop-prod.freshet_landing.users__04de9054a5ad9764_cc11310c456c3690`
UNION ALL
SELECT `id`, `version`, `updated_at`, `mail`, `score`, `op`, 3
FROM `shop-prod.freshet_landing.users__04de9054a5ad9764_a4aab3f1f08004e9`
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `id` ORDER BY `version` DESC, `updated_at` DESC, `arrival` DESC, IFNULL(`op` IN ('D', 'DELETE'), FALSE) DESC, `mail` DESC, IFNULL(IS_NAN(`score`), FALSE), `score` DESC, `op` DESC) = 1 AND NOT IFNULL(`op` IN ('D', 'DELETE'), FALSE);

-- stage restore
SELECT `id`, `version`, `updated_at`, `mail`, `score`, `op`
FROM `shop-prod.freshet_staging.users__00000000000000aa`;

-- stage restore
SELECT `id`, `version`, CAST(NULL AS TIMESTAMP) AS `updated_at`
FROM `shop-prod.freshet_staging.users__00000000000000aa_tombstones`;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.users__04de9054a5ad9764_tombstones`
CLONE `shop-prod.freshet_staging.users__tombstones`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.users__04de9054a5ad9764`
CLONE `shop-prod.freshet_staging.users`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.crm.users`
CLONE `shop-prod.freshet_staging.users__04de9054a5ad9764`
OPTIONS(
  expiration_timestamp = NULL,
  labels = [('freshet_feed', 'users'), ('freshet_run', '04de9054a5ad9764')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.users__04de9054a5ad9764_cc11310c456c3690`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.users__04de9054a5ad9764_a4aab3f1f08004e9`;
