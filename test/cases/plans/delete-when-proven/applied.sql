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
FROM `shop-prod.freshet_landing.users__2afe84ed15908796_cc11310c456c3690`
WHERE NOT IFNULL(`gone` IN (TRUE), FALSE)
UNION ALL
SELECT `older`.`id`, `older`.`mail`, `older`.`gone`, `older`.`delivery`
FROM (
SELECT `id`, `mail`, `gone`, `delivery`
FROM `shop-prod.freshet_staging.users`
) AS `older`
LEFT JOIN (
SELECT `id`
FROM `shop-prod.freshet_landing.users__2afe84ed15908796_cc11310c456c3690`
) AS `newer`
ON `newer`.`id` = `older`.`id`
WHERE `newer`.`id` IS NULL;
