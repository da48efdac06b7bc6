/** New objects from old ones: copy, rewrite, compose. Content is immutable, so a copy is a second name for the file. */
import { randomUUID } from 'node:crypto'
import { createReadStream, linkSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Call, Route } from '../server.ts'
import { invalid, required } from './errors.ts'
import { applyChange, type ObjectFields, parseFieldChange } from './fields.ts'
import { finishUpload } from './finish-upload.ts'
import { type Content, receive } from './incoming.ts'
import { parseObjectName } from './names.ts'
import { baseUrl } from './parameters.ts'
import { checkRead, checkWrite, parsePreconditions, requireObject } from './preconditions.ts'
import type { State, StoredObject } from './state.ts'
import { encodeObject } from './wire.ts'

async function linkContent(state: State, object: StoredObject): Promise<Content> {
  const path = join(state.incoming, randomUUID())
  const from = state.contentPath(object)
  try {
    // At once, before an overwrite can remove the source's file.
    linkSync(from, path)
  } catch {
    // Not every file system has hard links.
    await copyFile(from, path)
  }
  const { size, crc32c, md5Hash, componentCount } = object
  return {
    path,
    size,
    crc32c,
    ...(md5Hash ? { md5Hash } : {}),
    ...(componentCount ? { componentCount } : {}),
  }
}

/** A resource in the body replaces the source's fields as a whole; without one they are carried over. */
function copiedFields(source: ObjectFields, body: Record<string, unknown>): Record<string, unknown> {
  const given = applyChange({}, parseFieldChange(body))
  return Object.keys(given).length > 0 ? given : { ...source }
}

async function copyObject(state: State, call: Call): Promise<StoredObject> {
  const { bucket = '', object: name = '', toBucket = '', toObject = '' } = call.params
  const query = call.url.searchParams
  const body = await call.body()
  const generation = query.get('sourceGeneration')
  const source = requireObject(state.find(bucket, name), { bucket, name, generation })
  checkWrite(parsePreconditions(query, 'ifSource'), source)
  const resource = copiedFields(source.fields, body)
  const conditions = parsePreconditions(query)
  const target = { bucket: toBucket, name: parseObjectName(toObject), resource, conditions }
  state.shelf(toBucket)
  return await finishUpload(state, target, await linkContent(state, source))
}

async function rewrite(state: State, call: Call): Promise<unknown> {
  const object = await copyObject(state, call)
  const size = String(object.size)
  const resource = encodeObject(object, baseUrl(call.request.headers.host))
  return {
    kind: 'storage#rewriteResponse',
    totalBytesRewritten: size,
    objectSize: size,
    done: true,
    resource,
  }
}

function toMap(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** The live objects that a compose request names, in its order. */
function composeSources(state: State, bucket: string, body: Record<string, unknown>): StoredObject[] {
  const items: unknown = body.sourceObjects
  if (!Array.isArray(items) || items.length === 0)
    throw required('You must provide at least one source component.')
  if (items.length > 32) throw invalid('The number of source components provided exceeds the maximum (32)')
  return items.map(toMap).map(item => {
    const generation = item.generation
    const asked = typeof generation === 'string' || typeof generation === 'number' ? String(generation) : null
    const name = String(item.name ?? '')
    const object = requireObject(state.find(bucket, name), { bucket, name, generation: asked })
    const expected = toMap(item.objectPreconditions).ifGenerationMatch
    if (expected !== undefined) checkRead({ generationMatch: String(expected) }, object)
    return object
  })
}

async function* readAll(state: State, objects: readonly StoredObject[]): AsyncGenerator<Uint8Array> {
  for (const object of objects) yield* createReadStream(state.contentPath(object))
}

async function compose(state: State, call: Call): Promise<unknown> {
  const { bucket = '', object: name = '' } = call.params
  const body = await call.body()
  const sources = composeSources(state, bucket, body)
  const { md5Hash: _md5, ...content } = await receive(state.incoming, readAll(state, sources))
  const componentCount = sources.reduce((count, source) => count + (source.componentCount ?? 1), 0)
  // gcloud sends the first component's resource as the destination's, hashes and all; Google ignores what it computes.
  const { crc32c: _crc32c, md5Hash: _md5Hash, ...resource } = toMap(body.destination)
  const conditions = parsePreconditions(call.url.searchParams)
  const target = { bucket, name: parseObjectName(name), resource, conditions }
  const object = await finishUpload(state, target, { ...content, componentCount })
  return encodeObject(object, baseUrl(call.request.headers.host))
}

export function makeCopyRoutes(state: State, root: string): Route[] {
  const from = `${root}/b/:bucket/o/:object`
  const to = 'b/:toBucket/o/:toObject'
  const copy = async (call: Call) =>
    encodeObject(await copyObject(state, call), baseUrl(call.request.headers.host))
  return [
    { method: 'POST', path: `${from}/rewriteTo/${to}`, handler: call => rewrite(state, call) },
    { method: 'POST', path: `${from}/copyTo/${to}`, handler: copy },
    { method: 'POST', path: `${from}/compose`, handler: call => compose(state, call) },
  ]
}
