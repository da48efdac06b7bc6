/** A proxy that passes everything on and remembers who called what: one for each account and service. */
import { createServer, request } from 'node:http'
import { connect, createServer as createHttp2Server, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'

export interface Call {
  /** The service account that the caller runs as. */
  readonly account: string
  readonly method: string
  /** Path and query, or a gRPC method. */
  readonly path: string
  readonly body: string
}

export interface Recorder {
  readonly url: string
  close(): void
}

async function addressOf(server: {
  listen(port: number, host: string, done: () => void): unknown
  address(): unknown
}) {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** `target` is asked for anew with each call: what is behind a proxy may start after it. */
export async function startRecorder(account: string, target: () => string, calls: Call[]): Promise<Recorder> {
  const server = createServer((incoming, reply) => {
    const { method = 'GET', url = '/', headers } = incoming
    const chunks: Buffer[] = []
    const outgoing = request(`${target()}${url}`, { method, headers }, answer => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
    })
    outgoing.on('error', () => reply.writeHead(502).end())
    incoming.on('data', (chunk: Buffer) => void chunks.push(chunk))
    incoming.on('end', () =>
      calls.push({ account, method, path: url, body: Buffer.concat(chunks).toString('utf8') }),
    )
    incoming.pipe(outgoing)
  })
  const url = await addressOf(server)
  return {
    url,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The same for gRPC: HTTP/2 without TLS, with trailers. */
export async function startGrpcRecorder(account: string, target: string, calls: Call[]): Promise<Recorder> {
  const client = connect(target)
  const server = createHttp2Server()
  server.on('stream', (stream, headers) => {
    const path = String(headers[':path'])
    calls.push({ account, method: 'GRPC', path, body: '' })
    const outgoing = client.request(headers)
    let trailers: IncomingHttpHeaders = {}
    outgoing.on('response', answer => stream.respond(answer, { waitForTrailers: true }))
    outgoing.on('trailers', given => {
      trailers = given
    })
    outgoing.on('error', () => stream.close())
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    stream.on('error', () => outgoing.close())
    stream.pipe(outgoing)
    outgoing.pipe(stream)
  })
  const url = await addressOf(server)
  return {
    url,
    close: () => {
      client.destroy()
      server.close()
    },
  }
}
