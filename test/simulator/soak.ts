/** `npm run soak -- N [SEED]`: runs N schedules, and tells the first failure with its seed and everything that happened. */
import { readProgram, simulate } from './simulate.ts'

const [count = '300', first = '1'] = process.argv.slice(2)
const program = readProgram()
const began = performance.now()
let runs = 0
let longest = { seed: 0, milliseconds: 0 }
for (let at = 0; at < Number(count); at += 1) {
  const seed = Number(first) + at
  const start = performance.now()
  const outcome = await simulate(seed, program)
  const milliseconds = performance.now() - start
  if (milliseconds > longest.milliseconds) longest = { seed, milliseconds }
  runs += outcome.runs
  if (outcome.failure === undefined && count !== '1') continue
  process.stdout.write(`${outcome.log.join('\n')}\n`)
  if (outcome.failure === undefined) continue
  process.stdout.write(
    `\nSchedule ${seed} failed after ${at} good ones: ${outcome.failure}\nReplay it: npm run soak -- 1 ${seed}\n`,
  )
  process.exit(1)
}
const seconds = ((performance.now() - began) / 1_000).toFixed(1)
process.stdout.write(
  `${count} schedules from seed ${first}, ${runs} runs, no failure, ${seconds} s; the longest: seed ${longest.seed}, ${longest.milliseconds.toFixed(0)} ms\n`,
)
