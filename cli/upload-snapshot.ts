/** Delivers a snapshot to the inbox as a source would: data first, the manifest or marker last. */
import { posix } from 'node:path'
import type { Bucket } from '@google-cloud/storage'
import type { Feed } from '../functions/feed/feed.ts'
import type { LocalFile, SnapshotDir } from './snapshot-dir.ts'

const AT_ONCE = 4

interface Uploaded {
  readonly object: string
  readonly size: number
  readonly crc32c: string
}

async function upload(bucket: Bucket, { path, object, size }: LocalFile): Promise<Uploaded> {
  const [file] = await bucket.upload(path, { destination: object, resumable: size > 8 << 20 })
  return { object, size, crc32c: String(file.metadata.crc32c ?? '') }
}

/** Names are relative to the manifest's folder, as docs/manifest.md has it. */
function encodeManifest(id: string, manifest: string, files: readonly Uploaded[]): string {
  const folder = posix.dirname(manifest)
  const entries = files.map(({ object, size, crc32c }) => ({
    name: posix.relative(folder, object),
    size,
    crc32c,
  }))
  return `${JSON.stringify({ snapshot: id, files: entries }, null, 2)}\n`
}

async function finish(
  bucket: Bucket,
  feed: Feed,
  snapshot: SnapshotDir,
  files: readonly Uploaded[],
): Promise<void> {
  const { complete } = feed.source
  if (complete.kind === 'single-file') return
  if (snapshot.last) return void (await upload(bucket, snapshot.last))
  const object = complete.object.name(snapshot.id)
  const content = complete.kind === 'manifest' ? encodeManifest(snapshot.id, object, files) : ''
  await bucket.file(object).save(content, { resumable: false })
}

/** Resolves when the last object is there, with the number of bytes of data; rejects when `signal` aborts. */
export async function uploadSnapshot(
  bucket: Bucket,
  feed: Feed,
  snapshot: SnapshotDir,
  signal: AbortSignal,
): Promise<number> {
  const waiting = [...snapshot.files]
  const done: Uploaded[] = []
  const work = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      signal.throwIfAborted()
      done.push(await upload(bucket, file))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  signal.throwIfAborted()
  await finish(
    bucket,
    feed,
    snapshot,
    done.toSorted((a, b) => (a.object < b.object ? -1 : 1)),
  )
  return done.reduce((sum, { size }) => sum + size, 0)
}
