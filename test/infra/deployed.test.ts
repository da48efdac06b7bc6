/** The deployed archive is what runs: it refreshes a table in the embedded cloud, within the roles of its accounts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, GRANTS, type Grant } from '../../infra/roles.ts'
import { makeMetrics } from '../../infra/watch/metrics.ts'
import { type Deployment, NAMES, startDeployment } from './deployed/deployment.ts'
import { entriesOf, fieldOf, matchesFilter } from './deployed/log-filter.ts'
import { type Need, needsOf, ROLES } from './deployed/permissions.ts'

/** Two feeds: one keeps what a snapshot lacks, the other mirrors the newest, and refuses an older one. */
const PRICES = `name: prices
source: { path: 'prices/{snapshot}/*.ndjson', complete: { manifest: 'prices/{snapshot}/manifest.json' }, format: ndjson }
table:
  name: trade.prices
  columns: { day: DATE, item: STRING, price: 'NUMERIC(10, 2)' }
  partition: { by: day, every: day, keep: 3650 days }
  cluster: [item]
model: { kind: unique, key: [day, item], sequence: { from: snapshot, as: delivery } }
refresh: { within: 1 second }
`
const STOCK = PRICES.replaceAll('prices', 'stock').replace(
  'as: delivery }',
  'as: delivery }, missing_rows: delete',
)
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
const rows = (...prices: [string, string][]) =>
  prices.map(([item, price]) => `${JSON.stringify({ day: day(-1), item, price })}\n`).join('')

let folder = ''
let deployed: Deployment

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 300; tries += 1) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  const said = entriesOf(deployed.lines(), '').map(
    entry => `${fieldOf(entry, 'severity')} ${fieldOf(entry, 'jsonPayload.message')}`,
  )
  throw new Error(`waited in vain for ${what}:\n${said.join('\n')}`)
}

async function send(snapshot: number, text: string, feed = 'prices'): Promise<void> {
  const bucket = deployed.clients.storage.bucket(NAMES.inbox)
  const save = (name: string, content: string) =>
    bucket.file(`${feed}/${snapshot}/${name}`).save(content, { resumable: false })
  await save('part.ndjson', text)
  await save('manifest.json', JSON.stringify({ files: [{ name: 'part.ndjson' }] }))
}

/** The line by which a function says how a snapshot ended. */
const outcomeOf = (snapshot: number, status: string, feed = 'prices') =>
  until(`${feed} ${snapshot} ${status}`, async () =>
    deployed
      .lines()
      .find(line =>
        [`"status":"${status}"`, `"${snapshot}"`, `"feed":"${feed}"`].every(part => line.includes(part)),
      ),
  )

async function readTable(): Promise<Record<string, string>> {
  const [found] = await deployed.clients.bigquery.query(
    'SELECT item, CAST(price AS STRING) AS price FROM trade.prices',
  )
  return Object.fromEntries(found.map((row: { item: string; price: string }) => [row.item, row.price]))
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'freshet-deployed-'))
  const feeds = join(folder, 'feeds')
  mkdirSync(feeds)
  writeFileSync(join(feeds, 'prices.yaml'), PRICES)
  writeFileSync(join(feeds, 'stock.yaml'), STOCK)
  deployed = await startDeployment(folder, feeds)
  // There is no workflow yet: the snapshot waits, and the sweep says that it is late.
  await send(1, rows(['apple', '1.00'], ['pear', '2.50']))
  await until('a late snapshot', async () => {
    await deployed.sweep()
    return deployed.lines().find(line => line.includes('"status":"late"'))
  })
  await deployed.deployWorkflow()
  await outcomeOf(1, 'refreshed')
  await send(2, rows(['apple', '1.10'], ['plum', '3.00']))
  await outcomeOf(2, 'refreshed')
  await send(3, rows(['apple', '1.20'], ['apple', '1.30']))
  await outcomeOf(3, 'held')
  await send(4, rows(['apple', 'a lot']))
  await outcomeOf(4, 'rejected')
  await send(5, 'no JSON at all\n')
  await outcomeOf(5, 'rejected')
  await send(2, rows(['apple', '7.00']), 'stock')
  await outcomeOf(2, 'refreshed', 'stock')
  await send(1, rows(['apple', '6.00']), 'stock')
  await outcomeOf(1, 'rejected', 'stock')
}, 400_000)

afterAll(async () => {
  await deployed?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('refreshes the table, and what is held or rejected does not touch it', async () => {
  expect(await readTable()).toEqual({ apple: '1.1', pear: '2.5', plum: '3' })
})

describe('the roles are exactly what the calls need', () => {
  const needs = () => deployed.calls.flatMap(needsOf)
  const grantsOf = (account: string): readonly Grant[] => GRANTS[account as Account] ?? []
  /** A reader of the inbox reads its lists too. */
  const covers = ({ on }: Grant, place: string) => on === place || (on === 'inbox' && place === 'inbox-lists')
  const allows = (grant: Grant, need: Need) =>
    covers(grant, need.on) && (ROLES[grant.role] ?? []).includes(need.permission)

  test('every call was allowed', () => {
    const denied = needs().filter(need => !grantsOf(need.account).some(grant => allows(grant, need)))
    expect([...new Set(denied.map(need => JSON.stringify(need)))]).toEqual([])
  })

  test.each(['on-object', 'plan', 'refresh', 'complete', 'fail', 'sweep', 'trigger', 'scheduler'])(
    'every role of %s was needed',
    account => {
      // Google's own services ask for these: Eventarc for its receiver, BigQuery for a reservation that a feed names.
      const own = grantsOf(account).filter(({ role }) => !/eventReceiver|reservationUser/.test(role))
      const mine = needs().filter(need => need.account === account)
      const idle = own.filter(grant => !mine.some(need => allows(grant, need)))
      expect(idle).toEqual([])
    },
  )
})

describe('the metrics match what the functions write', () => {
  const entries = () => entriesOf(deployed.lines(), NAMES.functionOf('complete'))

  test.each(makeMetrics(NAMES.prefix).map(spec => [spec.key, spec] as const))('%s', (_, spec) => {
    const matched = entries().filter(entry => matchesFilter(spec.filter, entry))
    expect(matched.length).toBeGreaterThan(0)
    for (const entry of matched) {
      for (const field of Object.values(spec.labels))
        expect(fieldOf(entry, field)).toEqual(expect.stringMatching(/./))
      if (spec.value !== undefined) expect(fieldOf(entry, spec.value)).toEqual(expect.any(Number))
    }
  })

  test('no line of another stack counts', () => {
    const others = entriesOf(deployed.lines(), 'freshet-prod-complete')
    for (const { filter } of makeMetrics(NAMES.prefix))
      expect(others.filter(entry => matchesFilter(filter, entry))).toEqual([])
  })

  test('each status that an alert is about was written', () => {
    const outcomes = makeMetrics(NAMES.prefix)[0]
    const seen = entries().filter(entry => matchesFilter(outcomes?.filter ?? '', entry))
    const statuses = new Set(seen.map(entry => fieldOf(entry, 'jsonPayload.status')))
    expect([...statuses].toSorted()).toEqual(['held', 'late', 'refreshed', 'rejected'])
  })
})
