/** The fields that a feed knows: a record's are matched as BigQuery matches column names, case aside. */
import type { ChangeFeed } from '../../feed/changes/change-feed.ts'
import type { Fields } from '../encode-change.ts'
import { RecordProblem } from './record.ts'

export interface FieldNames {
  /** The name that the feed has for a field; `undefined` for one that is read over. Throws for one that is unknown. */
  nameOf(field: string, line: number): string | undefined
  /** The same record under the feed's names. */
  fit(fields: Fields, line: number): Fields
}

export function makeFieldNames(feed: ChangeFeed): FieldNames {
  const used = [
    feed.changes.operation,
    ...feed.changes.sequence.map(({ field }) => field),
    ...feed.table.columns.map(({ name }) => name),
  ]
  const exact = new Set(used)
  const folded = new Map(used.map(name => [name.toLowerCase(), name]))
  const ignored = new Set(feed.source.ignore)
  function nameOf(field: string, line: number): string | undefined {
    if (exact.has(field)) return field
    if (ignored.has(field)) return undefined
    const name = folded.get(field.toLowerCase())
    if (name !== undefined) return name
    throw new RecordProblem(
      'is no field of the feed; add it to table.columns, or to source.ignore',
      line,
      field,
    )
  }
  function rename(fields: Fields, line: number): Fields {
    const renamed = Object.entries(fields).flatMap(([field, value]) => {
      const name = nameOf(field, line)
      return name === undefined ? [] : [[name, value] as const]
    })
    return Object.fromEntries(renamed)
  }
  return {
    nameOf,
    fit(fields, line) {
      for (const field in fields) if (!exact.has(field) && !ignored.has(field)) return rename(fields, line)
      return fields
    },
  }
}
