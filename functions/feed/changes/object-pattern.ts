/** Patterns of the names of change files, such as `orders/*.ndjson.gz`. */
import type { ObjectPattern } from './change-feed.ts'

const escapeRegex = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** What is wrong with a pattern, or `undefined`. */
export function findObjectPatternProblem(text: string): string | undefined {
  if (text === '') return 'is empty'
  if (text.startsWith('/')) return 'starts with a slash, and no object name does'
  if (text.startsWith('_freshet/')) return 'starts with _freshet/, where Freshet keeps objects of its own'
  if (/[\r\n]/.test(text)) return 'has a line break, and no object name does'
  if (text.includes('{snapshot}'))
    return 'has {snapshot}, and change files make no snapshots: the sequence orders their rows'
  if (/[{}]|\*\*(?!\/)|[^/]\*\*\/|\*\*\*/.test(text)) return 'knows * and **/ only'
  if (!text.slice(0, text.indexOf('*') === -1 ? undefined : text.indexOf('*')).includes('/'))
    return 'takes objects of the whole bucket: start it with a folder of its own'
  return undefined
}

export function parseObjectPattern(text: string): ObjectPattern {
  const source = text
    .split(/(\*\*\/|\*)/)
    .map(part => (part === '**/' ? '(?:.+/)?' : part === '*' ? '[^/]*' : escapeRegex(part)))
    .join('')
  const regex = new RegExp(`^${source}$`, 'su')
  const literal = text.split('*', 1)[0] ?? ''
  return {
    text,
    matches: name => regex.test(name),
    folder: literal.slice(0, literal.lastIndexOf('/') + 1),
  }
}
