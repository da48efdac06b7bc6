/** `{partition}` in a path: what goes with it. */
import { expect, test } from 'vitest'
import { feedWith, problemsOf } from './feed-text.ts'

const PATH = 'path: sales/{snapshot}/*.csv.gz'
const SEQUENCE = 'sequence: changed'

test('{partition} goes with nothing by which rows that are not loaded would count as missing or good', () => {
  const text = feedWith(PATH, 'path: sales/{snapshot}/{partition}/*.csv.gz')
    .replace('  format: csv', '  format: csv\n  bad_rows: { at_most: 1% }')
    .replace(SEQUENCE, `${SEQUENCE}\n  missing_rows: delete\nrefresh: { strategy: changed-partitions }`)
  expect(problemsOf(text).map(({ path, message }) => `${path} ${message}`)).toEqual([
    'source.path names {partition}, which does not go with missing_rows: delete',
    'source.path names {partition}, which does not go with bad_rows',
  ])
})
