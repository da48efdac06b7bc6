/** The verdicts: for each gate, setting by setting, what lets pass, holds and rejects. */
import { expect, test } from 'vitest'
import type { PlannedSnapshot } from '../../functions/plan/run-plan.ts'
import type { Inspection } from '../../functions/plan/stages/inspect.ts'
import { planVerdict } from '../../functions/plan/verdict.ts'
import { feedOf, inspected, snapshot } from './judged.ts'

interface Case {
  /** `source.bad_rows.at_most` */
  readonly badRows?: string
  readonly gates?: string
  readonly missing?: 'keep' | 'delete'
  readonly found?: Partial<Inspection>
  readonly snapshot?: Partial<PlannedSnapshot>
  readonly lastRows?: number
  readonly filled?: readonly string[]
  readonly rows?: number
}
const judge = ({ badRows, gates = '', missing, found, snapshot: of, lastRows, filled, rows = 100 }: Case) =>
  planVerdict(feedOf(gates, missing, badRows), [snapshot('1', of)], [inspected(found)], {
    rows,
    ...(lastRows !== undefined && { last: { rows: lastRows, filled } }),
  })

test.each<readonly [what: string, given: Case]>([
  ['all as it should be', {}],
  ['a first snapshot of any size', { found: { row_count: 1, key_count: 1 }, rows: 0 }],
  ['just enough rows', { found: { row_count: 50, key_count: 50 }, lastRows: 100 }],
  ['just enough of an odd number', { found: { row_count: 51, key_count: 51 }, lastRows: 101 }],
  [
    'few rows where nobody asks',
    { gates: 'min_rows_vs_last: 0%', found: { row_count: 1, key_count: 1 }, lastRows: 100 },
  ],
  ['no rows, allowed', { gates: 'zero_rows: allow', found: { row_count: 0, key_count: 0 }, lastRows: 100 }],
  ['NULL in a key, allowed', { gates: 'null_keys: allow', found: { null_key_rows: 3 } }],
  [
    'as many bad rows as may be',
    { badRows: '1%', found: { row_count: 198, bad: { count: 2, reasons: [] } } },
  ],
  [
    'a share without an exact binary form',
    { badRows: '0.3%', found: { row_count: 997, bad: { count: 3, reasons: [] } } },
  ],
  [
    'bad rows that the manifest counts too',
    { badRows: '1%', found: { row_count: 99, bad: { count: 1, reasons: [] } }, snapshot: { rows: 100 } },
  ],
  [
    'keys twice, the newest wins',
    { gates: 'duplicate_keys: newest', found: { key_count: 90, duplicate_keys: 10 } },
  ],
  ['no partition value, allowed', { gates: 'null_partitions: allow', found: { null_partition_rows: 3 } }],
  ['outside the window, allowed', { gates: 'outside_window: allow', found: { outside_rows: 3 } }],
  [
    'an emptied column, allowed',
    { gates: 'emptied_columns: allow', found: { empty_columns: ['v'] }, lastRows: 100, filled: ['v'] },
  ],
  ['a column that was empty before', { found: { empty_columns: ['v'] }, lastRows: 100, filled: ['day'] }],
  ['an empty column in a first snapshot', { found: { empty_columns: ['v'] } }],
  ['as many rows as promised', { snapshot: { rows: 100 } }],
  ['half of the rows deleted', { missing: 'delete', found: { row_count: 50, key_count: 50 }, rows: 100 }],
  [
    'all deleted where nobody asks',
    {
      missing: 'delete',
      gates: 'max_deleted: 100%, min_rows_vs_last: 0%',
      found: { row_count: 1, key_count: 1 },
      rows: 100,
    },
  ],
  ['many rows gone under keep', { found: { row_count: 60, key_count: 60 }, lastRows: 100, rows: 1_000 }],
  [
    'few rows, approved',
    { found: { row_count: 1, key_count: 1 }, lastRows: 100, snapshot: { approved: true } },
  ],
  ['keys twice, approved', { found: { key_count: 90, duplicate_keys: 10 }, snapshot: { approved: true } }],
])('proceed: %s', (_, given) => expect(judge(given)).toMatchObject({ kind: 'proceed' }))

test.each<readonly [what: string, given: Case, kind: 'held' | 'rejected', reason: RegExp]>([
  [
    'too few rows',
    { found: { row_count: 49, key_count: 49 }, lastRows: 100 },
    'held',
    /^49 rows landed, the last snapshot had 100; at least 50 were expected$/,
  ],
  [
    'too few of an odd number',
    { found: { row_count: 50, key_count: 50 }, lastRows: 101 },
    'held',
    /at least 51 were expected$/,
  ],
  [
    'any row less',
    { gates: 'min_rows_vs_last: 100%', found: { row_count: 99, key_count: 99 }, lastRows: 100 },
    'held',
    /at least 100 were/,
  ],
  ['no rows', { found: { row_count: 0, key_count: 0 } }, 'held', /^no rows landed$/],
  [
    'no rows, said once',
    { found: { row_count: 0, key_count: 0 }, lastRows: 100 },
    'held',
    /^no rows landed$/,
  ],
  [
    'no rows, rejected',
    { gates: 'zero_rows: reject', found: { row_count: 0, key_count: 0 } },
    'rejected',
    /^no rows landed$/,
  ],
  [
    'no rows, rejected though approved',
    { gates: 'zero_rows: reject', found: { row_count: 0, key_count: 0 }, snapshot: { approved: true } },
    'rejected',
    /^no rows/,
  ],
  ['NULL in a key', { found: { null_key_rows: 3 } }, 'rejected', /^3 rows with NULL in the key \(id\)$/],
  [
    'NULL in a key, though approved',
    { found: { null_key_rows: 1 }, snapshot: { approved: true } },
    'rejected',
    /^1 row with NULL/,
  ],
  [
    'NULL in a key, held',
    { gates: 'null_keys: hold', found: { null_key_rows: 3 } },
    'held',
    /^3 rows with NULL/,
  ],
  [
    'keys twice',
    { found: { key_count: 90, duplicate_keys: 10 } },
    'held',
    /^10 keys in more than one row \(id\)$/,
  ],
  [
    'keys twice, rejected',
    { gates: 'duplicate_keys: reject', found: { key_count: 99, duplicate_keys: 1 } },
    'rejected',
    /^1 key in more than one row/,
  ],
  [
    'one bad row too many',
    { badRows: '1%', found: { row_count: 197, bad: { count: 2, reasons: ['id is no INT64: x', 'b'] } } },
    'rejected',
    /^2 of 199 rows are bad, and at most 1 may be: id is no INT64: x; b$/,
  ],
  [
    'one bad row too many, though approved',
    {
      badRows: '0.1%',
      found: { row_count: 9, bad: { count: 1, reasons: ['b'] } },
      snapshot: { approved: true },
    },
    'rejected',
    /^1 of 10 rows is bad, and at most 0 may be: b$/,
  ],
  [
    'bad rows of a feed that lets none pass any more',
    { found: { bad: { count: 1, reasons: ['b'] } } },
    'rejected',
    /^1 of 101 rows is bad/,
  ],
  [
    'fewer rows than promised, bad ones counted',
    { badRows: '10%', found: { bad: { count: 1, reasons: [] } }, snapshot: { rows: 102 } },
    'rejected',
    /^100 rows landed and 1 was bad, and the manifest promises 102$/,
  ],
  [
    'fewer rows than promised',
    { snapshot: { rows: 101 } },
    'rejected',
    /^100 rows landed, and the manifest promises 101$/,
  ],
  [
    'more rows than promised',
    { snapshot: { rows: 99, approved: true } },
    'rejected',
    /the manifest promises 99$/,
  ],
  ['no partition value', { found: { null_partition_rows: 3 } }, 'held', /^3 rows without a day/],
  [
    'no partition value, rejected',
    { gates: 'null_partitions: reject', found: { null_partition_rows: 1 } },
    'rejected',
    /^1 row without a day/,
  ],
  ['outside the window', { found: { outside_rows: 2 } }, 'held', /^2 rows with a day outside the partitions/],
  [
    'an emptied column',
    { found: { empty_columns: ['v', 'day'] }, lastRows: 100, filled: ['id', 'v', 'day'] },
    'held',
    /^only NULL in v, day, which had values/,
  ],
  [
    'too many deleted',
    { missing: 'delete', gates: 'min_rows_vs_last: 0%', found: { row_count: 49, key_count: 49 }, rows: 100 },
    'held',
    /^at least 51 rows of 100 would be deleted$/,
  ],
  [
    'several at once, each said',
    { found: { row_count: 40, key_count: 30, duplicate_keys: 10 }, lastRows: 100 },
    'held',
    /^40 rows landed.*; 10 keys in more than one row/,
  ],
  [
    'held and rejected together',
    { found: { row_count: 40, null_key_rows: 2 }, lastRows: 100 },
    'rejected',
    /^40 rows landed.*; 2 rows with NULL in the key/,
  ],
])('%s', (_, given, kind, reason) => {
  expect(judge(given)).toEqual({
    kind: 'stopped',
    restore: false,
    findings: [
      { snapshot: '1', kind, reason: expect.stringMatching(reason), hint: expect.stringMatching(/\.$/) },
    ],
  })
})

test('the verdict counts the bad rows of all snapshots, where a feed lets some pass', () => {
  const bad = { count: 1, reasons: ['b'] }
  const inspections = ['1', '2', ''].map(id => inspected({ snapshot: id, ...(id !== '' && { bad }) }))
  const verdictOf = (badRows?: string) =>
    planVerdict(feedOf('', 'keep', badRows), [snapshot('1'), snapshot('2')], inspections, { rows: 0 })
  expect(verdictOf('1%')).toMatchObject({ kind: 'proceed', quarantined: 2 })
  expect(verdictOf()).toMatchObject({ kind: 'stopped' })
})
