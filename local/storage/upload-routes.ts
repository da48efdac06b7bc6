/** The start of an upload, of any of the three kinds (https://cloud.google.com/storage/docs/uploads-downloads). */
import type { Call, Route } from '../server.ts'
import { invalid, required } from './errors.ts'
import { finishUpload, type UploadTarget } from './finish-upload.ts'
import { receive } from './incoming.ts'
import { readMultipart } from './multipart.ts'
import { parseObjectName } from './names.ts'
import { baseUrl } from './parameters.ts'
import { parsePreconditions } from './preconditions.ts'
import type { Sessions } from './resumable.ts'
import type { State } from './state.ts'
import { encodeObject } from './wire.ts'

/** Resources may name the object too; the query wins, as it does at Google. */
function parseTarget(call: Call, resource: Record<string, unknown>, contentType?: string): UploadTarget {
  const query = call.url.searchParams
  const name = query.get('name') ?? resource.name
  if (typeof name !== 'string' || name === '') throw required('Required parameter: name', 'parameter:name')
  const encoding = query.get('contentEncoding')
  return {
    bucket: call.params.bucket ?? '',
    name: parseObjectName(name),
    resource: encoding ? { ...resource, contentEncoding: encoding } : resource,
    conditions: parsePreconditions(query),
    contentType,
  }
}

async function uploadMultipart(state: State, call: Call) {
  const { headers } = call.request
  const parts = await readMultipart(headers['content-type'], call.request)
  const target = parseTarget(call, parts.resource, parts.contentType)
  state.shelf(target.bucket)
  const content = await receive(state.incoming, parts.content())
  const object = await finishUpload(state, target, content, headers['x-goog-hash']?.toString())
  return encodeObject(object, baseUrl(headers.host))
}

async function uploadMedia(state: State, call: Call) {
  const { headers } = call.request
  const target = parseTarget(call, {}, headers['content-type'])
  state.shelf(target.bucket)
  const content = await receive(state.incoming, call.request)
  const object = await finishUpload(state, target, content, headers['x-goog-hash']?.toString())
  return encodeObject(object, baseUrl(headers.host))
}

async function startSession(sessions: Sessions, call: Call) {
  const type = call.request.headers['x-upload-content-type']?.toString()
  const target = parseTarget(call, await call.body(), type)
  const id = await sessions.start(target)
  const { pathname } = call.url
  const query = new URLSearchParams({ uploadType: 'resumable', name: target.name, upload_id: id })
  const location = `${baseUrl(call.request.headers.host)}${pathname}?${query}`
  call.response.writeHead(200, { location, 'x-guploader-uploadid': id, 'content-length': 0 }).end()
}

/** Both addresses are in use: libraries send the first, older tools the second. */
const paths = ['/upload/storage/v1/b/:bucket/o', '/resumable/upload/storage/v1/b/:bucket/o']

export function makeUploadRoutes(state: State, sessions: Sessions): Route[] {
  const start = (call: Call) => {
    const kind = call.url.searchParams.get('uploadType')
    if (kind === 'multipart') return uploadMultipart(state, call)
    if (kind === 'media') return uploadMedia(state, call)
    if (kind === 'resumable') return startSession(sessions, call)
    throw invalid(`Invalid value for uploadType: ${kind}`, 'parameter:uploadType')
  }
  return paths.flatMap((path): Route[] => [
    { method: 'POST', path, handler: start },
    { method: 'PUT', path, handler: call => sessions.receive(call) },
    { method: 'DELETE', path, handler: call => sessions.cancel(call) },
  ])
}
