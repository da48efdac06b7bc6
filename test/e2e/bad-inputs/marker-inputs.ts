/** Snapshots that a marker completes, or that are one file; and ids that are none. */
import type { Delivery, Group } from './bad-input.ts'
import { lines, writeFeed } from './feed-text.ts'

const DATA = { 'a.ndjson': lines({ id: 1, name: 'tea' }, { id: 2, name: 'salt' }) }
const columns = { id: 'INT64', name: 'STRING' }

const wrongId = (id: string, kind: string) => ({
  name: `a snapshot called ${id}`,
  id,
  files: DATA,
  status: 'rejected' as const,
  says: [`${id} is no ${kind}`, 'source.snapshot'],
})

/** The marker came before its parts: what they bring is a revision, with a message of its own. */
async function sendMarkerFirst({ bed, id, folder }: Delivery): Promise<void> {
  await bed.put(`${folder}_SUCCESS`, '')
  await bed.message('marked-goods', id)
  await bed.put(`${folder}a.ndjson`, lines({ id: 1, name: 'tea' }, { id: 3, name: 'oats' }))
}

export const markerInputs: Group = {
  feed: 'marked-goods',
  feedText: writeFeed({
    name: 'marked-goods',
    format: 'ndjson',
    columns,
    complete: '{ marker: "marked-goods/{snapshot}/_SUCCESS" }',
  }),
  good: DATA,
  cases: [
    { name: 'a marker without data', report: 7, files: {}, status: 'held', says: ['no rows landed'] },
    {
      name: 'a marker beside a folder that has nothing in it',
      files: { 'part/': '' },
      status: 'held',
      says: ['no rows landed'],
    },
    {
      name: 'a part after the marker',
      report: 7,
      deliver: sendMarkerFirst,
      answers: 2,
      status: 'refreshed',
      says: [],
    },
    wrongId('abc', 'integer'),
    wrongId('007', 'integer'),
    wrongId('-1', 'integer'),
    wrongId('9223372036854775808', 'integer'),
  ],
}

export const singleFileInputs: Group = {
  feed: 'daily-goods',
  feedText: writeFeed({
    name: 'daily-goods',
    format: 'ndjson',
    columns,
    source: '  snapshot: date',
    complete: 'single-file',
  }),
  ids: { first: '2026-01-01', last: '2026-12-31' },
  good: DATA,
  cases: [
    wrongId('2026-02-30', 'date'),
    wrongId('2026-13-01', 'date'),
    wrongId('yesterday', 'date'),
    {
      name: 'a file of nothing',
      id: '2026-01-02',
      report: 4,
      files: { 'a.ndjson': '' },
      status: 'held',
      says: ['no rows landed'],
    },
  ],
}
