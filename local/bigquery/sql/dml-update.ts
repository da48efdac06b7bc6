/** DELETE and UPDATE as queries for what the target holds afterwards. */
import { assignments } from './dml-value.ts'
import { emitCondition } from './emit-expr.ts'
import { emitFrom, makeRelation } from './emit-from.ts'
import { type Env, quoteName, type Rows } from './env.ts'
import type { Delete, TableName, Update } from './statement.ts'
import type { DmlPlan } from './translate-dml.ts'

export interface Target {
  readonly rows: Rows
  /** The target's relation as FROM reads it, without an alias. */
  readonly relation: string
  readonly alias: string
  readonly columns: readonly string[]
}

export function makeTarget(name: TableName, alias: string | undefined, env: Env): Target {
  const columns = env.scope.columns(name)
  const known = alias ?? name.table
  const toField = ({ name: column, type }: (typeof columns)[number]) => ({
    name: column,
    type,
    sql: quoteName(column),
  })
  const hidden = (env.scope.pseudoColumns?.(name) ?? []).map(toField)
  const relation = { ...makeRelation(known, columns.map(toField), hidden), table: name }
  return {
    rows: { relations: [relation], merged: [], order: relation.fields },
    relation: env.scope.relation(name),
    alias: quoteName(known),
    columns: columns.map(column => quoteName(column.name)),
  }
}

export function withRows(env: Env, rows: Rows): Env {
  return { ...env, rows: [rows] }
}

export function joinRows(a: Rows, b: Rows): Rows {
  return { relations: [...a.relations, ...b.relations], merged: b.merged, order: [...a.order, ...b.order] }
}

export function planDelete(statement: Delete, env: Env): DmlPlan {
  const target = makeTarget(statement.name, statement.alias, env)
  const where = emitCondition(statement.where, withRows(env, target.rows), 'WHERE clause')
  const from = `FROM ${target.relation} AS ${target.alias}`
  return {
    kind: 'replace',
    target: statement.name,
    sql: `SELECT ${target.columns.map(column => `${target.alias}.${column}`).join(', ')} ${from} WHERE (${where}) IS NOT TRUE`,
    counts: `SELECT 0::BIGINT AS inserted, 0::BIGINT AS updated, count(*) AS deleted ${from} WHERE ${where}`,
  }
}

export function planUpdate(statement: Update, env: Env): DmlPlan {
  return statement.from ? planUpdateFrom(statement, env) : planPlainUpdate(statement, env)
}

function planPlainUpdate(statement: Update, env: Env): DmlPlan {
  const target = makeTarget(statement.name, statement.alias, env)
  const inner = withRows(env, target.rows)
  const where = emitCondition(statement.where, inner, 'WHERE clause')
  const values = new Map(
    [...assignments(statement.set, statement.name, inner)].map(([column, sql]) => [
      quoteName(column.name),
      sql,
    ]),
  )
  const items = target.columns.map(column => {
    const old = `${target.alias}.${column}`
    const value = values.get(column)
    return `${value === undefined ? old : `CASE WHEN ${where} THEN ${value} ELSE ${old} END`} AS ${column}`
  })
  const from = `FROM ${target.relation} AS ${target.alias}`
  return {
    kind: 'replace',
    target: statement.name,
    sql: `SELECT ${items.join(', ')} ${from}`,
    counts: `SELECT 0::BIGINT AS inserted, count(*) AS updated, 0::BIGINT AS deleted ${from} WHERE ${where}`,
  }
}

export const tooManyMatches = 'UPDATE/MERGE must match at most one source row for each target row'

/** The target with a row number: a row has no other identity when it has twins. */
export function numbered(target: Target): string {
  return `"_target" AS MATERIALIZED (SELECT *, row_number() OVER () AS "_row" FROM ${target.relation})`
}

function planUpdateFrom(statement: Update, env: Env): DmlPlan {
  const target = makeTarget(statement.name, statement.alias, env)
  if (!statement.from) return planPlainUpdate(statement, env)
  const source = emitFrom(statement.from, env, { relations: [], merged: [], order: [] })
  const inner = withRows(env, joinRows(target.rows, source.rows))
  const where = emitCondition(statement.where, inner, 'WHERE clause')
  const values = [...assignments(statement.set, statement.name, inner)]
  const news = new Map(values.map(([column], i) => [quoteName(column.name), `"_match"."_new${i}"`]))
  const picked = values.map(([, sql], i) => `, ${sql} AS "_new${i}"`).join('')
  const ctes = `WITH ${numbered(target)}, "_match" AS MATERIALIZED (SELECT ${target.alias}."_row"${picked} FROM "_target" AS ${target.alias} CROSS JOIN ${statement.from.kind === 'join' ? `(${source.sql})` : source.sql} WHERE ${where})`
  const items = target.columns.map(column => {
    const value = news.get(column)
    const old = `"_target".${column}`
    return `${value === undefined ? old : `CASE WHEN "_match"."_row" IS NULL THEN ${old} ELSE ${value} END`} AS ${column}`
  })
  return {
    kind: 'replace',
    target: statement.name,
    sql: `${ctes} SELECT ${items.join(', ')} FROM "_target" LEFT JOIN "_match" ON "_target"."_row" = "_match"."_row"`,
    counts: `${ctes} SELECT 0::BIGINT AS inserted, CASE WHEN count(*) > count(DISTINCT "_row") THEN error('${tooManyMatches}') ELSE count(*) END AS updated, 0::BIGINT AS deleted FROM "_match"`,
  }
}
