/** BIGNUMERIC: kept as DuckDB's unlimited integer, times 10 to the 38th, which compares and adds exactly. */
import type { Emitted } from './env.ts'
import { SqlError } from './error.ts'

const scale = 38
/** https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#decimal_types: 2^255 either way. */
const lowest = -(2n ** 255n)
const highest = 2n ** 255n - 1n

/** The value times 10^38; digits beyond are rounded half away from zero. `undefined` for what is no BIGNUMERIC. */
export function parseBignumeric(text: string): bigint | undefined {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,4}))?$/i.exec(text)
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const shift = Number(exponent) + scale - fraction.length
  const digits = BigInt(`${whole}${fraction}`)
  const by = 10n ** BigInt(Math.abs(shift))
  const size = shift >= 0 ? digits * by : (digits + by / 2n) / by
  return checkBignumeric(sign === '-' ? -size : size)
}

/** `undefined` for what is out of range. */
export function checkBignumeric(scaled: bigint): bigint | undefined {
  return scaled >= lowest && scaled <= highest ? scaled : undefined
}

/** As BigQuery writes it: no zeros that say nothing. */
export function bignumericText(scaled: bigint): string {
  const sign = scaled < 0n ? '-' : ''
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(scale + 1, '0')
  const fraction = digits.slice(-scale).replace(/0+$/, '')
  return `${sign}${digits.slice(0, -scale)}${fraction === '' ? '' : `.${fraction}`}`
}

/** A literal or a value of a narrower type as BIGNUMERIC, in DuckDB SQL; call it only where it can be coerced. */
export function sqlBignumeric(value: Emitted): string {
  if (value.literal) {
    const scaled = parseBignumeric(value.literal.value)
    if (scaled === undefined)
      throw new SqlError('invalidQuery', `Invalid BIGNUMERIC value: ${value.literal.value}`)
    return `CAST('${scaled}' AS BIGNUM)`
  }
  const isNumeric = value.type.kind === 'scalar' && value.type.name === 'NUMERIC'
  return isNumeric
    ? `CAST(replace(CAST(${value.sql} AS VARCHAR), '.', '') || repeat('0', ${scale - 9}) AS BIGNUM)`
    : `CAST(CAST(${value.sql} AS VARCHAR) || repeat('0', ${scale}) AS BIGNUM)`
}

/** The macros that CAST counts on. A text with an exponent, or with more digits than fit, is an error here. */
export const bignumericMacros = [
  `bq_bignumeric_digits(s) AS split_part(s, '.', 1) || rpad(rtrim(split_part(s, '.', 2), '0'), ${scale}, '0')`,
  `bq_try_read_bignumeric(s) AS CASE WHEN length(rtrim(split_part(s, '.', 2), '0')) <= ${scale} THEN CAST(bq_bignumeric_digits(s) AS BIGNUM) END`,
  `bq_try_check_bignumeric(x) AS CASE WHEN x BETWEEN CAST('${lowest}' AS BIGNUM) AND CAST('${highest}' AS BIGNUM) THEN x END`,
  `bq_try_parse_bignumeric(s) AS CASE WHEN regexp_full_match(trim(s), '[+-]?(\\d+\\.?\\d*|\\.\\d+)') THEN bq_try_check_bignumeric(bq_try_read_bignumeric(ltrim(trim(s), '+'))) END`,
  `bq_parse_bignumeric(s) AS CASE WHEN bq_try_parse_bignumeric(s) IS NOT NULL OR s IS NULL THEN bq_try_parse_bignumeric(s) ELSE error('Invalid BIGNUMERIC value: ' || s) END`,
  `bq_bignumeric_padded(s) AS lpad(s, CAST(greatest(${scale + 1}, length(s)) AS INTEGER), '0')`,
  `bq_bignumeric_point(s) AS left(s, length(s) - ${scale}) || '.' || right(s, ${scale})`,
  `bq_bignumeric_text(x) AS CASE WHEN x < CAST('0' AS BIGNUM) THEN '-' ELSE '' END || regexp_replace(bq_bignumeric_point(bq_bignumeric_padded(ltrim(CAST(x AS VARCHAR), '-'))), '\\.?0+$', '')`,
]
