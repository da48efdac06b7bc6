/** Listing is a pure function of the names: order, folding and paging against a naive reading of the documentation. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listPage, parseListQuery } from '../../local/storage/listing.ts'
import { compareNames } from '../../local/storage/ordered-names.ts'

const list = (names: string[], parameters: Record<string, string>) =>
  listPage(names.toSorted(compareNames), parseListQuery(new URLSearchParams(parameters)))

test.each([
  [{}, ['a', 'a/', 'a/b', 'a//b', 'b'], []],
  [{ delimiter: '/' }, ['a', 'b'], ['a/']],
  [{ delimiter: '/', prefix: 'a/' }, ['a/', 'a/b'], ['a//']],
  [{ delimiter: '/', includeTrailingDelimiter: 'true' }, ['a', 'a/', 'b'], ['a/']],
  [{ prefix: 'a/b' }, ['a/b'], []],
  [{ startOffset: 'a/b', endOffset: 'b' }, ['a/b'], []],
  [{ delimiter: '/', prefix: 'c' }, [], []],
])('%j', (parameters, names, prefixes) => {
  const page = list(['a', 'a/', 'a/b', 'a//b', 'b'], parameters)
  expect(page.names.toSorted()).toEqual(names.toSorted())
  expect(page.prefixes).toEqual(prefixes)
})

test('names are ordered by their bytes, not by their UTF-16 units', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(Math.sign(compareNames(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
  )
})

test('pages of any size together are the whole listing', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '/', '𐀀', '\ue000'), minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(fc.uniqueArray(name), fc.constantFrom('', '/', 'a/'), fc.nat(4), (names, prefix, extra) => {
      for (const delimiter of ['', '/']) {
        const whole = list(names, { prefix, delimiter })
        const pages = []
        let token: string | undefined = ''
        while (token !== undefined) {
          const page = list(names, { prefix, delimiter, maxResults: String(extra + 1), pageToken: token })
          pages.push(page)
          token = page.nextPageToken
        }
        expect(pages.flatMap(page => page.names)).toEqual(whole.names)
        expect(pages.flatMap(page => page.prefixes)).toEqual(whole.prefixes)
      }
    }),
  )
})
