/** The end of every upload: declared hashes are compared, then the content becomes the object. */
import { rm } from 'node:fs/promises'
import { invalid } from './errors.ts'
import { applyChange, parseFieldChange } from './fields.ts'
import type { Content } from './incoming.ts'
import type { Preconditions } from './preconditions.ts'
import type { State, StoredObject } from './state.ts'

export interface UploadTarget {
  readonly bucket: string
  readonly name: string
  /** The JSON resource that came with the upload. */
  readonly resource: Readonly<Record<string, unknown>>
  readonly conditions: Preconditions
  /** The type named outside the resource; the resource's own wins. */
  readonly contentType?: string | undefined
}

/** What a writer says its bytes hash to, in the resource or in an `x-goog-hash` header. */
export function checkHashes(
  content: Content,
  declared: Readonly<Record<string, unknown>>,
  header = '',
): void {
  const fromHeader = Object.fromEntries(header.split(',').map(pair => pair.trim().split(/=(.*)/s)))
  const pairs = [
    ['CRC32C', declared.crc32c, content.crc32c],
    ['CRC32C', fromHeader.crc32c, content.crc32c],
    ['MD5 hash', declared.md5Hash, content.md5Hash],
    ['MD5 hash', fromHeader.md5, content.md5Hash],
  ]
  for (const [kind, said, found] of pairs)
    if (said && said !== found)
      throw invalid(`Provided ${kind} "${said}" doesn't match calculated ${kind} "${found}".`)
}

/** Commits `content` under the target's name, or removes it and throws. */
export async function finishUpload(
  state: State,
  target: UploadTarget,
  content: Content,
  hashes?: string,
): Promise<StoredObject> {
  try {
    checkHashes(content, target.resource, hashes)
    const { bucket, name, conditions, contentType } = target
    const change = parseFieldChange(target.resource)
    const type = change.contentType ?? contentType ?? 'application/octet-stream'
    const fields = applyChange({}, { ...change, contentType: type })
    return state.commit({ bucket, name, fields, content, conditions })
  } catch (error) {
    await rm(content.path, { force: true })
    throw error
  }
}
