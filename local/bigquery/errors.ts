/** BigQuery's errors: a reason, a message, an HTTP status, and the JSON form that clients parse. */
import { BadJson, type ErrorRenderer, type WireError } from '../server.ts'
import { SqlError, toSqlError } from './sql/index.ts'

/** The status of each reason, from https://cloud.google.com/bigquery/docs/error-messages. */
const statuses = {
  invalid: 400,
  invalidQuery: 400,
  badRequest: 400,
  required: 400,
  resourcesExceeded: 400,
  responseTooLarge: 403,
  accessDenied: 403,
  notFound: 404,
  duplicate: 409,
  conditionNotMet: 412,
  internalError: 500,
  notImplemented: 501,
  stopped: 200,
  resourceInUse: 400,
} as const

export type Reason = keyof typeof statuses

/** One entry of `errors[]`, and what a job's `errorResult` holds. */
export interface ErrorProto {
  readonly reason: string
  readonly message: string
  readonly location?: string
}

export class BigQueryError extends Error {
  readonly reason: Reason
  readonly location: string | undefined
  /** Further entries of a job's `errors[]`, such as one for each bad row. */
  readonly details: readonly ErrorProto[]

  constructor(reason: Reason, message: string, location?: string, details: readonly ErrorProto[] = []) {
    super(message)
    this.name = 'BigQueryError'
    this.reason = reason
    this.location = location
    this.details = details
  }
  get status(): number {
    return statuses[this.reason]
  }
  get proto(): ErrorProto {
    const { reason, message, location } = this
    return location === undefined ? { reason, message } : { reason, message, location }
  }
}

/** For what BigQuery can do and this engine can't: says which, so that nobody takes it for a success. */
export function unsupported(what: string): BigQueryError {
  return new BigQueryError('notImplemented', `${what} is not supported by the embedded BigQuery.`)
}

export function invalid(message: string, location?: string): BigQueryError {
  return new BigQueryError('invalid', message, location)
}

/** Any failure as a `BigQueryError`: SQL errors keep their place, DuckDB's own messages are put in BigQuery's words. */
export function toBigQueryError(error: unknown): BigQueryError {
  if (error instanceof BigQueryError) return error
  if (error instanceof SqlError) return fromSql(error)
  if (error instanceof BadJson) return new BigQueryError('badRequest', error.message)
  const text = error instanceof Error ? error.message : String(error)
  if (text.startsWith('INTERRUPT Error')) {
    return new BigQueryError('stopped', 'Job execution was cancelled: User requested cancellation')
  }
  if (text.startsWith('Out of Memory Error')) {
    return new BigQueryError('resourcesExceeded', `Resources exceeded during query execution: ${text}`)
  }
  if (/^(Conversion|Invalid Input|Out of Range|Constraint|Binder|Catalog|Parser) Error/.test(text)) {
    return fromSql(toSqlError(error))
  }
  return new BigQueryError('internalError', text)
}

function fromSql(error: SqlError): BigQueryError {
  return new BigQueryError(error.reason, error.message, error.reason === 'invalidQuery' ? 'query' : undefined)
}

function render(error: unknown): WireError {
  const known = toBigQueryError(error)
  const { status, message } = known
  const body = { code: status, message, errors: [{ domain: 'global', ...known.proto }], status: undefined }
  return { status: status === 200 ? 400 : status, body: { error: body } }
}

export const bigQueryErrors: ErrorRenderer = {
  render,
  noRoute: (method, path) =>
    render(new BigQueryError('notFound', `The embedded BigQuery serves nothing at ${method} ${path}.`)),
}
