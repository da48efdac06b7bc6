/** Parses OPTIONS(…) and evaluates what is written with literals only. */
import type { Expr } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { parseExpr } from './parse-expr.ts'
import type { LiteralValue, Options, OptionValue } from './statement.ts'

export function parseOptions(cursor: Cursor): Options {
  if (!cursor.take('OPTIONS')) return {}
  const options: Record<string, OptionValue> = {}
  cursor.expect('(')
  if (cursor.take(')')) return options
  for (const [name, value] of cursor.list(() => parseOption(cursor))) options[name] = value
  cursor.expect(')')
  return options
}

function parseOption(cursor: Cursor): [string, OptionValue] {
  const name = cursor.name().toLowerCase()
  if (cursor.at('+')) throw cursor.refuse('Adding to an option with +=')
  cursor.expect('=')
  const expr = parseExpr(cursor)
  const value = literalValue(expr)
  return [name, value === undefined ? { kind: 'expression', expr } : { kind: 'literal', value }]
}

function literalValue(expr: Expr): LiteralValue | undefined {
  if (expr.kind === 'array') return literalList(expr.items)
  if (expr.kind === 'struct') return literalList(expr.items.map(item => item.expr))
  if (expr.kind !== 'literal') return undefined
  switch (expr.type) {
    case 'NULL':
      return null
    case 'BOOL':
      return expr.value === 'true'
    case 'STRING':
      return expr.value
    case 'INT64':
      return Number.isSafeInteger(Number(expr.value)) ? Number(expr.value) : expr.value
    case 'FLOAT64':
      return Number(expr.value)
    case 'BYTES':
      return undefined
  }
}

function literalList(items: readonly Expr[]): LiteralValue | undefined {
  const values: LiteralValue[] = []
  for (const item of items) {
    const value = literalValue(item)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}
