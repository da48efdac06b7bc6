/** HTTP/1 and gRPC on one loopback port: what a connection begins with says which of the two it is. */
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'

export interface OnePort {
  /** Without a trailing slash. */
  readonly url: string
  /** `farewell` is called once nothing new is let in, and has one turn of the loop for what it writes. */
  close(farewell?: () => void): Promise<void>
}

/** HTTP/2 without TLS starts with this; HTTP/1 can't. */
const preface = 'PRI'

/** Looks at a connection's first bytes, puts them back, and hands it to the server that understands it. */
function sortConnections(toGrpc: (socket: Socket) => void, toHttp: (socket: Socket) => void): Server {
  return createServer(socket => {
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
}

async function listenOn(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address() as AddressInfo
  return `http://127.0.0.1:${address.port}`
}

/** Serves both; port 0 picks a free one. */
export async function startOnePort(listener: RequestListener, grpc: GrpcServer, port = 0): Promise<OnePort> {
  const http = createHttpServer(listener)
  // A connection that we close at the very moment when its client sends is a failed request: let the client close first.
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
    async close(farewell) {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      farewell?.()
      await new Promise(resolve => setImmediate(resolve))
      injector.destroy()
      grpc.forceShutdown()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
