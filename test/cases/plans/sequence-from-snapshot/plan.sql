-- stage load
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_landing.cities__d02536d8eac06517_bbfe62b956805288` (
  `country` STRING,
  `admin1` STRING,
  `admin2` STRING,
  `name` STRING,
  `lat` STRING,
  `lng` STRING,
  `snapshot` INT64 DEFAULT 64
);

-- stage load
-- load {"sourceUris":["gs://shop-inbox/_freshet/cities/d02536d8eac06517/64-0.uris"],"fileSetSpecType":"FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST","destinationTable":{"projectId":"shop-prod","datasetId":"freshet_landing","tableId":"cities__d02536d8eac06517_bbfe62b956805288"},"createDisposition":"CREATE_NEVER","writeDisposition":"WRITE_EMPTY","schema":{"fields":[{"name":"country","type":"STRING","mode":"NULLABLE"},{"name":"admin1","type":"STRING","mode":"NULLABLE"},{"name":"admin2","type":"STRING","mode":"NULLABLE"},{"name":"name","type":"STRING","mode":"NULLABLE"},{"name":"lat","type":"STRING","mode":"NULLABLE"},{"name":"lng","type":"STRING","mode":"NULLABLE"}]},"sourceFormat":"NEWLINE_DELIMITED_JSON"}

-- stage inspect
SELECT
  '64' AS snapshot,
  IFNULL(SUM(copies), 0) AS row_count,
  COUNT(*) AS key_count,
  COUNTIF(copies > 1) AS duplicate_keys,
  IFNULL(SUM(IF(`country` IS NULL OR `admin1` IS NULL OR `admin2` IS NULL OR `name` IS NULL OR `lat` IS NULL OR `lng` IS NULL, copies, 0)), 0) AS null_key_rows,
  0 AS null_partition_rows,
  0 AS outside_rows
FROM (
  SELECT `country`, `admin1`, `admin2`, `name`, `lat`, `lng`, COUNT(*) AS copies
  FROM `shop-prod.freshet_landing.cities__d02536d8eac06517_bbfe62b956805288`
  GROUP BY `country`, `admin1`, `admin2`, `name`, `lat`, `lng`
);

-- stage append
CREATE TABLE IF NOT EXISTS `shop-prod.freshet_staging.cities` (
  `country` STRING,
  `admin1` STRING,
  `admin2` STRING,
  `name` STRING,
  `lat` STRING,
  `lng` STRING,
  `snapshot` INT64
);

-- stage deduplicate
SELECT `country`, `admin1`, `admin2`, `name`, `lat`, `lng`, `snapshot`
FROM (
SELECT `country`, `admin1`, `admin2`, `name`, `lat`, `lng`, `snapshot`, 0 AS `arrival`
FROM `shop-prod.freshet_staging.cities`
UNION ALL
SELECT `country`, `admin1`, `admin2`, `name`, `lat`, `lng`, `snapshot`, 1
FROM `shop-prod.freshet_landing.cities__d02536d8eac06517_bbfe62b956805288`
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `country`, `admin1`, `admin2`, `name`, `lat`, `lng` ORDER BY `snapshot` DESC, `arrival` DESC) = 1;

-- stage restore
SELECT `country`, `admin1`, `admin2`, `name`, `lat`, `lng`, `snapshot`
FROM `shop-prod.freshet_staging.cities`
WHERE FALSE;

-- stage save
CREATE SNAPSHOT TABLE IF NOT EXISTS `shop-prod.freshet_staging.cities__d02536d8eac06517`
CLONE `shop-prod.freshet_staging.cities`
OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 7 DAY));

-- stage clone
CREATE OR REPLACE TABLE `shop-prod.geo.cities`
CLONE `shop-prod.freshet_staging.cities__d02536d8eac06517`
OPTIONS(
  expiration_timestamp = NULL,
  labels = [('freshet_feed', 'cities'), ('freshet_run', 'd02536d8eac06517')]
);

-- stage announce
DROP TABLE IF EXISTS `shop-prod.freshet_landing.cities__d02536d8eac06517_bbfe62b956805288`;
