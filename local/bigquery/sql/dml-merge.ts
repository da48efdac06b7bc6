/** MERGE as queries for what the target holds afterwards: the rows it leaves alone, changes and adds. */

import { joinRows, makeTarget, numbered, type Target, tooManyMatches, withRows } from './dml-update.ts'
import { assignments, assignTo, defaultOf, findColumn } from './dml-value.ts'
import { emitCondition, emitExpr } from './emit-expr.ts'
import { emitFrom } from './emit-from.ts'
import { type Env, noRows, quoteName } from './env.ts'
import { SqlFailure } from './error.ts'
import type { Merge, MergeAction, MergeClause } from './statement.ts'
import type { DmlPlan } from './translate-dml.ts'
import { duckType } from './type.ts'

/** What one kind of WHEN clause does: the number of the clause that holds for a row, and each column's new value. */
interface Branch {
  readonly action: string
  readonly columns: readonly string[]
  readonly deletes: readonly number[]
}

function planBranch(
  clauses: readonly MergeClause[],
  merge: Merge,
  target: Target,
  env: Env,
  sourceNames: readonly string[],
  isNew: boolean,
): Branch {
  const chosen = clauses.map(
    (clause, i) => `WHEN ${clause.and ? emitCondition(clause.and, env, 'AND condition') : 'TRUE'} THEN ${i}`,
  )
  const action = chosen.length > 0 ? `CASE ${chosen.join(' ')} END` : 'CAST(NULL AS INTEGER)'
  const values = clauses.map(clause => newValues(clause.action, merge, env, sourceNames))
  const columns = env.scope.columns(merge.name).map(column => {
    const old = isNew ? `CAST(NULL AS ${duckType(column.type)})` : `${target.alias}.${quoteName(column.name)}`
    const cases = values.map((value, i) => `WHEN ${i} THEN ${value.get(column.name) ?? old}`)
    return cases.length > 0
      ? `CASE ${action} ${cases.join(' ')} ELSE ${old} END AS ${quoteName(column.name)}`
      : `${old} AS ${quoteName(column.name)}`
  })
  return {
    action,
    columns,
    deletes: clauses.flatMap((clause, i) => (clause.action.kind === 'delete' ? [i] : [])),
  }
}

function newValues(
  action: MergeAction,
  merge: Merge,
  env: Env,
  sourceNames: readonly string[],
): ReadonlyMap<string, string> {
  const all = env.scope.columns(merge.name)
  if (action.kind === 'delete') return new Map()
  if (action.kind === 'update')
    return new Map([...assignments(action.set, merge.name, env)].map(([column, sql]) => [column.name, sql]))
  const names =
    action.kind === 'insertRow' || action.columns.length === 0
      ? all.map(column => column.name)
      : action.columns
  const exprs =
    action.kind === 'insertRow'
      ? sourceNames.map(name => ({ kind: 'path', at: 0, parts: [name] }) as const)
      : action.values
  if (exprs.length !== names.length) {
    throw new SqlFailure(
      `Inserted row has wrong column count; Has ${exprs.length}, expected ${names.length}`,
      exprs.find(e => e)?.at ?? 0,
    )
  }
  const values = new Map(all.map(column => [column.name, defaultOf(merge.name, column, env)]))
  for (const [i, name] of names.entries()) {
    const column = findColumn(all, name, 0)
    const expr = exprs[i]
    if (expr) values.set(column.name, assignTo(column, emitExpr(expr, env), expr.at))
  }
  return values
}

/** CTEs that hold each row of each side with what happens to it. */
function planParts(
  merge: Merge,
  env: Env,
): { ctes: string; target: Target; branches: Record<MergeClause['when'], Branch> } {
  const target = makeTarget(merge.name, merge.alias, env)
  const source = emitFrom(merge.source, env, noRows)
  const [relation] = source.rows.relations
  if (!relation || source.rows.relations.length !== 1)
    throw new SqlFailure('MERGE takes one table or subquery as its source', merge.source.at)
  const alias = quoteName(relation.alias)
  const both = withRows(env, joinRows(target.rows, source.rows))
  const on = emitCondition(merge.on, both, 'MERGE condition')
  const names = relation.fields.map(field => field.name)
  const of = (when: MergeClause['when'], inner: Env) =>
    planBranch(
      merge.clauses.filter(c => c.when === when),
      merge,
      target,
      inner,
      names,
      when === 'notMatchedByTarget',
    )
  const branches = {
    matched: of('matched', both),
    notMatchedByTarget: of('notMatchedByTarget', withRows(env, source.rows)),
    notMatchedBySource: of('notMatchedBySource', withRows(env, target.rows)),
  }
  const rows = (branch: Branch) => `${branch.action} AS "_action", ${branch.columns.join(', ')}`
  const from = {
    target: `"_target" AS ${target.alias}`,
    source: `"_source" AS ${alias}`,
  }
  const ctes = [
    numbered(target),
    `"_source" AS MATERIALIZED (SELECT *, row_number() OVER () AS "_row" FROM ${source.sql})`,
    `"_pair" AS MATERIALIZED (SELECT ${target.alias}."_row" AS "_t", ${alias}."_row" AS "_s", ${rows(branches.matched)} FROM ${from.target} INNER JOIN ${from.source} ON ${on})`,
    `"_added" AS MATERIALIZED (SELECT ${rows(branches.notMatchedByTarget)} FROM ${from.source} WHERE ${alias}."_row" NOT IN (SELECT "_s" FROM "_pair"))`,
    `"_lone" AS MATERIALIZED (SELECT ${target.alias}."_row" AS "_t", ${rows(branches.notMatchedBySource)} FROM ${from.target} WHERE ${target.alias}."_row" NOT IN (SELECT "_t" FROM "_pair"))`,
  ]
  return { ctes: `WITH ${ctes.join(', ')}`, target, branches }
}

function isDeleted(branch: Branch): string {
  return branch.deletes.length > 0 ? `"_action" IN (${branch.deletes.join(', ')})` : 'FALSE'
}

export function planMerge(merge: Merge, env: Env): DmlPlan {
  const { ctes, target, branches } = planParts(merge, env)
  const list = target.columns.join(', ')
  const kept = (cte: string, branch: Branch) =>
    `SELECT ${list} FROM ${cte} WHERE "_action" IS NOT NULL AND NOT (${isDeleted(branch)})`
  const acted =
    'SELECT "_t" FROM "_pair" WHERE "_action" IS NOT NULL UNION ALL SELECT "_t" FROM "_lone" WHERE "_action" IS NOT NULL'
  const parts = [
    `SELECT ${list} FROM "_target" WHERE "_row" NOT IN (${acted})`,
    kept('"_pair"', branches.matched),
    kept('"_lone"', branches.notMatchedBySource),
    kept('"_added"', branches.notMatchedByTarget),
  ]
  const number = (cte: string, condition: string) =>
    `(SELECT count(*) FROM ${cte} WHERE "_action" IS NOT NULL AND ${condition})`
  const deleted = `${number('"_pair"', isDeleted(branches.matched))} + ${number('"_lone"', isDeleted(branches.notMatchedBySource))}`
  const updated = `${number('"_pair"', `NOT (${isDeleted(branches.matched)})`)} + ${number('"_lone"', `NOT (${isDeleted(branches.notMatchedBySource)})`)}`
  const twice = 'EXISTS (SELECT 1 FROM "_pair" WHERE "_action" IS NOT NULL GROUP BY "_t" HAVING count(*) > 1)'
  return {
    kind: 'replace',
    target: merge.name,
    sql: `${ctes} ${parts.join(' UNION ALL ')}`,
    counts: `${ctes} SELECT ${number('"_added"', 'TRUE')} AS inserted, CASE WHEN ${twice} THEN error('${tooManyMatches}') ELSE ${updated} END AS updated, ${deleted} AS deleted`,
  }
}
