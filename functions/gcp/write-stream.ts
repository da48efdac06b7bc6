/** The Storage Write API behind the port `ChangeStreams`, by the official client's own connection and writer. */
import { managedwriter } from '@google-cloud/bigquery-storage'
import { credentials } from '@grpc/grpc-js'
import { z } from 'zod'
import type { AppendAnswer, AppendConnection, ChangeStreams, WireDescriptor } from './change-ports.ts'

type Client = managedwriter.WriterClient
type ClientOptions = ConstructorParameters<typeof managedwriter.WriterClient>[0]

/** A plain HTTP endpoint is not Google's: gRPC without TLS and without a login. */
function endpointOptions(endpoint: string | undefined): ClientOptions {
  if (endpoint === undefined) return {}
  const { hostname, port } = new URL(endpoint)
  return { apiEndpoint: hostname, port: Number(port), sslCreds: credentials.createInsecure() }
}

/** cloud.google.com/bigquery/docs/reference/storage/rpc/google.cloud.bigquery.storage.v1#appendrowsresponse */
const answer = z.object({
  error: z.object({ code: z.number().nullish(), message: z.string().nullish() }).nullish(),
  rowErrors: z
    .array(z.object({ index: z.coerce.number().nullish(), message: z.string().nullish() }))
    .nullish(),
})

/** Codes that no other try would mend: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED. */
const FINAL: ReadonlySet<unknown> = new Set([3, 7, 12, 16])

function readAnswer(response: unknown): AppendAnswer {
  const { error, rowErrors } = answer.parse(response)
  if (rowErrors?.length)
    return {
      kind: 'bad-rows',
      rows: rowErrors.map(({ index, message }) => ({ index: index ?? 0, message: message ?? '' })),
    }
  if (!error) return { kind: 'stored' }
  const message = error.message ?? 'no reason given'
  if (FINAL.has(error.code)) return { kind: 'refused', message }
  throw new Error(`BigQuery did not take an append (${error.code}): ${message}`)
}

function readFailure(error: unknown): AppendAnswer {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (FINAL.has(code)) return { kind: 'refused', message: error instanceof Error ? error.message : '' }
  throw error
}

const toProto = ({ name, fields }: WireDescriptor) => ({
  name,
  field: fields.map(({ name, number, label, type, columnName }) => ({
    name,
    number,
    label,
    type,
    ...(columnName !== undefined && {
      options: { '.google.cloud.bigquery.storage.v1.columnName': columnName },
    }),
  })),
})

/**
 * Of the client's two writers the one that takes encoded rows: JSONWriter makes the descriptor anew when BigQuery
 * announces a schema, and the new one lacks the pseudo-columns, so that changes would become plain rows. Here the
 * descriptor stays as it is: it names the columns of the feed, and a table with more of them takes it as well.
 */
async function connect(client: Client, path: string, descriptor: WireDescriptor): Promise<AppendConnection> {
  const connection = await client.createStreamConnection({
    streamId: managedwriter.DefaultStream,
    destinationTable: path,
  })
  // Every append that is under way fails with it; without a listener it would end the process.
  connection.onConnectionError(() => {})
  const writer = new managedwriter.Writer({
    connection,
    protoDescriptor: toProto(descriptor),
    traceId: 'freshet',
  })
  return {
    append: rows =>
      writer
        .appendRows({ serializedRows: [...rows] })
        .getResult()
        .then(readAnswer, readFailure),
    close: () => writer.close(),
  }
}

export function makeChangeStreams(options: {
  projectId: string
  apiEndpoint?: string | undefined
}): ChangeStreams {
  const { projectId, apiEndpoint } = options
  let client: Client | undefined
  return {
    connect({ projectId: project, datasetId, tableId }, descriptor) {
      // Made when it is first needed: most functions never stream.
      client ??= new managedwriter.WriterClient({ projectId, ...endpointOptions(apiEndpoint) })
      return connect(client, `projects/${project}/datasets/${datasetId}/tables/${tableId}`, descriptor)
    },
  }
}
