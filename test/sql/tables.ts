/** The two small tables that the query tests run over: NULLs, duplicates, ties, odd text and extreme numbers. */
import { type Column, type ScalarName, scalar } from '../../local/bigquery/sql/type.ts'
import type { OracleTable } from '../support/googlesql.ts'

function columns(list: Readonly<Record<string, ScalarName>>): Column[] {
  return Object.entries(list).map(([name, type]) => ({ name, type: scalar(type) }))
}

const micros = (text: string) => BigInt(Date.parse(text)) * 1000n

export const t: OracleTable = {
  name: 't',
  columns: columns({
    id: 'INT64',
    k: 'STRING',
    f: 'FLOAT64',
    n: 'NUMERIC',
    d: 'DATE',
    ts: 'TIMESTAMP',
    dt: 'DATETIME',
    b: 'BOOL',
    y: 'BYTES',
  }),
  rows: [
    [
      1n,
      'a',
      1.5,
      '1.5',
      '2020-01-02',
      micros('2020-01-02T03:04:05Z'),
      '2020-01-02T03:04:05',
      true,
      Buffer.from('abc'),
    ],
    [
      2n,
      'b',
      -2.5,
      '-2.25',
      '2021-12-31',
      micros('2021-12-31T23:59:59.999Z'),
      '2021-12-31T23:59:59.999',
      false,
      Buffer.from([0, 255]),
    ],
    [
      3n,
      'a',
      Number.NaN,
      '0',
      '1999-02-28',
      micros('1969-12-31T23:59:59.5Z') + 1n,
      '1970-01-01T00:00:00',
      null,
      Buffer.from(''),
    ],
    [4n, null, null, null, null, null, null, true, null],
    [
      4n,
      'ünï ☃ 𝒳',
      1e20,
      '123456789012345678901234567.123456789',
      '2024-02-29',
      micros('2024-02-29T12:00:00Z'),
      '2024-02-29T12:00:00.000001',
      false,
      Buffer.from('é'),
    ],
    [-5n, '', 0, '0.000000001', '2024-12-30', 0n, '1001-01-01T00:00:00', null, Buffer.from('abc')],
    [
      null,
      'it\'s "q" \\ x\n',
      Number.POSITIVE_INFINITY,
      '-1',
      '2023-01-01',
      micros('2023-01-01T00:00:00Z'),
      '2023-01-01T00:00:00',
      true,
      Buffer.from('z'),
    ],
    [
      9007199254740993n,
      ' sp ',
      -0.1,
      '10',
      '2020-01-02',
      micros('2020-01-02T03:04:05Z'),
      '2020-01-02T03:04:05',
      true,
      Buffer.from('abc'),
    ],
  ],
}

export const u: OracleTable = {
  name: 'u',
  columns: columns({ id: 'INT64', k: 'STRING', v: 'INT64' }),
  rows: [
    [1n, 'a', 10n],
    [1n, 'a', 20n],
    [2n, 'x', 30n],
    [4n, null, 40n],
    [null, 'a', 50n],
    [7n, 'b', null],
  ],
}
