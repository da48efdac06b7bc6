/** The methods over REST, at the addresses that the protocol itself gives them (google.api.http). */
import type { MethodDefinition } from '@grpc/proto-loader'
import type { Call, Route } from '../server.ts'
import { fromJson, type MessageType, toJson } from './json.ts'
import type { Method, MethodSet } from './methods.ts'

interface Rule {
  readonly method: string
  /** Such as `/v1/{topic=…}:publish`, the dots being a shape with stars. */
  readonly template: string
  /** The field that the body is; `*` is the request itself, nothing means there is no body. */
  readonly body: string
}

function ruleOf(definition: MethodDefinition<object, object>): Rule | undefined {
  const rule: unknown = definition.options['(google.api.http)']
  if (typeof rule !== 'object' || rule === null) return undefined
  const entries = new Map<string, unknown>(Object.entries(rule))
  const method = ['get', 'put', 'post', 'patch', 'delete'].find(name => entries.has(name))
  if (!method) return undefined
  return {
    method: method.toUpperCase(),
    template: String(entries.get(method)),
    body: String(entries.get('body') ?? ''),
  }
}

/** The template as a URLPattern. A dot in a field's path can't be in a group's name, two underscores can. */
function toPattern(template: string): string {
  const groups = template.replaceAll(/\{([\w.]+)=([^}]*)\}/g, (_, field: string, shape: string) => {
    return `:${field.replaceAll('.', '__')}(${shape.replaceAll('*', '[^\\/:]+')})`
  })
  return groups.replace(/:(\w+)$/, '\\:$1')
}

/** Sets `a.b` in a request under construction. */
function withPath(
  request: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const [key = '', ...rest] = path
  if (rest.length === 0) return { ...request, [key]: value }
  const inner = request[key]
  const map: Record<string, unknown> = typeof inner === 'object' && inner !== null ? { ...inner } : {}
  return { ...request, [key]: withPath(map, rest, value) }
}

// What every Google API takes in the query (https://cloud.google.com/apis/docs/system-parameters).
const standard = new Set([
  'alt',
  '$alt',
  'prettyPrint',
  'key',
  'fields',
  'quotaUser',
  'access_token',
  '$.xgafv',
])

async function readRequest(call: Call, rule: Rule): Promise<Record<string, unknown>> {
  const body = rule.body === '' ? {} : await call.body()
  let request: Record<string, unknown> = rule.body === '' || rule.body === '*' ? body : { [rule.body]: body }
  for (const [key, value] of call.url.searchParams)
    if (!standard.has(key)) request = withPath(request, key.split('.'), value)
  for (const [key, value] of Object.entries(call.params)) request = withPath(request, key.split('__'), value)
  return request
}

function toRoute(definition: MethodDefinition<object, object>, method: Method): Route[] {
  const rule = ruleOf(definition)
  if (!rule) return []
  const handler = async (call: Call) => {
    const gone = new AbortController()
    call.response.on('close', () => gone.abort())
    const request = fromJson(definition.requestType.type as MessageType, await readRequest(call, rule))
    const answer = await method(request, gone.signal)
    return toJson(definition.responseType.type as MessageType, answer)
  }
  return [{ method: rule.method, path: toPattern(rule.template), handler }]
}

export function makeRoutes(sets: readonly MethodSet[]): Route[] {
  return sets.flatMap(({ definition, methods }) =>
    Object.entries(definition).flatMap(([name, item]) => {
      const method = methods.get(name)
      return method ? toRoute(item, method) : []
    }),
  )
}
