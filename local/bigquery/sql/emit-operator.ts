/** Translates operators, with BigQuery's type rules and errors. */
import type { Between, Binary, Unary } from './ast.ts'
import { canCoerce, coerce, commonType } from './coerce.ts'
import { emitExpr } from './emit-expr.ts'
import { type Emitted, type Env, quoteText } from './env.ts'
import { SqlFailure } from './error.ts'
import { duckType, type ScalarName, scalar, typeText } from './type.ts'

const bool = scalar('BOOL')
const comparisons = new Set(['=', '!=', '<', '>', '<=', '>=', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM'])

function noSignature(op: string, values: readonly Emitted[], at: number): SqlFailure {
  const types = values.map(v => (v.literal?.type === 'NULL' ? 'NULL' : typeText(v.type))).join(', ')
  return new SqlFailure(`No matching signature for operator ${op} for argument types: ${types}`, at)
}

/** All values in their common type. */
export function together(values: readonly Emitted[], op: string, at: number): Emitted[] {
  const type = commonType(values)
  if (!type) throw noSignature(op, values, at)
  return values.map(value => {
    // Integer literals next to INT64 need no cast: DuckDB compares them as they are.
    const isPlain =
      value.literal?.type === 'INT64' &&
      typeText(type) === 'INT64' &&
      comparisons.has(op) &&
      values.some(v => !v.literal)
    return isPlain && value.literal ? { sql: value.literal.value, type } : coerce(value, type)
  })
}

export function isType(value: Emitted, ...names: readonly ScalarName[]): boolean {
  const { type } = value
  return type.kind === 'scalar' && names.includes(type.name)
}

export function emitUnary(expr: Unary, env: Env): Emitted {
  const value = emitExpr(expr.operand, env)
  if (expr.op === 'NOT') {
    if (!canCoerce(value, bool)) throw noSignature('NOT', [value], expr.at)
    return { sql: `(NOT ${value.sql})`, type: bool }
  }
  const fits =
    expr.op === '~' ? isType(value, 'INT64') : isType(value, 'INT64', 'FLOAT64', 'NUMERIC', 'INTERVAL')
  if (!fits) throw noSignature(expr.op, [value], expr.at)
  return expr.op === '+' ? value : { sql: `(${expr.op}${value.sql})`, type: value.type }
}

export function emitBetween(expr: Between, env: Env): Emitted {
  const values = [expr.operand, expr.low, expr.high].map(e => emitExpr(e, env))
  const [operand, low, high] = together(values, 'BETWEEN', expr.at)
  return {
    sql: `(${operand?.sql} ${expr.not ? 'NOT ' : ''}BETWEEN ${low?.sql} AND ${high?.sql})`,
    type: bool,
  }
}

function sqlBitwise(op: string, left: Emitted, right: Emitted): string {
  const places = right.literal?.type === 'INT64' ? Number(right.literal.value) : 0
  if (op === '>>' && places > 0 && places < 64) {
    // DuckDB's own shift is the fast one. It fills up with the sign, which BigQuery doesn't: the mask takes that off.
    return `((${left.sql} >> ${places}) & ${(1n << BigInt(64 - places)) - 1n})`
  }
  const name = op === '<<' ? 'bq_shift_left' : op === '>>' ? 'bq_shift_right' : op === '^' ? 'xor' : undefined
  return name ? `${name}(${left.sql}, ${right.sql})` : `(${left.sql} ${op} ${right.sql})`
}

export function emitBinary(expr: Binary, env: Env): Emitted {
  const { op, at } = expr
  const left = emitExpr(expr.left, env)
  const right = emitExpr(expr.right, env)
  const refused = () => noSignature(op, [left, right], at)
  if (op === 'AND' || op === 'OR') {
    if (!canCoerce(left, bool) || !canCoerce(right, bool)) throw refused()
    return { sql: `(${left.sql} ${op} ${right.sql})`, type: bool }
  }
  if (comparisons.has(op)) return emitComparison(op, left, right, at)
  if (op === 'LIKE') {
    if (!canCoerce(left, scalar('STRING')) || !canCoerce(right, scalar('STRING'))) throw refused()
    // BigQuery's escape character is always the backslash, DuckDB's none.
    return { sql: `(${left.sql} LIKE ${right.sql} ESCAPE '\\')`, type: bool }
  }
  if (op === '||') return emitConcat(left, right, refused)
  if (['&', '|', '^', '<<', '>>'].includes(op)) {
    if (!isType(left, 'INT64') || !isType(right, 'INT64')) throw refused()
    return { sql: sqlBitwise(op, left, right), type: scalar('INT64') }
  }
  return emitDates(op, left, right) ?? emitArithmetic(op, left, right, refused)
}

export function emitComparison(op: string, left: Emitted, right: Emitted, at: number): Emitted {
  const [a, b] = together([left, right], op, at)
  if (!a || !b) throw noSignature(op, [left, right], at)
  const isEquality = !['<', '>', '<=', '>='].includes(op)
  if (a.type.kind === 'array' || isType(a, 'JSON') || (a.type.kind === 'struct' && !isEquality)) {
    const message = a.type.kind === 'scalar' ? 'JSON' : typeText(a.type)
    throw new SqlFailure(
      `${isEquality ? 'Equality' : 'Less than'} is not defined for arguments of type ${message}`,
      at,
    )
  }
  if (a.type.kind === 'struct' && (op === '=' || op === '!='))
    return { sql: sqlStructEquality(op, a, b), type: bool }
  const plain = `(${a.sql} ${op} ${b.sql})`
  return {
    sql: isType(a, 'FLOAT64')
      ? sqlWithoutNaN(plain, op, left.literal ? undefined : a.sql, right.literal ? undefined : b.sql)
      : plain,
    type: bool,
  }
}

/** Field by field: a NULL field makes the answer NULL unless another field decides. */
function sqlStructEquality(op: '=' | '!=', a: Emitted, b: Emitted): string {
  const fields = a.type.kind === 'struct' ? a.type.fields : []
  const parts = fields.map(({ name, type }, i) => {
    const field = (value: Emitted): Emitted =>
      value.parts?.[i] ?? {
        sql: `struct_extract(${value.sql}, ${quoteText(name ?? `_field_${i + 1}`)})`,
        type,
      }
    const [x, y] = [field(a), field(b)]
    return type.kind === 'struct' ? sqlStructEquality('=', x, y) : `${x.sql} = ${y.sql}`
  })
  const same = `(${parts.join(' AND ')})`
  return op === '=' ? same : `(NOT ${same})`
}

/** For DuckDB NaN is the greatest number and equals itself; for BigQuery every comparison with it is false, but `!=`. */
function sqlWithoutNaN(
  plain: string,
  op: string,
  left: string | undefined,
  right: string | undefined,
): string {
  const guard = op === '>' || op === '>=' ? left : op === '<' || op === '<=' ? right : undefined
  if (guard !== undefined) return `(${plain} AND NOT isnan(${guard}))`
  if (left === undefined || right === undefined) return plain
  if (op === '=') return `(${plain} AND NOT isnan(${left}))`
  return op === '!=' ? `(${plain} OR (isnan(${left}) AND isnan(${right})))` : plain
}

function emitConcat(left: Emitted, right: Emitted, refused: () => SqlFailure): Emitted {
  if (left.type.kind === 'array' && right.type.kind === 'array') {
    const type = commonType([left, right])
    if (!type) throw refused()
    return { sql: `(${coerce(left, type).sql} || ${coerce(right, type).sql})`, type }
  }
  const type = isType(left, 'BYTES') || isType(right, 'BYTES') ? scalar('BYTES') : scalar('STRING')
  if (!canCoerce(left, type) || !canCoerce(right, type)) throw refused()
  const sql = `(${coerce(left, type).sql} || ${coerce(right, type).sql})`
  const isNull = left.literal?.type === 'NULL' || right.literal?.type === 'NULL'
  return { sql: isNull ? `CAST(${sql} AS ${duckType(type)})` : sql, type }
}

/** Dates and intervals: `date + 1`, `timestamp - INTERVAL 1 DAY`, `date - date`. */
function emitDates(op: string, left: Emitted, right: Emitted): Emitted | undefined {
  if (op !== '+' && op !== '-') return undefined
  if (isType(left, 'DATE') && isType(right, 'INT64')) {
    return { sql: `(${left.sql} ${op} CAST(${right.sql} AS INTEGER))`, type: left.type }
  }
  if (op === '+' && isType(left, 'INT64') && isType(right, 'DATE')) return emitDates(op, right, left)
  if (isType(right, 'INTERVAL') && isType(left, 'TIMESTAMP', 'DATETIME', 'DATE', 'INTERVAL')) {
    const type = isType(left, 'DATE') ? scalar('DATETIME') : left.type
    return { sql: `(${left.sql} ${op} ${right.sql})`, type }
  }
  if (op === '+' && isType(left, 'INTERVAL') && isType(right, 'TIMESTAMP', 'DATETIME', 'DATE'))
    return emitDates(op, right, left)
  return undefined
}

function emitArithmetic(op: string, left: Emitted, right: Emitted, refused: () => SqlFailure): Emitted {
  const numeric: readonly ScalarName[] = ['INT64', 'NUMERIC', 'FLOAT64']
  const fits = (value: Emitted) => isType(value, ...numeric) || value.literal?.type === 'NULL'
  const common = commonType([left, right])
  if (!common || !fits(left) || !fits(right)) throw refused()
  const isDivision = op === '/'
  const type = isDivision && typeText(common) === 'INT64' ? scalar('FLOAT64') : common
  const a = coerce(left, type).sql
  const b = coerce(right, type).sql
  if (isDivision) {
    return { sql: `${typeText(type) === 'NUMERIC' ? 'bq_numeric_divide' : 'bq_divide'}(${a}, ${b})`, type }
  }
  if (typeText(type) === 'NUMERIC' && op === '*') return { sql: sqlProduct(left, right, a, b), type }
  if (typeText(type) === 'NUMERIC') return { sql: `CAST(${a} ${op} ${b} AS DECIMAL(38,9))`, type }
  return { sql: `(${a} ${op} ${b})`, type }
}

/** With a whole number on one side the product keeps its scale and is exact; two NUMERICs need a wider one. */
function sqlProduct(left: Emitted, right: Emitted, a: string, b: string): string {
  const whole = (value: Emitted) => `CAST(${value.sql} AS DECIMAL(19,0))`
  if (isType(right, 'INT64')) return `CAST(${a} * ${whole(right)} AS DECIMAL(38,9))`
  if (isType(left, 'INT64')) return `CAST(${whole(left)} * ${b} AS DECIMAL(38,9))`
  return `bq_numeric_multiply(${a}, ${b})`
}
