/** Pub/Sub over gRPC and REST on one port. */
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { ServerCredentials } from '@grpc/grpc-js'
import { makeListener } from '../server.ts'
import type { Clock, Service } from '../service.ts'
import { pubSubErrors } from './errors.ts'
import { makeGrpcServer } from './grpc.ts'
import { makeMethods } from './methods.ts'
import { makeRoutes } from './routes.ts'
import { State } from './state.ts'
import { goingAway } from './streaming-pull.ts'

export interface PubSubOptions {
  readonly clock: Clock
  /** The one project that there is. */
  readonly project: string
  readonly port?: number
}

/** HTTP/2 without TLS starts with this; HTTP/1 can't. */
const preface = 'PRI'

/** Looks at a connection's first bytes, puts them back, and hands it to the server that understands it. */
function sortConnections(toGrpc: (socket: Socket) => void, toHttp: (socket: Socket) => void): Server {
  const server = createServer(socket => {
    socket.once('readable', () => {
      const first: unknown = socket.read()
      if (!(first instanceof Buffer)) {
        socket.destroy()
        return
      }
      socket.unshift(first)
      if (first.subarray(0, preface.length).toString() === preface) toGrpc(socket)
      else toHttp(socket)
    })
    socket.on('error', () => socket.destroy())
  })
  return server
}

async function listenOn(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address() as AddressInfo
  return `http://127.0.0.1:${address.port}`
}

export async function startPubSub({ clock, project, port = 0 }: PubSubOptions): Promise<Service> {
  const state = new State(clock, project)
  const methods = makeMethods(state)
  const grpc = makeGrpcServer(state, methods)
  const http = createHttpServer(makeListener(makeRoutes(methods), pubSubErrors))
  // As in the other services: the client is the one to close an idle connection.
  http.keepAliveTimeout = 600_000
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure())
  const sockets = new Set<Socket>()
  const server = sortConnections(
    socket => injector.injectConnection(socket),
    socket => http.emit('connection', socket),
  )
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const url = await listenOn(server, port)
  return {
    url,
    async close() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      for (const subscription of state.subscriptions.values()) state.cutOff(subscription, goingAway())
      // One turn of the loop for the farewells to be written.
      await new Promise(resolve => setImmediate(resolve))
      injector.destroy()
      grpc.forceShutdown()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
