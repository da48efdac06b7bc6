/** One history told twice, as snapshots and as changes: both tables end with the same rows. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { runCli } from '../cli/run-cli.ts'

const root = mkdtempSync(join(tmpdir(), 'freshet-history-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const TABLE = `columns: { id: INT64, price: "NUMERIC(10, 2)", note: { type: STRING, optional: true } }`
const SNAPSHOTS = `name: whole
source: { path: "whole/{snapshot}/*.ndjson", complete: { manifest: "whole/{snapshot}/manifest.json" }, format: ndjson }
table: { name: shop.whole, ${TABLE} }
model: { kind: unique, key: [id], sequence: { from: snapshot, as: snapshot_id }, missing_rows: delete }
gates: { min_rows_vs_last: 0%, max_deleted: 100% }
`
const CHANGES = `name: parts
delivers: changes
source: { path: "parts/*", format: ndjson }
table: { name: shop.parts, ${TABLE} }
model: { key: [id] }
changes: { operation: op, upsert: [U], delete: [D], sequence: [{ field: at, as: integer }] }
refresh: { max_staleness: 1 second, announce: pending }
`

interface Item {
  readonly id: number
  readonly price: string
  readonly note: string | null
}
type State = ReadonlyMap<number, Item>

const item = fc.record({
  id: fc.integer({ min: 1, max: 12 }),
  price: fc.integer({ min: -999, max: 9_999 }).map(cents => (cents / 100).toFixed(2)),
  note: fc.option(fc.constantFrom('', 'ä€😀', '"quoted"\n', 'null')),
})
/** Row 0 is in every state and changes with each: no delivery is empty, and no column loses all of its values, which a gate would hold. */
const states = fc
  .array(fc.uniqueArray(item, { selector: ({ id }) => id, maxLength: 10 }), { minLength: 4, maxLength: 4 })
  .map(all =>
    all.map((items, at): State => {
      const first = { id: 0, price: `${at}`, note: 'first' }
      return new Map([first, ...items].map(one => [one.id, one]))
    }),
  )

const encode = (rows: readonly object[]) => rows.map(row => `${JSON.stringify(row)}\n`).join('')

function changesTo(before: State, after: State, at: number) {
  const same = (one: Item) => JSON.stringify(before.get(one.id)) === JSON.stringify(one)
  const upserts = [...after.values()].filter(one => !same(one)).map(one => ({ op: 'U', at, ...one }))
  const deletes = [...before.keys()].filter(id => !after.has(id)).map(id => ({ op: 'D', at, id }))
  return [...deletes, ...upserts]
}

/** Sends every directory or file. */
async function play(name: string, feed: string, paths: readonly string[]): Promise<void> {
  const [file, dir] = [join(root, `${name}.yaml`), join(root, `${name}-cloud`)]
  writeFileSync(file, feed)
  const { exit, stdout, stderr } = await runCli('try', file, ...paths, '--dir', dir, '--json')
  expect(exit, `${stdout}\n${stderr}`).toBe(0)
}

async function readTable(name: string): Promise<unknown> {
  const sql = `SELECT id, price, note FROM shop.${name} ORDER BY id`
  const { stdout } = await runCli('query', sql, '--dir', join(root, `${name}-cloud`), '--format', 'json')
  return JSON.parse(stdout)
}

/** One history a run, for it takes ten seconds; SEED gives another. */
const seed = Number(process.env.SEED ?? 1)

test(`a feed of snapshots and one of changes come to the same table (SEED=${seed})`, async () => {
  const [history = []] = fc.sample(states, { numRuns: 1, seed })
  const folders = history.map((state, at) => {
    const dir = join(root, `${at + 1}`)
    mkdirSync(dir)
    writeFileSync(join(dir, 'all.ndjson'), encode([...state.values()]))
    return dir
  })
  const files = history.map((state, at) => {
    const file = join(root, `${at + 1}.changes`)
    writeFileSync(file, encode(changesTo(history[at - 1] ?? new Map(), state, at)))
    return file
  })
  await play('whole', SNAPSHOTS, folders)
  await play('parts', CHANGES, files)
  const whole = await readTable('whole')
  // What is pending shows once it is older than max_staleness.
  await expect.poll(() => readTable('parts'), { timeout: 60_000 }).toEqual(whole)
  const last = [...(history.at(-1)?.values() ?? [])].toSorted((a, b) => a.id - b.id)
  expect(whole).toEqual(last.map(({ price, ...row }) => ({ ...row, price: `${Number(price)}` })))
}, 240_000)
