/** Freshet's side: from the last object uploaded to the message received. One child process. */
import { join } from 'node:path'
import { startPlainProgress } from '../cli/progress-plain.ts'
import { startSession } from '../cli/session.ts'
import { readSnapshotDir } from '../cli/snapshot-dir.ts'
import { type Settings, serveSide, startWatch, type Work } from './side.ts'

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
      let read = startWatch()
      let taken = read()
      const onUploaded = () => {
        read = startWatch()
      }
      const onMessage = () => {
        taken = read()
      }
      const message = await session.send(await readSnapshotDir(session.feed, dir), { onUploaded, onMessage })
      if (message.status !== 'refreshed')
        throw new Error(`${dir} ended as ${message.status}: ${message.reason}`)
      return { ...taken, rows: message.rows.after }
    },
    close: () => session.close(),
  }
}

await serveSide(open)
