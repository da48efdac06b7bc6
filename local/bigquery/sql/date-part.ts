/** Date parts: reading them from arguments, and truncating, extracting and counting by them. */
import type { Expr } from './ast.ts'
import { SqlFailure } from './error.ts'

const weekdays = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY']

/** `MONTH`, or `WEEK(MONDAY)`, as upper-case text. */
export function readPart(expr: Expr | undefined, of: string): string {
  if (expr?.kind === 'path' && expr.parts.length === 1) return (expr.parts[0] ?? '').toUpperCase()
  const [day] = expr?.kind === 'call' && expr.name === 'WEEK' ? expr.args : []
  if (day?.kind === 'path') return `WEEK(${day.parts.join('.').toUpperCase()})`
  throw new SqlFailure(`A valid date part name is required for ${of}`, expr?.at ?? 0)
}

/** Days from a Sunday to the day that the part's weeks begin with; `undefined` for a part that is no week. */
function weekStart(part: string): number | undefined {
  if (part === 'WEEK') return 0
  if (part === 'ISOWEEK') return 1
  const day = weekdays.indexOf(/^WEEK\((\w+)\)$/.exec(part)?.[1] ?? '')
  return day < 0 ? undefined : day
}

const dateParts = new Set(['YEAR', 'QUARTER', 'MONTH', 'DAY'])
const timeParts = new Set(['HOUR', 'MINUTE', 'SECOND', 'MILLISECOND', 'MICROSECOND'])

export function isDatePart(part: string): boolean {
  return dateParts.has(part) || part === 'ISOYEAR' || weekStart(part) !== undefined
}
export function isTimePart(part: string): boolean {
  return timeParts.has(part)
}

/** Truncates a DuckDB DATE or TIMESTAMP (`type`); `undefined` for a part it can't be truncated to. */
export function sqlTruncate(
  sql: string,
  part: string,
  type: 'DATE' | 'TIMESTAMP' | 'TIME',
): string | undefined {
  const start = weekStart(part)
  if (type !== 'TIME' && start !== undefined) {
    // DuckDB's weeks begin on Monday.
    const shift = `INTERVAL ${(start + 6) % 7} DAY`
    return `CAST(date_trunc('week', CAST(${sql} AS TIMESTAMP) - ${shift}) + ${shift} AS ${type})`
  }
  if (type !== 'TIME' && part === 'ISOYEAR') {
    return `CAST(bq_iso_year_start(CAST(${sql} AS DATE)) AS ${type})`
  }
  if (dateParts.has(part) && type !== 'TIME')
    return `CAST(date_trunc('${part.toLowerCase()}', ${sql}) AS ${type})`
  if (!timeParts.has(part) || type === 'DATE') return undefined
  if (type === 'TIME') return `CAST(date_trunc('${part.toLowerCase()}', DATE '2000-01-01' + ${sql}) AS TIME)`
  return `date_trunc('${part.toLowerCase()}', ${sql})`
}

/** The number of part boundaries between two DuckDB values, as DATE_DIFF and DATETIME_DIFF count. */
export function sqlBoundaries(a: string, b: string, part: string): string | undefined {
  const start = weekStart(part)
  if (start !== undefined) {
    const shift = `INTERVAL ${(start + 6) % 7} DAY`
    const week = (sql: string) => `date_trunc('week', CAST(${sql} AS TIMESTAMP) - ${shift})`
    return `(date_diff('day', ${week(b)}, ${week(a)}) // 7)`
  }
  if (part === 'ISOYEAR') return `(isoyear(${a}) - isoyear(${b}))`
  return dateParts.has(part) || timeParts.has(part)
    ? `date_diff('${part.toLowerCase()}', ${b}, ${a})`
    : undefined
}

/** EXTRACT from a DuckDB DATE, TIMESTAMP or TIME as INT64. */
export function sqlExtract(sql: string, part: string): string | undefined {
  switch (part) {
    case 'DAYOFWEEK':
      return `(dayofweek(${sql}) + 1)`
    case 'DAYOFYEAR':
      return `dayofyear(${sql})`
    case 'ISOWEEK':
      return `weekofyear(${sql})`
    case 'ISOYEAR':
      return `isoyear(${sql})`
    case 'MILLISECOND':
      return `(millisecond(${sql}) % 1000)`
    case 'MICROSECOND':
      return `(microsecond(${sql}) % 1000000)`
  }
  const start = weekStart(part)
  // Weeks before the year's first week start are week 0.
  if (start !== undefined) return `((dayofyear(${sql}) + 6 - (dayofweek(${sql}) + ${7 - start}) % 7) // 7)`
  return dateParts.has(part) || timeParts.has(part) ? `${part.toLowerCase()}(${sql})` : undefined
}
