/** An HTTP server whose answers a test writes down beforehand, and which remembers what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { closeServer, listen } from '../../local/server.ts'

export interface Asked {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** JSON with status 200, or an answer in full, or a function that does as it likes with the response. */
export type Answer =
  | {
      readonly status?: number
      readonly headers?: Record<string, string>
      readonly json?: unknown
      readonly body?: string
    }
  | ((response: ServerResponse) => void)

export interface ScriptedServer {
  readonly url: string
  readonly asked: readonly Asked[]
  close(): Promise<void>
}

function send(response: ServerResponse, answer: Answer): void {
  if (typeof answer === 'function') {
    answer(response)
    return
  }
  const { status = 200, headers = {}, json, body = json === undefined ? '' : JSON.stringify(json) } = answer
  const type: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' }
  response.writeHead(status, { ...type, ...headers }).end(body)
}

/** Gives the answers in order; one request too many gets status 418. */
export async function startScriptedServer(answers: readonly Answer[]): Promise<ScriptedServer> {
  const asked: Asked[] = []
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const answer = answers[asked.length] ?? { status: 418 }
    const { method = '', url = '', headers } = request
    asked.push({ method, path: url, headers, body: await text(request) })
    send(response, answer)
  })
  return { url: await listen(server), asked, close: () => closeServer(server) }
}
