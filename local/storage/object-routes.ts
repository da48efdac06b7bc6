/** Objects over JSON: get, list, change, delete. */
import type { Call, Route } from '../server.ts'
import { download } from './download.ts'
import { parseFieldChange } from './fields.ts'
import { listPage, parseListQuery } from './listing.ts'
import { baseUrl } from './parameters.ts'
import { checkRead, parsePreconditions, requireObject } from './preconditions.ts'
import type { State } from './state.ts'
import { encodeObject } from './wire.ts'

function parseCall(call: Call) {
  const { bucket = '', object: name = '' } = call.params
  const query = call.url.searchParams
  const base = baseUrl(call.request.headers.host)
  return {
    bucket,
    name,
    query,
    base,
    generation: query.get('generation'),
    conditions: parsePreconditions(query),
  }
}

function getObject(state: State, call: Call): unknown {
  if (call.url.searchParams.get('alt') === 'media') return download(state, call)
  const { bucket, name, generation, conditions, base } = parseCall(call)
  const object = requireObject(state.find(bucket, name), { bucket, name, generation })
  checkRead(conditions, object)
  return encodeObject(object, base)
}

function listObjects(state: State, call: Call): unknown {
  const { bucket, query, base } = parseCall(call)
  const { objects, names: all } = state.shelf(bucket)
  const { names, prefixes, nextPageToken } = listPage(all, parseListQuery(query))
  const items = names.flatMap(name => objects.get(name) ?? []).map(object => encodeObject(object, base))
  return {
    kind: 'storage#objects',
    ...(nextPageToken ? { nextPageToken } : {}),
    ...(prefixes.length > 0 ? { prefixes } : {}),
    ...(items.length > 0 ? { items } : {}),
  }
}

async function patchObject(state: State, call: Call): Promise<unknown> {
  const { bucket, name, generation, conditions, base } = parseCall(call)
  const change = parseFieldChange(await call.body())
  return encodeObject(state.patch(bucket, name, generation, change, conditions), base)
}

function deleteObject(state: State, call: Call): undefined {
  const { bucket, name, generation, conditions } = parseCall(call)
  state.remove(bucket, name, generation, conditions)
  call.response.writeHead(204).end()
}

/** `root` is `/storage/v1` or nothing: clients that follow STORAGE_EMULATOR_HOST leave the prefix out. */
export function makeObjectRoutes(state: State, root: string): Route[] {
  const path = `${root}/b/:bucket/o/:object`
  return [
    { method: 'GET', path: `${root}/b/:bucket/o`, handler: call => listObjects(state, call) },
    { method: 'GET', path, handler: call => getObject(state, call) },
    { method: 'PATCH', path, handler: call => patchObject(state, call) },
    { method: 'DELETE', path, handler: call => deleteObject(state, call) },
    { method: 'GET', path: `/download${path}`, handler: call => download(state, call) },
  ]
}
