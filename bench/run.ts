/** `npm run bench`: what Freshet adds to the bare work, in time and memory. docs: bench/README.md */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { formatCount } from '../cli/quantity.ts'
import { writeSnapshots } from './data.ts'
import { median, type Report, reportSchema, type Settings } from './measure.ts'
import { judge, printTable, type Result } from './verdict.ts'

const FEED = join(import.meta.dirname, '../feeds/store-attributes.yaml')
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000000,20000000' },
    runs: { type: 'string', default: '3' },
    memory: { type: 'string', default: '4GB' },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
})

/** Each side runs in a process of its own, so that its memory is its own. */
async function runSide(script: string, settings: Settings): Promise<Report> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>(resolve => child.on('exit', resolve))
  const output = await text(child.stdout)
  const code = await ended
  if (code !== 0) throw new Error(`${script} ended with ${code}`)
  return reportSchema.parse(JSON.parse(output.trim().split('\n').at(-1) ?? ''))
}

async function measure(rows: number): Promise<Result> {
  const work = await mkdtemp(join(tmpdir(), 'freshet-bench-'))
  try {
    console.error(`writing snapshots of ${formatCount(rows)} rows …`)
    const dirs = await writeSnapshots(join(work, 'snapshots'), rows, Number(values.runs) + 1)
    const settings = {
      dirs: [...dirs],
      work,
      feed: FEED,
      threads: Number(values.threads),
      memoryLimit: values.memory,
    }
    const hand = await runSide('by-hand.ts', settings)
    const freshet = await runSide('by-freshet.ts', settings)
    if (hand.rows !== freshet.rows) throw new Error(`by hand ${hand.rows} rows, by Freshet ${freshet.rows}`)
    return { rows, hand, freshet, handSeconds: median(hand.seconds), freshetSeconds: median(freshet.seconds) }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const machine = {
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  memoryBytes: totalmem(),
  node: process.version,
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
