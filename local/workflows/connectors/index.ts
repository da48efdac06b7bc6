/** Calls the connectors: one REST request with Google's own retries, and for jobs the wait until they are done. */

import { valueError, WorkflowError } from '../errors.ts'
import { encodeBody, type HttpRequest, sendHttp, USER_AGENT } from '../http-client.ts'
import { encodeJson } from '../json.ts'
import { Args, blockingFunction, type FunctionContext, type Library, seconds } from '../library.ts'
import { LIMITS } from '../limits.ts'
import { textOf } from '../operators.ts'
import { delayBefore, IDEMPOTENT_POLICY, NON_IDEMPOTENT_POLICY } from '../retry.ts'
import type { Value, ValueMap } from '../values.ts'
import { waitForJob } from './jobs.ts'
import { CONNECTOR_METHODS, type ConnectorMethod, type ServiceName } from './methods.ts'

/** Base URLs of the local services, without a trailing slash. */
export type Endpoints = Readonly<Record<ServiceName, string>>

const EMPTY: ValueMap = new Map()
const PARAMS = ['timeout', 'polling_policy', 'skip_polling', 'scopes']

/** The connectors, aimed at those endpoints. https://cloud.google.com/workflows/docs/connectors */
export function makeConnectors(endpoints: Endpoints): Library {
  return new Map(
    CONNECTOR_METHODS.map(method => {
      const call = makeConnector(method, endpoints[method.service])
      return [method.name, blockingFunction(parametersOf(method), call)] as const
    }),
  )
}

function pathArguments(path: string): readonly string[] {
  return [...path.matchAll(/\{\+?(\w+)\}/g)].map(match => match[1] ?? '')
}

function parametersOf(method: ConnectorMethod): string {
  const optional = [...method.query, ...(method.hasBody ? ['body'] : []), 'connector_params']
  return [...pathArguments(method.path), ...optional.map(name => `${name}?`)].join(' ')
}

function makeConnector(method: ConnectorMethod, endpoint: string) {
  return async (args: Args, context: FunctionContext): Promise<Value> => {
    const params = new Args(method.name, args.optional('connector_params', args.map, EMPTY))
    const unknown = [...params.values.keys()].find(key => !PARAMS.includes(key))
    if (unknown !== undefined)
      throw valueError(`connector_params has no "${unknown}"; it may have: ${PARAMS.join(', ')}`)
    const timeout = seconds(
      params.optional('timeout', params.any, 1800n),
      'timeout',
      LIMITS.connectorTimeoutSeconds,
    )
    const request = requestOf(method, endpoint, args, Math.min(timeout, LIMITS.httpTimeoutSeconds))
    const body = await sendWithRetries(request, context)
    if (!method.waitsForJob || params.optional('skip_polling', params.boolean, false)) return body
    const poll = (url: string) =>
      sendWithRetries({ ...request, method: 'GET', url, body: undefined }, context)
    return waitForJob(body, { poll, endpoint, timeoutSeconds: timeout, context })
  }
}

type Request = Omit<HttpRequest, 'body'> & { readonly body: Uint8Array | undefined }

function requestOf(method: ConnectorMethod, endpoint: string, args: Args, timeoutSeconds: number): Request {
  const path = method.path.replace(/\{(\+?)(\w+)\}/g, (_, raw: string, name: string) =>
    raw === '' ? encodeURIComponent(args.text(name)) : args.text(name),
  )
  const query: string[] = []
  for (const name of method.query) {
    const value = args.any(name)
    if (value === null) continue
    const text = textOf(value)
    if (text === undefined) throw valueError(`${method.name}: argument "${name}" must be a scalar`)
    query.push(`${name}=${encodeURIComponent(text)}`)
  }
  if (method.path.startsWith('/upload/') && args.any('uploadType') !== 'media') {
    throw valueError(`${method.name}: only uploadType "media" is served here`)
  }
  const encoded = args.any('body') === null ? undefined : encodeBody(args.any('body'), undefined, encodeJson)
  return {
    method: method.verb,
    url: `${endpoint}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    headers: {
      'user-agent': USER_AGENT,
      authorization: 'Bearer local',
      ...(encoded?.contentType !== undefined && { 'content-type': encoded.contentType }),
    },
    body: encoded?.body,
    timeoutSeconds,
  }
}

/** GET is retried by the idempotent policy, everything else by the other one. */
async function sendWithRetries({ body, ...request }: Request, context: FunctionContext): Promise<Value> {
  const policy = request.method === 'GET' ? IDEMPOTENT_POLICY : NON_IDEMPOTENT_POLICY
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await sendHttp({ ...request, ...(body && { body }) }, context.signal)
      return response.get('body') ?? null
    } catch (error) {
      if (
        !(error instanceof WorkflowError) ||
        attempt >= policy.maxRetries ||
        !policy.predicate(error.payload)
      ) {
        throw error
      }
      await context.sleep(delayBefore(policy.backoff, attempt))
    }
  }
}
