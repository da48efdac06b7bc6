/** The select list: stars written out, names given. */
import type { Expr, Select, SelectStar } from './ast.ts'
import { emitExpr } from './emit-expr.ts'
import { type Emitted, type Env, type Field, quoteName, type Relation } from './env.ts'
import { SqlFailure } from './error.ts'
import { emitField } from './resolve.ts'
import { typeText } from './type.ts'

export interface Item {
  /** Nothing for an expression that BigQuery leaves unnamed. */
  readonly name?: string
  readonly value: Emitted
}

function impliedName(expr: Expr): string | undefined {
  if (expr.kind === 'path') return expr.parts.at(-1)
  return expr.kind === 'field' ? expr.name : undefined
}

export function emitItems(select: Select, env: Env): readonly Item[] {
  return select.items.flatMap(item => {
    if (item.kind === 'star') return emitStar(item, env)
    const name = item.alias ?? impliedName(item.expr)
    const value = emitExpr(item.expr, env)
    return [name === undefined ? { value } : { name, value }]
  })
}

function structFields(value: Emitted, at: number): Field[] {
  if (value.type.kind !== 'struct')
    throw new SqlFailure(`Dot-star is not supported for type ${typeText(value.type)}`, at)
  return value.type.fields.map(({ name = '' }) => ({ name, ...emitField(value, name, at) }))
}

function starFields(star: SelectStar, env: Env): readonly Field[] {
  const [rows] = env.rows
  if (!star.of) {
    if (!rows || rows.relations.length === 0)
      throw new SqlFailure('SELECT * must have a FROM clause', star.at)
    return rows.order
  }
  const [alias, ...rest] = star.of.kind === 'path' ? star.of.parts : []
  const isAlias = (relation: Relation) => relation.alias.toLowerCase() === alias?.toLowerCase()
  const relation = rest.length === 0 ? env.rows.flatMap(r => r.relations).find(isAlias) : undefined
  return relation ? relation.fields : structFields(emitExpr(star.of, env), star.at)
}

function emitStar(star: SelectStar, env: Env): Item[] {
  const fields = starFields(star, env)
  const has = (name: string) => fields.some(field => field.name.toLowerCase() === name.toLowerCase())
  for (const name of star.except) {
    if (!has(name)) throw new SqlFailure(`Column ${name} in SELECT * EXCEPT list does not exist`, star.at)
  }
  for (const { name } of star.replace) {
    if (!has(name)) throw new SqlFailure(`Column ${name} in SELECT * REPLACE list does not exist`, star.at)
  }
  const excluded = new Set(star.except.map(name => name.toLowerCase()))
  const replaced = new Map(star.replace.map(({ name, expr }) => [name.toLowerCase(), emitExpr(expr, env)]))
  const kept = fields.filter(field => !excluded.has(field.name.toLowerCase()))
  if (kept.length === 0) throw new SqlFailure('SELECT * EXCEPT list leaves no column', star.at)
  return kept.map(({ name, sql, type }) => ({
    name,
    value: replaced.get(name.toLowerCase()) ?? { sql, type },
  }))
}

/** Output columns with a name each, different even where BigQuery's are not. */
export function nameItems(items: readonly Item[]): readonly Field[] {
  const used = new Set<string>()
  let anonymous = 0
  return items.map(({ name, value }) => {
    const given = name ?? `f${anonymous++}_`
    let inner = given
    for (let i = 1; used.has(inner.toLowerCase()); i++) inner = `${given}:${i}`
    used.add(inner.toLowerCase())
    return {
      name: given,
      sql: quoteName(inner),
      type: value.type,
      ...(value.literal ? { literal: value.literal } : {}),
    }
  })
}
