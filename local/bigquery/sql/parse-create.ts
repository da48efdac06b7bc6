/** Parses CREATE and DROP statements. */
import type { Cursor } from './cursor.ts'
import { SqlFailure } from './error.ts'
import { parseClusterBy, parsePartitionBy, parseTableElements } from './parse-columns.ts'
import { parseAsOf } from './parse-from.ts'
import { parseOptions } from './parse-options.ts'
import { parseQuery } from './parse-query.ts'
import type { Unplaced } from './parse-script.ts'
import { parseDatasetName, parseTableName } from './parse-table.ts'

export function parseCreate(cursor: Cursor): Unplaced {
  const { at } = cursor.next()
  const orReplace = cursor.take('OR', 'REPLACE')
  if (cursor.take('TABLE')) return parseCreateTable(cursor, orReplace)
  if (cursor.take('SNAPSHOT', 'TABLE')) {
    if (orReplace)
      throw new SqlFailure('Syntax error: CREATE OR REPLACE is not allowed for SNAPSHOT TABLE', at)
    return parseCreateSnapshot(cursor)
  }
  if (cursor.take('VIEW')) return parseCreateView(cursor, orReplace)
  if (!orReplace && cursor.take('SCHEMA')) return parseCreateSchema(cursor)
  throw cursor.refuse(`CREATE ${cursor.peek().key}`, at)
}

function takeIfNotExists(cursor: Cursor): boolean {
  return cursor.take('IF', 'NOT', 'EXISTS')
}

function parseCreateTable(cursor: Cursor, orReplace: boolean): Unplaced {
  const { at } = cursor.peek()
  const ifNotExists = takeIfNotExists(cursor)
  if (orReplace && ifNotExists)
    throw new SqlFailure('CREATE TABLE cannot have both OR REPLACE and IF NOT EXISTS', at)
  const name = parseTableName(cursor)
  const copied = cursor.take('CLONE')
    ? 'createClone'
    : cursor.take('COPY')
      ? 'createCopy'
      : cursor.take('LIKE')
        ? 'createLike'
        : undefined
  if (copied) return parseCopied(cursor, copied, { name, orReplace, ifNotExists })
  const { columns, primaryKey } = cursor.at('(')
    ? parseTableElements(cursor)
    : { columns: [], primaryKey: [] }
  const partitionBy = parsePartitionBy(cursor)
  const clusterBy = parseClusterBy(cursor)
  const options = parseOptions(cursor)
  const as = cursor.take('AS') ? parseQuery(cursor) : undefined
  if (!as && columns.length === 0) throw new SqlFailure('CREATE TABLE without a column list or AS SELECT', at)
  return {
    kind: 'createTable',
    statementType: as ? 'CREATE_TABLE_AS_SELECT' : 'CREATE_TABLE',
    name,
    orReplace,
    ifNotExists,
    columns,
    primaryKey,
    clusterBy,
    options,
    ...(partitionBy ? { partitionBy } : {}),
    ...(as ? { as } : {}),
  }
}

const copiedTypes = {
  createClone: 'CREATE_TABLE_CLONE',
  createCopy: 'CREATE_TABLE_COPY',
  createLike: 'CREATE_TABLE_LIKE',
  createSnapshot: 'CREATE_SNAPSHOT_TABLE',
} as const

function parseCopied(
  cursor: Cursor,
  kind: keyof typeof copiedTypes,
  made: { name: ReturnType<typeof parseTableName>; orReplace: boolean; ifNotExists: boolean },
): Unplaced {
  const source = parseTableName(cursor)
  const asOf = kind === 'createClone' || kind === 'createSnapshot' ? parseAsOf(cursor) : undefined
  const isShaped = kind === 'createCopy' || kind === 'createLike'
  const partitionBy = isShaped ? parsePartitionBy(cursor) : undefined
  const clusterBy = isShaped ? parseClusterBy(cursor) : []
  const options = parseOptions(cursor)
  if (cursor.at('AS')) throw cursor.refuse('CREATE TABLE … LIKE … AS')
  const shape = { clusterBy, options, ...(asOf ? { asOf } : {}), ...(partitionBy ? { partitionBy } : {}) }
  return { kind, statementType: copiedTypes[kind], ...made, source, ...shape }
}

function parseCreateSnapshot(cursor: Cursor): Unplaced {
  const ifNotExists = takeIfNotExists(cursor)
  const name = parseTableName(cursor)
  cursor.expect('CLONE')
  return parseCopied(cursor, 'createSnapshot', { name, orReplace: false, ifNotExists })
}

function parseCreateView(cursor: Cursor, orReplace: boolean): Unplaced {
  const ifNotExists = takeIfNotExists(cursor)
  const name = parseTableName(cursor)
  const columns = cursor.at('(') ? cursor.parenthesised(() => cursor.name()) : []
  const options = parseOptions(cursor)
  cursor.expect('AS')
  const start = cursor.peek().at
  const query = parseQuery(cursor)
  const queryText = cursor.text.slice(start, cursor.peek(-1).end)
  return {
    kind: 'createView',
    statementType: 'CREATE_VIEW',
    name,
    orReplace,
    ifNotExists,
    columns,
    options,
    query,
    queryText,
  }
}

function parseCreateSchema(cursor: Cursor): Unplaced {
  const ifNotExists = takeIfNotExists(cursor)
  const name = parseDatasetName(cursor)
  const options = parseOptions(cursor)
  return { kind: 'createSchema', statementType: 'CREATE_SCHEMA', ...name, ifNotExists, options }
}

export function parseDrop(cursor: Cursor): Unplaced {
  const { at } = cursor.next()
  if (cursor.take('SCHEMA')) {
    const ifExists = cursor.take('IF', 'EXISTS')
    const name = parseDatasetName(cursor)
    const cascade = cursor.take('CASCADE')
    if (!cascade) cursor.take('RESTRICT')
    return { kind: 'dropSchema', statementType: 'DROP_SCHEMA', ...name, ifExists, cascade }
  }
  const kinds = [
    ['dropTable', 'DROP_TABLE', ['TABLE']],
    ['dropSnapshot', 'DROP_SNAPSHOT_TABLE', ['SNAPSHOT', 'TABLE']],
    ['dropView', 'DROP_VIEW', ['VIEW']],
  ] as const
  for (const [kind, statementType, words] of kinds) {
    if (!cursor.take(...words)) continue
    const ifExists = cursor.take('IF', 'EXISTS')
    return { kind, statementType, name: parseTableName(cursor), ifExists }
  }
  throw cursor.refuse(`DROP ${cursor.peek().key}`, at)
}
