/** Gives a command the operations of a deployment: a laptop's directory, or Google Cloud by the environment. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { makeOperations } from '../functions/main.ts'
import type { RefreshMessage } from '../functions/message.ts'
import type { CloudAddress } from './clients.ts'
import { readRunningCloud } from './cloud-file.ts'
import { misuse } from './exit.ts'
import type { Messages } from './messages.ts'

type Operations = ReturnType<typeof makeOperations>

export interface Deployment {
  readonly operations: Operations
  /** The next message of a feed that is published from now on; `undefined` where nobody listens for it. */
  readonly nextMessage?: (feed: string, signal: AbortSignal) => Promise<RefreshMessage>
}

async function withMessages<T>(
  cloud: CloudAddress,
  env: Readonly<Record<string, string>>,
  use: (to: Deployment) => Promise<T>,
) {
  const { makeOperations } = await import('../functions/main.ts')
  const { startMessages } = await import('./messages.ts')
  const { waitForRest } = await import('./executions.ts')
  Object.assign(process.env, env)
  const since = new Date().toISOString()
  // The subscription keeps what is published, so that only who asks for a message listens.
  let messages: Messages | undefined
  try {
    const nextMessage: Deployment['nextMessage'] = (feed, signal) => {
      messages ??= startMessages(cloud)
      return messages.next(message => message.feed === feed && message.finishedAt >= since, signal)
    }
    const result = await use({ operations: makeOperations({ ...process.env, ...env }), nextMessage })
    await waitForRest(cloud, AbortSignal.timeout(3_600_000))
    return result
  } finally {
    await messages?.close()
  }
}

/** A directory that no process serves is started for as long as the command takes. */
async function withStack<T>(dir: string, use: (to: Deployment) => Promise<T>): Promise<T> {
  const feedsDir = join(dir, 'feeds')
  if (!existsSync(feedsDir))
    throw misuse(
      `${dir} has no feeds`,
      '`freshet try FEED.yaml SNAPSHOT_DIR --dir DIR` makes such a directory.',
    )
  const { startStack } = await import('./stack.ts')
  const stack = await startStack({ dir, feedsDir })
  try {
    return await withMessages(stack.cloud, stack.env, use)
  } finally {
    await stack.close()
  }
}

/** Without `dir`: the deployment that the FRESHET_ variables of the environment describe, as `pulumi stack output` prints them. */
export async function withDeployment<T>(
  dir: string | undefined,
  use: (to: Deployment) => Promise<T>,
): Promise<T> {
  if (dir !== undefined) {
    const running = await readRunningCloud(dir)
    return running ? withMessages(running, running.env, use) : withStack(dir, use)
  }
  if (process.env.FRESHET_STATE_BUCKET === undefined) {
    throw misuse(
      'which deployment?',
      'Give --dir DIR, or set the FRESHET_ variables of a deployment on Google Cloud.',
    )
  }
  const { makeOperations } = await import('../functions/main.ts')
  return use({ operations: makeOperations({ FRESHET_LOG_FILE: '/dev/stderr', ...process.env }) })
}
