/** Patterns of object names: `sales/{snapshot}/**` and what an object's name says through one. */

/** One pattern, ready to match: `{snapshot}` once; `*` within a folder; a whole segment `**` over any folders. */
export interface PathPattern {
  readonly text: string
  /** The name up to the first part that varies, once `{snapshot}` is known. */
  prefix(snapshot: string): string
  /** The text at `{snapshot}`, or `undefined` when the name does not match. */
  match(name: string): string | undefined
  /** The one object that the pattern names for a snapshot; only for patterns without wildcards. */
  name(snapshot: string): string
}

const escapeRegex = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

function expression(text: string): RegExp {
  const source = text
    .split(/(\{snapshot\}|\*\*\/|\*)/)
    .map(part => {
      if (part === '{snapshot}') return '(?<snapshot>[^/]+)'
      if (part === '**/') return '(?:.+/)?'
      return part === '*' ? '[^/]*' : escapeRegex(part)
    })
    .join('')
  return new RegExp(`^${source}$`, 'su')
}

/** What is wrong with a pattern, or `undefined`. */
export function findPatternProblem(text: string): string | undefined {
  if (text.startsWith('/')) return 'an object name does not start with a slash'
  if (text.split('{snapshot}').length !== 2) return 'needs {snapshot} exactly once'
  if (/\{(?!snapshot\})|\*\*(?!\/)|[^/]\*\*\/|\*\*\*/.test(text)) return 'knows {snapshot}, * and **/ only'
  if (text.indexOf('*') !== -1 && text.indexOf('*') < text.indexOf('{snapshot}')) {
    return 'has a wildcard before {snapshot}, so that one snapshot would be spread over the bucket'
  }
  return undefined
}

export function parsePathPattern(text: string): PathPattern {
  const regex = expression(text)
  const literal = text.split('*', 1)[0] ?? ''
  const fill = (part: string, snapshot: string) => part.replace('{snapshot}', () => snapshot)
  return {
    text,
    prefix: snapshot => fill(literal, snapshot),
    match: name => regex.exec(name)?.groups?.snapshot,
    name: snapshot => fill(text, snapshot),
  }
}
