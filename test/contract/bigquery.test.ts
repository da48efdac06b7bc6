import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BigQuery } from '@google-cloud/bigquery'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBigQuery, openBigQuery, project } from '../support/bigquery.ts'

let own: OpenBigQuery
let client: BigQuery
let uri: string

const schema = {
  fields: [
    { name: 'id', type: 'INT64', mode: 'REQUIRED' },
    { name: 'name', type: 'STRING' },
    { name: 'moment', type: 'TIMESTAMP' },
    { name: 'price', type: 'NUMERIC' },
    { name: 'tags', type: 'STRING', mode: 'REPEATED' },
  ],
}

beforeAll(async () => {
  process.env['METADATA_SERVER_DETECTION'] = 'none'
  own = await openBigQuery()
  client = new BigQuery({ apiEndpoint: own.url, projectId: project })
  const rows = Array.from({ length: 2500 }, (_, i) =>
    JSON.stringify({
      id: i,
      name: `n${i % 7}`,
      moment: '2026-01-02T03:04:05.000006Z',
      price: `${i}.5`,
      tags: ['a', 'b'],
    }),
  )
  uri = own.objects.put('inbox', 'rows.json', rows.join('\n'))
})
afterAll(() => own.close())

async function load(id: string, jobId: string) {
  const [dataset, table] = id.split('.')
  const load = {
    sourceUris: [uri],
    sourceFormat: 'NEWLINE_DELIMITED_JSON',
    schema,
    destinationTable: { projectId: project, datasetId: dataset ?? '', tableId: table ?? '' },
  }
  const [job] = await client.createJob({ configuration: { load }, jobId, location: 'US' })
  await job.promise()
  return job
}

describe('the official client', () => {
  test('makes a dataset and finds it', async () => {
    await client.createDataset('shop', { location: 'US', labels: { team: 'a' } })
    const [datasets] = await client.getDatasets()
    expect(datasets.map(d => d.id)).toContain('shop')
    const [metadata] = await client.dataset('shop').getMetadata()
    expect(metadata.labels).toEqual({ team: 'a' })
    await expect(client.createDataset('shop')).rejects.toMatchObject({ code: 409 })
  })

  test('loads a file, once for each job id', async () => {
    const job = await load('shop.items', 'load-items')
    expect(job.metadata.statistics.load).toMatchObject({
      outputRows: '2500',
      inputFiles: '1',
      badRecords: '0',
    })
    await expect(load('shop.items', 'load-items')).rejects.toMatchObject({ code: 409 })
    const [again] = await client.job('load-items', { location: 'US' }).getMetadata()
    expect(again.status.state).toBe('DONE')
    const [metadata] = await client.dataset('shop').table('items').getMetadata()
    expect(metadata).toMatchObject({
      type: 'TABLE',
      numRows: '2500',
      schema: { fields: [{ mode: 'REQUIRED' }, {}, {}, {}, {}] },
    })
  })

  test('queries with parameters and reads every type back', async () => {
    const [rows] = await client.query({
      query: 'SELECT id, name, moment, price, tags FROM shop.items WHERE id = @id',
      params: { id: 41 },
    })
    expect(rows).toHaveLength(1)
    const [row] = rows
    expect(row).toMatchObject({ id: 41, name: 'n6', tags: ['a', 'b'] })
    // The client writes what is finer than a millisecond with nine digits.
    expect(row.moment.value).toBe('2026-01-02T03:04:05.000006000Z')
    expect(row.price.toString()).toBe('41.5')
  })

  test('pages through results in their order', async () => {
    const [job] = await client.createQueryJob('SELECT id FROM shop.items ORDER BY id DESC')
    const [first, next] = await job.getQueryResults({ maxResults: 1000, autoPaginate: false })
    expect(first.length).toBe(1000)
    expect(first[0]).toEqual({ id: 2499 })
    expect(next?.pageToken).toBe('1000')
    const [second] = await job.getQueryResults({ maxResults: 10, pageToken: '1000', autoPaginate: false })
    expect(second[0]).toEqual({ id: 1499 })
    const [all] = await job.getQueryResults()
    expect(all.map((r: { id: number }) => r.id)).toEqual(Array.from({ length: 2500 }, (_, i) => 2499 - i))
  })

  test('lists a table’s rows', async () => {
    const [rows] = await client.dataset('shop').table('items').getRows({ maxResults: 3, autoPaginate: false })
    expect(rows).toHaveLength(3)
  })

  test('copies, and writes a query’s rows over a table', async () => {
    const items = client.dataset('shop').table('items')
    const copy = client.dataset('shop').table('copied')
    const [job] = await items.createCopyJob(copy, { writeDisposition: 'WRITE_APPEND' })
    await job.promise()
    const [written] = await client.createQueryJob({
      query: 'SELECT * FROM shop.copied WHERE id < 10',
      destination: copy,
      writeDisposition: 'WRITE_TRUNCATE_DATA',
    })
    await written.promise()
    const [metadata] = await copy.getMetadata()
    expect(metadata).toMatchObject({
      numRows: '10',
      schema: { fields: [{ name: 'id', mode: 'REQUIRED' }, {}, {}, {}, {}] },
    })
  })

  test('changes and deletes tables', async () => {
    const table = client.dataset('shop').table('copied')
    await table.setMetadata({ description: 'a copy', labels: { kept: 'yes' } })
    const [metadata] = await table.getMetadata()
    expect(metadata).toMatchObject({ description: 'a copy', labels: { kept: 'yes' } })
    await table.delete()
    await expect(table.getMetadata()).rejects.toMatchObject({ code: 404 })
    expect((await table.exists())[0]).toBe(false)
  })

  test('estimates with a dry run, which runs nothing', async () => {
    const [job] = await client.createQueryJob({ query: 'SELECT id FROM shop.items', dryRun: true })
    expect(job.metadata.statistics.query.schema.fields).toEqual([
      { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
    ])
    expect(Number(job.metadata.statistics.totalBytesProcessed)).toBeGreaterThan(0)
  })

  test('is told what is wrong', async () => {
    await expect(client.query('SELECT * FROM shop.nowhere')).rejects.toMatchObject({
      code: 404,
      message: expect.stringContaining('Not found: Table p-test:shop.nowhere'),
    })
    await expect(client.query('SELEC 1')).rejects.toMatchObject({
      code: 400,
      errors: [expect.objectContaining({ reason: 'invalidQuery' })],
    })
    await expect(client.dataset('shop').table('items').insert({ id: 1 })).rejects.toThrow(
      /insertAll is not supported/,
    )
    const other = new BigQuery({ apiEndpoint: own.url, projectId: 'another' })
    await expect(other.query('SELECT 1')).rejects.toThrow(/Not found: Project another/)
  })
})

function findBq(): string | undefined {
  try {
    return execFileSync('sh', ['-c', 'command -v bq'], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}
const path = findBq()

describe.skipIf(!path)(`bq${path ? '' : ' (skipped: bq, of the Google Cloud SDK, is not installed)'}`, () => {
  const home = mkdtempSync(join(tmpdir(), 'freshet-bq-'))
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  const bq = async (...args: string[]) => {
    const fixed = ['--api', own.url, '--oauth_access_token=none', `--project_id=${project}`, '--quiet']
    const env = { ...process.env, HOME: home, CLOUDSDK_CONFIG: home }
    try {
      return (await promisify(execFile)(path ?? 'bq', [...fixed, ...args], { env })).stdout
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : error} ${JSON.stringify(error)}`)
    }
  }

  test('query', async () => {
    const out = await bq(
      '--format=json',
      'query',
      '--use_legacy_sql=false',
      'SELECT COUNT(*) AS n FROM shop.items',
    )
    expect(JSON.parse(out.slice(out.indexOf('[')))).toEqual([{ n: '2500' }])
  })
  test('show', async () => {
    const shown = JSON.parse(await bq('--format=json', 'show', 'shop.items'))
    expect(shown).toMatchObject({ numRows: '2500', type: 'TABLE' })
  })
  test('ls', async () => {
    const tables: { tableReference: { tableId: string } }[] = JSON.parse(
      await bq('--format=json', 'ls', 'shop'),
    )
    expect(tables.map(t => t.tableReference.tableId)).toEqual(['items'])
  })
  test('head', async () => {
    const rows = JSON.parse(await bq('--format=json', 'head', '-n', '2', 'shop.items'))
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatchObject({ tags: ['a', 'b'] })
  })
})
