-- stage deduplicate
BEGIN TRANSACTION;

DELETE FROM `shop-prod.freshet_staging.sales`
WHERE ((`day` >= DATE '2026-09-01' AND `day` < DATE '2026-12-01') OR `day` IS NULL);

INSERT INTO `shop-prod.freshet_staging.sales` (`day`, `shop`, `sold`, `batch`)
(
SELECT `day`, `shop`, `sold`, `batch`
FROM `shop-prod.freshet_landing.sales__fa7835a00a7d5423_7d70432a4276451c`
WHERE (`day` >= DATE '2026-09-01' AND `day` < DATE '2026-10-01')
)
UNION ALL
(
SELECT `day`, `shop`, `sold`, `batch`
FROM `shop-prod.freshet_landing.sales__fa7835a00a7d5423_bb1de3879fc3904d`
WHERE ((`day` >= DATE '2026-10-01' AND `day` < DATE '2026-12-01') OR `day` IS NULL)
);

COMMIT TRANSACTION;
