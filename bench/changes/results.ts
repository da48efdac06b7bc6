/** Writes what was measured: RESULTS.md, and a plot beside it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatBytes, formatCount } from '../../cli/quantity.ts'
import type { Report } from './judge.ts'
import { plotSvg } from './plot.ts'

export interface Circumstances {
  readonly cpu: string
  readonly cores: number
  readonly memoryBytes: number
  readonly node: string
  readonly commit: string
  readonly date: string
  readonly rows: number
  readonly runs: number
  readonly memory: string
  readonly threads: string
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

function resultsText(at: Circumstances, { medians, verdicts }: Report): string {
  const times = medians.map(m => [
    m.kind,
    m.side,
    m.seconds.toFixed(2),
    m.cpuSeconds.toFixed(2),
    m.loadSeconds.toFixed(2),
    formatBytes(m.peakBytes),
  ])
  const limits = verdicts.map(({ what, actual, limit, met }) => [what, actual, limit, met ? 'yes' : '**no**'])
  return `# What a refresh costs when little has changed

${formatCount(at.rows)} rows in 13 day partitions stored in date order, 0.04 % of them changed; medians of ${at.runs}. Refresh without the
landing load: for Freshet from the last object uploaded to the message received, less the load job.

${at.date}, commit ${at.commit}, ${at.cpu}, ${at.cores} cores, ${formatBytes(at.memoryBytes)}, Node ${at.node}, DuckDB 1.5.6 with ${at.threads} threads and ${at.memory}.

![Seconds by side](changes.svg)

${table(['changes in', 'side', 'seconds', 'CPU seconds', 'load, apart', 'peak memory'], times)}

${table(['limit', 'measured', 'at most', 'met'], limits)}
`
}

export async function writeResults(dir: string, at: Circumstances, report: Report): Promise<void> {
  const text = resultsText(at, report)
  await writeFile(join(dir, 'RESULTS.md'), text)
  await writeFile(join(dir, 'changes.svg'), plotSvg(report.medians))
  console.log(text)
}
