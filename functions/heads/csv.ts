/** What the head of a CSV object gives away: its header row and its delimiter. */
import { parse } from 'csv-parse/sync'
import type { Column, Format } from '../feed/feed.ts'
import type { HeadProblem } from './text.ts'

const same = (a: string, b: string) => a.trim().toLowerCase() === b.toLowerCase()

/** Columns of the header row that the feed does not name; what they hold is text. */
export function findAddedCsv(
  text: string,
  columns: readonly Column[],
  format: Format & { kind: 'csv' },
): string[] {
  const first = format.header ? readFirstRow(text, format.delimiter) : undefined
  return first?.filter(cell => !columns.some(({ name }) => same(cell, name))).map(cell => cell.trim()) ?? []
}

function readFirstRow(text: string, delimiter: string): string[] | undefined {
  try {
    const rows: string[][] = parse(text, {
      delimiter,
      to: 1,
      relax_column_count: true,
      skip_empty_lines: true,
    })
    return rows[0]
  } catch {
    // A record that the head cuts in two; the load will say more.
    return undefined
  }
}

function findHeaderProblem(header: readonly string[], columns: readonly Column[]): HeadProblem | undefined {
  const names = columns.map(({ name }) => name)
  // A new column comes after those that the feed knows, or it would stand in the place of one.
  const missing = names.filter(name => !header.some(cell => same(cell, name)))
  const extra = header.filter(cell => !names.some(name => same(cell, name)))
  if (missing.length === names.length) {
    return {
      reason: `has no header row; its first row is ${header.slice(0, 3).join(', ')}`,
      hint: 'Write the header, or set `csv.header: false`.',
    }
  }
  if (missing.length > 0)
    return { reason: `lacks the column ${missing.join(', ')}`, hint: 'Send it, or take it out of the feed.' }
  if (header.length > names.length + extra.length)
    return { reason: `names a column twice: ${header.join(', ')}`, hint: 'Name each column once.' }
  // BigQuery reads CSV by position.
  const at = names.findIndex((name, index) => !same(header[index] ?? '', name))
  if (at === -1) return undefined
  return {
    reason: `has ${header[at]} where the feed has ${names[at]} (column ${at + 1})`,
    hint: 'Bring the columns of file and feed into one order.',
  }
}

/** `tolerant`: where there is no header, a first row of another width is one bad row among others. */
export function findCsvProblem(
  text: string,
  columns: readonly Column[],
  format: Format & { kind: 'csv' },
  tolerant = false,
): HeadProblem | undefined {
  const { delimiter } = format
  if (text.includes('\r') && !text.includes('\n'))
    return {
      reason: 'ends its lines with a carriage return alone, so that all of it is one line',
      hint: 'End each line with a line feed.',
    }
  const first = readFirstRow(text, delimiter)
  if (!first) return undefined
  if (first.length === 1 && columns.length > 1) {
    const other = [',', ';', '\t', '|'].find(char => char !== delimiter && first[0]?.includes(char))
    if (other)
      return {
        reason: `is delimited by ${JSON.stringify(other)}, not ${JSON.stringify(delimiter)}`,
        hint: 'Set `csv.delimiter` of the feed.',
      }
  }
  if (format.header) return findHeaderProblem(first, columns)
  if (columns.length > 1 && columns.every(({ name }, at) => same(first[at] ?? '', name))) {
    return { reason: 'has a header row', hint: 'Set `csv.header: true`, or it becomes a row of data.' }
  }
  if (first.length !== columns.length && !tolerant) {
    return {
      reason: `has ${first.length} columns in its first row, and the feed has ${columns.length}`,
      hint: 'Bring the columns of file and feed into line.',
    }
  }
  return undefined
}
