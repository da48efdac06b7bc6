/** How results and quantities are printed. */
import { describe, expect, test } from 'vitest'
import { type Field, parseRow } from '../../cli/cell.ts'
import type { Output } from '../../cli/io.ts'
import { type Format, printRows } from '../../cli/print-rows.ts'
import { startPlainProgress } from '../../cli/progress-plain.ts'
import { formatBytes, formatCount, formatNumberOf } from '../../cli/quantity.ts'
import { showControls } from '../../cli/visible.ts'

function capture(print: (output: Output) => void): string {
  let text = ''
  print({ write: part => (text += part) })
  return text
}

describe('cells', () => {
  test.each([
    { type: 'INTEGER', wire: '301865', value: 301865 },
    { type: 'INTEGER', wire: '9007199254740993', value: '9007199254740993' },
    { type: 'FLOAT', wire: '1.5', value: 1.5 },
    { type: 'FLOAT', wire: 'NaN', value: 'NaN' },
    { type: 'BOOLEAN', wire: 'false', value: false },
    { type: 'NUMERIC', wire: '0.1', value: '0.1' },
    { type: 'STRING', wire: '', value: '' },
    { type: 'STRING', wire: null, value: null },
    { type: 'DATE', wire: '2017-04-21', value: '2017-04-21' },
    { type: 'TIMESTAMP', wire: '1785542400000000', value: '2026-08-01 00:00:00 UTC' },
    { type: 'TIMESTAMP', wire: '-1', value: '1969-12-31 23:59:59.999999 UTC' },
    { type: 'TIMESTAMP', wire: '1500000', value: '1970-01-01 00:00:01.5 UTC' },
  ])('$type $wire', ({ type, wire, value }) => {
    expect(parseRow([{ name: 'x', type }], { f: [{ v: wire }] })).toEqual({ x: value })
  })

  test('lists and records', () => {
    const fields: Field[] = [
      { name: 'list', type: 'INTEGER', mode: 'REPEATED' },
      { name: 'record', type: 'RECORD', fields: [{ name: 'inner', type: 'STRING' }] },
    ]
    const row = { f: [{ v: [{ v: '1' }, { v: '2' }] }, { v: { f: [{ v: null }] } }] }
    expect(parseRow(fields, row)).toEqual({ list: [1, 2], record: { inner: null } })
  })
})

test.each<{ format: Format; text: string }>([
  { format: 'json', text: '[\n  {"name":"a,\\"b","n":1},\n  {"name":null,"n":2}\n]\n' },
  { format: 'csv', text: 'name,n\n"a,""b",1\n,2\n' },
  {
    format: 'table',
    text: '┌──────┬───┐\n│ name │ n │\n├──────┼───┤\n│ a,"b │ 1 │\n│ NULL │ 2 │\n└──────┴───┘\n',
  },
])('rows as $format', ({ format, text }) => {
  const fields = [
    { name: 'name', type: 'STRING' },
    { name: 'n', type: 'INTEGER' },
  ]
  const rows = [
    { name: 'a,"b', n: 1 },
    { name: null, n: 2 },
  ]
  expect(capture(output => printRows(output, format, fields, rows))).toBe(text)
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 KB'],
  [3_091_720, '3.1 MB'],
  [99_940_000, '100 MB'],
  [15e12, '15 TB'],
])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

test('counts', () => {
  expect(formatCount(170_114)).toBe('170,114')
  expect(formatNumberOf(1, 'file')).toBe('1 file')
  expect(formatNumberOf(1200, 'file')).toBe('1,200 files')
})

test('plain progress is one stamped line an event', async () => {
  const text: string[] = []
  const progress = startPlainProgress(
    { write: part => text.push(part) },
    () => new Date('2026-07-01T06:00:00.123Z'),
  )
  progress.begin('42')
  progress.started('load')
  progress.done('load', '5 rows')
  await progress.end('refreshed')
  progress.note('bye')
  expect(text.join('')).toBe(
    [
      '06:00:00.123 [42] on its way',
      '06:00:00.123 [42] load …',
      '06:00:00.123 [42] load done: 5 rows',
      '06:00:00.123 [42] refreshed',
      '06:00:00.123 bye',
      '',
    ].join('\n'),
  )
})

test.each([
  ['\u001b[2J gone', '\\u001b[2J gone'],
  ['a\u0000b\u009b31m', 'a\\u0000b\\u009b31m'],
  ['\u202egnp.exe', '\\u202egnp.exe'],
  ['two\nlines\tand é 😀', 'two\nlines\tand é 😀'],
])('a terminal obeys nothing in %j', (text, shown) => {
  expect(showControls(text)).toBe(shown)
})
