/** FORMAT_* and PARSE_*: translates format elements; formats must be literals. */
import type { Call } from './ast.ts'
import { coerce } from './coerce.ts'
import { noMatch } from './emit-call.ts'
import { emitExpr } from './emit-expr.ts'
import { sqlInZone } from './emit-extract.ts'
import { isType } from './emit-operator.ts'
import { quoteText } from './env.ts'
import { SqlFailure } from './error.ts'
import { literalText } from './literal-text.ts'
import type { SpecialRule } from './special-rule.ts'
import { scalar } from './type.ts'

type Kind = 'DATE' | 'DATETIME' | 'TIME' | 'TIMESTAMP'

/**
 * Format elements by what DuckDB calls them.
 * https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_elements_date_time
 */
// biome-ignore format: a table
const elements: Readonly<Record<string, string>> = {
  A: '%A', a: '%a', B: '%B', b: '%b', d: '%d', F: '%Y-%m-%d', H: '%H', h: '%b', I: '%I', j: '%j', M: '%M', m: '%m',
  p: '%p', R: '%H:%M', S: '%S', T: '%H:%M:%S', Y: '%Y', y: '%y', D: '%m/%d/%y', '%': '%%', n: '\n', t: '\t',
  E6S: '%S.%f', 'E*S': '%S.%f\x01', E3S: '%S.%g', E4Y: '%Y', U: '%U', W: '%W', u: '%u', w: '%w', G: '%G', V: '%V',
}

const dateOnly = new Set('A a B b d F h j m Y y D E4Y U W u w G V'.split(' '))
const timeOnly = new Set('H I M p R S T E6S E3S E*S'.split(' '))

function translateFormat(format: string, kind: Kind, call: Call): string {
  return format.replace(/%(E\*?\d?[SY]|.)?/gs, (whole, element: string | undefined) => {
    const known = elements[element ?? '']
    const isOff =
      (kind === 'DATE' && timeOnly.has(element ?? '')) || (kind === 'TIME' && dateOnly.has(element ?? ''))
    if (!known || isOff)
      throw new SqlFailure(
        `Format element ${whole} is not supported by ${call.name} in the local BigQuery`,
        call.at,
      )
    return known
  })
}

function format(kind: Kind): SpecialRule {
  return (call, env) => {
    const [text, operand, zone] = call.args
    const pattern = translateFormat(literalText(text, 'A format', call.at), kind, call)
    const given = operand && emitExpr(operand, env)
    if (!given) throw noMatch(call.name, [], call.at)
    const value = given.literal ? coerce(given, scalar(kind)) : given
    const fits =
      isType(value, kind) ||
      (kind === 'DATE' && isType(value, 'DATETIME')) ||
      (kind === 'DATETIME' && isType(value, 'DATE'))
    if (!fits || (zone && kind !== 'TIMESTAMP')) throw noMatch(call.name, [value], call.at)
    const local = kind === 'TIMESTAMP' ? sqlInZone(value.sql, zone && emitExpr(zone, env).sql) : value.sql
    const dated = kind === 'TIME' ? `DATE '2000-01-01' + ${local}` : local
    const sql = `strftime(${dated}, ${quoteText(pattern)})`
    // `%E*S` writes only the digits there are; a mark shows where DuckDB's zeros end.
    return {
      sql: pattern.includes('\x01') ? `regexp_replace(${sql}, '\\.?0*\x01', '')` : sql,
      type: scalar('STRING'),
    }
  }
}

function parse(kind: Kind): SpecialRule {
  return (call, env) => {
    const [text, operand, zone] = call.args
    const pattern = translateFormat(literalText(text, 'A format', call.at), kind, call)
    const value = operand && emitExpr(operand, env)
    if (!value || !isType(value, 'STRING') || (zone && kind !== 'TIMESTAMP'))
      throw noMatch(call.name, value ? [value] : [], call.at)
    const formats = pattern.includes('\x01')
      ? [pattern.replaceAll('\x01', ''), pattern.replaceAll('.%f\x01', '')]
      : [pattern]
    const parsed = `strptime(${value.sql}, [${formats.map(quoteText).join(', ')}])`
    if (kind === 'TIMESTAMP')
      return { sql: sqlInZone(parsed, zone && emitExpr(zone, env).sql), type: scalar(kind) }
    return { sql: kind === 'DATETIME' ? parsed : `CAST(${parsed} AS ${kind})`, type: scalar(kind) }
  }
}

/**
 * FORMAT of a FLOAT64 with digits after the point, as `%.14e`; of the many other forms none is served.
 * https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#format_string
 */
const formatNumber: SpecialRule = (call, env) => {
  const [text, operand, ...more] = call.args
  const pattern = literalText(text, 'A format', call.at)
  const value = operand && emitExpr(operand, env)
  if (!/^%\.\d{1,2}[ef]$/.test(pattern) || more.length > 0)
    throw new SqlFailure(
      `Format ${pattern} is not supported by FORMAT in the local BigQuery; served are those such as %.14e and %.2f`,
      call.at,
    )
  if (!value || !isType(value, 'FLOAT64')) throw noMatch(call.name, value ? [value] : [], call.at)
  return { sql: `printf(${quoteText(pattern)}, ${value.sql})`, type: scalar('STRING') }
}

export const formatFunctions: Readonly<Record<string, SpecialRule>> = {
  FORMAT: formatNumber,
  FORMAT_DATE: format('DATE'),
  FORMAT_DATETIME: format('DATETIME'),
  FORMAT_TIME: format('TIME'),
  FORMAT_TIMESTAMP: format('TIMESTAMP'),
  PARSE_DATE: parse('DATE'),
  PARSE_DATETIME: parse('DATETIME'),
  PARSE_TIME: parse('TIME'),
  PARSE_TIMESTAMP: parse('TIMESTAMP'),
}
