/** Streams changes into a table with Google's own managed writer, as a user's program would. */
import { adapt, managedwriter } from '@google-cloud/bigquery-storage'
import { credentials } from '@grpc/grpc-js'
import { project as standard } from './bigquery.ts'

export type Row = Readonly<Record<string, unknown>>

export interface WriterOptions {
  /** Whether rows carry `_CHANGE_TYPE` (they do unless false) and `_CHANGE_SEQUENCE_NUMBER`. */
  readonly changes?: boolean
  readonly sequenced?: boolean
  readonly project?: string
}

export function openWriteClient(url: string, project = standard): managedwriter.WriterClient {
  process.env.METADATA_SERVER_DETECTION = 'none'
  const { hostname, port } = new URL(url)
  return new managedwriter.WriterClient({
    apiEndpoint: hostname,
    port: Number(port),
    sslCreds: credentials.createInsecure(),
    projectId: project,
  })
}

/** `table` is `dataset.table`. */
export async function openChangeWriter(url: string, table: string, options: WriterOptions = {}) {
  const { changes = true, sequenced = true, project = standard } = options
  const client = openWriteClient(url, project)
  const [dataset, name] = table.split('.')
  const path = `projects/${project}/datasets/${dataset}/tables/${name}`
  const stream = await client.getWriteStream({ streamId: `${path}/streams/_default`, view: 2 as never })
  const pseudo = [
    ...(changes ? [adapt.withChangeType()] : []),
    ...(sequenced ? [adapt.withChangeSequenceNumber()] : []),
  ]
  const schema = stream.tableSchema ?? {}
  const protoDescriptor = adapt.convertStorageSchemaToProto2Descriptor(schema, 'root', ...pseudo)
  const connection = await client.createStreamConnection({
    streamId: managedwriter.DefaultStream,
    destinationTable: path,
  })
  // Without a listener an error of the connection would end the process.
  connection.onConnectionError(() => {})
  const writer = new managedwriter.JSONWriter({ connection, protoDescriptor })
  return {
    client,
    connection,
    writer,
    stream,
    protoDescriptor,
    /** The server's answer, with its error or row errors when it has some. */
    send: (rows: readonly Row[]) => writer.appendRows(rows as never).getResult(),
    close() {
      writer.close()
      client.close()
    },
  }
}

export type ChangeWriter = Awaited<ReturnType<typeof openChangeWriter>>
