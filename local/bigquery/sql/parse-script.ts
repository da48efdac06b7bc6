/** Splits a script into statements and parses each. */
import type { Expr } from './ast.ts'
import { Cursor } from './cursor.ts'
import { withText } from './error.ts'
import { parseAlter } from './parse-alter.ts'
import { parseCreate, parseDrop } from './parse-create.ts'
import { parseDelete, parseInsert, parseMerge, parseTruncate, parseUpdate } from './parse-dml.ts'
import { parseExpr } from './parse-expr.ts'
import { parseQuery, startsQuery } from './parse-query.ts'
import { readReferences } from './references.ts'
import type { CreateFromTable, Statement } from './statement.ts'

type WithoutPlace<S> = S extends Statement ? Omit<S, 'text' | 'script' | 'references'> : never
/** A statement before it knows its own text and what it reads. */
export type Unplaced = WithoutPlace<Statement>

/** All statements of a script, in order. Throws `SqlError` `invalidQuery` with the line and column of what is wrong. */
export function parseScript(sql: string): readonly Statement[] {
  return withText(sql, () => {
    const cursor = new Cursor(sql)
    const statements: Statement[] = []
    while (cursor.peek().kind !== 'end') {
      if (cursor.take(';')) continue
      statements.push(parsePlaced(cursor))
      if (cursor.peek().kind !== 'end' && !cursor.take(';')) throw cursor.unexpected('end of input')
    }
    if (statements.length === 0) throw cursor.unexpected()
    return statements
  })
}

/** One expression, for column defaults and the like. */
export function parseExpression(sql: string): Expr {
  return withText(sql, () => {
    const cursor = new Cursor(sql)
    const expr = parseExpr(cursor)
    if (cursor.peek().kind !== 'end') throw cursor.unexpected('end of input')
    return expr
  })
}

function parsePlaced(cursor: Cursor): Statement {
  const start = cursor.peek().at
  const parsed = parseStatement(cursor)
  const text = cursor.text.slice(start, cursor.peek(-1).end)
  const references = isCopied(parsed) ? [parsed.source] : readReferences(parsed)
  return { ...parsed, text, script: cursor.text, references }
}

function isCopied(parsed: Unplaced): parsed is WithoutPlace<CreateFromTable> {
  return ['createClone', 'createCopy', 'createLike', 'createSnapshot'].includes(parsed.kind)
}

const parsers: Readonly<Record<string, (cursor: Cursor) => Unplaced>> = {
  CREATE: parseCreate,
  DROP: parseDrop,
  ALTER: parseAlter,
  INSERT: parseInsert,
  DELETE: parseDelete,
  UPDATE: parseUpdate,
  MERGE: parseMerge,
  TRUNCATE: parseTruncate,
  BEGIN: parseTransaction,
  COMMIT: parseTransaction,
  ROLLBACK: parseTransaction,
}

const refused = new Set(
  `DECLARE SET IF LOOP WHILE REPEAT FOR CALL EXECUTE EXPORT LOAD GRANT REVOKE ASSERT RAISE RETURN BREAK LEAVE CONTINUE
   ITERATE CASE EXPLAIN UNDROP RENAME DEFINE`.split(/\s+/),
)

function parseStatement(cursor: Cursor): Unplaced {
  const { key } = cursor.peek()
  if (startsQuery(cursor) || key === '(')
    return { kind: 'select', statementType: 'SELECT', query: parseQuery(cursor) }
  if (key === 'FROM') throw cursor.refuse('Pipe syntax')
  if (refused.has(key)) throw cursor.refuse(`Statement ${key}`)
  const parse = parsers[key]
  if (!parse) throw cursor.unexpected()
  return parse(cursor)
}

function parseTransaction(cursor: Cursor): Unplaced {
  const { key } = cursor.next()
  const hasWord = cursor.take('TRANSACTION')
  if (key === 'COMMIT') return { kind: 'commit', statementType: 'COMMIT_TRANSACTION' }
  if (key === 'ROLLBACK') return { kind: 'rollback', statementType: 'ROLLBACK_TRANSACTION' }
  if (!hasWord && cursor.peek().kind !== 'end' && !cursor.at(';')) throw cursor.refuse('A BEGIN … END block')
  return { kind: 'begin', statementType: 'BEGIN_TRANSACTION' }
}
