/** What is refused, with its message. */

/** Google's analyzer says the same, place included. */
export const alsoGoogle: readonly (readonly [sql: string, message: string])[] = [
  ['SELECT zz FROM t', 'Unrecognized name: zz at [1:8]'],
  ['SELECT id FROM t\nWHERE\n  zz = 1', 'Unrecognized name: zz at [3:3]'],
  ["SELECT '☃', zz FROM t", 'Unrecognized name: zz at [1:13]'],
  ['SELECT t.zz FROM t', 'Name zz not found inside t'],
  ['SELECT id FROM t, u', 'Column name id is ambiguous at [1:8]'],
  ['SELECT FOO(1)', 'Function not found: FOO at [1:8]'],
  ['SELECT id FROM t WHERE STRPOSS(k) = 1', 'Function not found: STRPOSS'],
  ['SELECT id + k FROM t', 'No matching signature for operator + for argument types: INT64, STRING'],
  ['SELECT id FROM t WHERE k = 1', 'No matching signature for operator = for argument types: STRING, INT64'],
  ['SELECT UPPER(id) FROM t', 'No matching signature for function UPPER for argument types: INT64'],
  ['SELECT SUM(k) FROM t', 'No matching signature for aggregate function SUM for argument types: STRING'],
  ['SELECT CAST(d AS INT64) FROM t', 'Invalid cast from DATE to INT64 at [1:13]'],
  ['SELECT id FROM t WHERE id', 'WHERE clause should return type BOOL, but returns INT64 at [1:24]'],
  [
    'SELECT 1 UNION SELECT 2',
    'Syntax error: Expected keyword ALL or keyword DISTINCT but got keyword SELECT at [1:16]',
  ],
  ['SELECT a b c FROM t', 'Syntax error: Expected end of input but got identifier "c" at [1:12]'],
  ["SELECT 'abc", 'Syntax error: Unclosed string literal at [1:8]'],
  [
    'SELECT ROW_NUMBER() FROM t',
    'Analytic function ROW_NUMBER cannot be called without an OVER clause at [1:8]',
  ],
  ['SELECT FROM t', 'Syntax error: SELECT list must not be empty at [1:8]'],
  ['SELECT @zz', "Query parameter 'zz' not found at [1:8]"],
  [
    'SELECT (SELECT 1, 2)',
    'Scalar subquery cannot have more than one column unless using SELECT AS STRUCT to build STRUCT values at [1:8]',
  ],
  ["SELECT [1, 'a']", 'Array elements of types {INT64, STRING} do not have a common supertype at [1:8]'],
  ['SELECT id FROM t ORDER BY 5', 'ORDER BY is out of SELECT column number range: 5 at [1:27]'],
  ['SELECT DATE_TRUNC(d, HOUR) FROM t', 'DATE_TRUNC does not support the HOUR date part at [1:8]'],
  ['SELECT t.id FROM t JOIN u', 'INNER JOIN must have an immediately following ON or USING clause at [1:20]'],
  ['SELECT 1 LIMIT -1', 'Syntax error: Unexpected "-" at [1:16]'],
  ['SELECT * FROM t AS a, u AS a', 'Duplicate table alias a in the same FROM clause'],
]

/** Google's evaluator fails with the same words when the query runs. */
export const atRunTime: readonly (readonly [sql: string, message: string])[] = [
  ['SELECT 1 / 0', 'division by zero: 1 / 0'],
  ['SELECT n / 0 FROM t WHERE id = 1', 'division by zero: 1.5 / 0'],
  ['SELECT MOD(1, 0)', 'division by zero: MOD(1, 0)'],
  ['SELECT DIV(1, 0)', 'division by zero: 1 / 0'],
  ['SELECT 9223372036854775807 + 1', 'int64 overflow: 9223372036854775807 + 1'],
  ['SELECT 9223372036854775807 * 2', 'int64 overflow: 9223372036854775807 * 2'],
  ['SELECT SUM(x) FROM UNNEST([9223372036854775807, 1]) AS x', 'int64 overflow'],
  ["SELECT CAST('x' AS INT64)", 'Bad int64 value: x'],
  ["SELECT CAST('1.5' AS INT64)", 'Bad int64 value: 1.5'],
  ["SELECT CAST('x' AS BOOL)", 'Bad bool value: x'],
  ["SELECT CAST('2020-13-01' AS DATE)", "Invalid date: '2020-13-01'"],
  ["SELECT CAST(k AS TIMESTAMP) FROM t WHERE k = 'a'", "Invalid timestamp: 'a'"],
  ['SELECT [1][OFFSET(5)]', 'Array index 5 is out of bounds'],
  ["SELECT SUBSTR('a', 1, -1)", 'Third argument in SUBSTR() cannot be negative'],
  ["SELECT ERROR('boo')", 'boo'],
]

/** Valid in BigQuery, but not served here; or worded in another way than the analyzer's. */
export const onlyHere: readonly (readonly [sql: string, message: string])[] = [
  [
    'SELECT k, id FROM t GROUP BY k',
    'SELECT list expression references column id which is neither grouped nor aggregated',
  ],
  ['SELECT COUNT(*) FROM t WHERE COUNT(*) > 1', 'Aggregate function not allowed in WHERE clause'],
  ['SELECT SUM(SUM(id)) FROM t', 'Aggregations of aggregations are not allowed'],
  ['SELECT (SELECT id FROM t)', 'Scalar subquery produced more than one element'],
  ['SELECT id FROM t QUALIFY id = 1', 'The QUALIFY clause requires analytic function to be present'],
  ['SELECT * FROM nope', 'Not found: Table nope'],
  ['SELECT 1 AS a, 2 AS A', 'Duplicate column names in the result are not supported. Found duplicate(s): A'],
  ['SELECT 1 +', 'Syntax error: Unexpected end of script at [1:11]'],
  ['', 'Syntax error: Unexpected end of script at [1:1]'],
  ['SELECT $1', 'Syntax error: Illegal input character "$" at [1:8]'],
  [
    'SELECT FORMAT("%d", 1)',
    'Format %d is not supported by FORMAT in the local BigQuery; served are those such as %.14e and %.2f at [1:8]',
  ],
  ['SELECT APPROX_TOP_SUM(id) FROM t', 'Function not found: APPROX_TOP_SUM at [1:8]'],
  ['SELECT ST_GEOGPOINT(1, 2)', 'Function not found: ST_GEOGPOINT at [1:8]'],
  [
    "SELECT BIGNUMERIC '1' * 2",
    'No matching signature for operator * for argument types: BIGNUMERIC, INT64 at [1:8]',
  ],
  [
    'SELECT CAST(1 AS BIGNUMERIC(5, 2))',
    'BIGNUMERIC with a precision is not supported by the local BigQuery',
  ],
  [
    "SELECT CAST(d AS STRING FORMAT 'YYYY') FROM t",
    'CAST with FORMAT is not supported by the local BigQuery at [1:25]',
  ],
  [
    'SELECT * FROM (SELECT 1) TABLESAMPLE SYSTEM (10 PERCENT)',
    'TABLESAMPLE is not supported by the local BigQuery at [1:15]',
  ],
  ["SELECT * FROM t PIVOT(SUM(id) FOR k IN ('a'))", 'PIVOT is not supported by the local BigQuery at [1:15]'],
  [
    'SELECT k, COUNT(*) FROM t GROUP BY GROUPING SETS (k)',
    'GROUPING SETS is not supported by the local BigQuery at [1:36]',
  ],
  ['FROM t |> WHERE id = 1', 'Pipe syntax is not supported by the local BigQuery at [1:1]'],
  ['SELECT 1 |> WHERE TRUE', 'Pipe syntax is not supported by the local BigQuery at [1:10]'],
  ["SELECT k LIKE ANY ('a', 'b') FROM t", 'LIKE ANY is not supported by the local BigQuery at [1:15]'],
  ['SELECT @@time_zone', 'System variable @@time_zone is not supported by the local BigQuery at [1:8]'],
  ['SELECT * FROM t NATURAL JOIN u', 'NATURAL JOIN is not supported by the local BigQuery at [1:17]'],
  [
    'SELECT 1 FROM t UNION ALL SELECT 2 UNION DISTINCT SELECT 3',
    'Mixing set operations without parentheses is not supported by the local BigQuery at [1:36]',
  ],
  ['SELECT * FROM f(1)', 'A table function is not supported by the local BigQuery at [1:16]'],
  ["SELECT REGEXP_CONTAINS(k, r'(?=a)') FROM t", 'invalid perl operator: (?='],
  [
    'SELECT REGEXP_EXTRACT(k, k) FROM t',
    'A regular expression that is not a string literal is not supported by the local BigQuery at [1:26]',
  ],
  [
    "SELECT REGEXP_EXTRACT(k, 'a', 2) FROM t",
    'REGEXP_EXTRACT with a position or occurrence is not supported by the local BigQuery at [1:8]',
  ],
  [
    "SELECT FORMAT_DATE('%Q', d) FROM t",
    'Format element %Q is not supported by FORMAT_DATE in the local BigQuery at [1:8]',
  ],
  [
    'SELECT JSON_VALUE(k, "$[\'a\']") FROM t',
    "JSON path $['a'] is not supported by the local BigQuery at [1:22]",
  ],
  [
    'SELECT SAFE.SUBSTR(k, 1, -1) FROM t',
    'SAFE.SUBSTR of these arguments is not supported by the local BigQuery at [1:8]',
  ],
  ["SELECT INTERVAL '1-2' DAY TO SECOND", "Invalid INTERVAL value '1-2' for DAY TO SECOND at [1:8]"],
  [
    'SELECT id FROM t FOR SYSTEM_TIME AS OF TIMESTAMP(k)',
    'This FOR SYSTEM_TIME AS OF expression is not supported by the local BigQuery at [1:40]',
  ],
  ["SELECT PARSE_JSON('{}').a", 'Cannot access field a on a value with type JSON at [1:24]'],
  [
    'SELECT COUNT(DISTINCT id, k) FROM t',
    'No matching signature for aggregate function COUNT for argument types: INT64, STRING at [1:8]',
  ],
  ['DECLARE x INT64', 'Statement DECLARE is not supported by the local BigQuery at [1:1]'],
  ['SET x = 1', 'Statement SET is not supported by the local BigQuery at [1:1]'],
  ['CALL p(1)', 'Statement CALL is not supported by the local BigQuery at [1:1]'],
  ["EXECUTE IMMEDIATE 'SELECT 1'", 'Statement EXECUTE is not supported by the local BigQuery at [1:1]'],
  [
    'EXPORT DATA OPTIONS(uri="x") AS SELECT 1',
    'Statement EXPORT is not supported by the local BigQuery at [1:1]',
  ],
  ['CREATE FUNCTION f() AS (1)', 'CREATE FUNCTION is not supported by the local BigQuery at [1:1]'],
  ['CREATE TEMP TABLE x AS SELECT 1', 'CREATE TEMP is not supported by the local BigQuery at [1:1]'],
  [
    'CREATE MATERIALIZED VIEW v AS SELECT 1',
    'CREATE MATERIALIZED is not supported by the local BigQuery at [1:1]',
  ],
  ['DROP FUNCTION f', 'DROP FUNCTION is not supported by the local BigQuery at [1:1]'],
  ['ALTER VIEW v SET OPTIONS()', 'ALTER VIEW is not supported by the local BigQuery at [1:1]'],
  [
    'ALTER TABLE t ALTER COLUMN a SET DATA TYPE STRING',
    'ALTER COLUMN … SET DATA is not supported by the local BigQuery at [1:30]',
  ],
  [
    'CREATE TABLE x (a INT64, PRIMARY KEY (a))',
    'Enforced primary key is not supported; use NOT ENFORCED at [1:41]',
  ],
  [
    'CREATE TABLE x (a INT64) PARTITION BY MOD(a, 2)',
    'PARTITION BY expression must be DATE(<timestamp_column>)',
  ],
  [
    'CREATE TABLE x (a INT64) CLUSTER BY a, b, c, d, e',
    'The maximum allowed number of clustering columns is 4 at [1:37]',
  ],
  ['CREATE TABLE x (a WRONG)', 'Type not found: WRONG at [1:19]'],
  ['BEGIN SELECT 1; END', 'A BEGIN … END block is not supported by the local BigQuery at [1:7]'],
]
