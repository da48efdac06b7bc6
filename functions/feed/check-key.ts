/** What a key has to be: columns of the table that every row has, each once, of types that can be compared. */
import { abilityOf } from './column-type.ts'
import { isOptional, typeOf } from './declared.ts'
import { type Finding, noColumn } from './finding.ts'
import type { FeedFile } from './schema.ts'

/** A column that is used as key or sequence. */
export function* checkReference(
  file: FeedFile,
  name: string,
  path: Finding['path'],
  use: 'key' | 'sequence',
): Generator<Finding> {
  const type = typeOf(file, name)
  if (type === undefined) {
    yield noColumn(path, name)
  } else if (!abilityOf(type)?.[use]) {
    yield {
      path,
      message: `is of type ${type}, which can't be a ${use}`,
      hint: `Choose another column for the ${use}.`,
    }
  }
  if (isOptional(file, name))
    yield {
      path,
      message: `names a column that the files may lack: ${name}`,
      hint: `Every row needs its ${use}; take \`optional\` away, or choose another column.`,
    }
}

/** The columns of a key. */
export function* checkKey(file: FeedFile, key: readonly string[]): Generator<Finding> {
  for (const [at, name] of key.entries()) {
    yield* checkReference(file, name, ['model', 'key', at], 'key')
    if (key.indexOf(name) !== at) {
      yield { path: ['model', 'key', at], message: `names ${name} twice`, hint: 'Name each key column once.' }
    }
  }
}
