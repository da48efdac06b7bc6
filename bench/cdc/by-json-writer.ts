/** The yardstick: the same file through the official client's JSONWriter, as its samples use it. One child process. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { adapt, managedwriter } from '@google-cloud/bigquery-storage'
import { credentials } from '@grpc/grpc-js'
import { serveSide, startWatch } from '../side.ts'
import { DATASET, PROJECT } from './feed.ts'

process.env.METADATA_SERVER_DETECTION = 'none'
/** Rows of one append; the answer is waited for before the next. */
const ROWS = 1_000

type Writer = managedwriter.JSONWriter
/** WriteStreamView.FULL: with the table's schema. */
const FULL = 2
type Rows = Parameters<Writer['appendRows']>[0]

async function openWriter(endpoint: string, table: string): Promise<Writer> {
  const { hostname, port } = new URL(endpoint)
  const client = new managedwriter.WriterClient({
    apiEndpoint: hostname,
    port: Number(port),
    sslCreds: credentials.createInsecure(),
    projectId: PROJECT,
  })
  const path = `projects/${PROJECT}/datasets/${DATASET}/tables/${table}`
  const { tableSchema } = await client.getWriteStream({ streamId: `${path}/streams/_default`, view: FULL })
  const pseudo = [adapt.withChangeType(), adapt.withChangeSequenceNumber()]
  const protoDescriptor = adapt.convertStorageSchemaToProto2Descriptor(tableSchema ?? {}, 'root', ...pseudo)
  const connection = await client.createStreamConnection({
    streamId: managedwriter.DefaultStream,
    destinationTable: path,
  })
  return new managedwriter.JSONWriter({ connection, protoDescriptor })
}

async function append(writer: Writer, rows: Rows): Promise<number> {
  const { error, rowErrors } = await writer.appendRows(rows).getResult()
  if (error || rowErrors?.length) throw new Error(JSON.stringify({ error, rowErrors }))
  return rows.length
}

await serveSide(async ({ endpoint = '', name = '' }) => {
  const writer = await openWriter(endpoint, name)
  return {
    async take(path) {
      const read = startWatch()
      let rows: Rows = []
      let sent = 0
      for await (const line of createInterface({ input: createReadStream(path) })) {
        const { op: _, lsn, ...row } = JSON.parse(line)
        rows.push({ ...row, _CHANGE_TYPE: 'UPSERT', _CHANGE_SEQUENCE_NUMBER: lsn.toString(16) })
        if (rows.length < ROWS) continue
        sent += await append(writer, rows)
        rows = []
      }
      if (rows.length > 0) sent += await append(writer, rows)
      return { ...read(), rows: sent }
    },
    close: async () => writer.close(),
  }
})
