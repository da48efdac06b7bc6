/** A snapshot that is whole: which objects make it, each pinned by its generation. */
import type { AddedColumn } from './feed.ts'
import type { SnapshotId } from './snapshot-id.ts'

export interface SourceFile {
  /** The object's full name in the inbox. */
  readonly name: string
  readonly generation: string
  /** Bytes as stored. */
  readonly size: number
  readonly crc32c: string
}

/** What waits in `pending/`: a whole snapshot. */
export interface Snapshot {
  readonly id: SnapshotId
  readonly bucket: string
  readonly files: readonly SourceFile[]
  /** Rows that the manifest promises, when it does for every file. */
  readonly rows?: number
  /** ISO 8601: when the last of its objects was finalized. */
  readonly arrivedAt: string
  /** Columns that its files have and the feed does not name. */
  readonly added?: readonly AddedColumn[]
  /** Set by `approve`: the gates have been looked at by a person. */
  readonly approved?: boolean
}
