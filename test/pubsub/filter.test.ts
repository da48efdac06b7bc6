/** The filter grammar: what it lets through, and what it refuses to parse. */
import { expect, test } from 'vitest'
import { parseFilter } from '../../local/pubsub/filter.ts'

const attributes = { feed: 'cities', status: 'refreshed', 'ce-type': 'x', odd: 'say "hi"' }

test.each([
  ['', true],
  ['attributes:feed', true],
  ['attributes:none', false],
  ['attributes.feed = "cities"', true],
  ['attributes.feed="towns"', false],
  ['attributes.feed != "towns"', true],
  ['attributes.none != "x"', true],
  ['attributes."feed" = "cities"', true],
  ['attributes.ce-type = "x"', true],
  ['attributes.odd = "say \\"hi\\""', true],
  ['hasPrefix(attributes.feed, "cit")', true],
  ['hasPrefix(attributes.none, "")', false],
  ['NOT attributes:feed', false],
  ['-attributes:none', true],
  ['attributes:feed AND attributes:status', true],
  ['attributes:feed AND NOT attributes:status', false],
  ['attributes:none OR attributes:feed', true],
  ['attributes:none OR (attributes:feed AND attributes.status = "refreshed")', true],
  ['NOT (attributes:none OR attributes:feed)', false],
  // A name that every JavaScript object has is still no attribute.
  ['attributes:constructor', false],
  ['hasPrefix(attributes.constructor, "f")', false],
])('%s', (filter, expected) => {
  expect(parseFilter(filter)(attributes)).toBe(expected)
})

test.each([
  'attributes.a = b',
  "attributes.a = 'b'",
  'attributes.a > "b"',
  'attributes:a attributes:b',
  'attributes:a AND attributes:b OR attributes:c',
  'hasprefix(attributes.a, "b")',
  'not attributes:a',
  'attributes:a AND',
  '(attributes:a',
  'data:a',
  'attributes.a = "b',
  'attributes.a',
  `attributes.a = "${'x'.repeat(250)}"`,
])('%s is refused', filter => {
  expect(() => parseFilter(filter)).toThrow(/^Invalid filter/)
})
