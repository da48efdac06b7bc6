/** Object names come from outside: each is kept exactly, apart from every other, and inside the folder. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../local/service.ts'
import { type StorageService, startStorage } from '../../local/storage/index.ts'
import { compareNames } from '../../local/storage/ordered-names.ts'

const dir = mkdtempSync(join(tmpdir(), 'freshet-names-'))
let storage: StorageService

beforeAll(async () => {
  storage = await startStorage({ dir, clock: systemClock })
  await send('POST', '/storage/v1/b?project=p', JSON.stringify({ name: 'hostile' }))
})
afterAll(async () => {
  await storage.close()
  rmSync(dir, { recursive: true })
})

const send = (method: string, path: string, body?: string) =>
  fetch(storage.url + path, { method, ...(body === undefined ? {} : { body }) })
const upload = (name: string, body: string) =>
  send('POST', `/upload/storage/v1/b/hostile/o?uploadType=media&name=${encodeURIComponent(name)}`, body)
const address = (name: string) => `/storage/v1/b/hostile/o/${encodeURIComponent(name)}`

const piece = fc.oneof(
  fc.constantFrom(
    '.',
    '..',
    '/',
    '//',
    '\\',
    '%',
    '%2F',
    '%2e%2e',
    '?',
    '#',
    ' ',
    '+',
    ':',
    '*',
    '"',
    "'",
    '\0',
    '\t',
  ),
  fc.constantFrom(
    'a',
    'A',
    'con',
    'nul',
    'bucket.json',
    '.new',
    'ä',
    'a\u0308',
    '𐀀',
    '\u202e',
    '~',
    'x'.repeat(300),
  ),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
)
const hostileName = fc
  .array(piece, { minLength: 1, maxLength: 6 })
  .map(pieces => pieces.join(''))
  .filter(name => Buffer.byteLength(name) <= 1024 && name.isWellFormed() && !/^\.{0,2}$|[\r\n]/.test(name))

test('any set of names lives together and comes back exactly', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(hostileName, { minLength: 1, maxLength: 8 }), async names => {
      for (const name of names) expect((await upload(name, `content of ${name}`)).status).toBe(200)
      const listed: unknown = await (await send('GET', '/storage/v1/b/hostile/o')).json()
      expect(listed).toMatchObject({ items: names.toSorted(compareNames).map(name => ({ name })) })
      for (const name of names) {
        expect(await (await send('GET', `${address(name)}?alt=media`)).text()).toBe(`content of ${name}`)
        expect(storage.files.find('hostile', name)?.path.startsWith(join(dir, 'buckets', 'hostile'))).toBe(
          true,
        )
        expect((await send('DELETE', address(name))).status).toBe(204)
      }
      expect(readdirSync(join(dir, 'buckets', 'hostile'))).toEqual(['bucket.json'])
    }),
    { numRuns: 40 },
  )
})

test.each([
  ['an empty name', ''],
  ['a line break', 'a\nb'],
  ['.', '.'],
  ['..', '..'],
  ['1025 bytes', `${'ä'.repeat(512)}x`],
])('%s is refused', async (_, name) => {
  expect((await upload(name, 'x')).status).toBe(400)
})

test('1024 bytes are allowed', async () => {
  const name = 'ä'.repeat(512)
  expect((await upload(name, 'x')).status).toBe(200)
  expect((await send('DELETE', address(name))).status).toBe(204)
})

test.each(['ab', 'Upper', '-a-b', 'a/b', '../x', 'a..b', '1.2.3.4', 'goog-x', 'a'.repeat(64)])(
  'the bucket name %s is refused',
  async name => {
    const answer = await send('POST', '/storage/v1/b?project=p', JSON.stringify({ name }))
    expect(answer.status).toBe(400)
  },
)
