/** What Cloud Storage sends: bucket and object resources, and errors (https://cloud.google.com/storage/docs/json_api). */
import { BadJson, type ErrorRenderer, type WireError } from '../server.ts'
import { StorageError } from './errors.ts'
import type { Bucket, StoredObject } from './state.ts'

/** Changes with the content or the metadata, and only then. */
export function encodeEtag(object: StoredObject): string {
  return Buffer.from(`${object.generation}/${object.metageneration}`).toString('base64')
}

/** The `x-goog-hash` header of a download. */
export function encodeHashes(object: StoredObject): string {
  return `crc32c=${object.crc32c}${object.md5Hash ? `,md5=${object.md5Hash}` : ''}`
}

export function encodeObject(object: StoredObject, base: string): Record<string, unknown> {
  const { bucket, name, generation, fields, componentCount } = object
  const path = `b/${bucket}/o/${encodeURIComponent(name)}`
  return {
    kind: 'storage#object',
    id: `${bucket}/${name}/${generation}`,
    selfLink: `${base}/storage/v1/${path}`,
    mediaLink: `${base}/download/storage/v1/${path}?generation=${generation}&alt=media`,
    name,
    bucket,
    generation,
    metageneration: String(object.metageneration),
    storageClass: 'STANDARD',
    size: String(object.size),
    ...(object.md5Hash ? { md5Hash: object.md5Hash } : {}),
    crc32c: object.crc32c,
    ...(componentCount ? { componentCount } : {}),
    etag: encodeEtag(object),
    timeCreated: object.timeCreated,
    updated: object.updated,
    timeStorageClassUpdated: object.timeCreated,
    timeFinalized: object.timeCreated,
    ...fields,
  }
}

export function encodeBucket(bucket: Bucket, base: string): Record<string, unknown> {
  const { project: _project, ...fields } = bucket
  return {
    kind: 'storage#bucket',
    id: bucket.name,
    selfLink: `${base}/storage/v1/b/${bucket.name}`,
    metageneration: '1',
    locationType: ['US', 'EU', 'ASIA'].includes(bucket.location) ? 'multi-region' : 'region',
    etag: 'CAE=',
    updated: bucket.timeCreated,
    ...fields,
  }
}

function encodeError(error: StorageError): WireError {
  const { status, reason, message } = error
  const [locationType, location] = error.location?.split(':') ?? []
  const detail = { message, domain: 'global', reason, ...(location ? { locationType, location } : {}) }
  return { status, body: { error: { code: status, message, errors: [detail] } } }
}

/** A failure as Google would have named it; a bug becomes a 500 that the console sees too. */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  if (error instanceof BadJson) return new StorageError(400, 'parseError', 'Parse Error')
  if (error instanceof URIError)
    return new StorageError(400, 'invalid', 'The path is not properly percent-encoded.')
  // The client has hung up: nobody reads the answer, and nothing here is broken.
  if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
    return new StorageError(400, 'clientDisconnected', 'The connection broke off.')
  console.error('Cloud Storage failed:', error)
  return new StorageError(500, 'backendError', error instanceof Error ? error.message : String(error))
}

export const storageErrors: ErrorRenderer = {
  render: error => encodeError(toStorageError(error)),
  noRoute: (method, path) =>
    encodeError(
      new StorageError(
        404,
        'notFound',
        `Not Found: the embedded Cloud Storage does not serve ${method} ${path}`,
      ),
    ),
}
