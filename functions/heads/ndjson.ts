/** What the head of a newline-delimited JSON object gives away: its form and the keys of its first rows. */
import type { HeadProblem } from './text.ts'

export type NdjsonHead =
  /** `keys` in lower case, each with its spelling where it stood first. */
  | { readonly kind: 'keys'; readonly keys: ReadonlyMap<string, string>; readonly rows: number }
  | ({ readonly kind: 'problem' } & HeadProblem)

const problem = (reason: string, hint: string): NdjsonHead => ({ kind: 'problem', reason, hint })

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/**
 * `whole`: the text is all of the object, so that its last line is a line too. `tolerant`: a line that is no object
 * is one bad row among others; where no line is one, it is the file that is wrong.
 */
export function readNdjsonHead(text: string, whole: boolean, tolerant = false): NdjsonHead {
  if (/^\s*\[/.test(text))
    return problem('is a JSON array', 'Write one object a line, without [ ] and commas between.')
  const lines = text.split('\n')
  if (!whole) lines.pop()
  const keys = new Map<string, string>()
  let rows = 0
  let bad: NdjsonHead | undefined
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue
    const row = parseLine(line)
    if (!row) {
      bad ??= problem(
        `line ${at + 1} is no JSON object: ${line.slice(0, 80)}`,
        'Write one JSON object a line.',
      )
      if (!tolerant) return bad
      continue
    }
    for (const key of Object.keys(row)) keys.set(key.toLowerCase(), keys.get(key.toLowerCase()) ?? key)
    rows += 1
  }
  if (bad && rows === 0) return bad
  return { kind: 'keys', keys, rows }
}
