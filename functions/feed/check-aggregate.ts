/** What model aggregate asks of a feed: each column is part of the key or combined, in a way that its type allows. */
import { checkKey } from './check-key.ts'
import { abilityOf, baseType } from './column-type.ts'
import { typeOf } from './declared.ts'
import type { Combine } from './feed.ts'
import { type Finding, noColumn } from './finding.ts'
import type { AggregateFile, FeedFile } from './schema.ts'

const NUMBERS = ['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64']
/** docs.cloud.google.com/bigquery/docs/reference/standard-sql/hll_functions#hll_countinit */
const SKETCHED = ['INT64', 'NUMERIC', 'BIGNUMERIC', 'STRING', 'BYTES']

function combines(how: Combine, type: string): boolean {
  if (how === 'sum') return NUMBERS.includes(baseType(type))
  if (how === 'hll') return SKETCHED.includes(type)
  return how === 'replace' || how === 'replace_if_not_null' || abilityOf(type)?.ordered === true
}

function* checkValue(file: FeedFile, name: string, how: Combine, key: readonly string[]): Generator<Finding> {
  const path = ['model', 'values', name]
  const type = typeOf(file, name)
  if (type === undefined) yield noColumn(path, name)
  else if (key.includes(name))
    yield { path, message: 'is part of the key', hint: 'Take it out of the key, or out of the values.' }
  else if (!combines(how, type))
    yield {
      path,
      message: `is of type ${type}, of which there is no ${how}`,
      hint: 'Combine it in another way; docs/models.md lists them.',
    }
  if (how === 'hll' && (file.table.partition?.by === name || file.table.cluster?.includes(name)))
    yield { path, message: 'is a sketch in the table', hint: 'Partition and cluster by other columns.' }
}

export function* checkAggregate(file: FeedFile, { key, values }: AggregateFile): Generator<Finding> {
  yield* checkKey(file, key)
  for (const [name, how] of Object.entries(values)) yield* checkValue(file, name, how, key)
  const forgotten = Object.keys(file.table.columns).filter(
    name => !key.includes(name) && !Object.hasOwn(values, name),
  )
  for (const name of forgotten)
    yield {
      path: ['model', 'values'],
      message: `does not say how the values of ${name} become one`,
      hint: `Add ${name}: replace, or another way; or add it to the key.`,
    }
  if (file.refresh.strategy === 'changed-partitions')
    yield {
      path: ['refresh', 'strategy'],
      message: 'compares snapshots, and those of model aggregate add up',
      hint: 'Take it out.',
    }
  if (file.source.on_new_column === 'add')
    yield {
      path: ['source', 'on_new_column'],
      message: 'does not go with model aggregate',
      hint: 'Take it out: the feed has to say how the values of a column become one.',
    }
}
