/** What a feed file must fulfil beyond its form: names that refer to columns, types that fit their use. */
import { checkModel } from './check-model.ts'
import { checkPartition } from './check-partition.ts'
import { checkLoadOfDay } from './check-quota.ts'
import { checkServe } from './check-serve.ts'
import { abilityOf } from './column-type.ts'
import { typeOf, type WithTable } from './declared.ts'
import { type Finding, noColumn } from './finding.ts'
import { parseIdentifier } from './names.ts'
import type { FeedFile } from './schema.ts'

export function* checkColumns({ table }: WithTable): Generator<Finding> {
  const names = Object.keys(table.columns)
  const path = ['table', 'columns']
  if (names.length === 0)
    yield { path, message: 'is empty', hint: 'List the columns of the files with their types.' }
  for (const name of names) {
    // JavaScript puts such keys first, and a CSV file is read by position.
    const wholeNumber = /^\d+$/.test(name)
    if (parseIdentifier(name) !== undefined && !wholeNumber) continue
    yield {
      path: [...path, name],
      message: wholeNumber ? 'is a whole number, not a name' : 'is no column name that BigQuery takes',
      hint: 'Rename the column in the files.',
    }
  }
  const twins = names.filter(
    (name, at) => names.findIndex(n => n.toLowerCase() === name.toLowerCase()) !== at,
  )
  for (const name of twins) {
    yield {
      path: [...path, name],
      message: 'differs from another column by case only',
      hint: 'BigQuery takes both for one; rename one of them.',
    }
  }
}

/** A key that may move from one partition to another can't be refreshed partition by partition. */
function* checkStrategy({ refresh, table, model }: FeedFile): Generator<Finding> {
  if (refresh.strategy !== 'changed-partitions' || model.kind !== 'unique') return
  const path = ['refresh', 'strategy']
  if (!table.partition) {
    yield {
      path,
      message: 'compares partitions, and the table has none',
      hint: 'Add table.partition, or take rewrite.',
    }
  } else if (!model.key.includes(table.partition.by)) {
    yield {
      path,
      message: `needs the partition column in the key, and ${table.partition.by} is not part of it`,
      hint: 'A key could move from one partition to another unseen; add the column to the key, or take rewrite.',
    }
  }
}

function* checkCluster(file: FeedFile): Generator<Finding> {
  const { cluster = [] } = file.table
  for (const [at, name] of cluster.entries()) {
    const path = ['table', 'cluster', at]
    const type = typeOf(file, name)
    if (type === undefined) yield noColumn(path, name)
    else if (!abilityOf(type)?.cluster)
      yield {
        path,
        message: `is of type ${type}, which can't be clustered by`,
        hint: 'Choose another column, or take it out.',
      }
    if (cluster.indexOf(name) !== at)
      yield { path, message: `names ${name} twice`, hint: 'Name each column once.' }
  }
}

function* checkSource({ source, table }: FeedFile): Generator<Finding> {
  if (source.csv && source.format !== 'csv') {
    yield {
      path: ['source', 'csv'],
      message: `goes with format csv, not ${source.format}`,
      hint: 'Take it out, or set format: csv.',
    }
  }
  if (source.bad_rows && source.format !== 'csv' && source.format !== 'ndjson') {
    yield {
      path: ['source', 'bad_rows'],
      message: `goes with format csv or ndjson, not ${source.format}`,
      hint: 'Take it out: a file of that format is whole or broken, not row by row.',
    }
  }
  if (typeof source.complete === 'object' && 'manifest' in source.complete) {
    const folder = source.complete.manifest.replace(/[^/]*$/, '')
    if (!source.path.startsWith(folder))
      yield {
        path: ['source', 'complete', 'manifest'],
        message: `lies in ${folder}, and source.path is not below that`,
        hint: "A manifest names files relative to its own folder; put it into the data's folder or above.",
      }
  }
  if (source.format !== 'csv') return
  for (const [name, column] of Object.entries(table.columns)) {
    if (typeof column === 'object' && column.optional)
      yield {
        path: ['table', 'columns', name, 'optional'],
        message: 'does not go with format csv, which is read by position',
        hint: 'Let the files have the column, with empty values where there are none.',
      }
  }
}

/**
 * Objects are left out for what the path says of them: rows that lie elsewhere than it says must be safe all the same, and
 * under keep they are, since nothing goes that a snapshot lacks.
 */
function* checkPathPartition({ source, refresh, model }: FeedFile): Generator<Finding> {
  if (!source.path.includes('{partition}')) return
  const path = ['source', 'path']
  const wrong = (message: string, hint: string): Finding => ({ path, message, hint })
  const star = 'or write * instead of {partition}.'
  if (refresh.strategy !== 'changed-partitions')
    yield wrong(
      'names {partition}, which only changed-partitions uses',
      `Set refresh.strategy: changed-partitions, ${star}`,
    )
  if (model.kind === 'unique' && model.missing_rows !== 'keep')
    yield wrong(
      'names {partition}, which does not go with missing_rows: delete',
      `Rows of objects that are not loaded would count as missing; keep them, ${star}`,
    )
  if (source.bad_rows)
    yield wrong(
      'names {partition}, which does not go with bad_rows',
      `Bad rows of objects that are not loaded would go uncounted; take bad_rows out, ${star}`,
    )
}

/** Everything that is wrong with a feed of the right form. */
export function findProblems(file: FeedFile): Finding[] {
  return [
    ...checkSource(file),
    ...checkColumns(file),
    ...checkModel(file),
    ...checkPartition(file),
    ...checkLoadOfDay(file),
    ...checkCluster(file),
    ...checkStrategy(file),
    ...checkPathPartition(file),
    ...checkServe(file),
  ]
}
