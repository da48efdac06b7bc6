/** Three hundred schedules of trouble, from seeds 1 to 300, and schedules that found a fault once. docs/reliability.md */
import { expect, test } from 'vitest'
import { readProgram, simulate } from './simulate.ts'

const program = readProgram()
const SCHEDULES = 300
const BATCH = 50

async function run(seed: number): Promise<void> {
  const { failure, log } = await simulate(seed, program)
  expect(failure, `${log.slice(-60).join('\n')}\nReplay it: npm run soak -- 1 ${seed}\n`).toBeUndefined()
}

test.each(Array.from({ length: SCHEDULES / BATCH }, (_, at) => at * BATCH + 1))(
  'schedules from seed %i',
  async first => {
    let runs = 0
    for (let seed = first; seed < first + BATCH; seed += 1) {
      await run(seed)
      runs += 1
    }
    expect(runs).toBe(BATCH)
  },
  180_000,
)

test('a seed gives the same schedule, call by call', async () => {
  const [once, again] = [await simulate(7, program), await simulate(7, program)]
  expect(again.log).toEqual(once.log)
  expect(once.log.length).toBeGreaterThan(20)
})
