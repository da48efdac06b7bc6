/** Parses table names: paths with dashes, and backticks around the whole or the parts. */
import type { TableName } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { SqlFailure } from './error.ts'

/** Name parts in order; a dash counts as part of a name only where nothing stands around it. */
function readParts(cursor: Cursor): string[] {
  const parts: string[] = []
  do {
    if (parts.length === 0 && !cursor.isName()) throw cursor.unexpected('identifier')
    const token = cursor.peek()
    if (token.kind === 'name') parts.push(...cursor.next().text.split('.'))
    else parts.push(dashed(cursor))
  } while (cursor.take('.'))
  return parts
}

function dashed(cursor: Cursor): string {
  const first = cursor.peek()
  if (first.kind !== 'word' && first.kind !== 'integer') throw cursor.unexpected('identifier')
  cursor.next()
  let text = first.text
  let end = first.end
  for (;;) {
    const dash = cursor.peek()
    const after = cursor.peek(1)
    const isJoined = dash.key === '-' && dash.at === end && after.at === dash.end
    // `shop-2b` cuts into `2` and `b`, which touch.
    const isGlued = text.includes('-') && dash.at === end && (dash.kind === 'word' || dash.kind === 'integer')
    if (isJoined && (after.kind === 'word' || after.kind === 'integer')) {
      text += `-${after.text}`
      end = after.end
      cursor.position += 2
    } else if (isGlued) {
      text += dash.text
      end = dash.end
      cursor.next()
    } else return text
  }
}

export function toTableName(parts: readonly string[], at: number): TableName {
  const schemaAt = parts.findIndex(part => part.toUpperCase() === 'INFORMATION_SCHEMA')
  const joined = schemaAt >= 0 && schemaAt === parts.length - 2
  const names = joined ? [...parts.slice(0, schemaAt), parts.slice(schemaAt).join('.').toUpperCase()] : parts
  const table = names.at(-1)
  const dataset = names.at(-2)
  const project = names.length > 3 ? names.slice(0, -2).join('.') : names.at(-3)
  if (!table || names.some(name => name === ''))
    throw new SqlFailure(`Invalid table name: ${parts.join('.')}`, at)
  return {
    table,
    ...(dataset === undefined ? {} : { dataset }),
    ...(project === undefined ? {} : { project }),
  }
}

export function parseTableName(cursor: Cursor): TableName {
  const { at } = cursor.peek()
  return toTableName(readParts(cursor), at)
}

/** `project.dataset`, for schema statements. */
export function parseDatasetName(cursor: Cursor): { project?: string; dataset: string } {
  const { at } = cursor.peek()
  const { table, dataset } = toTableName(readParts(cursor), at)
  return dataset === undefined ? { dataset: table } : { project: dataset, dataset: table }
}
