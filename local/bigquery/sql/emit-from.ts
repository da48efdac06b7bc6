/** Translates FROM: what each relation is, and the names its columns have. */

import { asOfMicros } from './as-of.ts'
import type { From, FromTable, FromUnnest, Join } from './ast.ts'
import { emitCondition, emitExpr } from './emit-expr.ts'
import { together } from './emit-operator.ts'
import { cteName, emitQuery } from './emit-query.ts'
import { type Emitted, type Env, type Field, innerEnv, quoteName, type Relation, type Rows } from './env.ts'
import { SqlFailure } from './error.ts'
import { emitField } from './resolve.ts'
import { scalar, typeText } from './type.ts'

export interface FromOutput {
  readonly sql: string
  readonly rows: Rows
}

/** `left`: the relations that stand before this one, which an UNNEST may use. */
export function emitFrom(from: From, env: Env, left: Rows): FromOutput {
  switch (from.kind) {
    case 'table':
      return emitTable(from, env, left)
    case 'unnest':
      return emitUnnest(from, env, left)
    case 'fromQuery': {
      const { sql, fields } = emitQuery(from.query, innerEnv(env), false)
      const alias = from.alias ?? `_query${from.at}`
      return single(`(${sql}) AS ${quoteName(alias)}`, makeRelation(alias, fields))
    }
    case 'join':
      return emitJoin(from, env, left)
  }
}

function single(sql: string, ...relations: readonly Relation[]): FromOutput {
  return { sql, rows: { relations, merged: [], order: relations.flatMap(relation => relation.fields) } }
}

/** A relation whose fields read `alias.column`. A field's text is its column's quoted name. */
export function makeRelation(
  alias: string,
  fields: readonly Field[],
  hidden: readonly Field[] = [],
): Relation {
  const read = ({ name, sql, type }: Field): Field => ({ name, type, sql: `${quoteName(alias)}.${sql}` })
  return { alias, fields: fields.map(read), hidden: hidden.map(read) }
}

function emitTable(from: FromTable, env: Env, left: Rows): FromOutput {
  const { name } = from
  const asArray = arrayPath(from, env, left)
  if (asArray) return asArray
  const alias = from.alias ?? name.table.split('.').at(-1) ?? name.table
  const cte = name.dataset === undefined ? env.ctes.get(name.table.toLowerCase()) : undefined
  if (cte) {
    if (from.asOf) throw new SqlFailure('FOR SYSTEM_TIME AS OF is not allowed on a WITH alias', from.at)
    return single(`${cteName(name.table)} AS ${quoteName(alias)}`, makeRelation(alias, cte))
  }
  const asOf = from.asOf && asOfMicros(from.asOf, env)
  const toField = ({ name, type }: { name: string; type: Field['type'] }): Field => ({
    name,
    type,
    sql: quoteName(name),
  })
  const fields = env.scope.columns(name).map(toField)
  const hidden = (env.scope.pseudoColumns?.(name) ?? []).map(toField)
  const relation = env.scope.relation(name, asOf)
  const { sample } = from
  const rows = sample === undefined ? relation : `(SELECT * FROM ${relation} TABLESAMPLE SYSTEM (${sample}%))`
  const sql = `${rows} AS ${quoteName(alias)}`
  return single(sql, { ...makeRelation(alias, fields, hidden), table: name })
}

/** `FROM t, t.items`: a name that begins with a relation's alias is an array of its row. */
function arrayPath(from: FromTable, env: Env, left: Rows): FromOutput | undefined {
  const { project, dataset, table } = from.name
  const parts = [project, dataset, table].filter(part => part !== undefined)
  if (parts.length < 2) return undefined
  const aliases = [left, ...env.rows].flatMap(rows =>
    rows.relations.map(relation => relation.alias.toLowerCase()),
  )
  if (!aliases.includes(parts[0]?.toLowerCase() ?? '')) return undefined
  const expr = { kind: 'path', at: from.at, parts } as const
  return emitUnnest({ kind: 'unnest', at: from.at, expr, alias: from.alias ?? table }, env, left)
}

function emitUnnest(from: FromUnnest, env: Env, left: Rows): FromOutput {
  const list = emitExpr(from.expr, { ...innerEnv(env), rows: [left, ...env.rows] })
  if (list.type.kind !== 'array') {
    throw new SqlFailure(
      `Values referenced in UNNEST must be arrays. UNNEST contains expression of type ${typeText(list.type)}`,
      from.expr.at,
    )
  }
  const alias = from.alias ?? `_unnest${from.at}`
  const element: Emitted = { sql: `${quoteName(alias)}."value"`, type: list.type.of }
  const named = element.type.kind === 'struct' ? element.type.fields : undefined
  const fields = named
    ? named.map(({ name = '' }) => ({ name, ...emitField(element, name, from.at) }))
    : [{ name: from.alias ?? 'f0_', ...element }]
  const relation: Relation = { alias, fields, hidden: [], value: element }
  if (from.offset === undefined)
    return single(`unnest(${list.sql}) AS ${quoteName(alias)}("value")`, relation)
  const position: Emitted = { sql: `(${quoteName(alias)}."offset" - 1)`, type: scalar('INT64') }
  const offset: Relation = {
    alias: from.offset,
    fields: [{ name: from.offset, ...position }],
    hidden: [],
    value: position,
  }
  return single(
    `unnest(${list.sql}) WITH ORDINALITY AS ${quoteName(alias)}("value", "offset")`,
    relation,
    offset,
  )
}

function emitJoin(from: Join, env: Env, left: Rows): FromOutput {
  const a = emitFrom(from.left, env, left)
  const before: Rows = joined(left, a.rows)
  const b = emitFrom(from.right, env, before)
  checkAliases(a.rows, b.rows, from.at)
  const right = from.right.kind === 'join' ? `(${b.sql})` : b.sql
  if (from.using) return emitUsing(from, from.using, a, { ...b, sql: right })
  const rows = joined(a.rows, b.rows)
  if (from.on) {
    const on = emitCondition(from.on, { ...env, rows: [rows, ...env.rows] }, 'JOIN ON clause')
    return { sql: `${a.sql} ${from.type} JOIN ${right} ON ${on}`, rows }
  }
  const isRowArray = b.rows.relations.some(relation => relation.value)
  if (from.type !== 'CROSS' && !isRowArray)
    throw new SqlFailure(`${from.type} JOIN must have an immediately following ON or USING clause`, from.at)
  if (from.type === 'CROSS' || from.type === 'INNER') return { sql: `${a.sql} CROSS JOIN ${right}`, rows }
  return { sql: `${a.sql} ${from.type} JOIN ${right} ON TRUE`, rows }
}

function joined(a: Rows, b: Rows): Rows {
  return {
    relations: [...a.relations, ...b.relations],
    merged: [...a.merged, ...b.merged],
    order: [...a.order, ...b.order],
  }
}

function checkAliases(a: Rows, b: Rows, at: number): void {
  const taken = new Set(a.relations.map(relation => relation.alias.toLowerCase()))
  const twice = b.relations.find(relation => taken.has(relation.alias.toLowerCase()))
  if (twice) throw new SqlFailure(`Duplicate table alias ${twice.alias} in the same FROM clause`, at)
}

function emitUsing(from: Join, using: readonly string[], a: FromOutput, b: FromOutput): FromOutput {
  const find = (rows: Rows, name: string, side: string): Field => {
    const same = (field: Field) => field.name.toLowerCase() === name.toLowerCase()
    const [field, other] = rows.merged.some(same) ? rows.merged.filter(same) : rows.order.filter(same)
    if (!field || other)
      throw new SqlFailure(
        `Column ${name} in USING clause ${other ? 'is ambiguous' : 'not found'} on ${side} side of join`,
        from.at,
      )
    return field
  }
  const pairs = using.map(name => ({ l: find(a.rows, name, 'left'), r: find(b.rows, name, 'right') }))
  const conditions = pairs.map(({ l, r }) => {
    const [x, y] = together([l, r], 'USING', from.at)
    return `${x?.sql} = ${y?.sql}`
  })
  const merged = pairs.map(({ l, r }) => {
    if (from.type === 'FULL') return { ...l, sql: `coalesce(${l.sql}, ${r.sql})` }
    return from.type === 'RIGHT' ? { ...r, name: l.name } : l
  })
  const isUsed = (field: Field) => using.some(name => name.toLowerCase() === field.name.toLowerCase())
  const rest = [...a.rows.order, ...b.rows.order].filter(field => !isUsed(field))
  const others = [...a.rows.merged, ...b.rows.merged].filter(field => !isUsed(field))
  return {
    sql: `${a.sql} ${from.type} JOIN ${b.sql} ON ${conditions.join(' AND ')}`,
    rows: {
      relations: [...a.rows.relations, ...b.rows.relations],
      merged: [...merged, ...others],
      order: [...merged, ...rest],
    },
  }
}
