/** Source URIs to files: one `*` a URI, or a manifest that lists the files. */
import { readFile } from 'node:fs/promises'
import type { ObjectFile, ObjectFiles } from '../../service.ts'
import { BigQueryError, invalid } from '../errors.ts'
import type { LoadConfig } from './config.ts'

interface Uri {
  readonly bucket: string
  readonly name: string
}

export function spellFile(file: Pick<ObjectFile, 'bucket' | 'name'>): string {
  return `gs://${file.bucket}/${file.name}`
}

function parseUri(uri: string): Uri {
  const match = /^gs:\/\/([^/*]+)\/(.+)$/s.exec(uri)
  const [, bucket, name] = match ?? []
  if (bucket === undefined || name === undefined) {
    throw invalid(
      `Invalid source URI: ${uri}. It must have the form gs://bucket/object, with no wildcard in the bucket.`,
    )
  }
  // https://cloud.google.com/bigquery/docs/batch-loading-data#load-wildcards
  if (name.split('*').length > 2) throw invalid(`Invalid source URI: ${uri}. Only one wildcard is allowed.`)
  return { bucket, name }
}

function notFound(uri: string): BigQueryError {
  return new BigQueryError('notFound', `Not found: URI ${uri}`)
}

/** The bucket being unknown counts as not found too. */
function inBucket<T>(uri: string, look: () => T): T {
  try {
    return look()
  } catch {
    throw notFound(uri)
  }
}

function findFiles(objects: ObjectFiles, uri: string): readonly ObjectFile[] {
  const { bucket, name } = parseUri(uri)
  const [prefix = '', suffix] = name.split('*')
  if (suffix === undefined) {
    const file = inBucket(uri, () => objects.find(bucket, name))
    if (!file) throw notFound(uri)
    return [file]
  }
  const all = inBucket(uri, () => objects.list(bucket, prefix))
  const files = all.filter(f => f.name.endsWith(suffix) && f.name.length >= prefix.length + suffix.length)
  if (files.length === 0) throw notFound(uri)
  return files
}

/**
 * The URIs of a newline-delimited manifest: no wildcards, all in the manifest's bucket
 * (https://cloud.google.com/bigquery/docs/reference/rest/v2/tables#FileSetSpecType).
 */
async function readManifest(objects: ObjectFiles, uri: string): Promise<string[]> {
  const { bucket } = parseUri(uri)
  const [file] = findFiles(objects, uri)
  if (!file) return []
  const lines = (await readFile(file.path, 'utf8')).split('\n').map(line => line.trim())
  const uris = lines.filter(line => line !== '')
  for (const listed of uris) {
    const target = parseUri(listed)
    if (target.name.includes('*'))
      throw invalid(`Wildcards are not allowed in a manifest: ${listed}. File: ${uri}`)
    if (target.bucket !== bucket)
      throw invalid(`A manifest may only list files of its own bucket: ${listed}. File: ${uri}`)
  }
  return uris
}

/** Every file once, in the order of the URIs. */
export async function readFileSet(objects: ObjectFiles, config: LoadConfig): Promise<readonly ObjectFile[]> {
  const uris: string[] = []
  for (const uri of config.uris) uris.push(...(config.byManifest ? await readManifest(objects, uri) : [uri]))
  const files = new Map<string, ObjectFile>()
  for (const uri of uris) for (const file of findFiles(objects, uri)) files.set(spellFile(file), file)
  return [...files.values()]
}
