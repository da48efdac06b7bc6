/**
 * How objects lie in the folder: `buckets/<bucket>/<generation>` is the content and `<generation>.json` says whose it is.
 * The metadata file's rename is the commit. Names of objects never become names of files.
 */
import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import type { Bucket, StoredObject } from './state.ts'

export interface Disk {
  /** Where unfinished uploads lie; emptied at start. */
  readonly incoming: string
  contentPath(bucket: string, generation: string): string
  /** Makes `content` the file of `object`; the object exists as soon as this returns, and not before. */
  writeObject(object: StoredObject, content: string): void
  /** Replaces the metadata of an object whose content stays. */
  writeFields(object: StoredObject): void
  removeObject(object: StoredObject): void
  writeBucket(bucket: Bucket): void
  removeBucket(name: string): void
  read(): { buckets: Bucket[]; objects: StoredObject[] }
}

function writeDurably(path: string, value: unknown): void {
  const passing = `${path}.new`
  const file = fs.openSync(passing, 'w')
  try {
    fs.writeFileSync(file, JSON.stringify(value))
    fs.fsyncSync(file)
  } finally {
    fs.closeSync(file)
  }
  fs.renameSync(passing, path)
}

/** Makes renames in a folder outlive a power cut. Windows has no such thing for folders. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(folder)
  } finally {
    fs.closeSync(folder)
  }
}

const readJson = (path: string): unknown => JSON.parse(fs.readFileSync(path, 'utf8'))

/** Reads one bucket's folder and clears what a crash left: content without metadata, and metadata not yet renamed. */
function readBucket(folder: string): { bucket: Bucket; objects: StoredObject[] } | undefined {
  const files = new Set(fs.readdirSync(folder))
  if (!files.has('bucket.json')) {
    fs.rmSync(folder, { recursive: true })
    return undefined
  }
  const objects: StoredObject[] = []
  for (const file of files) {
    if (file === 'bucket.json') continue
    const path = join(folder, file)
    if (/^\d+\.json$/.test(file)) {
      if (!files.has(basename(file, '.json')))
        throw new Error(`${path} describes content that is missing beside it.`)
      objects.push(readJson(path) as StoredObject)
    } else if (!files.has(`${file}.json`)) fs.rmSync(path)
  }
  return { bucket: readJson(join(folder, 'bucket.json')) as Bucket, objects }
}

export function openDisk(dir: string): Disk {
  const [incoming, root] = [join(dir, 'incoming'), join(dir, 'buckets')]
  fs.rmSync(incoming, { recursive: true, force: true })
  for (const folder of [incoming, root]) fs.mkdirSync(folder, { recursive: true })
  const contentPath = (bucket: string, generation: string) => join(root, bucket, generation)
  const fieldsPath = (object: StoredObject) => `${contentPath(object.bucket, object.generation)}.json`
  return {
    incoming,
    contentPath,
    writeObject(object, content) {
      fs.renameSync(content, contentPath(object.bucket, object.generation))
      writeDurably(fieldsPath(object), object)
      syncFolder(join(root, object.bucket))
    },
    writeFields: object => writeDurably(fieldsPath(object), object),
    removeObject(object) {
      // Metadata first: content alone is rubbish that the next start clears, metadata alone would be a lie.
      fs.rmSync(fieldsPath(object))
      fs.rmSync(contentPath(object.bucket, object.generation))
    },
    writeBucket(bucket) {
      fs.mkdirSync(join(root, bucket.name), { recursive: true })
      writeDurably(join(root, bucket.name, 'bucket.json'), bucket)
    },
    removeBucket: name => fs.rmSync(join(root, name), { recursive: true }),
    read() {
      const found = fs.readdirSync(root).flatMap(name => readBucket(join(root, name)) ?? [])
      return { buckets: found.map(item => item.bucket), objects: found.flatMap(item => item.objects) }
    },
  }
}
