/** Deterministic ids: a hash of everything that affects a result, so that a second submit meets the first. */
import { createHash } from 'node:crypto'
import { parseRunId, type RunId } from '../feed/names.ts'
import type { Snapshot } from '../feed/snapshot.ts'

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined && typeof inner !== 'function')
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)]),
  )
}

/** 16 hex digits of the SHA-256 of the value's canonical JSON: the order of keys does not count. */
export function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(canonical(value)))
    .digest('hex')
    .slice(0, 16)
}

/** What makes two deliveries of a snapshot the same: its objects and their generations. */
export function fingerprintOf({ files, approved = false }: Pick<Snapshot, 'files' | 'approved'>): string {
  return hashOf({ files: files.map(({ name, generation }) => [name, generation]).toSorted(), approved })
}

/** What a snapshot brings, whatever its objects' generations: the same files sent again have the same. */
export const contentOf = ({ files }: Pick<Snapshot, 'files'>): string =>
  hashOf(files.map(({ name, size, crc32c }) => [name, size, crc32c]).toSorted())

/** Whether what carries `fingerprint` is this delivery: the same objects, and no approval that it has not seen. */
export function coversDelivery(
  fingerprint: string | undefined,
  snapshot: Pick<Snapshot, 'files' | 'approved'>,
): boolean {
  return (
    fingerprint === fingerprintOf(snapshot) || fingerprint === fingerprintOf({ ...snapshot, approved: true })
  )
}

export function runIdOf(value: unknown): RunId {
  const id = parseRunId(hashOf(value))
  if (id === undefined) throw new Error('a hash is 16 hex digits')
  return id
}
