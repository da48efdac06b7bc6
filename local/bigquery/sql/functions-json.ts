/** JSON functions that take a path. */
import { noMatch } from './emit-call.ts'
import { emitExpr } from './emit-expr.ts'
import { isType } from './emit-operator.ts'
import { quoteText } from './env.ts'
import { SqlFailure } from './error.ts'
import { literalText } from './literal-text.ts'
import type { SpecialRule } from './special-rule.ts'
import { type SqlType, scalar } from './type.ts'

/** The paths that mean the same in DuckDB; `['a']` of the older functions is refused. */
const servedPath = /^\$(\.[A-Za-z_][A-Za-z0-9_]*|\."[^"\\]+"|\[\d+\])*$/

function access(template: string, result: SqlType | 'same'): SpecialRule {
  return (call, env) => {
    const [json, path] = call.args
    const value = json && emitExpr(json, env)
    if (!value || call.args.length > 2 || !isType(value, 'STRING', 'JSON'))
      throw noMatch(call.name, value ? [value] : [], call.at)
    const text = path ? literalText(path, 'A JSON path', call.at) : '$'
    if (!servedPath.test(text))
      throw new SqlFailure(`JSON path ${text} is not supported by the local BigQuery`, path?.at ?? call.at)
    const isText = isType(value, 'STRING')
    // Text that is no JSON gives NULL in BigQuery, an error in DuckDB.
    const valid = isText ? `CASE WHEN json_valid(${value.sql}) THEN ${value.sql} END` : value.sql
    const sql = template.replaceAll('$j', () => valid).replaceAll('$p', () => quoteText(text))
    const type = result === 'same' ? value.type : result
    return { sql: result === 'same' && isText ? `CAST(${sql} AS VARCHAR)` : sql, type }
  }
}

const value = access('bq_json_value($j, $p)', scalar('STRING'))
const query = access('bq_json_query($j, $p)', 'same')
const strings: SqlType = { kind: 'array', of: scalar('STRING') }

export const jsonFunctions: Readonly<Record<string, SpecialRule>> = {
  JSON_VALUE: value,
  JSON_EXTRACT_SCALAR: value,
  JSON_QUERY: query,
  JSON_EXTRACT: query,
  JSON_VALUE_ARRAY: access('bq_json_strings($j, $p)', strings),
}
