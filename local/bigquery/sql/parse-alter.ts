/** Parses ALTER TABLE. */
import type { Cursor } from './cursor.ts'
import { parseColumn, parseKeyColumns, parseText } from './parse-columns.ts'
import { parseOptions } from './parse-options.ts'
import type { Unplaced } from './parse-script.ts'
import { parseTableName } from './parse-table.ts'
import type { Alteration } from './statement.ts'

export function parseAlter(cursor: Cursor): Unplaced {
  const { at } = cursor.next()
  if (!cursor.take('TABLE')) throw cursor.refuse(`ALTER ${cursor.peek().key}`, at)
  const ifExists = cursor.take('IF', 'EXISTS')
  const name = parseTableName(cursor)
  const alterations = cursor.list(() => parseAlteration(cursor))
  return { kind: 'alterTable', statementType: 'ALTER_TABLE', name, ifExists, alterations }
}

function parseAlteration(cursor: Cursor): Alteration {
  if (cursor.at('SET', 'OPTIONS') && cursor.take('SET'))
    return { kind: 'setOptions', options: parseOptions(cursor) }
  if (cursor.take('ADD', 'COLUMN')) {
    const ifNotExists = cursor.take('IF', 'NOT', 'EXISTS')
    return { kind: 'addColumn', ifNotExists, column: parseColumn(cursor).column }
  }
  if (cursor.take('ADD', 'PRIMARY', 'KEY')) return { kind: 'addPrimaryKey', columns: parseKeyColumns(cursor) }
  if (cursor.take('DROP', 'PRIMARY', 'KEY'))
    return { kind: 'dropPrimaryKey', ifExists: cursor.take('IF', 'EXISTS') }
  if (cursor.take('DROP', 'COLUMN')) {
    const ifExists = cursor.take('IF', 'EXISTS')
    return { kind: 'dropColumn', ifExists, column: cursor.name() }
  }
  if (cursor.take('RENAME', 'TO')) return { kind: 'renameTo', name: cursor.name() }
  if (cursor.take('RENAME', 'COLUMN')) {
    const ifExists = cursor.take('IF', 'EXISTS')
    const column = cursor.name()
    cursor.expect('TO')
    return { kind: 'renameColumn', ifExists, column, to: cursor.name() }
  }
  if (cursor.take('ALTER', 'COLUMN')) return parseColumnChange(cursor)
  throw cursor.refuse(`ALTER TABLE … ${cursor.peek().key} ${cursor.peek(1).key}`)
}

function parseColumnChange(cursor: Cursor): Alteration {
  if (cursor.at('IF', 'EXISTS')) throw cursor.refuse('ALTER COLUMN IF EXISTS')
  const column = cursor.name()
  if (cursor.take('DROP', 'DEFAULT')) return { kind: 'dropDefault', column }
  if (cursor.take('DROP', 'NOT', 'NULL')) return { kind: 'dropNotNull', column }
  if (cursor.take('SET', 'DEFAULT')) return { kind: 'setDefault', column, ...parseText(cursor) }
  if (cursor.at('SET', 'OPTIONS') && cursor.take('SET'))
    return { kind: 'setColumnOptions', column, options: parseOptions(cursor) }
  throw cursor.refuse(`ALTER COLUMN … ${cursor.peek().key} ${cursor.peek(1).key}`)
}
