/** `INTERVAL '4:0:0' HOUR TO SECOND`: a text with several parts. */
import type { IntervalRange } from './ast.ts'
import type { Emitted } from './env.ts'
import { SqlFailure } from './error.ts'
import { scalar } from './type.ts'

// https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#interval_literal_range
const order = ['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND']
/** Parts that share a sign, and what stands between them. */
const groups = [
  { parts: ['YEAR', 'MONTH'], between: '-' },
  { parts: ['DAY'], between: '' },
  { parts: ['HOUR', 'MINUTE', 'SECOND'], between: ':' },
]

/** Of parts that a text has in order, each with its sign; `undefined` for a text of another form. */
function readParts(text: string, parts: readonly string[]): ReadonlyMap<string, bigint> | undefined {
  const present = groups.map(g => ({ ...g, parts: g.parts.filter(part => parts.includes(part)) }))
  const used = present.filter(g => g.parts.length > 0)
  const digits = (part: string) => (part === 'SECOND' ? '(\\d+(?:\\.\\d{1,6})?)' : '(\\d+)')
  const forms = used.map(g => `([+-]?)${g.parts.map(digits).join(g.between)}`)
  const found = new RegExp(`^${forms.join(' ')}$`).exec(text)?.slice(1)
  if (!found) return undefined
  const values = new Map<string, bigint>()
  for (const group of used) {
    const sign = found.shift() === '-' ? -1n : 1n
    for (const part of group.parts) {
      const [whole = '0', fraction = ''] = (found.shift() ?? '0').split('.')
      // Seconds in millionths.
      const value = part === 'SECOND' ? BigInt(`${whole}${fraction.padEnd(6, '0')}`) : BigInt(whole)
      values.set(part, sign * value)
    }
  }
  return values
}

export function emitIntervalRange({ text, from, to, at }: IntervalRange): Emitted {
  const [first, last] = [order.indexOf(from), order.indexOf(to)]
  if (first < 0 || last <= first) throw new SqlFailure(`Invalid INTERVAL range ${from} TO ${to}`, at)
  const values = readParts(text, order.slice(first, last + 1))
  if (!values) throw new SqlFailure(`Invalid INTERVAL value '${text}' for ${from} TO ${to}`, at)
  const of = (part: string) => values.get(part) ?? 0n
  const months = of('YEAR') * 12n + of('MONTH')
  const micros = (of('HOUR') * 60n + of('MINUTE')) * 60_000_000n + of('SECOND')
  const sql = `(to_months(${months}) + to_days(${of('DAY')}) + to_microseconds(${micros}))`
  return { sql, type: scalar('INTERVAL') }
}
