/** Freshet's side: from the last object uploaded to the message received. One child process. */
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { printLine } from '../cli/io.ts'
import { startPlainProgress } from '../cli/progress-plain.ts'
import { startSession } from '../cli/session.ts'
import { readSnapshotDir } from '../cli/snapshot-dir.ts'
import { readSettings, writeReport } from './measure.ts'

const { dirs, work, feed, threads, memoryLimit } = readSettings()
const progress = startPlainProgress(process.stderr, () => new Date())
const session = await startSession({
  feedFile: feed,
  dir: join(work, 'freshet'),
  bigquery: { threads, memoryLimit },
  progress,
  signal: new AbortController().signal,
})
const seconds: number[] = []
let rows = 0
for (const dir of dirs) {
  const snapshot = await readSnapshotDir(session.feed, dir)
  const times = { uploaded: 0, received: 0 }
  const message = await session.send(snapshot, {
    onUploaded: () => {
      times.uploaded = performance.now()
    },
    onMessage: () => {
      times.received = performance.now()
    },
  })
  if (message.status !== 'refreshed') {
    printLine(process.stderr, `snapshot ${snapshot.id} ended as ${message.status}: ${message.reason}`)
    process.exit(1)
  }
  seconds.push((times.received - times.uploaded) / 1000)
  rows = message.rows.after
}
await session.close()
// The first snapshot meets an empty table: it is the preparation, as it is by hand.
writeReport(seconds.slice(1), rows)
