/** http.*: requests to any address, with the credentials of the workflow. */
import { valueError } from '../errors.ts'
import { encodeBody, sendHttp, USER_AGENT } from '../http-client.ts'
import { encodeJson } from '../json.ts'
import { type Args, blockingFunction, type FunctionContext, type Library, seconds } from '../library.ts'
import { LIMITS } from '../limits.ts'
import { textOf } from '../operators.ts'
import { isList, type Value, type ValueMap } from '../values.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
const EMPTY: ValueMap = new Map()

const PARAMETERS = 'url headers? body? query? auth? timeout? private_service_name?'

/** https://cloud.google.com/workflows/docs/reference/stdlib/http */
export const HTTP: Library = new Map([
  ...(['get', 'post', 'put', 'patch', 'delete'] as const).map(
    method =>
      [
        `http.${method}`,
        blockingFunction(PARAMETERS, (args, on) => send(method.toUpperCase(), args, on)),
      ] as const,
  ),
  ['http.request', blockingFunction(`method ${PARAMETERS}`, (args, on) => send(methodOf(args), args, on))],
])

function methodOf(args: Args): string {
  const method = args.text('method').toUpperCase()
  if (METHODS.includes(method)) return method
  throw valueError(`${method} is not an HTTP method; it must be one of ${METHODS.join(', ')}`)
}

function send(method: string, args: Args, { signal }: FunctionContext): Promise<Value> {
  if (args.any('private_service_name') !== null) throw valueError('private_service_name is not served here')
  const headers = headersOf(args.optional('headers', args.map, EMPTY))
  const value = args.any('body')
  const encoded = value === null ? undefined : encodeBody(value, headers['content-type'], encodeJson)
  if (encoded?.contentType !== undefined) headers['content-type'] = encoded.contentType
  const authorization = authorizationOf(args.optional('auth', args.map, EMPTY))
  if (authorization !== undefined) headers.authorization = authorization
  const timeout = args.optional('timeout', args.any, BigInt(LIMITS.httpTimeoutSeconds))
  return sendHttp(
    {
      method,
      url: withQuery(args.text('url'), args.optional('query', args.map, EMPTY)),
      headers,
      ...(encoded && { body: encoded.body }),
      timeoutSeconds: seconds(timeout, 'timeout', LIMITS.httpTimeoutSeconds),
    },
    signal,
  )
}

function headersOf(map: ValueMap): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of map) {
    const text = textOf(value)
    if (text === undefined) throw valueError(`header ${name} must be a string`)
    headers[name.toLowerCase()] = text
  }
  headers['user-agent'] = headers['user-agent'] ? `${headers['user-agent']} ${USER_AGENT}` : USER_AGENT
  return headers
}

/** No credentials exist on a laptop, so a placeholder stands where the token would be. */
function authorizationOf(auth: ValueMap): string | undefined {
  if (auth.size === 0) return undefined
  const type = auth.get('type')
  if (type === 'OIDC' || type === 'OAuth2') return 'Bearer local'
  throw valueError('auth.type must be OIDC or OAuth2')
}

function withQuery(url: string, query: ValueMap): string {
  const pairs: string[] = []
  for (const [key, value] of query) {
    for (const item of isList(value) ? value : [value]) {
      const text = textOf(item)
      if (text === undefined) throw valueError(`query parameter ${key} must be a scalar or a list of scalars`)
      pairs.push(`${encodeURIComponent(key)}=${encodeURIComponent(text)}`)
    }
  }
  if (pairs.length === 0) return url
  return `${url}${url.includes('?') ? '&' : '?'}${pairs.join('&')}`
}
