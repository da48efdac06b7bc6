/** One record of a change file as one row on the wire. */
import { type ChangeFeed, wireColumns } from '../feed/changes/change-feed.ts'
import type { Column } from '../feed/feed.ts'
import { makeDescriptor } from './descriptor.ts'
import { makeValueEncoder, type ValueEncoder } from './encode-value.ts'
import type { ProtoBytes } from './proto-bytes.ts'
import { type RawValue, showValue, ValueProblem } from './raw-value.ts'
import { makeSequence } from './sequence.ts'

/** The fields of one record by their names; `undefined` is absent, `null` is NULL. */
export type Fields = Readonly<Record<string, RawValue>>

export interface Change {
  /** The key's bytes: equal for equal keys, and only for them. */
  readonly key: string
  readonly sequence: string
  readonly kind: 'upsert' | 'delete'
  /** Where the serialized protobuf message lies in the bytes that it was written into. */
  readonly start: number
  readonly end: number
}

type Read = (fields: Fields) => RawValue

/** A field may be called `constructor`: what every object has is no field. */
const makeRead = (name: string): Read =>
  name in Object.prototype
    ? fields => (Object.hasOwn(fields, name) ? fields[name] : undefined)
    : fields => fields[name]

interface Slot {
  readonly column: Column
  readonly read: Read
  /** Number and wire type of the field. */
  readonly tag: number
  readonly encoder: ValueEncoder
  readonly isKey: boolean
}

const HIGHEST_TAG = 3

function makeSlots(feed: ChangeFeed): readonly Slot[] {
  return wireColumns(feed).map((column, at) => {
    const encoder = makeValueEncoder(column.type, feed.source.format.kind)
    const tag = ((at + 1) << HIGHEST_TAG) | encoder.wire
    return { column, read: makeRead(column.name), tag, encoder, isKey: feed.key.includes(column.name) }
  })
}

function writeSlot(out: ProtoBytes, { column, tag, encoder }: Slot, value: RawValue): void {
  out.varint(tag)
  try {
    encoder.write(out, value)
  } catch (error) {
    throw error instanceof ValueProblem ? new ValueProblem(error.message, column.name) : error
  }
}

/** Key columns: each present, none NULL. */
function writeKey(out: ProtoBytes, slots: readonly Slot[], fields: Fields): void {
  for (const slot of slots) {
    const value = slot.read(fields)
    if (value === null || value === undefined)
      throw new ValueProblem('is NULL, and every change needs its key', slot.column.name)
    writeSlot(out, slot, value)
  }
}

/** An upsert writes the whole row: what is absent would be emptied, so only `optional` columns may be. */
function writeRest(out: ProtoBytes, slots: readonly Slot[], fields: Fields): void {
  for (const slot of slots) {
    const value = slot.read(fields)
    if (value === undefined && !slot.column.optional)
      throw new ValueProblem(
        'is missing, and an upsert replaces the whole row; say `optional: true` where it may be',
        slot.column.name,
      )
    if (value !== null && value !== undefined) writeSlot(out, slot, value)
  }
}

/** Throws `ValueProblem` (of a bad row) or `DigitsWanted`. A delete carries its key and nothing else. */
export type EncodeChange = (fields: Fields, out: ProtoBytes) => Change

export function makeEncodeChange(feed: ChangeFeed): EncodeChange {
  const { operation, sequence } = feed.changes
  const kinds = new Map<string, Change['kind']>([
    ...feed.changes.upsert.map(text => [text, 'upsert'] as const),
    ...feed.changes.delete.map(text => [text, 'delete'] as const),
  ])
  const slots = makeSlots(feed)
  const [keySlots, restSlots] = [slots.filter(slot => slot.isKey), slots.filter(slot => !slot.isKey)]
  const encodeSequence = makeSequence(sequence)
  const readParts = sequence.map(({ field }) => makeRead(field))
  const readOperation = makeRead(operation)
  const [sequenceTag, typeTag] = makeDescriptor(feed)
    .fields.slice(-2)
    .map(({ number }) => (number << HIGHEST_TAG) | 2)
  return (fields, out) => {
    const said = readOperation(fields)
    const kind = kinds.get(typeof said === 'string' ? said : showValue(said ?? null))
    if (kind === undefined)
      throw new ValueProblem(`${showValue(said ?? null)} is no operation of the feed`, operation)
    const start = out.length
    writeKey(out, keySlots, fields)
    const key = out.text(start, out.length)
    if (kind === 'upsert') writeRest(out, restSlots, fields)
    const number = encodeSequence(readParts.map(read => read(fields)))
    out.varint(sequenceTag ?? 0)
    out.string(number)
    out.varint(typeTag ?? 0)
    out.string(kind === 'upsert' ? 'UPSERT' : 'DELETE')
    return { key, sequence: number, kind, start, end: out.length }
  }
}
