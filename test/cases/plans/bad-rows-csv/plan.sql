-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.deliveries__414742a8c2b79e48_93ccb6595ee6df3e` (
  `id` INT64,
  `weight` NUMERIC(10, 2),
  `distance` FLOAT64,
  `sent` BOOL,
  `code` STRING(8),
  `note` STRING,
  `seal` BYTES(16),
  `day` DATE,
  `at_door` DATETIME,
  `seen` TIMESTAMP,
  `opens` TIME,
  `more` JSON,
  `delivered` DATE DEFAULT DATE '2026-11-30'
)
PARTITION BY `day`;

-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.deliveries__414742a8c2b79e48_93ccb6595ee6df3e_raw` (
  `id` STRING,
  `weight` STRING,
  `distance` STRING,
  `sent` STRING,
  `code` STRING,
  `note` STRING,
  `seal` STRING,
  `day` STRING,
  `at_door` STRING,
  `seen` STRING,
  `opens` STRING,
  `more` STRING
);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/deliveries/414742a8c2b79e48/2026-11-30-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"deliveries__414742a8c2b79e48_93ccb6595ee6df3e_raw"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"id","type":"STRING","mode":"NULLABLE"},{"name":"weight","type":"STRING","mode":"NULLABLE"},{"name":"distance","type":"STRING","mode":"NULLABLE"},{"name":"sent","type":"STRING","mode":"NULLABLE"},{"name":"code","type":"STRING","mode":"NULLABLE"},{"name":"note","type":"STRING","mode":"NULLABLE"},{"name":"seal","type":"STRING","mode":"NULLABLE"},{"name":"day","type":"STRING","mode":"NULLABLE"},{"name":"at_door","type":"STRING","mode":"NULLABLE"},{"name":"seen","type":"STRING","mode":"NULLABLE"},{"name":"opens","type":"STRING","mode":"NULLABLE"},{"name":"more","type":"STRING","mode":"NULLABLE"}]},"maxBadRecords":2147483647,"sourceFormat":"CSV","skipLeadingRows":1,"fieldDelimiter":",","allowQuotedNewlines":true}

-- stage load
INSERT INTO `shop-prod.freshet_landing.deliveries__414742a8c2b79e48_93ccb6595ee6df3e` (`id`, `weight`, `distance`, `sent`, `code`, `note`, `seal`, `day`, `at_door`, `seen`, `opens`, `more`)
SELECT
  SAFE_CAST(`id` AS INT64),
  ROUND(SAFE_CAST(`weight` AS NUMERIC), 2),
  SAFE_CAST(`distance` AS FLOAT64),
  CASE WHEN LOWER(`sent`) IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN LOWER(`sent`) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END,
  `code`,
  `note`,
  SAFE.FROM_BASE64(`seal`),
  SAFE_CAST(`day` AS DATE),
  SAFE_CAST(`at_door` AS DATETIME),
  SAFE_CAST(`seen` AS TIMESTAMP),
  SAFE_CAST(`opens` AS TIME),
  SAFE.PARSE_JSON(`more`)
FROM `shop-prod.freshet_landing.deliveries__414742a8c2b79e48_93ccb6595ee6df3e_raw`
WHERE NOT (
  (IFNULL(`id`, '') != '' AND SAFE_CAST(`id` AS INT64) IS NULL)
  OR (IFNULL(`weight`, '') != '' AND IFNULL(ABS(SAFE_CAST(`weight` AS NUMERIC)) >= SAFE_CAST('99999999.995' AS NUMERIC), TRUE))
  OR (IFNULL(`distance`, '') != '' AND SAFE_CAST(`distance` AS FLOAT64) IS NULL)
  OR (IFNULL(`sent`, '') != '' AND CASE WHEN LOWER(`sent`) IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN LOWER(`sent`) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END IS NULL)
  OR (`code` IS NOT NULL AND IFNULL(LENGTH(`code`) > 8, TRUE))
  OR (`seal` IS NOT NULL AND IFNULL(BYTE_LENGTH(SAFE.FROM_BASE64(`seal`)) > 16, TRUE))
  OR (IFNULL(`day`, '') != '' AND SAFE_CAST(`day` AS DATE) IS NULL)
  OR (IFNULL(`at_door`, '') != '' AND SAFE_CAST(`at_door` AS DATETIME) IS NULL)
  OR (IFNULL(`seen`, '') != '' AND SAFE_CAST(`seen` AS TIMESTAMP) IS NULL)
  OR (IFNULL(`opens`, '') != '' AND SAFE_CAST(`opens` AS TIME) IS NULL)
  OR (IFNULL(`more`, '') != '' AND SAFE.PARSE_JSON(`more`) IS NULL)
);

-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_staging.deliveries__quarantine` (
  run STRING,
  snapshot STRING,
  row_text STRING,
  reason STRING,
  quarantined_at TIMESTAMP
)
PARTITION BY DATE(quarantined_at)
OPTIONS(partition_expiration_days = 90);

-- stage load
INSERT INTO `shop-prod.freshet_staging.deliveries__quarantine` (run, snapshot, row_text, reason, quarantined_at)
SELECT
  '414742a8c2b79e48',
  '2026-11-30',
  TO_JSON_STRING(STRUCT(`id`, `weight`, `distance`, `sent`, `code`, `note`, `seal`, `day`, `at_door`, `seen`, `opens`, `more`)),
  CASE
    WHEN IFNULL(`id`, '') != '' AND SAFE_CAST(`id` AS INT64) IS NULL THEN CONCAT('id is no INT64: ', SUBSTR(`id`, 1, 80))
    WHEN IFNULL(`weight`, '') != '' AND IFNULL(ABS(SAFE_CAST(`weight` AS NUMERIC)) >= SAFE_CAST('99999999.995' AS NUMERIC), TRUE) THEN CONCAT('weight is no NUMERIC(10, 2): ', SUBSTR(`weight`, 1, 80))
    WHEN IFNULL(`distance`, '') != '' AND SAFE_CAST(`distance` AS FLOAT64) IS NULL THEN CONCAT('distance is no FLOAT64: ', SUBSTR(`distance`, 1, 80))
    WHEN IFNULL(`sent`, '') != '' AND CASE WHEN LOWER(`sent`) IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN LOWER(`sent`) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END IS NULL THEN CONCAT('sent is no BOOL: ', SUBSTR(`sent`, 1, 80))
    WHEN `code` IS NOT NULL AND IFNULL(LENGTH(`code`) > 8, TRUE) THEN CONCAT('code is no STRING(8): ', SUBSTR(`code`, 1, 80))
    WHEN `seal` IS NOT NULL AND IFNULL(BYTE_LENGTH(SAFE.FROM_BASE64(`seal`)) > 16, TRUE) THEN CONCAT('seal is no BYTES(16): ', SUBSTR(`seal`, 1, 80))
    WHEN IFNULL(`day`, '') != '' AND SAFE_CAST(`day` AS DATE) IS NULL THEN CONCAT('day is no DATE: ', SUBSTR(`day`, 1, 80))
    WHEN IFNULL(`at_door`, '') != '' AND SAFE_CAST(`at_door` AS DATETIME) IS NULL THEN CONCAT('at_door is no DATETIME: ', SUBSTR(`at_door`, 1, 80))
    WHEN IFNULL(`seen`, '') != '' AND SAFE_CAST(`seen` AS TIMESTAMP) IS NULL THEN CONCAT('seen is no TIMESTAMP: ', SUBSTR(`seen`, 1, 80))
    WHEN IFNULL(`opens`, '') != '' AND SAFE_CAST(`opens` AS TIME) IS NULL THEN CONCAT('opens is no TIME: ', SUBSTR(`opens`, 1, 80))
    WHEN IFNULL(`more`, '') != '' AND SAFE.PARSE_JSON(`more`) IS NULL THEN CONCAT('more is no JSON: ', SUBSTR(`more`, 1, 80))
  END,
  CURRENT_TIMESTAMP()
FROM `shop-prod.freshet_landing.deliveries__414742a8c2b79e48_93ccb6595ee6df3e_raw`
WHERE (IFNULL(`id`, '') != '' AND SAFE_CAST(`id` AS INT64) IS NULL)
  OR (IFNULL(`weight`, '') != '' AND IFNULL(ABS(SAFE_CAST(`weight` AS NUMERIC)) >= SAFE_CAST('99999999.995' AS NUMERIC), TRUE))
  OR (IFNULL(`distance`, '') != '' AND SAFE_CAST(`distance` AS FLOAT64) IS NULL)
  OR (IFNULL(`sent`, '') != '' AND CASE WHEN LOWER(`sent`) IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN LOWER(`sent`) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END IS NULL)
  OR (`code` IS NOT NULL AND IFNULL(LENGTH(`code`) > 8, TRUE))
  OR (`seal` IS NOT NULL AND IFNULL(BYTE_LENGTH(SAFE.FROM_BASE64(`seal`)) > 16, TRUE))
  OR (IFNULL(`day`, '') != '' AND SAFE_CAST(`day` AS DATE) IS NULL)
  OR (IFNULL(`at_door`, '') != '' AND SAFE_CAST(`at_door` AS DATETIME) IS NULL)
  OR (IFNULL(`seen`, '') != '' AND SAFE_CAST(`seen` AS TIMESTAMP) IS NULL)
  OR (IFNULL(`opens`, '') != '' AND SAFE_CAST(`opens` AS TIME) IS NULL)
  OR (IFNULL(`more`, '') != '' AND SAFE.PARSE_JSON(`more`) IS NULL);

-- stage inspect
SELECT
  '2026-11-30' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`id` IS NULL, copies, 0)), 0) AS null_key_rows,
  IFNULL(SUM(null_partition), 0) AS null_partition_rows,
  IFNULL(SUM(outside), 0) AS outside_rows
FROM (
  SELECT `id`, COUNT(*) AS copies, COUNTIF(`day` IS NULL) AS null_partition, COUNTIF(`day` > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY)) AS outside
  FROM `shop-prod.freshet_landing.deliveries__414742a8c2b79e48_93ccb6595ee6df3e`
  GROUP BY `id`
);

-- stage inspect
SELECT
  '2026-11-30' AS snapshot,
  CONCAT(
    IF(COUNT(`weight`) = 0, 'weight,', ''),
    IF(COUNT(`distance`) = 0, 'distance,', ''),
    IF(COUNT(`sent`) = 0, 'sent,', ''),
    IF(COUNT(`code`) = 0, 'code,', ''),
    IF(COUNT(`note`) = 0, 'note,', ''),
    IF(COUNT(`seal`) = 0, 'seal,', ''),
    IF(COUNT(`day`) = 0, 'day,', ''),
    IF(COUNT(`at_door`) = 0, 'at_door,', ''),
    IF(COUNT(`seen`) = 0, 'seen,', ''),
    IF(COUNT(`opens`) = 0, 'opens,', ''),
    IF(COUNT(`more`) = 0, 'more,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.deliveries__414742a8c2b79e48_93ccb6595ee6df3e`;

-- stage inspect
SELECT
  '2026-11-30' AS snapshot,
  COUNT(*) AS bad_rows,
  IFNULL(MIN(reason), '') AS first_reason,
  IFNULL(MAX(reason), '') AS last_reason
FROM `shop-prod.freshet_staging.deliveries__quarantine`
WHERE run = '414742a8c2b79e48' AND snapshot = '2026-11-30'
  AND quarantined_at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY);

-- stage append
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_staging.deliveries` (
  `id` INT64,
  `weight` NUMERIC(10, 2),
  `distance` FLOAT64,
  `sent` BOOL,
  `code` STRING(8),
  `note` STRING,
  `seal` BYTES(16),
  `day` DATE,
  `at_door` DATETIME,
  `seen` TIMESTAMP,
  `opens` TIME,
  `more` JSON,
  `delivered` DATE
)
PARTITION BY `day`;

-- stage deduplicate
SELECT `id`, `weight`, `distance`, `sent`, `code`, `note`, `seal`, `day`, `at_door`, `seen`, `opens`, `more`, `delivered`
FROM (
SELECT `id`, `weight`, `distance`, `sent`, `code`, `note`, `seal`, `day`, `at_door`, `seen`, `opens`, `more`, `delivered`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.deliveries`
UNION ALL
SELECT `id`, `weight`, `distance`, `sent`, `code`, `note`, `seal`, `day`, `at_door`, `seen`, `opens`, `more`, `delivered`, 1
FROM `shop-prod.freshet_landing.deliveries__414742a8c2b79e48_93ccb6595ee6df3e`
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `id` ORDER BY `delivered` DESC, `arrival` DESC, `weight` DESC, IFNULL(IS_NAN(`distance`), FALSE), `distance` DESC, `sent` DESC, `code` DESC, `note` DESC, `seal` DESC, `day` DESC, `at_door` DESC, `seen` DESC, `opens` DESC, TO_JSON_STRING(`more`) DESC) = 1;

-- stage restore
SELECT `id`, `weight`, `distance`, `sent`, `code`, `note`, `seal`, `day`, `at_door`, `seen`, `opens`, `more`, `delivered`
FROM `shop-prod.freshet_staging.deliveries`
WHERE FALSE;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.deliveries__414742a8c2b79e48`
CLONE `shop-prod.freshet_staging.deliveries`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.shop.deliveries`
CLONE `shop-prod.freshet_staging.deliveries__414742a8c2b79e48`
OPTIONS(
  expiration_timestamp = NULL,
  labels = [('freshet_feed', 'deliveries'), ('freshet_run', '414742a8c2b79e48')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.deliveries__414742a8c2b79e48_93ccb6595ee6df3e`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.deliveries__414742a8c2b79e48_93ccb6595ee6df3e_raw`;
