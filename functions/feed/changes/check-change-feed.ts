/** What a change feed must fulfil beyond its form: BigQuery's limits on tables that take changes, each by its sentence. */
import { checkColumns } from '../check-feed.ts'
import { checkPartition } from '../check-partition.ts'
import { abilityOf, baseType } from '../column-type.ts'
import { isOptional, typeOf } from '../declared.ts'
import { parseDuration } from '../duration.ts'
import { type Finding, noColumn } from '../finding.ts'
import type { ChangeFeedFile } from './change-schema.ts'

/** docs.cloud.google.com/bigquery/docs/change-data-capture#limitations */
const MAX_KEY = 16
const MAX_COLUMNS = 2_000
/** docs.cloud.google.com/bigquery/docs/primary-foreign-keys#limitations */
const KEY_TYPES: ReadonlySet<string> = new Set(
  'BIGNUMERIC BOOL BYTES DATE DATETIME INT64 NUMERIC STRING TIMESTAMP'.split(' '),
)
const MAX_STALENESS_SECONDS = 24 * 3_600

function* checkKey(file: ChangeFeedFile): Generator<Finding> {
  const { key } = file.model
  if (key.length > MAX_KEY)
    yield {
      path: ['model', 'key'],
      message: `has ${key.length} columns, and BigQuery takes changes by a primary key of ${MAX_KEY} at most`,
      hint: 'Leave out columns that the others imply.',
    }
  for (const [at, name] of key.entries()) {
    const path = ['model', 'key', at]
    const type = typeOf(file, name)
    if (type === undefined) yield noColumn(path, name)
    else if (!KEY_TYPES.has(baseType(type)))
      yield {
        path,
        message: `is of type ${type}, which can't be part of a primary key`,
        hint: `A primary key takes ${[...KEY_TYPES].join(', ')}.`,
      }
    if (isOptional(file, name))
      yield {
        path,
        message: `names a column that the files may lack: ${name}`,
        hint: 'Every change needs its key; take `optional` away, or choose another column.',
      }
    if (key.indexOf(name) !== at)
      yield { path, message: `names ${name} twice`, hint: 'Name each key column once.' }
  }
}

function* checkCluster(file: ChangeFeedFile): Generator<Finding> {
  const types = file.model.key.map(name => typeOf(file, name))
  if (types.includes(undefined) || types.some(type => abilityOf(type ?? '')?.cluster)) return
  yield {
    path: ['model', 'key'],
    message: 'has no column that a table can be clustered by, and changes find their rows by the key',
    hint: 'Take a key with a STRING, INT64, NUMERIC, BOOL, DATE, DATETIME or TIMESTAMP column.',
  }
}

const IMPLIED: Readonly<Record<string, string>> = { INT64: 'integer', TIMESTAMP: 'timestamp' }

function* checkSequence(file: ChangeFeedFile): Generator<Finding> {
  const fields = file.changes.sequence.map(part => (typeof part === 'string' ? part : part.field))
  for (const [at, part] of file.changes.sequence.entries()) {
    const path = ['changes', 'sequence', at]
    const field = typeof part === 'string' ? part : part.field
    if (fields.indexOf(field) !== at)
      yield { path, message: `names ${field} twice`, hint: 'Name each field once.' }
    if (field === file.changes.operation)
      yield { path, message: 'is the operation', hint: 'Take a field that says when the change was made.' }
    if (typeof part === 'string') {
      const type = typeOf(file, part)
      if (type === undefined || !Object.hasOwn(IMPLIED, type))
        yield {
          path,
          message: type
            ? `is of type ${type}, and only INT64 and TIMESTAMP say how they become a number`
            : `names no column of the table: ${part}`,
          hint: `Say how: { field: ${part}, as: integer }, or timestamp, timestamp-milliseconds, hexadecimal; or list its states.`,
        }
    } else if (new Set(part.states).size !== (part.states ?? []).length)
      yield { path: [...path, 'states'], message: 'names a state twice', hint: 'Each state has one rank.' }
  }
}

function* checkChanges(file: ChangeFeedFile): Generator<Finding> {
  const { changes, source, table } = file
  const both = changes.upsert.find(value => changes.delete.includes(value))
  if (both !== undefined)
    yield {
      path: ['changes', 'delete'],
      message: `says ${both}, and so does changes.upsert`,
      hint: 'An operation either writes the row or removes it.',
    }
  const used = new Set([
    changes.operation,
    ...Object.keys(table.columns),
    ...changes.sequence.map(part => (typeof part === 'string' ? part : part.field)),
  ])
  for (const [at, name] of source.ignore.entries())
    if (used.has(name))
      yield {
        path: ['source', 'ignore', at],
        message: `is ${name}, which the feed uses`,
        hint: 'Take it out of the list.',
      }
}

function* checkSource({ source }: ChangeFeedFile): Generator<Finding> {
  if (source.csv && source.format !== 'csv')
    yield {
      path: ['source', 'csv'],
      message: `goes with format csv, not ${source.format}`,
      hint: 'Take it out, or set format: csv.',
    }
  if (source.csv?.header === false)
    yield {
      path: ['source', 'csv', 'header'],
      message: 'is false, and the first row is what names the fields of changes',
      hint: 'Send the files with a header.',
    }
}

function* checkLimits({ table, refresh }: ChangeFeedFile): Generator<Finding> {
  const columns = Object.keys(table.columns).length
  if (columns > MAX_COLUMNS)
    yield {
      path: ['table', 'columns'],
      message: `has ${columns} columns, and a table that takes changes has ${MAX_COLUMNS} at most`,
      hint: 'Put columns that belong together into one JSON column, or split the table.',
    }
  const staleness = parseDuration(refresh.max_staleness) ?? 0
  if (staleness > MAX_STALENESS_SECONDS)
    yield {
      path: ['refresh', 'max_staleness'],
      message: 'is more than 24 hours, which BigQuery does not take',
      hint: 'Write 24 hours or less.',
    }
  // What is not applied yet is not in the table's own storage, and `applied` waits until it is.
  const within = parseDuration(refresh.within) ?? 0
  if (refresh.announce === 'applied' && within < staleness)
    yield {
      path: ['refresh', 'within'],
      message: 'is less than max_staleness, and BigQuery may take that long to apply a change',
      hint: 'Promise more time, lower max_staleness, or say `announce: pending`.',
    }
}

/** Everything that is wrong with a change feed of the right form. */
export function findChangeProblems(file: ChangeFeedFile): Finding[] {
  return [
    ...checkSource(file),
    ...checkColumns(file),
    ...checkKey(file),
    ...checkCluster(file),
    ...checkSequence(file),
    ...checkChanges(file),
    ...checkPartition(file),
    ...checkLimits(file),
  ]
}
