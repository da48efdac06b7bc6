/** `npm run bench`: what Freshet adds to the bare work, in time and memory. bench/README.md says what is measured. */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatCount } from '../cli/quantity.ts'
import { writeSnapshots } from './data.ts'
import { type Answer, type Settings, startSide } from './side.ts'
import { judge, makeResult, printTable, type Result } from './verdict.ts'

const FEED = join(import.meta.dirname, '../feeds/store-attributes.yaml')
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000000,20000000' },
    runs: { type: 'string', default: '3' },
    memory: { type: 'string', default: '4GB' },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
})

/** Turn by turn, one side at rest while the other works; who goes first alternates. The first snapshot meets an empty table: preparation. */
async function race(settings: Settings): Promise<{ hand: readonly Answer[]; freshet: readonly Answer[] }> {
  const sides = { hand: startSide('by-hand.ts', settings), freshet: startSide('by-freshet.ts', settings) }
  const answers: { hand: Answer[]; freshet: Answer[] } = { hand: [], freshet: [] }
  try {
    for (const [at, dir] of settings.dirs.entries())
      for (const side of at % 2 === 0 ? (['hand', 'freshet'] as const) : (['freshet', 'hand'] as const))
        answers[side].push(await sides[side].take(dir))
    return answers
  } finally {
    await Promise.all([sides.hand.close(), sides.freshet.close()])
  }
}

async function measure(rows: number): Promise<Result> {
  const work = await mkdtemp(join(tmpdir(), 'freshet-bench-'))
  try {
    console.error(`writing snapshots of ${formatCount(rows)} rows …`)
    const dirs = await writeSnapshots(join(work, 'snapshots'), rows, Number(values.runs) + 1)
    const threads = Number(values.threads)
    const { hand, freshet } = await race({
      dirs: [...dirs],
      work,
      feed: FEED,
      threads,
      memoryLimit: values.memory,
    })
    return makeResult(rows, hand, freshet)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const machine = {
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  memoryBytes: totalmem(),
  node: process.version,
  /** Anything near the number of cores means that others were at work. */
  load: loadavg()[0],
}
console.log(JSON.stringify({ ...machine, ...values }))
const results: Result[] = []
for (const rows of values.rows.split(',').map(Number)) {
  const result = await measure(rows)
  results.push(result)
  console.log(JSON.stringify(result))
}
const verdicts = judge(results, values.memory)
printTable(results, verdicts)
process.exitCode = verdicts.every(({ met }) => met) ? 0 : 1
