/** Translates function calls: finds the function on the checked list, then its overload. */
import type { Call } from './ast.ts'
import { aggregates, emitAggregate } from './emit-aggregate.ts'
import { emitExpr } from './emit-expr.ts'
import { emitWindowCall, windowFunctions } from './emit-window.ts'
import type { Emitted, Env } from './env.ts'
import { SqlFailure } from './error.ts'
import { special } from './functions-special.ts'
import { matchSignature, signaturesOf } from './signature.ts'
import { typeText } from './type.ts'

export function noMatch(name: string, values: readonly Emitted[], at: number, what = 'function'): SqlFailure {
  const types = values.map(v => (v.literal?.type === 'NULL' ? 'NULL' : typeText(v.type))).join(', ')
  const given = values.length === 0 ? 'with no arguments' : `for argument types: ${types}`
  return new SqlFailure(`No matching signature for ${what} ${name} ${given}`, at)
}

export function emitCall(call: Call, env: Env): Emitted {
  const { name, at } = call
  if (windowFunctions.has(name)) return emitWindowCall(call, env)
  if (aggregates.has(name)) return emitAggregate(call, env)
  const rule = special[name]
  const signatures = signaturesOf(name)
  if (!rule && !signatures) throw new SqlFailure(`Function not found: ${name}`, at)
  if (call.over) throw new SqlFailure(`Analytic function ${name} is not an analytic function`, at)
  if (call.distinct || call.star || call.orderBy.length > 0 || call.limit || call.nulls || call.having) {
    throw new SqlFailure(
      `Function ${name} is not an aggregate function and takes no DISTINCT, *, ORDER BY, LIMIT or NULLS`,
      at,
    )
  }
  const value = rule ? rule(call, env) : emitListed(call, env)
  if (!call.safe) return value
  // It has a twin that gives NULL, as those of SAFE_CAST have.
  if (value.sql.startsWith('bq_parse_json('))
    return { ...value, sql: value.sql.replace('bq_parse_json(', 'bq_try_parse_json(') }
  // DuckDB's TRY takes nothing that can raise errors by itself.
  if (/\bbq_|\berror\(/.test(value.sql))
    throw new SqlFailure(`SAFE.${name} of these arguments is not supported by the local BigQuery`, at)
  return { sql: `TRY(${value.sql})`, type: value.type }
}

function emitListed(call: Call, env: Env): Emitted {
  const values = call.args.map(arg => emitExpr(arg, env))
  const matched = matchSignature(signaturesOf(call.name) ?? [], values)
  if (!matched) throw noMatch(call.name, values, call.at)
  return matched
}
