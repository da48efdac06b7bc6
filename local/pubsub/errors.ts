/** Every way in which Pub/Sub says no: gRPC codes, and the same over REST (https://cloud.google.com/apis/design/errors). */
import { type Metadata, status } from '@grpc/grpc-js'
import { BadJson, type ErrorRenderer, type WireError } from '../server.ts'

export class PubSubError extends Error {
  readonly code: number
  readonly metadata: Metadata | undefined

  constructor(code: number, message: string, metadata?: Metadata) {
    super(message)
    this.code = code
    this.metadata = metadata
  }
}

export const invalid = (message: string) => new PubSubError(status.INVALID_ARGUMENT, message)
export const notFound = (what: string, name: string) =>
  new PubSubError(status.NOT_FOUND, `${what} (resource=${name.split('/').at(-1) ?? name})`)
export const exists = (what: string, name: string) =>
  new PubSubError(
    status.ALREADY_EXISTS,
    `${what} already exists (resource=${name.split('/').at(-1) ?? name})`,
  )
export const failedPrecondition = (message: string, metadata?: Metadata) =>
  new PubSubError(status.FAILED_PRECONDITION, message, metadata)
/** For what Google serves and this server does not. No client retries this code. */
export const unsupported = (what: string) =>
  new PubSubError(status.UNIMPLEMENTED, `The embedded Pub/Sub does not support ${what}.`)

/** A bug is told to the console, and to the client under a code that it does not retry for ten minutes as it does INTERNAL. */
export function toPubSubError(error: unknown): PubSubError {
  if (error instanceof PubSubError) return error
  if (error instanceof BadJson) return invalid("Payload isn't valid for request.")
  if (error instanceof URIError) return invalid('The path is not properly percent-encoded.')
  console.error('Pub/Sub failed:', error)
  return failedPrecondition(`The embedded Pub/Sub failed: ${error instanceof Error ? error.message : error}`)
}

const httpStatus: Readonly<Record<number, number>> = {
  [status.INVALID_ARGUMENT]: 400,
  [status.FAILED_PRECONDITION]: 400,
  [status.OUT_OF_RANGE]: 400,
  [status.NOT_FOUND]: 404,
  [status.ALREADY_EXISTS]: 409,
  [status.UNIMPLEMENTED]: 501,
  [status.UNAVAILABLE]: 503,
}

function encodeError(error: PubSubError): WireError {
  const code = httpStatus[error.code] ?? 500
  return { status: code, body: { error: { code, message: error.message, status: status[error.code] } } }
}

export const pubSubErrors: ErrorRenderer = {
  render: error => encodeError(toPubSubError(error)),
  noRoute: (method, path) =>
    encodeError(new PubSubError(status.NOT_FOUND, `The embedded Pub/Sub does not serve ${method} ${path}`)),
}
