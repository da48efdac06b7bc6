/** When a snapshot is whole: manifests, markers and single files, and what is wrong with some. */
import { describe, expect, test } from 'vitest'
import { parseSnapshotId } from '../../functions/feed/snapshot-id.ts'
import { collectSnapshot } from '../../functions/handlers/collect.ts'
import { makeFakeObjects } from '../support/fake-objects.ts'
import { smallFeed } from '../support/small-feed.ts'

const MANIFEST = 'items/42/manifest.json'
const feeds = {
  manifest: smallFeed({ complete: '{ manifest: "items/{snapshot}/manifest.json" }' }),
  above: smallFeed({
    complete: '{ manifest: "items/{snapshot}.json" }',
    path: 'items/{snapshot}/**/*.ndjson',
  }),
  loose: smallFeed({
    complete: '{ manifest: "items/{snapshot}/manifest.json" }',
    path: 'items/{snapshot}/*',
  }),
  marker: smallFeed({}),
  single: smallFeed({ complete: 'single-file', path: 'items/{snapshot}-*.ndjson' }),
}

type Objects = Readonly<Record<string, string>>
async function collect(feed: keyof typeof feeds, given: Objects) {
  const objects = makeFakeObjects()
  const stored = Object.entries(given).map(([name, text], at) =>
    objects.put('inbox', name, text, `2026-11-30T06:00:0${at}.000Z`),
  )
  const id = parseSnapshotId('42', 'integer')
  if (id === undefined) throw new Error('42 is an integer')
  return { stored, found: await collectSnapshot(objects, 'inbox', feeds[feed], id) }
}
const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
const list = (...files: readonly object[]) => JSON.stringify({ files })

describe('whole', () => {
  test.each<readonly [what: string, feed: keyof typeof feeds, objects: Objects, files: readonly string[]]>([
    [
      'a manifest before its files',
      'manifest',
      { [MANIFEST]: list({ name: 'a.ndjson' }), 'items/42/a.ndjson': 'x' },
      ['items/42/a.ndjson'],
    ],
    [
      'a manifest after its files',
      'manifest',
      {
        'items/42/a.ndjson': 'x',
        'items/42/b.ndjson': 'y',
        [MANIFEST]: list({ name: 'b.ndjson' }, { name: 'a.ndjson' }),
      },
      ['items/42/b.ndjson', 'items/42/a.ndjson'],
    ],
    ['a manifest without files', 'manifest', { [MANIFEST]: list() }, []],
    [
      'what the manifest does not name stays out',
      'manifest',
      { 'items/42/a.ndjson': 'x', 'items/42/old.ndjson': 'y', [MANIFEST]: list({ name: 'a.ndjson' }) },
      ['items/42/a.ndjson'],
    ],
    [
      'a manifest above the folder',
      'above',
      { 'items/42.json': list({ name: '42/day/a.ndjson' }), 'items/42/day/a.ndjson': 'x' },
      ['items/42/day/a.ndjson'],
    ],
    [
      'the right size',
      'manifest',
      { 'items/42/a.ndjson': 'xyz', [MANIFEST]: list({ name: 'a.ndjson', size: 3 }) },
      ['items/42/a.ndjson'],
    ],
    ['a marker', 'marker', { 'items/42/a.ndjson': 'x', 'items/42/_DONE': '' }, ['items/42/a.ndjson']],
    ['a marker and nothing else', 'marker', { 'items/42/_DONE': '' }, []],
    [
      'foreign objects in the folder',
      'marker',
      {
        'items/42/a.ndjson': 'x',
        'items/42/notes.txt': 'hi',
        'items/42/sub/b.ndjson': 'y',
        'items/42/': '',
        'items/420/c.ndjson': 'z',
        'items/42/_DONE': '',
      },
      ['items/42/a.ndjson'],
    ],
    [
      'a single file',
      'single',
      { 'items/42-full.ndjson': 'x', 'items/420-full.ndjson': 'y', 'items/4-2.ndjson': 'z' },
      ['items/42-full.ndjson'],
    ],
  ])('%s', async (_, feed, objects, files) => {
    const { found, stored } = await collect(feed, objects)
    expect(found.kind === 'whole' && found.snapshot.files.map(({ name }) => name)).toEqual(files)
    const used = stored.filter(({ name }) => files.includes(name) || /manifest|\.json$|_DONE/.test(name))
    expect(found.kind === 'whole' && found.snapshot.arrivedAt).toBe(
      used
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .at(-1),
    )
  })

  test('rows are known when the manifest knows them all', async () => {
    const files = { 'items/42/a.ndjson': 'x', 'items/42/b.ndjson': 'y' }
    const all = list({ name: 'a.ndjson', rows: 3 }, { name: 'b.ndjson', rows: 4 })
    const some = list({ name: 'a.ndjson', rows: 3 }, { name: 'b.ndjson' })
    expect((await collect('manifest', { ...files, [MANIFEST]: all })).found).toMatchObject({
      snapshot: { rows: 7 },
    })
    const { found } = await collect('manifest', { ...files, [MANIFEST]: some })
    expect(found.kind === 'whole' && 'rows' in found.snapshot).toBe(false)
  })
})

test.each<readonly [what: string, feed: keyof typeof feeds, objects: Objects, missing: string]>([
  ['the manifest', 'manifest', { 'items/42/a.ndjson': 'x' }, MANIFEST],
  [
    'a file of it',
    'manifest',
    {
      'items/42/a.ndjson': 'x',
      [MANIFEST]: list({ name: 'a.ndjson' }, { name: 'b.ndjson' }, { name: 'c.ndjson' }),
    },
    '2 of 3 objects, items/42/b.ndjson the first',
  ],
  ['the marker', 'marker', { 'items/42/a.ndjson': 'x' }, 'items/42/_DONE'],
  ['the file', 'single', { 'items/43-full.ndjson': 'x' }, 'an object that matches items/{snapshot}-*.ndjson'],
])('waits for %s', async (_, feed, objects, missing) => {
  expect((await collect(feed, objects)).found).toEqual({ kind: 'waiting', missing })
})

test.each<readonly [what: string, feed: keyof typeof feeds, objects: Objects, reason: RegExp]>([
  [
    'a manifest that is none',
    'manifest',
    { [MANIFEST]: 'a.ndjson' },
    /^items\/42\/manifest.json: is no JSON/,
  ],
  [
    'a manifest of another snapshot',
    'manifest',
    { [MANIFEST]: '{"snapshot":"41","files":[]}' },
    /^items\/42\/manifest.json is of snapshot 41, its path of 42$/,
  ],
  [
    'another size',
    'manifest',
    { 'items/42/a.ndjson': 'xyz', [MANIFEST]: list({ name: 'a.ndjson', size: 4 }) },
    /^items\/42\/a.ndjson has 3 bytes, the manifest says 4$/,
  ],
  [
    'another checksum',
    'manifest',
    { 'items/42/a.ndjson': 'xyz', [MANIFEST]: list({ name: 'a.ndjson', crc32c: 'AAAAAA==' }) },
    /^items\/42\/a.ndjson has crc32c \S+, the manifest says AAAAAA==$/,
  ],
  [
    'another generation',
    'manifest',
    { 'items/42/a.ndjson': 'xyz', [MANIFEST]: list({ name: 'a.ndjson', generation: '1' }) },
    /^items\/42\/a.ndjson is generation \d+, the manifest says 1$/,
  ],
  [
    'a file that the path does not name',
    'manifest',
    { [MANIFEST]: list({ name: 'sub/a.ndjson' }) },
    /lists sub\/a.ndjson, and items\/42\/sub\/a.ndjson is no object that items/,
  ],
  [
    'a file of another snapshot',
    'above',
    { 'items/42.json': list({ name: '41/a.ndjson' }) },
    /lists 41\/a.ndjson/,
  ],
  [
    'a file outside',
    'manifest',
    { [MANIFEST]: list({ name: '../../secrets.ndjson' }) },
    /files\.0\.name: \.\.\/\.\.\/secrets\.ndjson is no name below the manifest's folder/,
  ],
  [
    'a manifest that lists itself',
    'loose',
    { [MANIFEST]: list({ name: 'manifest.json' }) },
    /^items\/42\/manifest.json lists itself$/,
  ],
  [
    'a name with a line break',
    'marker',
    { 'items/42/a\ngs:x.ndjson': 'x', 'items/42/_DONE': '' },
    /has a line break in its name$/,
  ],
  [
    'a name with a star',
    'marker',
    { 'items/42/a*.ndjson': 'x', 'items/42/_DONE': '' },
    /^object "items\/42\/a\*.ndjson" has a \* in its name, which a load job takes for a wildcard$/,
  ],
  [
    'a name that ends in a space',
    'loose',
    { 'items/42/a ': 'x', [MANIFEST]: list({ name: 'a ' }) },
    /^object "items\/42\/a " has a space at the end of its name/,
  ],
  [
    'two single files',
    'single',
    { 'items/42-a.ndjson': 'x', 'items/42-b.ndjson': 'y' },
    /^2 objects match items\/\{snapshot\}-\*.ndjson for snapshot 42$/,
  ],
])('is wrong: %s', async (_, feed, objects, reason) => {
  const { found, stored } = await collect(feed, objects)
  expect(found.kind === 'wrong' && { ...found, seen: found.seen.toSorted(byName) }).toEqual({
    kind: 'wrong',
    reason: expect.stringMatching(reason),
    hint: expect.stringMatching(/\.$/),
    seen: stored
      .toSorted(byName)
      .map(({ name, generation }) => expect.objectContaining({ name, generation })),
  })
})
