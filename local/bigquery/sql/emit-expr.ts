/** Translates expressions, one case for each kind of node. */
import type {
  ArrayLiteral,
  Case,
  Expr,
  Field as FieldAccess,
  In,
  Index,
  Interval,
  IntervalRange,
  Literal,
  Parameter,
  Path,
  StructLiteral,
  SubqueryExpr,
  TypedLiteral,
} from './ast.ts'
import { canCoerce, coerce, commonType } from './coerce.ts'
import { emitCall } from './emit-call.ts'
import { emitCast } from './emit-cast.ts'
import { emitExtract } from './emit-extract.ts'
import { emitInterval, emitLiteral, emitParameter, emitTypedLiteral } from './emit-literal.ts'
import { emitBetween, emitBinary, emitComparison, emitUnary, together } from './emit-operator.ts'
import { emitQuery } from './emit-query.ts'
import { type Emitted, type Env, innerEnv, quoteName } from './env.ts'
import { SqlFailure } from './error.ts'
import { emitIntervalRange } from './interval-range.ts'
import { emitField, resolvePath } from './resolve.ts'
import { duckType, type SqlType, scalar, typeText } from './type.ts'

export function emitExpr(expr: Expr, env: Env): Emitted {
  switch (expr.kind) {
    case 'literal':
    case 'typedLiteral':
    case 'interval':
    case 'intervalRange':
    case 'parameter':
    case 'path':
      return emitLeaf(expr, env)
    case 'unary':
      return emitUnary(expr, env)
    case 'binary':
      return emitBinary(expr, env)
    case 'between':
      return emitBetween(expr, env)
    case 'is': {
      const { sql } = emitExpr(expr.operand, env)
      return { sql: `(${sql} IS ${expr.not ? 'NOT ' : ''}${expr.what})`, type: scalar('BOOL') }
    }
    case 'in':
      return emitIn(expr, env)
    case 'case':
      return emitCase(expr, env)
    case 'cast':
      return emitCast(emitExpr(expr.operand, env), expr.type, expr.safe, expr.operand.at)
    case 'extract':
      return emitExtract(expr, env)
    case 'call':
      return emitCall(expr, env)
    default:
      return emitComposite(expr, env)
  }
}

function emitLeaf(
  expr: Literal | TypedLiteral | Interval | IntervalRange | Parameter | Path,
  env: Env,
): Emitted {
  switch (expr.kind) {
    case 'literal':
      return emitLiteral(expr)
    case 'typedLiteral':
      return emitTypedLiteral(expr)
    case 'interval':
      return emitInterval(expr, env)
    case 'intervalRange':
      return emitIntervalRange(expr)
    case 'parameter':
      return emitParameter(expr, env)
    case 'path':
      return resolvePath(expr, env)
  }
}

function emitComposite(
  expr: ArrayLiteral | StructLiteral | FieldAccess | Index | SubqueryExpr,
  env: Env,
): Emitted {
  switch (expr.kind) {
    case 'array':
      return emitArray(expr.items, expr.of, expr.at, env)
    case 'struct':
      return emitStruct(expr, env)
    case 'field':
      return emitField(emitExpr(expr.base, env), expr.name, expr.at)
    case 'index':
      return emitIndex(expr, env)
    case 'subquery':
      return emitSubquery(expr, env)
  }
}

/** A condition, refused when it is anything but a BOOL. */
export function emitCondition(expr: Expr, env: Env, clause: string): string {
  const { sql, type, literal } = emitExpr(expr, env)
  if (typeText(type) !== 'BOOL' && literal?.type !== 'NULL') {
    throw new SqlFailure(`${clause} should return type BOOL, but returns ${typeText(type)}`, expr.at)
  }
  return sql
}

function emitIn(expr: In, env: Env): Emitted {
  const operand = emitExpr(expr.operand, env)
  const word = expr.not ? 'NOT IN' : 'IN'
  const type = scalar('BOOL')
  if (expr.query) {
    const { sql, fields } = emitQuery(expr.query, innerEnv(env))
    const [only] = fields
    if (fields.length !== 1 || !only)
      throw new SqlFailure('Subquery of type IN must have only one output column', expr.at)
    together([operand, only], `IN`, expr.at)
    return { sql: `(${operand.sql} ${word} (${sql}))`, type }
  }
  if (expr.unnest) {
    const list = emitExpr(expr.unnest, env)
    if (list.type.kind !== 'array')
      throw new SqlFailure('Second argument of IN UNNEST must be an array', expr.at)
    const [left] = together([operand, { sql: '', type: list.type.of }], 'IN UNNEST', expr.at)
    const found = `(${left?.sql} IN (SELECT unnest(${list.sql})))`
    return { sql: expr.not ? `(NOT ${found})` : found, type }
  }
  const given = (expr.list ?? []).map(item => emitExpr(item, env))
  if (operand.type.kind === 'struct') {
    const same = given.map(item => emitComparison('=', operand, item, expr.at).sql)
    return { sql: `(${expr.not ? 'NOT ' : ''}(${same.join(' OR ')}))`, type }
  }
  const [left, ...items] = together([operand, ...given], 'IN', expr.at)
  return { sql: `(${left?.sql} ${word} (${items.map(item => item.sql).join(', ')}))`, type }
}

function emitCase(expr: Case, env: Env): Emitted {
  const operand = expr.operand && emitExpr(expr.operand, env)
  const whens = expr.branches.map(({ when }) => {
    if (!operand) return emitCondition(when, env, 'CASE condition')
    const [left, right] = together([operand, emitExpr(when, env)], 'CASE', when.at)
    return `${left?.sql} = ${right?.sql}`
  })
  const results = expr.branches.map(({ result }) => emitExpr(result, env))
  const otherwise = expr.otherwise && emitExpr(expr.otherwise, env)
  const [first, ...rest] = together(otherwise ? [otherwise, ...results] : results, 'CASE', expr.at)
  const branches = otherwise ? rest : first ? [first, ...rest] : rest
  const cases = whens.map((when, i) => ` WHEN ${when} THEN ${branches[i]?.sql}`)
  const last = otherwise && first ? ` ELSE ${first.sql}` : ''
  return { sql: `(CASE${cases.join('')}${last} END)`, type: first?.type ?? scalar('INT64') }
}

function emitArray(items: readonly Expr[], of: SqlType | undefined, at: number, env: Env): Emitted {
  const values = items.map(item => emitExpr(item, env))
  const element = of ?? (values.length === 0 ? scalar('INT64') : commonType(values))
  const bad = element ? values.find(value => !canCoerce(value, element)) : values[0]
  if (!element || bad)
    throw new SqlFailure(
      `Array elements of types {${values.map(v => typeText(v.type)).join(', ')}} do not have a common supertype`,
      at,
    )
  if (element.kind === 'array')
    throw new SqlFailure(
      'Cannot construct array with element type ARRAY because nested arrays are not supported',
      at,
    )
  const type: SqlType = { kind: 'array', of: element }
  if (values.length === 0) {
    const sql = `CAST([] AS ${duckType(type)})`
    return of ? { sql, type } : { sql, type, literal: { type: 'EMPTY_ARRAY', value: '' } }
  }
  return { sql: `[${values.map(value => coerce(value, element).sql).join(', ')}]`, type }
}

function emitStruct(expr: StructLiteral, env: Env): Emitted {
  const wanted = expr.type?.kind === 'struct' ? expr.type.fields : undefined
  if (wanted && wanted.length !== expr.items.length)
    throw new SqlFailure('STRUCT has the wrong number of fields', expr.at)
  const fields = expr.items.map((item, i) => {
    const value = emitExpr(item.expr, env)
    const field = wanted?.[i]
    if (field && !canCoerce(value, field.type)) {
      throw new SqlFailure(
        `Struct field ${i + 1} has type ${typeText(value.type)} which does not coerce to ${typeText(field.type)}`,
        item.expr.at,
      )
    }
    const implied = item.expr.kind === 'path' && !wanted && !expr.isTuple ? item.expr.parts.at(-1) : undefined
    const name = field?.name ?? item.name ?? implied
    return { value: field ? coerce(value, field.type) : value, ...(name === undefined ? {} : { name }) }
  })
  if (fields.length === 0)
    throw new SqlFailure('An empty STRUCT is not supported by the local BigQuery', expr.at)
  const items = fields.map(({ name, value }, i) => {
    const sql = value.literal?.type === 'NULL' ? `CAST(${value.sql} AS ${duckType(value.type)})` : value.sql
    return `${quoteName(name ?? `_field_${i + 1}`)} := ${sql}`
  })
  const types = fields.map(({ name, value: { type } }) => (name === undefined ? { type } : { name, type }))
  const parts = fields.map(({ value }) => value)
  return { sql: `struct_pack(${items.join(', ')})`, type: { kind: 'struct', fields: types }, parts }
}

function emitIndex(expr: Index, env: Env): Emitted {
  const base = emitExpr(expr.base, env)
  const index = emitExpr(expr.index, env)
  if (base.type.kind !== 'array') {
    throw new SqlFailure(
      `Subscript access on a value of type ${typeText(base.type)} is not supported by the local BigQuery`,
      expr.at,
    )
  }
  if (typeText(index.type) !== 'INT64')
    throw new SqlFailure(
      `Array position must be coercible to INT64 type, but has type ${typeText(index.type)}`,
      expr.at,
    )
  const safe = expr.how.startsWith('SAFE')
  const name = expr.how.endsWith('ORDINAL') ? 'ordinal' : 'offset'
  return { sql: `bq_${safe ? 'safe_' : ''}${name}(${base.sql}, ${index.sql})`, type: base.type.of }
}

function emitSubquery(expr: SubqueryExpr, env: Env): Emitted {
  const { sql, fields } = emitQuery(expr.query, innerEnv(env))
  if (expr.form === 'exists') return { sql: `EXISTS (${sql})`, type: scalar('BOOL') }
  const [only] = fields
  const what = expr.form === 'array' ? 'ARRAY' : 'Scalar'
  if (fields.length !== 1 || !only) {
    throw new SqlFailure(
      `${what} subquery cannot have more than one column unless using SELECT AS STRUCT to build STRUCT values`,
      expr.at,
    )
  }
  if (expr.form === 'scalar') return { sql: `(${sql})`, type: only.type }
  return { sql: `ARRAY(${sql})`, type: { kind: 'array', of: only.type } }
}
