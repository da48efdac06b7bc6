/** The protocol of the Storage Write API, and the types in which rows and their descriptors are read. */
import { createRequire } from 'node:module'
import protobuf from 'protobufjs'
import { loadProtos, protosOf } from '../../protos.ts'

const client = createRequire(import.meta.url).resolve('@google-cloud/bigquery-storage')
const gax = createRequire(client).resolve('google-gax')

const { messageOf, serviceOf } = loadProtos(
  ['google/cloud/bigquery/storage/v1/storage.proto', 'google/rpc/status.proto'],
  [protosOf(client), protosOf(gax)],
)

export const writeService = serviceOf('google.cloud.bigquery.storage.v1.BigQueryWrite')

/**
 * `AppendRowsRequest` as this server reads it: the same bytes, but the descriptor stays as they are. Clients repeat it in
 * every request, and its bytes are what the decoder is remembered by.
 */
const source = `syntax = "proto3";
message Request {
  string write_stream = 1;
  OptionalInt64 offset = 2;
  ProtoData proto_rows = 4;
  bytes arrow_rows = 5;
  map<string, int32> missing_value_interpretations = 7;
  int32 default_missing_value_interpretation = 8;
}
message OptionalInt64 { int64 value = 1; }
message ProtoData { Schema writer_schema = 1; Rows rows = 2; }
message Schema { bytes proto_descriptor = 1; }
message Rows { repeated bytes serialized_rows = 1; }`
const requestType = protobuf.parse(source).root.lookupType('Request')

/** https://cloud.google.com/bigquery/docs/reference/storage/rpc/google.cloud.bigquery.storage.v1#appendrowsrequest */
export interface AppendRequest {
  readonly writeStream: string
  readonly offset?: object | null
  readonly protoRows?: {
    readonly writerSchema?: { readonly protoDescriptor: Uint8Array } | null
    readonly rows?: { readonly serializedRows: readonly Uint8Array[] } | null
  } | null
  readonly arrowRows: Uint8Array
  /** By column; 1 is NULL, 2 the column's default. */
  readonly missingValueInterpretations: Readonly<Record<string, number>>
  readonly defaultMissingValueInterpretation: number
}

export function decodeRequest(bytes: Buffer): AppendRequest {
  // The type is the text above.
  return requestType.decode(bytes) as unknown as AppendRequest
}

const errorType = 'google.cloud.bigquery.storage.v1.StorageError'

/** A StorageError in the form that a status carries it in. */
export function encodeStorageError(code: string, entity: string, message: string) {
  const value = messageOf(errorType).serialize({ code, entity, errorMessage: message })
  return { type_url: `type.googleapis.com/${errorType}`, value }
}
