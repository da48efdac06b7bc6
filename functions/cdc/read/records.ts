/** The records of one object, in the order of the file. */
import type { ChangeFeed } from '../../feed/changes/change-feed.ts'
import { readCsv } from './csv.ts'
import { makeFieldNames } from './field-names.ts'
import { readNdjson } from './ndjson.ts'
import type { FileRecord } from './record.ts'
import { readText } from './text.ts'

/** An object's records after the line `after`, in batches. Throws `RecordProblem`. */
export type ReadRecords = (
  bytes: AsyncIterable<Uint8Array>,
  after: number,
) => AsyncGenerator<readonly FileRecord[]>

export function makeReadRecords(feed: ChangeFeed): ReadRecords {
  const names = makeFieldNames(feed)
  const { format } = feed.source
  return (bytes, after) => {
    const text = readText(bytes)
    return format.kind === 'csv' ? readCsv(text, format, names, after) : readNdjson(text, names, after)
  }
}
