/** Patterns of object names, such as `sales/{snapshot}/*.csv`, and what a name says through one. */
import { SNAPSHOT_FORMS, type SnapshotKind } from './snapshot-id.ts'

/**
 * One pattern, ready to match: `{snapshot}` once; `{partition}` once or not at all; `*` within a folder; a whole segment
 * `**` over any folders.
 */
export interface PathPattern {
  readonly text: string
  /** The name up to the first part that varies, once `{snapshot}` is known. */
  prefix(snapshot: string): string
  /** The text at `{snapshot}`, or `undefined` when the name does not match. */
  match(name: string): string | undefined
  /** Where one snapshot parts from another: what begins every name, and the id that a name or a folder below that has. */
  level(): { readonly prefix: string; match(name: string): string | undefined }
  /** The text at `{partition}`; `undefined` where there is none, or the name does not match. */
  partition(name: string): string | undefined
  /** Whether it names several objects of a snapshot. */
  varies(): boolean
  /** The one object that the pattern names for a snapshot; only for patterns that don't vary. */
  name(snapshot: string): string
}

const escapeRegex = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Dates and hours, with or without separators. */
const PARTITION_FORM = String.raw`\d{4}(?:-?\d\d){0,2}(?:[-T_ ]?\d\d)?`

/**
 * What looks like an id of the feed's kind is preferred, so that `{snapshot}_*.csv` finds 42 in `42_part_1.csv`;
 * anything else is taken too, and found to be no id later, with a message.
 */
function expression(text: string, kind: SnapshotKind): RegExp {
  const form = SNAPSHOT_FORMS[kind].replaceAll(/\((?!\?)/g, '(?:')
  const source = text
    .split(/(\{snapshot\}|\{partition\}|\*\*\/|\*)/)
    .map(part => {
      if (part === '{snapshot}') return `(?<snapshot>${form}|[^/]+)`
      if (part === '{partition}') return `(?<partition>${PARTITION_FORM}|[^/]+)`
      if (part === '**/') return '(?:.+/)?'
      return part === '*' ? '[^/]*' : escapeRegex(part)
    })
    .join('')
  return new RegExp(`^${source}$`, 'su')
}

/** What is wrong with a pattern, or `undefined`. */
export function findPatternProblem(text: string): string | undefined {
  if (text.startsWith('/')) return 'starts with a slash, and no object name does'
  if (text.startsWith('_freshet/')) return 'starts with _freshet/, where Freshet keeps objects of its own'
  if (/[\r\n]/.test(text)) return 'has a line break, and no object name does'
  if (text.split('{snapshot}').length !== 2) return 'needs {snapshot} exactly once'
  if (/\{(?!(snapshot|partition)\})|\*\*(?!\/)|[^/]\*\*\/|\*\*\*/.test(text))
    return 'knows {snapshot}, {partition}, * and **/ only'
  if (text.split('{partition}').length > 2) return 'has {partition} more than once'
  if (/\}(\{|\*)|\*\{partition/.test(text.replace('{snapshot}*', '')))
    return 'has two parts that vary side by side: put something between them'
  if (text.includes('{snapshot}*')) return 'has a wildcard right after {snapshot}: put something between them'
  const first = text.search(/\*|\{partition\}/)
  if (first !== -1 && first < text.indexOf('{snapshot}')) {
    return `has ${text[first] === '*' ? 'a wildcard' : '{partition}'} before {snapshot}, so that one snapshot would be spread over the bucket`
  }
  return undefined
}

export function parsePathPattern(text: string, kind: SnapshotKind): PathPattern {
  const regex = expression(text, kind)
  const snapshotAt = text.indexOf('{snapshot}')
  const folderEnds = text.indexOf('/', snapshotAt) + 1
  const level = folderEnds === 0 ? regex : expression(text.slice(0, folderEnds), kind)
  const [literal = '', ...more] = text.split(/\*|\{partition\}/)
  const fill = (part: string, snapshot: string) => part.replace('{snapshot}', () => snapshot)
  return {
    text,
    prefix: snapshot => fill(literal, snapshot),
    varies: () => more.length > 0,
    match: name => regex.exec(name)?.groups?.snapshot,
    level: () => ({
      prefix: text.slice(0, snapshotAt),
      match: name => level.exec(name)?.groups?.snapshot,
    }),
    partition: name => regex.exec(name)?.groups?.partition,
    name: snapshot => fill(text, snapshot),
  }
}
