import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeProof } from '../../local/bigquery/load/fast.ts'
import { buildPlainCsv } from '../../local/bigquery/load/plain-csv.ts'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'

const fields = [
  { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
  { name: 's', type: 'STRING', mode: 'NULLABLE' },
  { name: 'f', type: 'FLOAT', mode: 'NULLABLE' },
  { name: 'day', type: 'DATE', mode: 'NULLABLE' },
  { name: 'b', type: 'BOOLEAN', mode: 'NULLABLE' },
] as const
const usual = {
  delimiter: ',',
  quote: '"',
  skipLeadingRows: 0,
  quotedNewlines: false,
  jaggedRows: false,
  nullMarker: '',
  latin1: false,
}

function proven(text: string, options = {}): boolean {
  const plain = buildPlainCsv(fields, { ...usual, ...options })
  if (!plain) throw new Error('these types are plain')
  const proof = makeProof(plain)
  // Byte by byte: where a chunk ends must not matter.
  for (const byte of Buffer.from(text)) proof.feed(Uint8Array.of(byte))
  return proof.proven()
}

describe('what DuckDB may read by itself', () => {
  test.each([
    '',
    '1,x,2.5,2024-02-29,true\n',
    '-1,"a,""b""",-1.5e-3,2024-02-29,false',
    ',,,,\n,"",,,\n',
    '999999999999999999,é 日本,12,1000-01-01,',
  ])('yes: %j', text => expect(proven(text)).toBe(true))
  test.each([
    '1,x,2.5,2024-02-29,true\r\n',
    '\n',
    '1,x,2.5,2024-02-29,true\n\n',
    '1,x,2.5,2024-02-29\n',
    '1,x,2.5,2024-02-29,true,6\n',
    ' 1,x,,,\n',
    '+1,x,,,\n',
    '1.5,x,,,\n',
    '1234567890123456789,x,,,\n',
    '"1",x,,,\n',
    '1,a"b,,,\n',
    '1,"a"b,,,\n',
    '1,"a\nb",,,\n',
    '1,"a,,,\n',
    '1,x,1e400,,\n',
    '1,x,nan,,\n',
    '1,x,,2024-2-29,\n',
    '1,x,,0999-01-01,\n',
    '1,x,,,T\n',
    '1,\uFEFFx,,,\n',
    '\uFEFF1,x,,,\n',
    '1,\0,,,\n',
  ])('no: %j', text => expect(proven(text)).toBe(false))
  test('lines to skip', () => {
    expect(proven('id,s,f,day,b\n1,,,,\n', { skipLeadingRows: 1 })).toBe(true)
    expect(proven('id,"s",f,day,b\n1,,,,\n', { skipLeadingRows: 1 })).toBe(false)
    expect(proven('\n1,,,,\n', { skipLeadingRows: 1 })).toBe(false)
    expect(proven('# of today\nid,s\n1,,,,\n', { skipLeadingRows: 2 })).toBe(true)
  })
  test('other types and options never', () => {
    for (const type of ['NUMERIC', 'TIMESTAMP', 'BYTES'])
      expect(buildPlainCsv([{ name: 'a', type, mode: 'NULLABLE' }], usual)).toBeUndefined()
    for (const options of [{ latin1: true }, { nullMarker: 'NULL' }, { delimiter: '1' }, { quote: "'" }])
      expect(buildPlainCsv(fields, { ...usual, ...options })).toBeUndefined()
  })
})

describe('the quick way and the exact way agree', () => {
  let own: OpenBigQuery
  beforeAll(async () => {
    own = await openBigQuery()
    await own.call('POST', '/datasets', { datasetReference: { datasetId: 'd' } })
  })
  afterAll(() => own.close())

  let serial = 0
  const load = async (content: string | Buffer, more = {}) => {
    const id = `t${++serial}`
    const uri = own.objects.put('in', id, content)
    const destinationTable = own.table(`d.${id}`)
    const done = await own.job({
      load: { sourceUris: [uri], sourceFormat: 'CSV', schema: { fields }, destinationTable, ...more },
    })
    if (done.status.errorResult) return done.status.errorResult.message
    const { body } = await own.call('GET', `/datasets/d/tables/${id}/data`)
    return (body.rows ?? []).map((row: unknown) => JSON.stringify(row)).sort()
  }

  const printable = fc.string({ unit: 'binary' }).map(s => s.replace(/\p{Cc}/gu, '_'))
  const cell = (value: unknown) => (value === null ? '' : String(value))
  const quoted = (s: string | null) => (s === null ? '' : `"${s.replaceAll('"', '""')}"`)
  const record = fc
    .tuple(
      fc.option(fc.integer()),
      fc.option(printable),
      fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      fc.option(fc.boolean()),
      fc.boolean(),
    )
    .map(([id, s, f, day, b, bare]) => {
      const text = bare && s !== null && !/[",]/.test(s) ? s : quoted(s)
      return [cell(id), text, cell(f), day.toISOString().slice(0, 10), cell(b)].join(',')
    })

  test('on random records', { timeout: 120_000 }, async () => {
    const seed = Number(process.env.FRESHET_SEED ?? Math.floor(Math.random() * 2 ** 31))
    console.info(`plain-csv seed ${seed}`)
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 20 }), async lines => {
        fc.pre(proven(lines.join('\n')))
        // Lines ended by CR LF are not plain, so that the second goes the exact way.
        const exact = `${lines.join('\r\n')}\r\n`
        expect(proven(exact)).toBe(false)
        expect(await load(lines.join('\n'))).toEqual(await load(exact))
      }),
      { seed, numRuns: 40 },
    )
  })

  test.each([
    ['a day that does not exist', '1,x,,2023-02-29,\n', /Could not parse '2023-02-29' as DATE.*line 1/],
    ['a month that does not exist', '1,x,,2023-13-01,\n', /as DATE/],
  ])('%s', async (_name, content, message) => {
    expect(proven(content)).toBe(true)
    expect(await load(content)).toMatch(message)
  })

  test('a header, packed, through quotes; and a header alone', async () => {
    const rows = '1,"a,b",,,\n2,,,,\n'
    const packed = await load(gzipSync(`id,s,f,day,b\n${rows}`), { skipLeadingRows: 1 })
    expect(packed).toEqual(await load(rows))
    expect(packed).toHaveLength(2)
    expect(await load('id,s,f,day,b\n', { skipLeadingRows: 1 })).toEqual([])
    expect(await load('id,s,f,day,b', { skipLeadingRows: 1 })).toEqual([])
  })
})
