/** The limits that the bench holds Freshet to, and the table that says whether it keeps them. */
import Table from 'cli-table3'
import { formatBytes, formatCount } from '../cli/quantity.ts'
import type { Report } from './measure.ts'

export interface Result {
  readonly rows: number
  readonly hand: Report
  readonly freshet: Report
  readonly handSeconds: number
  readonly freshetSeconds: number
}

export interface Verdict {
  readonly what: string
  readonly actual: string
  readonly limit: string
  readonly met: boolean
}

const RATIO = 1.25
/** Events, workflow steps and the message take their time at any size. */
const FIXED_SECONDS = 0.5
const EXTRA_BYTES = 500e6
const GROWTH = 4.6

/** DuckDB's own units: `4GB`, `512MB`, `1GiB`. */
export function parseMemory(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(MB|GB|MiB|GiB)$/.exec(text)
  if (!match) throw new Error(`${text} is no amount of memory; write it as 4GB`)
  const unit = { MB: 1e6, GB: 1e9, MiB: 2 ** 20, GiB: 2 ** 30 }[match[2] ?? ''] ?? 1
  return Number(match[1]) * unit
}

function judgeOne({ rows, handSeconds, freshetSeconds, freshet }: Result, memory: string): Verdict[] {
  const most = handSeconds * RATIO + FIXED_SECONDS
  const bytes = parseMemory(memory) + EXTRA_BYTES
  const at = `at ${formatCount(rows)} rows`
  return [
    {
      what: `seconds ${at}`,
      actual: freshetSeconds.toFixed(2),
      limit: `${most.toFixed(2)} = ${RATIO} × ${handSeconds.toFixed(2)} + ${FIXED_SECONDS}`,
      met: freshetSeconds <= most,
    },
    {
      what: `peak memory ${at}`,
      actual: formatBytes(freshet.peakBytes),
      limit: `${formatBytes(bytes)} = ${memory} + ${formatBytes(EXTRA_BYTES)}`,
      met: freshet.peakBytes <= bytes,
    },
  ]
}

/** Growth is judged between sizes that are four times apart. */
export function judge(results: readonly Result[], memory: string): readonly Verdict[] {
  const pairs = results.flatMap(small =>
    results.filter(large => large.rows === small.rows * 4).map(large => ({ small, large })),
  )
  const growth = pairs.map(({ small, large }): Verdict => {
    const factor = large.freshetSeconds / small.freshetSeconds
    const what = `growth from ${formatCount(small.rows)} to ${formatCount(large.rows)} rows`
    return { what, actual: `× ${factor.toFixed(2)}`, limit: `× ${GROWTH}`, met: factor <= GROWTH }
  })
  return [...results.flatMap(result => judgeOne(result, memory)), ...growth]
}

export function printTable(results: readonly Result[], verdicts: readonly Verdict[]): void {
  const style = { head: [], border: [], compact: true }
  const times = new Table({
    head: ['rows', 'by hand, s', 'Freshet, s', 'peak by hand', 'peak Freshet'],
    style,
  })
  for (const { rows, hand, freshet, handSeconds, freshetSeconds } of results) {
    const peaks = [hand, freshet].map(({ peakBytes }) => formatBytes(peakBytes))
    times.push([formatCount(rows), handSeconds.toFixed(2), freshetSeconds.toFixed(2), ...peaks])
  }
  const limits = new Table({ head: ['limit', 'measured', 'at most', 'met'], style })
  for (const { what, actual, limit, met } of verdicts) limits.push([what, actual, limit, met ? 'yes' : 'NO'])
  console.log(`${times}\n${limits}`)
}
