/** `DIR/cloud.json`: where the embedded cloud of a directory answers while a process runs it. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { CloudAddress } from './clients.ts'

const schema = z.object({
  pid: z.int(),
  project: z.string(),
  location: z.string(),
  env: z.record(z.string(), z.string()),
  urls: z.object({ storage: z.url(), bigquery: z.url(), pubsub: z.url(), workflows: z.url() }),
})
const pathOf = (dir: string) => join(dir, 'cloud.json')

/** `env` is that of the functions, by which another process works on the same state. */
export interface RunningCloud extends CloudAddress {
  readonly env: Readonly<Record<string, string>>
}

export async function writeCloudFile(
  dir: string,
  { project, location, urls }: CloudAddress,
  env: RunningCloud['env'],
): Promise<void> {
  const text = JSON.stringify({ pid: process.pid, project, location, urls, env }, null, 2)
  await writeFile(pathOf(dir), `${text}\n`)
}

export async function removeCloudFile(dir: string): Promise<void> {
  await rm(pathOf(dir), { force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process is there but somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** The address of the cloud that another process runs in `dir` right now, if one does. */
export async function readRunningCloud(dir: string): Promise<RunningCloud | undefined> {
  const text = await readFile(pathOf(dir), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    const { pid, ...address } = schema.parse(JSON.parse(text))
    return isAlive(pid) ? address : undefined
  } catch {
    return undefined
  }
}
