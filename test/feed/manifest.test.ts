/** Manifests: what is taken, and what the sender is told. */
import { expect, test } from 'vitest'
import { parseManifest } from '../../functions/feed/manifest.ts'

test.each([
  ['names only', '{"files":[{"name":"a"}]}', { files: [{ name: 'a' }] }],
  ['no files', '{"files":[]}', { files: [] }],
  [
    'all that it may say',
    '{"snapshot":"42","files":[{"name":"a","size":1,"crc32c":"AAAAAA==","generation":"7","rows":3}]}',
    { snapshot: '42', files: [{ name: 'a', size: 1, crc32c: 'AAAAAA==', generation: '7', rows: 3 }] },
  ],
  [
    'numbers for texts',
    '{"snapshot":42,"files":[{"name":"a","generation":7}]}',
    { snapshot: '42', files: [{ name: 'a', generation: '7' }] },
  ],
  [
    'fields of its own',
    '{"by":"etl","files":[{"name":"a","md5":"x"}]}',
    { by: 'etl', files: [{ name: 'a', md5: 'x' }] },
  ],
  ['a byte-order mark', '\uFEFF{"files":[]}', { files: [] }],
])('takes %s', (_, text, manifest) => {
  expect(parseManifest(text)).toEqual({ kind: 'manifest', manifest })
})

test.each([
  ['nothing', '', /^is no JSON: /],
  ['a text', 'part-0.csv\n', /^is no JSON: /],
  ['a list', '[]', /^the manifest: .*expected object/],
  ['no list of files', '{}', /^files: .*expected array/],
  ['names as texts', '{"files":["a"]}', /^files\.0: .*expected object/],
  ['a file without a name', '{"files":[{"size":1}]}', /^files\.0\.name: /],
  ['an empty name', '{"files":[{"name":""}]}', /^files\.0\.name: /],
  ['a negative size', '{"files":[{"name":"a","size":-1}]}', /^files\.0\.size: /],
  ['a size in words', '{"files":[{"name":"a","size":"1 kB"}]}', /^files\.0\.size: /],
  [
    'an md5 for a crc32c',
    '{"files":[{"name":"a","crc32c":"d41d8cd98f00b204e9800998ecf8427e"}]}',
    /^files\.0\.crc32c: is no crc32c as Cloud Storage writes it/,
  ],
  ['a crc32c in hex', '{"files":[{"name":"a","crc32c":"00000000"}]}', /^files\.0\.crc32c: is no crc32c/],
  ['half a row', '{"files":[{"name":"a","rows":1.5}]}', /^files\.0\.rows: /],
  ['a generation that is none', '{"files":[{"name":"a","generation":"latest"}]}', /^files\.0\.generation/],
  ['a file twice', '{"files":[{"name":"a"},{"name":"b"},{"name":"a"}]}', /^lists a twice$/],
])('refuses %s', (_, text, message) => {
  expect(parseManifest(text)).toEqual({
    kind: 'problem',
    message: expect.stringMatching(message),
    hint: expect.stringMatching(/\.$/),
  })
})
