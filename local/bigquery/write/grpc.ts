/** The Storage Write API over gRPC: GetWriteStream, and AppendRows on the default stream. */
import { Server, type ServerDuplexStream, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import type { Changes } from '../changes/changes.ts'
import type { Deps } from '../jobs/run.ts'
import { getDataset, getTable } from '../names.ts'
import { type Answer, makeConnection } from './connection.ts'
import { toWriteError, unsupported } from './errors.ts'
import { type AppendRequest, decodeRequest, encodeStorageError, writeService } from './proto.ts'
import { parseStreamName, streamName } from './stream-name.ts'
import { encodeTableSchema } from './table-schema.ts'

/** https://cloud.google.com/bigquery/quotas#write-api-limits: 20 MB a request. */
const mostRequestBytes = 20_000_000
/** How much of one connection is on its way to the disk before no more is read from it. */
const mostUnderWay = 40_000_000

interface StreamRequest {
  readonly name?: string
  readonly view?: string | number
}

function getWriteStream({ catalogue, project, location }: Deps, { name = '', view }: StreamRequest): object {
  const id = parseStreamName(project, name)
  const draft = catalogue.view()
  const table = getTable(project, draft, id)
  const whole = view === 'FULL' || view === 2
  return {
    name: streamName(project, id),
    type: 'COMMITTED',
    createTime: { seconds: String(Math.floor(table.created / 1000)), nanos: (table.created % 1000) * 1e6 },
    writeMode: 'INSERT',
    location: getDataset(project, draft, id.dataset).location ?? location,
    ...(whole ? { tableSchema: encodeTableSchema(table.schema) } : {}),
  }
}

function toStatus(error: unknown, entity: string) {
  const { code, message, storageCode } = toWriteError(error)
  const details = storageCode ? [encodeStorageError(storageCode, entity, message)] : []
  return { code, message, details }
}

function encodeAnswer({ writeStream, rowErrors, updatedSchema }: Answer): object {
  const more = updatedSchema ? { updatedSchema: encodeTableSchema(updatedSchema) } : {}
  if (!rowErrors) return { appendResult: {}, writeStream, ...more }
  const message = `Errors found while processing rows. Please refer to the row_errors field for details. The list may not be complete because of the size limitations. Entity: ${writeStream}`
  return {
    error: { code: 3, message },
    rowErrors: rowErrors.map(({ index, message: text }) => ({
      index: String(index),
      code: 'FIELDS_ERROR',
      message: text,
    })),
    writeStream,
    ...more,
  }
}

function sizeOf({ protoRows }: AppendRequest): number {
  return (protoRows?.rows?.serializedRows ?? []).reduce((sum, row) => sum + row.length, 0)
}

/** Answers every request in its turn, also when a later one was ready sooner. */
function appendRows(deps: Deps, changes: Changes, call: ServerDuplexStream<AppendRequest, object>): void {
  const append = makeConnection(deps, changes)
  let taken: Promise<unknown> = Promise.resolve()
  let turn = Promise.resolve()
  let underWay = 0
  let ended = false
  call.on('data', (request: AppendRequest) => {
    const size = sizeOf(request)
    underWay += size
    if (underWay > mostUnderWay) call.pause()
    const taking = taken.then(() => append(request))
    taken = taking.catch(() => {})
    const answer = taking
      .then(async ({ answer: ready, stored }) => {
        await stored
        return encodeAnswer(ready)
      })
      .catch(error => ({
        error: toStatus(error, request.writeStream),
        writeStream: request.writeStream,
      }))
    turn = turn.then(async () => {
      const ready = await answer
      underWay -= size
      if (call.isPaused() && underWay <= mostUnderWay / 2) call.resume()
      if (!ended) call.write(ready)
    })
  })
  call.on('cancelled', () => {
    ended = true
  })
  call.on('error', () => {
    ended = true
  })
  call.on('end', () => void turn.then(() => call.end()))
}

function unary(method: (request: object) => object) {
  return (call: ServerUnaryCall<object, object>, callback: sendUnaryData<object>): void => {
    try {
      callback(null, method(call.request))
    } catch (error) {
      const { code, message } = toWriteError(error)
      callback({ code, details: message })
    }
  }
}

function refuse(method: string) {
  return unary(() => {
    throw unsupported(method)
  })
}

export function makeWriteServer(deps: Deps, changes: Changes): Server {
  const server = new Server({
    'grpc.max_receive_message_length': mostRequestBytes,
    'grpc.max_send_message_length': -1,
  })
  const { AppendRows, ...others } = writeService
  if (!AppendRows) throw new Error('The protocol has no AppendRows.')
  const definition = { ...others, AppendRows: { ...AppendRows, requestDeserialize: decodeRequest } }
  server.addService(definition, {
    GetWriteStream: unary(request => getWriteStream(deps, request)),
    AppendRows: (call: ServerDuplexStream<AppendRequest, object>) => appendRows(deps, changes, call),
    CreateWriteStream: refuse('streams that applications create (CreateWriteStream)'),
    FinalizeWriteStream: refuse('FinalizeWriteStream'),
    BatchCommitWriteStreams: refuse('BatchCommitWriteStreams'),
    FlushRows: refuse('FlushRows'),
  })
  return server
}
