/** YAML's own traps: each is one problem at its line, and nothing throws. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseFeed } from '../../functions/feed/parse-feed.ts'
import { feedWith, GOOD } from './feed-text.ts'

const bomb = `a: &a [x, x]\nb: &b [${'*a, '.repeat(9)}*a]\nc: &c [${'*b, '.repeat(9)}*b]\nd: [${'*c, '.repeat(9)}*c]\n`

test.each([
  ['nothing', '', 1, 'is empty, and has to be a map'],
  ['a comment only', '# nothing\n', 1, 'is empty, and has to be a map'],
  ['a list', '- name: sales\n', 1, 'is a list, and has to be a map'],
  ['a text', 'sales\n', 1, 'is a text, and has to be a map'],
  ['a key twice', feedWith('name: sales', 'name: sales\nname: sold'), 2, 'Map keys must be unique'],
  ['a column twice', feedWith('id: INT64', 'id: INT64\n    id: STRING'), 11, 'Map keys must be unique'],
  ['a tab', feedWith('  format: csv', '\tformat: csv'), 6, 'Tabs are not allowed as indentation'],
  [
    'an alias',
    feedWith('key: [id, day]', 'key: &k [id, day]\n  other: *k'),
    20,
    '*k: a feed takes no aliases',
  ],
  ['an alias of nothing', feedWith('key: [id, day]', 'key: *k'), 19, '*k: a feed takes no aliases'],
  ['a bomb of aliases', bomb, 2, '*a: a feed takes no aliases'],
  ['an alias of itself', 'name: &n [*n]\n', 1, '*n: a feed takes no aliases'],
  ['a tag', feedWith('name: sales', 'name: !js/function sales'), 1, 'Unresolved tag: !js/function'],
  [
    'two documents',
    `${GOOD}---\n${GOOD}`,
    21,
    'Source contains multiple documents; please use YAML.parseAllDocuments()',
  ],
])('%s', (_, text, line, message) => {
  const parsed = parseFeed(text, 'f.yaml')
  expect(parsed.kind === 'problems' && parsed.problems[0]).toMatchObject({ line, message })
})

test('{snapshot} without quotes inside braces is explained', () => {
  const text = feedWith(
    'complete:\n    manifest: sales/{snapshot}/manifest.json',
    'complete: { manifest: sales/{snapshot}/manifest.json }',
  )
  const parsed = parseFeed(text, 'f.yaml')
  expect(parsed.kind === 'problems' && parsed.problems).toEqual([
    expect.objectContaining({
      line: 4,
      hint: 'Mend the YAML: inside { } a text with {snapshot} needs quotes.',
    }),
  ])
  const quoted = text.replace('sales/{snapshot}/manifest.json }', '"sales/{snapshot}/manifest.json" }')
  expect(parseFeed(quoted, 'f.yaml').kind).toBe('feed')
})

test('a key that JavaScript knows is a problem like any other', () => {
  const parsed = parseFeed(`${GOOD}__proto__: { kind: unique }\nconstructor: 1\n`, 'f.yaml')
  expect(parsed.kind === 'problems' && parsed.problems.map(({ path, line }) => [path, line])).toEqual([
    ['__proto__', 21],
    ['constructor', 22],
  ])
})

test('no text makes it throw, and every problem has a line of the text', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('\n', ': ', '  ', '- ', '{', '}', '&a', '*a', '"', '|', ...GOOD.split('\n')),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
      const text = pieces.join('')
      const parsed = parseFeed(text, 'f.yaml')
      if (parsed.kind === 'feed') return
      expect(parsed.problems.length).toBeGreaterThan(0)
      for (const { line } of parsed.problems) {
        expect(line).toBeGreaterThanOrEqual(1)
        expect(line).toBeLessThanOrEqual(text.split(/\r\n|\n|\r/).length)
      }
    }),
    { numRuns: 500 },
  )
})
