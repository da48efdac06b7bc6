/** Freshet's side: from the last object uploaded to the message received. One child process. */
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { startPlainProgress } from '../cli/progress-plain.ts'
import { startSession } from '../cli/session.ts'
import { readSnapshotDir } from '../cli/snapshot-dir.ts'
import { type Settings, serveSide, type Work } from './side.ts'

async function open({ work, feed, threads, memoryLimit }: Settings): Promise<Work> {
  const session = await startSession({
    feedFile: feed,
    dir: join(work, 'freshet'),
    bigquery: { threads, memoryLimit },
    progress: startPlainProgress(process.stderr, () => new Date()),
    signal: new AbortController().signal,
  })
  return {
    async take(dir) {
      const times = { uploaded: 0, received: 0 }
      const onUploaded = () => {
        times.uploaded = performance.now()
      }
      const onMessage = () => {
        times.received = performance.now()
      }
      const message = await session.send(await readSnapshotDir(session.feed, dir), { onUploaded, onMessage })
      if (message.status !== 'refreshed')
        throw new Error(`${dir} ended as ${message.status}: ${message.reason}`)
      return { seconds: (times.received - times.uploaded) / 1000, rows: message.rows.after }
    },
    close: () => session.close(),
  }
}

await serveSide(open)
