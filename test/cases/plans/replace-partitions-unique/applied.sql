-- stage deduplicate
BEGIN TRANSACTION;

DELETE FROM `shop-prod.freshet_staging.sales`
WHERE (`day` >= DATE '2026-11-01' AND `day` < DATE '2026-12-01');

INSERT INTO `shop-prod.freshet_staging.sales` (`day`, `shop`, `sold`, `batch`)
SELECT `day`, `shop`, `sold`, `batch`
FROM (
SELECT `day`, `shop`, `sold`, `batch`, 0 AS `arrival`
FROM `shop-prod.freshet_landing.sales__127d2c2ca55f2455_bb1de3879fc3904d`
WHERE (`day` >= DATE '2026-11-01' AND `day` < DATE '2026-12-01')
)
QUALIFY ROW_NUMBER() OVER (PARTITION BY `day`, `shop` ORDER BY `batch` DESC, `arrival` DESC, `sold` DESC) = 1;

COMMIT TRANSACTION;
