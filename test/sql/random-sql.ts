/** Random small tables and random queries over them, each with a total order wherever order matters. */
import fc from 'fast-check'
import { scalar } from '../../local/bigquery/sql/type.ts'
import type { OracleTable } from '../support/googlesql.ts'
import type { Cell } from '../support/googlesql-value.ts'

export interface Case {
  readonly table: OracleTable
  readonly sql: string
}

const texts = ['', 'a', 'A', 'b', 'ab', ' ', 'é', '☃', '𝒳', "'", '"', '\\', '%', '0', 'null']
const orNull = (value: fc.Arbitrary<Cell>) => fc.option(value, { nil: null, freq: 4 })
const row = fc.tuple(
  orNull(fc.bigInt(-3n, 3n)),
  orNull(fc.constantFrom(...texts)),
  orNull(fc.constantFrom('2020-01-01', '2020-02-29', '1999-12-31', '2024-12-30')),
  orNull(fc.constantFrom(0.5, -1, 2, 1e10, Number.POSITIVE_INFINITY)),
  orNull(fc.boolean()),
)
const columns = [
  { name: 'i', type: scalar('INT64') },
  { name: 's', type: scalar('STRING') },
  { name: 'd', type: scalar('DATE') },
  { name: 'f', type: scalar('FLOAT64') },
  { name: 'b', type: scalar('BOOL') },
  { name: 'id', type: scalar('INT64') },
]
const table = fc
  .array(row, { maxLength: 12 })
  .map((rows): OracleTable => ({ name: 'r', columns, rows: rows.map((cells, id) => [...cells, BigInt(id)]) }))

const value: Readonly<Record<string, fc.Arbitrary<string>>> = {
  i: fc.constantFrom(
    'i',
    'i + 1',
    '-i',
    'i * i',
    'ABS(i)',
    'IFNULL(i, 0)',
    'LENGTH(s)',
    'EXTRACT(MONTH FROM d)',
    'MOD(i, 2)',
    '2',
    'NULLIF(i, 1)',
    'DIV(i, 2)',
  ),
  s: fc.constantFrom(
    's',
    'UPPER(s)',
    "s || 'x'",
    "COALESCE(s, 'n')",
    'SUBSTR(s, 2)',
    "'a'",
    'CAST(i AS STRING)',
    'REVERSE(s)',
    'TRIM(s)',
    "IF(b, s, 'z')",
  ),
  d: fc.constantFrom(
    'd',
    'DATE_TRUNC(d, MONTH)',
    'DATE_ADD(d, INTERVAL i DAY)',
    "DATE '2020-01-01'",
    'DATE_TRUNC(d, WEEK)',
    'LAST_DAY(d)',
  ),
  f: fc.constantFrom('f', 'f * 2', 'i / 2', 'CAST(i AS FLOAT64)', 'ROUND(f)', '0.5', 'SAFE_DIVIDE(f, i)'),
}
const compared = fc.constantFrom('=', '!=', '<', '<=', '>', '>=', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM')
const side = (kind: string) => value[kind] ?? fc.constant('NULL')
const comparison = fc
  .constantFrom('i', 's', 'd', 'f')
  .chain(kind => fc.tuple(side(kind), compared, side(kind)).map(([a, op, b]) => `${a} ${op} ${b}`))
const simple = fc.oneof(
  comparison,
  fc.constantFrom(
    'b',
    'i IN (1, 2, NULL)',
    'i NOT IN (0, 3)',
    "s LIKE '%a%'",
    's IS NULL',
    'b IS NOT TRUE',
    'i BETWEEN -1 AND 2',
    "d > '2020-01-01'",
    's IN (SELECT s FROM r WHERE b)',
    'EXISTS (SELECT 1 FROM r AS q WHERE q.i = r.i AND q.id > r.id)',
  ),
)
const condition = fc.oneof(
  simple,
  fc.tuple(simple, fc.constantFrom('AND', 'OR'), simple).map(([a, op, b]) => `(${a}) ${op} (${b})`),
  simple.map(a => `NOT (${a})`),
)
const any = fc.oneof(side('i'), side('s'), side('d'), side('f'))
const aggregate = fc.constantFrom(
  'COUNT(*)',
  'SUM(i)',
  'COUNT(DISTINCT s)',
  'MIN(s)',
  'MAX(d)',
  'MIN(i)',
  'COUNTIF(b)',
  'LOGICAL_OR(b)',
  'AVG(i)',
  "STRING_AGG(s, '|' ORDER BY id)",
  'ARRAY_AGG(i IGNORE NULLS ORDER BY id)',
  'BIT_XOR(i)',
  'COUNT(f)',
  'MAX(f)',
)
const window = fc
  .tuple(
    fc.constantFrom(
      'ROW_NUMBER()',
      'SUM(i)',
      'LAG(s)',
      'FIRST_VALUE(s)',
      'COUNT(*)',
      'LEAD(i, 1, 0)',
      'MAX(d)',
      'DENSE_RANK()',
    ),
    fc.subarray(['i', 's', 'd', 'b', 'MOD(i, 2)']),
    fc.constantFrom('i', 's DESC', 'd', 'f DESC', 'b', 's NULLS LAST', 'i DESC NULLS FIRST'),
  )
  .map(
    ([f, keys, order]) =>
      `${f} OVER (${keys.length ? `PARTITION BY ${keys.join(', ')} ` : ''}ORDER BY ${order}, id)`,
  )

const where = fc
  .option(condition, { nil: undefined })
  .map(text => (text === undefined ? '' : ` WHERE ${text}`))
const query = fc.oneof(
  fc
    .tuple(fc.array(any, { minLength: 1, maxLength: 3 }), where)
    .map(([items, w]) => `SELECT ${items.map((e, n) => `${e} AS c${n}`).join(', ')} FROM r${w}`),
  fc
    .tuple(
      fc.array(any, { minLength: 1, maxLength: 2 }),
      fc.array(aggregate, { minLength: 1, maxLength: 3 }),
      where,
    )
    .map(
      ([keys, sums, w]) =>
        `SELECT ${[...keys, ...sums].map((e, n) => `${e} AS c${n}`).join(', ')} FROM r${w} GROUP BY ${keys.map((_, n) => n + 1).join(', ')}`,
    ),
  fc
    .tuple(fc.array(aggregate, { minLength: 1, maxLength: 3 }), where)
    .map(([sums, w]) => `SELECT ${sums.map((e, n) => `${e} AS c${n}`).join(', ')} FROM r${w}`),
  fc.tuple(window, where).map(([w, text]) => `SELECT id, ${w} AS w FROM r${text}`),
  fc
    .tuple(fc.subarray(['i', 's', 'd', 'b'], { minLength: 1 }), where)
    .map(
      ([keys, w]) =>
        `SELECT * FROM r${w || ' WHERE TRUE'} QUALIFY ROW_NUMBER() OVER (PARTITION BY ${keys.join(', ')} ORDER BY f DESC, id) = 1`,
    ),
  fc
    .tuple(fc.constantFrom('JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN'), fc.constantFrom('i', 's', 'd'))
    .map(
      ([join, key]) =>
        `SELECT a.id AS a, b.id AS b FROM r AS a ${join} r AS b ON a.${key} = b.${key} AND a.id < b.id`,
    ),
  fc
    .tuple(
      fc.constantFrom('UNION ALL', 'UNION DISTINCT', 'INTERSECT DISTINCT', 'EXCEPT DISTINCT'),
      where,
      where,
    )
    .map(([op, x, y]) => `SELECT i, s FROM r${x} ${op} SELECT i, s FROM r${y}`),
)

export const randomCase: fc.Arbitrary<Case> = fc.record({ table, sql: query })
