/** Freshet's side: from the last object uploaded to the message received, but for the load jobs. One child process. */
import { join } from 'node:path'
import { startPlainProgress } from '../../cli/progress-plain.ts'
import { startSession } from '../../cli/session.ts'
import { readSnapshotDir } from '../../cli/snapshot-dir.ts'
import { type Settings, serveSide, type Work } from '../side.ts'
import { watchLoads } from './watch-loads.ts'

async function open({ work, feed, threads, memoryLimit, name }: Settings): Promise<Work> {
  const session = await startSession({
    feedFile: feed,
    dir: join(work, name ?? 'freshet'),
    bigquery: { threads, memoryLimit },
    progress: startPlainProgress(process.stderr, () => new Date()),
    signal: new AbortController().signal,
  })
  return {
    async take(dir) {
      const loads = watchLoads(session.stack.cloud)
      const message = await session.send(await readSnapshotDir(session.feed, dir), {
        onUploaded: loads.begin,
        onMessage: loads.end,
      })
      if (message.status !== 'refreshed' && message.status !== 'unchanged')
        throw new Error(`${dir} ended as ${message.status}: ${message.reason}`)
      return { ...(await loads.spent()), rows: message.rows.after }
    },
    close: () => session.close(),
  }
}

await serveSide(open)
