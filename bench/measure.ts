/** What one side of the bench reports, and the settings that both sides share. */
import { z } from 'zod'

export const settingsSchema = z.object({
  dirs: z.array(z.string()),
  work: z.string(),
  feed: z.string(),
  threads: z.int(),
  memoryLimit: z.string(),
})
export type Settings = z.infer<typeof settingsSchema>

export const reportSchema = z.object({
  /** One number a snapshot after the first. */
  seconds: z.array(z.number()),
  peakBytes: z.number(),
  rows: z.number(),
})
export type Report = z.infer<typeof reportSchema>

/** The settings that the parent process gave as the only argument. */
export function readSettings(): Settings {
  return settingsSchema.parse(JSON.parse(process.argv[2] ?? ''))
}

/** Ends the child with its report as the last line of stdout. */
export function writeReport(seconds: readonly number[], rows: number): void {
  // Linux and Node give kilobytes: https://nodejs.org/api/process.html#processresourceusage
  const peakBytes = process.resourceUsage().maxRSS * 1024
  process.stdout.write(`${JSON.stringify({ seconds: [...seconds], peakBytes, rows } satisfies Report)}\n`)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low = 0, high = 0] = [sorted[middle - 1 + (sorted.length % 2)], sorted[middle]]
  return (low + high) / 2
}
