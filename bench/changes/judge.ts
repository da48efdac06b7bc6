/** The limits of a refresh that finds little changed, as ratios of medians of the same run. */
import { formatBytes } from '../../cli/quantity.ts'
import type { Answer } from '../side.ts'
import { median, parseMemory, type Verdict } from '../verdict.ts'
import { CASES, type Case, type Step } from './data.ts'

export type SideName =
  | 'changed-partitions'
  | 'changed-by-path'
  | 'merge'
  | 'script'
  | 'rewrite-anti-join'
  | 'rewrite-window'

export interface Measured {
  readonly side: SideName
  readonly kind: Step['kind']
  readonly answer: Answer
}

export interface Median {
  readonly side: SideName
  readonly kind: Case
  readonly seconds: number
  readonly cpuSeconds: number
  readonly loadSeconds: number
  readonly peakBytes: number
  readonly runs: number
}

export interface Report {
  readonly medians: readonly Median[]
  readonly verdicts: readonly Verdict[]
}

const SIDES: readonly SideName[] = [
  'changed-partitions',
  'changed-by-path',
  'script',
  'merge',
  'rewrite-anti-join',
  'rewrite-window',
]
const EXTRA_BYTES = 500e6

function mediansOf(measured: readonly Measured[]): Median[] {
  return CASES.flatMap(kind =>
    SIDES.flatMap(side => {
      const answers = measured.filter(m => m.side === side && m.kind === kind).map(m => m.answer)
      if (answers.length === 0) return []
      const of = (pick: (answer: Answer) => number) => median(answers.map(pick))
      return [
        {
          side,
          kind,
          seconds: of(answer => answer.seconds),
          cpuSeconds: of(answer => answer.cpuSeconds),
          loadSeconds: of(answer => answer.loadSeconds ?? 0),
          peakBytes: Math.max(...answers.map(answer => answer.peakBytes)),
          runs: answers.length,
        },
      ]
    }),
  )
}

export function judge(measured: readonly Measured[], memory: string): Report {
  const medians = mediansOf(measured)
  const at = (side: SideName, kind: Case) => {
    const found = medians.find(m => m.side === side && m.kind === kind)
    if (!found) throw new Error(`${side} was not measured with changes in ${kind}`)
    return found
  }
  const verdicts: Verdict[] = []
  const atMost = (a: Median, factor: number, b: Median, plus = 0) => {
    const limit = factor * b.seconds + plus
    const parts = `${factor.toFixed(3)} × ${b.side} ${b.seconds.toFixed(2)}${plus > 0 ? ` + ${plus}` : ''}`
    verdicts.push({
      what: `${a.side}, changes in ${a.kind}`,
      actual: `${a.seconds.toFixed(2)} s (CPU ratio ${(a.cpuSeconds / b.cpuSeconds).toFixed(2)})`,
      limit: `${limit.toFixed(2)} s = ${parts}`,
      met: a.seconds <= limit,
    })
  }
  for (const side of ['changed-partitions', 'changed-by-path'] as const) {
    const ours = (kind: Case) => at(side, kind)
    atMost(ours('two'), 2 / 5, at('merge', 'two'))
    atMost(ours('two'), 1 / 8, at('rewrite-window', 'two'))
    atMost(ours('all'), 1.1, at('merge', 'all'))
    atMost(ours('none'), 1 / 8, at('merge', 'none'))
    for (const kind of CASES) atMost(ours(kind), 1.3, at('script', kind), 0.5)
  }
  atMost(at('rewrite-anti-join', 'all'), 1, at('merge', 'all'))
  const most = parseMemory(memory) + EXTRA_BYTES
  const mine = medians.filter(({ side }) => side !== 'merge' && side !== 'script')
  const peak = Math.max(...mine.map(({ peakBytes }) => peakBytes))
  verdicts.push({
    what: 'peak memory of Freshet',
    actual: formatBytes(peak),
    limit: `${formatBytes(most)} = ${memory} + ${formatBytes(EXTRA_BYTES)}`,
    met: peak <= most,
  })
  return { medians, verdicts }
}
