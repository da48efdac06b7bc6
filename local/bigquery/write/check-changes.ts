/** Whether a table can take what is streamed: plain rows, or upserts and deletes. */
import type { TableEntry } from '../catalogue/entry.ts'
import { findField } from '../catalogue/field.ts'
import { spell } from '../names.ts'
import { invalidArgument, unsupported } from './errors.ts'
import type { RowsReader } from './read-rows.ts'

/** https://cloud.google.com/bigquery/docs/change-data-capture#limitations */
const mostKeyColumns = 16
const mostColumns = 2000
/** https://cloud.google.com/bigquery/docs/primary-foreign-keys */
const keyTypes = [
  ...['BOOLEAN', 'BYTES', 'DATE', 'DATETIME', 'INTEGER', 'NUMERIC', 'BIGNUMERIC', 'STRING', 'TIMESTAMP'],
]

/** Throws `WriteError`. */
export function checkChanges(project: string, table: TableEntry, { kind, sequenced }: RowsReader): void {
  const { primaryKey = [], schema, upserts } = table
  const name = spell(project, table)
  if (table.kind !== 'TABLE')
    throw invalidArgument(`${name} is a ${table.kind.toLowerCase()}, which can't be written to.`)
  if (kind === 'inserts') return
  if (primaryKey.length === 0)
    throw invalidArgument(`Table ${name} has no primary key, which _CHANGE_TYPE needs.`)
  if (primaryKey.length > mostKeyColumns)
    throw invalidArgument(`The primary key of ${name} has more than ${mostKeyColumns} columns.`)
  if (schema.length > mostColumns)
    throw invalidArgument(`Table ${name} has more than ${mostColumns} columns, too many for _CHANGE_TYPE.`)
  // BigQuery takes such a mix, and calls the order that comes of it unpredictable.
  if (upserts && upserts.sequenced !== sequenced) {
    const [has, comes] = sequenced ? ['without', 'with'] : ['with', 'without']
    throw unsupported(
      `changes ${comes} _CHANGE_SEQUENCE_NUMBER for ${name}, which has changes ${has} (send all of them alike, or make the table anew)`,
    )
  }
  for (const column of primaryKey) {
    const field = findField(schema, column)
    if (!field || field.mode === 'REPEATED' || !keyTypes.includes(field.type))
      throw invalidArgument(`Column ${column} of ${name} can't be part of a primary key.`)
  }
}
