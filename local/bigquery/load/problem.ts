/** What is wrong with a file's content, in the words and the shape of BigQuery's load errors. */
import type { ObjectFile } from '../../service.ts'
import { BigQueryError, type ErrorProto } from '../errors.ts'
import { spellFile } from './files.ts'

type File = Pick<ObjectFile, 'bucket' | 'name'>

/** One bad value or row; `place` says where, such as `line 3`. */
export class Problem extends Error {}

const head = 'Error while reading data, error message:'

/** A file that can't be read at all. */
export function fileError(file: File, message: string): BigQueryError {
  const uri = spellFile(file)
  return new BigQueryError('invalid', `${head} ${message} File: ${uri}`, uri)
}

export function rowError(file: File, message: string): ErrorProto {
  const uri = spellFile(file)
  return { reason: 'invalid', location: uri, message: `${head} ${message}; File: ${uri}` }
}

/** The failure of a whole load: its message is the first error's, `errors[]` has them all. */
export function tooManyErrors(errors: readonly ErrorProto[]): BigQueryError {
  const [first] = errors
  return new BigQueryError('invalid', first?.message ?? head, first?.location, errors)
}
