/** The NDJSON that DuckDB's reader is known to take exactly: an automaton that accepts those files and no others. */
import type { Field } from '../catalogue/field.ts'
import { AutomatonBuilder, type Plain } from './automaton.ts'

const digits = '0123456789'
const hex = '0123456789abcdefABCDEF'
const printable = String.fromCharCode(...Array.from({ length: 256 - 0x20 }, (_, i) => i + 0x20)).replace(
  /["\\]/g,
  '',
)

type Value = (b: AutomatonBuilder, from: number, to: number) => void

/** A text: any bytes but control characters, any escape; DuckDB itself refuses bad UTF-8 and lone surrogates. */
const text: Value = (b, from, to) => {
  const inside = b.walk(from, '"')
  b.edge(inside, printable, inside)
  const escaped = b.walk(inside, '\\')
  b.edge(escaped, '"\\/bfnrt', inside)
  let at = b.walk(escaped, 'u')
  for (let i = 0; i < 3; i++) {
    const next = b.state()
    b.edge(at, hex, next)
    at = next
  }
  b.edge(at, hex, inside)
  b.edge(inside, '"', to)
}

/** At most 18 digits: they fit INT64, so that no reader goes over a double. */
const integer: Value = (b, from, to) => {
  let at = b.state()
  const sign = b.walk(from, '-')
  b.edge(from, digits, at)
  b.edge(sign, digits, at)
  for (let i = 1; i < 18; i++) {
    const next = b.state()
    b.join(at, to)
    b.edge(at, digits, next)
    at = next
  }
  b.join(at, to)
}

const float: Value = (b, from, to) => {
  const [whole, fraction, exponent] = [b.state(), b.state(), b.state()]
  const [point, mark] = [b.state(), b.state()]
  b.edge(from, digits, whole)
  b.edge(b.walk(from, '-'), digits, whole)
  b.edge(whole, digits, whole)
  b.edge(whole, '.', point)
  b.edge(point, digits, fraction)
  b.edge(fraction, digits, fraction)
  for (const state of [whole, fraction]) b.edge(state, 'eE', mark)
  b.edge(mark, digits, exponent)
  b.edge(b.walk(mark, '-'), digits, exponent)
  b.edge(b.walk(mark, '+'), digits, exponent)
  b.edge(exponent, digits, exponent)
  for (const state of [whole, fraction, exponent]) b.join(state, to)
}

const bool: Value = (b, from, to) => {
  b.join(b.walk(from, 'true'), to)
  b.join(b.walk(from, 'false'), to)
}

/** `9` stands for a digit; a year before 1000 is left to the exact way. */
function pattern(shape: string): Value {
  return (b, from, to) => {
    let at = b.walk(from, '"')
    for (const [i, character] of [...shape].entries()) {
      const next = b.state()
      b.edge(at, character !== '9' ? character : i === 0 ? '123456789' : digits, next)
      at = next
    }
    b.edge(at, '"', to)
  }
}

const values: Readonly<Record<string, Value>> = {
  STRING: text,
  INTEGER: integer,
  FLOAT: float,
  BOOLEAN: bool,
  DATE: pattern('9999-99-99'),
}

/** Keys in any order, spelled exactly, some missing; one object a line. `undefined` for schemas with other types. */
export function buildPlainNdjson(fields: readonly Field[]): Plain | undefined {
  const b = new AutomatonBuilder()
  const start = b.state()
  const [key, after, end] = [b.state(), b.state(), b.state()]
  b.edge(start, '\n', start)
  b.edge(after, ',', key)
  b.edge(after, '}', end)
  b.edge(key, ' ', key)
  b.edge(end, '\n', start)
  b.edge(b.walk(end, '\r'), '\n', start)
  for (const { name, type, mode } of fields) {
    const value = values[type]
    if (!value || mode === 'REPEATED' || /["\\]/.test(name)) return undefined
    const from = b.walk(key, `${JSON.stringify(name)}:`)
    b.edge(from, ' ', from)
    b.join(b.walk(from, 'null'), after)
    value(b, from, after)
  }
  const first = b.walk(start, '{')
  b.join(first, key)
  const table = b.build()
  const accepting = [start * 256, end * 256]
  return table && { table, start: start * 256, accepts: state => accepting.includes(state) }
}
