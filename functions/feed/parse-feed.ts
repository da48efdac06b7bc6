/** Reads a feed file: every problem with its place and its remedy, or the feed. */
import { LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { type Finding, findProblems } from './check-feed.ts'
import { parseDuration } from './duration.ts'
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

/** Zod reports one union with many branches; the branch that got furthest speaks of what was meant. */
function flatten(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const depth = (branch: z.core.$ZodIssue[]) =>
    Math.max(...branch.map(inner => inner.path.length + (inner.code === 'unrecognized_keys' ? 1 : 0)))
  const best = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0] ?? []
  return best.flatMap(inner => flatten({ ...inner, path: [...issue.path, ...inner.path] }))
}

function explain(issue: z.core.$ZodIssue): Finding[] {
  const path = issue.path.filter(part => typeof part !== 'symbol')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({
      path: [...path, key],
      message: 'is not a setting of a feed',
      hint: 'Take it out, or correct its name.',
    }))
  }
  const missing = issue.input === undefined && issue.code !== 'custom'
  if (missing) return [{ path, message: 'is missing', hint: 'Add it; docs/feeds.md lists what it can be.' }]
  return [{ path, message: issue.message, hint: 'docs/feeds.md lists what it can be.' }]
}

function toComplete(complete: FeedFile['source']['complete']): Complete {
  if (complete === 'single-file') return { kind: 'single-file' }
  return 'manifest' in complete
    ? { kind: 'manifest', object: parsePathPattern(complete.manifest) }
    : { kind: 'marker', object: parsePathPattern(complete.marker) }
}

function toFormat({ format, csv }: FeedFile['source']): Format {
  if (format !== 'csv') return { kind: format }
  return {
    kind: 'csv',
    header: csv?.header ?? true,
    delimiter: csv?.delimiter ?? ',',
    nullText: csv?.null ?? '',
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

function toFeed(file: FeedFile): Feed {
  const { name, source, table, model, refresh, gates } = file
  const { partition, description } = table
  const seconds = (text: string) => sure(parseDuration(text), text)
  const days = (text: string) => Math.ceil(seconds(text) / 86_400)
  return {
    name: sure(parseFeedName(name), name),
    source: {
      path: parsePathPattern(source.path),
      snapshot: source.snapshot,
      complete: toComplete(source.complete),
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
    },
    gates: {
      zeroRows: gates.zero_rows,
      minRowsVsLast: Number.parseInt(gates.min_rows_vs_last, 10) / 100,
      duplicateKeys: gates.duplicate_keys,
      nullKeys: gates.null_keys,
    },
  }
}

const yamlHint = (text: string) =>
  /\{[^}\n]*\{snapshot\}/.test(text) && !/["'][^"'\n]*\{snapshot\}/.test(text)
    ? 'Mend the YAML: inside { } a text with {snapshot} needs quotes.'
    : 'Mend the YAML.'

/** `file` only names the file in problems. Never throws for what stands in `text`. */
export function parseFeed(text: string, file: string): ParsedFeed {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, version: '1.2' })
  // One slip in YAML makes every later token unexpected; the first error is the one to mend.
  const broken = document.errors[0]
  if (broken) {
    const message = broken.message.split(' at line ', 1)[0] ?? broken.message
    return {
      kind: 'problems',
      problems: [{ file, path: '', line: lines.linePos(broken.pos[0]).line, message, hint: yamlHint(text) }],
    }
  }
  const lineOf = (path: Finding['path']): number => {
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const node: unknown = document.getIn(path.slice(0, depth), true)
      if (typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range))
        return lines.linePos(node.range[0]).line
    }
    return 1
  }
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
  const checked = feedSchema.safeParse(document.toJS({ maxAliasCount: 100 }), { reportInput: true })
  if (!checked.success) return report(checked.error.issues.flatMap(flatten).flatMap(explain))
  const findings = findProblems(checked.data)
  return findings.length > 0 ? report(findings) : { kind: 'feed', feed: toFeed(checked.data) }
}
