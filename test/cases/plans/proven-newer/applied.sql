-- stage deduplicate
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM `shop-prod.freshet_landing.store_attributes__c1355f77c9489e7e_cc11310c456c3690`
UNION ALL
SELECT `older`.`date`, `older`.`product_id`, `older`.`attr_value`, `older`.`update_id`
FROM (
SELECT `date`, `product_id`, `attr_value`, `update_id`
FROM `shop-prod.freshet_staging.store_attributes`
) AS `older`
LEFT JOIN (
SELECT `date`, `product_id`
FROM `shop-prod.freshet_landing.store_attributes__c1355f77c9489e7e_cc11310c456c3690`
) AS `newer`
ON `newer`.`date` = `older`.`date` AND `newer`.`product_id` = `older`.`product_id`
WHERE `newer`.`date` IS NULL;
