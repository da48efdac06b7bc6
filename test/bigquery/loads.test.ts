import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fields, type Options, openLoader } from '../support/load-file.ts'

let loader: Awaited<ReturnType<typeof openLoader>>
beforeAll(async () => {
  loader = await openLoader()
})
afterAll(() => loader.own.close())

describe('files and tables', () => {
  const job = (load: Options) =>
    loader.own.job({ load: { sourceFormat: 'CSV', schema: { fields: fields('a INT64') }, ...load } })

  test('a manifest pins the files', async () => {
    loader.own.objects.put('in', 'm/1', '1')
    loader.own.objects.put('in', 'm/2', '2')
    loader.own.objects.put('in', 'm/3', '3')
    const uri = loader.own.objects.put('in', 'm/list', 'gs://in/m/1\ngs://in/m/3\n')
    const manifest = { sourceUris: [uri], fileSetSpecType: 'FILE_SET_SPEC_TYPE_NEW_LINE_DELIMITED_MANIFEST' }
    const done = await job({ ...manifest, destinationTable: loader.own.table('d.manifest') })
    expect(done.statistics.load.inputFiles).toBe('2')
    expect(await loader.own.query('SELECT a FROM d.manifest ORDER BY a')).toEqual([['1'], ['3']])
  })
  test.each([
    ['gs://in/nothing', /Not found: URI gs:\/\/in\/nothing/],
    ['gs://nowhere/x', /Not found: URI gs:\/\/nowhere\/x/],
    ['gs://in/no*thing', /Not found: URI/],
    ['gs://in/a*b*', /Only one wildcard/],
    ['http://x/y', /Invalid source URI/],
  ])('%s', async (uri, message) => {
    const done = await job({ sourceUris: [uri], destinationTable: loader.own.table('d.none') })
    expect(done.status.errorResult.message).toMatch(message)
  })
  test('columns that the job lacks get their default', async () => {
    await loader.own.query("CREATE TABLE d.defaults (a INT64, b STRING DEFAULT 'x', c INT64)")
    loader.own.objects.put('in', 'def', '1\n2\n')
    const done = await job({ sourceUris: ['gs://in/def'], destinationTable: loader.own.table('d.defaults') })
    expect(done.status.errorResult).toBeUndefined()
    expect(await loader.own.query('SELECT a, b, c FROM d.defaults ORDER BY a')).toEqual([
      ['1', 'x', null],
      ['2', 'x', null],
    ])
  })
  test('dispositions', async () => {
    const destinationTable = loader.own.table('d.disposed')
    loader.own.objects.put('in', 'one', '1')
    const uris = { sourceUris: ['gs://in/one'], destinationTable }
    expect((await job({ ...uris, createDisposition: 'CREATE_NEVER' })).status.errorResult.reason).toBe(
      'notFound',
    )
    await job(uris)
    await job(uris)
    expect(await loader.own.query('SELECT COUNT(*) FROM d.disposed')).toEqual([['2']])
    expect((await job({ ...uris, writeDisposition: 'WRITE_EMPTY' })).status.errorResult.reason).toBe(
      'duplicate',
    )
    await job({ ...uris, writeDisposition: 'WRITE_TRUNCATE' })
    expect(await loader.own.query('SELECT COUNT(*) FROM d.disposed')).toEqual([['1']])
    const other = await job({ ...uris, schema: { fields: fields('a STRING') } })
    expect(other.status.errorResult.message).toBe(
      'Provided Schema does not match Table p-test:d.disposed. Field a has changed type from INTEGER to STRING',
    )
  })
  test('what is not served is refused', async () => {
    const refused = await job({
      sourceUris: ['gs://in/one'],
      autodetect: true,
      destinationTable: loader.own.table('d.no'),
    })
    expect(refused.error).toMatchObject({ code: 501, message: expect.stringContaining('autodetect') })
    const unknown = await job({
      sourceUris: ['gs://in/one'],
      nonsense: 1,
      destinationTable: loader.own.table('d.no'),
    })
    expect(unknown.error.message).toContain('configuration.load.nonsense')
  })
})
