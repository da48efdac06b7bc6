-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.users__2afe84ed15908796_cc11310c456c3690` (
  `id` INT64,
  `mail` STRING,
  `gone` BOOL,
  `delivery` INT64 DEFAULT 2
);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/users/2afe84ed15908796/2-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"users__2afe84ed15908796_cc11310c456c3690"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"id","type":"INT64","mode":"NULLABLE"},{"name":"mail","type":"STRING","mode":"NULLABLE"},{"name":"gone","type":"BOOL","mode":"NULLABLE"}]},"sourceFormat":"NEWLINE_DELIMITED_JSON"}

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
  SELECT `id`, COUNT(*) AS copies, COUNTIF(IFNULL(`gone` IN (TRUE), FALSE)) AS deletes
  FROM `shop-prod.freshet_landing.users__2afe84ed15908796_cc11310c456c3690`
  GROUP BY `id`
);

-- stage inspect
SELECT
  '2' AS snapshot,
  CONCAT(
    IF(COUNT(`mail`) = 0, 'mail,', ''),
    IF(COUNT(`gone`) = 0, 'gone,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.users__2afe84ed15908796_cc11310c456c3690`;

-- stage append
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_staging.users__tombstones` (
  `id` INT64,
  `delivery` INT64
);

-- stage append
ALTER TABLE `shop-prod.freshet_staging.users__tombstones`
  ADD COLUMN IF NOT EXISTS `id` INT64,
  ADD COLUMN IF NOT EXISTS `delivery` INT64;

-- stage deduplicate
SELECT `id`, `delivery`
FROM (
SELECT `id`, `delivery`, TRUE AS `gone`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.users__tombstones`
UNION ALL
SELECT `id`, `delivery`, `gone`, 1
FROM `shop-prod.freshet_landing.users__2afe84ed15908796_cc11310c456c3690`
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `id` ORDER BY `delivery` DESC, `arrival` DESC, IFNULL(`gone` IN (TRUE), FALSE) DESC) = 1 AND IFNULL(`gone` IN (TRUE), FALSE);

-- stage deduplicate
SELECT `id`, `mail`, `gone`, `delivery`
FROM (
SELECT `id`, `mail`, `gone`, `delivery`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.users`
UNION ALL
SELECT `id`, CAST(NULL AS STRING), TRUE, `delivery`, 1
FROM `shop-prod.freshet_staging.users__tombstones`
UNION ALL
SELECT `id`, `mail`, `gone`, `delivery`, 2
FROM `shop-prod.freshet_landing.users__2afe84ed15908796_cc11310c456c3690`
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `id` ORDER BY `delivery` DESC, `arrival` DESC, IFNULL(`gone` IN (TRUE), FALSE) DESC, `mail` DESC, `gone` DESC) = 1 AND NOT IFNULL(`gone` IN (TRUE), FALSE);

-- stage restore
SELECT `id`, `mail`, `gone`, `delivery`
FROM `shop-prod.freshet_staging.users__00000000000000aa`;

-- stage restore
SELECT `id`, `delivery`
FROM `shop-prod.freshet_staging.users__tombstones`
WHERE FALSE;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.users__2afe84ed15908796_tombstones`
CLONE `shop-prod.freshet_staging.users__tombstones`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.users__2afe84ed15908796`
CLONE `shop-prod.freshet_staging.users`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.crm.users`
CLONE `shop-prod.freshet_staging.users__2afe84ed15908796`
OPTIONS(
  expiration_timestamp = NULL,
  labels = [('freshet_feed', 'users'), ('freshet_run', '2afe84ed15908796')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.users__2afe84ed15908796_cc11310c456c3690`;
