/** `npm run bench:changes`: what a refresh costs when little has changed. bench/README.md says what is measured. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatCount } from '../../cli/quantity.ts'
import { writeSnapshots } from '../data.ts'
import { type Answer, type Settings, startSide } from '../side.ts'
import { type Step, writeSteps } from './data.ts'
import { feedText } from './feed.ts'
import { judge, type Measured, type SideName } from './judge.ts'
import { writeResults } from './results.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '39000000' },
    runs: { type: 'string', default: '5' },
    memory: { type: 'string', default: '4GB' },
    threads: { type: 'string', default: String(availableParallelism()) },
    out: { type: 'string' },
  },
})
const [rows, runs] = [Number(values.rows), Number(values.runs)]

interface Lane {
  readonly name: SideName
  readonly script: string
  readonly feed?: string
  /** Which snapshots it takes; `undefined`: its own, whose rows carry a sequence. */
  readonly takes: (step: Step) => boolean
}

const everything = () => true
const only = (kind: Step['kind']) => (step: Step) => step.kind === 'first' || step.kind === kind

async function writeFeeds(work: string) {
  const at = (name: string) => join(work, `${name}.yaml`)
  const paths = { rewrite: at('rewrite'), changed: at('changed'), byPath: at('by-path') }
  await writeFile(paths.rewrite, feedText('rewrite'))
  await writeFile(paths.changed, feedText('changed-partitions'))
  await writeFile(paths.byPath, feedText('changed-partitions', 'day={partition}.parquet'))
  return paths
}

/** Turn by turn, so that noise meets all; one lane's processes rest while another works. */
async function race(work: string, steps: readonly Step[], windowed: readonly string[]): Promise<Measured[]> {
  const feeds = await writeFeeds(work)
  const windowFeed = join(import.meta.dirname, '../../feeds/store-attributes.yaml')
  const lanes: Lane[] = [
    { name: 'changed-partitions', script: 'changes/by-freshet.ts', feed: feeds.changed, takes: everything },
    { name: 'changed-by-path', script: 'changes/by-freshet.ts', feed: feeds.byPath, takes: everything },
    { name: 'merge', script: 'changes/by-hand.ts', takes: everything },
    { name: 'script', script: 'changes/by-hand.ts', takes: everything },
    { name: 'rewrite-anti-join', script: 'changes/by-freshet.ts', feed: feeds.rewrite, takes: only('all') },
    { name: 'rewrite-window', script: 'changes/by-freshet.ts', feed: windowFeed, takes: only('two') },
  ]
  const sides = lanes.map(lane => {
    const settings: Settings = {
      dirs: [],
      work,
      feed: lane.feed ?? '',
      threads: Number(values.threads),
      memoryLimit: values.memory,
      name: lane.name,
      steps: steps.map(({ dir, changed }) => ({ dir, changed: [...changed] })),
    }
    return { lane, side: startSide(lane.script, settings) }
  })
  const measured: Measured[] = []
  const windows = [...windowed]
  try {
    for (const step of steps) {
      const counts = new Set<number>()
      for (const { lane, side } of sides.filter(({ lane }) => lane.takes(step))) {
        const dir = lane.name === 'rewrite-window' ? windows.shift() : step.dir
        const answer: Answer = await side.take(dir ?? '')
        counts.add(answer.rows)
        measured.push({ side: lane.name, kind: step.kind, answer })
        console.log(JSON.stringify({ side: lane.name, kind: step.kind, ...answer }))
      }
      if (counts.size !== 1) throw new Error(`the sides come to ${[...counts].join(', ')} rows`)
    }
    return measured
  } finally {
    await Promise.all(sides.map(({ side }) => side.close()))
  }
}

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryBytes: totalmem(),
  node: process.version,
  commit: git('rev-parse', '--short', 'HEAD'),
  date: new Date().toISOString().slice(0, 10),
}
const work = await mkdtemp(join(tmpdir(), 'freshet-bench-'))
try {
  console.error(`writing snapshots of ${formatCount(rows)} rows …`)
  const steps = await writeSteps(join(work, 'snapshots'), rows, runs)
  const windowed = await writeSnapshots(join(work, 'windowed'), rows, runs + 1)
  const measured = await race(work, steps, windowed)
  const report = judge(measured, values.memory)
  const out = values.out ?? join(import.meta.dirname, '..')
  await writeResults(out, { ...machine, rows, runs, memory: values.memory, threads: values.threads }, report)
  process.exitCode = report.verdicts.every(({ met }) => met) ? 0 : 1
} finally {
  await rm(work, { recursive: true, force: true })
}
