/** `npm run bench:models`: each model's refresh against the same by hand in DuckDB. bench/README.md says what is measured. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeSnapshots } from '../data.ts'
import { type Answer, type Settings, startSide } from '../side.ts'
import { feedText, MODEL_CASES, type ModelCase } from './cases.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000000' },
    runs: { type: 'string', default: '3' },
    memory: { type: 'string', default: '4GB' },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
})
const runs = Number(values.runs)
/** A snapshot of so few rows costs what every refresh costs. */
const FEW_ROWS = 1_000
const MOST = 1.3

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
type Spent = Pick<Answer, 'seconds' | 'cpuSeconds'>
const middle = (answers: readonly Answer[]): Spent => ({
  seconds: median(answers.map(({ seconds }) => seconds)),
  cpuSeconds: median(answers.map(({ cpuSeconds }) => cpuSeconds)),
})

/** Both sides take turns, each in a process of its own; the first snapshot prepares. */
async function race(work: string, given: ModelCase, dirs: readonly string[]) {
  const feed = join(work, `${given.name}.yaml`)
  await writeFile(feed, feedText(given))
  const settings: Settings = {
    dirs: [],
    work,
    feed,
    threads: Number(values.threads),
    memoryLimit: values.memory,
  }
  const freshet = startSide('changes/by-freshet.ts', { ...settings, name: `${given.name}-${dirs.length}` })
  const hand = startSide('models/by-hand.ts', { ...settings, name: `${given.name}-by-hand` })
  const taken: { freshet: Answer; hand: Answer }[] = []
  try {
    for (const dir of dirs) {
      const answers = { freshet: await freshet.take(dir), hand: await hand.take(dir) }
      if (answers.freshet.rows !== answers.hand.rows)
        throw new Error(`${given.name}: ${answers.freshet.rows} rows, by hand ${answers.hand.rows}`)
      taken.push(answers)
    }
  } finally {
    await Promise.all([freshet.close(), hand.close()])
  }
  const measured = taken.slice(1)
  return {
    freshet: middle(measured.map(one => one.freshet)),
    hand: middle(measured.map(one => one.hand)),
  }
}

const work = await mkdtemp(join(tmpdir(), 'freshet-bench-'))
const show = ({ seconds, cpuSeconds }: Spent) => `${seconds.toFixed(2)} / ${cpuSeconds.toFixed(2)}`
try {
  const many = await writeSnapshots(join(work, 'many'), Number(values.rows), runs + 1)
  const few = await writeSnapshots(join(work, 'few'), FEW_ROWS, runs + 1)
  console.log(
    '| model | by hand | Freshet | fixed, apart | ratio without it | at most |\n|---|---|---|---|---|---|',
  )
  for (const given of MODEL_CASES) {
    const fixed = (await race(await mkdtemp(join(work, 'f-')), given, few)).freshet
    const { freshet, hand } = await race(await mkdtemp(join(work, 'm-')), given, many)
    const ratio = (of: keyof Spent) => (freshet[of] - fixed[of]) / hand[of]
    const ratios = `${ratio('seconds').toFixed(2)} / ${ratio('cpuSeconds').toFixed(2)}`
    console.log(`| ${given.name} | ${show(hand)} | ${show(freshet)} | ${show(fixed)} | ${ratios} | ${MOST} |`)
    // The processors' time tells on a machine that others use as well.
    if (ratio('cpuSeconds') > MOST) process.exitCode = 1
  }
} finally {
  await rm(work, { recursive: true, force: true })
}
