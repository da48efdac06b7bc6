/** The limits that the bench holds Freshet to, and the table that says whether it keeps them. */
import Table from 'cli-table3'
import { formatBytes, formatCount } from '../cli/quantity.ts'
import type { Answer } from './side.ts'

/** One side's measured snapshots, the preparing one left out. */
export interface Report {
  readonly seconds: readonly number[]
  readonly cpuSeconds: readonly number[]
  readonly median: number
  readonly cpuMedian: number
  readonly peakBytes: number
}

export interface Result {
  readonly rows: number
  readonly hand: Report
  readonly freshet: Report
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const low = sorted[middle - 1 + (sorted.length % 2)] ?? 0
  return (low + (sorted[middle] ?? 0)) / 2
}

function report(answers: readonly Answer[]): Report {
  const measured = answers.slice(1)
  const seconds = measured.map(answer => answer.seconds)
  const cpuSeconds = measured.map(answer => answer.cpuSeconds)
  return {
    seconds,
    cpuSeconds,
    median: median(seconds),
    cpuMedian: median(cpuSeconds),
    peakBytes: Math.max(...answers.map(answer => answer.peakBytes)),
  }
}

/** Throws when the two sides do not come to the same table. */
export function makeResult(rows: number, hand: readonly Answer[], freshet: readonly Answer[]): Result {
  for (const [at, answer] of hand.entries()) {
    const other = freshet[at]?.rows
    if (other !== answer.rows)
      throw new Error(`snapshot ${at + 1}: by hand ${answer.rows} rows, by Freshet ${other}`)
  }
  return { rows, hand: report(hand), freshet: report(freshet) }
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

/** On a busy machine the clock tells little; what was done on the processors is held to the same limit. */
const MEASURES = [
  ['median', 'seconds'],
  ['cpuMedian', 'CPU seconds'],
] as const

function judgeOne({ rows, hand, freshet }: Result, memory: string): Verdict[] {
  const bytes = parseMemory(memory) + EXTRA_BYTES
  const at = `at ${formatCount(rows)} rows`
  const times = MEASURES.map(([key, what]): Verdict => {
    const most = hand[key] * RATIO + FIXED_SECONDS
    return {
      what: `${what} ${at}`,
      actual: `${freshet[key].toFixed(2)} (× ${(freshet[key] / hand[key]).toFixed(2)})`,
      limit: `${most.toFixed(2)} = ${RATIO} × ${hand[key].toFixed(2)} + ${FIXED_SECONDS}`,
      met: freshet[key] <= most,
    }
  })
  const peak: Verdict = {
    what: `peak memory ${at}`,
    actual: formatBytes(freshet.peakBytes),
    limit: `${formatBytes(bytes)} = ${memory} + ${formatBytes(EXTRA_BYTES)}`,
    met: freshet.peakBytes <= bytes,
  }
  return [...times, peak]
}

/** Growth is judged between sizes that are four times apart. */
export function judge(results: readonly Result[], memory: string): readonly Verdict[] {
  const pairs = results.flatMap(small =>
    results.filter(large => large.rows === small.rows * 4).map(large => ({ small, large })),
  )
  const growth = pairs.flatMap(({ small, large }) =>
    MEASURES.map(([key, what]): Verdict => {
      const factor = large.freshet[key] / small.freshet[key]
      return {
        what: `${what} from ${formatCount(small.rows)} to ${formatCount(large.rows)} rows`,
        actual: `× ${factor.toFixed(2)}`,
        limit: `× ${GROWTH}`,
        met: factor <= GROWTH,
      }
    }),
  )
  return [...results.flatMap(result => judgeOne(result, memory)), ...growth]
}

export function printTable(results: readonly Result[], verdicts: readonly Verdict[]): void {
  const style = { head: [], border: [], compact: true }
  const times = new Table({ head: ['rows', 'side', 'seconds', 'CPU seconds', 'peak memory'], style })
  for (const { rows, hand, freshet } of results) {
    for (const [side, { median: seconds, cpuMedian, peakBytes }] of [
      ['by hand', hand],
      ['Freshet', freshet],
    ] as const)
      times.push([formatCount(rows), side, seconds.toFixed(2), cpuMedian.toFixed(2), formatBytes(peakBytes)])
  }
  const limits = new Table({ head: ['limit', 'measured', 'at most', 'met'], style })
  for (const { what, actual, limit, met } of verdicts) limits.push([what, actual, limit, met ? 'yes' : 'NO'])
  console.log(`${times}\n${limits}`)
}
