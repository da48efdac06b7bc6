/** How the Storage Write API says no: a gRPC code, and a StorageError where Google sends one. */
import { status } from '@grpc/grpc-js'
import { BigQueryError, type Reason, toBigQueryError } from '../errors.ts'

export type StorageErrorCode = 'TABLE_NOT_FOUND' | 'STREAM_NOT_FOUND' | 'SCHEMA_MISMATCH_EXTRA_FIELDS'

export class WriteError extends Error {
  readonly code: number
  readonly storageCode: StorageErrorCode | undefined
  constructor(code: number, message: string, storageCode?: StorageErrorCode) {
    super(message)
    this.code = code
    this.storageCode = storageCode
  }
}

export const invalidArgument = (message: string) => new WriteError(status.INVALID_ARGUMENT, message)
/** For what Google serves and this server does not. No client retries this code. */
export const unsupported = (what: string) =>
  new WriteError(status.UNIMPLEMENTED, `The embedded BigQuery Storage Write API does not support ${what}.`)

const codes: Readonly<Partial<Record<Reason, number>>> = {
  notFound: status.NOT_FOUND,
  invalid: status.INVALID_ARGUMENT,
  invalidQuery: status.INVALID_ARGUMENT,
  notImplemented: status.UNIMPLEMENTED,
  stopped: status.UNAVAILABLE,
  resourcesExceeded: status.RESOURCE_EXHAUSTED,
}

/** Any failure as a `WriteError`; a bug is told to the console, under a code that no client retries. */
export function toWriteError(error: unknown): WriteError {
  if (error instanceof WriteError) return error
  const known = toBigQueryError(error)
  const code = codes[known.reason]
  if (code === undefined) console.error('Storage Write failed:', error)
  const missing = error instanceof BigQueryError && known.reason === 'notFound'
  return new WriteError(
    code ?? status.FAILED_PRECONDITION,
    known.message,
    missing ? 'TABLE_NOT_FOUND' : undefined,
  )
}
