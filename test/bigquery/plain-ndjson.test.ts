import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeProof } from '../../local/bigquery/load/fast.ts'
import { makeLineParser } from '../../local/bigquery/load/json-value.ts'
import { buildPlainNdjson } from '../../local/bigquery/load/plain-ndjson.ts'
import { type OpenBigQuery, openBigQuery } from '../support/bigquery.ts'

const fields = [
  { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
  { name: 'idx', type: 'INTEGER', mode: 'NULLABLE' },
  { name: 'day', type: 'DATE', mode: 'NULLABLE' },
  { name: 's', type: 'STRING', mode: 'NULLABLE' },
  { name: 'f', type: 'FLOAT', mode: 'NULLABLE' },
  { name: 'b', type: 'BOOLEAN', mode: 'NULLABLE' },
] as const

function proven(text: string): boolean {
  const plain = buildPlainNdjson(fields)
  if (!plain) throw new Error('these types are plain')
  const proof = makeProof(plain)
  // Byte by byte: where a chunk ends must not matter.
  for (const byte of Buffer.from(text)) proof.feed(Uint8Array.of(byte))
  return proof.proven()
}

describe('what DuckDB may read by itself', () => {
  test.each([
    '',
    '\n',
    '{"id":1}\n',
    '{"id":-12, "idx": null}\r\n{"s":"é\\u00e9\\n"}',
    '{"day":"2024-02-29","f":1.5e-3,"b":true}',
    '{"f":2,"b":false}\n\n{"idx":999999999999999999}\n',
  ])('yes: %j', text => expect(proven(text)).toBe(true))
  test.each([
    '{"id":1.5}',
    '{"id":1,}',
    '{"x":1}',
    '{"ID":1}',
    '{"id":1234567890123456789}',
    '{"id":"1"}',
    '{"id":true}',
    '{"b":1}',
    '{"day":"2024-2-29"}',
    '{"day":"0000-01-01"}',
    '{"day":"2024-02-29 10:00"}',
    '{"s":1.10}',
    '{"s":"a',
    '{"f":1.}',
    '{"id":1} {"id":2}',
    '[{"id":1}]',
    '\uFEFF{"id":1}',
  ])('no: %j', text => expect(proven(text)).toBe(false))
  test('other types never', () => {
    for (const type of ['NUMERIC', 'TIMESTAMP', 'RECORD', 'BYTES']) {
      expect(buildPlainNdjson([{ name: 'a', type, mode: 'NULLABLE' }])).toBeUndefined()
    }
    expect(buildPlainNdjson([{ name: 'a', type: 'STRING', mode: 'REPEATED' }])).toBeUndefined()
  })
})

describe('the quick way and the exact way agree', () => {
  let own: OpenBigQuery
  beforeAll(async () => {
    own = await openBigQuery()
    await own.call('POST', '/datasets', { datasetReference: { datasetId: 'd' } })
  })
  afterAll(() => own.close())

  const record = fc.record(
    {
      id: fc.option(fc.integer()),
      idx: fc.maxSafeInteger(),
      day: fc
        .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
        .map(d => d.toISOString().slice(0, 10)),
      s: fc.option(fc.string({ unit: 'binary' })),
      f: fc.double({ noNaN: true, noDefaultInfinity: true }),
      b: fc.option(fc.boolean()),
    },
    { requiredKeys: [] },
  )
  let serial = 0
  const load = async (content: string, more = {}) => {
    const id = `t${++serial}`
    const uri = own.objects.put('in', id, content)
    const done = await own.job({
      load: {
        sourceUris: [uri],
        sourceFormat: 'NEWLINE_DELIMITED_JSON',
        schema: { fields },
        destinationTable: own.table(`d.${id}`),
        ...more,
      },
    })
    if (done.status.errorResult) return done.status.errorResult.message
    const { body } = await own.call('GET', `/datasets/d/tables/${id}/data`)
    return (body.rows ?? []).map((row: unknown) => JSON.stringify(row)).sort()
  }

  test('on random records', { timeout: 120_000 }, async () => {
    const seed = Number(process.env.FRESHET_SEED ?? Math.floor(Math.random() * 2 ** 31))
    console.info(`plain-ndjson seed ${seed}`)
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 20 }), async records => {
        const lines = records.map(r => JSON.stringify(r))
        fc.pre(proven(lines.join('\n')))
        const parse = makeLineParser(fields, false)
        for (const line of lines) parse(line)
        // A trailing space is not plain, so that the second goes the exact way.
        const exact = lines.map(line => `${line} `).join('\n')
        expect(proven(exact)).toBe(false)
        expect(await load(lines.join('\n'))).toEqual(await load(exact))
      }),
      { seed, numRuns: 40 },
    )
  })
})
