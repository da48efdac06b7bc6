/** The words that can't be used as names without backticks. */

// https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#reserved_keywords
const reserved = `ALL AND ANY ARRAY AS ASC ASSERT_ROWS_MODIFIED AT BETWEEN BY CASE CAST COLLATE CONTAINS CREATE CROSS
CUBE CURRENT DEFAULT DEFINE DESC DISTINCT ELSE END ENUM ESCAPE EXCEPT EXCLUDE EXISTS EXTRACT FALSE FETCH FOLLOWING FOR
FROM FULL GROUP GROUPING GROUPS HASH HAVING IF IGNORE IN INNER INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT
LOOKUP MERGE NATURAL NEW NO NOT NULL NULLS OF ON OR ORDER OUTER OVER PARTITION PRECEDING PROTO QUALIFY RANGE RECURSIVE
RESPECT RIGHT ROLLUP ROWS SELECT SET SOME STRUCT TABLESAMPLE THEN TO TREAT TRUE UNBOUNDED UNION UNNEST USING WHEN WHERE
WINDOW WITH WITHIN`

const words: ReadonlySet<string> = new Set(reserved.split(/\s+/))

export function isReserved(upper: string): boolean {
  return words.has(upper)
}

/** Functions that may be called without parentheses. */
export const bareFunctions: ReadonlySet<string> = new Set([
  'CURRENT_DATE',
  'CURRENT_DATETIME',
  'CURRENT_TIME',
  'CURRENT_TIMESTAMP',
])
