/** The table that keeps every message: the topic's Avro schema as columns, and what Pub/Sub adds. */
import { z } from 'zod'

const SCALARS: Readonly<Record<string, string>> = {
  string: 'STRING',
  int: 'INTEGER',
  long: 'INTEGER',
  float: 'FLOAT',
  double: 'FLOAT',
  boolean: 'BOOLEAN',
}
type Avro = string | { type: 'array'; items: string } | AvroRecord
interface AvroRecord {
  type: 'record'
  name: string
  fields: { name: string; type: Avro; doc?: string | undefined }[]
}
const avro: z.ZodType<Avro> = z.lazy(() =>
  z.union([z.string(), z.object({ type: z.literal('array'), items: z.string() }), record]),
)
const record: z.ZodType<AvroRecord> = z.object({
  type: z.literal('record'),
  name: z.string(),
  fields: z.array(z.object({ name: z.string(), type: avro, doc: z.string().optional() })),
})

interface Field {
  readonly name: string
  readonly type: string
  readonly mode: string
  readonly description?: string
  readonly fields?: readonly Field[]
}

function scalarOf(type: string): string {
  const found = SCALARS[type]
  if (found === undefined) throw new Error(`The topic's schema has the type ${type}, which no column takes`)
  return found
}

/** docs.cloud.google.com/pubsub/docs/create-bigquery-subscription#schema_compatibility */
function fieldOf({ name, type, doc }: AvroRecord['fields'][number]): Field {
  const about = doc === undefined ? {} : { description: doc }
  if (typeof type === 'string') return { name, type: scalarOf(type), mode: 'NULLABLE', ...about }
  if (type.type === 'array') return { name, type: scalarOf(type.items), mode: 'REPEATED', ...about }
  return { name, type: 'RECORD', mode: 'NULLABLE', fields: type.fields.map(fieldOf), ...about }
}

/** docs.cloud.google.com/pubsub/docs/bigquery#write-metadata */
const METADATA: readonly Field[] = [
  { name: 'subscription_name', type: 'STRING', mode: 'NULLABLE' },
  { name: 'message_id', type: 'STRING', mode: 'NULLABLE' },
  { name: 'publish_time', type: 'TIMESTAMP', mode: 'NULLABLE' },
  { name: 'attributes', type: 'JSON', mode: 'NULLABLE' },
  { name: 'ordering_key', type: 'STRING', mode: 'NULLABLE' },
]

export function messagesSchemaOf(avroSchema: string): readonly Field[] {
  return [...record.parse(JSON.parse(avroSchema)).fields.map(fieldOf), ...METADATA]
}
