/** NUMERIC and BIGNUMERIC by their digits. docs.cloud.google.com/bigquery/docs/reference/standard-sql/data-types#decimal_types */

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/
const SIMPLE = /^-?(0|[1-9]\d{0,17})$/
/** BIGNUMERIC reaches to 2^255 of its smallest unit. */
const MAX_BIG = 2n ** 255n

export interface DecimalRange {
  /** Digits before the point, and after it. */
  readonly whole: number
  readonly scale: number
  /** BIGNUMERIC without parameters: the range ends between two numbers of 39 digits before the point. */
  readonly big: boolean
}

/** `NUMERIC(10, 2)` → 8 before the point, 2 after it. */
export function rangeOf(type: string): DecimalRange {
  const [, base, precision, scale = '0'] = /^(\w+)(?:\((\d+)(?:, ?(\d+))?\))?$/.exec(type) ?? []
  if (precision !== undefined)
    return { whole: Number(precision) - Number(scale), scale: Number(scale), big: false }
  return base === 'BIGNUMERIC' ? { whole: 39, scale: 38, big: true } : { whole: 29, scale: 9, big: false }
}

/** Digits without exponent, zeros at the ends or sign of zero: `1.50e1` → `15`. `undefined` for no number, or too many digits. */
export function parseDecimal(text: string, range: DecimalRange): string | undefined {
  if (SIMPLE.test(text) && range.whole >= 18) return text === '-0' ? '0' : text
  const match = DECIMAL.exec(text)
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const point = whole.length + Number(exponent)
  const all = whole + fraction
  const before = (point > 0 ? all.slice(0, point).padEnd(point, '0') : '').replace(/^0+/, '')
  const after = (point < 0 ? '0'.repeat(-point) + all : all.slice(point)).replace(/0+$/, '')
  if (before.length > range.whole || after.length > range.scale) return undefined
  if (range.big && before.length === 39 && BigInt(before + after.padEnd(38, '0')) >= MAX_BIG) return undefined
  if (before === '' && after === '') return '0'
  return `${sign === '-' ? '-' : ''}${before || '0'}${after && `.${after}`}`
}
