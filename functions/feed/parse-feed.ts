/** Reads a feed file: every problem with its place and its remedy, or the feed. */
import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml'
import type { ChangeFeed } from './changes/change-feed.ts'
import { changeFeedSchema } from './changes/change-schema.ts'
import { findChangeProblems } from './changes/check-change-feed.ts'
import { toChangeFeed } from './changes/to-change-feed.ts'
import { findProblems } from './check-feed.ts'
import { explain } from './explain.ts'
import type { Feed } from './feed.ts'
import type { Finding } from './finding.ts'
import { feedSchema } from './schema.ts'
import { toFeed } from './to-feed.ts'

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
/** A feed of either kind: one that says `delivers: changes` has a form of its own. */
export type ParsedFeedFile = ParsedFeed | { readonly kind: 'changes'; readonly feed: ChangeFeed }

const showPath = (path: readonly (string | number)[]) =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  )

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

type Checked = ParsedFeedFile | { readonly kind: 'findings'; readonly findings: readonly Finding[] }

function checkSnapshots(value: unknown): Checked {
  const checked = feedSchema.safeParse(value, { reportInput: true })
  if (!checked.success)
    return { kind: 'findings', findings: checked.error.issues.flatMap(issue => explain(issue)) }
  const findings = findProblems(checked.data)
  return findings.length > 0 ? { kind: 'findings', findings } : { kind: 'feed', feed: toFeed(checked.data) }
}

function checkChanges(value: unknown): Checked {
  const checked = changeFeedSchema.safeParse(value, { reportInput: true })
  if (!checked.success)
    return {
      kind: 'findings',
      findings: checked.error.issues.flatMap(issue => explain(issue, 'docs/cdc.md')),
    }
  const findings = findChangeProblems(checked.data)
  if (findings.length > 0) return { kind: 'findings', findings }
  return { kind: 'changes', feed: toChangeFeed(checked.data) }
}

/** The two kinds of feeds have forms of their own; one that says neither is taken for the first. */
const deliversChanges = (value: unknown) =>
  typeof value === 'object' && value !== null && 'delivers' in value && value.delivers === 'changes'

/** `file` only names the file in problems. Never throws for what stands in `text`. */
export function parseFeedFile(text: string, file: string): ParsedFeedFile {
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
  const report = (findings: readonly Finding[]): ParsedFeedFile => ({
    kind: 'problems',
    problems: findings.map(({ path, message, hint }) => ({
      file,
      path: showPath(path),
      line: lineOf(path),
      message,
      hint,
    })),
  })
  const value: unknown = document.toJS()
  const checked = deliversChanges(value) ? checkChanges(value) : checkSnapshots(value)
  return checked.kind === 'findings' ? report(checked.findings) : checked
}

/** For whoever has to do with snapshots only. */
export function parseFeed(text: string, file: string): ParsedFeed {
  const parsed = parseFeedFile(text, file)
  if (parsed.kind !== 'changes') return parsed
  const problem = {
    file,
    path: 'delivers',
    line: 1,
    message: 'is changes, and this works with feeds of snapshots',
    hint: 'docs/cdc.md says what there is for change feeds.',
  }
  return { kind: 'problems', problems: [problem] }
}
