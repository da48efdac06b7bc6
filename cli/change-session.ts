/** One sitting of `freshet try` with a change feed: files sent into the inbox, a message back for each. */
import type { ChangeFeed } from '../functions/feed/changes/change-feed.ts'
import type { RefreshMessage } from '../functions/message.ts'
import { makeStorage } from './clients.ts'
import { waitForRest } from './executions.ts'
import { NAMES } from './laptop-names.ts'
import { formatBytes } from './quantity.ts'
import { type SessionOptions, startSitting } from './session.ts'
import type { LocalFile } from './snapshot-dir.ts'
import { watchSilence } from './watch-silence.ts'

export interface ChangeSession {
  /** Uploads a file and waits for what became of it. */
  send(file: LocalFile): Promise<RefreshMessage>
  close(): Promise<void>
}

export async function startChangeSession(feed: ChangeFeed, options: SessionOptions): Promise<ChangeSession> {
  const { stack, messages, close } = await startSitting(feed, options)
  const { progress, signal } = options
  const bucket = makeStorage(stack.cloud).bucket(NAMES.inbox)
  return {
    async send({ path, object, size }) {
      const silence = watchSilence(stack)
      let outcome = 'no message'
      try {
        progress.begin(object)
        await bucket.upload(path, { destination: object, resumable: size > 8 << 20 })
        progress.note(`uploaded ${object}, ${formatBytes(size)}`)
        if (feed.refresh.announce === 'applied')
          progress.note('waiting until it is applied; on a laptop that takes some ten seconds')
        const fits = (message: RefreshMessage) =>
          message.feed === feed.name && message.status !== 'late' && message.snapshots.includes(object)
        const message = await Promise.race([messages.next(fits, signal), silence.broken(object)])
        await waitForRest(stack.cloud, signal)
        outcome = message.status
        return message
      } finally {
        silence.stop()
        await progress.end(signal.aborted ? 'interrupted' : outcome)
      }
    },
    close,
  }
}
