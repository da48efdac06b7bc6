/** Preconditions on generations and metagenerations (https://cloud.google.com/storage/docs/request-preconditions). */
import { conditionNotMet, invalid, notModified, objectNotFound } from './errors.ts'
import type { StoredObject } from './state.ts'

export interface Preconditions {
  readonly generationMatch?: string
  readonly generationNotMatch?: string
  readonly metagenerationMatch?: string
  readonly metagenerationNotMatch?: string
}

const parameters = {
  generationMatch: 'GenerationMatch',
  generationNotMatch: 'GenerationNotMatch',
  metagenerationMatch: 'MetagenerationMatch',
  metagenerationNotMatch: 'MetagenerationNotMatch',
} as const

/** `prefix` is `if`, or `ifSource` for the object that a copy reads. Numbers stay text: a generation outgrows a double. */
export function parsePreconditions(query: URLSearchParams, prefix = 'if'): Preconditions {
  const found = Object.entries(parameters).flatMap(([key, suffix]) => {
    const value = query.get(prefix + suffix)
    if (value === null) return []
    if (!/^\d{1,19}$/.test(value))
      throw invalid(`Invalid value for ${prefix}${suffix}: ${value}`, `parameter:${prefix}${suffix}`)
    return [[key, String(BigInt(value))]]
  })
  return Object.fromEntries(found)
}

function holds(
  conditions: Preconditions,
  object: StoredObject | undefined,
): { match: boolean; notMatch: boolean } {
  const { generationMatch, generationNotMatch, metagenerationMatch, metagenerationNotMatch } = conditions
  const generation = object?.generation ?? '0'
  const metageneration = String(object?.metageneration ?? 0)
  return {
    match:
      (generationMatch === undefined || generationMatch === generation) &&
      (metagenerationMatch === undefined || (object !== undefined && metagenerationMatch === metageneration)),
    notMatch:
      (generationNotMatch === undefined || generationNotMatch !== generation) &&
      (metagenerationNotMatch === undefined ||
        (object !== undefined && metagenerationNotMatch !== metageneration)),
  }
}

/** Throws 412 unless a write may replace `object` (`undefined`: the name is free, which is generation 0). */
export function checkWrite(conditions: Preconditions, object: StoredObject | undefined): void {
  const { match, notMatch } = holds(conditions, object)
  if (!match || !notMatch) throw conditionNotMet()
}

/** Throws 412 or 304 unless a reader may have `object`. */
export function checkRead(conditions: Preconditions, object: StoredObject): void {
  const { match, notMatch } = holds(conditions, object)
  if (!match) throw conditionNotMet()
  if (!notMatch) throw notModified()
}

/** The live object, if it is there and is of the asked generation: a bucket keeps no older ones. */
export function requireObject(
  object: StoredObject | undefined,
  asked: { bucket: string; name: string; generation?: string | null },
): StoredObject {
  if (!object || (asked.generation && asked.generation !== object.generation))
    throw objectNotFound(asked.bucket, asked.name, asked.generation ?? undefined)
  return object
}
