/** Translates query expressions: WITH, set operations, and what sorts and cuts them. */
import type { OrderItem, Query, QueryBody, SetOperation } from './ast.ts'
import { canCoerce, coerce, commonType } from './coerce.ts'
import { emitExpr } from './emit-expr.ts'
import { sqlOrderKey } from './emit-order.ts'
import { emitSelect } from './emit-select.ts'
import { type Emitted, type Env, type Field, quoteName } from './env.ts'
import { SqlFailure } from './error.ts'
import { typeText } from './type.ts'

/** A translated query. A field's `sql` is the quoted name of the output column. */
export interface Output {
  readonly sql: string
  readonly fields: readonly Field[]
}

/** `whole`: SELECT AS STRUCT makes one value, as a subquery in an expression does; elsewhere its fields are columns. */
export function emitQuery(query: Query, env: Env, whole = true): Output {
  const ctes = new Map(env.ctes)
  const texts = query.ctes.map(cte => {
    const inner = { ...env, ctes: new Map(ctes) }
    const { sql, fields } = query.recursive
      ? emitRecursive(cte.name, cte.query, inner)
      : emitQuery(cte.query, inner, false)
    ctes.set(cte.name.toLowerCase(), fields)
    return `${cteName(cte.name)} AS (${sql})`
  })
  const { sql, fields } = emitBody(query, { ...env, ctes }, whole)
  if (texts.length === 0) return { sql, fields }
  return { sql: `WITH ${query.recursive ? 'RECURSIVE ' : ''}${texts.join(', ')} ${sql}`, fields }
}

/** A name that no table of the engine has. */
export function cteName(name: string): string {
  return quoteName(`_cte_${name.toLowerCase()}`)
}

/** The columns of a recursive query are those of its first part. */
function emitRecursive(name: string, query: Query, env: Env): Output {
  if (query.body.kind !== 'set' || query.ctes.length > 0) return emitQuery(query, env, false)
  const first = emitOperand(query.body.left, env)
  const known = { ...env, ctes: new Map(env.ctes).set(name.toLowerCase(), first.fields) }
  return emitQuery(query, known, false)
}

function emitBody(query: Query, env: Env, whole: boolean): Output {
  const { body, orderBy } = query
  if (body.kind === 'select' && !(body.distinct && sortsByName(query)))
    return emitSelect(body, query, env, whole)
  const inner = body.kind === 'query' ? emitQuery(body, env, whole) : emitOperand(body, env)
  const limits = sqlLimits(query, env)
  if (orderBy.length === 0 && limits === '') return inner
  const fields = inner.fields.map(field => ({ name: field.name, type: field.type, sql: field.sql }))
  const aliases = new Map(fields.map(field => [field.name.toLowerCase(), field]))
  const keys = orderBy.map(item => {
    const { expr } = item
    const ordinal =
      expr.kind === 'literal' && expr.type === 'INT64' ? fields[Number(expr.value) - 1] : undefined
    return sqlOrderKey(ordinal ?? emitExpr(expr, { ...env, rows: [], aliases }), item, false)
  })
  const order = keys.length > 0 ? ` ORDER BY ${keys.join(', ')}` : ''
  return { sql: `SELECT * FROM (${inner.sql}) AS "_set"${order}${limits}`, fields }
}

/** DISTINCT rows are sorted from outside where that is possible: NaN needs a key that is no output column. */
function sortsByName(query: Query): boolean {
  const isName = ({ expr }: OrderItem) =>
    expr.kind === 'literal' || (expr.kind === 'path' && expr.parts.length === 1)
  return query.orderBy.length > 0 && query.orderBy.every(isName)
}

/** LIMIT and OFFSET take non-negative integer literals or parameters. */
export function sqlLimits(query: Query, env: Env): string {
  const parts: string[] = []
  for (const [word, expr] of [
    ['LIMIT', query.limit],
    ['OFFSET', query.offset],
  ] as const) {
    if (!expr) continue
    const value = emitExpr(expr, { ...env, rows: [] })
    const isConstant = expr.kind === 'literal' || expr.kind === 'parameter'
    if (
      !isConstant ||
      typeText(value.type) !== 'INT64' ||
      (expr.kind === 'literal' && !/^\d+$/.test(expr.value))
    ) {
      throw new SqlFailure(
        `Syntax error: ${word} expects a non-negative integer literal or parameter`,
        expr.at,
      )
    }
    parts.push(` ${word} ${expr.kind === 'literal' ? expr.value : value.sql}`)
  }
  return parts.join('')
}

function emitOperand(body: QueryBody, env: Env): Output {
  if (body.kind === 'set') return emitSet(body, env)
  if (body.kind === 'query') return emitQuery(body, env, false)
  return emitSelect(body, undefined, env, false)
}

/** `a UNION ALL b UNION ALL c` as one list: nesting a long chain would reach DuckDB's depth limit. */
function operands(set: SetOperation): readonly QueryBody[] {
  const found: QueryBody[] = []
  let body: QueryBody = set
  while (body.kind === 'set' && body.op === set.op) {
    found.unshift(body.right)
    body = body.left
  }
  return [body, ...found]
}

function emitSet(set: SetOperation, env: Env): Output {
  const parts = operands(set).map(body => emitOperand(body, env))
  const [first] = parts
  if (!first) throw new Error('a set operation has operands')
  const columns = first.fields.map((field, i) => {
    const values = parts.map(part => part.fields[i]).filter(value => value !== undefined)
    const type = commonType(values)
    if (!type || values.length !== parts.length) throw mismatch(set, parts, i, values)
    return { field, type }
  })
  if (parts.some(part => part.fields.length !== columns.length)) throw mismatch(set, parts, 0, [])
  const texts = parts.map(part => {
    const isPlain = part.fields.every(
      (field, i) =>
        typeText(field.type) === typeText(columns[i]?.type ?? field.type) && field.literal?.type !== 'NULL',
    )
    if (isPlain) return `(${part.sql})`
    const items = part.fields.map(
      (field, i) => `${asType(field, columns[i]?.type ?? field.type)} AS ${field.sql}`,
    )
    return `(SELECT ${items.join(', ')} FROM (${part.sql}) AS "_side")`
  })
  const word = set.op.replace(' DISTINCT', '')
  return {
    sql: texts.join(` ${word} `),
    fields: columns.map(({ field, type }) => ({ name: field.name, sql: field.sql, type })),
  }
}

function asType(field: Field, type: Emitted['type']): string {
  return canCoerce(field, type) ? coerce(field, type).sql : field.sql
}

function mismatch(
  set: SetOperation,
  parts: readonly Output[],
  i: number,
  values: readonly Emitted[],
): SqlFailure {
  const counts = parts.map(part => part.fields.length)
  if (new Set(counts).size > 1) {
    return new SqlFailure(
      `Queries in ${set.op} have mismatched column count; query 1 has ${counts[0]} column(s), query 2 has ${counts.find(c => c !== counts[0])} column(s)`,
      set.right.at,
    )
  }
  const types = values.map(v => typeText(v.type)).join(', ')
  return new SqlFailure(`Column ${i + 1} in ${set.op} has incompatible types: ${types}`, set.right.at)
}
