/** An object's bytes: whole, a range, or unpacked for a reader that does not take gzip. */
import { createReadStream, openSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Call } from '../server.ts'
import { parseRange } from './content-range.ts'
import { StorageError } from './errors.ts'
import { checkRead, parsePreconditions, requireObject } from './preconditions.ts'
import type { State, StoredObject } from './state.ts'
import { encodeEtag, encodeHashes, toStorageError } from './wire.ts'

function contentHeaders(object: StoredObject): Record<string, string> {
  const { contentType, contentEncoding, cacheControl, contentDisposition, contentLanguage } = object.fields
  const optional = {
    'content-type': contentType,
    'content-encoding': contentEncoding,
    'cache-control': cacheControl,
    'content-disposition': contentDisposition,
    'content-language': contentLanguage,
  }
  return {
    ...Object.fromEntries(Object.entries(optional).flatMap(([key, value]) => (value ? [[key, value]] : []))),
    etag: encodeEtag(object),
    'last-modified': new Date(object.updated).toUTCString(),
    'x-goog-generation': object.generation,
    'x-goog-metageneration': String(object.metageneration),
    'x-goog-hash': encodeHashes(object),
    'x-goog-storage-class': 'STANDARD',
    'x-goog-stored-content-encoding': contentEncoding ?? 'identity',
    'x-goog-stored-content-length': String(object.size),
  }
}

/** Google unpacks what is stored as gzip unless the reader accepts gzip (docs: Transcoding of gzip-compressed files). */
function wantsUnpacked(call: Call, { fields }: StoredObject): boolean {
  const accepts = /\bgzip\b/.test(call.request.headers['accept-encoding']?.toString() ?? '')
  return fields.contentEncoding === 'gzip' && !accepts && !fields.cacheControl?.includes('no-transform')
}

async function send(state: State, call: Call): Promise<void> {
  const { bucket = '', object: name = '' } = call.params
  const query = call.url.searchParams
  const object = requireObject(state.find(bucket, name), {
    bucket,
    name,
    generation: query.get('generation'),
  })
  checkRead(parsePreconditions(query), object)
  const headers = contentHeaders(object)
  const unpacked = wantsUnpacked(call, object)
  const range = unpacked ? undefined : parseRange(call.request.headers.range, object.size)
  // Opened before anything is awaited: an overwrite that comes later removes the name of the file, not our view of it.
  const file = openSync(state.contentPath(object), 'r')
  const source = createReadStream('', { fd: file, ...(range ? { start: range.first, end: range.last } : {}) })
  if (unpacked) {
    const { 'content-encoding': _encoding, ...rest } = headers
    call.response.writeHead(200, { ...rest, warning: '214 UploadServer gunzipped' })
    return await pipeline(source, createGunzip(), call.response)
  }
  if (range) {
    const { first, last } = range
    const part = {
      'content-range': `bytes ${first}-${last}/${object.size}`,
      'content-length': last - first + 1,
    }
    call.response.writeHead(206, { ...headers, ...part })
  } else call.response.writeHead(200, { ...headers, 'accept-ranges': 'bytes', 'content-length': object.size })
  await pipeline(source, call.response)
}

/** Errors of a download are plain text, not JSON: the reader asked for content. */
export async function download(state: State, call: Call): Promise<void> {
  try {
    await send(state, call)
  } catch (error) {
    if (call.response.headersSent) return void call.response.destroy()
    const { status, message } = error instanceof StorageError ? error : toStorageError(error)
    const text = status === 304 ? '' : message
    call.response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
  }
}
