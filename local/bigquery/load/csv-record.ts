/** CSV by RFC 4180 as BigQuery reads it: records with the line they begin at, each field knowing whether it was quoted. */
import type { CsvOptions } from './config.ts'
import { readLines } from './lines.ts'
import { Problem } from './problem.ts'

export interface CsvField {
  readonly text: string
  readonly quoted: boolean
}
export interface CsvRecord {
  /** From 1, skipped lines counted. */
  readonly line: number
  /** Or what is wrong with the record's form. */
  readonly fields: readonly CsvField[] | Problem
}

type Split = readonly CsvField[] | 'open' | Problem

/** One quoted field from its opening quote on; `undefined` when its closing quote is not in the text. */
function readQuoted(text: string, from: number, quote: string): { text: string; end: number } | undefined {
  let value = ''
  let at = from + 1
  for (;;) {
    const close = text.indexOf(quote, at)
    if (close < 0) return undefined
    value += text.slice(at, close)
    if (text[close + 1] !== quote) return { text: value, end: close + 1 }
    value += quote
    at = close + 2
  }
}

function splitRecord(text: string, { delimiter, quote }: CsvOptions): Split {
  const fields: CsvField[] = []
  let at = 0
  for (;;) {
    if (quote !== '' && text[at] === quote) {
      const field = readQuoted(text, at, quote)
      if (!field) return 'open'
      fields.push({ text: field.text, quoted: true })
      at = field.end
      if (at === text.length) return fields
      if (text[at] !== delimiter)
        return new Problem(`Data between close quote character (${quote}) and field separator`)
      at++
      continue
    }
    const end = text.indexOf(delimiter, at)
    const field = end < 0 ? text.slice(at) : text.slice(at, end)
    fields.push({ text: field, quoted: false })
    if (end < 0) return fields
    at = end + 1
  }
}

/** Batches of records. An open quote takes the next lines in only where newlines in quotes are allowed. */
export async function* readRecords(path: string, options: CsvOptions): AsyncGenerator<CsvRecord[]> {
  let open: { line: number; text: string } | undefined
  for await (const lines of readLines(path, options.latin1 ? 'latin1' : 'utf-8')) {
    const records: CsvRecord[] = []
    for (const { number, text } of lines) {
      if (number <= options.skipLeadingRows || (text === '' && !open)) continue
      const whole: string = open ? `${open.text}\n${text}` : text
      const line = open?.line ?? number
      const fields = splitRecord(whole, options)
      open = fields === 'open' && options.quotedNewlines ? { line, text: whole } : undefined
      if (open) continue
      records.push({ line, fields: fields === 'open' ? missingQuote(options) : fields })
    }
    yield records
  }
  if (open) yield [{ line: open.line, fields: missingQuote(options) }]
}

function missingQuote({ quote }: CsvOptions): Problem {
  return new Problem(
    `Missing close quote character (${quote}); if the data has quoted newlines, set allowQuotedNewlines`,
  )
}
