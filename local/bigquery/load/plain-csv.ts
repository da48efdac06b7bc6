/** The CSV that DuckDB's reader is known to take exactly: an automaton that accepts those files and no others. */
import type { Field } from '../catalogue/field.ts'
import { AutomatonBuilder, type Plain } from './automaton.ts'
import type { CsvOptions } from './config.ts'

const digits = '0123456789'
const bytes = Array.from({ length: 256 - 0x20 }, (_, i) => String.fromCharCode(i + 0x20))

type Value = (b: AutomatonBuilder, from: number, to: number) => void

/** One to `most` digits, from there on what leaves `to`; answers the states that follow a digit. */
function number(b: AutomatonBuilder, from: number, most: number): number[] {
  const states: number[] = []
  let at = from
  for (let i = 0; i < most; i++) {
    const next = b.state()
    b.edge(at, digits, next)
    states.push(next)
    at = next
  }
  return states
}

/** At most 18 digits, which fit INT64. */
const integer: Value = (b, from, to) => {
  const whole = number(b, from, 18)
  const sign = b.walk(from, '-')
  b.edge(sign, digits, whole[0] ?? to)
  for (const state of whole) b.join(state, to)
}

/** Short enough that no reader runs into infinity. */
const float: Value = (b, from, to) => {
  const whole = number(b, from, 17)
  b.edge(b.walk(from, '-'), digits, whole[0] ?? to)
  const [point, mark, sign] = [b.state(), b.state(), b.state()]
  const fraction = number(b, point, 20)
  const exponent = number(b, mark, 2)
  b.edge(mark, '+-', sign)
  b.edge(sign, digits, exponent[0] ?? to)
  for (const state of whole) b.edge(state, '.', point)
  for (const state of [...whole, ...fraction]) b.edge(state, 'eE', mark)
  for (const state of [...whole, ...fraction, ...exponent]) b.join(state, to)
}

const bool: Value = (b, from, to) => {
  for (const word of ['true', 'false']) b.join(b.walk(from, word), to)
}

/** A year before 1000 is left to the exact way. */
const date: Value = (b, from, to) => {
  let at = from
  for (const [i, character] of [...'9999-99-99'].entries()) {
    const next = b.state()
    b.edge(at, character !== '9' ? character : i === 0 ? '123456789' : digits, next)
    at = next
  }
  b.join(at, to)
}

/** Bare, or in quotes with the quote itself doubled; no line breaks, and no byte that may begin a byte order mark. */
function text({ delimiter, quote }: CsvOptions): Value {
  const bare = bytes.filter(byte => byte !== delimiter && byte !== quote).join('')
  const inside = bytes.filter(byte => byte !== quote).join('')
  return (b, from, to) => {
    const rest = b.state()
    b.edge(from, bare.replace('\xef', ''), rest)
    b.edge(rest, bare, rest)
    b.join(rest, to)
    if (quote === '') return
    const open = b.walk(from, quote)
    const closed = b.state()
    b.edge(open, inside, open)
    b.edge(open, quote, closed)
    b.edge(closed, quote, open)
    b.join(closed, to)
  }
}

/** Lines to skip: none empty, none with quotes, which readers count differently. */
function skipLines(b: AutomatonBuilder, count: number, quote: string, rows: number): number {
  const inside = bytes.filter(byte => byte !== quote).join('')
  let to = rows
  for (let i = 0; i < count; i++) {
    const [first, rest] = [b.state(), b.state()]
    b.edge(first, inside.replace('\xef', ''), rest)
    b.edge(rest, inside, rest)
    b.edge(rest, '\n', to)
    to = first
  }
  return to
}

const mostSkipped = 10

function isPlainDialect({ delimiter, quote, nullMarker, latin1, skipLeadingRows }: CsvOptions): boolean {
  return (
    [',', ';', '|', '\t'].includes(delimiter) &&
    ['"', ''].includes(quote) &&
    nullMarker === '' &&
    !latin1 &&
    skipLeadingRows <= mostSkipped
  )
}

/** All fields in every row, lines ended by LF. `undefined` for other types and unusual options. */
export function buildPlainCsv(fields: readonly Field[], options: CsvOptions): Plain | undefined {
  if (!isPlainDialect(options)) return undefined
  const values: Readonly<Record<string, Value>> = {
    STRING: text(options),
    INTEGER: integer,
    FLOAT: float,
    BOOLEAN: bool,
    DATE: date,
  }
  const b = new AutomatonBuilder()
  const begins = fields.map(() => b.state())
  const [rows = 0] = begins
  for (const [i, { type, mode }] of fields.entries()) {
    const value = values[type]
    if (!value || mode === 'REPEATED') return undefined
    const from = begins[i] ?? rows
    const next = begins[i + 1]
    const end = b.state()
    b.edge(end, next === undefined ? '\n' : options.delimiter, next ?? rows)
    value(b, from, end)
    // Nothing is NULL; but a line that is empty altogether is no row.
    if (fields.length > 1) b.join(from, end)
  }
  const start = skipLines(b, options.skipLeadingRows, options.quote, rows)
  const table = b.build()
  if (!table) return undefined
  const accepts = (state: number) =>
    state !== 0 && (state === rows * 256 || table[state + 0x0a] === rows * 256)
  return { table, start: start * 256, accepts }
}
