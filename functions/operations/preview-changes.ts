/** What change files would do, nothing sent: the table's DDL, and of each file what it amounts to or what is wrong. */

import { collapse } from '../cdc/collapse.ts'
import { countChanges, type FileCounts } from '../cdc/count-file.ts'
import { makeEncodeChange } from '../cdc/encode-change.ts'
import { describeProblem, RecordProblem } from '../cdc/read/record.ts'
import { makeReadRecords } from '../cdc/read/records.ts'
import type { ChangeFeed } from '../feed/changes/change-feed.ts'
import { changeTargetOf, sqlCreateChangeTable } from '../plan/changes/change-table.ts'

export interface PreviewFile {
  /** Its name in the inbox. */
  readonly object: string
  /** Bytes as stored. */
  open(): AsyncIterable<Uint8Array>
}

export type FilePreview =
  | { readonly object: string; readonly kind: 'fine'; readonly counts: FileCounts }
  | { readonly object: string; readonly kind: 'wrong'; readonly problem: string }

export interface ChangePreview {
  /** The statement that makes the table, where it is not there. */
  readonly sql: string
  readonly files: readonly FilePreview[]
}

async function previewFile(feed: ChangeFeed, { object, open }: PreviewFile): Promise<FilePreview> {
  try {
    const blocks = collapse(makeReadRecords(feed)(open(), 0), makeEncodeChange(feed))
    return { object, kind: 'fine', counts: await countChanges(blocks) }
  } catch (error) {
    if (!(error instanceof RecordProblem)) throw error
    return { object, kind: 'wrong', problem: describeProblem(object, error) }
  }
}

export async function previewChanges(
  feed: ChangeFeed,
  projectId: string,
  given: readonly PreviewFile[],
): Promise<ChangePreview> {
  const files: FilePreview[] = []
  for (const file of given) files.push(await previewFile(feed, file))
  return { sql: sqlCreateChangeTable(feed, changeTargetOf(feed, { projectId })).text, files }
}
