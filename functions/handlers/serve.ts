/** Turns handlers into what the functions framework serves, and errors into what its callers understand. */
import { FreshetError } from '../errors.ts'
import type { Log } from '../gcp/ports.ts'

interface Reply {
  status(code: number): { json(body: unknown): unknown }
}
/** 503 and 429 are what Workflows retries by itself; a 4xx is final. */
const statusOf = ({ code, retry }: FreshetError) =>
  retry === 'later' ? 503 : code === 'unknown-feed' ? 404 : 400

export function makeHttp(name: string, log: Log, handler: (body: unknown) => Promise<unknown>) {
  return async (request: { readonly body?: unknown }, response: Reply): Promise<void> => {
    try {
      response.status(200).json(await handler(request.body))
    } catch (error) {
      const known = error instanceof FreshetError ? error : undefined
      log.error({ err: error, function: name }, `${name}: ${error instanceof Error ? error.message : error}`)
      // What is not ours is taken for passing: a service that did not answer, most of all.
      const { code = 'internal', retry = 'later', hint = 'See the log of the function.' } = known ?? {}
      const message = error instanceof Error ? error.message : String(error)
      response.status(known ? statusOf(known) : 503).json({ error: { code, retry, message, hint } })
    }
  }
}

/** An event that can never succeed is logged and let go: thrown back, it would come again for a day. */
export function makeEvent(name: string, log: Log, handler: (data: unknown) => Promise<void>) {
  return async (event: { readonly data?: unknown }): Promise<void> => {
    try {
      await handler(event.data)
    } catch (error) {
      log.error({ err: error, function: name }, `${name}: ${error instanceof Error ? error.message : error}`)
      if (!(error instanceof FreshetError && error.retry === 'never')) throw error
    }
  }
}
