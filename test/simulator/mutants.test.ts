/** The simulator bites: every deliberate fault of mutants/table.ts is noticed. `npm run soak:mutants` looks for longer. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { MUTANTS } from './mutants/table.ts'

const hunter = fileURLToPath(new URL('./mutants/hunt.ts', import.meta.url))
/** Schedules for each; the seeds in the table make most of them unnecessary. */
const MOST = process.env.SOAK_MUTANTS ?? '150'

test.concurrent.each(MUTANTS)(
  '$name',
  async ({ name }) => {
    const { stdout } = await promisify(execFile)(process.execPath, [hunter, name, MOST])
    expect(JSON.parse(stdout)).toMatchObject({ seed: expect.any(Number), failure: expect.any(String) })
  },
  300_000,
)
