/** Manifests that cannot be read, or speak of other files than those that are there. */
import { expect } from 'vitest'
import type { BadInput, Delivery, Group } from './bad-input.ts'
import { lines, writeFeed } from './feed-text.ts'

const DATA = lines({ id: 1, name: 'tea' }, { id: 2, name: 'salt' })
const manifestOf = (...files: readonly object[]) => JSON.stringify({ files })
const sent = (manifest: string | Uint8Array) => ({ 'a.ndjson': DATA, 'manifest.json': manifest })
const a = { name: 'a.ndjson' }

const rejected = (name: string, manifest: string | Uint8Array, ...says: readonly string[]): BadInput => ({
  name,
  files: sent(manifest),
  status: 'rejected',
  says: ['manifest', ...says],
})

const unreadable: readonly BadInput[] = [
  rejected('no JSON', 'a.ndjson\n', 'manifest.json', 'is no JSON', 'docs/manifest.md'),
  rejected('empty', '', 'manifest.json', 'is no JSON'),
  rejected('cut', '{"files": [{"name": "a.nd', 'manifest.json', 'is no JSON'),
  rejected('UTF-16', Buffer.from(`\uFEFF${manifestOf(a)}`, 'utf16le'), 'manifest.json', 'is no JSON'),
  rejected('a list', JSON.stringify([a]), 'manifest.json', 'object'),
  rejected('no files in it', '{}', 'manifest.json', 'files'),
  rejected('a name that is none', manifestOf({ name: 7 }), 'manifest.json', 'files.0.name'),
  rejected('a negative size', manifestOf({ ...a, size: -1 }), 'files.0.size'),
  rejected('a checksum that is none', manifestOf({ ...a, crc32c: 'deadbeef' }), 'files.0.crc32c', 'base64'),
]

const differing: readonly BadInput[] = [
  rejected('a wrong size', manifestOf({ ...a, size: 3 }), 'a.ndjson', `${DATA.length} bytes`, 'says 3'),
  rejected('a wrong checksum', manifestOf({ ...a, crc32c: 'AAAAAA==' }), 'a.ndjson', 'says AAAAAA=='),
  rejected('a wrong generation', manifestOf({ ...a, generation: '42' }), 'a.ndjson', 'generation', 'says 42'),
  rejected('a wrong number of rows', manifestOf({ ...a, rows: 3 }), '2 rows landed', 'promises 3', 'anew'),
  rejected(
    'the manifest of another snapshot',
    JSON.stringify({ snapshot: 999, files: [a] }),
    'is of snapshot 999',
    'its own snapshot',
  ),
  rejected('a file twice', manifestOf(a, a), 'a.ndjson twice', 'List each file once'),
  rejected(
    'a file of another snapshot',
    manifestOf({ name: '../1/a.ndjson' }),
    'files.0.name',
    '../1/a.ndjson',
    'relative',
  ),
  rejected(
    'a name from the root',
    manifestOf({ name: '/etc/passwd' }),
    'files.0.name',
    '/etc/passwd',
    'relative',
  ),
  rejected(
    'a whole address',
    manifestOf({ name: 'gs://b/a.ndjson' }),
    'files.0.name',
    'gs://b/a.ndjson',
    'relative',
  ),
  rejected('a step on the way', manifestOf({ name: './a.ndjson' }), 'files.0.name', './a.ndjson', 'relative'),
  rejected('a file of another kind', manifestOf({ name: 'a.exe' }), 'a.exe', 'source.path'),
  rejected('a list of itself', manifestOf({ name: 'manifest.json' }), 'manifest.json'),
  {
    name: 'no file in it',
    report: 4,
    files: sent(manifestOf()),
    status: 'held',
    says: ['no rows landed', 'never published unasked'],
  },
]

/** What the manifest names comes late: the snapshot waits, and says nothing until then. */
async function sendLate({ bed, id, folder }: Delivery): Promise<void> {
  await bed.put(`${folder}manifest.json`, manifestOf(a, { name: 'b.ndjson' }))
  await bed.put(`${folder}a.ndjson`, DATA)
  await bed.delivered()
  expect(bed.messages('listed-goods', id)).toEqual([])
  await bed.put(`${folder}b.ndjson`, lines({ id: 3, name: 'oats' }))
}

/** The manifest pins the generation that its writer saw; then somebody writes the file anew. */
async function sendReplaced({ bed, folder }: Delivery): Promise<void> {
  const generation = await bed.put(`${folder}a.ndjson`, DATA)
  await bed.put(`${folder}a.ndjson`, lines({ id: 1, name: 'sand' }))
  await bed.put(`${folder}manifest.json`, manifestOf({ ...a, generation }))
}

export const manifestInputs: Group = {
  feed: 'listed-goods',
  feedText: writeFeed({
    name: 'listed-goods',
    format: 'ndjson',
    columns: { id: 'INT64', name: 'STRING' },
    gates: 'min_rows_vs_last: 20%',
  }),
  good: { 'a.ndjson': DATA },
  cases: [
    ...unreadable,
    ...differing,
    { name: 'replaced', deliver: sendReplaced, status: 'rejected', says: ['a.ndjson', 'generation'] },
    { name: 'a file that comes late', deliver: sendLate, status: 'refreshed', says: [] },
    {
      name: 'a byte-order mark, which JSON parsers let pass',
      files: sent(`\uFEFF${manifestOf(a)}`),
      status: 'refreshed',
      says: [],
    },
  ],
}
