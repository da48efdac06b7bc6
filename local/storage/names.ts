/** Which names buckets and objects may have (https://cloud.google.com/storage/docs/buckets#naming and …/objects#naming). */
import { invalid } from './errors.ts'

const label = '[a-z0-9]([a-z0-9_-]*[a-z0-9])?'
const bucketPattern = new RegExp(`^${label}(\\.${label})*$`)
const address = /^\d+\.\d+\.\d+\.\d+$/

/** Returns the name, which is then safe as the name of a directory. */
export function parseBucketName(name: string): string {
  const length = name.includes('.') ? 222 : 63
  const long = name.length > length || name.split('.').some(part => part.length > 63)
  const reserved = name.startsWith('goog') || name.includes('google') || address.test(name)
  if (name.length < 3 || long || reserved || !bucketPattern.test(name))
    throw invalid(`Invalid bucket name: '${name}'`)
  return name
}

/** Returns the name. Nothing in it is safe as the name of a file: content is stored under its generation. */
export function parseObjectName(name: string): string {
  const bytes = Buffer.byteLength(name)
  const problem =
    bytes === 0 || bytes > 1024
      ? 'it must have 1 to 1024 bytes in UTF-8'
      : /[\r\n]/.test(name)
        ? 'it must not contain a line break'
        : name === '.' || name === '..'
          ? 'it must not be . or ..'
          : name.startsWith('.well-known/acme-challenge/')
            ? 'it must not start with .well-known/acme-challenge/'
            : !name.isWellFormed()
              ? 'it must be valid Unicode'
              : undefined
  if (problem) throw invalid(`Invalid object name: ${problem}.`)
  return name
}
