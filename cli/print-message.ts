/** Prints a message for people: what became of the snapshots, and the counts. */
import type { RefreshMessage } from '../functions/message.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { type Output, printLine } from './io.ts'
import { formatBytes, formatCount } from './quantity.ts'
import { showControls } from './visible.ts'

/** 0 refreshed, on its way or nothing to do, 3 held or rejected, 1 failed or late. */
export function exitOfMessage({ status }: RefreshMessage): ExitCode {
  if (status === 'refreshed' || status === 'unchanged' || status === 'pending') return EXIT.done
  return status === 'held' || status === 'rejected' ? EXIT.stopped : EXIT.failed
}

export function printMessage(output: Output, message: RefreshMessage): void {
  const { status, table, snapshots, rows, withinSeconds, bytesProcessed, rollbackPoint, reason } = message
  printLine(
    output,
    `${showControls(snapshots.join(', '))}: ${table} ${status} in ${withinSeconds.toFixed(1)} s`,
  )
  if (reason !== '') printLine(output, `  ${showControls(reason)}`)
  if (message.strategy === 'changes' && rows.loaded > 0)
    printLine(
      output,
      `  ${formatCount(rows.loaded)} changes read, ${formatCount(rows.updated)} upserts and ${formatCount(rows.deleted)} deletes sent`,
    )
  if (status !== 'refreshed' || message.strategy === 'changes') return
  const counts = (['loaded', 'inserted', 'updated', 'kept', 'deleted'] as const).map(
    name => `${name} ${formatCount(rows[name])}`,
  )
  printLine(output, `  rows ${formatCount(rows.before)} → ${formatCount(rows.after)}: ${counts.join(', ')}`)
  if (rows.quarantined > 0)
    printLine(output, `  ${formatCount(rows.quarantined)} bad rows are in the feed's quarantine table`)
  printLine(output, `  ${formatBytes(bytesProcessed)} processed, rollback point ${rollbackPoint}`)
}
