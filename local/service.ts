/** What the services of the embedded cloud share: a lifetime, a clock, and the two ways they meet. */

/** A running service. `url` has no trailing slash; `close` ends it and frees its port. */
export interface Service {
  readonly url: string
  close(): Promise<void>
}

/** The only source of time in `local/`, so that a test can own it. Milliseconds since 1970. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** One live object of a bucket and the file that holds its bytes. */
export interface ObjectFile {
  readonly bucket: string
  readonly name: string
  readonly generation: string
  readonly size: number
  /** Absolute path of a file whose content is the object's, byte for byte. Its name says nothing. */
  readonly path: string
}

/** What BigQuery may see of Cloud Storage: load jobs read objects where they lie. */
export interface ObjectFiles {
  /** `undefined` when the object is not there; throws when the bucket is not. */
  find(bucket: string, name: string): ObjectFile | undefined
  /** Live objects whose name starts with `prefix`, in name order; throws when the bucket is not there. */
  list(bucket: string, prefix: string): readonly ObjectFile[]
}

/** Told of every finalized object, with its JSON API resource (numbers as strings, as Google sends them). */
export type FinalizeListener = (object: Readonly<Record<string, unknown>>) => void
