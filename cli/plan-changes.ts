/** `freshet plan` of a change feed: the table, and what its files would send. */
import { createReadStream } from 'node:fs'
import type { ChangeFeed } from '../functions/feed/changes/change-feed.ts'
import { readChangeFiles } from './change-files.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { type Io, printLine } from './io.ts'
import { NAMES } from './laptop-names.ts'
import { formatBytes, formatCount } from './quantity.ts'

/** Reads every file to its end; exit code 3 when one of them would be rejected. */
export async function planChanges(io: Io, feed: ChangeFeed, path: string, json: boolean): Promise<ExitCode> {
  const files = await readChangeFiles(feed, path)
  const { previewChanges } = await import('../functions/main.ts')
  const given = files.map(file => ({ object: file.object, open: () => createReadStream(file.path) }))
  const preview = await previewChanges(feed, NAMES.project, given)
  const exit = preview.files.some(({ kind }) => kind === 'wrong') ? EXIT.stopped : EXIT.done
  if (json) {
    printLine(io.stdout, JSON.stringify(preview, null, 2))
    return exit
  }
  printLine(io.stdout, `${feed.name} → ${feed.table.datasetId}.${feed.table.tableId}, changes by its key`)
  printLine(io.stdout, `\ntable\n  ${preview.sql.replaceAll('\n', '\n  ')}\n\nsend`)
  for (const file of preview.files) {
    if (file.kind === 'wrong') {
      printLine(io.stdout, `  rejected: ${file.problem}`)
      continue
    }
    const { records, upserts, deletes, requests, bytes } = file.counts
    printLine(
      io.stdout,
      `  ${file.object}: ${formatCount(records)} changes, of which ${formatCount(upserts)} upserts and ${formatCount(deletes)} deletes are sent, ${formatBytes(bytes)} in ${formatCount(requests)} requests`,
    )
  }
  return exit
}
