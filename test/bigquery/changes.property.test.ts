/** Streamed changes against a model: whatever comes in which order, how often, and applied when, the newest of a key stands. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'
import { type ChangeWriter, openChangeWriter } from '../support/change-writer.ts'

let own: OpenBigQuery
let now = Date.parse('2026-03-01T00:00:00Z')
let serial = 0

beforeAll(async () => {
  own = await openBigQuery({ now: () => now }, 'when told')
  await own.query('CREATE SCHEMA d')
})
afterAll(() => own.close())

interface Change {
  readonly region: string
  readonly id: number
  /** `undefined` deletes. */
  readonly value: number | undefined
  readonly sequence: readonly bigint[]
}
type Step =
  | { readonly kind: 'apply' | 'read' | 'restart' }
  | { readonly kind: 'send'; readonly rows: Change[] }

const section = fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(0n, 2n ** 64n - 1n))
/** Histories have sequence numbers of one form, as a source has. */
const history = fc.integer({ min: 1, max: 4 }).chain(sections =>
  fc.uniqueArray(
    fc.record({
      region: fc.constantFrom('eu', 'us'),
      id: fc.integer({ min: 0, max: 2 }),
      value: fc.option(fc.integer({ min: 0, max: 999 }), { nil: undefined, freq: 3 }),
      sequence: fc.array(section, { minLength: sections, maxLength: sections }),
    }),
    // Twice the same number for one key, with other content, is no history.
    { selector: c => `${c.region}${c.id}/${c.sequence}`, minLength: 1, maxLength: 25 },
  ),
)
/** All of a history in any order, some of it twice, in requests with applies and reads between. */
const steps = history.chain(changes =>
  fc
    .tuple(
      fc.shuffledSubarray(changes, { minLength: changes.length }),
      fc.shuffledSubarray(changes),
      fc.array(
        fc.record({ size: fc.integer({ min: 1, max: 8 }), kind: fc.constantFrom('apply', 'read', 'none') }),
      ),
      fc.boolean(),
    )
    .map(([once, again, cuts, restart]) => {
      const rows = [...once, ...again]
      const made: Step[] = []
      for (const { size, kind } of [...cuts, { size: rows.length, kind: 'none' as const }]) {
        const next = rows.splice(0, size)
        if (next.length > 0) made.push({ kind: 'send', rows: next })
        if (kind !== 'none') made.push({ kind: kind as 'apply' | 'read' })
      }
      if (restart) made.splice(Math.floor(made.length / 2), 0, { kind: 'restart' })
      return made
    }),
)

/** By sections, as unsigned numbers. */
function isLater(a: readonly bigint[], b: readonly bigint[]): boolean {
  for (const [i, left] of a.entries()) {
    const right = b[i] ?? 0n
    if (left !== right) return left > right
  }
  return true
}

const keyOf = (change: Change) => `${change.region}/${change.id}`

function expected(newest: ReadonlyMap<string, Change>): string[][] {
  const rows = [...newest.values()].flatMap(c =>
    c.value === undefined ? [] : [[c.region, String(c.id), String(c.value)]],
  )
  return rows.toSorted((a, b) => (a.join() < b.join() ? -1 : 1))
}

const encode = ({ region, id, value, sequence }: Change) => ({
  region,
  id,
  ...(value === undefined ? {} : { value }),
  _CHANGE_TYPE: value === undefined ? 'DELETE' : 'UPSERT',
  _CHANGE_SEQUENCE_NUMBER: sequence.map(s => s.toString(16)).join('/'),
})

async function run(all: readonly Step[]): Promise<void> {
  const table = `d.t${++serial}`
  await own.query(
    `CREATE TABLE ${table} (region STRING, id INT64, value INT64, PRIMARY KEY (region, id) NOT ENFORCED)`,
  )
  const check = async () =>
    expect(await own.query(`SELECT * FROM ${table} ORDER BY region, id`)).toEqual(expected(newest))
  const newest = new Map<string, Change>()
  let writers: ChangeWriter[] = []
  const open = async () => {
    writers = [await openChangeWriter(own.url, table), await openChangeWriter(own.url, table)]
  }
  await open()
  for (const step of all) {
    now += 1000
    if (step.kind === 'send') {
      const halves = [step.rows.filter((_, i) => i % 2 === 0), step.rows.filter((_, i) => i % 2 === 1)]
      const sent = halves.map((rows, i) => (rows.length > 0 ? writers[i]?.send(rows.map(encode)) : undefined))
      for (const answer of await Promise.all(sent)) expect(answer?.error ?? null).toBeNull()
      for (const row of step.rows) {
        const known = newest.get(keyOf(row))
        if (!known || isLater(row.sequence, known.sequence)) newest.set(keyOf(row), row)
      }
    } else if (step.kind === 'apply') await own.applyChanges()
    else if (step.kind === 'read') await check()
    else {
      for (const writer of writers) writer.close()
      await own.restart()
      await open()
    }
  }
  await check()
  await own.applyChanges()
  await check()
  for (const writer of writers) writer.close()
}

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const numRuns = Number(process.env.RUNS ?? 6)

test(`${numRuns} histories in any order, twice, applied and restarted anywhere: the newest row of every key, seed ${seed}`, {
  timeout: 60_000 + numRuns * 5000,
}, async () => {
  await fc.assert(fc.asyncProperty(steps, run), { numRuns, seed, endOnFailure: true })
})
