/** Path patterns: what they match, what they give back, and names that try to be clever. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findPatternProblem, parsePathPattern } from '../../functions/feed/path-pattern.ts'
import type { SnapshotKind } from '../../functions/feed/snapshot-id.ts'

test.each<readonly [pattern: string, kind: SnapshotKind, name: string, snapshot: string | undefined]>([
  ['a/{snapshot}/*.csv', 'integer', 'a/42/x.csv', '42'],
  ['a/{snapshot}/*.csv', 'integer', 'a/42/.csv', '42'],
  ['a/{snapshot}/*.csv', 'integer', 'a/42/b/x.csv', undefined],
  ['a/{snapshot}/*.csv', 'integer', 'a/42/x.csv.gz', undefined],
  ['a/{snapshot}/*.csv', 'integer', 'b/a/42/x.csv', undefined],
  ['a/{snapshot}/*.csv', 'integer', 'a/42/xcsv', undefined],
  ['a/{snapshot}/*.csv', 'integer', 'a//x.csv', undefined],
  ['a/{snapshot}/*.csv', 'integer', 'a/latest/x.csv', 'latest'],
  ['a/{snapshot}/**/*.csv', 'integer', 'a/42/x.csv', '42'],
  ['a/{snapshot}/**/*.csv', 'integer', 'a/42/b/c/x.csv', '42'],
  ['a/{snapshot}/**/*.csv', 'integer', 'a/42/day=2026-01-02/x.csv', '42'],
  ['a/{snapshot}/**/part.csv', 'integer', 'a/42/notpart.csv', undefined],
  ['a/{snapshot}.csv', 'date', 'a/2026-01-02.csv', '2026-01-02'],
  ['a/{snapshot}.csv', 'date', 'a/x2026-01-02.csv', 'x2026-01-02'],
  ['a/{snapshot}_*.csv', 'integer', 'a/42_part_1.csv', '42'],
  ['a/{snapshot}-*.csv', 'date', 'a/2026-01-02-part-1.csv', '2026-01-02'],
  ['a/{snapshot}.*', 'timestamp', 'a/2026-01-02T03:04:05Z.csv', '2026-01-02T03:04:05Z'],
  ['a/x{snapshot}y/z', 'integer', 'a/x42y/z', '42'],
  ['a+(b)/{snapshot}/c', 'integer', 'a+(b)/1/c', '1'],
  ['a+(b)/{snapshot}/c', 'integer', 'aab/1/c', undefined],
  ['a.b/{snapshot}/c', 'integer', 'axb/1/c', undefined],
  ['größe/{snapshot}/日', 'integer', 'größe/1/日', '1'],
  ['a/{snapshot}/*', 'integer', 'a/1/x\ny', '1'],
  ['a/{snapshot}/b', 'integer', 'a/1/b\n', undefined],
  ['a/{snapshot}/b', 'integer', 'a/$&/b', '$&'],
])('%s (%s) on %j → %s', (pattern, kind, name, snapshot) => {
  expect(parsePathPattern(pattern, kind).match(name)).toBe(snapshot)
})

test.each<readonly [pattern: string, prefix: string, name: string, snapshot: string | undefined]>([
  ['a/{snapshot}/**/*.csv', 'a/', 'a/42/', '42'],
  ['a/{snapshot}/**/*.csv', 'a/', 'a/42', undefined],
  ['a/x{snapshot}y/z', 'a/x', 'a/x42y/', '42'],
  ['a/{snapshot}_*.csv', 'a/', 'a/42_1.csv', '42'],
  ['{snapshot}/*', '', '42/', '42'],
])('one level of %s lies below %j, and %j there is of %s', (pattern, prefix, name, snapshot) => {
  const level = parsePathPattern(pattern, 'integer').level()
  expect([level.prefix, level.match(name)]).toEqual([prefix, snapshot])
})

test.each<readonly [pattern: string, snapshot: string, prefix: string]>([
  ['a/{snapshot}/**/*.csv', '42', 'a/42/'],
  ['a/{snapshot}_*.csv', '42', 'a/42_'],
  ['a/{snapshot}/all.csv', '42', 'a/42/all.csv'],
  ['a/{snapshot}/b', '$&', 'a/$&/b'],
  ['a/{snapshot}/b', "$'", "a/$'/b"],
])('the prefix of %s for %s is %s', (pattern, snapshot, prefix) => {
  expect(parsePathPattern(pattern, 'integer').prefix(snapshot)).toBe(prefix)
})

test.each<
  readonly [pattern: string, name: string, snapshot: string | undefined, partition: string | undefined]
>([
  ['a/{snapshot}/date={partition}/*.csv', 'a/42/date=2026-01-02/x.csv', '42', '2026-01-02'],
  ['a/{snapshot}/**/{partition}/*.csv', 'a/42/x/y/20260102/x.csv', '42', '20260102'],
  ['a/{snapshot}/{partition}_*.csv', 'a/42/2026-01-02_7_8.csv', '42', '2026-01-02'],
  ['a/{snapshot}/{partition}-*.csv', 'a/42/2026-01-02T05-7.csv', '42', '2026-01-02T05'],
  [
    'a/{snapshot}/date={partition}/*',
    'a/42/date=__HIVE_DEFAULT_PARTITION__/x',
    '42',
    '__HIVE_DEFAULT_PARTITION__',
  ],
  ['a/{snapshot}/{partition}.csv', 'a/42/b/2026-01-02.csv', undefined, undefined],
  ['a/{snapshot}/*.csv', 'a/42/x.csv', '42', undefined],
])('%s on %j → %s, partition %s', (text, name, snapshot, partition) => {
  const pattern = parsePathPattern(text, 'integer')
  expect([pattern.match(name), pattern.partition(name)]).toEqual([snapshot, partition])
  expect(pattern.prefix('42')).toMatch(/^a\/42\/(date=)?$/)
})

test.each([
  ['{partition}/{snapshot}/x', /has \{partition\} before \{snapshot\}/],
  ['{snapshot}/{partition}/{partition}', /more than once/],
  ['{snapshot}{partition}/x', /side by side/],
  ['{snapshot}/{partition}*', /side by side/],
  ['{snapshot}/*{partition}', /side by side/],
  ['{snapshot}/{part}', /knows \{snapshot\}, \{partition\}/],
])('%s: %s', (text, problem) => {
  expect(findPatternProblem(text)).toMatch(problem)
})

describe('a name made from a pattern', () => {
  const hostile = fc.constantFrom(
    '.',
    '+',
    '(',
    ')',
    '[',
    ']',
    '^',
    '$',
    '\\',
    '|',
    '?',
    '$&',
    "$'",
    'é',
    '日本',
    '😀',
    ' ',
    '=',
    '-',
    'x',
    '0',
  )
  const word = fc.array(hostile, { minLength: 1, maxLength: 6 }).map(parts => parts.join(''))
  const folder = word.map(text => `${text}/`)
  const file = fc.record({
    before: fc.array(folder, { maxLength: 2 }).map(parts => parts.join('')),
    after: word.map(text => `/${text}`),
    folders: fc.array(folder, { maxLength: 3 }).map(parts => parts.join('')),
    star: fc.oneof(word, fc.constant('')),
    end: word,
  })
  const ids: Readonly<Record<SnapshotKind, fc.Arbitrary<string>>> = {
    integer: fc.bigInt(0n, 2n ** 63n - 1n).map(String),
    date: fc.constantFrom('2026-01-02', '20260102', '1999-12-31'),
    timestamp: fc.constantFrom('2026-01-02T03:04:05Z', '202601020304', '2026-01-02 03:04'),
  }

  test.each<SnapshotKind>(['integer', 'date', 'timestamp'])('gives back the snapshot (%s)', kind => {
    fc.assert(
      fc.property(file, ids[kind], ({ before, after, folders, star, end }, id) => {
        const text = `${before}{snapshot}${after}/**/*${end}`
        fc.pre(findPatternProblem(text) === undefined)
        const pattern = parsePathPattern(text, kind)
        const name = `${before}${id}${after}/${folders}${star}${end}`
        expect(pattern.match(name)).toBe(id)
        expect(name.startsWith(pattern.prefix(id))).toBe(true)
        const exact = parsePathPattern(`${before}{snapshot}${after}`, kind)
        expect(exact.match(exact.name(id))).toBe(id)
      }),
    )
  })

  test('and no name of another snapshot does', () => {
    fc.assert(
      fc.property(ids.integer, ids.integer, (one, other) => {
        fc.pre(one !== other)
        const pattern = parsePathPattern('a/{snapshot}_*.csv', 'integer')
        expect(pattern.match(`a/${other}_1_2.csv`)).not.toBe(one)
      }),
    )
  })
})
