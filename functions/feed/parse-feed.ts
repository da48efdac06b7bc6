/** Reads a feed file: every problem with its place and its remedy, or the feed. */
import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml'
import { type Finding, findProblems } from './check-feed.ts'
import { parseDuration } from './duration.ts'
import { explain } from './explain.ts'
import type { Column, Complete, Feed, Format } from './feed.ts'
import { type Identifier, parseFeedName, parseIdentifier, parseServedTable } from './names.ts'
import { parsePathPattern } from './path-pattern.ts'
import { type FeedFile, feedSchema } from './schema.ts'
import { SNAPSHOT_TYPES } from './snapshot-id.ts'

export interface FeedProblem {
  readonly file: string
  /** Where in the file, such as `model.key[0]`; empty for the file itself. */
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly message: string
  readonly hint: string
}
export type ParsedFeed =
  | { readonly kind: 'feed'; readonly feed: Feed }
  | { readonly kind: 'problems'; readonly problems: readonly FeedProblem[] }

const showPath = (path: readonly (string | number)[]) =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  )

function toComplete({ complete, snapshot }: FeedFile['source']): Complete {
  if (complete === 'single-file') return { kind: 'single-file' }
  return 'manifest' in complete
    ? { kind: 'manifest', object: parsePathPattern(complete.manifest, snapshot) }
    : { kind: 'marker', object: parsePathPattern(complete.marker, snapshot) }
}

function toFormat({ format, csv }: FeedFile['source']): Format {
  if (format !== 'csv') return { kind: format }
  return {
    kind: 'csv',
    header: csv?.header ?? true,
    delimiter: csv?.delimiter ?? ',',
    nullText: csv?.null_text ?? '',
  }
}

/** Only for texts that the schema has let pass. */
function sure<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} passed the check without being one`)
  return value
}
const identifier = (text: string): Identifier => sure(parseIdentifier(text), text)

function toColumns(file: FeedFile): Column[] {
  const columns = Object.entries(file.table.columns).map(([name, column]): Column => {
    if (typeof column === 'string') return { name: identifier(name), type: column, optional: false }
    const { type, description, optional } = column
    return { name: identifier(name), type, optional, ...(description !== undefined && { description }) }
  })
  const { sequence } = file.model
  if (typeof sequence === 'string') return columns
  return [
    ...columns,
    { name: identifier(sequence.as), type: SNAPSHOT_TYPES[file.source.snapshot], optional: false },
  ]
}

const share = (text: string) => Number.parseInt(text, 10) / 100

function toFeed(file: FeedFile): Feed {
  const { name, source, table, model, refresh, gates } = file
  const { partition, description } = table
  const seconds = (text: string) => sure(parseDuration(text), text)
  const days = (text: string) => Math.ceil(seconds(text) / 86_400)
  return {
    name: sure(parseFeedName(name), name),
    source: {
      path: parsePathPattern(source.path, source.snapshot),
      snapshot: source.snapshot,
      complete: toComplete(source),
      format: toFormat(source),
    },
    table: {
      ...sure(parseServedTable(table.name), table.name),
      columns: toColumns(file),
      cluster: (table.cluster ?? []).map(identifier),
      ...(description !== undefined && { description }),
      ...(partition && {
        partition: {
          by: identifier(partition.by),
          every: partition.every,
          ...(partition.keep && { keepDays: days(partition.keep) }),
        },
      }),
    },
    model: {
      kind: model.kind,
      key: model.key.map(identifier),
      sequence:
        typeof model.sequence === 'string'
          ? { from: 'column', column: identifier(model.sequence) }
          : { from: 'snapshot', column: identifier(model.sequence.as) },
      missingRows: model.missing_rows,
    },
    refresh: {
      strategy: refresh.strategy,
      withinSeconds: seconds(refresh.within),
      rollbackDays: days(refresh.rollback),
      ...(refresh.reservation !== undefined && { reservation: refresh.reservation }),
    },
    gates: {
      zeroRows: gates.zero_rows,
      minRowsVsLast: share(gates.min_rows_vs_last),
      duplicateKeys: gates.duplicate_keys,
      nullKeys: gates.null_keys,
      nullPartitions: gates.null_partitions,
      outsideWindow: gates.outside_window,
      emptiedColumns: gates.emptied_columns,
      maxDeleted: share(gates.max_deleted),
    },
  }
}

const yamlHint = (text: string) =>
  /\{[^}\n]*\{snapshot\}/.test(text) && !/["'][^"'\n]*\{snapshot\}/.test(text)
    ? 'Mend the YAML: inside { } a text with {snapshot} needs quotes.'
    : 'Mend the YAML.'

interface Slip {
  readonly line: number
  readonly message: string
}

/** One slip in YAML makes every later token unexpected; the first one is the one to mend. */
function findSlip(document: Document.Parsed, lines: LineCounter): Slip | undefined {
  const broken = document.errors[0] ?? document.warnings[0]
  if (broken) {
    const message = broken.message.split(' at line ', 1)[0] ?? broken.message
    return { line: lines.linePos(broken.pos[0]).line, message }
  }
  let slip: Slip | undefined
  visit(document, {
    Alias(_, { source, range }) {
      slip ??= {
        line: lines.linePos(range?.[0] ?? 0).line,
        message: `*${source}: a feed takes no aliases`,
      }
    },
  })
  return slip
}

function makeLineOf(document: Document.Parsed, lines: LineCounter) {
  return (path: Finding['path']): number => {
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const node: unknown = document.getIn(path.slice(0, depth), true)
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
    }
    return 1
  }
}

/** `file` only names the file in problems. Never throws for what stands in `text`. */
export function parseFeed(text: string, file: string): ParsedFeed {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    version: '1.2',
    logLevel: 'error',
  })
  const slip = findSlip(document, lines)
  if (slip) return { kind: 'problems', problems: [{ file, path: '', ...slip, hint: yamlHint(text) }] }
  const lineOf = makeLineOf(document, lines)
  const report = (findings: readonly Finding[]): ParsedFeed => ({
    kind: 'problems',
    problems: findings.map(({ path, message, hint }) => ({
      file,
      path: showPath(path),
      line: lineOf(path),
      message,
      hint,
    })),
  })
  const checked = feedSchema.safeParse(document.toJS(), { reportInput: true })
  if (!checked.success) return report(checked.error.issues.flatMap(explain))
  const findings = findProblems(checked.data)
  return findings.length > 0 ? report(findings) : { kind: 'feed', feed: toFeed(checked.data) }
}
