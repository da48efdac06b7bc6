/** text.*: strings, counted in characters (code points). */
import { indexError, valueError } from '../errors.ts'
import { type Library, plainFunction } from '../library.ts'
import { mapOf, type Value } from '../values.ts'
import { parseRegex } from './regex.ts'

/** The number of characters before a UTF-16 offset. */
const characters = (source: string, offset: number): bigint => BigInt([...source.slice(0, offset)].length)

function found(source: string, match: string, offset: number): Value {
  return mapOf({ index: characters(source, offset), match })
}

function findAll(source: string, substring: string): Value {
  if (substring === '') throw valueError('text.find_all: substr must not be empty')
  const matches: Value[] = []
  for (let at = source.indexOf(substring); at >= 0; at = source.indexOf(substring, at + substring.length)) {
    matches.push(found(source, substring, at))
  }
  return matches
}

/** `\0` to `\9` in a replacement stand for the match and its groups. */
function replaceRegex(source: string, pattern: string, replacement: string): string {
  return source.replace(parseRegex(pattern), (...parts: unknown[]) =>
    replacement.replace(/\\(\d|\\)/g, (_, digit: string) => {
      if (digit === '\\') return '\\'
      const group = parts[Number(digit)]
      return typeof group === 'string' ? group : ''
    }),
  )
}

function substring(source: string, start: bigint, end: bigint): string {
  const all = [...source]
  if (start < 0n || end > BigInt(all.length) || start > end) {
    throw indexError(`text.substring: ${start} to ${end} is not within a string of ${all.length} characters`)
  }
  return all.slice(Number(start), Number(end)).join('')
}

function decodeUrl(source: string): string {
  try {
    return decodeURIComponent(source.replaceAll('+', ' '))
  } catch {
    throw valueError(`text.url_decode: not URL-encoded: ${source}`)
  }
}

/** Leaves only what RFC 3986 calls unreserved. */
function encodeUrl(source: string): string {
  return encodeURIComponent(source).replace(
    /[!'()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function utf8(charset: string): void {
  if (!/^utf-?8$/i.test(charset)) throw valueError(`charset ${charset} is not supported here, only UTF-8`)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw valueError('text.decode: the bytes are not UTF-8')
  }
}

/** https://cloud.google.com/workflows/docs/reference/stdlib/overview */
export const TEXT: Library = new Map([
  [
    'text.decode',
    plainFunction('data charset?', args => {
      utf8(args.optional('charset', args.text, 'UTF-8'))
      return decode(args.bytes('data'))
    }),
  ],
  [
    'text.encode',
    plainFunction('data charset?', args => {
      utf8(args.optional('charset', args.text, 'UTF-8'))
      return new Uint8Array(Buffer.from(args.text('data')))
    }),
  ],
  [
    'text.find_all',
    plainFunction('source substr', args => findAll(args.text('source'), args.text('substr'))),
  ],
  [
    'text.find_all_regex',
    plainFunction('source regexp', args => {
      const source = args.text('source')
      return [...source.matchAll(parseRegex(args.text('regexp')))].map(match =>
        found(source, match[0], match.index),
      )
    }),
  ],
  [
    'text.match_regex',
    plainFunction('source regexp', args => parseRegex(args.text('regexp')).test(args.text('source'))),
  ],
  [
    'text.replace_all',
    plainFunction('source substr repl', args =>
      args.text('source').replaceAll(args.text('substr'), () => args.text('repl')),
    ),
  ],
  [
    'text.replace_all_regex',
    plainFunction('source regexp repl', args =>
      replaceRegex(args.text('source'), args.text('regexp'), args.text('repl')),
    ),
  ],
  [
    'text.split',
    plainFunction('source separator', args => args.text('source').split(args.text('separator'))),
  ],
  [
    'text.substring',
    plainFunction('source start end', args =>
      substring(args.text('source'), args.int('start'), args.int('end')),
    ),
  ],
  ['text.to_lower', plainFunction('source', args => args.text('source').toLowerCase())],
  ['text.to_upper', plainFunction('source', args => args.text('source').toUpperCase())],
  ['text.url_decode', plainFunction('source', args => decodeUrl(args.text('source')))],
  ['text.url_encode', plainFunction('source', args => encodeUrl(args.text('source')))],
  [
    'text.url_encode_plus',
    plainFunction('source', args => encodeUrl(args.text('source')).replaceAll('%20', '+')),
  ],
])
