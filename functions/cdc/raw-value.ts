/** Values as the files have them, nothing lost, and what is said of one that is wrong. */

/** A JSON number by its digits, where a double would not keep them. */
export class NumberText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A field of a record: of CSV a text or NULL, of NDJSON whatever JSON has. */
export type RawValue = unknown

/** One value is not what its column asks. `column` is put in by whoever knows it. */
export class ValueProblem extends Error {
  readonly column: string | undefined
  constructor(message: string, column?: string) {
    super(message)
    this.column = column
  }
}

/** A number met a text column: its digits are wanted, so the record has to be read again with them. */
export class DigitsWanted extends Error {}

const LONGEST = 60

/** JSON text of a value, numbers with the digits that they came with. */
export function encodeJson(value: RawValue): string {
  if (value instanceof NumberText) return value.text
  if (Array.isArray(value)) return `[${value.map(encodeJson).join(',')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, inner]) => `${JSON.stringify(key)}:${encodeJson(inner)}`)
      .join(',')}}`
  return JSON.stringify(value) ?? 'null'
}

export function showValue(value: RawValue): string {
  const text = encodeJson(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
