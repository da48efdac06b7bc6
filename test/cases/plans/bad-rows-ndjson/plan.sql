-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.visits__7ba302569761e3cb_266aa5886067fbbc` (
  `id` STRING,
  `seen` TIMESTAMP,
  `known` BOOL,
  `pages` INT64,
  `more` JSON
);

-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.visits__7ba302569761e3cb_266aa5886067fbbc_raw` (
  `id` STRING,
  `seen` STRING,
  `known` STRING,
  `pages` STRING,
  `more` JSON
);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/visits/7ba302569761e3cb/7-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"visits__7ba302569761e3cb_266aa5886067fbbc_raw"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"id","type":"STRING","mode":"NULLABLE"},{"name":"seen","type":"STRING","mode":"NULLABLE"},{"name":"known","type":"STRING","mode":"NULLABLE"},{"name":"pages","type":"STRING","mode":"NULLABLE"},{"name":"more","type":"JSON","mode":"NULLABLE"}]},"maxBadRecords":2147483647,"sourceFormat":"NEWLINE_DELIMITED_JSON"}

-- stage load
INSERT INTO `shop-prod.freshet_landing.visits__7ba302569761e3cb_266aa5886067fbbc` (`id`, `seen`, `known`, `pages`, `more`)
SELECT
  `id`,
  IFNULL(SAFE_CAST(`seen` AS TIMESTAMP), IF(SAFE_CAST(`seen` AS FLOAT64) >= -62135596800 AND SAFE_CAST(`seen` AS FLOAT64) < 253402300800, TIMESTAMP_MICROS(SAFE_CAST(SAFE_CAST(`seen` AS FLOAT64) * 1000000 AS INT64)), NULL)),
  CASE WHEN LOWER(`known`) IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN LOWER(`known`) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END,
  SAFE_CAST(`pages` AS INT64),
  `more`
FROM `shop-prod.freshet_landing.visits__7ba302569761e3cb_266aa5886067fbbc_raw`
WHERE NOT (
  (`seen` IS NOT NULL AND IFNULL(SAFE_CAST(`seen` AS TIMESTAMP), IF(SAFE_CAST(`seen` AS FLOAT64) >= -62135596800 AND SAFE_CAST(`seen` AS FLOAT64) < 253402300800, TIMESTAMP_MICROS(SAFE_CAST(SAFE_CAST(`seen` AS FLOAT64) * 1000000 AS INT64)), NULL)) IS NULL)
  OR (`known` IS NOT NULL AND CASE WHEN LOWER(`known`) IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN LOWER(`known`) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END IS NULL)
  OR (`pages` IS NOT NULL AND SAFE_CAST(`pages` AS INT64) IS NULL)
);

-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_staging.visits__quarantine` (
  run STRING,
  snapshot STRING,
  row_text STRING,
  reason STRING,
  quarantined_at TIMESTAMP
)
PARTITION BY DATE(quarantined_at)
OPTIONS(partition_expiration_days = 90);

-- stage load
INSERT INTO `shop-prod.freshet_staging.visits__quarantine` (run, snapshot, row_text, reason, quarantined_at)
SELECT
  '7ba302569761e3cb',
  '7',
  TO_JSON_STRING(STRUCT(`id`, `seen`, `known`, `pages`, `more`)),
  CASE
    WHEN `seen` IS NOT NULL AND IFNULL(SAFE_CAST(`seen` AS TIMESTAMP), IF(SAFE_CAST(`seen` AS FLOAT64) >= -62135596800 AND SAFE_CAST(`seen` AS FLOAT64) < 253402300800, TIMESTAMP_MICROS(SAFE_CAST(SAFE_CAST(`seen` AS FLOAT64) * 1000000 AS INT64)), NULL)) IS NULL THEN CONCAT('seen is no TIMESTAMP: ', SUBSTR(`seen`, 1, 80))
    WHEN `known` IS NOT NULL AND CASE WHEN LOWER(`known`) IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN LOWER(`known`) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END IS NULL THEN CONCAT('known is no BOOL: ', SUBSTR(`known`, 1, 80))
    WHEN `pages` IS NOT NULL AND SAFE_CAST(`pages` AS INT64) IS NULL THEN CONCAT('pages is no INT64: ', SUBSTR(`pages`, 1, 80))
  END,
  CURRENT_TIMESTAMP()
FROM `shop-prod.freshet_landing.visits__7ba302569761e3cb_266aa5886067fbbc_raw`
WHERE (`seen` IS NOT NULL AND IFNULL(SAFE_CAST(`seen` AS TIMESTAMP), IF(SAFE_CAST(`seen` AS FLOAT64) >= -62135596800 AND SAFE_CAST(`seen` AS FLOAT64) < 253402300800, TIMESTAMP_MICROS(SAFE_CAST(SAFE_CAST(`seen` AS FLOAT64) * 1000000 AS INT64)), NULL)) IS NULL)
  OR (`known` IS NOT NULL AND CASE WHEN LOWER(`known`) IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN LOWER(`known`) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END IS NULL)
  OR (`pages` IS NOT NULL AND SAFE_CAST(`pages` AS INT64) IS NULL);

-- stage inspect
SELECT
  '7' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`id` IS NULL, copies, 0)), 0) AS null_key_rows,
  0 AS null_partition_rows,
  0 AS outside_rows
FROM (
  SELECT `id`, COUNT(*) AS copies
  FROM `shop-prod.freshet_landing.visits__7ba302569761e3cb_266aa5886067fbbc`
  GROUP BY `id`
);

-- stage inspect
SELECT
  '7' AS snapshot,
  CONCAT(
    IF(COUNT(`seen`) = 0, 'seen,', ''),
    IF(COUNT(`known`) = 0, 'known,', ''),
    IF(COUNT(`pages`) = 0, 'pages,', ''),
    IF(COUNT(`more`) = 0, 'more,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.visits__7ba302569761e3cb_266aa5886067fbbc`;

-- stage inspect
SELECT
  '7' AS snapshot,
  COUNT(*) AS bad_rows,
  IFNULL(MIN(reason), '') AS first_reason,
  IFNULL(MAX(reason), '') AS last_reason
FROM `shop-prod.freshet_staging.visits__quarantine`
WHERE run = '7ba302569761e3cb' AND snapshot = '7'
  AND quarantined_at >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY);

-- stage append
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_staging.visits` (
  `id` STRING,
  `seen` TIMESTAMP,
  `known` BOOL,
  `pages` INT64,
  `more` JSON
);

-- stage deduplicate
SELECT `id`, `seen`, `known`, `pages`, `more`
FROM (
SELECT `id`, `seen`, `known`, `pages`, `more`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.visits`
UNION ALL
SELECT `id`, `seen`, `known`, `pages`, `more`, 1
FROM `shop-prod.freshet_landing.visits__7ba302569761e3cb_266aa5886067fbbc`
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `id` ORDER BY `seen` DESC, `arrival` DESC, `known` DESC, `pages` DESC, TO_JSON_STRING(`more`) DESC) = 1;

-- stage restore
SELECT `id`, `seen`, `known`, `pages`, `more`
FROM `shop-prod.freshet_staging.visits`
WHERE FALSE;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.visits__7ba302569761e3cb`
CLONE `shop-prod.freshet_staging.visits`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.web.visits`
CLONE `shop-prod.freshet_staging.visits__7ba302569761e3cb`
OPTIONS(
  expiration_timestamp = NULL,
  labels = [('freshet_feed', 'visits'), ('freshet_run', '7ba302569761e3cb')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.visits__7ba302569761e3cb_266aa5886067fbbc`;

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.visits__7ba302569761e3cb_266aa5886067fbbc_raw`;
