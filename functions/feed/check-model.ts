/** What a feed's model must fulfil beyond its form: its columns are there, and of types that fit their use. */

import { checkAggregate } from './check-aggregate.ts'
import { checkKey, checkReference } from './check-key.ts'
import { checkAppended, checkReplacement } from './check-replacement.ts'
import { baseType } from './column-type.ts'
import { typeOf } from './declared.ts'
import { type Finding, noColumn } from './finding.ts'
import type { FeedFile, UniqueFile } from './schema.ts'

/** A feed whose newest rows count. */
type UniqueFeed = FeedFile & { readonly model: UniqueFile }
const isUnique = (file: FeedFile): file is UniqueFeed => file.model.kind === 'unique'

function* checkSnapshotColumn(file: FeedFile, as: string): Generator<Finding> {
  if (Object.keys(file.table.columns).some(name => name.toLowerCase() === as.toLowerCase()))
    yield {
      path: ['model', 'sequence', 'as'],
      message: `is also a column of the files: ${as}`,
      hint: 'Give the column of the snapshot id a name of its own.',
    }
}

function* checkSequence(file: UniqueFeed): Generator<Finding> {
  const { key, sequence } = file.model
  if (sequence === undefined || (typeof sequence === 'object' && !Array.isArray(sequence))) return
  const names = typeof sequence === 'string' ? [sequence] : sequence
  for (const [at, name] of names.entries()) {
    const path = typeof sequence === 'string' ? ['model', 'sequence'] : ['model', 'sequence', at]
    yield* checkReference(file, name, path, 'sequence')
    if (names.indexOf(name) !== at)
      yield { path, message: `names ${name} twice`, hint: 'Name each sequence column once.' }
    if (key.includes(name))
      yield {
        path,
        message: 'is part of the key',
        hint: 'Rows of one key would never meet; take it out of the key.',
      }
  }
}

const JAVASCRIPT: Readonly<Record<string, string>> = { STRING: 'string', INT64: 'number', BOOL: 'boolean' }
const listSequence = ({ model: { sequence } }: UniqueFeed): readonly string[] =>
  typeof sequence === 'string' ? [sequence] : Array.isArray(sequence) ? sequence : []

function* checkSign(file: UniqueFeed, name: string, path: Finding['path']): Generator<Finding> {
  const { key } = file.model
  if (typeOf(file, name) === undefined) yield noColumn(path, name)
  if (key.includes(name) || listSequence(file).includes(name) || file.table.partition?.by === name)
    yield {
      path,
      message: 'is also in the key or the sequence, or the partition column',
      hint: 'Take a column that says nothing but whether the key is gone.',
    }
}

function* checkDeleteWhen(file: UniqueFeed): Generator<Finding> {
  const { delete_when: sign } = file.model
  if (sign === undefined) return
  const path = ['model', 'delete_when']
  const [name, at] = typeof sign === 'string' ? [sign, path] : [sign.column, [...path, 'column']]
  yield* checkSign(file, name, at)
  const type = baseType(typeOf(file, name) ?? 'BOOL')
  if (typeof sign === 'string' && type !== 'BOOL')
    yield {
      path,
      message: `is of type ${type}, of which it is not said what deletes`,
      hint: `Say which values do: { column: ${name}, values: [${type === 'INT64' ? '1' : 'D'}] }.`,
    }
  else if (JAVASCRIPT[type] === undefined)
    yield { path: at, message: `is of type ${type}`, hint: 'Take a column of type STRING, INT64 or BOOL.' }
  else if (typeof sign === 'object' && sign.values.some(value => typeof value !== JAVASCRIPT[type]))
    yield {
      path: [...path, 'values'],
      message: `does not fit ${name}, which is of type ${type}`,
      hint: `Write values of that type${type === 'STRING' ? ', numbers and true or false in quotes' : ''}.`,
    }
  if (file.refresh.strategy === 'changed-partitions')
    yield {
      path,
      message: 'does not go with refresh.strategy: changed-partitions',
      hint: 'A key that a partition lacks is kept there; take rewrite.',
    }
}

/** Key, sequence, what deletes rows, and what of it does not combine. */
export function* checkModel(file: FeedFile): Generator<Finding> {
  const { model } = file
  if (isUnique(file)) {
    yield* checkKey(file, file.model.key)
    yield* checkSequence(file)
    yield* checkDeleteWhen(file)
  }
  if (model.kind === 'aggregate') return yield* checkAggregate(file, model)
  const { sequence } = model
  if (typeof sequence === 'object' && !Array.isArray(sequence)) yield* checkSnapshotColumn(file, sequence.as)
  yield* checkReplacement(file, model)
  yield* checkAppended(file)
}
