/** Columns that the files bring: added at the end of the table, filled with NULL for the rows of before. */
import { describe, expect, test } from 'vitest'
import type { Identifier } from '../../functions/feed/names.ts'
import { planRun } from '../../functions/plan/plan-run.ts'
import type { PendingSnapshot, RunState } from '../../functions/plan/run-plan.ts'
import { readFeedText } from '../support/plan-case.ts'

const feed = readFeedText(`
name: x
source:
  path: x/{snapshot}/*.parquet
  complete: { marker: 'x/{snapshot}/_SUCCESS' }
  format: parquet
  on_new_column: add
table: { name: d.x, columns: { id: INT64, v: STRING } }
model: { kind: unique, key: [id], sequence: { from: snapshot, as: seq } }
`)
const warehouse = { projectId: 'p', location: 'EU', landing: 'l', staging: 's', inbox: 'i' }
const base = [
  { name: 'id', type: 'INT64' },
  { name: 'v', type: 'STRING' },
  { name: 'seq', type: 'INT64' },
]
const file = { name: 'x/2/a.parquet', generation: '1', size: 1, crc32c: '' }
const snapshot = (added: readonly { name: string; type: string }[]): PendingSnapshot => ({
  id: '2' as PendingSnapshot['id'],
  bucket: 'i',
  files: [file],
  arrivedAt: '2026-11-30T00:00:00Z',
  generation: '9',
  added: added.map(({ name, type }) => ({ name: name as Identifier, type })),
})
const queriesOf = (given: PendingSnapshot, state: RunState) =>
  new Map(
    planRun(feed, [given], state).stages.map(({ name, jobs }) => [
      name,
      jobs.map(({ configuration }) =>
        String(configuration.query?.query ?? JSON.stringify(configuration.load ?? configuration.copy)),
      ),
    ]),
  )

describe('on_new_column: add', () => {
  const state = { warehouse, staging: { rows: 1, columns: base } }

  test('a new column is added to staging before anything is appended', () => {
    const queries = queriesOf(snapshot([{ name: 'price', type: 'NUMERIC' }]), state)
    expect(queries.get('append')?.[0]).toBe('ALTER TABLE `p.s.x`\n  ADD COLUMN IF NOT EXISTS `price` NUMERIC')
    expect(queries.get('load')?.[0]).toContain('`seq` INT64 DEFAULT 2,\n  `price` NUMERIC')
    expect(queries.get('load')?.[1]).toContain('"name":"price","type":"NUMERIC"')
    expect(queries.get('deduplicate')?.[0]).toContain('SELECT `id`, `v`, `seq`, `price`')
    expect(queries.get('restore')?.[0]).toContain('CAST(NULL AS NUMERIC) AS `price`')
  })

  test('a column that was added before stays, though these files lack it', () => {
    const columns = [...base, { name: 'price', type: 'NUMERIC' }]
    const queries = queriesOf(snapshot([]), { warehouse, staging: { rows: 1, columns } })
    expect(queries.get('append')).toEqual([])
    expect(queries.get('deduplicate')?.[0]).toContain('`price`')
    expect(queries.get('restore')?.[0]).not.toContain('CAST(NULL')
  })

  test('a column keeps the type that it got: files of another type fail in the load, which names them', () => {
    const columns = [...base, { name: 'price', type: 'NUMERIC' }]
    const queries = queriesOf(snapshot([{ name: 'price', type: 'STRING' }]), {
      warehouse,
      staging: { rows: 1, columns },
    })
    expect(queries.get('load')?.[1]).toContain('"name":"price","type":"NUMERIC"')
  })
})
