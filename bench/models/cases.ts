/** The models that the bench compares: a feed for Freshet, and statements by hand that do the same. */

const KEY = 'date, product_id, store_id, attribute_id'
const COLUMNS = `${KEY}, attr_value, update_id`

export interface ModelCase {
  readonly name: string
  readonly model: string
  /** DuckDB: what landed is in `landing`; the count first, as Freshet's inspection does. */
  readonly byHand: readonly string[]
  /** A column for the snapshot's id, which landing has then, too. */
  readonly snapshotColumn: boolean
}

const COUNT_KEYS = `SELECT sum(copies), count(*), count(*) FILTER (copies > 1) FROM (SELECT count(*) AS copies FROM landing GROUP BY ${KEY})`
const COUNT_ROWS = 'SELECT count(*), count(*) FILTER (date IS NULL), min(date), max(date) FROM landing'
const EMPTY = 'SELECT count(attr_value), count(update_id) FROM landing'
const swap = (query: string) => [
  `CREATE TABLE merged AS ${query}`,
  'DROP TABLE staging',
  'ALTER TABLE merged RENAME TO staging',
]

export const MODEL_CASES: readonly ModelCase[] = [
  {
    name: 'unique',
    model: `{ kind: unique, key: [${KEY}], sequence: update_id }`,
    snapshotColumn: false,
    byHand: [
      COUNT_KEYS,
      EMPTY,
      ...swap(
        `SELECT ${COLUMNS} FROM (SELECT ${COLUMNS}, 0 AS arrival FROM staging UNION ALL SELECT ${COLUMNS}, 1 FROM landing) QUALIFY row_number() OVER (PARTITION BY ${KEY} ORDER BY update_id DESC, arrival DESC, attr_value DESC) = 1`,
      ),
    ],
  },
  {
    name: 'duplicate',
    model: '{ kind: duplicate }',
    snapshotColumn: false,
    byHand: [COUNT_ROWS, EMPTY, `INSERT INTO staging SELECT ${COLUMNS} FROM landing`],
  },
  {
    name: 'aggregate',
    model: `{ kind: aggregate, key: [${KEY}], values: { attr_value: sum, update_id: max } }`,
    snapshotColumn: false,
    byHand: [
      COUNT_KEYS,
      EMPTY,
      ...swap(
        `SELECT ${KEY}, sum(attr_value)::BIGINT AS attr_value, max(update_id) AS update_id FROM (SELECT ${COLUMNS} FROM staging UNION ALL SELECT ${COLUMNS} FROM landing) GROUP BY ${KEY}`,
      ),
    ],
  },
  {
    name: 'replace-partitions',
    model: '{ kind: duplicate, sequence: { from: snapshot, as: batch }, replace_partitions: true }',
    snapshotColumn: true,
    byHand: [
      COUNT_ROWS,
      EMPTY,
      'SELECT date, count(*) FROM landing GROUP BY date',
      'BEGIN TRANSACTION',
      'DELETE FROM staging WHERE date IN (SELECT DISTINCT date FROM landing)',
      `INSERT INTO staging SELECT ${COLUMNS}, batch FROM landing`,
      'COMMIT',
    ],
  },
]

/** A feed file as people write it. */
export const feedText = ({ name, model }: ModelCase): string => `name: ${name}
source:
  path: ${name}/{snapshot}/**/*.parquet
  complete: { manifest: "${name}/{snapshot}/manifest.json" }
  format: parquet
table:
  name: retail.${name.replaceAll('-', '_')}
  columns: { date: DATE, product_id: INT64, store_id: INT64, attribute_id: INT64, attr_value: INT64, update_id: INT64 }
  partition: { by: date, every: day, keep: 730 days }
model: ${model}
gates: { min_rows_vs_last: 0% }
`
