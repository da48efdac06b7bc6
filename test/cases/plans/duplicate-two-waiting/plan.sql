-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.events__dccf7da3980b300c_391552c099c101b1` (
  `at` TIMESTAMP,
  `who` STRING,
  `what` JSON,
  `batch` INT64 DEFAULT 1
)
PARTITION BY TIMESTAMP_TRUNC(`at`, DAY);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/events/dccf7da3980b300c/1-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"events__dccf7da3980b300c_391552c099c101b1"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"at","type":"TIMESTAMP","mode":"NULLABLE"},{"name":"who","type":"STRING","mode":"NULLABLE"},{"name":"what","type":"JSON","mode":"NULLABLE"}]},"sourceFormat":"NEWLINE_DELIMITED_JSON"}

-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.events__dccf7da3980b300c_cc11310c456c3690` (
  `at` TIMESTAMP,
  `who` STRING,
  `what` JSON,
  `batch` INT64 DEFAULT 2
)
PARTITION BY TIMESTAMP_TRUNC(`at`, DAY);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/events/dccf7da3980b300c/2-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"events__dccf7da3980b300c_cc11310c456c3690"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"at","type":"TIMESTAMP","mode":"NULLABLE"},{"name":"who","type":"STRING","mode":"NULLABLE"},{"name":"what","type":"JSON","mode":"NULLABLE"}]},"sourceFormat":"NEWLINE_DELIMITED_JSON"}

-- stage inspect
SELECT
  '1' AS snapshot,
  COUNT(*) AS row_count,
  COUNT(*) AS key_count,
  0 AS duplicate_keys,
  0 AS null_key_rows,
  COUNTIF(`at` IS NULL) AS null_partition_rows,
  COUNTIF(DATE(`at`) > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY) OR DATE(`at`) < DATE_SUB(CURRENT_DATE(), INTERVAL 90 DAY)) AS outside_rows
FROM (
  SELECT `at` FROM `shop-prod.freshet_landing.events__dccf7da3980b300c_391552c099c101b1`
);

-- stage inspect
SELECT
  '1' AS snapshot,
  CONCAT(
    IF(COUNT(`at`) = 0, 'at,', ''),
    IF(COUNT(`who`) = 0, 'who,', ''),
    IF(COUNT(`what`) = 0, 'what,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.events__dccf7da3980b300c_391552c099c101b1`;

-- stage inspect
SELECT
  '2' AS snapshot,
  COUNT(*) AS row_count,
  COUNT(*) AS key_count,
  0 AS duplicate_keys,
  0 AS null_key_rows,
  COUNTIF(`at` IS NULL) AS null_partition_rows,
  COUNTIF(DATE(`at`) > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY) OR DATE(`at`) < DATE_SUB(CURRENT_DATE(), INTERVAL 90 DAY)) AS outside_rows
FROM (
  SELECT `at` FROM `shop-prod.freshet_landing.events__dccf7da3980b300c_cc11310c456c3690`
);

-- stage inspect
SELECT
  '2' AS snapshot,
  CONCAT(
    IF(COUNT(`at`) = 0, 'at,', ''),
    IF(COUNT(`who`) = 0, 'who,', ''),
    IF(COUNT(`what`) = 0, 'what,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.events__dccf7da3980b300c_cc11310c456c3690`;

-- stage inspect
SELECT
  '' AS snapshot,
  COUNT(*) AS row_count,
  COUNT(*) AS key_count,
  0 AS duplicate_keys,
  0 AS null_key_rows,
  COUNTIF(`at` IS NULL) AS null_partition_rows,
  COUNTIF(DATE(`at`) > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY) OR DATE(`at`) < DATE_SUB(CURRENT_DATE(), INTERVAL 90 DAY)) AS outside_rows
FROM (
  SELECT `at` FROM `shop-prod.freshet_landing.events__dccf7da3980b300c_391552c099c101b1`
  UNION ALL
  SELECT `at` FROM `shop-prod.freshet_landing.events__dccf7da3980b300c_cc11310c456c3690`
);

-- stage append
-- copy {"sourceTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"events__dccf7da3980b300c_391552c099c101b1"},"destinationTable":{"projectId":"shop-prod","datasetId":"freshet_staging","tableId":"events"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_APPEND"}

-- stage append
-- copy {"sourceTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"events__dccf7da3980b300c_cc11310c456c3690"},"destinationTable":{"projectId":"shop-prod","datasetId":"freshet_staging","tableId":"events"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_APPEND"}

-- stage restore
SELECT `at`, `who`, `what`, `batch`
FROM `shop-prod.freshet_staging.events`
WHERE FALSE;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.events__dccf7da3980b300c`
CLONE `shop-prod.freshet_staging.events`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.web.events`
CLONE `shop-prod.freshet_staging.events__dccf7da3980b300c`
OPTIONS(
  expiration_timestamp = NULL,
  partition_expiration_days = 90,
  labels = [('freshet_feed', 'events'), ('freshet_run', 'dccf7da3980b300c')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.events__dccf7da3980b300c_391552c099c101b1`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.events__dccf7da3980b300c_cc11310c456c3690`;
