/** A second process reads the target all through fifty refreshes, and never sees anything but one of them, whole. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Bed, startBed } from './bad-inputs/bed.ts'

const ROWS = 200
const REFRESHES = 50
/** In each row `a` and `b` add up to a number that only its stamp has. */
const sumOf = (stamp: number) => stamp * 1_000 + 7

const FEED = `name: watched
source:
  path: watched/{snapshot}/*.ndjson
  complete: { marker: "watched/{snapshot}/_SUCCESS" }
  format: ndjson
table:
  name: shop.watched
  columns: { id: INT64, stamp: INT64, a: INT64, b: INT64 }
model: { kind: unique, key: [id], sequence: { from: snapshot, as: snapshot_id } }
`
const QUERY = `SELECT MIN(stamp) AS oldest, MAX(stamp) AS newest, COUNT(*) AS number,
  COUNTIF(a + b != stamp * 1000 + 7 OR stamp != snapshot_id) AS broken, BIT_XOR(a) AS digest
FROM shop.watched`

/** Numbers that look like noise and are the same at each run. */
const partOf = (stamp: number, id: number) => (stamp * 7_919 + id * 104_729) % 1_000_003
const digestOf = (stamp: number) =>
  Array.from({ length: ROWS }, (_, id) => partOf(stamp, id)).reduce((all, a) => all ^ a, 0)

const answers = z.union([
  z.object({
    row: z.object({
      oldest: z.number(),
      newest: z.number(),
      number: z.number(),
      broken: z.number(),
      digest: z.number(),
    }),
  }),
  z.object({ error: z.string() }),
])

let bed: Bed
let child: ChildProcess | undefined

async function send(stamp: number): Promise<string> {
  const rows = Array.from({ length: ROWS }, (_, id) => {
    const a = partOf(stamp, id)
    return `${JSON.stringify({ id, stamp, a, b: sumOf(stamp) - a })}\n`
  })
  await bed.put(`watched/${stamp}/a.ndjson`, rows.join(''))
  await bed.put(`watched/${stamp}/_SUCCESS`, '')
  return (await bed.message('watched', String(stamp))).status
}

beforeAll(async () => {
  bed = await startBed([FEED])
  expect(await send(1)).toBe('refreshed')
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await bed?.close()
})

/** Starts the reader; `stop` ends it and resolves with all that it saw. */
async function startReader() {
  const { urls, project, location } = bed.cloud
  const args = [join(import.meta.dirname, '../support/reader.ts'), urls.bigquery, project, location, QUERY]
  child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('no pipes')
  const seen: z.infer<typeof answers>[] = []
  const reading = createInterface(stdout)
  reading.on('line', line => seen.push(answers.parse(JSON.parse(line))))
  await once(reading, 'line')
  return {
    async stop() {
      stdin.end()
      await once(reading, 'close')
      return seen
    },
  }
}

test(`${REFRESHES} refreshes under the eyes of a reader`, { timeout: 600_000 }, async () => {
  const reader = await startReader()
  for (let stamp = 2; stamp <= REFRESHES + 1; stamp += 1) expect(await send(stamp)).toBe('refreshed')
  const seen = await reader.stop()
  const rows = seen.flatMap(answer => ('row' in answer ? [answer.row] : []))
  const stamps = rows.map(({ newest }) => newest)
  console.log(`${rows.length} reads saw ${new Set(stamps).size} of ${REFRESHES + 1} refreshes`)
  expect(seen.filter(answer => 'error' in answer)).toEqual([])
  for (const row of rows)
    expect(row).toEqual({
      oldest: row.newest,
      newest: row.newest,
      number: ROWS,
      broken: 0,
      digest: digestOf(row.newest),
    })
  expect(stamps).toEqual(stamps.toSorted((a, b) => a - b))
  expect(new Set(stamps).size).toBeGreaterThan(REFRESHES / 2)
})
