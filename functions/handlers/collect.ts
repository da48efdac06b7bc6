/** Collects the objects of a snapshot and says whether it is whole, not yet whole, or wrong. */
import type { Feed } from '../feed/feed.ts'
import { type Manifest, parseManifest } from '../feed/manifest.ts'
import type { PathPattern } from '../feed/path-pattern.ts'
import type { Snapshot, SourceFile } from '../feed/snapshot.ts'
import type { SnapshotId } from '../feed/snapshot-id.ts'
import type { Objects, StoredObject } from '../gcp/ports.ts'

interface Wrong {
  readonly kind: 'wrong'
  readonly reason: string
  readonly hint: string
}
type Judged =
  | { readonly kind: 'whole'; readonly snapshot: Snapshot }
  /** `missing`: what it waits for, in words. */
  | { readonly kind: 'waiting'; readonly missing: string }
  | Wrong
export type Collected =
  | Exclude<Judged, Wrong>
  /** `seen`: the objects it was said of. They are wrong once, however many events tell of them. */
  | (Wrong & { readonly seen: readonly SourceFile[] })

const toFile = ({ name, generation, size, crc32c }: StoredObject): SourceFile => ({
  name,
  generation,
  size,
  crc32c,
})

/** The list of files that a load job reads has one URI a line, and no wildcards: facts of FileSetSpecType. */
function findUnlistable(objects: readonly StoredObject[]): { reason: string; hint: string } | undefined {
  const broken = objects.find(({ name }) => /[\r\n*]|\s$/.test(name))
  if (!broken) return undefined
  const { name } = broken
  const what = name.includes('*')
    ? 'a * in its name, which a load job takes for a wildcard'
    : /\s$/.test(name)
      ? 'a space at the end of its name, which a list of files does not keep'
      : 'a line break in its name'
  return { reason: `object ${JSON.stringify(name)} has ${what}`, hint: 'Name it without one.' }
}

function makeWhole(
  id: SnapshotId,
  bucket: string,
  objects: readonly StoredObject[],
  completedAt: string,
  rows?: number,
): Judged {
  const wrong = findUnlistable(objects)
  if (wrong) return { kind: 'wrong', ...wrong }
  const arrivedAt =
    [completedAt, ...objects.map(({ createdAt }) => createdAt)].toSorted().at(-1) ?? completedAt
  return {
    kind: 'whole',
    snapshot: { id, bucket, files: objects.map(toFile), arrivedAt, ...(rows !== undefined && { rows }) },
  }
}

const folderOf = (name: string) => name.slice(0, name.lastIndexOf('/') + 1)

/** Differences that stay: a file that is there and is not the one that the manifest speaks of. */
function findMismatch(
  manifest: Manifest,
  manifestName: string,
  live: ReadonlyMap<string, StoredObject>,
): string | undefined {
  const folder = folderOf(manifestName)
  for (const { name, size, crc32c, generation } of manifest.files) {
    const object = live.get(folder + name)
    if (!object) continue
    if (object.name === manifestName) return `${object.name} lists itself`
    if (size !== undefined && size !== object.size)
      return `${object.name} has ${object.size} bytes, the manifest says ${size}`
    if (crc32c !== undefined && crc32c !== object.crc32c)
      return `${object.name} has crc32c ${object.crc32c}, the manifest says ${crc32c}`
    if (generation !== undefined && generation !== object.generation)
      return `${object.name} is generation ${object.generation}, the manifest says ${generation}`
  }
  return undefined
}

/** A manifest that can never be fulfilled: of another snapshot, or of files that are none of this one's. */
function findMisplaced(
  { snapshot, files }: Manifest,
  id: SnapshotId,
  path: PathPattern,
  manifestName: string,
): Wrong | undefined {
  if (snapshot !== undefined && snapshot !== id) {
    return {
      kind: 'wrong',
      reason: `${manifestName} is of snapshot ${snapshot}, its path of ${id}`,
      hint: 'Write the manifest into the folder of its own snapshot.',
    }
  }
  const folder = folderOf(manifestName)
  const stray = files.find(({ name }) => path.match(folder + name) !== id)
  if (!stray) return undefined
  return {
    kind: 'wrong',
    reason: `${manifestName} lists ${stray.name}, and ${folder}${stray.name} is no object that ${path.text} names`,
    hint: "Names are relative to the manifest's folder; correct them, or source.path of the feed.",
  }
}

function collectManifest(
  id: SnapshotId,
  bucket: string,
  path: PathPattern,
  object: { name: string; text: string; createdAt: string },
  live: ReadonlyMap<string, StoredObject>,
): Judged {
  const parsed = parseManifest(object.text)
  if (parsed.kind === 'problem')
    return { kind: 'wrong', reason: `${object.name}: ${parsed.message}`, hint: parsed.hint }
  const { manifest } = parsed
  const misplaced = findMisplaced(manifest, id, path, object.name)
  if (misplaced) return misplaced
  const folder = folderOf(object.name)
  const absent = manifest.files.filter(({ name }) => !live.has(folder + name))
  const [first] = absent
  if (first)
    return {
      kind: 'waiting',
      missing: `${absent.length} of ${manifest.files.length} objects, ${folder}${first.name} the first`,
    }
  const mismatch = findMismatch(manifest, object.name, live)
  if (mismatch)
    return { kind: 'wrong', reason: mismatch, hint: 'Write the manifest last, of the files as they are.' }
  const files = manifest.files.flatMap(({ name }) => live.get(folder + name) ?? [])
  const rows = manifest.files.reduce<number | undefined>(
    (sum, file) => (sum === undefined || file.rows === undefined ? undefined : sum + file.rows),
    0,
  )
  return makeWhole(id, bucket, files, object.createdAt, manifest.files.length > 0 ? rows : undefined)
}

function collectSingle(
  id: SnapshotId,
  bucket: string,
  pattern: string,
  data: readonly StoredObject[],
): Judged {
  const [file] = data
  if (!file) return { kind: 'waiting', missing: `an object that matches ${pattern}` }
  if (data.length === 1) return makeWhole(id, bucket, [file], file.createdAt)
  const hint = 'A snapshot of single-file is one object; use a manifest or a marker for more.'
  return { kind: 'wrong', reason: `${data.length} objects match ${pattern} for snapshot ${id}`, hint }
}

function withSeen(judged: Judged, seen: readonly StoredObject[]): Collected {
  return judged.kind === 'wrong' ? { ...judged, seen: seen.map(toFile) } : judged
}

/** Reads the bucket: what lies below the snapshot's prefix now decides, not which event came first. */
export async function collectSnapshot(
  objects: Objects,
  bucket: string,
  { source }: Feed,
  id: SnapshotId,
): Promise<Collected> {
  const { complete, path } = source
  const list = () => objects.list(bucket, path.prefix(id))
  const isData = ({ name, size }: StoredObject) =>
    path.match(name) === id && !(name.endsWith('/') && size === 0)
  if (complete.kind === 'single-file') {
    const data = (await list()).filter(isData)
    return withSeen(collectSingle(id, bucket, path.text, data), data)
  }
  const name = complete.object.name(id)
  // Looked for first: thousands of parts arrive before it, and none of them need list the others.
  const completing = await objects.stat(bucket, name)
  if (!completing) return { kind: 'waiting', missing: name }
  const listed = await list()
  if (complete.kind === 'marker') {
    const data = listed.filter(object => isData(object) && object.name !== name)
    return withSeen(makeWhole(id, bucket, data, completing.createdAt), [completing, ...data])
  }
  const found = await objects.readText(bucket, name)
  if (!found) return { kind: 'waiting', missing: name }
  const live = new Map(listed.map(object => [object.name, object]))
  const object = { name, text: found.text, createdAt: completing.createdAt }
  const seen = new Map(live).set(name, completing)
  return withSeen(collectManifest(id, bucket, path, object, live), [...seen.values()])
}
