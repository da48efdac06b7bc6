/** Change feeds for tests, and their rows as BigQuery would read them off the wire. */
import type { Type } from 'protobufjs'
import protobuf from 'protobufjs'
import descriptor from 'protobufjs/ext/descriptor/index.js'
import { type Block, type BlockLimit, collapse } from '../../functions/cdc/collapse.ts'
import { makeDescriptor } from '../../functions/cdc/descriptor.ts'
import { makeEncodeChange } from '../../functions/cdc/encode-change.ts'
import { makeReadRecords } from '../../functions/cdc/read/records.ts'
import type { ChangeFeed } from '../../functions/feed/changes/change-feed.ts'
import { parseFeedFile } from '../../functions/feed/parse-feed.ts'
import type { WireDescriptor } from '../../functions/gcp/change-ports.ts'

export const ORDERS = `name: orders
delivers: changes
source: { path: "orders/*.ndjson", format: ndjson }
table:
  name: shop.orders
  columns: { id: INT64, price: "NUMERIC(10, 2)", note: { type: STRING, optional: true } }
model: { key: [id] }
changes:
  operation: op
  upsert: [I, U]
  delete: [D]
  sequence: [{ field: lsn, as: hexadecimal }, { field: ordinal, as: integer }]
refresh: { announce: pending }
`

export function readChangeFeed(text = ORDERS): ChangeFeed {
  const parsed = parseFeedFile(text, 'feed.yaml')
  if (parsed.kind === 'changes') return parsed.feed
  throw new Error(JSON.stringify(parsed))
}

/** What a table of changes is told off by: problems of a change feed that is not right. */
export function changeProblemsOf(text: string) {
  const parsed = parseFeedFile(text, 'orders.yaml')
  return parsed.kind === 'problems' ? parsed.problems : []
}

export async function* bytesOf(text: string, piece = 1_000_000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
}

export function blocksOf(
  feed: ChangeFeed,
  bytes: AsyncIterable<Uint8Array>,
  limit?: BlockLimit,
): AsyncGenerator<Block> {
  return collapse(makeReadRecords(feed)(bytes, 0), makeEncodeChange(feed), limit)
}

export type Row = Readonly<Record<string, unknown>>

/** Reads rows by the descriptor that travels with them, as the server does. */
export function makeDecoder({ name, fields }: WireDescriptor): (row: Uint8Array) => Row {
  const { DescriptorProto, FieldDescriptorProto } = descriptor
  const message = DescriptorProto.fromObject({
    name,
    field: fields.map(field => FieldDescriptorProto.fromObject(field)),
  })
  const reflected = protobuf.Type as unknown as { fromDescriptor(of: unknown, syntax: string): Type }
  const type = reflected.fromDescriptor(message, 'proto2')
  new protobuf.Root().add(type)
  type.resolveAll()
  return row => type.toObject(type.decode(row), { longs: String })
}

/** Every row that a text would send. */
export async function rowsOf(feed: ChangeFeed, text: string): Promise<readonly Row[]> {
  const decode = makeDecoder(makeDescriptor(feed))
  const rows: Row[] = []
  for await (const { changes, bytes } of blocksOf(feed, bytesOf(text)))
    rows.push(...changes.map(({ start, end }) => decode(bytes.view(start, end))))
  return rows
}
