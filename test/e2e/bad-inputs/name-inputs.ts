/** Names from outside that mean something to SQL, shells or file systems. */
import type { BadInput, Delivery, Group } from './bad-input.ts'
import { lines, writeFeed } from './feed-text.ts'

const LONG = 'x'.repeat(300)
const columns = {
  order: 'INT64',
  group: 'STRING',
  select: 'INT64',
  "größe in cm's": 'INT64',
  'a-b': 'STRING',
  [LONG]: 'INT64',
}
const row = (order: number, more: object = {}) => ({
  order,
  group: 'tea',
  select: 1,
  "größe in cm's": 2,
  'a-b': 'x',
  [LONG]: 3,
  ...more,
})
const good = lines(row(1), row(2))
const bad = lines(row(1), row(2, { "größe in cm's": 'tall' }))

/** Each may be an object's name below the snapshot's folder. */
const HOSTILE = [
  "it's.ndjson",
  'a`b.ndjson',
  'say "hi".ndjson',
  "'; DROP TABLE shop.order; --.ndjson",
  '$(touch x).ndjson',
  '%2e%2e%2fetc.ndjson',
  'a?b#c&d=e.ndjson',
  '[0-9]{a,b}.ndjson',
  'a\\b.ndjson',
  'größe 漢字 🍵.ndjson',
  '\u202eevil.ndjson',
  `${'long'.repeat(230)}.ndjson`,
  '.hidden.ndjson',
  'a//b.ndjson',
  'a\tb.ndjson',
]

async function sendHostile({ bed, folder }: Delivery): Promise<void> {
  for (const [at, name] of HOSTILE.entries()) await bed.put(folder + name, lines(row(at + 1)))
  const files = HOSTILE.map(name => ({ name }))
  await bed.put(`${folder}manifest.json`, JSON.stringify({ files }))
}

export const nameInputs: Group = {
  feed: 'order',
  feedText: writeFeed({
    name: 'order',
    format: 'ndjson',
    columns,
    key: ['order', 'group'],
    gates: 'min_rows_vs_last: 10%',
  }),
  good: { 'a.ndjson': good },
  cases: [
    ...HOSTILE.map(
      (name): BadInput => ({
        name: `a bad value in ${name.slice(0, 40)}`,
        report: 24,
        files: { [name]: bad },
        status: 'rejected',
        says: [name, "Field: größe in cm's", 'Value: "tall"', 'line 2'],
      }),
    ),
    {
      name: 'a star in the name of an object, which a load takes for many',
      files: { 'a*.ndjson': good },
      status: 'rejected',
      says: ['a*.ndjson', 'wildcard', 'Name it'],
    },
    {
      name: 'good rows in objects of all these names',
      report: 24,
      deliver: sendHostile,
      status: 'refreshed',
      says: [],
    },
  ],
}
