/** Snapshots that load well and are not what a person would send: each stops at a gate. */
import type { BadInput, Delivery, Group } from './bad-input.ts'
import { lines, writeFeed } from './feed-text.ts'

const dayOf = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const row = (id: number, more: object = {}) => ({ id, price: '1.10', note: 'x', day: dayOf(-id), ...more })
const five = [row(1), row(2), row(3), row(4), row(5)]
const file = (...rows: readonly object[]) => ({ 'a.ndjson': lines(...rows) })

const cases: readonly BadInput[] = [
  {
    name: 'no row',
    report: 4,
    files: { 'a.ndjson': '' },
    status: 'held',
    says: ['no rows landed', 'never published unasked', 'approve'],
  },
  {
    name: 'three fifths fewer rows',
    report: 5,
    files: file(row(1), row(2)),
    status: 'held',
    says: ['2 rows landed', 'last snapshot had 5', 'at least 3', 'approve'],
  },
  {
    name: 'NULL in a key',
    report: 12,
    files: file(...five, row(6, { id: null })),
    status: 'rejected',
    says: ['1 row with NULL in the key (id)', 'gates.null_keys'],
  },
  {
    name: 'a key twice, the same row',
    report: 13,
    files: file(...five, row(5)),
    status: 'held',
    says: ['1 key in more than one row (id)', 'gates.duplicate_keys'],
  },
  {
    name: 'a key twice, two different rows',
    report: 13,
    files: file(...five, row(5, { price: '9' })),
    status: 'held',
    says: ['1 key in more than one row (id)', 'gates.duplicate_keys'],
  },
  {
    name: 'NULL in the partition column',
    report: 11,
    files: file(...five, row(6, { day: null })),
    status: 'held',
    says: ['1 row without a day', 'partitioned'],
  },
  {
    name: 'a row that is older than what is kept',
    files: file(...five, row(6, { day: dayOf(-800) })),
    status: 'held',
    says: ['1 row with a day outside the partitions that are kept'],
  },
  {
    name: 'a row from the far future',
    report: 21,
    files: file(...five, row(6, { day: '9999-12-31' })),
    status: 'held',
    says: ['1 row with a day', 'over a year ahead'],
  },
  {
    name: 'a column that had values and has only NULL now',
    report: 20,
    files: file(...five.map(one => ({ ...one, note: null }))),
    status: 'held',
    says: ['only NULL in note', 'renamed at the source'],
  },
  {
    name: 'several things at once',
    files: file(row(1, { id: null, note: null }), row(2, { note: null })),
    status: 'rejected',
    says: ['NULL in the key', '2 rows landed', 'only NULL in note'],
  },
]

export const gateInputs: Group = {
  feed: 'dated-goods',
  feedText: writeFeed({
    name: 'dated-goods',
    format: 'ndjson',
    columns: { id: 'INT64', price: 'NUMERIC', note: 'STRING', day: 'DATE' },
    table: '  partition: { by: day, every: day, keep: 730 days }',
  }),
  good: file(...five),
  cases,
}

/** Older than what the table mirrors: publishing it would undo what is newer. */
async function sendStale({ bed, folder }: Delivery): Promise<void> {
  await bed.put(`${folder}a.ndjson`, lines({ id: 1, name: 'tea' }))
  await bed.put(`${folder}manifest.json`, JSON.stringify({ files: [{ name: 'a.ndjson' }] }))
}

export const mirrorInputs: Group = {
  feed: 'mirrored-goods',
  feedText: writeFeed({
    name: 'mirrored-goods',
    format: 'ndjson',
    columns: { id: 'INT64', name: 'STRING' },
    model: '  missing_rows: delete',
    gates: 'min_rows_vs_last: 10%',
  }),
  good: file(...[1, 2, 3, 4, 5].map(id => ({ id, name: 'tea' }))),
  cases: [
    {
      name: 'most rows would go',
      report: 5,
      files: file({ id: 1, name: 'tea' }),
      status: 'held',
      says: ['at least 4 rows of 5 would be deleted', 'approve'],
    },
    {
      name: 'an older snapshot than the one that is served',
      id: '0',
      deliver: sendStale,
      status: 'rejected',
      says: ['0', 'older'],
    },
  ],
}
