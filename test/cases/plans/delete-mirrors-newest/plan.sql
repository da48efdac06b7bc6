-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.odd__3d53db445d3ba236_93ccb6595ee6df3e` (
  `order` INT64,
  `group by` STRING(20),
  `größe` NUMERIC(10, 2),
  `日本` FLOAT64,
  `when` TIMESTAMP,
  `payload` JSON,
  `SELECT` DATE DEFAULT DATE '2026-11-30'
)
PARTITION BY TIMESTAMP_TRUNC(`when`, MONTH)
CLUSTER BY `group by`;

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/odd/3d53db445d3ba236/2026-11-30-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"odd__3d53db445d3ba236_93ccb6595ee6df3e"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"order","type":"INT64","mode":"NULLABLE"},{"name":"group by","type":"STRING","mode":"NULLABLE","maxLength":"20"},{"name":"größe","type":"NUMERIC","mode":"NULLABLE","precision":"10","scale":"2"},{"name":"日本","type":"FLOAT64","mode":"NULLABLE"},{"name":"when","type":"TIMESTAMP","mode":"NULLABLE"},{"name":"payload","type":"JSON","mode":"NULLABLE"}]},"sourceFormat":"CSV","skipLeadingRows":1,"fieldDelimiter":";","allowQuotedNewlines":true,"nullMarker":"NULL"}

-- stage inspect
SELECT
  '2026-11-30' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`order` IS NULL OR `when` IS NULL, copies, 0)), 0) AS null_key_rows,
  IFNULL(SUM(IF(`when` IS NULL, copies, 0)), 0) AS null_partition_rows,
  IFNULL(SUM(IF(DATE(`when`) > DATE_ADD(CURRENT_DATE(), INTERVAL 366 DAY), copies, 0)), 0) AS outside_rows
FROM (
  SELECT `order`, `when`, COUNT(*) AS copies
  FROM `shop-prod.freshet_landing.odd__3d53db445d3ba236_93ccb6595ee6df3e`
  GROUP BY `order`, `when`
);

-- stage inspect
SELECT
  '2026-11-30' AS snapshot,
  CONCAT(
    IF(COUNT(`group by`) = 0, 'group by,', ''),
    IF(COUNT(`größe`) = 0, 'größe,', ''),
    IF(COUNT(`日本`) = 0, '日本,', ''),
    IF(COUNT(`payload`) = 0, 'payload,', '')
  ) AS empty_columns
FROM `shop-prod.freshet_landing.odd__3d53db445d3ba236_93ccb6595ee6df3e`;

-- stage append
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_staging.odd` (
  `order` INT64,
  `group by` STRING(20) OPTIONS(description = 'it\'s a \\ "name"'),
  `größe` NUMERIC(10, 2),
  `日本` FLOAT64,
  `when` TIMESTAMP,
  `payload` JSON,
  `SELECT` DATE
)
PARTITION BY TIMESTAMP_TRUNC(`when`, MONTH)
CLUSTER BY `group by`;

-- stage deduplicate
SELECT `order`, `group by`, `größe`, `日本`, `when`, `payload`, `SELECT`
FROM `shop-prod.freshet_landing.odd__3d53db445d3ba236_93ccb6595ee6df3e`
QUALIFY ROW_NUMBER() OVER (PARTITION BY `order`, `when` ORDER BY `SELECT` DESC, `group by` DESC, `größe` DESC, IFNULL(IS_NAN(`日本`), FALSE), `日本` DESC, TO_JSON_STRING(`payload`) DESC) = 1;

-- stage restore
SELECT `order`, `group by`, `größe`, `日本`, `when`, `payload`, `SELECT`
FROM `shop-prod.freshet_staging.odd`
WHERE FALSE;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.odd__3d53db445d3ba236`
CLONE `shop-prod.freshet_staging.odd`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.odd.select`
CLONE `shop-prod.freshet_staging.odd__3d53db445d3ba236`
OPTIONS(
  expiration_timestamp = NULL,
  labels = [('freshet_feed', 'odd'), ('freshet_run', '3d53db445d3ba236')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.odd__3d53db445d3ba236_93ccb6595ee6df3e`;
