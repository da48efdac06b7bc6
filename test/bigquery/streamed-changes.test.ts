/** A table with streamed upserts and deletes: what it does not take, and what INFORMATION_SCHEMA tells of its applies. */
import { status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'
import { openChangeWriter, type Row } from '../support/change-writer.ts'
import { openStreaming, type Streaming } from '../support/streaming.ts'

let own: OpenBigQuery
let make: Streaming['make']
let send: Streaming['send']
let now = Date.now()

beforeAll(async () => {
  own = await openBigQuery({ now: () => now }, 'when told')
  ;({ make, send } = await openStreaming(own))
})
afterAll(() => own.close())

const keyed = 'id INT64, name STRING, PRIMARY KEY (id) NOT ENFORCED'
const upsert = (row: Row): Row => ({ ...row, _CHANGE_TYPE: 'UPSERT' })

describe('a table with streamed changes', () => {
  test('takes no UPDATE, DELETE, MERGE or TRUNCATE, but INSERT', async () => {
    const table = await make(keyed)
    await send(table, [[upsert({ id: 1, name: 'a' })]])
    for (const sql of [
      `UPDATE ${table} SET name = 'x' WHERE true`,
      `DELETE FROM ${table} WHERE true`,
      `MERGE ${table} t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE`,
      `TRUNCATE TABLE ${table}`,
    ])
      await expect(own.query(sql)).rejects.toThrow(/streamed/)
    await own.query(`INSERT INTO ${table} (id, name) VALUES (2, 'b')`)
    expect(await own.query(`SELECT id FROM ${table} ORDER BY id`)).toEqual([['1'], ['2']])
  })

  test('is not copied while a query would have to merge', async () => {
    const table = await make(keyed, 'OPTIONS (max_staleness = INTERVAL 10 MINUTE)')
    await send(table, [[upsert({ id: 1, name: 'a' })]])
    now += 11 * 60_000
    await expect(own.query(`CREATE TABLE ${table}_clone CLONE ${table}`)).rejects.toThrow(/can't be copied/)
    await own.applyChanges()
    await own.query(`CREATE TABLE ${table}_clone CLONE ${table}`)
    expect(await own.query(`SELECT * FROM ${table}_clone`)).toEqual([['1', 'a']])
  })

  test('has no more than 2,000 columns, and none with the name of a pseudo-column', async () => {
    const wide = await make(keyed)
    // Google's client can't describe so wide a table with pseudo-columns: it gives them the numbers 991 and 992.
    const writer = await openChangeWriter(own.url, wide, { sequenced: false })
    const columns = Array.from({ length: 1999 }, (_, i) => `ADD COLUMN c${i} INT64`)
    await own.query(`ALTER TABLE ${wide} ${columns.join(', ')}`)
    const answer = await writer.send([upsert({ id: 1 })])
    expect(answer.error?.message).toContain('more than 2000 columns')
    writer.close()
    await expect(make('id INT64, _change_type STRING')).rejects.toThrow('Invalid field name')
    const narrow = await make(keyed)
    const more = `ALTER TABLE ${narrow} ADD COLUMN _CHANGE_SEQUENCE_NUMBER STRING`
    await expect(own.query(more)).rejects.toThrow('Invalid field name')
  })

  test('changes with and without sequence number do not mix', async () => {
    const table = await make(keyed)
    await send(table, [[upsert({ id: 1 })]])
    const rows = [{ ...upsert({ id: 1 }), _CHANGE_SEQUENCE_NUMBER: '1' }]
    const [answer] = await send(table, [rows], { sequenced: true })
    expect(answer?.error?.code).toBe(status.UNIMPLEMENTED)
  })
})

describe('applies in INFORMATION_SCHEMA', () => {
  // https://cloud.google.com/bigquery/docs/change-data-capture#recommended-max-staleness and #size-reservation
  test('the statements of the documentation find them', async () => {
    const table = await make(keyed)
    await send(table, [[upsert({ id: 1, name: 'a' })]])
    await own.applyChanges()
    const advised = await own.query(`SELECT
      project_id,
      destination_table.dataset_id,
      destination_table.table_id,
      APPROX_QUANTILES((TIMESTAMP_DIFF(end_time, creation_time,MILLISECOND)/1000), 100)[OFFSET(95)] AS p95_background_apply_duration_in_seconds,
      CEILING(APPROX_QUANTILES((TIMESTAMP_DIFF(end_time, creation_time,MILLISECOND)/1000), 100)[OFFSET(95)]*2/60)+7 AS recommended_max_staleness_with_buffer_in_minutes
    FROM \`region-us\`.INFORMATION_SCHEMA.JOBS AS job
    WHERE
      project_id = '${own.project}'
      AND DATE(creation_time) BETWEEN DATE_SUB(CURRENT_DATE(), INTERVAL 7 DAY) AND CURRENT_DATE()
      AND job_id LIKE "%cdc_background%"
      AND destination_table.table_id = '${table.slice(2)}'
    GROUP BY 1,2,3`)
    expect(advised).toEqual([[own.project, 'd', table.slice(2), '0.0', '7.0']])
    const slots = await own.query(`SELECT
      period_start,
      SUM(period_slot_ms) / (1000 * 60) AS slots_used
    FROM
      \`region-us\`.INFORMATION_SCHEMA.JOBS_TIMELINE_BY_PROJECT
    WHERE
      DATE(job_creation_time) BETWEEN DATE_SUB(CURRENT_DATE(), INTERVAL 7 DAY)
      AND CURRENT_DATE()
      AND job_id LIKE '%cdc_background%'
    GROUP BY
      period_start
    ORDER BY
      period_start DESC`)
    expect(slots.length).toBeGreaterThan(0)
    const who = await own.query(
      "SELECT DISTINCT user_email, job_type, reservation_id FROM `region-us`.INFORMATION_SCHEMA.JOBS WHERE job_id LIKE '%cdc_background%'",
    )
    expect(who).toEqual([['bigquery-adminbot@system.gserviceaccount.com', null, null]])
  })
})
