/** The methods over gRPC. */
import { Server, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import { toPubSubError } from './errors.ts'
import type { Method, MethodSet } from './methods.ts'
import { services } from './proto.ts'
import type { State } from './state.ts'
import { makeStreamingPull } from './streaming-pull.ts'

function toHandler(method: Method) {
  return async (call: ServerUnaryCall<object, object>, callback: sendUnaryData<object>): Promise<void> => {
    const gone = new AbortController()
    call.on('cancelled', () => gone.abort())
    try {
      callback(null, await method(call.request, gone.signal))
    } catch (error) {
      const { code, message, metadata } = toPubSubError(error)
      callback({ code, details: message, ...(metadata ? { metadata } : {}) })
    }
  }
}

/** A method without an implementation answers UNIMPLEMENTED by itself. */
export function makeGrpcServer(state: State, sets: readonly MethodSet[]): Server {
  // A publish of 10 MB is legal, and gRPC's own limit is 4.
  const server = new Server({
    'grpc.max_receive_message_length': 12_000_000,
    'grpc.max_send_message_length': -1,
  })
  for (const { definition, methods } of sets) {
    const unary = Object.fromEntries([...methods].map(([name, method]) => [name, toHandler(method)]))
    const stream = definition === services.subscriber ? { StreamingPull: makeStreamingPull(state) } : {}
    server.addService(definition, { ...unary, ...stream })
  }
  return server
}
