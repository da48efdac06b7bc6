/** What a user is told about the sequence of a feed, and about what deletes its rows. */
import { expect, test } from 'vitest'
import { feedWith, problemsOf, type Row } from './feed-text.ts'

const SEQUENCE = 'sequence: changed'
const withDeletes = (sign: string) => `sequence: changed\n  delete_when: ${sign}`

const MODEL: readonly Row[] = [
  [SEQUENCE, 'sequence: note', 'model.sequence', 20, "is of type STRING, which can't be a sequence"],
  [SEQUENCE, 'sequence: day', 'model.sequence', 20, 'is part of the key'],
  [SEQUENCE, 'sequence: chnged', 'model.sequence', 20, 'names no column of the table: chnged'],
  [
    SEQUENCE,
    'sequence: { from: snapshot, as: NOTE }',
    'model.sequence.as',
    20,
    'is also a column of the files: NOTE',
  ],
  [SEQUENCE, 'sequence: { from: snapshot }', 'model.sequence.as', 20, 'is missing'],
  [SEQUENCE, 'sequence: { from: file, as: seen }', 'model.sequence.from', 20, 'is not snapshot'],
  [SEQUENCE, 'sequence: changed\n  missing_rows: drop', 'model.missing_rows', 21, 'is not keep or delete'],
  [SEQUENCE, 'sequence: []', 'model.sequence', 20, 'is empty'],
  [SEQUENCE, 'sequence: [changed, changed]', 'model.sequence[1]', 20, 'names changed twice'],
  [
    SEQUENCE,
    'sequence: [changed, note]',
    'model.sequence[1]',
    20,
    "is of type STRING, which can't be a sequence",
  ],
  [SEQUENCE, 'sequence: [changed, day]', 'model.sequence[1]', 20, 'is part of the key'],
  [SEQUENCE, withDeletes('gone'), 'model.delete_when', 21, 'names no column of the table: gone'],
  [
    SEQUENCE,
    withDeletes('note'),
    'model.delete_when',
    21,
    'is of type STRING, of which it is not said what deletes',
  ],
  [
    SEQUENCE,
    withDeletes('{ column: note, values: [1] }'),
    'model.delete_when.values',
    21,
    'does not fit note, which is of type STRING',
  ],
  [
    SEQUENCE,
    withDeletes('{ column: id, values: [1] }'),
    'model.delete_when.column',
    21,
    'is also in the key or the sequence, or the partition column',
  ],
  [SEQUENCE, withDeletes('{ column: note, values: [] }'), 'model.delete_when.values', 21, 'is empty'],
  [
    SEQUENCE,
    withDeletes('{ column: price, values: [1] }'),
    'model.delete_when.column',
    21,
    'is of type NUMERIC',
  ],
  [
    SEQUENCE,
    `${withDeletes('{ column: note, values: [D] }')}\nrefresh: { strategy: changed-partitions }`,
    'model.delete_when',
    21,
    'does not go with refresh.strategy: changed-partitions',
  ],
]

test.each(MODEL)('%s → %s', (from, to, path, line, message) => {
  expect(problemsOf(feedWith(from, to))).toEqual([
    { file: 'sales.yaml', path, line, message, hint: expect.stringMatching(/^([A-Z`]|docs).*[.']$/s) },
  ])
})

test('a feed may have no sequence', () => {
  expect(problemsOf(feedWith(`  ${SEQUENCE}\n`, ''))).toEqual([])
})
