/** One side of the bench in a process of its own, driven step by step, so that both sides meet the same noise. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { z } from 'zod'

export const settingsSchema = z.object({
  dirs: z.array(z.string()),
  work: z.string(),
  feed: z.string(),
  threads: z.int(),
  memoryLimit: z.string(),
  /** Of the side, where several run the same script. */
  name: z.string().optional(),
  /** Of the embedded BigQuery, where sides stream into one that the parent serves. */
  endpoint: z.string().optional(),
  /** Which days change with each snapshot. */
  steps: z.array(z.object({ dir: z.string(), changed: z.array(z.int()) })).optional(),
})
export type Settings = z.infer<typeof settingsSchema>

const answerSchema = z.object({
  seconds: z.number(),
  /** Of all threads together: on a busy machine it says more than the clock. */
  cpuSeconds: z.number(),
  rows: z.number(),
  peakBytes: z.number(),
  /** Where loading is measured apart. */
  loadSeconds: z.number().optional(),
})
export type Answer = z.infer<typeof answerSchema>

/** What a child does: takes in one snapshot, and says what that took and how many rows there are then. */
export interface Work {
  take(dir: string): Promise<Omit<Answer, 'peakBytes'>>
  close(): Promise<void>
}

/** Starts now; what it returns tells the time since, by the clock and on the processors. */
export function startWatch(): () => Pick<Answer, 'seconds' | 'cpuSeconds'> {
  const start = performance.now()
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return { seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6 }
  }
}

/** In the child: one snapshot per message, until the parent lets go. */
export async function serveSide(open: (settings: Settings) => Promise<Work>): Promise<void> {
  const work = await open(settingsSchema.parse(JSON.parse(process.argv[2] ?? '')))
  process.on('message', async dir => {
    const taken = await work.take(z.string().parse(dir))
    // Linux and Node give kilobytes: https://nodejs.org/api/process.html#processresourceusage
    const peakBytes = process.resourceUsage().maxRSS * 1024
    process.send?.({ ...taken, peakBytes } satisfies Answer)
  })
  const leave = async () => {
    await work.close()
    process.exit(0)
  }
  process.on('disconnect', leave)
  // The parent may have given up while this one was starting.
  if (!process.connected) await leave()
}

export interface Side {
  take(dir: string): Promise<Answer>
  close(): Promise<void>
}

/** In the parent: starts a child; a child that dies rejects what is asked of it. */
export function startSide(script: string, settings: Settings): Side {
  const child = fork(join(import.meta.dirname, script), [JSON.stringify(settings)])
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  return {
    take: dir =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error(`${script} ended early`))
        if (child.exitCode !== null) return fail()
        child.once('exit', fail)
        child.once('message', answer => {
          child.off('exit', fail)
          resolve(answerSchema.parse(answer))
        })
        child.send(dir)
      }),
    async close() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
