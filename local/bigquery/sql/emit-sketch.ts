/** HLL_COUNT: a sketch here is the exact set of the values' hashes, so that what is counted is exact. */
import type { AggregateRule } from './emit-aggregate.ts'
import { isType } from './emit-operator.ts'
import { SqlFailure } from './error.ts'
import { scalar } from './type.ts'

const bytes = scalar('BYTES')

/** Eight bytes a value, in order, each once: two sketches of the same values are the same bytes. */
const init: AggregateRule = ({ call, args: [value], sql }) => {
  const precision = call.args[1]
  if (precision && (precision.kind !== 'literal' || precision.type !== 'INT64'))
    throw new SqlFailure('The precision of HLL_COUNT.INIT must be a literal', call.at)
  if (!value || call.distinct || !isType(value, 'INT64', 'NUMERIC', 'STRING', 'BYTES')) return undefined
  const hashes = sql(
    'list',
    [`DISTINCT lpad(to_hex(hash(${value.sql})), 16, '0')`],
    `${value.sql} IS NOT NULL`,
  )
  return { sql: `bq_sketch(${hashes})`, type: bytes }
}

const union: AggregateRule = ({ call, args: [value], sql }) => {
  if (!value || call.distinct || !isType(value, 'BYTES')) return undefined
  const lists = sql('list', [`bq_sketch_hashes(${value.sql})`], `${value.sql} IS NOT NULL`)
  return { sql: `bq_sketch(list_distinct(flatten(${lists})))`, type: bytes }
}

const merge: AggregateRule = parts => {
  const merged = union(parts)
  return merged && { sql: `bq_sketch_count(${merged.sql})`, type: scalar('INT64') }
}

/** docs.cloud.google.com/bigquery/docs/reference/standard-sql/hll_functions */
export const sketchAggregates: Readonly<Record<string, AggregateRule>> = {
  'HLL_COUNT.INIT': init,
  'HLL_COUNT.MERGE': merge,
  'HLL_COUNT.MERGE_PARTIAL': union,
}
