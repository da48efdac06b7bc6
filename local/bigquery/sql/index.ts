/** The way into BigQuery SQL: text to statements, statements to DuckDB SQL. */

export type { Expr, Query } from './ast.ts'
export { bignumericText, checkBignumeric, parseBignumeric } from './bignumeric.ts'
export { toSqlError } from './duck-error.ts'
export { SqlError } from './error.ts'
export { MACROS, SESSION_SETTINGS } from './macros.ts'
export { parseExpression, parseScript } from './parse-script.ts'
export type { ParameterValue, QueryParameter, Scope } from './scope.ts'
export type * from './statement.ts'
export type { Translation } from './translate.ts'
export { translateExpression, translateQuery } from './translate.ts'
export { type DmlPlan, translateDml } from './translate-dml.ts'
export { type Column, duckType, type ScalarName, type SqlType, scalar, typeText } from './type.ts'
