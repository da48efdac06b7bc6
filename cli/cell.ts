/** Cells of BigQuery's REST answers, as values that print without loss. */

/** A column of a result, as `schema.fields` describes it. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly mode?: string
  readonly fields?: readonly Field[]
}
export type Value = null | string | number | boolean | readonly Value[] | { readonly [name: string]: Value }

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Microseconds since 1970, as sent under `formatOptions.useInt64Timestamp`, as BigQuery prints a TIMESTAMP. */
function printTimestamp(text: string): string {
  const micros = BigInt(text)
  const second = 1_000_000n
  const rest = ((micros % second) + second) % second
  const whole = new Date(Number((micros - rest) / 1000n)).toISOString().slice(0, 19).replace('T', ' ')
  const fraction = rest === 0n ? '' : `.${rest.toString().padStart(6, '0').replace(/0+$/, '')}`
  return `${whole}${fraction} UTC`
}

function parseScalar(type: string, text: string): Value {
  switch (type) {
    case 'INTEGER':
    case 'INT64': {
      const number = Number(text)
      return Number.isSafeInteger(number) ? number : text
    }
    case 'FLOAT':
    case 'FLOAT64':
      return Number.isFinite(Number(text)) ? Number(text) : text
    case 'BOOLEAN':
    case 'BOOL':
      return text === 'true'
    case 'TIMESTAMP':
      return /^-?\d+$/.test(text) ? printTimestamp(text) : text
    default:
      return text
  }
}

/** `cell` is what stands at `v`: text, null, a list of cells or a record of cells. */
export function parseCell(field: Field, cell: unknown): Value {
  if (cell === null || cell === undefined) return null
  if (field.mode === 'REPEATED') {
    const single = { ...field, mode: 'NULLABLE' }
    return Array.isArray(cell) ? cell.map(item => parseCell(single, isRecord(item) ? item.v : item)) : null
  }
  if (field.fields && isRecord(cell)) return parseRow(field.fields, cell)
  return parseScalar(field.type, String(cell))
}

/** A row `{ f: [{ v }, …] }` as an object. */
export function parseRow(fields: readonly Field[], row: unknown): Record<string, Value> {
  const cells: unknown[] = isRecord(row) && Array.isArray(row.f) ? row.f : []
  return Object.fromEntries(
    fields.map((field, at) => {
      const cell = cells[at]
      return [field.name, parseCell(field, isRecord(cell) ? cell.v : cell)]
    }),
  )
}
