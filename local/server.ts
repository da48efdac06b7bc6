/** The HTTP ground that the services stand on: routes in, JSON out, each service renders its own errors. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'

export interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  /** Named groups of the route's pattern, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The body as JSON; an empty body is `{}`. Throws `BadJson`. */
  body(): Promise<Record<string, unknown>>
}

/** A handler answers by returning JSON (200), or writes to `call.response` itself and returns `undefined`. */
export type Handler = (call: Call) => unknown
/** `path` is a URLPattern pathname, such as `/storage/v1/b/:bucket/o/:object`. The first match wins. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly handler: Handler
}

/** Thrown by `Call.body` for a body that is not a JSON object. */
export class BadJson extends Error {}

export interface WireError {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** How a service speaks of failure. `noRoute` tells that nothing is served at that address. */
export interface ErrorRenderer {
  render(error: unknown): WireError
  noRoute(method: string, path: string): WireError
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  response.writeHead(status, {
    'content-type': 'application/json; charset=UTF-8',
    'content-length': length,
    ...headers,
  })
  response.end(text)
}

function decode(groups: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(groups).map(([key, value]) => [key, decodeURIComponent(value ?? '')]),
  )
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = await readText(request)
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {}
  throw new BadJson('The request body is not a JSON object.')
}

/** A listener for `http.Server` that serves the routes in order. */
export function makeListener(routes: readonly Route[], errors: ErrorRenderer) {
  const compiled = routes.map(route => ({ ...route, pattern: new URLPattern({ pathname: route.path }) }))
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const url = new URL(request.url ?? '/', 'http://localhost')
      for (const { method, pattern, handler } of compiled) {
        if (method !== request.method) continue
        const match = pattern.exec({ pathname: url.pathname })
        if (!match) continue
        const call = {
          request,
          response,
          url,
          params: decode(match.pathname.groups),
          body: () => readBody(request),
        }
        const answer = await handler(call)
        if (answer !== undefined) sendJson(response, 200, answer)
        return
      }
      sendWireError(response, errors.noRoute(request.method ?? 'GET', url.pathname))
    } catch (error) {
      sendWireError(response, errors.render(error))
    }
  }
}

export function sendWireError(response: ServerResponse, { status, body, headers }: WireError): void {
  if (response.headersSent) response.destroy()
  else sendJson(response, status, body, headers)
}

/** Listens on a loopback port (0 picks a free one) and answers with its address. */
export async function listen(server: Server, port = 0): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Ends a server and every connection that it still has. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
}

export async function startServer(routes: readonly Route[], errors: ErrorRenderer, port = 0) {
  const server = createServer(makeListener(routes, errors))
  // A connection that we close at the very moment when its client sends is a failed request: let the client close first.
  server.keepAliveTimeout = 600_000
  const url = await listen(server, port)
  return { url, server, close: () => closeServer(server) }
}
