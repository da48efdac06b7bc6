/** Snapshots of which few partitions change: the others' files are the very same, as they would be at a source. */
import { linkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

export const DAYS = 13
/** 0.04 % of all rows. */
const CHANGED = 1 / 2_500

/** In `keys` one in ten of the rows that change changes its key: that one is new, and the old one is missing. */
export const CASES = ['two', 'keys', 'all', 'none'] as const
export type Case = (typeof CASES)[number]

export interface Step {
  readonly dir: string
  /** The first snapshot meets an empty table: preparation. */
  readonly kind: Case | 'first'
  /** Days by number, from 0. */
  readonly changed: readonly number[]
}

function daysOf(kind: Case, round: number): number[] {
  if (kind === 'none') return []
  const all = Array.from({ length: DAYS }, (_, day) => day)
  return kind === 'all' ? all : [(2 * round) % DAYS, (2 * round + 5) % DAYS].toSorted((a, b) => a - b)
}

/** Days end today: partitions of the feed expire after 730 days. */
const today = Math.floor(Date.now() / 86_400_000)
export const dateOf = (day: number) => new Date((today - DAYS + day) * 86_400_000).toISOString().slice(0, 10)
const fileOf = (dir: string, day: number) => join(dir, `day=${dateOf(day)}.parquet`)

/** Rows of a day in the order of their keys. */
function sqlFirst(rows: number, day: number): string {
  const share = (at: number) => Math.floor((rows * at) / DAYS)
  return `
    SELECT DATE '${dateOf(day)}' AS date, 300000 + j // 2000 AS product_id, 2000 + j // 8 % 250 AS store_id,
      1 + j % 8 AS attribute_id, (hash(j, ${day}) % 100)::BIGINT AS attr_value
    FROM range(${share(day + 1) - share(day)}) t(j)`
}

function sqlChanged(before: string, number: number, { kind, changed }: Step): string {
  const oneIn = Math.round(changed.length / DAYS / CHANGED)
  const dice = `hash(product_id, store_id, attribute_id, ${number})`
  const moves = kind === 'keys' ? `${dice} % ${10 * oneIn} = 0` : 'false'
  return `
    SELECT date, product_id, store_id, CASE WHEN ${moves} THEN attribute_id + 100 ELSE attribute_id END AS attribute_id,
      CASE WHEN ${dice} % ${oneIn} = 0 THEN attr_value + 1 ELSE attr_value END AS attr_value
    FROM read_parquet('${before}')`
}

async function writeStep(
  connection: DuckDBConnection,
  rows: number,
  number: number,
  step: Step,
  before: Step | undefined,
): Promise<void> {
  await mkdir(step.dir, { recursive: true })
  for (let day = 0; day < DAYS; day += 1) {
    const file = fileOf(step.dir, day)
    const old = before && fileOf(before.dir, day)
    if (old && !step.changed.includes(day)) linkSync(old, file)
    else {
      const query = old ? sqlChanged(old, number, step) : sqlFirst(rows, day)
      await connection.run(`COPY (${query}) TO '${file}' (FORMAT parquet)`)
    }
  }
}

/** Writes the first snapshot below `root`, then one of each case a round. */
export async function writeSteps(root: string, rows: number, rounds: number): Promise<readonly Step[]> {
  const numbers = Array.from({ length: rounds }, (_, round) => round)
  // Missing keys stay in the table: they come when all others are over.
  const kinds = [
    ...numbers.flatMap(round => CASES.filter(kind => kind !== 'keys').map(kind => ({ kind, round }))),
    ...numbers.map(round => ({ kind: 'keys' as const, round })),
  ]
  const steps: Step[] = [{ dir: join(root, '1'), kind: 'first', changed: [] }]
  for (const [at, { kind, round }] of kinds.entries())
    steps.push({ dir: join(root, String(at + 2)), kind, changed: daysOf(kind, round) })
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  for (const [at, step] of steps.entries()) await writeStep(connection, rows, at, step, steps[at - 1])
  connection.closeSync()
  instance.closeSync()
  return steps
}
