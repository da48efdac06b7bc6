/** Reads a feed file: every problem with its place and its remedy, or the feed. */
import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml'
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
