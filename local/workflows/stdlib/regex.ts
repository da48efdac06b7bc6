/** Runs RE2 patterns, which Workflows uses, on JavaScript's engine; refuses what the two do not share. */
import { valueError } from '../errors.ts'

const SPACE = '\\t\\n\\f\\r '

/** What an escape of RE2 is in JavaScript, outside and inside of a class. */
function escapeOf(letter: string, inClass: boolean): string {
  if (letter === 's') return inClass ? SPACE : `[${SPACE}]`
  if (letter === 'S' && !inClass) return `[^${SPACE}]`
  if (letter === 'A' && !inClass) return '(?<![^])'
  if (letter === 'z' && !inClass) return '(?![^])'
  if (/[1-9SkQECZG]/.test(letter))
    throw valueError(`\\${letter} is not supported in a regular expression here`)
  // JavaScript's unicode mode refuses to escape what needs no escape.
  if (/[^A-Za-z0-9]/.test(letter) && !/[\^$\\.*+?()[\]{}|/-]/.test(letter)) return letter
  return letter === '-' && !inClass ? '-' : `\\${letter}`
}

/** Translates an RE2 pattern. Raises ValueError for an invalid or unsupported one. */
export function parseRegex(pattern: string): RegExp {
  const flags = /^\(\?(?<flags>[ims]+)\)/.exec(pattern)?.groups?.flags ?? ''
  const rest = flags === '' ? pattern : pattern.slice(flags.length + 3)
  let translated = ''
  let inClass = false
  for (let i = 0; i < rest.length; i++) {
    const char = rest[i] ?? ''
    if (char === '\\') translated += escapeOf(rest[++i] ?? '', inClass)
    else if (inClass) {
      if (char === '[' && rest[i + 1] === ':')
        throw valueError('[[:name:]] is not supported in a regular expression here')
      if (char === ']') inClass = false
      translated += char === '[' ? '\\[' : char
    } else if (char === '[') {
      inClass = true
      translated += char
    } else if (char === '.') translated += flags.includes('s') ? '[^]' : '[^\\n]'
    else if (rest.startsWith('(?P<', i)) {
      translated += '(?<'
      i += 3
    } else if (rest.startsWith('(?', i) && !/^\(\?(:|<[A-Za-z_])/.test(rest.slice(i))) {
      throw valueError(`${rest.slice(i, i + 4)} is not supported in a regular expression here`)
    } else translated += char
  }
  try {
    return new RegExp(translated, `gu${flags.replaceAll('s', '')}`)
  } catch (error) {
    throw valueError(`not a regular expression: ${error instanceof Error ? error.message : pattern}`)
  }
}
