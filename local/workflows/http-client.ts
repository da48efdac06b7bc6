/** Sends one HTTP request for a workflow and tells its failures apart as Workflows does. */
import { type ClientRequest, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { buffer } from 'node:stream/consumers'
import {
  Cancelled,
  resourceLimitError,
  taggedError,
  timeoutError,
  valueError,
  type WorkflowError,
} from './errors.ts'
import { decodeJson } from './json.ts'
import { LIMITS } from './limits.ts'
import { isMap, mapOf, type Value, type ValueMap } from './values.ts'

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  readonly timeoutSeconds: number
}

export const USER_AGENT = 'GoogleCloudWorkflows; (+https://cloud.google.com/workflows/docs)'

/**
 * The answer as `{code, headers, body}`; the body is decoded by its content type. Raises HttpError for a status of 400
 * or more, ConnectionFailedError when no connection came about, ConnectionError when one broke, TimeoutError.
 * https://cloud.google.com/workflows/docs/http-requests
 */
export async function sendHttp(request: HttpRequest, signal: AbortSignal): Promise<ValueMap> {
  const timeout = AbortSignal.timeout(Math.ceil(request.timeoutSeconds * 1000))
  let connected = false
  try {
    const outgoing = openRequest(request, AbortSignal.any([signal, timeout]))
    outgoing.once('socket', socket => {
      if (!socket.connecting) connected = true
      else socket.once('connect', () => (connected = true))
    })
    return await readResponse(outgoing, request.body)
  } catch (error) {
    if (signal.aborted) throw new Cancelled()
    if (timeout.aborted) throw timeoutError(`the request took longer than ${request.timeoutSeconds} seconds`)
    if (!(error instanceof Error) || !('code' in error)) throw error
    throw connectionError(connected, request.url, error)
  }
}

function openRequest({ url, method, headers, body }: HttpRequest, signal: AbortSignal): ClientRequest {
  if (!URL.canParse(url)) throw valueError(`not a URL: ${url}`)
  const { protocol } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') throw valueError(`not an HTTP URL: ${url}`)
  const open = protocol === 'https:' ? requestHttps : requestHttp
  const length = body === undefined ? {} : { 'content-length': String(body.byteLength) }
  // A connection of its own: a kept one may be closed by the server in the moment of its reuse, which no retry covers.
  return open(url, { method, signal, agent: false, headers: { ...headers, ...length } })
}

function connectionError(connected: boolean, url: string, cause: Error): WorkflowError {
  const tag = connected ? 'ConnectionError' : 'ConnectionFailedError'
  return taggedError(tag, `${tag}: ${url}: ${cause.message}`)
}

async function readResponse(outgoing: ClientRequest, sent: Uint8Array | undefined): Promise<ValueMap> {
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>()
  outgoing.once('response', resolve)
  outgoing.on('error', reject)
  outgoing.end(sent)
  const incoming = await promise
  const body = await buffer(incoming)
  if (body.byteLength > LIMITS.responseBytes) throw resourceLimitError('HTTP response size limit exceeded')
  const code = incoming.statusCode ?? 0
  const headers = new Map(
    Object.entries(incoming.headersDistinct).map(([k, v]) => [titleCase(k), (v ?? []).join(', ')]),
  )
  const decoded = decodeBody(incoming.headers['content-type'] ?? '', body)
  if (code >= 400) {
    const fields = { code: BigInt(code), headers, body: decoded }
    throw taggedError('HttpError', `HTTP server responded with error code ${code}`, fields)
  }
  if (code >= 300) throw valueError(`status ${code}: redirects are not followed here`)
  return mapOf({ code: BigInt(code), headers, body: decoded })
}

/** Header names in the form that workflows see: `Content-Type`. */
function titleCase(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
}

function decodeBody(contentType: string, body: Buffer): Value {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (body.byteLength === 0) return null
  if (type === 'application/json' || type.endsWith('+json')) return decodeJson(body.toString())
  if (type.startsWith('text/') || type === 'application/x-www-form-urlencoded') return body.toString()
  return new Uint8Array(body)
}

/** A body and the content type that it has unless a header says otherwise. */
export function encodeBody(
  value: Value,
  contentType: string | undefined,
  encodeJson: (value: Value) => string,
) {
  if (value instanceof Uint8Array)
    return { body: value, contentType: contentType ?? 'application/octet-stream' }
  const type = contentType?.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/x-www-form-urlencoded' && isMap(value)) {
    const form = new URLSearchParams([...value].map(([key, item]): [string, string] => [key, String(item)]))
    return { body: Buffer.from(form.toString()), contentType }
  }
  if (typeof value === 'string')
    return { body: Buffer.from(value), contentType: contentType ?? 'text/plain; charset=utf-8' }
  return {
    body: Buffer.from(encodeJson(value)),
    contentType: contentType ?? 'application/json; charset=utf-8',
  }
}
